//! The presets that travel inside the binary: promise sheets, workloads, price sheets,
//! plans, simulated clusters.

/// A file of `assets/`, by its kind and name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// What it is.
    pub kind: Kind,
    /// Its name, as plans refer to it.
    pub name: &'static str,
    /// The file, with its comments.
    pub text: &'static str,
}

/// The kinds of presets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What a customer is promised.
    Promise,
    /// What the load is.
    Workload,
    /// What GPUs cost and tokens sell for.
    Prices,
    /// What to measure.
    Plan,
    /// A simulated cluster.
    Sim,
}

macro_rules! preset {
    ($kind:ident, $dir:literal, $name:literal) => {
        Preset {
            kind: Kind::$kind,
            name: $name,
            text: include_str!(concat!("../../assets/", $dir, "/", $name, ".toml")),
        }
    };
}

/// Every preset.
pub const ALL: &[Preset] = &[
    preset!(Promise, "promises", "agent-coding-interactive"),
    preset!(Promise, "promises", "chat-interactive"),
    preset!(Promise, "promises", "demo"),
    preset!(Workload, "workloads", "agent-coding-interactive"),
    preset!(Workload, "workloads", "chat-interactive"),
    preset!(Workload, "workloads", "demo"),
    preset!(Prices, "prices", "reference-2026-11"),
    preset!(Plan, "plans", "example"),
    preset!(Plan, "plans", "demo"),
    preset!(Sim, "sim", "agent-coding"),
    preset!(Sim, "sim", "demo"),
    preset!(Sim, "sim", "small-chat"),
];

impl Kind {
    /// As it is written on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Promise => "promise",
            Self::Workload => "workload",
            Self::Prices => "prices",
            Self::Plan => "plan",
            Self::Sim => "sim",
        }
    }
}

/// The preset of this kind and name.
#[must_use]
pub fn find(kind: Kind, name: &str) -> Option<&'static Preset> {
    ALL.iter().find(|preset| preset.kind == kind && preset.name == name)
}

#[cfg(test)]
mod tests {
    use tokencap_shared::{definitions::promise::PromiseSheet, definitions::workload::Workload};

    use super::*;

    #[test]
    fn every_preset_is_valid() {
        for preset in ALL {
            match preset.kind {
                Kind::Promise => {
                    let sheet: PromiseSheet = toml::from_str(preset.text).unwrap();
                    assert_eq!(sheet.name, preset.name);
                }
                Kind::Workload => {
                    let workload: Workload = toml::from_str(preset.text).unwrap();
                    assert_eq!(workload.name, preset.name);
                }
                Kind::Plan => {
                    let file = std::path::Path::new(".");
                    crate::plan::Plan::parse(preset.text, preset.name, file).unwrap();
                }
                Kind::Prices => {}
                Kind::Sim => {
                    let config = crate::sim::Config::from_toml(preset.text).unwrap();
                    assert_eq!(config.name, preset.name);
                    assert!(config.note.contains("never a measurement"));
                }
            }
        }
    }
}
