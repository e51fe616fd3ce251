//! An import as tables, built once for the terminal and the page.

use crate::definitions::judge::Verdict;
use crate::definitions::measured::Measured;
use crate::definitions::promise::PromiseSheet;
use crate::import::Import;
use crate::import::Judged;
use crate::import::Mark;
use crate::import::{Run, Spread};
use crate::present::document::cell::{Cell, Number, Tone};
use crate::present::document::table::{Column, Id, Table};
use crate::present::words::Words;
use crate::units::{Seconds, Share};

/// One row a result: what it says in its own definitions, and its mark.
#[must_use]
pub fn results(import: &Import, words: &Words) -> Table {
    let (terms, said) = (&words.term, words.lang.import_words());
    let columns = vec![
        Column::text("tool", terms.tool),
        Column::text("model", terms.model),
        Column::text("asked", terms.asked),
        Column::number("offered", terms.offered, "req/s"),
        Column::number("output", terms.output, "tok/s"),
        Column::number("ttft-p99", &format!("{} P99", terms.ttft), "ms"),
        Column::number("tpot", terms.tpot, "ms"),
        Column::number("itl-p99", &format!("{} P99", terms.itl), "ms"),
        Column::number("completed", terms.completed, ""),
        Column::number("failures", terms.failures, ""),
        Column::text("verdict", terms.verdict),
    ];
    let rows = import.runs.iter().map(|run| {
        let spread = |spread: &Measured<Spread>, of: fn(&Spread) -> Option<Seconds>| {
            let value = spread.value().and_then(of);
            value.map_or_else(
                || Cell::missing(&crate::definitions::measured::Missing::NotObserved, words),
                |value| Number::plain(value.get() * 1e3).into(),
            )
        };
        vec![
            Cell::new(tool(run)),
            Cell::measured(&run.model, words, Clone::clone),
            Cell::new((said.load)(&run.load)),
            Cell::measured(&run.rate, words, |rate| Number::plain(*rate)),
            Cell::measured(&run.output_rate, words, |rate| Number::plain(*rate)),
            spread(&run.ttft, |ttft| ttft.p99),
            spread(&run.tpot, |tpot| tpot.mean),
            spread(&run.itl, |itl| itl.p99),
            Cell::measured(&run.completed, words, |n| Number::count(*n)),
            Cell::measured(&run.failed, words, |n| Number::count(*n)),
            Cell::new((said.mark)(run.mark())).with_tone(tone(run.mark())),
        ]
    });
    let caption = format!("{}. {}", said.title, said.not_signable);
    Table::new(caption, columns, ids("result").zip(rows))
}

fn tool(run: &Run) -> String {
    match run.version.value() {
        Some(version) => format!("{} {version}", run.tool.name()),
        None => run.tool.name().to_owned(),
    }
}

const fn tone(mark: Mark) -> Tone {
    match mark {
        Mark::Green => Tone::Good,
        Mark::Amber => Tone::Unsure,
        Mark::Red => Tone::Bad,
    }
}

/// What the audit found of one result, and what its tool's words mean, the worst first.
#[must_use]
pub fn findings(run: &Run, words: &Words) -> Table {
    let said = words.lang.import_words();
    let finding = |mark, text: String| {
        vec![Cell::new((said.mark)(mark)).with_tone(tone(mark)), Cell::new(text)]
    };
    let found = run.findings.iter().map(|found| finding(found.mark, (said.finding)(&found.what)));
    let meant = (said.definitions)(&run.definitions).into_iter();
    let meant = meant.map(|text| vec![Cell::new(words.term.definitions), Cell::new(text)]);
    Table::new(
        format!("{}: {}", tool(run), run.files.join(", ")),
        vec![
            Column::text("verdict", words.term.verdict),
            Column::text("remark", words.term.remark),
        ],
        ids("finding").zip(found.chain(meant)),
    )
}

/// The lines of a table whose lines are about one kind of thing.
fn ids(name: &'static str) -> impl Iterator<Item = Id> {
    (0..).map(move |at| Id::nth(name, at))
}

/// Results with records under a promise sheet: a row a result and tier, with attainment under
/// each of the three ITL rules, whose choice can move it by tens of points.
#[must_use]
pub fn promises(judged: &[(&Run, Judged)], sheet: &PromiseSheet, words: &Words) -> Table {
    let (terms, said) = (&words.term, words.lang.import_words());
    let columns = vec![
        Column::text("asked", terms.asked),
        Column::text("tier", terms.tier),
        Column::number("n", terms.n, ""),
        Column::number("gap-share", "gap_share", "%"),
        Column::number("worst-gap", "worst_gap", "%"),
        Column::number("mean-gap", "mean_gap", "%"),
        Column::number("goodput", terms.goodput, "tok/s"),
        Column::text("verdict", terms.verdict),
    ];
    let mut rows = Vec::new();
    for (run, judged) in judged {
        for tier in judged.tiers.iter().filter(|tier| tier.valid > 0) {
            let attainment = |rule: usize| {
                // A rule about single gaps cannot be told where none was kept.
                let told = rule == 2 || judged.counts.unknown_gaps == 0;
                match Share::of(tier.compliant_by_rule[rule], tier.valid).filter(|_| told) {
                    Some(share) => Number::percent(share, 2).into(),
                    None => {
                        Cell::missing(&crate::definitions::measured::Missing::NotObserved, words)
                    }
                }
            };
            let name = sheet.tiers.get(tier.tier).map_or("", |tier| tier.name.as_str());
            rows.push(vec![
                Cell::new((said.load)(&run.load)),
                Cell::new(name),
                Number::count(tier.valid).into(),
                attainment(0),
                attainment(1),
                attainment(2),
                Cell::measured(&judged.goodput, words, |goodput| Number::fixed(*goodput, 1)),
                Cell::new((words.verdict)(judged.screen)).with_tone(match judged.screen {
                    Verdict::Held => Tone::Good,
                    Verdict::Broken => Tone::Bad,
                    Verdict::Insufficient | Verdict::NotObserved => Tone::Unsure,
                }),
            ]);
        }
    }
    Table::new(sheet.name.clone(), columns, ids("judged").zip(rows))
}
