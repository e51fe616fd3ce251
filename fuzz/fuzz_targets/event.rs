//! An event, and the same event with bytes put in place of others: what the pattern of the first
//! says of the second is what the full reader says of it; and nothing makes either of them panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

use tokencap_wire::event::glance;
use tokencap_wire::pattern::Pattern;

fuzz_target!(|bytes: &[u8]| {
    let [at, taken, put, rest @ ..] = bytes else { return };
    let (put, event) = rest.split_at(usize::from(*put % 64).min(rest.len()));
    let mut pattern = Pattern::default();
    let Ok(seen) = glance(event) else {
        assert!(pattern.text(event).is_none());
        return;
    };
    pattern.learn(event, &seen);
    if let Some(text) = pattern.text(event) {
        assert_eq!(pattern.says(text), seen);
    }
    let mut changed = event.to_vec();
    // Positions from the end reach the last bytes of long events, too.
    let at = usize::from(*at);
    let from = if at < 128 { at } else { event.len().saturating_sub(at - 127) }.min(event.len());
    let until = (from + usize::from(*taken % 16)).min(event.len());
    changed.splice(from..until, put.iter().copied());
    if let Some(text) = pattern.text(&changed) {
        assert_eq!(Ok(pattern.says(text)), glance(&changed));
    }
});
