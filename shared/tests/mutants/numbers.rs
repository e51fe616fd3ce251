//! A crafted case, and the numbers that definitions make of it.

use std::collections::BTreeMap;

use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::definitions::record::Request;
use tokencap_shared::definitions::step::Step;
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::units::Nanos;

/// One crafted set of requests, with every gap.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) sheet: PromiseSheet,
    pub(crate) step: Step,
    pub(crate) workload: Workload,
    pub(crate) requests: Vec<Request>,
    pub(crate) gaps: Vec<Vec<Nanos>>,
}

/// Every number that definitions decide, by name. Equal where words are, and numbers but for
/// rounding: to 1e-9.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers(BTreeMap<String, String>);

impl Numbers {
    pub(crate) fn insert(&mut self, name: String, value: String) {
        self.0.insert(name, value);
    }
}

impl PartialEq for Numbers {
    fn eq(&self, other: &Self) -> bool {
        let pairs = || self.0.iter().zip(&other.0);
        self.0.len() == other.0.len() && pairs().all(|(a, b)| a.0 == b.0 && same(a.1, b.1))
    }
}

fn same(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.split(' '), b.split(' '));
    let word = |a: &str, b: &str| {
        a == b
            || a.parse()
                .ok()
                .zip(b.parse().ok())
                .is_some_and(|(a, b): (f64, f64)| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()))
    };
    a.by_ref().zip(b.by_ref()).all(|(a, b)| word(a, b)) && a.next().is_none() && b.next().is_none()
}

pub(crate) fn number(value: f64) -> String {
    format!("{value:e}")
}

pub(crate) fn time(value: Option<f64>) -> String {
    value.map_or_else(|| "inf".to_owned(), number)
}
