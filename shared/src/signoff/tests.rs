//! Every state, and what leads to it.

use super::fixture::*;
use super::*;
use crate::bundle::judged::of_bundle;
use crate::bundle::old::{OLD, put};
use crate::bundle::{open, with_signoff, write};
use crate::definitions::promise::{Role, VerdictMode};
use crate::definitions::step::StepKind;

fn state(bytes: &[u8], trust: &Trust) -> SignOff {
    verified(bytes, trust).state
}

#[test]
fn all_required_roles_by_trusted_keys_make_it_signed() {
    let found = verified(&signed(1), &trust());
    assert_eq!(found.state, SignOff::Signed { roles: 2, until: None });
    let signers: Vec<_> = found.signatures.iter().map(|s| s.signer.as_deref()).collect();
    assert_eq!(signers, [Some("approver"), Some("measurer")], "names come from the reader's keys");
    assert!(found.signatures.iter().all(|signature| signature.problem.is_none()));
}

#[test]
fn without_a_signature_it_is_unsigned_and_with_one_of_two_partly_signed() {
    assert_eq!(state(&file(1), &trust()), SignOff::Unsigned);
    let one = sign(&file(1), 1, Role::MeasuredBy);
    let missing = vec![Role::ApprovedBy];
    assert_eq!(state(&one, &trust()), SignOff::PartlySigned { signed: 1, required: 2, missing });
    // A role that the sheet does not ask for replaces none that it does.
    let reviewed = sign(&one, 3, Role::ReviewedBy);
    assert!(matches!(state(&reviewed, &trust()), SignOff::PartlySigned { signed: 1, .. }));
}

#[test]
fn one_key_does_not_sign_for_two_roles() {
    let mut trust = trust();
    trust.keys[0].roles.push(Role::ApprovedBy);
    let bytes = sign(&sign(&file(1), 1, Role::MeasuredBy), 1, Role::ApprovedBy);
    let found = verified(&bytes, &trust);
    assert!(matches!(found.state, SignOff::PartlySigned { signed: 1, required: 2, .. }));
    assert!(found.signatures.iter().any(|s| s.problem == Some(Problem::SameKey)));
}

#[test]
fn a_key_that_nobody_trusts_or_not_for_this_role_is_unknown() {
    let bytes = sign(&sign(&file(1), 1, Role::MeasuredBy), 9, Role::ApprovedBy);
    let fingerprint = PublicKey::of(&key(9)).fingerprint();
    assert_eq!(state(&bytes, &trust()), SignOff::UnknownKey { fingerprint });
    assert_eq!(
        state(&signed(1), &Trust::default()),
        SignOff::UnknownKey { fingerprint: PublicKey::of(&key(2)).fingerprint() }
    );
    let swapped = sign(&sign(&file(1), 2, Role::MeasuredBy), 1, Role::ApprovedBy);
    let found = verified(&swapped, &trust());
    assert!(matches!(found.state, SignOff::UnknownKey { .. }));
    assert!(found.signatures.iter().all(|s| s.problem == Some(Problem::NotForRole)));
    // Nobody's name is shown for a key that nobody knows.
    let found = verified(&bytes, &trust());
    assert!(found.signatures.iter().any(|signature| signature.signer.is_none()));
}

#[test]
fn a_signature_or_a_key_past_its_end_is_expired() {
    let until = |day| {
        let once = sign(&file(1), 1, Role::MeasuredBy);
        sign_until(&once, 2, Role::ApprovedBy, Some(time(day)))
    };
    let end = time("2027-01-01");
    assert_eq!(
        state(&until("2027-01-01"), &trust()),
        SignOff::Signed { roles: 2, until: Some(end) }
    );
    assert_eq!(state(&until("2026-12-01"), &trust()), SignOff::Expired { since: now() });
    let mut trust = trust();
    trust.keys[1].valid_until = Some(time("2026-11-30T12:00:00Z"));
    let since = time("2026-11-30T12:00:00Z");
    assert_eq!(state(&signed(1), &trust), SignOff::Expired { since });
    trust.keys[1].valid_until = None;
    trust.keys[1].valid_from = Some(time("2026-12-01"));
    assert!(matches!(state(&signed(1), &trust), SignOff::UnknownKey { .. }));
}

#[test]
fn withdrawn_and_replaced_runs_say_why() {
    let run = bundle(1).manifest.run;
    let mut reader = trust();
    reader.superseded.push(Superseded { run: run.clone(), by: "later".to_owned() });
    let by = "later".to_owned();
    assert_eq!(state(&signed(1), &reader), SignOff::Superseded { by: by.clone() });
    reader.revoked.push(Revoked { run, reason: "wrong checkpoint".to_owned() });
    let reason = "wrong checkpoint".to_owned();
    assert_eq!(state(&signed(1), &reader), SignOff::Revoked { reason: reason.clone() });
    let mut reader = trust();
    reader.keys[0].revoked = Some("key stolen".to_owned());
    assert_eq!(state(&signed(1), &reader), SignOff::Revoked { reason: "key stolen".to_owned() });

    // The same, said inside the bundle by somebody who is trusted.
    let bytes = signed(1);
    let (bundle, seal, _) = opened(&bytes);
    let says =
        |seed: u8,
         says: fn(&Signer<'_>, &crate::bundle::Bundle, &crate::bundle::Seal) -> Signed| {
            let key = key(seed);
            let signed = says(&Signer { key: &key, name: "x", now: now() }, &bundle, &seal);
            with_signoff(&bytes, signed.file, &signed.text).unwrap()
        };
    let revoke: fn(&Signer<'_>, &crate::bundle::Bundle, &crate::bundle::Seal) -> Signed =
        |signer, bundle, seal| signer.revoke(&bundle.manifest, seal, "wrong checkpoint".to_owned());
    assert_eq!(state(&says(2, revoke), &trust()), SignOff::Revoked { reason });
    assert_eq!(
        state(&says(2, |s, b, seal| s.supersede(&b.manifest, seal, "later".to_owned())), &trust()),
        SignOff::Superseded { by }
    );
    // A stranger cannot withdraw anything.
    assert!(state(&says(9, revoke), &trust()).is_signed());
}

#[test]
fn numbers_that_do_not_recompute_are_named() {
    let bytes = file(1);
    let (bundle, seal, capacity) = opened(&bytes);
    let key = key(1);
    let mut numbers = SignedNumbers::of(&bundle.manifest, &capacity).unwrap();
    numbers.goodput = crate::units::TokenRate::new(numbers.goodput.get() * 1.000_001).unwrap();
    numbers.steps[0].verdict = crate::definitions::judge::Verdict::Broken;
    let (role, expires) = (Role::MeasuredBy, None);
    let says = Says::SignOff { role, expires, numbers: Box::new(numbers) };
    let file = says.file_name();
    let statement = Statement::new(&bundle.manifest, &seal, says, "x".to_owned(), now());
    let text = Envelope::sign(statement.to_bytes(), &key).to_text();
    let SignOff::NumbersDiffer { differences } =
        state(&with_signoff(&bytes, file, &text).unwrap(), &trust())
    else {
        panic!("the numbers differ");
    };
    let names: Vec<&str> = differences.iter().map(|d| d.what.as_str()).collect();
    assert_eq!(names, ["goodput", "steps/0/verdict"]);
}

#[test]
fn rounding_of_the_last_digits_is_no_difference() {
    let (bundle, _, capacity) = opened(&file(1));
    let numbers = SignedNumbers::of(&bundle.manifest, &capacity).unwrap();
    let text = serde_json::to_string(&numbers).unwrap();
    let back: SignedNumbers = serde_json::from_str(&text).unwrap();
    assert_eq!(differences(&back, &numbers), []);
    let mut off = numbers.clone();
    off.goodput = crate::units::TokenRate::new(numbers.goodput.get() * (1.0 + 1e-12)).unwrap();
    assert_eq!(differences(&off, &numbers), []);
    off.step = 1;
    assert_eq!(differences(&off, &numbers).len(), 1, "counts are exact");
}

#[test]
fn what_proves_nothing_cannot_be_signed() {
    let refused = |change: fn(&mut crate::bundle::Bundle)| {
        let mut bundle = bundle(1);
        change(&mut bundle);
        let (bundle, _) = open(&write(&bundle).unwrap()).unwrap();
        SignedNumbers::of(&bundle.manifest, &of_bundle(&bundle)).unwrap_err()
    };
    let point = refused(|bundle| {
        let mut sheet: crate::definitions::promise::Fields = bundle.manifest.promise.clone().into();
        sheet.mode = VerdictMode::Point;
        bundle.manifest.promise = sheet.try_into().unwrap();
    });
    assert_eq!(point, Unsignable::PointMode);
    assert_eq!(
        refused(|bundle| bundle.manifest.steps[0].kind = StepKind::Probe),
        Unsignable::Screen
    );
    let late = refused(|bundle| {
        for request in &mut bundle.requests {
            request.intended = request.intended - crate::units::Nanos::from_millis(50);
        }
    });
    assert!(matches!(late, Unsignable::Invalid { step: 0 }), "{late}");
    let slow = refused(|bundle| {
        for request in &mut bundle.requests {
            request.end = request.end + crate::units::Nanos::from_secs(2);
            request.first_token =
                request.first_token.map(|at| at + crate::units::Nanos::from_secs(1));
            request.last_token =
                request.last_token.map(|at| at + crate::units::Nanos::from_secs(1));
        }
    });
    assert_eq!(slow, Unsignable::NothingHeld);
}

#[test]
fn signatures_of_every_format_version_still_hold() {
    for (_, bytes) in OLD {
        assert_eq!(state(bytes, &trust()), SignOff::Signed { roles: 2, until: None });
    }
}

/// Writes the signed sample of the present format, where there is none yet.
#[test]
#[ignore = "writes into the sources"]
fn signed_samples_of_this_format() {
    put("-signed", &signed(1));
}
