//! How plans, and what they name, are read: presets, files, and what stands in the plan itself.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};

use crate::files::{self, MOST_OF_A_SHEET};
use crate::presets::{self, Kind, Preset};

/// What is looked for, by name or path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// The plan itself.
    Plan,
    /// The trace that its workload replays.
    Trace,
    /// What presets of a kind, and files like them, hold.
    Of(Kind),
}

impl std::fmt::Display for Sought {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str(match self {
            Self::Plan => "the plan",
            Self::Trace => "the trace",
            Self::Of(Kind::Promise) => "promise sheet",
            Self::Of(Kind::Workload) => "workload",
            Self::Of(Kind::Prices) => "price sheet",
            Self::Of(Kind::Plan) => "plan",
            Self::Of(Kind::Sim) => "simulated cluster",
        })
    }
}

/// Why a plan, a promise sheet, a workload or a price sheet cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum PlanError {
    /// Not readable.
    #[error("cannot read {what} {}: {source}; check the path", path.display())]
    Read {
        /// What the file should hold.
        what: Sought,
        path: PathBuf,
        source: std::io::Error,
    },
    /// A typo, with its place.
    #[error("{file}:{line}:{column}: {message}")]
    Syntax {
        /// The file, as the user named it.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// Neither a preset nor a file.
    #[error(
        "there is no {what} named `{name}`, neither a preset nor a file; \
         `tokencap presets` lists the presets: {known}"
    )]
    Unknown {
        /// What was looked for.
        what: Sought,
        name: String,
        /// The presets of that kind.
        known: String,
    },
    /// Well-formed but senseless.
    #[error("{file}: {message}")]
    Senseless {
        /// The file, as the user named it.
        file: String,
        /// What is wrong, and what to do.
        message: String,
    },
}

/// Named (a preset, or a file beside the plan), or written out.
#[derive(Debug)]
pub(super) enum Source<T> {
    Named(String),
    Inline(T),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Source<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct SourceVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: DeserializeOwned> Visitor<'de> for SourceVisitor<T> {
            type Value = Source<T>;
            fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                to.write_str("the name of a preset, the path of a file, or a table")
            }
            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(Source::Named(name.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Source::Inline)
            }
        }
        from.deserialize_any(SourceVisitor(std::marker::PhantomData))
    }
}

/// Reads a promise sheet, workload or price sheet by the name of a preset or the path of a file.
///
/// # Errors
/// As [`Plan::read`](super::Plan::read).
pub fn named<T: DeserializeOwned>(name: &str, kind: Kind, beside: &Path) -> Result<T, PlanError> {
    let path = beside.join(name);
    if let Some(preset) = presets::find(kind, name) {
        return parse(preset.text, &format!("preset {}/{name}", kind.name()));
    }
    if !path.exists() && !name.contains(['/', '.']) {
        preset(name, kind)?;
    }
    let text = files::read_text(&path, MOST_OF_A_SHEET).map_err(|source| PlanError::Read {
        what: Sought::Of(kind),
        path: path.clone(),
        source,
    })?;
    parse(&text, &path.display().to_string())
}

pub(super) fn resolve<T: DeserializeOwned>(
    source: Source<T>,
    kind: Kind,
    beside: &Path,
) -> Result<T, PlanError> {
    match source {
        Source::Inline(value) => Ok(value),
        Source::Named(name) => named(&name, kind, beside),
    }
}

/// The preset of this kind and name, or the names that there are.
pub(super) fn preset(name: &str, kind: Kind) -> Result<&'static Preset, PlanError> {
    presets::find(kind, name).ok_or_else(|| {
        let of_kind = presets::ALL.iter().filter(|preset| preset.kind == kind);
        let known: Vec<_> = of_kind.map(|preset| preset.name).collect();
        PlanError::Unknown {
            what: Sought::Of(kind),
            name: name.to_owned(),
            known: known.join(", "),
        }
    })
}

/// Parses TOML; an error names its line and column.
pub(super) fn parse<T: DeserializeOwned>(text: &str, file: &str) -> Result<T, PlanError> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let before = &text[..at];
        PlanError::Syntax {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.chars().rev().take_while(|c| *c != '\n').count() + 1,
            message: error.message().replace('\n', "; "),
        }
    })
}
