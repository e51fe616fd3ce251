//! Any bytes as an HTTP/1.1 response: what is understood of them does not depend on how they were
//! cut on the way.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tokencap_shared::units::Moment;
use tokencap_wire::http1::{Head, HttpError, Response, Sink};

mod pieces;

/// What a response's reader has told.
#[derive(Default, PartialEq, Debug)]
struct Told {
    heads: Vec<Head>,
    body: Vec<u8>,
}

impl Sink for Told {
    fn on_head(&mut self, head: Head) {
        self.heads.push(head);
    }

    fn on_body(&mut self, _: Moment, bytes: &[u8]) {
        self.body.extend_from_slice(bytes);
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((bytes, pieces)) = pieces::of(input) else { return };
    let (whole, told) = read([bytes].into_iter());
    let (cut, told_in_pieces) = read(pieces);
    match (whole, cut) {
        (Ok(whole), Ok(cut)) => {
            assert_eq!((whole.0, whole.1, told), (cut.0, cut.1, told_in_pieces));
        }
        (Err(_), Ok(_)) => panic!("cut into pieces it is taken, in one it is not"),
        // A chunk's first line that does not come in one read has a limit.
        (Ok(_), Err(why)) => assert_eq!(why, HttpError::Chunk),
        (Err(_), Err(_)) => {}
    }
});

/// Whether the response is whole, and whether its connection may be used again.
fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Result<(bool, bool), HttpError>, Told) {
    let (mut response, mut told) = (Response::default(), Told::default());
    for piece in pieces {
        if let Err(why) = response.feed(Moment(1), piece, &mut told) {
            return (Err(why), told);
        }
    }
    (Ok((response.is_whole_at_eof(), response.keep_alive)), told)
}
