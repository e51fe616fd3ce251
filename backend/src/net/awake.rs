//! Keeps this machine's cores from sleeping deeply while a step runs. A core that has to be woken
//! first sends late: by a tenth of a millisecond where it sleeps deeply, by some milliseconds where
//! it is a virtual machine's and its host has given it to others meanwhile.

use std::fs::File;
use std::io::Write;

/// The longest time, in microseconds, that waking up may take, for as long as whoever wrote it
/// keeps the file open (Linux, "PM quality of service"; other systems have no such file).
const LATENCY: &str = "/dev/cpu_dma_latency";

/// Cores stay awake until this is dropped, where the system lets this user ask for it: mostly,
/// where that is root.
#[derive(Debug)]
pub struct Awake(Option<File>);

impl Awake {
    /// Asks for it.
    #[must_use]
    pub fn hold() -> Self {
        let held = File::options().write(true).open(LATENCY).and_then(|mut file| {
            file.write_all(&0_i32.to_ne_bytes())?;
            Ok(file)
        });
        Self(held.ok())
    }

    /// Whether it was granted.
    #[must_use]
    pub const fn is_held(&self) -> bool {
        self.0.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn what_is_asked_for_is_what_the_system_keeps_to() {
        let awake = Awake::hold();
        let allowed = File::options().write(true).open(LATENCY).is_ok();
        assert_eq!(awake.is_held(), allowed);
        if !allowed {
            eprintln!("skipped: this user may not write to {LATENCY}");
            return;
        }
        let mut latency = [1; 4];
        File::open(LATENCY).unwrap().read_exact(&mut latency).unwrap();
        assert_eq!(i32::from_ne_bytes(latency), 0);
    }
}
