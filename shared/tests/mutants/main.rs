//! The definitions once more, written down plainly and slowly, beside the code that judges;
//! and every plausible misreading of them, each shown to give other numbers.
//!
//! [`reference::evaluate`] is an independent implementation of the definitions on small sets.
//! It agrees with [`judge_step`] on every crafted case and on random ones. With a [`Mutant`]
//! switched on it misreads one definition; then some crafted case must tell the two apart.
//! A case that no mutant needs is no use, and a mutant that no case catches is a hole.

mod cases;
mod judged;
mod mutant;
mod numbers;
mod reference;

use judged::judged;
use mutant::Mutant;
use numbers::Numbers;
use proptest::prelude::*;
use reference::evaluate;

#[test]
fn the_judge_agrees_with_the_plain_reading_on_every_crafted_case() {
    for case in cases::all() {
        assert_eq!(judged(&case), evaluate(&case, None), "{}", case.name);
    }
}

#[test]
fn every_misreading_gives_other_numbers_on_some_case() {
    let cases = cases::all();
    let mut survivors = Vec::new();
    for &mutant in Mutant::ALL {
        let caught = cases.iter().any(|case| evaluate(case, Some(mutant)) != judged(case));
        if !caught {
            survivors.push(mutant);
        }
    }
    assert!(survivors.is_empty(), "no case catches {survivors:?}");
}

#[test]
fn every_crafted_case_catches_a_misreading() {
    for case in cases::all() {
        let truth: Numbers = judged(&case);
        let catches = Mutant::ALL.iter().any(|&m| evaluate(&case, Some(m)) != truth);
        assert!(catches, "{}", case.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn the_judge_agrees_with_the_plain_reading_on_random_sets(case in cases::random()) {
        prop_assert_eq!(judged(&case), evaluate(&case, None));
    }
}
