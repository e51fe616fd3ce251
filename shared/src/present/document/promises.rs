//! The promise table: what was promised, what was measured, and what the evidence is worth.

use super::table::{Cell, Column, Table, Tone};
use super::verdict_cell;
use crate::definitions::judge::{PromiseVerdict, Quantity, ShareEvidence, Verdict};
use crate::definitions::measured::Measured;
use crate::definitions::promise::{PromiseKind, PromiseSheet, Target, Tier};
use crate::present::format::{
    self, INFINITE, count, fixed, millis, millis_against, millis_decimals,
};
use crate::present::report::Row;
use crate::present::report::stands_for;
use crate::present::words::{NeededText, Words};
use crate::units::{Nanos, Share};

/// Promises at the step that stands for the row; `None` without a valid step.
#[must_use]
pub fn promises(row: &Row, words: &Words) -> Option<Table> {
    let step = row.shown_step()?;
    let rate = format::plain(step.offered);
    let caption = match row.capacity.lambda.value() {
        Some(lambda) if lambda.step == step.step => (words.say.promises_at)(&rate),
        None if stands_for(&row.capacity) == Some(step.step) => {
            (words.say.promises_at_lowest)(&rate)
        }
        // The reader chose it.
        _ if step.validity.is_valid() => (words.say.promises_at_step)(&rate),
        _ => (words.say.aside)(&(words.say.promises_at_step)(&rate), words.say.invalid),
    };
    let terms = &words.term;
    let columns = vec![
        Column::text(terms.promise),
        Column::text(terms.tier),
        Column::text(terms.unit),
        Column::number(terms.promised, ""),
        Column::number(terms.measured, ""),
        Column::number(terms.n, ""),
        Column::number(terms.bounds, "%"),
        Column::number(terms.vif, ""),
        Column::number(terms.episodes, ""),
        Column::text(terms.verdict),
    ];
    let rows = step.promises.iter().map(|promise| promise_row(promise, row, words)).collect();
    Some(Table { caption, columns, rows })
}

/// A promise sheet in one line: every limit, of all its tiers.
#[must_use]
pub fn promise_line(sheet: &PromiseSheet, words: &Words) -> String {
    let range = |limit: fn(&Tier) -> Nanos| {
        let limits = || sheet.tiers.iter().map(limit);
        let (least, most) = (limits().min(), limits().max());
        let text = |time: Option<Nanos>| format::trimmed(time.unwrap_or_default().0 as f64 / 1e6);
        match least == most {
            true => text(least),
            false => format!("{}–{}", text(least), text(most)),
        }
    };
    let name = |kind| (words.promise)(kind);
    let per_cent = |target: Target| format::trimmed(target.share().get() * 100.0);
    let millis = |time: Nanos| format::trimmed(time.0 as f64 / 1e6);
    [
        format!("TTFT ≤ {} ms", range(|tier| tier.ttft)),
        format!("{} < {} ms", name(PromiseKind::ItlP99), millis(sheet.itl)),
        format!("{} ≤ {} ms", name(PromiseKind::TpotP99), range(|tier| tier.tpot)),
        format!("{} < {} ms", name(PromiseKind::QueueP99), millis(sheet.queue)),
        format!("{} ≥ {} %", name(PromiseKind::Success), per_cent(sheet.success)),
        format!("{} ≥ {} %", name(PromiseKind::Attainment), per_cent(sheet.attainment)),
    ]
    .join(" · ")
}

fn promise_row(promise: &PromiseVerdict, row: &Row, words: &Words) -> Vec<Cell> {
    let mut name = (words.promise)(promise.kind).to_owned();
    if promise.kind == PromiseKind::TpotP99
        && let Quantity::Time(Some(limit)) = promise.limit
    {
        let speed = format::trimmed(1e9 / limit.0 as f64);
        name = (words.say.aside)(&name, &(words.say.tpot_as_speed)(&speed));
    }
    let name = if promise.signed {
        Cell::new(name)
    } else {
        Cell::new((words.say.aside)(&name, words.say.watched_promise)).with_tone(Tone::Muted)
    };
    let tier = promise.tier.and_then(|tier| row.promise.tiers.get(tier));
    let unit = match promise.limit {
        Quantity::Share(_) => "%",
        Quantity::Time(_) | Quantity::Bracket { .. } => "ms",
    };
    let (limit, measured) = limit_and_measured(promise, words);
    let evidence = promise.evidence.value();
    let of = |cell: &dyn Fn(&ShareEvidence) -> Cell| match &promise.evidence {
        Measured::Value(evidence) => cell(evidence),
        Measured::Missing(reason) => Cell::missing(reason, words),
    };
    let mut verdict = verdict_cell(promise.verdict, words);
    if promise.verdict == Verdict::Insufficient {
        verdict.note = evidence.and_then(|of| missing_evidence(promise.kind, of, row, words));
    }
    vec![
        name,
        Cell::new(tier.map_or(words.say.whole_step, |tier| &tier.name)),
        Cell::new(unit),
        limit,
        measured,
        of(&|evidence| Cell::new(count(evidence.n))),
        of(&|evidence| bounds(evidence, words)),
        of(&|evidence| Cell::new(fixed(evidence.vif, 2))),
        of(&|evidence| Cell::new(count(evidence.episodes))),
        verdict,
    ]
}

/// The limit with its comparison, and the measurement, with decimals that keep them apart.
fn limit_and_measured(promise: &PromiseVerdict, words: &Words) -> (Cell, Cell) {
    let strict = matches!(promise.kind, PromiseKind::ItlP99 | PromiseKind::QueueP99);
    let most = if strict { "<" } else { "≤" };
    let time_limit = |text: String| Cell::new(format!("{most} {text}"));
    let share_limit = |text: String| Cell::new(format!("≥ {text}"));
    match (promise.limit, &promise.measured) {
        (Quantity::Share(target), Measured::Value(Quantity::Share(measured))) => {
            let (measured, target) = format::percent_against(*measured, target);
            (share_limit(target), Cell::new(measured))
        }
        (Quantity::Time(Some(limit)), Measured::Value(Quantity::Time(Some(measured)))) => {
            let (measured, limit) = millis_against(*measured, limit);
            (time_limit(limit), Cell::new(measured))
        }
        (limit, measured) => {
            let decimals = match limit {
                Quantity::Time(Some(limit)) => millis_decimals(limit),
                _ => 1,
            };
            let limit_cell = match limit {
                Quantity::Share(_) => share_limit(alone(limit, decimals)),
                Quantity::Time(_) | Quantity::Bracket { .. } => time_limit(alone(limit, decimals)),
            };
            let measured = Cell::measured(measured, words, |value| alone(*value, decimals));
            (limit_cell, measured)
        }
    }
}

/// A quantity by itself.
fn alone(quantity: Quantity, decimals: usize) -> String {
    let time = |time: Nanos| millis(time, decimals);
    match quantity {
        Quantity::Share(share) => format::percent(share, 2),
        Quantity::Time(measured) => format::millis_or_infinite(measured, decimals),
        Quantity::Bracket { lo, hi: Some(hi) } => format!("{}–{}", time(lo), time(hi)),
        Quantity::Bracket { lo, hi: None } => format!("{}–{INFINITE}", time(lo)),
    }
}

/// The bounds, with decimals that keep them apart from the target they are compared with.
fn bounds(evidence: &ShareEvidence, words: &Words) -> Cell {
    let against = |bound: Share| format::percent_against(bound, evidence.target).0;
    Cell::new((words.say.bounds)(&against(evidence.lower), &against(evidence.upper)))
}

fn missing_evidence(
    kind: PromiseKind,
    evidence: &ShareEvidence,
    row: &Row,
    words: &Words,
) -> Option<String> {
    let needed = evidence.needed?;
    let (n, total) = (count(evidence.n), count(needed.n));
    let more = needed.more.map(format::about);
    let confidence = format::trimmed(row.promise.confidence.get() * 100.0);
    Some((words.needed)(&NeededText {
        kind,
        n: &n,
        bad: evidence.n.saturating_sub(evidence.good),
        needed: &total,
        confidence: &confidence,
        more: more.as_deref(),
    }))
}
