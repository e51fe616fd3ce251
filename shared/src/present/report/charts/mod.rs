//! Which charts a report has: plans in the units of the data, laid out by [`crate::present::chart`].

mod raw;

use serde::{Deserialize, Serialize};

use super::{Report, Row};
use crate::definitions::judge::{Percentiles, StepJudgement, TierFigures};
use crate::definitions::measured::Measured;
use crate::present::chart::{Across, AxisPlan, Band, Datum, Plan, Role, Rule, Series};
use crate::present::format;
use crate::present::words::Words;
use crate::units::{Nanos, Seconds, TokenRate};

pub use raw::{Course, cdf, course, values};

/// A latency that has percentiles a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Latency {
    /// Time to first token.
    Ttft,
    /// Gaps between output events.
    Itl,
    /// Time per output token.
    Tpot,
    /// Wait at the server.
    Queue,
}

impl Latency {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Ttft, Self::Itl, Self::Tpot, Self::Queue];

    /// Its name.
    #[must_use]
    pub const fn name(self, words: &Words) -> &'static str {
        match self {
            Self::Ttft => words.term.ttft,
            Self::Itl => words.term.itl,
            Self::Tpot => words.term.tpot,
            Self::Queue => words.term.queue,
        }
    }

    /// What a row's sheet promises of it to a tier.
    #[must_use]
    pub fn limit(self, row: &Row, tier: usize) -> Option<Nanos> {
        let promised = row.promise.tiers.get(tier)?;
        Some(match self {
            Self::Ttft => promised.ttft,
            Self::Itl => row.promise.itl,
            Self::Tpot => promised.tpot,
            Self::Queue => row.promise.queue,
        })
    }
}

/// SLO goodput and raw throughput against the arrival rate, with λ_slo_max as the bracket it is.
#[must_use]
pub fn throughput(row: &Row, words: &Words) -> Plan {
    let flow = |get: fn(&StepJudgement) -> &Measured<TokenRate>| {
        points(row, |step| get(step).value().map(|rate| rate.get()))
    };
    let series = vec![
        Series::marked(words.term.goodput, Role::Goodput, flow(|step| &step.flow.goodput)),
        Series::marked(words.term.raw, Role::Raw, flow(|step| &step.flow.raw)),
    ];
    let y = AxisPlan::from_zero(words.chart.flow, TokenRate::UNIT);
    by_rate(row, words.chart.throughput, y, series, Vec::new(), words)
}

/// Attainment of each tier against the arrival rate, with the target.
#[must_use]
pub fn attainment(row: &Row, words: &Words) -> Plan {
    let tiers = row.promise.tiers.iter().enumerate();
    let series = tiers.map(|(tier, promised)| {
        let of_tier = |step: &StepJudgement| {
            let figures = figures(step, tier)?;
            let share = crate::units::Share::of(figures.compliant, figures.valid)?;
            Some(share.get() * 100.0)
        };
        Series::marked(&*promised.name, Role::Nth(tier), points(row, of_tier))
    });
    let series = series.collect();
    let target = row.promise.attainment.share().get() * 100.0;
    let name = (words.chart.target)(&format!("{} %", format::trimmed(target)));
    let rule = Rule { across: Across::Horizontal, at: target, name, role: Role::Limit };
    let y = AxisPlan::around(words.term.attainment, "%").up_to(100.0);
    by_rate(row, words.chart.attainment, y, series, vec![rule], words)
}

/// P50, P95 and P99 of a tier's latency against the arrival rate, with its limit.
#[must_use]
pub fn latency(row: &Row, tier: usize, latency: Latency, words: &Words) -> Plan {
    type Pick<Q> = fn(&Percentiles<Q>) -> &Option<Q>;
    let percentiles: [(&str, Pick<Nanos>, Pick<Seconds>); 3] = [
        ("P50", |set| &set.p50, |set| &set.p50),
        ("P95", |set| &set.p95, |set| &set.p95),
        ("P99", |set| &set.p99, |set| &set.p99),
    ];
    let series = percentiles.into_iter().enumerate().map(|(nth, (name, nanos, seconds))| {
        let millis = |time: &Nanos| time.0 as f64 / 1e6;
        let of_tier = |step: &StepJudgement| {
            let figures = figures(step, tier)?;
            match latency {
                Latency::Ttft => nanos(&figures.ttft).as_ref().map(millis),
                Latency::Itl => nanos(figures.itl.value()?).as_ref().map(millis),
                Latency::Queue => nanos(figures.queue.value()?).as_ref().map(millis),
                Latency::Tpot => seconds(&figures.tpot).map(|time| time.get() * 1e3),
            }
        };
        Series::marked(name, Role::Nth(nth), points(row, of_tier))
    });
    let series = series.collect();
    let limit = latency.limit(row, tier).map(|limit| {
        let at = limit.0 as f64 / 1e6;
        let name = (words.chart.limit)(&format!("{} ms", format::trimmed(at)));
        Rule { across: Across::Horizontal, at, name, role: Role::Limit }
    });
    let name = latency.name(words);
    let tier = row.promise.tiers.get(tier).map_or("", |tier| &tier.name);
    let title = format!("{name} {tier}");
    let y = AxisPlan::log(name, "ms");
    by_rate(row, title.trim(), y, series, limit.into_iter().collect(), words)
}

/// C_eff(λ): cost of a million compliant tokens against the arrival rate; missing without a
/// price of GPUs.
#[must_use]
pub fn cost(report: &Report, row: &Row, words: &Words) -> Option<Plan> {
    let curve = &row.economics.value()?.cost_curve;
    if curve.is_empty() {
        return None;
    }
    let points = curve.iter().map(|point| Datum {
        x: point.rate.get(),
        // An infinite cost interrupts the line.
        y: point.cost.finite().map(|cost| cost.get()),
        counts: true,
    });
    let series = vec![Series::marked(words.term.cost_per_mtok, Role::Goodput, points.collect())];
    let unit = format!("{}/MTok", report.currency());
    let y = AxisPlan::from_zero(words.term.cost_per_mtok, &unit);
    Some(by_rate(row, words.chart.cost, y, series, Vec::new(), words))
}

/// Effective cost by utilisation; missing without a cost.
#[must_use]
pub fn utilisation(report: &Report, row: &Row, words: &Words) -> Option<Plan> {
    let curve = &row.economics.value()?.utilisation_curve;
    if curve.is_empty() {
        return None;
    }
    let points: Vec<Datum> = curve
        .iter()
        .map(|(utilisation, cost)| Datum {
            x: utilisation.get() * 100.0,
            y: cost.finite().map(|cost| cost.get()),
            counts: true,
        })
        .collect();
    let unit = format!("{}/MTok", report.currency());
    let title = words.title.utilisation.to_owned();
    let series = vec![Series::marked(words.term.cost_per_mtok, Role::Goodput, points)];
    Some(Plan {
        description: describe(&title, &series, "%", &unit),
        title,
        x: AxisPlan::from_zero(words.term.utilisation, "%").up_to(100.0),
        y: AxisPlan::from_zero(words.term.cost_per_mtok, &unit),
        series,
        rules: Vec::new(),
        bands: Vec::new(),
    })
}

fn figures(step: &StepJudgement, tier: usize) -> Option<&TierFigures> {
    step.tiers.iter().find(|figures| figures.tier == tier)
}

/// A point a step, by rising rate; those of invalid steps do not count.
fn points(row: &Row, y: impl Fn(&StepJudgement) -> Option<f64>) -> Vec<Datum> {
    let mut points: Vec<Datum> = row
        .capacity
        .steps
        .iter()
        .map(|step| Datum { x: step.offered.get(), y: y(step), counts: step.validity.is_valid() })
        .collect();
    points.sort_by(|left, right| left.x.total_cmp(&right.x));
    points
}

/// A chart against the arrival rate, with λ_slo_max as a band up to the first broken rate.
fn by_rate(
    row: &Row,
    title: &str,
    y: AxisPlan,
    series: Vec<Series>,
    mut rules: Vec<Rule>,
    words: &Words,
) -> Plan {
    let x = AxisPlan::from_zero(words.term.offered, "req/s");
    let mut bands = Vec::new();
    if let Some(lambda) = row.capacity.lambda.value() {
        let (from, name) = (lambda.rate.get(), words.term.lambda);
        match lambda.first_broken {
            Some(broken) => bands.push(Band {
                from,
                to: Some(broken.get()),
                name: format!("{name} {}–{}", format::plain(from), format::plain(broken)),
                role: Role::Answer,
            }),
            None => rules.push(Rule {
                across: Across::Vertical,
                at: from,
                name: format!("{name} ≥ {}", format::plain(from)),
                role: Role::Answer,
            }),
        }
    }
    let description = describe(title, &series, &x.unit, &y.unit);
    Plan { title: title.to_owned(), description, x, y, series, rules, bands }
}

/// The chart's numbers as a sentence, for those who cannot see it.
fn describe(title: &str, series: &[Series], x_unit: &str, y_unit: &str) -> String {
    let mut text = title.to_owned();
    for series in series {
        let points = series.points.iter().filter(|point| point.counts);
        let values = points.map(|point| {
            let y = point.y.map_or_else(|| format::MISSING.to_owned(), format::plain);
            format!("{} {x_unit} → {y} {y_unit}", format::plain(point.x))
        });
        let values: Vec<String> = values.collect();
        text.push_str(&format!("; {}: {}", series.name, values.join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Entry, SignOff};
    use super::*;
    use crate::definitions::measured::Missing;
    use crate::fixture;
    use crate::present::chart::{Chart, Size, svg};
    use crate::present::words::{EN, ZH};

    const SIZE: Size = Size { width: 640.0, height: 320.0 };

    fn toy(prices: bool) -> Report {
        let bundle = fixture::bundle();
        let entry = Entry::judged("toy".to_owned(), &bundle, None, SignOff::Unsigned);
        let sheet = r#"{"name":"s","currency":"USD","date":"2026-11-29",
            "gpu_hour":{"price":4.0,"source":"contract"}}"#;
        let sheet = serde_json::from_str(sheet).expect("a price sheet");
        Report::new(vec![entry], prices.then_some(sheet))
    }

    /// Every chart of the toy report in a language.
    fn all(report: &Report, words: &Words) -> Vec<(&'static str, Plan)> {
        let (row, bundle) = (&report.rows[0], fixture::bundle());
        let step = &bundle.manifest.steps[1];
        let mut plans =
            vec![("throughput", throughput(row, words)), ("attainment", attainment(row, words))];
        plans.extend(cost(report, row, words).map(|plan| ("cost", plan)));
        plans.extend(utilisation(report, row, words).map(|plan| ("utilisation", plan)));
        for kind in Latency::ALL {
            plans.push(("latency", latency(row, 0, kind, words)));
            plans.push(("cdf", cdf(&bundle, row, step, kind, words)));
        }
        for what in Course::ALL {
            plans.extend(course(&bundle, step, what, words).map(|plan| ("course", plan)));
        }
        plans
    }

    #[test]
    fn every_chart_of_a_report_draws_in_both_languages() {
        let report = toy(true);
        for words in [&EN, &ZH] {
            let plans = all(&report, words);
            assert_eq!(plans.len(), 4 + 2 * Latency::ALL.len() + Course::ALL.len());
            for (name, plan) in plans {
                let chart = Chart::of(&plan, SIZE);
                assert!(!chart.lines.is_empty(), "{name} {}", plan.title);
                let drawn = svg::to_svg(&chart);
                assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{name}: {drawn}");
            }
        }
    }

    #[test]
    fn lambda_slo_max_is_drawn_as_the_bracket_it_is() {
        let report = toy(false);
        let row = &report.rows[0];
        let lambda = row.capacity.lambda.value().expect("the toy holds a rate");
        let plan = throughput(row, &EN);
        assert_eq!(plan.bands.len(), 1);
        assert_eq!(plan.bands[0].from, lambda.rate.get());
        assert_eq!(plan.bands[0].to, lambda.first_broken.map(|rate| rate.get()));
    }

    #[test]
    fn points_of_an_invalid_step_do_not_count() {
        let report = toy(false);
        let plan = throughput(&report.rows[0], &EN);
        let invalid: Vec<f64> =
            plan.series[0].points.iter().filter(|point| !point.counts).map(|p| p.x).collect();
        let steps = &report.rows[0].capacity.steps;
        let expected: Vec<f64> = steps
            .iter()
            .filter(|step| !step.validity.is_valid())
            .map(|step| step.offered.get())
            .collect();
        assert_eq!(invalid, expected);
        assert_eq!(invalid.len(), 1);
    }

    #[test]
    fn without_a_price_there_is_no_chart_of_cost_and_an_infinite_cost_has_no_point() {
        let report = toy(false);
        assert_eq!(report.rows[0].economics, Measured::Missing(Missing::NoPriceSheet));
        assert_eq!(cost(&report, &report.rows[0], &EN), None);
        let report = toy(true);
        let plan = cost(&report, &report.rows[0], &EN).expect("a price of GPUs");
        let last = plan.series[0].points.last().expect("points");
        assert_eq!(last.y, None, "nothing complied at the highest rate");
    }

    #[test]
    fn a_distribution_counts_requests_that_never_had_the_quantity() {
        let report = toy(false);
        let (row, bundle) = (&report.rows[0], fixture::bundle());
        let overloaded = &bundle.manifest.steps[3];
        let plan = cdf(&bundle, row, overloaded, Latency::Ttft, &EN);
        for (tier, series) in plan.series.iter().enumerate() {
            let values = values(&bundle, row, overloaded, tier, Latency::Ttft);
            let answered = values.iter().flatten().count();
            assert!(answered < values.len(), "some were refused");
            let share = answered as f64 / values.len() as f64 * 100.0;
            let last = series.points.last().and_then(|point| point.y).expect("a point");
            assert!((last - share).abs() < 1e-9, "{last} {share}");
        }
    }

    #[test]
    fn in_flight_starts_and_ends_with_nobody() {
        let bundle = fixture::bundle();
        let step = &bundle.manifest.steps[0];
        let plan = course(&bundle, step, Course::InFlight, &EN).expect("requests");
        let points = &plan.series[0].points;
        assert_eq!(points.first().and_then(|point| point.y), Some(1.0));
        assert_eq!(points.last().and_then(|point| point.y), Some(0.0));
        assert!(points.iter().all(|point| point.y.is_some_and(|y| y >= 0.0)));
    }
}
