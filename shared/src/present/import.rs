//! An import as tables, built once for the terminal and the page.

use crate::definitions::judge::Verdict;
use crate::definitions::measured::Measured;
use crate::definitions::promise::PromiseSheet;
use crate::import::Import;
use crate::import::Judged;
use crate::import::Mark;
use crate::import::{Run, Spread};
use crate::present::document::table::{Cell, Column, Table, Tone};
use crate::present::format::{count, fixed, percent, plain};
use crate::present::words::Words;
use crate::units::{Seconds, Share};

/// One row a result: what it says in its own definitions, and its mark.
#[must_use]
pub fn results(import: &Import, words: &Words) -> Table {
    let (terms, said) = (&words.term, words.lang.import_words());
    let columns = vec![
        Column::text(terms.tool),
        Column::text(terms.model),
        Column::text(terms.asked),
        Column::number(terms.offered, "req/s"),
        Column::number(terms.output, "tok/s"),
        Column::number(&format!("{} P99", terms.ttft), "ms"),
        Column::number(terms.tpot, "ms"),
        Column::number(&format!("{} P99", terms.itl), "ms"),
        Column::number(terms.completed, ""),
        Column::number(terms.failures, ""),
        Column::text(terms.verdict),
    ];
    let rows = import.runs.iter().map(|run| {
        let spread = |spread: &Measured<Spread>, of: fn(&Spread) -> Option<Seconds>| {
            let value = spread.value().and_then(of);
            value.map_or_else(
                || Cell::missing(&crate::definitions::measured::Missing::NotObserved, words),
                |value| Cell::new(plain(value.get() * 1e3)),
            )
        };
        vec![
            Cell::new(tool(run)),
            Cell::measured(&run.model, words, Clone::clone),
            Cell::new((said.load)(&run.load)),
            Cell::measured(&run.rate, words, |rate| plain(*rate)),
            Cell::measured(&run.output_rate, words, |rate| plain(*rate)),
            spread(&run.ttft, |ttft| ttft.p99),
            spread(&run.tpot, |tpot| tpot.mean),
            spread(&run.itl, |itl| itl.p99),
            Cell::measured(&run.completed, words, |n| count(*n)),
            Cell::measured(&run.failed, words, |n| count(*n)),
            Cell::new((said.mark)(run.mark())).with_tone(tone(run.mark())),
        ]
    });
    let rows = rows.collect();
    let caption = format!("{}. {}", said.title, said.not_signable);
    Table { caption, columns, rows }
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
    Table {
        caption: format!("{}: {}", tool(run), run.files.join(", ")),
        columns: vec![Column::text(words.term.verdict), Column::text(words.term.remark)],
        rows: found.chain(meant).collect(),
    }
}

/// Results with records under a promise sheet: a row a result and tier, with attainment under
/// each of the three ITL rules, whose choice can move it by tens of points.
#[must_use]
pub fn promises(judged: &[(&Run, Judged)], sheet: &PromiseSheet, words: &Words) -> Table {
    let (terms, said) = (&words.term, words.lang.import_words());
    let columns = vec![
        Column::text(terms.asked),
        Column::text(terms.tier),
        Column::number(terms.n, ""),
        Column::number("gap_share", "%"),
        Column::number("worst_gap", "%"),
        Column::number("mean_gap", "%"),
        Column::number(terms.goodput, "tok/s"),
        Column::text(terms.verdict),
    ];
    let mut rows = Vec::new();
    for (run, judged) in judged {
        for tier in judged.tiers.iter().filter(|tier| tier.valid > 0) {
            let attainment = |rule: usize| {
                // A rule about single gaps cannot be told where none was kept.
                let told = rule == 2 || judged.counts.unknown_gaps == 0;
                match Share::of(tier.compliant_by_rule[rule], tier.valid).filter(|_| told) {
                    Some(share) => Cell::new(percent(share, 2)),
                    None => {
                        Cell::missing(&crate::definitions::measured::Missing::NotObserved, words)
                    }
                }
            };
            let name = sheet.tiers.get(tier.tier).map_or("", |tier| tier.name.as_str());
            rows.push(vec![
                Cell::new((said.load)(&run.load)),
                Cell::new(name),
                Cell::new(count(tier.valid)),
                attainment(0),
                attainment(1),
                attainment(2),
                Cell::measured(&judged.goodput, words, |goodput| fixed(*goodput, 1)),
                Cell::new((words.verdict)(judged.screen)).with_tone(match judged.screen {
                    Verdict::Held => Tone::Good,
                    Verdict::Broken => Tone::Bad,
                    Verdict::Insufficient | Verdict::NotObserved => Tone::Unsure,
                }),
            ]);
        }
    }
    Table { caption: sheet.name.clone(), columns, rows }
}
