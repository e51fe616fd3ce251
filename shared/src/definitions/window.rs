//! The measurement window: who belongs to it, how long it took, and where it may start.

use crate::definitions::record::Request;
use crate::definitions::step::Step;
use crate::stats::warmup::mser5;
use crate::units::{Moment, Nanos, Seconds};

/// Member of the window: W0 ≤ sent < W1, whenever it ends.
#[must_use]
pub fn is_member(step: &Step, request: &Request) -> bool {
    step.w0 <= request.sent && request.sent < step.w1
}

/// wall_time: first sent to last ended, over members. It includes the tail, so it understates
/// a rate.
#[derive(Clone, Copy, Debug)]
pub struct WallTime {
    first_sent: Moment,
    last_end: Moment,
}

impl Default for WallTime {
    /// Of no member yet.
    fn default() -> Self {
        Self { first_sent: Moment(u64::MAX), last_end: Moment(0) }
    }
}

impl WallTime {
    /// One more member.
    pub fn add(&mut self, member: &Request) {
        self.first_sent = self.first_sent.min(member.sent);
        self.last_end = self.last_end.max(member.end);
    }

    /// How long; `None` without members, or where no time passed.
    #[must_use]
    pub fn seconds(self) -> Option<Seconds> {
        let wall = self.last_end.since(self.first_sent);
        (wall > Nanos(0)).then(|| wall.seconds())
    }
}

/// How long after the start of its window a step seems to have settled, if it was more than chance
/// that it had not: by truncation (MSER-5 over per-second means of TTFT and of the number in flight,
/// from the step's start to W1), where what lies before the cut differs from what lies behind it. A
/// step that did not settle in its first half counts as settled there, at the earliest.
#[must_use]
pub fn settles_late(step: &Step, requests: &[Request]) -> Option<Nanos> {
    let seconds = usize::try_from(step.w1.since(step.start).0 / SECOND).ok()?;
    // A step of a year is no step; its manifest is hostile.
    let seconds = Some(seconds.min(LONGEST)).filter(|&seconds| seconds >= SHORTEST)?;
    let second = |time: Moment| (time.since(step.start).0 / SECOND) as usize;
    let mut ttft = vec![(0.0, 0_u32); seconds];
    let mut change = vec![0_i64; seconds + 1];
    let of_step = |request: &&Request| request.step == step.id && request.sent >= step.start;
    for request in requests.iter().filter(of_step) {
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
    let w0 = second(step.w0);
    let late = [filled(&ttft), in_flight].into_iter().filter_map(|series| {
        let cut = mser5(&series).unwrap_or(seconds / 2);
        (cut > w0 && differ(&series[w0..cut], &series[cut..])).then(|| cut - w0)
    });
    late.max().map(|late| Nanos(late as u64 * SECOND))
}

/// Whether the means of two stretches differ by more than a tenth, and by more than chance would
/// make them: by means of five seconds, that hang together less than single ones.
fn differ(before: &[f64], behind: &[f64]) -> bool {
    let moments = |series: &[f64]| {
        let five = series.chunks_exact(5).map(|five| five.iter().sum::<f64>() / 5.0);
        let fives: Vec<f64> = five.collect();
        let n = fives.len() as f64;
        let mean = fives.iter().sum::<f64>() / n;
        let squares: f64 = fives.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / (n - 1.0).max(1.0) / n)
    };
    let ((one, its_error), (other, others_error)) = (moments(before), moments(behind));
    let apart = (one - other).abs();
    apart > 0.1 * other && apart > BEYOND_CHANCE * (its_error + others_error).sqrt()
}

/// Standard errors of a difference.
const BEYOND_CHANCE: f64 = 5.0;
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
