//! Sign-off: who answers for the numbers of a bundle, and whether they still stand.
//!
//! A signature is a DSSE envelope over an in-toto statement that names the SHA-256 of every
//! member and the computed capacity. Reading a signature never trusts it: the reader computes
//! every number again from the raw records, and takes trusted keys from a place of its own.

mod dsse;
#[cfg(any(test, feature = "fixture"))]
pub mod fixture;
mod numbers;
mod parts;
mod sign;
mod state;
mod statement;
mod time;
mod trust;
mod verify;

pub use dsse::{Envelope, EnvelopeError, KeyError, PublicKey};
pub use numbers::{Difference, SignedNumbers, SignedPromise, SignedStep, Unsignable, differences};
pub use sign::{Signed, Signer};
pub use state::{Changed, Problem, SignOff, Signature, Verification};
pub use statement::{Predicate, Says, Statement, StatementError, Subject};
pub use time::{TimeError, UtcTime};
pub use trust::{Revoked, Superseded, Trust, TrustedKey};
pub use verify::{Recomputed, verify};

#[cfg(test)]
mod tampering;
#[cfg(test)]
mod tests;
