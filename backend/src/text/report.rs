//! The whole report as text.

use tokencap_shared::report::view::{self, Figure, Note};
use tokencap_shared::report::{Report, Row};
use tokencap_shared::words::Words;

use super::table::{pairs, table};

/// Everything the report says, in the order of the page.
#[must_use]
pub fn report(report: &Report, words: &Words) -> String {
    let mut sections = vec![title(report, words), table(&view::summary(report, words))];
    sections.push(notes(
        words.title.attention,
        words.say.nothing_to_note,
        &view::attention(report, words),
        words,
    ));
    for row in &report.rows {
        sections.extend(row_sections(row, report.rows.len() > 1, words));
    }
    sections.join("\n")
}

fn title(report: &Report, words: &Words) -> String {
    let definitions = (words.say.definitions)(report.definitions);
    let mut text = format!("{}\n", (words.say.aside)(words.title.report, &definitions));
    if report.rows.iter().any(|row| row.deployment.simulated) {
        text.push_str(words.say.simulated_long);
        text.push('\n');
    }
    text
}

fn row_sections(row: &Row, several: bool, words: &Words) -> Vec<String> {
    let mut sections = Vec::new();
    if several {
        sections.push(format!("━━ {} · {}\n", row.name, row.deployment.model));
    }
    sections.push(figures(&view::headline(row, words), words));
    sections.extend(view::promises(row, words).map(|promises| table(&promises)));
    sections.push(table(&view::steps(row, words)));
    if let Some(step) = row.shown_step() {
        sections.push(table(&view::latency(row, step, words)));
        sections.push(table(&view::input(step, words)));
    }
    sections.push(match view::failures(row, words) {
        Some(failures) => table(&failures),
        None => format!("{}\n{}\n", words.title.failures, words.say.no_failures),
    });
    let invalid = view::validity(row, words);
    if !invalid.is_empty() {
        sections.push(notes(words.title.validity, "", &invalid, words));
    }
    for (title, facts) in [
        (words.title.deployment, view::deployment(row, words)),
        (words.title.provenance, view::provenance(row, words)),
    ] {
        sections.push(format!("{title}\n{}", pairs(&facts)));
    }
    sections
}

fn figures(figures: &[Figure], words: &Words) -> String {
    let facts: Vec<(String, String)> = figures
        .iter()
        .map(|figure| {
            let value = format!("{} {}", figure.text, figure.unit);
            let value = match &figure.note {
                Some(note) => (words.say.aside)(&value, note),
                None => value,
            };
            (figure.label.clone(), value)
        })
        .collect();
    pairs(&facts)
}

fn notes(title: &str, none: &str, notes: &[Note], words: &Words) -> String {
    let mut text = format!("{title}\n");
    if notes.is_empty() {
        text.push_str(none);
        text.push('\n');
    }
    for note in notes {
        let about = if note.about.is_empty() {
            String::new()
        } else {
            format!("{}{}", note.about, words.say.colon)
        };
        let advice = &note.advice;
        let gap = if advice.fix.is_empty() { "" } else { words.say.full_stop };
        text.push_str(&format!("· [{}] {about}{}{gap}{}\n", note.label, advice.what, advice.fix));
    }
    text
}
