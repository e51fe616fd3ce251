//! The quality of one step: latencies, attainment under every ITL rule and under every reading
//! of cancelled requests, and what its window was like.

use super::table::{Cell, Column, Table, Tone};
use super::{Pair, share_cell};
use crate::definitions::judge::{Percentiles, StepJudgement, TierFigures, three_rules};
use crate::definitions::measured::{Measured, Missing};
use crate::present::format::{count, fixed, millis_or_infinite, percent, plain, trimmed};
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
#[must_use]
pub fn latency(row: &Row, step: &StepJudgement, words: &Words) -> Table {
    let terms = &words.term;
    let ms = |name: &str, percentile: &str| Column::number(&format!("{name} {percentile}"), "ms");
    let columns = vec![
        Column::text(terms.tier),
        Column::number(terms.valid, ""),
        ms(terms.ttft, "P50"),
        ms(terms.ttft, "P95"),
        ms(terms.ttft, "P99"),
        ms(terms.ttft_from_intended, "P99"),
        ms(terms.itl, "P50"),
        ms(terms.itl, "P99"),
        ms(terms.itl, "max"),
        ms(terms.tpot, "P50"),
        ms(terms.tpot, "P99"),
        ms(terms.queue, "P99"),
    ];
    let rows = step.tiers.iter().map(|figures| {
        let itl = |get: fn(&Percentiles) -> Option<Nanos>| match &figures.itl {
            Measured::Value(itl) => time(itl, get, 1, words),
            Measured::Missing(reason) => Cell::missing(reason, words),
        };
        let tpot = |time: Option<Seconds>| match figures.tpot.n {
            0 => Cell::missing(&Missing::NoRequests, words),
            _ => Cell::new(millis_or_infinite(time.map(Nanos::rounded_up), 1)),
        };
        let mut tpot_p99 = tpot(figures.tpot.p99);
        if figures.tpot_undefined > 0 && figures.tpot.n > 0 {
            let undefined = count(figures.tpot_undefined);
            tpot_p99 = tpot_p99.with_note((words.say.tpot_undefined)(&undefined));
        }
        vec![
            Cell::new(tier_name(row, figures)),
            Cell::new(count(figures.valid)),
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
        ]
    });
    let rows = rows.collect();
    Table { caption: caption(words.title.latency, step, words), columns, rows }
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
        _ => Cell::new(millis_or_infinite(get(set), decimals)),
    }
}

/// Attainment under each of the three ITL rules side by side: the choice can move it by tens of
/// points.
#[must_use]
pub fn rules(row: &Row, step: &StepJudgement, words: &Words) -> Table {
    let rules = three_rules(&row.promise);
    let mut columns = vec![Column::text(words.term.tier), Column::number(words.term.valid, "")];
    columns.extend(rules.iter().map(|rule| {
        let name = (words.itl_rule_short)(rule);
        let declared = *rule == row.promise.itl_rule;
        let header = match declared {
            true => (words.say.aside)(name, words.say.declared),
            false => name.to_owned(),
        };
        Column::number(&header, "%")
    }));
    let rows = step.tiers.iter().map(|figures| {
        let mut cells = vec![Cell::new(tier_name(row, figures)), Cell::new(count(figures.valid))];
        for (rule, compliant) in rules.iter().zip(figures.compliant_by_rule) {
            let cell = share_cell(Share::of(compliant, figures.valid), words);
            let declared = *rule == row.promise.itl_rule;
            cells.push(if declared { cell } else { cell.with_tone(Tone::Muted) });
        }
        cells
    });
    let rows = rows.collect();
    Table { caption: caption(words.title.rules, step, words), columns, rows }
}

/// Attainment under every reading of cancelled requests; `None` where nobody cancelled.
#[must_use]
pub fn cancelled(row: &Row, step: &StepJudgement, words: &Words) -> Option<Table> {
    if step.tiers.iter().all(|figures| figures.cancelled.n == 0) {
        return None;
    }
    let terms = &words.term;
    let columns = vec![
        Column::text(terms.tier),
        Column::number(terms.cancelled, ""),
        Column::number(terms.cancelled_late, ""),
        Column::number(terms.attainment, "%"),
        Column::number(terms.attainment_adjusted, "%"),
        Column::number(terms.attainment_between, "%"),
    ];
    let rows = step.tiers.iter().map(|figures| {
        let cancelled = &figures.cancelled;
        let share =
            |share: &Measured<Share>| Cell::measured(share, words, |share| percent(*share, 2));
        let (lowest, highest) = (share(&cancelled.lowest), share(&cancelled.highest));
        vec![
            Cell::new(tier_name(row, figures)),
            Cell::new(count(cancelled.n)),
            Cell::new(count(cancelled.late)),
            share_cell(Share::of(figures.compliant, figures.valid), words),
            share(&cancelled.adjusted),
            Cell { text: (words.say.bounds)(&lowest.text, &highest.text), ..lowest },
        ]
    });
    let rows = rows.collect();
    Some(Table { caption: caption(words.title.cancelled, step, words), columns, rows })
}

/// What the window of a step was: its length, its tail, how busy it was, how its tasks went.
#[must_use]
pub fn window(step: &StepJudgement, words: &Words) -> Vec<Pair> {
    let terms = &words.term;
    let flow = &step.flow;
    let text = |label: &str, text: String| (label.to_owned(), text);
    let mut pairs = vec![
        text(terms.window, format!("{} s", fixed(step.window, 1))),
        pair(terms.wall, &step.wall, words, |time| format!("{} s", fixed(*time, 1))),
        pair(terms.edge, &step.edge, words, |edge| format!("{} %", percent(*edge, 2))),
        pair(terms.goodput_steady, &flow.goodput_steady, words, |rate| {
            format!("{} {}", fixed(*rate, 1), TokenRate::UNIT)
        }),
        pair(terms.concurrency, &step.concurrency, words, |mean| fixed(*mean, 1)),
        pair(terms.power, &step.power, words, |power| format!("{} W", fixed(*power, 0))),
        pair(terms.mean_osl, &flow.mean_osl, words, |mean| format!("{} tok", fixed(*mean, 1))),
        pair(terms.tokens_per_event, &flow.tokens_per_event, words, |mean| trimmed(*mean)),
        text(terms.input_offered, format!("{} tok", count(step.input.offered))),
    ];
    if let Measured::Value(chain) = &step.chain
        && let Some(share) = Share::of(chain.smooth, chain.tasks)
    {
        let per_cent = |share| percent(share, 2);
        let bounds = (words.say.bounds)(&per_cent(chain.lower), &per_cent(chain.upper));
        let tasks = count(chain.tasks);
        let smooth = (words.say.smooth_tasks)(&per_cent(share), &bounds, &tasks, chain.steps);
        pairs.push(text(terms.chain, smooth));
        let independent = format!("{} %", per_cent(chain.if_independent));
        pairs.push(text(terms.chain_if_independent, independent));
    }
    pairs
}

/// A value, or a dash with its reason.
fn pair<T>(
    label: &str,
    value: &Measured<T>,
    words: &Words,
    text: impl FnOnce(&T) -> String,
) -> Pair {
    let cell = Cell::measured(value, words, text);
    let value = match &cell.note {
        Some(why) => (words.say.aside)(&cell.text, why),
        None => cell.text,
    };
    (label.to_owned(), value)
}
