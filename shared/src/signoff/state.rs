//! What a bundle's sign-off is worth, in states that cannot be mistaken for each other.

use serde::Serialize;

use super::dsse::EnvelopeError;
use super::numbers::Difference;
use super::time::UtcTime;
use crate::definitions::promise::Role;

/// The state of a bundle's sign-off. Only [`SignOff::Signed`] is signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum SignOff {
    /// Every required role signed, each with a trusted key of its own; contents are those that
    /// were signed, and every signed number was recomputed from the raw records.
    Signed {
        /// How many roles, of as many.
        roles: usize,
        /// The earliest end of a signature's validity.
        until: Option<UtcTime>,
    },
    /// Good signatures, but not of every required role.
    PartlySigned {
        /// Roles that signed.
        signed: usize,
        /// Roles that are required.
        required: usize,
        /// Roles that are missing.
        missing: Vec<Role>,
    },
    /// Nobody signed.
    Unsigned,
    /// A good signature, but by nobody that the reader trusts (with this role).
    UnknownKey {
        /// Fingerprint of the key.
        fingerprint: String,
    },
    /// A signature that its key did not make, or a file that is none.
    BadSignature {
        /// The sign-off's file.
        file: String,
    },
    /// Good signatures of other contents than these.
    ContentsChanged { what: Changed },
    /// The raw records do not give the numbers that were signed.
    NumbersDiffer {
        /// Which do not; at least one.
        differences: Vec<Difference>,
    },
    /// A signature, or its key, is past its end.
    Expired { since: UtcTime },
    /// A later run replaces this one.
    Superseded {
        /// Identity of the later run.
        by: String,
    },
    /// Withdrawn.
    Revoked { reason: String },
}

/// What is not as it was signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "changed", content = "what")]
pub enum Changed {
    /// A member.
    Member(String),
    /// The signature is about another run altogether.
    OtherRun(String),
    /// The same members, but the archive around them was packed by something else.
    Repacked,
}

/// One sign-off, and what it is worth by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Signature {
    /// Its file in the bundle.
    pub file: String,
    /// Fingerprint of the key it names, where it names one.
    pub fingerprint: Option<String>,
    /// Who signed: the name in the reader's trusted keys. `None` for an unknown key, whatever
    /// name the signature gives.
    pub signer: Option<String>,
    /// In which role; `None` for revocations, and where it cannot be known.
    pub role: Option<Role>,
    /// When, by the signer's clock.
    pub signed_at: Option<UtcTime>,
    /// Until when it holds.
    pub expires: Option<UtcTime>,
    /// Why it does not count. `None`: it does.
    pub problem: Option<Problem>,
}

/// Why a sign-off does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "problem")]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum Problem {
    /// Not the text of an envelope.
    Malformed { why: EnvelopeError },
    /// An intact envelope with something else inside.
    NotAStatement,
    /// Another key made the signature, or none, or the payload was changed.
    BadSignature,
    /// It stands under another file name than it was signed for.
    Misnamed {
        /// The name it must have.
        expected: String,
    },
    /// Not among the trusted keys.
    UnknownKey,
    /// A trusted key, but not for this role.
    NotForRole,
    /// The key was withdrawn.
    KeyRevoked { reason: String },
    /// The key was not valid yet when it signed.
    KeyNotYetValid,
    /// The key is past its end.
    KeyExpired { since: UtcTime },
    /// It is about other contents.
    Contents { what: Changed },
    /// Its numbers do not recompute.
    Numbers { differences: Vec<Difference> },
    /// The numbers of this bundle are none that anybody may sign.
    Unsignable,
    /// It is past its end.
    Expired { since: UtcTime },
    /// Its key already signed for another role: every role needs a key of its own.
    SameKey,
}

/// Everything that verification found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// The state of the whole.
    #[serde(flatten)]
    pub state: SignOff,
    /// Every sign-off, in the order of file names.
    pub signatures: Vec<Signature>,
}

impl SignOff {
    /// Whether the bundle is signed. Everything else is not.
    #[must_use]
    pub const fn is_signed(&self) -> bool {
        matches!(self, Self::Signed { .. })
    }

    /// The state's name, as `--json` and exit messages give it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Signed { .. } => "signed",
            Self::PartlySigned { .. } => "partly_signed",
            Self::Unsigned => "unsigned",
            Self::UnknownKey { .. } => "unknown_key",
            Self::BadSignature { .. } => "bad_signature",
            Self::ContentsChanged { .. } => "contents_changed",
            Self::NumbersDiffer { .. } => "numbers_differ",
            Self::Expired { .. } => "expired",
            Self::Superseded { .. } => "superseded",
            Self::Revoked { .. } => "revoked",
        }
    }
}
