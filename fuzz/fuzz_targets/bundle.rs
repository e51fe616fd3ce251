//! Any bytes as a bundle's file: refused or read, never a crash, and whatever is read can be
//! judged and written again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tokencap_shared::bundle::{self, judged};

fuzz_target!(|bytes: &[u8]| {
    if let Ok((read, _)) = bundle::open(bytes) {
        let _ = judged::of_bundle(&read);
        let written = bundle::write(&read).expect("what was read can be written");
        let again = bundle::read(&written).expect("what was written can be read");
        assert_eq!(again.requests, read.requests);
    }
});
