//! Whom a reader trusts: kept by the reader, never taken from a bundle.

use serde::{Deserialize, Serialize};

use super::dsse::PublicKey;
use super::time::UtcTime;
use crate::definitions::promise::Role;

/// The reader's trusted keys, and what has been withdrawn since it was signed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Trust {
    /// Keys and what each may sign as.
    pub keys: Vec<TrustedKey>,
    /// Runs whose numbers no longer hold.
    pub revoked: Vec<Revoked>,
    /// Runs that a later run replaces.
    pub superseded: Vec<Superseded>,
}

/// A person's key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustedKey {
    /// Whose it is, as reports show it.
    pub name: String,
    /// The public key.
    pub key: PublicKey,
    /// What its owner may sign as.
    pub roles: Vec<Role>,
    /// Before this its signatures do not count.
    #[serde(default)]
    pub valid_from: Option<UtcTime>,
    /// From this instant on none of its signatures counts, whenever it was made: the time that a
    /// signature states is its signer's word.
    #[serde(default)]
    pub valid_until: Option<UtcTime>,
    /// Why the key must not be trusted any more, if so: lost, stolen, its owner left.
    #[serde(default)]
    pub revoked: Option<String>,
}

/// A withdrawn run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revoked {
    /// The run's identity.
    pub run: String,
    /// What a reader is told about it.
    pub reason: String,
}

/// A replaced run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Superseded {
    /// The run's identity.
    pub run: String,
    /// Identity of the run that replaces it.
    pub by: String,
}

impl Trust {
    /// The entry of a key.
    #[must_use]
    pub fn key(&self, key: &PublicKey) -> Option<&TrustedKey> {
        self.keys.iter().find(|trusted| trusted.key == *key)
    }
}
