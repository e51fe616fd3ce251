//! The quality of one step: latencies, attainment under every ITL rule and under every reading
//! of cancelled requests, and what its window was like.

use super::cell::{Cell, Number, Tone};
use super::fact::Fact;
use super::share_cell;
use super::table::{Column, Id, Table};
use crate::definitions::judge::{Percentiles, StepJudgement, TierFigures, three_rules};
use crate::definitions::measured::{Measured, Missing};
use crate::present::format::{count, percent, plain};
use crate::present::report::Row;
use crate::present::words::Words;
use crate::units::{Nanos, Seconds, Share, TokenRate};

fn tier_name<'a>(row: &'a Row, figures: &TierFigures) -> &'a str {
    row.promise.tiers.get(figures.tier).map_or("", |tier| tier.name.as_str())
}

fn caption(title: &str, step: &StepJudgement, words: &Words) -> String {
    (words.say.aside)(title, &format!("{} req/s", plain(step.offered)))
}

/// Latencies of a step by tier, in milliseconds.
pub(super) fn latency(row: &Row, step: &StepJudgement, words: &Words) -> Table {
    let terms = &words.term;
    let ms = |id, name: &str, percentile: &str| {
        Column::number(id, &format!("{name} {percentile}"), "ms")
    };
    let columns = vec![
        Column::text("tier", terms.tier),
        Column::number("valid", terms.valid, ""),
        ms("ttft-p50", terms.ttft, "P50"),
        ms("ttft-p95", terms.ttft, "P95"),
        ms("ttft-p99", terms.ttft, "P99"),
        ms("ttft-from-schedule-p99", terms.ttft_from_intended, "P99"),
        ms("itl-p50", terms.itl, "P50"),
        ms("itl-p99", terms.itl, "P99"),
        ms("itl-max", terms.itl, "max"),
        ms("tpot-p50", terms.tpot, "P50"),
        ms("tpot-p99", terms.tpot, "P99"),
        ms("queue-p99", terms.queue, "P99"),
    ];
    let rows = step.tiers.iter().map(|figures| {
        let itl = |get: fn(&Percentiles) -> Option<Nanos>| match &figures.itl {
            Measured::Value(itl) => time(itl, get, 1, words),
            Measured::Missing(reason) => Cell::missing(reason, words),
        };
        let tpot = |time: Option<Seconds>| match figures.tpot.n {
            0 => Cell::missing(&Missing::NoRequests, words),
            _ => Number::millis(time.map(Nanos::rounded_up), 1).into(),
        };
        let mut tpot_p99 = tpot(figures.tpot.p99);
        if figures.tpot_undefined > 0 && figures.tpot.n > 0 {
            let undefined = count(figures.tpot_undefined);
            tpot_p99 = tpot_p99.with_note((words.say.tpot_undefined)(&undefined));
        }
        let cells = vec![
            Cell::new(tier_name(row, figures)),
            Number::count(figures.valid).into(),
            time(&figures.ttft, |set| set.p50, 0, words),
            time(&figures.ttft, |set| set.p95, 0, words),
            time(&figures.ttft, |set| set.p99, 0, words),
            time(&figures.ttft_from_intended, |set| set.p99, 0, words),
            itl(|set| set.p50),
            itl(|set| set.p99),
            itl(|set| set.max),
            tpot(figures.tpot.p50),
            tpot_p99,
            match &figures.queue {
                Measured::Value(queue) => time(queue, |set| set.p99, 1, words),
                Measured::Missing(reason) => Cell::missing(reason, words),
            },
        ];
        (tier_id(figures), cells)
    });
    Table::new(caption(words.title.latency, step, words), columns, rows)
}

/// A percentile of a set; a dash for an empty set, ∞ for requests without the quantity.
fn time(
    set: &Percentiles,
    get: fn(&Percentiles) -> Option<Nanos>,
    decimals: usize,
    words: &Words,
) -> Cell {
    match set.n {
        0 => Cell::missing(&Missing::NoRequests, words),
        _ => Number::millis(get(set), decimals).into(),
    }
}

/// Attainment under each of the three ITL rules side by side: the choice can move it by tens of
/// points.
pub(super) fn rules(row: &Row, step: &StepJudgement, words: &Words) -> Table {
    let rules = three_rules(&row.promise);
    let mut columns =
        vec![Column::text("tier", words.term.tier), Column::number("valid", words.term.valid, "")];
    let ids = ["gap-share", "worst-gap", "mean-gap"];
    columns.extend(rules.iter().zip(ids).map(|(rule, id)| {
        let name = (words.itl_rule_short)(rule);
        let declared = *rule == row.promise.itl_rule;
        let header = match declared {
            true => (words.say.aside)(name, words.say.declared),
            false => name.to_owned(),
        };
        Column::number(id, &header, "%")
    }));
    let rows = step.tiers.iter().map(|figures| {
        let mut cells =
            vec![Cell::new(tier_name(row, figures)), Number::count(figures.valid).into()];
        for (rule, compliant) in rules.iter().zip(figures.compliant_by_rule) {
            let cell = share_cell(Share::of(compliant, figures.valid), words);
            let declared = *rule == row.promise.itl_rule;
            cells.push(if declared { cell } else { cell.with_tone(Tone::Muted) });
        }
        (tier_id(figures), cells)
    });
    Table::new(caption(words.title.rules, step, words), columns, rows)
}

/// Attainment under every reading of cancelled requests; `None` where nobody cancelled.
pub(super) fn cancelled(row: &Row, step: &StepJudgement, words: &Words) -> Option<Table> {
    if step.tiers.iter().all(|figures| figures.cancelled.n == 0) {
        return None;
    }
    let terms = &words.term;
    let columns = vec![
        Column::text("tier", terms.tier),
        Column::number("cancelled", terms.cancelled, ""),
        Column::number("cancelled-late", terms.cancelled_late, ""),
        Column::number("attainment", terms.attainment, "%"),
        Column::number("attainment-adjusted", terms.attainment_adjusted, "%"),
        Column::number("attainment-between", terms.attainment_between, "%"),
    ];
    let rows = step.tiers.iter().map(|figures| {
        let cancelled = &figures.cancelled;
        let between = cancelled
            .lowest
            .clone()
            .and_then(|lowest| cancelled.highest.clone().map(|highest| (lowest, highest)));
        let share = |share: Share| Number::percent(share, 2);
        let cells = vec![
            Cell::new(tier_name(row, figures)),
            Number::count(cancelled.n).into(),
            Number::count(cancelled.late).into(),
            share_cell(Share::of(figures.compliant, figures.valid), words),
            Cell::measured(&cancelled.adjusted, words, |adjusted| share(*adjusted)),
            Cell::measured(&between, words, |(lowest, highest)| {
                Cell::range(share(*lowest), share(*highest))
            }),
        ];
        (tier_id(figures), cells)
    });
    Some(Table::new(caption(words.title.cancelled, step, words), columns, rows))
}

/// What the window of a step was: its length, its tail, how busy it was, how its tasks went.
pub(super) fn window(step: &StepJudgement, words: &Words) -> Vec<Fact> {
    let (terms, flow) = (&words.term, &step.flow);
    let mut facts = vec![
        Fact::new("window", terms.window, Cell::from(Number::fixed(step.window, 1)).in_unit("s")),
        fact("wall", terms.wall, &step.wall, "s", words, |time| Number::fixed(*time, 1)),
        fact("edge", terms.edge, &step.edge, "%", words, |edge| Number::percent(*edge, 2)),
        fact(
            "goodput-steady",
            terms.goodput_steady,
            &flow.goodput_steady,
            TokenRate::UNIT,
            words,
            |rate| Number::fixed(*rate, 1),
        ),
        fact("concurrency", terms.concurrency, &step.concurrency, "", words, |mean| {
            Number::fixed(*mean, 1)
        }),
        fact("power", terms.power, &step.power, "W", words, |power| Number::fixed(*power, 0)),
        fact("mean-osl", terms.mean_osl, &flow.mean_osl, "tok", words, |mean| {
            Number::fixed(*mean, 1)
        }),
        fact(
            "tokens-per-event",
            terms.tokens_per_event,
            &flow.tokens_per_event,
            "",
            words,
            |mean| Number::trimmed(*mean),
        ),
        Fact::new(
            "input-offered",
            terms.input_offered,
            Cell::from(Number::count(step.input.offered)).in_unit("tok"),
        ),
    ];
    if let Measured::Value(chain) = &step.chain
        && let Some(smooth) = Share::of(chain.smooth, chain.tasks)
    {
        let bounds = (words.say.bounds)(&percent(chain.lower, 2), &percent(chain.upper, 2));
        let of = (words.say.smooth_of)(&bounds, &count(chain.tasks), chain.steps);
        let share = |share| Cell::from(Number::percent(share, 2)).in_unit("%");
        facts.push(Fact::new("chain", terms.chain, share(smooth).with_note(of)));
        let independent = share(chain.if_independent);
        facts.push(Fact::new("chain-if-independent", terms.chain_if_independent, independent));
    }
    facts
}

/// A measured number in a unit, or a dash with its reason.
fn fact<T>(
    name: &'static str,
    label: &str,
    value: &Measured<T>,
    unit: &'static str,
    words: &Words,
    number: impl FnOnce(&T) -> Number,
) -> Fact {
    Fact::new(name, label, Cell::measured(value, words, number).in_unit(unit))
}

/// What a line about a tier is about.
fn tier_id(figures: &TierFigures) -> Id {
    Id { name: "tier", of: u32::try_from(figures.tier).ok() }
}
