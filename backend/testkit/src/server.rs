//! Servers to measure, on ports of their own.

use std::net::{Ipv4Addr, TcpListener};

use tokencap::presets::{Kind, find};
use tokencap::sim::{self, Config, Handle};
use tokencap::stop::Stop;
use tokencap::trial::pulse::Pulse;

/// A simulated cluster, until its handle is dropped; with a key, for those only who show it.
#[must_use]
pub fn simulator(config: Config, key: Option<&str>) -> Handle {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    sim::serve(config, key.map(str::to_owned), listener).unwrap()
}

/// The demo's cluster.
#[must_use]
pub fn demo(key: Option<&str>) -> Handle {
    simulator(Config::from_toml(find(Kind::Sim, "demo").unwrap().text).unwrap(), key)
}

/// The server of exact timing, until the process ends: its address.
#[must_use]
pub fn exact() -> String {
    let mut pulse = Pulse::listen().unwrap();
    let url = pulse.url().unwrap();
    std::thread::spawn(move || pulse.serve(&Stop::default()).unwrap());
    url
}
