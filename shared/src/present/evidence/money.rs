//! What money rests on.

use super::{Evidence, Maker, exact, rate};
use crate::definitions::capacity::AtLambda;
use crate::definitions::measured::Measured;
use crate::definitions::money::{Economics, Money, Price, PriceBasis, PriceSheet};
use crate::present::document::cell::{Cell, Number};
use crate::present::document::{Fact, Figure};
use crate::present::format::fixed;

/// A price with all its digits, as a reader typed it.
fn price_text(price: f64) -> String {
    price.to_string()
}

impl Maker<'_> {
    /// The evidence of a figure of money.
    pub(super) fn money(&self, figure: Figure, at: &AtLambda) -> Option<Evidence> {
        let economics = self.row.economics.value()?;
        let prices = self.report.prices.as_ref()?;
        let mut evidence = match figure {
            Figure::Cost => self.cost(at, economics, prices),
            Figure::Price => self.price(economics, prices),
            Figure::Value => self.value(economics, prices),
            _ => self.margin(economics, prices),
        }?;
        let words = self.words;
        let sheet = (words.say.prices_of)(&prices.name, &prices.date);
        evidence.inputs.push(Fact::text("price-sheet", words.evidence.price_sheet, sheet));
        evidence.inputs.extend(self.prices(prices));
        Some(evidence)
    }

    fn cost(&self, at: &AtLambda, economics: &Economics, prices: &PriceSheet) -> Option<Evidence> {
        let (words, terms) = (self.words, &self.words.term);
        let (cost, gpu) = (economics.cost.value()?.finite()?, prices.gpu_hour.as_ref()?);
        let value = Cell::from(Number::fixed(cost, 4));
        let value = value.in_unit(format!("{}/MTok", prices.currency));
        let gpus = self.row.deployment.gpus_provisioned;
        let arithmetic = format!(
            "{} × {gpus} ÷ 3,600 ÷ {} × 10⁶ = {}",
            price_text(gpu.get()),
            exact(at.goodput.get()).text(words.lang),
            self.text(&value)
        );
        Some(Self::evidence(
            Figure::Cost,
            terms.cost_per_mtok,
            value,
            words.evidence.cost,
            arithmetic,
            vec![
                Fact::new("goodput", terms.goodput, rate(at.goodput)),
                Fact::text("gpus-provisioned", terms.gpus_provisioned, self.gpus(gpus)),
            ],
        ))
    }

    fn price(&self, economics: &Economics, prices: &PriceSheet) -> Option<Evidence> {
        let words = self.words;
        let unit = format!("{}/MTok", prices.currency);
        let blended = &economics.value_at_price_daily.value()?.blended_per_mtok;
        let blended = Cell::measured(blended, words, |blended| Number::fixed(*blended, 3));
        Some(Self::evidence(
            Figure::Price,
            words.term.price,
            typed(prices.output.as_ref()?.get()).in_unit(unit.clone()),
            words.evidence.price,
            String::new(),
            vec![Fact::new("blended", words.evidence.blended, blended.in_unit(unit))],
        ))
    }

    fn value(&self, economics: &Economics, prices: &PriceSheet) -> Option<Evidence> {
        let (words, terms) = (self.words, &self.words.term);
        let value = economics.value_at_price_daily.value()?;
        let part = |name, label, part| Fact::new(name, label, self.a_day(part, prices));
        value.total.value()?;
        Some(Self::evidence(
            Figure::Value,
            terms.value_at_price,
            self.a_day(&value.total, prices),
            words.evidence.value,
            String::new(),
            vec![
                part("output", terms.output, &value.output),
                part("input-uncached", terms.input_uncached, &value.input_uncached),
                part("input-cached", terms.input_cached, &value.input_cached),
                part("value-at-cost", terms.value_at_cost, &economics.value_at_cost_daily),
                Fact::text("remark", terms.remark, words.say.value_at_cost_remark),
            ],
        ))
    }

    fn margin(&self, economics: &Economics, prices: &PriceSheet) -> Option<Evidence> {
        let (words, terms) = (self.words, &self.words.term);
        let total = &economics.value_at_price_daily.value()?.total;
        let (sold, cost) = (*total.value()?, *economics.gpu_cost_daily.value()?);
        economics.margin_daily.value()?;
        let margin = self.a_day(&economics.margin_daily, prices);
        let arithmetic =
            format!("{} − {} = {}", fixed(sold, 2), fixed(cost, 2), self.text(&margin));
        Some(Self::evidence(
            Figure::Margin,
            terms.margin,
            margin,
            words.evidence.margin,
            arithmetic,
            vec![
                Fact::new("value", terms.value_at_price, self.a_day(total, prices)),
                Fact::new(
                    "gpu-cost",
                    terms.gpu_cost_per_day,
                    self.a_day(&economics.gpu_cost_daily, prices),
                ),
            ],
        ))
    }

    fn a_day(&self, amount: &Measured<Money>, prices: &PriceSheet) -> Cell {
        let cell = Cell::measured(amount, self.words, |amount| Number::fixed(*amount, 2));
        cell.in_unit(format!("{}/day", prices.currency))
    }

    /// The prices of the sheet, each with its source.
    fn prices(&self, sheet: &PriceSheet) -> impl Iterator<Item = Fact> + use<> {
        let terms = &self.words.term;
        [
            fact("gpu-hour", terms.gpu, sheet.gpu_hour.as_ref(), sheet),
            fact("output-price", terms.output, sheet.output.as_ref(), sheet),
            fact(
                "input-uncached-price",
                terms.input_uncached,
                sheet.input_uncached.as_ref(),
                sheet,
            ),
            fact("input-cached-price", terms.input_cached, sheet.input_cached.as_ref(), sheet),
        ]
        .into_iter()
        .flatten()
    }
}

/// A price with its unit beside its name, and its source as a remark.
fn fact<B: PriceBasis>(
    name: &'static str,
    label: &str,
    price: Option<&Price<B>>,
    sheet: &PriceSheet,
) -> Option<Fact> {
    let label = format!("{label} [{}{}]", sheet.currency, B::UNIT);
    let price = price?;
    Some(Fact::new(name, &label, typed(price.get()).with_note(&*price.source)))
}

/// A number that somebody typed, with all the digits it was typed with.
fn typed(value: f64) -> Cell {
    let decimals = price_text(value).split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Number::fixed(value, decimals).into()
}
