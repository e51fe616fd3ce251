//! The promise table: what was promised, what was measured, and what the evidence is worth.

use super::cell::{Cell, Limit, Number, Tone};
use super::table::{Column, Id, Table};
use super::verdict_cell;
use crate::definitions::judge::{PromiseVerdict, Quantity, ShareEvidence, Verdict};
use crate::definitions::measured::Measured;
use crate::definitions::promise::{PromiseKind, PromiseSheet, Target, Tier};
use crate::present::format::{self, count, millis_apart, millis_decimals, percent_apart};
use crate::present::report::Row;
use crate::present::report::stands_for;
use crate::present::words::{NeededText, Words};
use crate::units::{Nanos, Share};

/// Promises at the step that stands for the row; `None` without a valid step.
pub(super) fn promises(row: &Row, words: &Words) -> Option<Table> {
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
        Column::text("promise", terms.promise),
        Column::text("tier", terms.tier),
        Column::text("unit", terms.unit),
        Column::number("promised", terms.promised, ""),
        Column::number("measured", terms.measured, ""),
        Column::number("n", terms.n, ""),
        Column::number("bounds", terms.bounds, "%"),
        Column::number("vif", terms.vif, ""),
        Column::number("episodes", terms.episodes, ""),
        Column::text("verdict", terms.verdict),
    ];
    let rows = step.promises.iter().map(|promise| {
        let id = promise_id(promise.kind, promise.tier);
        (id, promise_row(promise, row, words))
    });
    Some(Table::new(caption, columns, rows))
}

/// What the line of a promise is about: its kind, and which tier of the sheet.
#[must_use]
pub fn promise_id(kind: PromiseKind, tier: Option<usize>) -> Id {
    let name = match kind {
        PromiseKind::Attainment => "attainment",
        PromiseKind::TtftP99 => "ttft-p99",
        PromiseKind::ItlP99 => "itl-p99",
        PromiseKind::TpotP99 => "tpot-p99",
        PromiseKind::QueueP99 => "queue-p99",
        PromiseKind::Success => "success",
    };
    Id { name, of: tier.and_then(|tier| u32::try_from(tier).ok()) }
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
        limit.in_unit(unit),
        measured.in_unit(unit),
        of(&|evidence| Number::count(evidence.n).into()),
        of(&bounds),
        of(&|evidence| Number::fixed(evidence.vif, 2).into()),
        of(&|evidence| Number::count(evidence.episodes).into()),
        verdict,
    ]
}

/// The limit and the measurement, with decimals that keep them apart.
fn limit_and_measured(promise: &PromiseVerdict, words: &Words) -> (Cell, Cell) {
    let strict = matches!(promise.kind, PromiseKind::ItlP99 | PromiseKind::QueueP99);
    let decimals = match (promise.limit, &promise.measured) {
        (Quantity::Share(target), Measured::Value(Quantity::Share(measured))) => {
            percent_apart(*measured, target)
        }
        (Quantity::Time(Some(limit)), Measured::Value(Quantity::Time(Some(measured)))) => {
            millis_apart(*measured, limit)
        }
        (Quantity::Share(_), _) => 2,
        (Quantity::Time(Some(limit)), _) => millis_decimals(limit),
        _ => 1,
    };
    let limit = match promise.limit {
        Quantity::Share(target) => Number::percent(target, decimals).limit(Limit::AtLeast).into(),
        Quantity::Time(limit) => {
            let most = if strict { Limit::Below } else { Limit::AtMost };
            Number::millis(limit, decimals).limit(most).into()
        }
        Quantity::Bracket { .. } => quantity(promise.limit, decimals),
    };
    (limit, Cell::measured(&promise.measured, words, |measured| quantity(*measured, decimals)))
}

fn quantity(quantity: Quantity, decimals: usize) -> Cell {
    match quantity {
        Quantity::Share(share) => Number::percent(share, decimals).into(),
        Quantity::Time(time) => Number::millis(time, decimals).into(),
        Quantity::Bracket { lo, hi } => {
            Cell::range(Number::millis(Some(lo), decimals), Number::millis(hi, decimals))
        }
    }
}

/// The bounds, with decimals that keep them apart from the target they are compared with.
fn bounds(evidence: &ShareEvidence) -> Cell {
    let against = |bound: Share| Number::percent(bound, percent_apart(bound, evidence.target));
    Cell::range(against(evidence.lower), against(evidence.upper))
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
