//! Making sign-offs.

use ed25519_dalek::SigningKey;

use super::dsse::Envelope;
use super::numbers::{SignedNumbers, Unsignable};
use super::statement::{Says, Statement};
use super::time::UtcTime;
use crate::bundle::{Manifest, Seal};
use crate::definitions::capacity::Capacity;
use crate::definitions::promise::Role;

/// Who signs, and when.
#[derive(Clone, Debug)]
pub struct Signer<'a> {
    /// The signer's key.
    pub key: &'a SigningKey,
    /// The signer's name.
    pub name: &'a str,
    /// The signer's clock.
    pub now: UtcTime,
}

/// A sign-off, ready for [`crate::bundle::with_signoff`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Its file name.
    pub file: &'static str,
    /// The envelope, as it stands in the bundle.
    pub text: String,
}

impl Signer<'_> {
    /// Signs the numbers of a bundle in a role: `capacity` is what its raw records give under its
    /// own promise sheet.
    ///
    /// # Errors
    /// If nobody may sign these numbers.
    pub fn sign_off(
        &self,
        manifest: &Manifest,
        seal: &Seal,
        capacity: &Capacity,
        role: Role,
        expires: Option<UtcTime>,
    ) -> Result<Signed, Unsignable> {
        let numbers = Box::new(SignedNumbers::of(manifest, capacity)?);
        Ok(self.say(manifest, seal, Says::SignOff { role, expires, numbers }))
    }

    /// Withdraws a bundle's numbers.
    #[must_use]
    pub fn revoke(&self, manifest: &Manifest, seal: &Seal, reason: String) -> Signed {
        self.say(manifest, seal, Says::Revoke { reason })
    }

    /// Replaces a bundle's run by a later one.
    #[must_use]
    pub fn supersede(&self, manifest: &Manifest, seal: &Seal, by: String) -> Signed {
        self.say(manifest, seal, Says::Supersede { by })
    }

    fn say(&self, manifest: &Manifest, seal: &Seal, says: Says) -> Signed {
        let file = says.file_name();
        let (name, now) = (self.name.to_owned(), self.now.clone());
        let statement = Statement::new(manifest, seal, says, name, now);
        Signed { file, text: Envelope::sign(statement.to_bytes(), self.key).to_text() }
    }
}
