//! Deployment, input in three figures, failures, and where the numbers come from.

use std::collections::BTreeMap;

use super::cell::{Cell, Number};
use super::fact::Fact;
use super::table::{Column, Id, Table};
use crate::definitions::judge::StepJudgement;
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::record::{FailureKind, Outcome};
use crate::present::format::{instant, short_id};
use crate::present::report::Row;
use crate::present::words::Words;
use crate::units::{DAY, Share};

/// The declared deployment, without what was not declared.
pub(super) fn deployment(row: &Row, words: &Words) -> Vec<Fact> {
    let (terms, d) = (&words.term, &row.deployment);
    let joined = |first: &str, second: &str| [first, second].join(" ").trim().to_owned();
    let p = &d.parallelism;
    let degrees = [("TP", p.tp), ("PP", p.pp), ("EP", p.ep), ("DP", p.dp)];
    let mut parallelism: Vec<String> = degrees
        .into_iter()
        .filter(|(_, degree)| *degree > 1)
        .map(|(name, degree)| format!("{name} {degree}"))
        .collect();
    parallelism.push((words.say.replicas)(p.replicas));
    let pairs = [
        ("model", terms.model, joined(&d.model, &d.revision)),
        ("engine", terms.engine, joined(&d.engine, &d.engine_version)),
        ("gpus-serving", terms.gpus_serving, (words.say.gpus)(d.gpus_serving, &d.gpu)),
        ("gpus-provisioned", terms.gpus_provisioned, (words.say.gpus)(d.gpus_provisioned, &d.gpu)),
        ("parallelism", terms.parallelism, parallelism.join(words.say.comma)),
        ("quantisation", terms.quantisation, d.quantisation.clone()),
        ("kv-cache-dtype", terms.kv_cache_dtype, d.kv_cache_dtype.clone()),
        ("prefix-cache", terms.prefix_cache, d.prefix_cache.clone()),
        ("speculative", terms.speculative, d.speculative.clone()),
        ("server-args", terms.server_args, d.server_args.clone()),
    ];
    let declared = pairs.into_iter().filter(|(_, _, value)| !value.is_empty());
    declared.map(|(name, label, value)| Fact::text(name, label, value)).collect()
}

/// Where the numbers come from: run, tool, definitions, promise sheet, rule, workload.
pub(super) fn provenance(row: &Row, words: &Words) -> Vec<Fact> {
    let terms = &words.term;
    let sheet = &row.promise;
    let itl_limit = crate::present::format::trimmed(sheet.itl.0 as f64 / 1e6);
    let confidence = crate::present::format::trimmed(sheet.confidence.get() * 100.0);
    let mode = (words.mode)(sheet.mode, &confidence);
    let pairs = [
        ("run", terms.run, (words.say.aside)(short_id(&row.run), &row.name)),
        ("started", terms.started, instant(&row.started)),
        ("tool", terms.tool, row.tool.clone()),
        ("definitions", terms.definitions, (words.say.definitions)(row.definitions)),
        ("promise", terms.promise, sheet.name.clone()),
        ("itl", terms.itl, (words.itl_rule)(&sheet.itl_rule, &itl_limit)),
        ("verdict", terms.verdict, mode),
        ("workload", terms.workload, row.workload.name.clone()),
        ("prefix-cache", terms.prefix_cache, (words.cache)(row.workload.cache).to_owned()),
    ];
    pairs.into_iter().map(|(name, label, value)| Fact::text(name, label, value)).collect()
}

/// Input in three figures: in all, reused, computed; of the window, a second and a day.
pub(super) fn input(step: &StepJudgement, words: &Words) -> Table {
    let terms = &words.term;
    let columns = vec![
        Column::text("figure", ""),
        Column::number("window", terms.window, "tok"),
        Column::number("second", terms.per_second, "tok/s"),
        Column::number("day", terms.per_day, "Mtok"),
        Column::number("share", terms.share, "%"),
    ];
    let input = &step.input;
    let per_second = |tokens: u64| step.wall.clone().map(|wall| tokens as f64 / wall.get());
    let row = |name, label: &str, tokens: &Measured<u64>| {
        let flow = |scale: f64| match tokens {
            Measured::Value(tokens) => match per_second(*tokens) {
                Measured::Value(flow) => Number::fixed(flow * scale, 1).into(),
                Measured::Missing(reason) => Cell::missing(&reason, words),
            },
            Measured::Missing(reason) => Cell::missing(reason, words),
        };
        let share = match tokens {
            Measured::Value(tokens) => super::share_cell(Share::of(*tokens, input.total), words),
            Measured::Missing(reason) => Cell::missing(reason, words),
        };
        let cells = vec![
            Cell::new(label),
            Cell::measured(tokens, words, |tokens| Number::count(*tokens)),
            flow(1.0),
            flow(DAY / 1e6),
            share,
        ];
        (Id::one(name), cells)
    };
    let total = Measured::Value(input.total);
    let rows = [
        row("total", terms.input_total, &total),
        row("reused", terms.input_reused, &input.reused),
        row("computed", terms.input_computed, &input.computed),
    ];
    let caption = match &input.per_output {
        Measured::Value(ratio) => {
            let ratio = (words.say.input_per_output)(&crate::present::format::plain(*ratio));
            (words.say.aside)(words.title.input, &ratio)
        }
        Measured::Missing(_) => words.title.input.to_owned(),
    };
    Table::new(caption, columns, rows)
}

/// Failures by kind, in the window of each step that has any; `None` without a failure.
pub(super) fn failures(row: &Row, words: &Words) -> Option<Table> {
    let mut total: BTreeMap<FailureKind, u64> = BTreeMap::new();
    let mut valid = 0;
    for step in &row.capacity.steps {
        valid += step.counts.valid;
        for (kind, n) in &step.counts.failures {
            *total.entry(*kind).or_default() += n;
        }
    }
    total.retain(|_, n| *n > 0);
    if total.is_empty() {
        return None;
    }
    let terms = &words.term;
    let shown = row.shown_step();
    let columns = vec![
        Column::text("kind", terms.kind),
        Column::number("shown", terms.at_shown_step, ""),
        Column::number("all", terms.in_all_steps, ""),
        Column::number("share", terms.share, "%"),
    ];
    let rows = total.into_iter().map(|(kind, n)| {
        let share = Share::new(n as f64 / valid.max(1) as f64).ok();
        let at_shown = shown.map(|step| step.counts.failures.get(&kind).copied().unwrap_or(0));
        let cells = vec![
            Cell::new((words.failure)(kind)),
            match at_shown {
                Some(n) => Number::count(n).into(),
                None => Cell::missing(&Missing::InvalidStep, words),
            },
            Number::count(n).into(),
            share.map_or_else(Cell::empty, |share| Number::percent(share, 2).into()),
        ];
        (Id::one(Outcome::Failed(kind).name()), cells)
    });
    Some(Table::new(words.title.failures, columns, rows))
}
