//! English: what a sign-off is worth, and why a signature does not count.

use super::EN;
use crate::present::words::Advice;
use crate::signoff::{Changed, Problem, SignOff};

pub(super) fn label(state: &SignOff) -> String {
    match state {
        SignOff::Signed { roles, .. } => format!("signed {roles}/{roles}"),
        SignOff::PartlySigned { signed, required, .. } => {
            format!("partly signed {signed}/{required}")
        }
        SignOff::Unsigned => "unsigned".to_owned(),
        SignOff::UnknownKey { .. } => "signed by an unknown key".to_owned(),
        SignOff::BadSignature { .. } => "BAD SIGNATURE".to_owned(),
        SignOff::ContentsChanged { .. } => "CONTENTS CHANGED".to_owned(),
        SignOff::NumbersDiffer { .. } => "NUMBERS DO NOT RECOMPUTE".to_owned(),
        SignOff::Expired { since } => format!("expired {}", since.day()),
        SignOff::Superseded { .. } => "superseded".to_owned(),
        SignOff::Revoked { .. } => "REVOKED".to_owned(),
    }
}

pub(super) fn advice(state: &SignOff) -> Advice {
    let (what, fix) = match state {
        SignOff::Signed { roles, .. } => {
            (format!("Signed by all {roles} required roles; every number was recomputed"), "")
        }
        SignOff::PartlySigned { missing, .. } => {
            let roles: Vec<&str> = missing.iter().map(|role| (EN.role)(*role)).collect();
            (
                format!("Signatures are missing: {}", roles.join(", ")),
                "Have the missing roles sign, each with a key of its own.",
            )
        }
        SignOff::Unsigned => (
            "Nobody has signed this bundle".to_owned(),
            "Have it signed before a customer sees it.",
        ),
        SignOff::UnknownKey { fingerprint } => (
            format!("Signed by a key that you do not trust for this ({fingerprint})"),
            "Ask its owner, by another way, for the key; then add it to your trusted keys.",
        ),
        SignOff::BadSignature { file } => (
            format!("The signature in {file} was not made by the key it names"),
            "Do not use this file. Get the bundle again from where it was signed.",
        ),
        SignOff::ContentsChanged { what } => {
            (changed(what), "Do not use this file. Get the bundle again from where it was signed.")
        }
        SignOff::NumbersDiffer { differences } => {
            let first = differences.first();
            let figure = first.map(|found| {
                format!(": {} signed as {}, is {}", found.what, found.signed, found.recomputed)
            });
            (
                format!(
                    "The raw records do not give the numbers that were signed{}",
                    figure.unwrap_or_default()
                ),
                "Trust no number of this bundle. Ask those who signed it.",
            )
        }
        SignOff::Expired { since } => (
            format!("A signature or its key ended on {}", since.day()),
            "Measure again, or have it signed again.",
        ),
        SignOff::Superseded { by } => {
            (format!("Run {by} replaces this one"), "Use the later run's numbers.")
        }
        SignOff::Revoked { reason } => {
            (format!("Withdrawn: {reason}"), "Do not use these numbers.")
        }
    };
    Advice { what, fix: fix.to_owned() }
}

fn changed(what: &Changed) -> String {
    match what {
        Changed::Member(name) => format!("{name} is not the one that was signed"),
        Changed::OtherRun(run) => format!("The signature belongs to another run ({run})"),
        Changed::Repacked => {
            "The archive is not the file that was signed: something packed it anew".to_owned()
        }
    }
}

pub(super) fn problem(problem: &Problem) -> String {
    match problem {
        Problem::Malformed { why } => format!("not a signature: {why}"),
        Problem::NotAStatement => {
            "signed, but not a statement that this version of tokencap knows".to_owned()
        }
        Problem::BadSignature => "not made by the key it names".to_owned(),
        Problem::Misnamed { expected } => format!("belongs under the name {expected}"),
        Problem::UnknownKey => "the key is not among your trusted keys".to_owned(),
        Problem::NotForRole => "the key is trusted, but not for this role".to_owned(),
        Problem::KeyRevoked { reason } => format!("the key was withdrawn: {reason}"),
        Problem::KeyNotYetValid => "signed before the key was valid".to_owned(),
        Problem::KeyExpired { since } => format!("the key ended on {}", since.day()),
        Problem::Contents { what } => changed(what),
        Problem::Numbers { differences } => {
            format!("{} signed numbers do not recompute", differences.len())
        }
        Problem::Unsignable => "the records hold no numbers that may be signed".to_owned(),
        Problem::Expired { since } => format!("ended on {}", since.day()),
        Problem::SameKey => "its key already signed for another role".to_owned(),
    }
}
