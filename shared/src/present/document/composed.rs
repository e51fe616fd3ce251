//! The composition: which sections a report has, in which order.

use serde::Serialize;

use super::section::{Section, SectionId};
use super::table::Id;
use super::{details, headline, money, notes, promises, quality, steps, summary};
use crate::definitions::measured::Measured;
use crate::present::report::{Report, Row};
use crate::present::words::{Lang, Words};

/// A report in a language.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Document {
    /// The language of its words.
    pub language: Lang,
    /// What it is, and by which definitions.
    pub title: String,
    /// What stands above everything, where its figures are not of hardware.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<&'static str>,
    /// What all bundles have in common.
    pub sections: Vec<Section>,
    /// A part a bundle, in the order of the summary's rows.
    pub parts: Vec<Part>,
}

/// What a document says of one bundle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// What the bundle is called.
    pub name: String,
    /// Identity of the run.
    pub run: String,
    /// The bundle and its model.
    pub title: String,
    /// The sections.
    pub sections: Vec<Section>,
}

/// A report in a language: every section of it that there is something to say in, in the order of
/// [`SectionId`]. The step that stands for a row is the one that its promises, latencies, window
/// and input are of.
#[must_use]
pub fn document(report: &Report, words: &Words) -> Document {
    let definitions = (words.say.definitions)(report.definitions);
    let simulated = report.rows.iter().any(|row| row.deployment.simulated);
    Document {
        language: words.lang,
        title: (words.say.aside)(words.title.report, &definitions),
        warning: simulated.then_some(words.say.simulated_long),
        sections: overview(report, words),
        parts: report.rows.iter().map(|row| part(report, row, words)).collect(),
    }
}

/// What all bundles have in common.
fn overview(report: &Report, words: &Words) -> Vec<Section> {
    let mut sections = vec![Section::of_table(SectionId::Summary, summary::summary(report, words))];
    sections.extend(report.prices.as_ref().map(|prices| {
        let section = Section::of_table(SectionId::Prices, money::prices(prices, words));
        Section { remark: Some(words.say.money_is_derived.to_owned()), ..section }
    }));
    let (id, title) = (SectionId::Attention, words.title.attention);
    sections.push(
        Section::of_notes(id, title, notes::attention(report, words))
            .unwrap_or_else(|| Section::of_nothing(id, title, words.say.nothing_to_note)),
    );
    sections
}

/// What there is to say of one bundle.
#[must_use]
pub fn part(report: &Report, row: &Row, words: &Words) -> Part {
    let titles = &words.title;
    let table = |id, table| Section::of_table(id, table);
    let facts = |id, title, facts| Section::of_facts(id, title, facts);
    let mut sections =
        vec![facts(SectionId::Headline, titles.figures, headline::headline(row, words))];
    let promised = promises::promises(row, words);
    sections.extend(promised.map(|promises| table(SectionId::Promises, promises)));
    sections.push(table(SectionId::Steps, steps::steps(report, row, words)));
    sections.extend(Section::of_notes(SectionId::Soak, titles.soak, notes::soaks(row, words)));
    if let Some(step) = row.shown_step() {
        sections.push(table(SectionId::Latency, quality::latency(row, step, words)));
        sections.push(table(SectionId::Rules, quality::rules(row, step, words)));
        let cancelled = quality::cancelled(row, step, words);
        sections.extend(cancelled.map(|cancelled| table(SectionId::Cancelled, cancelled)));
        sections.push(facts(SectionId::Window, titles.window, quality::window(step, words)));
        sections.push(table(SectionId::Input, details::input(step, words)));
    }
    if let Measured::Value(money) = money::money(report, row, words) {
        sections.push(table(SectionId::Money, money));
    }
    let curve = money::utilisation(report, row, words);
    sections.extend(curve.map(|curve| table(SectionId::Utilisation, curve)));
    sections.push(match details::failures(row, words) {
        Some(failures) => table(SectionId::Failures, failures),
        None => Section::of_nothing(SectionId::Failures, titles.failures, words.say.no_failures),
    });
    let invalid = notes::validity(row, words);
    sections.extend(Section::of_notes(SectionId::Validity, titles.validity, invalid));
    sections.push(facts(SectionId::Deployment, titles.deployment, details::deployment(row, words)));
    sections.push(facts(SectionId::Provenance, titles.provenance, details::provenance(row, words)));
    let title = format!("{} · {}", row.name, row.deployment.model);
    Part { name: row.name.clone(), run: row.run.clone(), title, sections }
}

impl Document {
    /// A section that all bundles have in common.
    #[must_use]
    pub fn section(&self, id: SectionId) -> Option<&Section> {
        self.sections.iter().find(|section| section.id == id)
    }
}

impl Part {
    /// A section, if there is something to say in it.
    #[must_use]
    pub fn section(&self, id: SectionId) -> Option<&Section> {
        self.sections.iter().find(|section| section.id == id)
    }

    /// A cell: of a section of facts by its id alone, of a table by its line and column.
    #[must_use]
    pub fn cell(&self, section: SectionId, line: Id, column: &str) -> Option<&super::cell::Cell> {
        let section = self.section(section)?;
        match section.table() {
            Some(table) => table.cell(line, column),
            None => Some(&section.facts().iter().find(|fact| fact.id == line)?.cell),
        }
    }
}
