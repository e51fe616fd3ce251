//! Any bytes as the body of an answer: what it counts, and how it ended, does not depend on how the
//! bytes were cut on the way.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tokencap_shared::units::{Moment, Nanos};
use tokencap_wire::answer::{Answer, End};
use tokencap_wire::http1::{Head, Sink};

mod pieces;

fuzz_target!(|input: &[u8]| {
    let Some((&how, input)) = input.split_first() else { return };
    let Some((bytes, pieces)) = pieces::of(input) else { return };
    assert_eq!(read(how, [bytes].into_iter()), read(how, pieces));
});

/// Everything that an answer says, under a status and an end that one byte chooses.
fn read<'a>(how: u8, pieces: impl Iterator<Item = &'a [u8]>) -> String {
    let status = [200, 200, 200, 400, 413, 429, 499, 500][usize::from(how % 8)];
    let json = how & 8 != 0;
    let end = match how >> 6 {
        0 | 1 => End::Whole,
        2 => End::Cut("the connection ended".into()),
        _ => End::Timeout("the answer took too long"),
    };
    let mut answer = Answer::new(how & 16 != 0);
    answer.on_head(Head { status, json, queue: None, date: None });
    for piece in pieces {
        answer.on_body(Moment(1), piece);
    }
    let gaps: Vec<Nanos> = answer.gaps.iter().collect();
    assert_eq!(gaps.len(), answer.events.saturating_sub(1) as usize);
    assert!(answer.first <= answer.last);
    let (verdict, events, generated) = (answer.verdict(&end), answer.events, answer.generated());
    format!("{verdict:?} {events} {generated:?} {:?}", answer.take_text())
}
