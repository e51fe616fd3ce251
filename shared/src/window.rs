//! The measurement window: who belongs to it, how long it took, and where it may start.

use crate::record::Request;
use crate::stats::warmup::mser5;
use crate::step::Step;
use crate::units::{Moment, Nanos, Seconds};

/// Member of the window: W0 ≤ sent < W1, whenever it ends.
#[must_use]
pub fn is_member(step: &Step, request: &Request) -> bool {
    step.w0 <= request.sent && request.sent < step.w1
}

/// wall_time: first sent to last ended, over members. It includes the tail, so it understates
/// a rate. `None` without members, or where no time passed.
#[must_use]
pub fn wall_time<'a>(members: impl IntoIterator<Item = &'a Request>) -> Option<Seconds> {
    let mut members = members.into_iter();
    let first = members.next()?;
    let (sent, end) = members.fold((first.sent, first.end), |(sent, end), request| {
        (sent.min(request.sent), end.max(request.end))
    });
    let wall = end.since(sent);
    (wall > Nanos(0)).then(|| wall.seconds())
}

/// Where the warm-up of a step ends: at the declared instant, or later where truncation
/// (MSER-5 over per-second means of TTFT and of the number in flight, from the step's start to
/// W1) says so. `None`: it has not settled in the first half.
///
/// A recorder asks this before it fixes the window; a judge, to see whether it was asked.
#[must_use]
pub fn warm_up_end(step: &Step, requests: &[Request], declared: Moment) -> Option<Moment> {
    let seconds = usize::try_from(step.w1.since(step.start).0 / SECOND).ok()?;
    if seconds < SHORTEST {
        // Too short for the rule: the declared instant stands.
        return Some(declared);
    }
    // A step of a year is no step; its manifest is hostile.
    let seconds = seconds.min(LONGEST);
    let second = |time: Moment| (time.since(step.start).0 / SECOND) as usize;
    let mut ttft = vec![(0.0, 0_u32); seconds];
    let mut change = vec![0_i64; seconds + 1];
    for request in requests.iter().filter(|request| request.sent >= step.start) {
        let at = second(request.sent);
        if at >= seconds {
            continue;
        }
        if let Some(time) = request.ttft() {
            ttft[at].0 += time.0 as f64;
            ttft[at].1 += 1;
        }
        change[at] += 1;
        change[second(request.end).min(seconds)] -= 1;
    }
    let mut in_flight = 0;
    let in_flight: Vec<f64> = change[..seconds]
        .iter()
        .map(|change| {
            in_flight += change;
            in_flight as f64
        })
        .collect();
    let cut = mser5(&filled(&ttft)).zip(mser5(&in_flight)).map(|(a, b)| a.max(b))?;
    Some(declared.max(step.start + Nanos(cut as u64 * SECOND)))
}

const SECOND: u64 = 1_000_000_000;
/// MSER-5 needs ten means of five.
const SHORTEST: usize = 50;
const LONGEST: usize = 1_000_000;

/// Means by second; a second without a value repeats the one before it, so that silence is no
/// change.
fn filled(sums: &[(f64, u32)]) -> Vec<f64> {
    let means = sums.iter().map(|&(sum, n)| (n > 0).then(|| sum / f64::from(n)));
    let mut last = means.clone().flatten().next().unwrap_or(0.0);
    means
        .map(|mean| {
            last = mean.unwrap_or(last);
            last
        })
        .collect()
}
