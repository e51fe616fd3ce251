//! Deployment, input in three figures, failures, and where the numbers come from.

use std::collections::BTreeMap;

use super::Pair;
use super::table::{Cell, Column, Table};
use crate::definitions::judge::StepJudgement;
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::record::FailureKind;
use crate::present::format::{count, fixed, instant, percent, short_id};
use crate::present::report::Row;
use crate::present::words::Words;
use crate::units::{DAY, Share};

/// The declared deployment, without what was not declared.
#[must_use]
pub fn deployment(row: &Row, words: &Words) -> Vec<Pair> {
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
        (terms.model, joined(&d.model, &d.revision)),
        (terms.engine, joined(&d.engine, &d.engine_version)),
        (terms.gpus_serving, (words.say.gpus)(d.gpus_serving, &d.gpu)),
        (terms.gpus_provisioned, (words.say.gpus)(d.gpus_provisioned, &d.gpu)),
        (terms.parallelism, parallelism.join(words.say.comma)),
        (terms.quantisation, d.quantisation.clone()),
        (terms.kv_cache_dtype, d.kv_cache_dtype.clone()),
        (terms.prefix_cache, d.prefix_cache.clone()),
        (terms.speculative, d.speculative.clone()),
        (terms.server_args, d.server_args.clone()),
    ];
    let declared = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    declared.map(|(label, value)| (label.to_owned(), value)).collect()
}

/// Where the numbers come from: run, tool, definitions, promise sheet, rule, workload.
#[must_use]
pub fn provenance(row: &Row, words: &Words) -> Vec<Pair> {
    let terms = &words.term;
    let sheet = &row.promise;
    let itl_limit = crate::present::format::trimmed(sheet.itl.0 as f64 / 1e6);
    let confidence = crate::present::format::trimmed(sheet.confidence.get() * 100.0);
    let mode = (words.mode)(sheet.mode, &confidence);
    let pairs = [
        (terms.run, (words.say.aside)(short_id(&row.run), &row.name)),
        (terms.started, instant(&row.started)),
        (terms.tool, row.tool.clone()),
        (terms.definitions, (words.say.definitions)(row.definitions)),
        (terms.promise, sheet.name.clone()),
        (terms.itl, (words.itl_rule)(&sheet.itl_rule, &itl_limit)),
        (terms.verdict, mode),
        (terms.workload, row.workload.name.clone()),
        (terms.prefix_cache, (words.cache)(row.workload.cache).to_owned()),
    ];
    pairs.into_iter().map(|(label, value)| (label.to_owned(), value)).collect()
}

/// Input in three figures: in all, reused, computed; of the window, a second and a day.
#[must_use]
pub fn input(step: &StepJudgement, words: &Words) -> Table {
    let terms = &words.term;
    let columns = vec![
        Column::text(""),
        Column::number(terms.window, "tok"),
        Column::number(terms.per_second, "tok/s"),
        Column::number(terms.per_day, "Mtok"),
        Column::number(terms.share, "%"),
    ];
    let input = &step.input;
    let per_second = |tokens: u64| step.wall.clone().map(|wall| tokens as f64 / wall.get());
    let row = |label: &str, tokens: &Measured<u64>| {
        let flow = |scale: f64| match tokens {
            Measured::Value(tokens) => match per_second(*tokens) {
                Measured::Value(flow) => Cell::new(fixed(flow * scale, 1)),
                Measured::Missing(reason) => Cell::missing(&reason, words),
            },
            Measured::Missing(reason) => Cell::missing(reason, words),
        };
        let share = match tokens {
            Measured::Value(tokens) => super::share_cell(Share::of(*tokens, input.total), words),
            Measured::Missing(reason) => Cell::missing(reason, words),
        };
        vec![
            Cell::new(label),
            Cell::measured(tokens, words, |tokens| count(*tokens)),
            flow(1.0),
            flow(DAY / 1e6),
            share,
        ]
    };
    let total = Measured::Value(input.total);
    let rows = vec![
        row(terms.input_total, &total),
        row(terms.input_reused, &input.reused),
        row(terms.input_computed, &input.computed),
    ];
    let caption = match &input.per_output {
        Measured::Value(ratio) => {
            let ratio = (words.say.input_per_output)(&crate::present::format::plain(*ratio));
            (words.say.aside)(words.title.input, &ratio)
        }
        Measured::Missing(_) => words.title.input.to_owned(),
    };
    Table { caption, columns, rows }
}

/// Failures by kind, in the window of each step that has any; `None` without a failure.
#[must_use]
pub fn failures(row: &Row, words: &Words) -> Option<Table> {
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
        Column::text(terms.kind),
        Column::number(terms.at_shown_step, ""),
        Column::number(terms.in_all_steps, ""),
        Column::number(terms.share, "%"),
    ];
    let rows = total.into_iter().map(|(kind, n)| {
        let share = Share::new(n as f64 / valid.max(1) as f64).ok();
        let at_shown = shown.map(|step| step.counts.failures.get(&kind).copied().unwrap_or(0));
        vec![
            Cell::new((words.failure)(kind)),
            match at_shown {
                Some(n) => Cell::new(count(n)),
                None => Cell::missing(&Missing::InvalidStep, words),
            },
            Cell::new(count(n)),
            share.map_or_else(Cell::empty, |share| Cell::new(percent(share, 2))),
        ]
    });
    let rows = rows.collect();
    Some(Table { caption: words.title.failures.to_owned(), columns, rows })
}
