//! Any bytes as a stream of events: which events come out does not depend on how the bytes were
//! cut on the way.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tokencap_wire::sse::Parser;

mod pieces;

fuzz_target!(|input: &[u8]| {
    let Some((bytes, pieces)) = pieces::of(input) else { return };
    assert_eq!(read([bytes].into_iter()), read(pieces));
});

/// The events' names and data, and the text that belongs to none.
fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<[Vec<u8>; 2]>, Option<Vec<u8>>) {
    let (mut parser, mut events) = (Parser::default(), Vec::new());
    for piece in pieces {
        parser
            .feed(piece, |event| events.push([event.name.to_vec(), event.data.to_vec()]))
            .expect("no input is as long as the longest event");
    }
    (events, parser.stray_text().map(<[u8]>::to_vec))
}
