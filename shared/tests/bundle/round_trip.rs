use proptest::prelude::*;
use tokencap_shared::bundle::{Bundle, read, write};
use tokencap_shared::definitions::record::Request;
use tokencap_shared::units::Nanos;

use crate::support::{bundle, manifest, small};

/// Error texts are numbered anew on reading: compares requests with the texts themselves.
fn with_texts(bundle: &Bundle) -> Vec<(Request, Option<&str>)> {
    let text =
        |request: &Request| request.error.map(|error| bundle.errors[error as usize].as_str());
    let rows = bundle.requests.iter();
    rows.map(|request| (Request { error: None, ..*request }, text(request))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read(written in bundle()) {
        let bytes = write(&written).expect("a consistent bundle");
        let back = read(&bytes).expect("it was just written");
        prop_assert_eq!(with_texts(&back), with_texts(&written));
        prop_assert_eq!(&back.telemetry, &written.telemetry);
        prop_assert_eq!(&back.gaps, &written.gaps);
        prop_assert_eq!(&back.signoffs, &written.signoffs);
        prop_assert_eq!(back.manifest.members.len(), 3);
        let mut manifest = back.manifest.clone();
        manifest.members.clear();
        prop_assert_eq!(&manifest, &written.manifest);
        prop_assert_eq!(write(&back).expect("consistent"), bytes, "the same bytes again");
    }
}

#[test]
fn the_empty_run_is_a_bundle() {
    let empty = Bundle {
        manifest: manifest(0),
        requests: Vec::new(),
        errors: Vec::new(),
        gaps: [].into(),
        telemetry: Vec::new(),
        signoffs: [].into(),
    };
    let back = read(&write(&empty).expect("consistent")).expect("it was just written");
    assert!(back.requests.is_empty() && back.telemetry.is_empty() && back.gaps.is_empty());
}

#[test]
fn requests_are_put_in_the_order_of_steps_and_sending() {
    let mut shuffled = small();
    shuffled.requests.reverse();
    assert_eq!(write(&shuffled).expect("consistent"), write(&small()).expect("consistent"));
}

#[test]
fn rows_go_through_several_row_groups() {
    let mut large = small();
    let model = large.requests[0];
    large.requests = (0..300_000)
        .map(|session: u32| Request {
            session,
            // Measured rows differ; that many equal ones are refused.
            end: model.end + Nanos(u64::from(session.wrapping_mul(2_654_435_761) >> 16)),
            error: session.is_multiple_of(7).then_some(0),
            ..model
        })
        .collect();
    let back = read(&write(&large).expect("consistent")).expect("it was just written");
    assert_eq!(back.requests, large.requests);
}
