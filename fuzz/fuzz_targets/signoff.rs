//! Any text as a sign-off: refused, or exactly the text that would be written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tokencap_shared::signoff::{Envelope, Statement};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(envelope) = Envelope::from_text(text) {
        assert_eq!(envelope.to_text(), text);
        let _ = envelope.is_intact();
        let _ = Statement::from_bytes(&envelope.payload);
    }
    let _ = Statement::from_bytes(bytes);
});
