//! What a signature says: an in-toto statement about the members of a bundle.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::numbers::SignedNumbers;
use super::time::UtcTime;
use crate::bundle::{Manifest, Seal};
use crate::definitions::promise::Role;

const STATEMENT: &str = "https://in-toto.io/Statement/v1";
const PREDICATE: &str = "urn:tokencap:sign-off:v1";

/// An in-toto statement: who says what about which bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    #[serde(rename = "_type")]
    statement: String,
    /// The members that it is about, manifest included, by their SHA-256.
    pub subject: Vec<Subject>,
    #[serde(rename = "predicateType")]
    predicate_type: String,
    /// What it says.
    pub predicate: Predicate,
}

/// One member of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The member's name.
    pub name: String,
    /// `sha256` → hex digits.
    pub digest: BTreeMap<String, String>,
}

/// What a statement says. The manifest's digest covers deployment, promise sheet, workload,
/// environment, steps and warnings; what stands here makes the statement readable by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Predicate {
    /// Identity of the run.
    pub run: String,
    /// Version of the metric definitions.
    pub definitions: u32,
    /// Tool that measured.
    pub tool: String,
    /// Tool that computed and signed.
    pub signed_with: String,
    /// Name that the signer gave; the trusted keys decide who it really is.
    pub signer: String,
    /// When, by the signer's clock.
    pub signed_at: UtcTime,
    /// What is said.
    pub says: Says,
}

/// The three things that can be said about a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Says {
    /// These are its numbers.
    SignOff {
        /// In which role the signer answers for them.
        role: Role,
        /// Until when, if not for ever.
        expires: Option<UtcTime>,
        /// Capacity and promises, as the signer computed them.
        numbers: Box<SignedNumbers>,
    },
    /// Its numbers no longer hold.
    Revoke {
        /// What the signer gives as the cause.
        reason: String,
    },
    /// A later run replaces it.
    Supersede {
        /// Identity of the later run.
        by: String,
    },
}

/// Why a payload is no statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("its payload is not a statement that this version of tokencap knows")]
pub struct StatementError;

impl Says {
    /// The name of the file that holds it, in a bundle's `signoff/`.
    #[must_use]
    pub const fn file_name(&self) -> &'static str {
        match self {
            Self::SignOff { role: Role::MeasuredBy, .. } => "measured-by.dsse.json",
            Self::SignOff { role: Role::ReviewedBy, .. } => "reviewed-by.dsse.json",
            Self::SignOff { role: Role::ApprovedBy, .. } => "approved-by.dsse.json",
            Self::Revoke { .. } => "revoked.dsse.json",
            Self::Supersede { .. } => "superseded.dsse.json",
        }
    }
}

impl Statement {
    /// A statement about a bundle.
    #[must_use]
    pub fn new(
        manifest: &Manifest,
        seal: &Seal,
        says: Says,
        signer: String,
        signed_at: UtcTime,
    ) -> Self {
        Self {
            statement: STATEMENT.to_owned(),
            subject: subjects(seal),
            predicate_type: PREDICATE.to_owned(),
            predicate: Predicate {
                run: manifest.run.clone(),
                definitions: manifest.definitions,
                tool: manifest.tool.clone(),
                signed_with: crate::TOOL.to_owned(),
                signer,
                signed_at,
                says,
            },
        }
    }

    /// The bytes to be signed.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        // Maps with text keys and finite numbers always become JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Reads a statement.
    ///
    /// # Errors
    /// If it is none, or one of a later version.
    pub fn from_bytes(payload: &[u8]) -> Result<Self, StatementError> {
        let statement: Self = serde_json::from_slice(payload).map_err(|_| StatementError)?;
        let known = statement.statement == STATEMENT && statement.predicate_type == PREDICATE;
        if known { Ok(statement) } else { Err(StatementError) }
    }

    /// The first member that is not the one the statement is about; `None` if all are.
    #[must_use]
    pub fn changed_member(&self, seal: &Seal) -> Option<String> {
        let actual = subjects(seal);
        let wrong = |subject: &&Subject| !self.subject.contains(subject);
        let changed = actual.iter().find(wrong).map(|subject| subject.name.clone());
        // Same members, but more of them were signed than there are.
        changed.or_else(|| {
            let extra = self.subject.iter().find(|subject| !actual.contains(subject));
            extra.map(|subject| subject.name.clone())
        })
    }
}

fn subjects(seal: &Seal) -> Vec<Subject> {
    let subject = |(name, digest): (&String, &String)| Subject {
        name: name.clone(),
        digest: BTreeMap::from([("sha256".to_owned(), digest.clone())]),
    };
    seal.digests.iter().map(subject).collect()
}
