//! A simulated cluster and a folder with a plan for it, for tests of the command line.

use std::net::{Ipv4Addr, TcpListener};

use tempfile::TempDir;
use tokencap::presets::{self, Kind};
use tokencap::sim;

/// A plan for the cluster, but for its rates.
const PLAN: &str = r#"
promise = "demo"
workload = "demo"

[deployment]
model = "sim-demo"
engine = "tokencap-sim"
gpu = "simulated"
gpus_serving = 2
gpus_provisioned = 2
simulated = true

"#;

/// A plan with these rates.
pub(crate) fn plan(rates: &str) -> String {
    format!("{PLAN}{rates}")
}

/// A cluster; with a key, for those only who show it.
pub(crate) fn cluster(key: Option<&str>) -> sim::Handle {
    let preset = presets::find(Kind::Sim, "demo").unwrap();
    let config = sim::Config::from_toml(preset.text).unwrap();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    sim::serve(config, key.map(str::to_owned), listener).unwrap()
}

/// A folder with this plan.
pub(crate) fn folder(plan: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    folder
}
