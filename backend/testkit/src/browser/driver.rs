//! ChromeDriver, and the browsers that it starts.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A ChromeDriver on a free port with a profile folder of its own; ends when dropped.
pub(super) struct Driver {
    child: Child,
    port: u16,
    profile: tempfile::TempDir,
}

impl Driver {
    /// Starts it; `None` where it or Chromium is not installed.
    pub(super) fn start() -> Option<Self> {
        let mut chromium = Command::new("chromium");
        chromium.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // A group of its own, so that the browser ends with it even if a test dies.
            .process_group(0)
            .spawn()
            .ok()?;
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| {
                line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok()
            })
            .expect("chromedriver says on which port it listens");
        // Its output is read on, lest it wait for a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self { child, port, profile: tempfile::tempdir().unwrap() })
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(super) fn profile(&self) -> &Path {
        self.profile.path()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = self.child.wait();
    }
}
