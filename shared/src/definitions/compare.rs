//! Comparing two measured capacities: the same model in tokens, two models in money.

use serde::Serialize;

use crate::definitions::capacity::{Basis, Capacity};
use crate::definitions::declared::Declared;
use crate::definitions::judge::StepJudgement;
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::money::{CostPerMTok, Economics, Money};
use crate::units::{Ratio, TokenRate};

/// A figure with the interval in which another measurement of the same deployment could put it.
///
/// What is uncertain about a capacity is mostly where its limit lies: between the last rate held
/// and the first one broken. So the interval reaches from what the held rate gave, less its
/// sampling error, to what goodput would be at the broken rate. A screen holds by point
/// estimates only, so its interval starts at the next lower rate tested.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval<T> {
    /// As measured.
    pub at: T,
    /// At least this.
    pub low: T,
    /// At most this; `None`: no rate tested was broken, so nothing bounds it.
    pub high: Option<T>,
}

/// What one capacity is, measured by the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// Its whole interval lies above.
    Better,
    /// Its whole interval lies below.
    Worse,
    /// The intervals meet, and are so narrow that the two differ by no more than a tenth.
    AboutTheSame,
    /// The intervals meet, and the two may differ by more than a tenth: finer rates or longer
    /// runs could tell.
    NotTold,
}

/// "About the same" allows for a difference of this part of the greater one.
const SAME: f64 = 0.1;

/// What the second of two figures is, measured by the first. Never by a bare difference of
/// points.
#[must_use]
pub fn told<T: Copy + Into<f64>>(left: &Interval<T>, right: &Interval<T>) -> Told {
    let high = |of: &Interval<T>| of.high.map_or(f64::INFINITY, Into::into);
    let [left_low, right_low]: [f64; 2] = [left.low.into(), right.low.into()];
    if right_low > high(left) {
        return Told::Better;
    }
    if high(right) < left_low {
        return Told::Worse;
    }
    let most = (high(right) - left_low).max(high(left) - right_low);
    let greater = f64::max(left.at.into().abs(), right.at.into().abs());
    if most <= SAME * greater { Told::AboutTheSame } else { Told::NotTold }
}

/// Goodput at λ_slo_max as factors of itself: (low, high) of its [`Interval`].
fn factors(capacity: &Capacity) -> Measured<(f64, Option<f64>)> {
    capacity.lambda.clone().and_then(|lambda| {
        let found = capacity.held().and_then(|step| {
            let goodput = step.flow.goodput.value()?.get();
            let (low, high) = *step.flow.goodput_interval.value()?;
            let (low, high) = (low.get() / goodput, high.get() / goodput);
            let rate = lambda.rate.get();
            let below = match lambda.basis {
                Basis::Confidence => 1.0,
                Basis::Screen => next_lower(capacity, rate).unwrap_or(0.0) / rate,
            };
            let above = lambda.first_broken.map(|broken| high.max(broken.get() / rate));
            let factors = (low.min(below), above);
            (factors.0.is_finite() && factors.1.is_none_or(f64::is_finite)).then_some(factors)
        });
        Measured::of(found, Missing::NothingHeld)
    })
}

/// The highest valid rate tested below a rate.
fn next_lower(capacity: &Capacity, rate: f64) -> Option<f64> {
    let valid = |step: &&StepJudgement| step.validity.is_valid();
    let rates = capacity.steps.iter().filter(valid).map(|step| step.offered.get());
    rates.filter(|&lower| lower < rate).max_by(f64::total_cmp)
}

/// An amount that is proportional to goodput, but for a part that is not.
fn interval<T, E>(
    (low, high): (f64, Option<f64>),
    proportional: f64,
    fixed: f64,
    make: impl Fn(f64) -> Result<T, E>,
) -> Option<Interval<T>> {
    let at = |factor: f64| make(proportional * factor + fixed).ok();
    let high = match high {
        Some(factor) => Some(at(factor)?),
        None => None,
    };
    Some(Interval { at: at(1.0)?, low: at(low)?, high })
}

/// Why a comparison is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "snake_case", tag = "refused")]
pub enum Refused {
    /// A token of one model is not a token of another.
    #[error(
        "`{left}` and `{right}` are not one model in one revision: a token of the one is not a \
         token of the other. Compare them in money"
    )]
    DifferentModels {
        /// Model and revision of the one.
        left: String,
        /// Of the other.
        right: String,
    },
    /// The same tokens need no price to be compared, and a price would only blur it.
    #[error(
        "both are `{model}`: compare them in tokens. In money the same tokens differ only by \
         the price sheet"
    )]
    SameModel {
        /// Model and revision.
        model: String,
    },
    /// Amounts in two currencies.
    #[error("one is priced in {left}, the other in {right}: choose price sheets in one currency")]
    DifferentCurrencies {
        /// Currency of the one.
        left: String,
        /// Of the other.
        right: String,
    },
}

/// What two bundles do not share, and a reader of their comparison must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unlike {
    /// Limits, tiers or targets differ: the promises kept are not the same promises.
    Promise,
    /// The load differs.
    Workload,
    /// Prices are of different days.
    PriceDate,
    /// One is simulated.
    Simulated,
    /// One capacity is committed, the other only reference.
    Standing,
}

/// Two capacities of one model in tokens.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InTokens {
    /// SLO goodput per GPU of the one.
    pub left: Measured<Interval<TokenRate>>,
    /// Of the other.
    pub right: Measured<Interval<TokenRate>>,
    /// right / left, with the extremes that the two intervals allow.
    pub ratio: Measured<Interval<Ratio>>,
    /// What the right one is, measured by the left one.
    pub right_is: Measured<Told>,
    /// What they do not share.
    pub unlike: Vec<Unlike>,
}

/// Two capacities in money.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InMoney {
    /// The money of the one.
    pub left: Side,
    /// Of the other.
    pub right: Side,
    /// What the right one is, measured by the left one: by the margin of a GPU and a day.
    pub right_is: Measured<Told>,
    /// Currency of every amount.
    pub currency: String,
    /// What they do not share.
    pub unlike: Vec<Unlike>,
}

/// One side of a comparison in money. Costs of a million tokens of two models do not compare;
/// what a GPU earns a day does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// Cost $/MTok under SLO.
    pub cost: Measured<CostPerMTok>,
    /// Revenue per million compliant output tokens, input included.
    pub revenue_per_mtok: Measured<Money>,
    /// Value at price of a day, a provisioned GPU.
    pub value_per_gpu_day: Measured<Interval<Money>>,
    /// Margin of a day, a provisioned GPU.
    pub margin_per_gpu_day: Measured<Interval<Money>>,
}

/// A measured capacity with its declaration.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Declaration.
    pub declared: Declared<'a>,
    /// What its records prove.
    pub capacity: &'a Capacity,
}

/// Compares two capacities of the same model and revision in tokens.
///
/// # Errors
/// If the models or revisions differ.
pub fn in_tokens(left: Candidate<'_>, right: Candidate<'_>) -> Result<InTokens, Refused> {
    let (a, b) = (left.declared.deployment, right.declared.deployment);
    if !a.same_tokens(b) {
        return Err(Refused::DifferentModels { left: name(left), right: name(right) });
    }
    let per_gpu = |side: Candidate<'_>| {
        let at = side.capacity.at.clone();
        at.and_then(|at| at.goodput_per_gpu).and_then(|rate| {
            factors(side.capacity).and_then(|factors| {
                let interval = interval(factors, rate.get(), 0.0, TokenRate::new);
                Measured::of(interval, Missing::NothingHeld)
            })
        })
    };
    let (left_rate, right_rate) = (per_gpu(left), per_gpu(right));
    let ratio = both(&left_rate, &right_rate)
        .and_then(|(left, right)| Measured::of(ratio(&left, &right), Missing::NothingHeld));
    let right_is = both(&left_rate, &right_rate).map(|(left, right)| told(&left, &right));
    let unlike = unlike(left, right);
    Ok(InTokens { left: left_rate, right: right_rate, ratio, right_is, unlike })
}

fn both<T: Clone>(left: &Measured<T>, right: &Measured<T>) -> Measured<(T, T)> {
    left.clone().and_then(|left| right.clone().map(|right| (left, right)))
}

/// right / left. The left one's open end, or its 0, bounds nothing.
fn ratio(left: &Interval<TokenRate>, right: &Interval<TokenRate>) -> Option<Interval<Ratio>> {
    let of = |a: TokenRate, b: TokenRate| Ratio::new(a.get() / b.get()).ok();
    Some(Interval {
        at: of(right.at, left.at)?,
        low: left.high.map_or(Ratio::new(0.0).ok(), |high| of(right.low, high))?,
        high: right.high.and_then(|high| of(high, left.low)),
    })
}

/// Compares two models in money, each under its own price sheet.
///
/// # Errors
/// If it is the same model, or the currencies differ.
pub fn in_money(
    left: (Candidate<'_>, &Economics),
    right: (Candidate<'_>, &Economics),
) -> Result<InMoney, Refused> {
    let ((a, left_money), (b, right_money)) = (left, right);
    if a.declared.deployment.same_tokens(b.declared.deployment) {
        return Err(Refused::SameModel { model: name(a) });
    }
    if left_money.currency != right_money.currency {
        return Err(Refused::DifferentCurrencies {
            left: left_money.currency.clone(),
            right: right_money.currency.clone(),
        });
    }
    let mut unlike = unlike(a, b);
    if left_money.date != right_money.date {
        unlike.push(Unlike::PriceDate);
    }
    let (left, right) = (side(a, left_money), side(b, right_money));
    let right_is = both(&left.margin_per_gpu_day, &right.margin_per_gpu_day)
        .map(|(left, right)| told(&left, &right));
    Ok(InMoney { left, right, right_is, currency: left_money.currency.clone(), unlike })
}

fn side(candidate: Candidate<'_>, money: &Economics) -> Side {
    let gpus = f64::from(candidate.declared.deployment.gpus_provisioned);
    let value = money.value_at_price_daily.clone();
    let total = value.clone().and_then(|value| value.total);
    // The value moves with goodput; what the GPUs cost does not.
    let amount = |fixed: Measured<f64>| {
        total.clone().and_then(|total| {
            fixed.and_then(|fixed| {
                factors(candidate.capacity).and_then(|factors| {
                    let a_gpu = |amount: f64| Money::new(amount / gpus);
                    let interval = interval(factors, total.get(), fixed, a_gpu);
                    Measured::of(interval, Missing::NotDeclared)
                })
            })
        })
    };
    Side {
        cost: money.cost.clone(),
        revenue_per_mtok: value.and_then(|value| value.blended_per_mtok),
        value_per_gpu_day: amount(Measured::Value(0.0)),
        margin_per_gpu_day: amount(money.gpu_cost_daily.clone().map(|cost| -cost.get())),
    }
}

fn name(candidate: Candidate<'_>) -> String {
    let deployment = candidate.declared.deployment;
    match deployment.revision.as_str() {
        "" => deployment.model.clone(),
        revision => format!("{} {revision}", deployment.model),
    }
}

fn unlike(left: Candidate<'_>, right: Candidate<'_>) -> Vec<Unlike> {
    let (a, b) = (left.declared, right.declared);
    let terms = |declared: Declared<'_>| {
        // The name and the note of a sheet promise nothing.
        let mut fields = crate::definitions::promise::Fields::from(declared.promise.clone());
        (fields.name, fields.note) = (String::new(), String::new());
        fields
    };
    let standing = |capacity: &Capacity| capacity.at.value().map(|at| at.standing);
    [
        (terms(a) != terms(b), Unlike::Promise),
        (a.workload != b.workload, Unlike::Workload),
        (a.deployment.simulated != b.deployment.simulated, Unlike::Simulated),
        (
            standing(left.capacity).zip(standing(right.capacity)).is_some_and(|(a, b)| a != b),
            Unlike::Standing,
        ),
    ]
    .into_iter()
    .filter_map(|(differs, what)| differs.then_some(what))
    .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(low: f64, at: f64, high: Option<f64>) -> Interval<f64> {
        Interval { at, low, high }
    }

    #[test]
    fn intervals_that_meet_tell_nothing_but_how_close_the_two_are() {
        let left = of(97.0, 100.0, Some(105.0));
        for (right, expected) in [
            (of(106.0, 110.0, Some(115.0)), Told::Better),
            (of(106.0, 110.0, None), Told::Better),
            (of(80.0, 90.0, Some(96.0)), Told::Worse),
            (of(98.0, 101.0, Some(105.0)), Told::AboutTheSame),
            // The point is 8 % better, and shows nothing.
            (of(104.0, 108.0, Some(113.0)), Told::NotTold),
            (of(98.0, 100.0, None), Told::NotTold),
            (of(0.0, 100.0, Some(105.0)), Told::NotTold),
        ] {
            assert_eq!(told(&left, &right), expected, "{right:?}");
        }
        // Nothing lies above an open end.
        assert_eq!(told(&of(97.0, 100.0, None), &of(500.0, 510.0, None)), Told::NotTold);
        // Losses compare like gains.
        let (loss, gain) = (of(-12.0, -10.0, Some(-8.0)), of(8.0, 10.0, Some(12.0)));
        assert_eq!((told(&loss, &gain), told(&gain, &loss)), (Told::Better, Told::Worse));
    }

    fn interval() -> impl Strategy<Value = Interval<f64>> {
        let parts = (-100.0_f64..100.0, 0.0_f64..20.0, prop::option::of(0.0_f64..20.0));
        parts.prop_map(|(at, down, up)| of(at - down, at, up.map(|up| at + up)))
    }

    proptest! {
        #[test]
        fn the_other_way_round_says_the_opposite(left in interval(), right in interval()) {
            let opposite = match told(&left, &right) {
                Told::Better => Told::Worse,
                Told::Worse => Told::Better,
                same => same,
            };
            prop_assert_eq!(told(&right, &left), opposite);
            prop_assert!(!matches!(told(&left, &left), Told::Better | Told::Worse));
        }
    }
}
