//! Kinds of a workload's parts as they are written: a field names the kind, and the kind's own
//! fields stand beside it. Read as one flat list of fields: a kind lacks none of its own and has
//! none of another's.

use serde::Deserialize;

use super::{Class, Length as AnyLength, Think};

/// Tokens of a trace's block where nothing else is said: Mooncake's.
const BLOCK: u32 = 512;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arrivals {
    process: String,
    burstiness: Option<f64>,
}

impl TryFrom<Arrivals> for super::Arrivals {
    type Error = &'static str;
    fn try_from(fields: Arrivals) -> Result<Self, Self::Error> {
        match (fields.process.as_str(), fields.burstiness) {
            ("poisson", None) => Ok(Self::Poisson),
            ("gamma", Some(burstiness)) => Ok(Self::Gamma { burstiness }),
            ("constant", None) => Ok(Self::Constant),
            _ => Err("`process` is \"poisson\", \"constant\", or \"gamma\" with `burstiness`"),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Length {
    dist: String,
    tokens: Option<u32>,
    min: Option<u32>,
    max: Option<u32>,
    mean: Option<f64>,
    cv: Option<f64>,
}

impl TryFrom<Length> for super::Length {
    type Error = &'static str;
    fn try_from(fields: Length) -> Result<Self, Self::Error> {
        let Length { dist, tokens, min, max, mean, cv } = fields;
        match (dist.as_str(), tokens, min, max, mean, cv) {
            ("fixed", Some(tokens), None, None, None, None) => Ok(Self::Fixed { tokens }),
            ("uniform", None, Some(min), Some(max), None, None) => Ok(Self::Uniform { min, max }),
            ("log_normal", None, Some(min), Some(max), Some(mean), Some(cv)) => {
                Ok(Self::LogNormal { mean, cv, min, max })
            }
            _ => Err("`dist` is \"fixed\" with `tokens`, \"uniform\" with `min` and `max`, or \
                      \"log_normal\" with `mean`, `cv`, `min` and `max`"),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shape {
    kind: String,
    classes: Option<Vec<Class>>,
    shared_prefix: Option<u32>,
    steps: Option<u32>,
    new_tokens: Option<AnyLength>,
    output_tokens: Option<AnyLength>,
    think: Option<Think>,
    file: Option<String>,
    sha256: Option<String>,
    block_tokens: Option<u32>,
}

impl TryFrom<Shape> for super::Shape {
    type Error = &'static str;
    fn try_from(fields: Shape) -> Result<Self, Self::Error> {
        let Shape { kind, classes, shared_prefix, steps, new_tokens, output_tokens, think, .. } =
            fields;
        let sessions = (shared_prefix, steps, new_tokens, output_tokens, think);
        let trace = (fields.file, fields.sha256, fields.block_tokens);
        match (kind.as_str(), classes, sessions, trace) {
            ("mix", Some(classes), (None, None, None, None, None), (None, None, None)) => {
                Ok(Self::Mix { classes })
            }
            (
                "sessions",
                None,
                (
                    Some(shared_prefix),
                    Some(steps),
                    Some(new_tokens),
                    Some(output_tokens),
                    Some(think),
                ),
                (None, None, None),
            ) => Ok(Self::Sessions { shared_prefix, steps, new_tokens, output_tokens, think }),
            ("trace", None, (None, None, None, None, None), (Some(file), sha256, block_tokens)) => {
                Ok(Self::Trace {
                    file,
                    sha256: sha256.unwrap_or_default(),
                    block_tokens: block_tokens.unwrap_or(BLOCK),
                })
            }
            _ => Err("`kind` is \"mix\" with `classes`; \"sessions\" with `shared_prefix`, \
                      `steps`, `new_tokens`, `output_tokens` and `think`; or \"trace\" with \
                      `file`, and `sha256` and `block_tokens` where they are known"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use crate::definitions::workload::{Arrivals, Length, Shape};

    /// Whether each of these is read and written as it was, and refused with any one of its fields
    /// missing or with a field of another kind.
    fn check<T: DeserializeOwned + Serialize>(
        kinds: &[Value],
        optional: &[&str],
        foreign: &[&str],
    ) {
        let read = |value: &Value| serde_json::from_value::<T>(value.clone());
        for kind in kinds {
            assert_eq!(&serde_json::to_value(read(kind).unwrap()).unwrap(), kind);
            let fields = kind.as_object().unwrap();
            for name in fields.keys().filter(|name| !optional.contains(&name.as_str())) {
                let mut less = fields.clone();
                less.remove(name);
                assert!(read(&Value::Object(less)).is_err(), "{kind} without {name}");
            }
            for name in foreign.iter().filter(|name| !fields.contains_key(**name)) {
                let mut more = fields.clone();
                let value = kinds.iter().find_map(|other| other.get(*name)).cloned();
                more.insert((*name).to_owned(), value.unwrap_or(json!(1)));
                assert!(read(&Value::Object(more)).is_err(), "{kind} with {name}");
            }
        }
    }

    #[test]
    fn every_kind_has_its_own_fields_and_no_others() {
        check::<Arrivals>(
            &[
                json!({"process": "poisson"}),
                json!({"process": "gamma", "burstiness": 0.5}),
                json!({"process": "constant"}),
            ],
            &[],
            &["burstiness", "rate"],
        );
        let lengths = [
            json!({"dist": "fixed", "tokens": 5}),
            json!({"dist": "uniform", "min": 1, "max": 9}),
            json!({"dist": "log_normal", "mean": 100.0, "cv": 0.5, "min": 1, "max": 900}),
        ];
        check::<Length>(&lengths, &[], &["tokens", "min", "max", "mean", "cv", "median"]);
        let [fixed, ..] = &lengths;
        check::<Shape>(
            &[
                json!({"kind": "mix", "classes": [
                    {"weight": 1.0, "isl": fixed, "osl": fixed, "shared_prefix": 0}]}),
                json!({"kind": "sessions", "shared_prefix": 9, "steps": 3, "new_tokens": fixed,
                    "output_tokens": fixed, "think": {"mean_ns": 5, "cv": 0.0}}),
                json!({"kind": "trace", "file": "a.jsonl", "sha256": "ab", "block_tokens": 16}),
            ],
            &["sha256", "block_tokens"],
            &["classes", "steps", "think", "file", "sha256", "block_tokens", "name"],
        );
    }

    #[test]
    fn what_is_wrong_says_what_would_be_right() {
        let error = serde_json::from_value::<Length>(json!({"dist": "normal"})).unwrap_err();
        assert!(error.to_string().contains("log_normal"), "{error}");
    }
}
