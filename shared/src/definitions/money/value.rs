//! What a day of capacity is worth: at cost, which is an identity, and at price.

use serde::Serialize;

use super::{CostPerMTok, CostPoint, Money, Price, PriceBasis, PriceSheet};
use super::{cost_curve, cost_per_mtok, gpu_cost_daily, utilisation_curve};
use crate::definitions::capacity::Capacity;
use crate::definitions::deployment::Deployment;
use crate::definitions::judge::Sold;
use crate::definitions::measured::{Measured, Missing};
use crate::units::{DAY, Seconds, Share, TokensPerDay};

/// The two sides of the identity may differ by rounding only.
const IDENTITY: f64 = 1e-9;

/// Daily value at cost = daily capacity × cost $/MTok / 10⁶.
///
/// This is identically the GPUs' daily cost, whatever the capacity is: goodput cancels out. It
/// cannot rank two configurations; it checks that capacity and cost belong together.
#[must_use]
pub fn daily_value_at_cost(daily: TokensPerDay, cost: CostPerMTok) -> Measured<Money> {
    let value = cost.finite().and_then(|cost| Money::new(daily.get() * cost.get() / 1e6).ok());
    Measured::of(value, Missing::NothingHeld)
}

/// What the compliant requests' tokens of one day sell for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueAtPrice {
    /// What the generated tokens sell for.
    pub output: Measured<Money>,
    /// Of input that was computed.
    pub input_uncached: Measured<Money>,
    /// Of input from the prefix cache.
    pub input_cached: Measured<Money>,
    /// All parts that have a price and were observed.
    pub total: Measured<Money>,
    /// Whether that is every part. With input:output near 300:1 the input terms can be most of
    /// the money.
    pub complete: bool,
    /// The share of output in the total.
    pub output_share: Measured<Share>,
    /// Revenue for each million of compliant output tokens, input included: what a cost per
    /// million output tokens compares with.
    pub blended_per_mtok: Measured<Money>,
}

/// Σ over {output, uncached input, cached input} of the compliant requests' tokens × selling
/// price, / wall time × 86,400.
#[must_use]
pub fn value_at_price(sold: &Sold, wall: Seconds, prices: &PriceSheet) -> ValueAtPrice {
    let days = wall.get() / DAY;
    let output = part(&Measured::Value(sold.output), prices.output.as_ref(), days);
    let input_uncached = part(&sold.input_uncached, prices.input_uncached.as_ref(), days);
    let input_cached = part(&sold.input_cached, prices.input_cached.as_ref(), days);
    let parts = [&output, &input_uncached, &input_cached];
    let known: Vec<f64> = parts.iter().filter_map(|part| part.value()).map(|m| m.get()).collect();
    let total = if known.is_empty() {
        Measured::Missing(Missing::NotPriced)
    } else {
        Measured::of(Money::new(known.iter().sum()).ok(), Missing::NotPriced)
    };
    let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
    let both = output.value().zip(total.value());
    let output_share = both.and_then(|(part, whole)| ratio(part.get(), whole.get()));
    let output_daily = sold.output as f64 / days / 1e6;
    let blended = total.clone().and_then(|total| {
        let blended = ratio(total.get(), output_daily).and_then(|value| Money::new(value).ok());
        Measured::of(blended, Missing::NoRequests)
    });
    ValueAtPrice {
        complete: known.len() == parts.len(),
        output_share: Measured::of(output_share.map(Share::clamped), Missing::NotPriced),
        blended_per_mtok: blended,
        output,
        input_uncached,
        input_cached,
        total,
    }
}

fn part<B: PriceBasis>(
    tokens: &Measured<u64>,
    price: Option<&Price<B>>,
    days: f64,
) -> Measured<Money> {
    let Some(price) = price else { return Measured::Missing(Missing::NotPriced) };
    tokens.clone().and_then(|tokens| {
        let value = price.of(tokens as f64) / days;
        Measured::of(Money::new(value).ok(), Missing::NoRequests)
    })
}

/// The money of a measured capacity under one price sheet. Derived, never signed itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Economics {
    /// Currency of every amount.
    pub currency: String,
    /// Date of the prices.
    pub date: String,
    /// What the provisioned GPUs cost a day.
    pub gpu_cost_daily: Measured<Money>,
    /// Cost of a million compliant output tokens at λ_slo_max.
    pub cost: Measured<CostPerMTok>,
    /// Daily value at cost: the GPUs' daily cost once more, by another way.
    pub value_at_cost_daily: Measured<Money>,
    /// Whether the two agree to 1e-9, as they must.
    pub identity_holds: Measured<bool>,
    /// Daily value at price, at λ_slo_max.
    pub value_at_price_daily: Measured<ValueAtPrice>,
    /// Value at price − GPU cost of the day.
    pub margin_daily: Measured<Money>,
    /// Cost at each tested rate.
    pub cost_curve: Vec<CostPoint>,
    /// Effective cost by utilisation.
    pub utilisation_curve: Vec<(Share, CostPerMTok)>,
}

impl Economics {
    /// Derives the money of a capacity. With no price sheet every amount is missing for that
    /// reason, so take `None` as a case of its own before calling.
    #[must_use]
    pub fn of(capacity: &Capacity, deployment: &Deployment, prices: &PriceSheet) -> Self {
        let gpus = deployment.gpus_provisioned;
        let gpu_hour = Measured::of(prices.gpu_hour.as_ref(), Missing::NotPriced);
        let at = || capacity.at.clone();
        let gpu_cost_daily = gpu_hour.clone().and_then(|price| gpu_cost_daily(price, gpus));
        let cost = gpu_hour
            .clone()
            .and_then(|price| at().map(|at| cost_per_mtok(price, gpus, at.goodput)));
        let value_at_cost_daily =
            cost.clone().and_then(|cost| at().and_then(|at| daily_value_at_cost(at.daily, cost)));
        let identity_holds = value_at_cost_daily.clone().and_then(|value| {
            gpu_cost_daily
                .clone()
                .map(|cost| (value.get() - cost.get()).abs() <= IDENTITY * cost.get().abs())
        });
        let value_at_price_daily = capacity.lambda.clone().and_then(|_| {
            Measured::of(capacity.held(), Missing::NothingHeld).and_then(|step| {
                step.wall.clone().map(|wall| value_at_price(&step.sold, wall, prices))
            })
        });
        let margin_daily = value_at_price_daily.clone().and_then(|value| {
            value.total.and_then(|total| {
                gpu_cost_daily.clone().and_then(|cost| {
                    Measured::of(Money::new(total.get() - cost.get()).ok(), Missing::NotPriced)
                })
            })
        });
        let curve = |price: &Price<super::GpuHour>| cost_curve(&capacity.steps, price, gpus);
        Self {
            currency: prices.currency.clone(),
            date: prices.date.clone(),
            cost_curve: prices.gpu_hour.as_ref().map(curve).unwrap_or_default(),
            utilisation_curve: cost.value().copied().map(utilisation_curve).unwrap_or_default(),
            gpu_cost_daily,
            cost,
            value_at_cost_daily,
            identity_holds,
            value_at_price_daily,
            margin_daily,
        }
    }
}
