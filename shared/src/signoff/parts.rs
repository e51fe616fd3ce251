//! A sign-off's state as a list of texts: how one module of the page tells another, at less than a
//! tenth of the code that reading JSON takes.

use super::{Changed, Difference, SignOff};
use crate::definitions::promise::Role;

impl SignOff {
    /// The state as texts; [`Self::of_parts`] reads them.
    #[must_use]
    pub fn parts(&self) -> Vec<String> {
        let mut parts = vec![self.name().to_owned()];
        match self {
            Self::Signed { roles, until } => {
                parts.push(roles.to_string());
                parts.extend(until.as_ref().map(ToString::to_string));
            }
            Self::PartlySigned { signed, required, missing } => {
                parts.extend([signed.to_string(), required.to_string()]);
                parts.extend(missing.iter().map(|role| role.name().to_owned()));
            }
            Self::Unsigned => {}
            Self::UnknownKey { fingerprint: text }
            | Self::BadSignature { file: text }
            | Self::Superseded { by: text }
            | Self::Revoked { reason: text } => parts.push(text.clone()),
            Self::ContentsChanged { what } => match what {
                Changed::Member(name) => parts.extend(["member".to_owned(), name.clone()]),
                Changed::OtherRun(run) => parts.extend(["run".to_owned(), run.clone()]),
                Changed::Repacked => {}
            },
            Self::NumbersDiffer { differences } => {
                for Difference { what, signed, recomputed } in differences {
                    parts.extend([what.clone(), signed.clone(), recomputed.clone()]);
                }
            }
            Self::Expired { since } => parts.push(since.to_string()),
        }
        parts
    }

    /// The state that these texts tell; `None` if they tell none.
    #[must_use]
    pub fn of_parts(parts: &[String]) -> Option<Self> {
        let (name, parts) = parts.split_first()?;
        let text = || parts.first().cloned();
        let number = |at: usize| parts.get(at)?.parse().ok();
        Some(match name.as_str() {
            "signed" => {
                let until = parts.get(1).map(|time| time.parse()).transpose().ok()?;
                Self::Signed { roles: number(0)?, until }
            }
            "partly_signed" => Self::PartlySigned {
                signed: number(0)?,
                required: number(1)?,
                missing: parts.get(2..)?.iter().filter_map(|name| Role::of_name(name)).collect(),
            },
            "unsigned" => Self::Unsigned,
            "unknown_key" => Self::UnknownKey { fingerprint: text()? },
            "bad_signature" => Self::BadSignature { file: text()? },
            "contents_changed" => Self::ContentsChanged {
                what: match parts {
                    [kind, name] if kind == "member" => Changed::Member(name.clone()),
                    [_, run] => Changed::OtherRun(run.clone()),
                    _ => Changed::Repacked,
                },
            },
            "numbers_differ" => {
                let differences = parts.chunks_exact(3).map(|three| Difference {
                    what: three[0].clone(),
                    signed: three[1].clone(),
                    recomputed: three[2].clone(),
                });
                Self::NumbersDiffer { differences: differences.collect() }
            }
            "expired" => Self::Expired { since: parts.first()?.parse().ok()? },
            "superseded" => Self::Superseded { by: text()? },
            "revoked" => Self::Revoked { reason: text()? },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_comes_back_from_its_parts() {
        let text = || "a, b\nc".to_owned();
        let time = "2026-11-30T10:00:00Z".parse::<crate::signoff::UtcTime>().unwrap();
        let difference = Difference { what: text(), signed: "1".into(), recomputed: "2".into() };
        let states = [
            SignOff::Signed { roles: 2, until: None },
            SignOff::Signed { roles: 3, until: Some(time.clone()) },
            SignOff::PartlySigned { signed: 1, required: 2, missing: vec![Role::ApprovedBy] },
            SignOff::Unsigned,
            SignOff::UnknownKey { fingerprint: text() },
            SignOff::BadSignature { file: text() },
            SignOff::ContentsChanged { what: Changed::Member(text()) },
            SignOff::ContentsChanged { what: Changed::OtherRun(text()) },
            SignOff::ContentsChanged { what: Changed::Repacked },
            SignOff::NumbersDiffer { differences: vec![difference.clone(), difference] },
            SignOff::Expired { since: time },
            SignOff::Superseded { by: text() },
            SignOff::Revoked { reason: text() },
        ];
        for state in states {
            assert_eq!(SignOff::of_parts(&state.parts()), Some(state));
        }
        for wrong in [vec![], vec!["signed".to_owned()], vec!["well signed".to_owned()]] {
            assert_eq!(SignOff::of_parts(&wrong), None);
        }
    }
}
