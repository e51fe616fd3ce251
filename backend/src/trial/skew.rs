//! How far this machine's calendar is from the target's: the one clock that machines which
//! share a campaign can all see.
//!
//! A response's `Date` is of whole seconds, and servers renew it about once a second. Each
//! response therefore bounds the difference; responses spread over a second bound it closer.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::http::HeaderMap;
use tokencap_shared::definitions::origin::Skew;

use crate::net::client::Client;
use crate::net::io::Tls;
use crate::net::target::Server;

/// Responses that are looked at.
const LOOKS: u32 = 12;
/// Time between them.
const EVERY: Duration = Duration::from_millis(90);
/// One may take so long.
const LIMIT: Duration = Duration::from_secs(2);
/// A date's own second, and one for which a server may keep it.
const COARSE: i64 = 2_000;

/// Compares this machine's calendar with the target's; `None` if the target tells no date.
#[must_use]
pub fn measure(server: &Server, tls: Option<&Tls>) -> Option<Skew> {
    let client = Client::direct(server, tls, LIMIT).ok()?;
    let mut skew: Option<Skew> = None;
    for _ in 0..LOOKS {
        let before = unix_ms()?;
        let page = client.get("/", HeaderMap::new(), LIMIT).ok()?;
        let one = of(before, page.date?, unix_ms()?)?;
        skew = Some(skew.map_or(one, |all| all.and(one)));
        std::thread::sleep(EVERY);
    }
    skew
}

/// What one response tells: asked and answered at these milliseconds, dated that second; `None`
/// where the date makes no sense.
fn of(asked: i64, date: i64, answered: i64) -> Option<Skew> {
    let date = date.checked_mul(1000)?;
    Skew::new(asked.checked_sub(date)?.checked_sub(COARSE)?, answered.checked_sub(date)?)
}

fn unix_ms() -> Option<i64> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever a machine's calendar shows, and however stale the server's date is, the
        /// bounds hold the truth; and so does the distance of two machines.
        #[test]
        fn the_bounds_hold_the_truth(
            offsets in [-100_000_i64..100_000, -100_000_i64..100_000],
            looks in prop::collection::vec((0_i64..1500, 0_i64..1000, 0_i64..300), 1..20),
        ) {
            let skews = offsets.map(|offset| {
                let mut now = 1_800_000_000_000_i64;
                let mut all: Option<Skew> = None;
                for &(pause, stale, trip) in &looks {
                    now += pause;
                    let date = (now + trip / 2 - stale).div_euclid(1000);
                    let one = of(now + offset, date, now + trip + offset).unwrap();
                    all = Some(all.map_or(one, |all| all.and(one)));
                }
                all.unwrap()
            });
            for (skew, offset) in skews.iter().zip(offsets) {
                let (least, most) = skew.bounds();
                prop_assert!(least <= offset && offset <= most, "{skew:?} {offset}");
            }
            let (least, most) = skews[0].apart(skews[1]);
            let apart = (offsets[0] - offsets[1]).abs();
            prop_assert!(least <= apart && apart <= most, "{least} {apart} {most}");
        }
    }

    #[test]
    fn calendars_five_seconds_apart_are_seen_to_be() {
        let here = of(10_000, 9, 10_010).unwrap();
        let there = of(15_000, 9, 15_010).unwrap();
        assert!(here.apart(there).0 > 2_900);
        assert_eq!(here.apart(here).0, 0);
    }
}
