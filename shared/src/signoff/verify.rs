//! Verification: first every number again from the raw records, then every signature.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::dsse::Envelope;
use super::numbers::{SignedNumbers, differences};
use super::state::{Changed, Problem, SignOff, Signature, Verification};
use super::statement::{Says, Statement};
use super::time::UtcTime;
use super::trust::{Trust, TrustedKey};
use crate::bundle::{Bundle, Seal};
use crate::definitions::capacity::Capacity;
use crate::definitions::promise::Role;

/// Verifies the sign-offs of a bundle.
///
/// `capacity` is what the bundle's raw records give under its own promise sheet
/// ([`crate::bundle::judged::of_bundle`]), computed by the reader; `trust` is the reader's own; `now`
/// is the reader's clock.
#[must_use]
pub fn verify(
    bundle: &Bundle,
    seal: &Seal,
    capacity: &Capacity,
    trust: &Trust,
    now: &UtcTime,
) -> Verification {
    Recomputed::of(bundle, seal, capacity).verify(trust, now)
}

/// What a reader found out about a bundle, beside which its sign-offs are held: small, where the
/// bundle is large. So whoever has judged the records need not be who checks the signatures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recomputed {
    run: String,
    definitions: u32,
    tool: String,
    required: BTreeSet<Role>,
    seal: Seal,
    /// `None` where the bundle has no numbers that may be signed.
    numbers: Option<SignedNumbers>,
    signoffs: BTreeMap<String, String>,
}

impl Recomputed {
    /// What `capacity`, computed by the reader from the bundle's raw records, and its file's `seal`
    /// say.
    #[must_use]
    pub fn of(bundle: &Bundle, seal: &Seal, capacity: &Capacity) -> Self {
        let Bundle { manifest, signoffs, .. } = bundle;
        Self {
            run: manifest.run.clone(),
            definitions: manifest.definitions,
            tool: manifest.tool.clone(),
            required: manifest.promise.sign_off.iter().copied().collect(),
            seal: seal.clone(),
            numbers: SignedNumbers::of(manifest, capacity).ok(),
            signoffs: signoffs.clone(),
        }
    }

    /// Verifies the sign-offs, as [`verify`] does.
    #[must_use]
    pub fn verify(&self, trust: &Trust, now: &UtcTime) -> Verification {
        Check { found: self, trust, now }.all()
    }
}

struct Check<'a> {
    found: &'a Recomputed,
    trust: &'a Trust,
    now: &'a UtcTime,
}

impl Check<'_> {
    fn all(&self) -> Verification {
        let mut signatures = Vec::new();
        let mut withdrawn = None;
        let mut keys = BTreeSet::new();
        for (file, text) in &self.found.signoffs {
            let (mut signature, says) = self.one(file, text);
            match says {
                Some(Says::Revoke { reason }) if signature.problem.is_none() => {
                    withdrawn = Some(SignOff::Revoked { reason });
                }
                Some(Says::Supersede { by }) if signature.problem.is_none() => {
                    withdrawn.get_or_insert(SignOff::Superseded { by });
                }
                _ => {
                    // Roles are independent only if their keys are.
                    let again = signature.problem.is_none()
                        && signature.fingerprint.clone().is_some_and(|key| !keys.insert(key));
                    if again {
                        signature.problem = Some(Problem::SameKey);
                    }
                }
            }
            signatures.push(signature);
        }
        let state = self.state(withdrawn, &signatures);
        Verification { state, signatures }
    }

    /// Checks one sign-off; what it says is returned only if the envelope is intact.
    fn one(&self, file: &str, text: &str) -> (Signature, Option<Says>) {
        let mut signature = Signature {
            file: file.to_owned(),
            fingerprint: None,
            signer: None,
            role: None,
            signed_at: None,
            expires: None,
            problem: None,
        };
        let says = self.fill(&mut signature, text).unwrap_or_else(|problem| {
            signature.problem = Some(problem);
            None
        });
        (signature, says)
    }

    fn fill(&self, signature: &mut Signature, text: &str) -> Result<Option<Says>, Problem> {
        let envelope = Envelope::from_text(text).map_err(|why| Problem::Malformed { why })?;
        signature.fingerprint = Some(envelope.key.fingerprint());
        if !envelope.is_intact() {
            return Err(Problem::BadSignature);
        }
        let trusted = self.trust.key(&envelope.key).ok_or(Problem::UnknownKey)?;
        signature.signer = Some(trusted.name.clone());
        let statement =
            Statement::from_bytes(&envelope.payload).map_err(|_| Problem::NotAStatement)?;
        let Statement { predicate, .. } = &statement;
        signature.signed_at = Some(predicate.signed_at.clone());
        if let Says::SignOff { role, expires, .. } = &predicate.says {
            signature.role = Some(*role);
            signature.expires.clone_from(expires);
        }
        let expected = predicate.says.file_name();
        if signature.file != expected {
            return Err(Problem::Misnamed { expected: expected.to_owned() });
        }
        self.key(trusted, &predicate.signed_at, signature.role)?;
        self.contents(&statement)?;
        if let Says::SignOff { expires, numbers, .. } = &predicate.says {
            self.numbers(numbers)?;
            if let Some(since) = expires.clone().filter(|end| end <= self.now) {
                return Err(Problem::Expired { since });
            }
        }
        Ok(Some(statement.predicate.says))
    }

    fn key(&self, key: &TrustedKey, at: &UtcTime, role: Option<Role>) -> Result<(), Problem> {
        if let Some(reason) = key.revoked.clone() {
            return Err(Problem::KeyRevoked { reason });
        }
        // Whoever may sign in any role may withdraw.
        if role.is_some_and(|role| !key.roles.contains(&role)) || key.roles.is_empty() {
            return Err(Problem::NotForRole);
        }
        if key.valid_from.as_ref().is_some_and(|from| at < from) {
            return Err(Problem::KeyNotYetValid);
        }
        match key.valid_until.clone().filter(|end| end <= self.now) {
            Some(since) => Err(Problem::KeyExpired { since }),
            None => Ok(()),
        }
    }

    fn contents(&self, statement: &Statement) -> Result<(), Problem> {
        let changed = |what| Err(Problem::Contents { what });
        let Recomputed { run, definitions, tool, seal, .. } = self.found;
        if statement.predicate.run != *run {
            return changed(Changed::OtherRun(statement.predicate.run.clone()));
        }
        if let Some(member) = statement.changed_member(seal) {
            return changed(Changed::Member(member));
        }
        if !seal.canonical {
            return changed(Changed::Repacked);
        }
        // Digests agree, so these do, unless the signer's tool contradicted itself.
        let predicate = &statement.predicate;
        if predicate.definitions != *definitions || predicate.tool != *tool {
            return changed(Changed::Member("manifest.json".to_owned()));
        }
        Ok(())
    }

    fn numbers(&self, signed: &SignedNumbers) -> Result<(), Problem> {
        let recomputed = self.found.numbers.as_ref().ok_or(Problem::Unsignable)?;
        let differences = differences(signed, recomputed);
        if differences.is_empty() { Ok(()) } else { Err(Problem::Numbers { differences }) }
    }

    /// The state of the whole: the gravest finding, and `Signed` only where there is none.
    fn state(&self, withdrawn: Option<SignOff>, signatures: &[Signature]) -> SignOff {
        let Recomputed { run, required, .. } = self.found;
        if let Some(revoked) = self.trust.revoked.iter().find(|revoked| revoked.run == *run) {
            return SignOff::Revoked { reason: revoked.reason.clone() };
        }
        if let Some(state @ SignOff::Revoked { .. }) = &withdrawn {
            return state.clone();
        }
        let mut found: Vec<SignOff> = signatures.iter().filter_map(state_of).collect();
        found.extend(withdrawn);
        let superseded = self.trust.superseded.iter().find(|later| later.run == *run);
        found.extend(superseded.map(|later| SignOff::Superseded { by: later.by.clone() }));

        let good =
            |role: &Role| signatures.iter().find(|s| s.problem.is_none() && s.role == Some(*role));
        let missing: Vec<Role> =
            required.iter().copied().filter(|role| good(role).is_none()).collect();
        let signed = required.len() - missing.len();
        let complete = missing.is_empty() && !required.is_empty();
        // An unknown signature beside all required ones adds nothing and takes nothing away.
        found.retain(|state| !(complete && matches!(state, SignOff::UnknownKey { .. })));
        if let Some(gravest) = found.into_iter().min_by_key(gravity) {
            return gravest;
        }
        if complete {
            let ends = required.iter().filter_map(good).filter_map(|s| s.expires.clone());
            SignOff::Signed { roles: signed, until: ends.min() }
        } else if signatures.is_empty() {
            SignOff::Unsigned
        } else {
            SignOff::PartlySigned { signed, required: required.len(), missing }
        }
    }
}

/// The state that one sign-off's problem makes of the whole.
fn state_of(signature: &Signature) -> Option<SignOff> {
    let bad = || SignOff::BadSignature { file: signature.file.clone() };
    Some(match signature.problem.clone()? {
        Problem::Malformed { .. }
        | Problem::NotAStatement
        | Problem::BadSignature
        | Problem::Misnamed { .. } => bad(),
        Problem::UnknownKey | Problem::NotForRole | Problem::KeyNotYetValid => {
            SignOff::UnknownKey { fingerprint: signature.fingerprint.clone().unwrap_or_default() }
        }
        Problem::KeyRevoked { reason } => SignOff::Revoked { reason },
        Problem::KeyExpired { since } | Problem::Expired { since } => SignOff::Expired { since },
        Problem::Contents { what } => SignOff::ContentsChanged { what },
        Problem::Numbers { differences } => SignOff::NumbersDiffer { differences },
        Problem::Unsignable => SignOff::NumbersDiffer { differences: Vec::new() },
        // Leaves its role missing.
        Problem::SameKey => return None,
    })
}

/// Lower is graver.
const fn gravity(state: &SignOff) -> u8 {
    match state {
        SignOff::Revoked { .. } => 0,
        SignOff::BadSignature { .. } => 1,
        SignOff::ContentsChanged { .. } => 2,
        SignOff::NumbersDiffer { .. } => 3,
        SignOff::Superseded { .. } => 4,
        SignOff::Expired { .. } => 5,
        SignOff::UnknownKey { .. } => 6,
        SignOff::PartlySigned { .. } => 7,
        SignOff::Unsigned => 8,
        SignOff::Signed { .. } => 9,
    }
}
