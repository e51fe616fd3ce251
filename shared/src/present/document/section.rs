//! A section of a document.

use serde::Serialize;

use super::fact::Fact;
use super::notes::Note;
use super::table::Table;

/// Which section it is, in the order in which they stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionId {
    /// A row a bundle: what each can sell within which promise.
    Summary,
    /// The prices that money rests on, each with its source.
    Prices,
    /// What a reader must know before using any of the numbers.
    Attention,
    /// The figures of a bundle, in the order of their weight.
    Headline,
    /// Every promise with what was measured and what the evidence is worth.
    Promises,
    /// Every tested rate.
    Steps,
    /// What each soak showed.
    Soak,
    /// Latencies by tier.
    Latency,
    /// Attainment under each ITL rule.
    Rules,
    /// Attainment under every reading of cancelled requests.
    Cancelled,
    /// What the measured window was.
    Window,
    /// Input in three figures.
    Input,
    /// Cost, value and margin.
    Money,
    /// Cost by utilisation.
    Utilisation,
    /// Failures by kind.
    Failures,
    /// Why steps are invalid.
    Validity,
    /// What was measured.
    Deployment,
    /// Where the numbers come from.
    Provenance,
}

/// One section.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Section {
    /// Which one.
    pub id: SectionId,
    /// Its heading.
    pub title: String,
    /// What stands below.
    pub body: Body,
    /// A sentence about all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
}

/// What a section holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// A table.
    Table(Table),
    /// Facts by name.
    Facts(Vec<Fact>),
    /// Sentences that need attention.
    Notes(Vec<Note>),
    /// One sentence, in place of what there is nothing of.
    Nothing(&'static str),
}

impl SectionId {
    /// Every section, in order.
    pub const ALL: [Self; 18] = [
        Self::Summary,
        Self::Prices,
        Self::Attention,
        Self::Headline,
        Self::Promises,
        Self::Steps,
        Self::Soak,
        Self::Latency,
        Self::Rules,
        Self::Cancelled,
        Self::Window,
        Self::Input,
        Self::Money,
        Self::Utilisation,
        Self::Failures,
        Self::Validity,
        Self::Deployment,
        Self::Provenance,
    ];

    /// Its name in documents, pages and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Summary => "summary",
            Self::Prices => "prices",
            Self::Attention => "attention",
            Self::Headline => "headline",
            Self::Promises => "promises",
            Self::Steps => "steps",
            Self::Soak => "soak",
            Self::Latency => "latency",
            Self::Rules => "rules",
            Self::Cancelled => "cancelled",
            Self::Window => "window",
            Self::Input => "input",
            Self::Money => "money",
            Self::Utilisation => "utilisation",
            Self::Failures => "failures",
            Self::Validity => "validity",
            Self::Deployment => "deployment",
            Self::Provenance => "provenance",
        }
    }
}

impl Section {
    /// A section of a table, under its caption.
    #[must_use]
    pub fn of_table(id: SectionId, table: Table) -> Self {
        Self { id, title: table.caption.clone(), body: Body::Table(table), remark: None }
    }

    /// A section of facts.
    #[must_use]
    pub fn of_facts(id: SectionId, title: &str, facts: Vec<Fact>) -> Self {
        Self { id, title: title.to_owned(), body: Body::Facts(facts), remark: None }
    }

    /// A section of sentences; `None` where there are none.
    #[must_use]
    pub fn of_notes(id: SectionId, title: &str, notes: Vec<Note>) -> Option<Self> {
        let body = Body::Notes(notes);
        let some = !matches!(&body, Body::Notes(notes) if notes.is_empty());
        some.then(|| Self { id, title: title.to_owned(), body, remark: None })
    }

    /// A section that says that there is nothing.
    #[must_use]
    pub fn of_nothing(id: SectionId, title: &str, sentence: &'static str) -> Self {
        Self { id, title: title.to_owned(), body: Body::Nothing(sentence), remark: None }
    }

    /// Its table, if it is one.
    #[must_use]
    pub const fn table(&self) -> Option<&Table> {
        match &self.body {
            Body::Table(table) => Some(table),
            _ => None,
        }
    }

    /// Its sentences, if it holds any.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        match &self.body {
            Body::Notes(notes) => notes,
            _ => &[],
        }
    }

    /// Its facts, if it holds any.
    #[must_use]
    pub fn facts(&self) -> &[Fact] {
        match &self.body {
            Body::Facts(facts) => facts,
            _ => &[],
        }
    }
}
