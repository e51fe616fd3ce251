//! What the server and the devices said of themselves, in one vocabulary for all engines.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::units::Moment;

/// One sample of one series.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// When the scrape was taken, on the run's clock.
    pub time: Moment,
    /// Name of the scraped endpoint, as the plan calls it.
    pub source: String,
    /// What it is.
    pub metric: Metric,
    /// The series' remaining labels; the upper bound of a histogram bucket is the label `le`.
    pub labels: Labels,
    /// The value, in the metric's unit.
    pub value: f64,
}

/// The labels of a series: names with their values, in the order of names. Copies share them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Labels(Arc<[(String, String)]>);

impl Labels {
    /// Labels, put in order.
    #[must_use]
    pub fn new(mut pairs: Vec<(String, String)>) -> Self {
        pairs.sort();
        Self(pairs.into())
    }

    /// One label.
    #[must_use]
    pub fn one(name: &str, value: &str) -> Self {
        Self::new(vec![(name.to_owned(), value.to_owned())])
    }

    /// Names and values, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// All labels but those of a name.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        Self(self.0.iter().filter(|(known, _)| known != name).cloned().collect())
    }

    /// The value of a label.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

/// As people read them: `engine=0,le=0.3`. Not to be read back: a value may hold commas.
impl fmt::Display for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, value)) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{name}={value}")?;
        }
        Ok(())
    }
}

/// An object: name → value.
impl Serialize for Labels {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Labels {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let labels = BTreeMap::<String, String>::deserialize(from)?;
        Ok(Self(labels.into_iter().collect()))
    }
}

/// The metrics that engines' and devices' own names are translated to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Requests being computed (gauge).
    Running,
    /// Requests waiting (gauge).
    Waiting,
    /// Share of KV cache in use, 0–1 (gauge).
    KvUse,
    /// Prefix-cache queries in tokens (counter).
    PrefixQueries,
    /// Prefix-cache hits in tokens (counter).
    PrefixHits,
    /// Preempted (retracted) requests (counter).
    Preemptions,
    /// Queue time histogram: cumulative count at the bucket bound `le` in seconds (counter).
    QueueBucket,
    /// Prompt tokens (counter), in the engine's own meaning.
    PromptTokens,
    /// Generated tokens (counter).
    OutputTokens,
    /// Power of one device in watts (gauge).
    PowerWatts,
    /// Energy of one device in joules (counter).
    EnergyJoules,
    /// Utilisation of one device, 0–1 (gauge).
    Utilisation,
    /// Seconds since the process started, or its start time: a jump is a restart.
    ProcessStart,
    /// 1 where the scrape succeeded, 0 where it failed or hung (gauge; labels: the reason).
    Up,
}

impl Metric {
    /// Every metric.
    pub const ALL: [Self; 14] = [
        Self::Running,
        Self::Waiting,
        Self::KvUse,
        Self::PrefixQueries,
        Self::PrefixHits,
        Self::Preemptions,
        Self::QueueBucket,
        Self::PromptTokens,
        Self::OutputTokens,
        Self::PowerWatts,
        Self::EnergyJoules,
        Self::Utilisation,
        Self::ProcessStart,
        Self::Up,
    ];

    /// The name under which it is stored.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::KvUse => "kv_use",
            Self::PrefixQueries => "prefix_queries",
            Self::PrefixHits => "prefix_hits",
            Self::Preemptions => "preemptions",
            Self::QueueBucket => "queue_bucket",
            Self::PromptTokens => "prompt_tokens",
            Self::OutputTokens => "output_tokens",
            Self::PowerWatts => "power_watts",
            Self::EnergyJoules => "energy_joules",
            Self::Utilisation => "utilisation",
            Self::ProcessStart => "process_start",
            Self::Up => "up",
        }
    }

    /// The metric stored under this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }
}
