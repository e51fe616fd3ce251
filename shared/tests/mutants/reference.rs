//! A plain reading of the definitions, with a switch for each misreading.

use tokencap_shared::definitions::judge::Verdict;
use tokencap_shared::definitions::promise::{GapQuantile, ItlRule};
use tokencap_shared::definitions::record::{Outcome, Request};
use tokencap_shared::units::{Moment, Nanos};

use crate::mutant::Mutant;
use crate::numbers::{Case, Numbers, number, time};

struct Plain<'a> {
    case: &'a Case,
    mutant: Option<Mutant>,
}

/// A valid request as the plain reading sees it.
#[derive(Clone)]
struct Seen<'a> {
    r: &'a Request,
    gaps: &'a [Nanos],
    tier: Option<usize>,
    osl: Option<u32>,
}

impl<'a> Plain<'a> {
    fn is(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    fn seen(&self, r: &'a Request, gaps: &'a [Nanos]) -> Seen<'a> {
        let tiers = &self.case.sheet.tiers;
        let mut tier = r.isl.and_then(|isl| {
            tiers.iter().position(|t| {
                let end = if self.is(Mutant::TierExcludesItsEnd) {
                    isl < t.isl_max
                } else {
                    isl <= t.isl_max
                };
                t.isl_min <= isl && end
            })
        });
        if self.is(Mutant::UnknownIslIsShort) && r.isl.is_none() {
            tier = Some(0);
        }
        if self.is(Mutant::LongPromptsInTheLastTier) && r.isl > tiers.last().map(|t| t.isl_max) {
            tier = Some(tiers.len() - 1);
        }
        let osl = if self.is(Mutant::ChunksForTokens) { Some(r.events) } else { r.osl };
        Seen { r, gaps, tier, osl }
    }

    fn member(&self, r: &Request) -> bool {
        let (w0, w1) = (self.case.step.w0, self.case.step.w1);
        let at = match self.mutant {
            Some(Mutant::CohortByEnd) => r.end,
            Some(Mutant::CohortByIntended) => r.intended,
            Some(Mutant::CohortByFirstToken) => r.first_token.unwrap_or(r.end),
            _ => r.sent,
        };
        match self.mutant {
            Some(Mutant::WindowIncludesItsEnd) => w0 <= at && at <= w1,
            Some(Mutant::WindowExcludesItsStart) => w0 < at && at < w1,
            Some(Mutant::WindowDropsTheTail) => w0 <= at && at < w1 && r.end < w1,
            _ => w0 <= at && at < w1,
        }
    }

    fn valid(&self, r: &Request) -> bool {
        match r.outcome {
            Outcome::Completed => !(self.is(Mutant::OneTokenAnswersDropped) && r.osl == Some(1)),
            Outcome::Failed(_) => !self.is(Mutant::FailuresDropped),
            Outcome::Cancelled => {
                self.is(Mutant::CancelledCounted) || self.is(Mutant::CancelledMayComply)
            }
            Outcome::ClientFault(_) => self.is(Mutant::ClientFaultsCounted),
        }
    }

    fn ttft(&self, r: &Request) -> Option<f64> {
        if self.is(Mutant::FailedTtftIsInfinite) && matches!(r.outcome, Outcome::Failed(_)) {
            return None;
        }
        let from = if self.is(Mutant::TtftFromIntended) { r.intended } else { r.sent };
        Some((r.first_token?.0 - from.0) as f64)
    }

    fn tpot(&self, s: &Seen<'_>) -> Option<f64> {
        let (first, last) = (s.r.first_token?, s.r.last_token?);
        let osl = s.osl?;
        if osl < 2 {
            let zero = self.is(Mutant::TpotOfOneTokenIsZero) && osl == 1;
            return zero.then_some(0.0);
        }
        let from = if self.is(Mutant::TpotFromSending) { s.r.sent } else { first };
        let over = if self.is(Mutant::TpotOverAllTokens) { osl } else { osl - 1 };
        Some((last.0 - from.0) as f64 / f64::from(over))
    }

    fn rule(&self, s: &Seen<'_>, rule: ItlRule) -> bool {
        let limit = self.case.sheet.itl.0;
        let m = s.gaps.len();
        if m == 0 {
            return !self.is(Mutant::NoGapsFail);
        }
        let over = |gap: &&Nanos| match self.is(Mutant::GapBelowLimit) {
            true => gap.0 >= limit,
            false => gap.0 > limit,
        };
        let bad = s.gaps.iter().filter(over).count();
        match rule {
            ItlRule::GapShare { q, stall } => {
                let allowed_percent = match q {
                    GapQuantile::P95 => 5,
                    GapQuantile::P99 => 1,
                };
                let allowed = if self.is(Mutant::BadGapsRoundedUp) {
                    (m * allowed_percent).div_ceil(100)
                } else {
                    m * allowed_percent / 100
                };
                let stalls = |gap: &Nanos| match self.mutant {
                    Some(Mutant::StallForgotten) => false,
                    Some(Mutant::StallBelowLimit) => *gap >= stall,
                    _ => *gap > stall,
                };
                bad <= allowed && !s.gaps.iter().any(stalls)
            }
            ItlRule::WorstGap => bad == 0,
            ItlRule::MeanGap => s.gaps.iter().map(|gap| gap.0).sum::<u64>() <= limit * m as u64,
        }
    }

    fn complies(&self, s: &Seen<'_>, rule: ItlRule) -> bool {
        let Some(tier) = s.tier else { return false };
        let tier = &self.case.sheet.tiers[tier];
        let fine = match s.r.outcome {
            Outcome::Completed => true,
            Outcome::Failed(_) => self.is(Mutant::FailedMayComply),
            Outcome::Cancelled => self.is(Mutant::CancelledMayComply),
            Outcome::ClientFault(_) => false,
        };
        let limit = tier.ttft.0 as f64;
        let fast = self.ttft(s.r).is_some_and(|ttft| match self.is(Mutant::TtftBelowLimit) {
            true => ttft < limit,
            false => ttft <= limit,
        });
        let rule = match self.mutant {
            Some(Mutant::GapsByMean) => ItlRule::MeanGap,
            Some(Mutant::GapsByWorst) => ItlRule::WorstGap,
            _ => rule,
        };
        let tpot = !self.is(Mutant::TpotDecidesCompliance)
            || self.tpot(s).is_none_or(|tpot| tpot <= tier.tpot.0 as f64);
        let queue = !self.is(Mutant::QueueDecidesCompliance)
            || s.r.queue.is_none_or(|queue| queue < self.case.sheet.queue);
        fine && fast && self.rule(s, rule) && tpot && queue
    }

    /// The percentile of values in which `None` is +∞.
    fn percentile(&self, values: &[Option<f64>], percent: usize) -> Option<f64> {
        let mut sorted: Vec<f64> = values.iter().map(|v| v.unwrap_or(f64::INFINITY)).collect();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let value = match self.mutant {
            Some(Mutant::FloorRank) => sorted[(n * percent / 100).max(1) - 1],
            Some(Mutant::RankOfTheNext) => sorted[(n * percent / 100).min(n - 1)],
            Some(Mutant::LinearPercentiles) => {
                let at = (n - 1) as f64 * percent as f64 / 100.0;
                let (low, part) = (at.floor() as usize, at.fract());
                let high = sorted[(low + 1).min(n - 1)];
                if part == 0.0 { sorted[low] } else { sorted[low] + part * (high - sorted[low]) }
            }
            _ => sorted[(n * percent).div_ceil(100) - 1],
        };
        value.is_finite().then_some(value)
    }

    fn share(&self, out: &mut Numbers, name: &str, good: u64, n: u64, target: f64) -> Verdict {
        if n == 0 {
            let verdict = match self.is(Mutant::EmptyTierIsHeld) {
                true => Verdict::Held,
                false => Verdict::Insufficient,
            };
            out.insert(format!("{name} verdict"), format!("{verdict:?} {verdict:?}"));
            return verdict;
        }
        let sided = if self.is(Mutant::TwoSidedBounds) { 2.0 } else { 1.0 };
        let alpha = (1.0 - self.case.sheet.confidence.get()) / sided;
        let (mut lower, mut upper) = clopper_pearson(good, n, alpha);
        if self.is(Mutant::WaldBounds) {
            let p = good as f64 / n as f64;
            let reach = 1.644_853_626_951 * (p * (1.0 - p) / n as f64).sqrt();
            (lower, upper) = (p - reach, (p + reach).min(1.0));
        }
        // Targets are multiples of a millionth.
        let millionths = (target * 1e6).round() as u64;
        let reaches = match self.mutant {
            Some(Mutant::TargetsInFloatingPoint) => (n - good) as f64 / n as f64 <= 1.0 - target,
            Some(Mutant::TargetMustBeExceeded) => good * 1_000_000 > n * millionths,
            _ => good * 1_000_000 >= n * millionths,
        };
        let screen = if reaches { Verdict::Held } else { Verdict::Broken };
        let verdict = if lower >= target {
            Verdict::Held
        } else if upper < target {
            Verdict::Broken
        } else {
            Verdict::Insufficient
        };
        out.insert(format!("{name} counts"), format!("{good} of {n}"));
        out.insert(format!("{name} bounds"), format!("{lower:e} {upper:e}"));
        out.insert(format!("{name} verdict"), format!("{screen:?} {verdict:?}"));
        screen
    }
}

/// Both bounds by halving an interval on direct binomial sums: every term relative to the
/// greatest one, from which the sum goes both ways, so that none is lost for being too small.
fn clopper_pearson(good: u64, n: u64, alpha: f64) -> (f64, f64) {
    const NOTHING: f64 = 1e-30;
    let at_most = |k: u64, p: f64| -> f64 {
        let odds = p / (1.0 - p);
        let mode = (((n + 1) as f64 * p) as u64).min(n);
        let (mut below, mut all) = (0.0, 0.0);
        let mut count = |i: u64, term: f64| {
            all += term;
            below += if i <= k { term } else { 0.0 };
        };
        let (mut i, mut term) = (mode, 1.0);
        while term > NOTHING {
            count(i, term);
            term *= (n - i) as f64 / (i + 1) as f64 * odds;
            i += 1;
        }
        (i, term) = (mode, 1.0);
        while i > 0 && term > NOTHING {
            term *= i as f64 / (n - i + 1) as f64 / odds;
            i -= 1;
            count(i, term);
        }
        below / all
    };
    let solve = |above: &dyn Fn(f64) -> bool| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle: f64 = 0.5 * (low + high);
            if above(middle) { high = middle } else { low = middle }
        }
        0.5 * (low + high)
    };
    let lower = if good == 0 { 0.0 } else { solve(&|p| 1.0 - at_most(good - 1, p) >= alpha) };
    let upper = if good == n { 1.0 } else { solve(&|p| at_most(good, p) <= alpha) };
    (lower, upper)
}

/// Every number of a case by the plain reading, or by a misreading of it.
pub(crate) fn evaluate(case: &Case, mutant: Option<Mutant>) -> Numbers {
    let plain = Plain { case, mutant };
    let sheet = &case.sheet;
    let mut out = Numbers::default();
    let all = case.requests.iter().zip(&case.gaps).map(|(r, gaps)| plain.seen(r, gaps));
    let members: Vec<Seen<'_>> = all.filter(|s| plain.member(s.r)).collect();
    let valid: Vec<Seen<'_>> = members.iter().filter(|s| plain.valid(s.r)).cloned().collect();
    let completed = |s: &&Seen<'_>| s.r.outcome == Outcome::Completed && plain.valid(s.r);
    let compliant: Vec<&Seen<'_>> =
        valid.iter().filter(|s| plain.complies(s, sheet.itl_rule)).collect();
    let tokens = |s: &Seen<'_>| u64::from(s.osl.unwrap_or(0));
    let mut put = |name: &str, value: String| out.insert(name.to_owned(), value);

    put("members", members.len().to_string());
    put("valid", valid.len().to_string());
    put("completed", valid.iter().filter(completed).count().to_string());
    put("compliant", compliant.len().to_string());
    put("unpromised", valid.iter().filter(|s| s.tier.is_none()).count().to_string());

    let walled: Vec<&Seen<'_>> = match mutant {
        Some(Mutant::WallOverCompleted) => valid.iter().filter(completed).collect(),
        Some(Mutant::WallOverValid) => valid.iter().collect(),
        _ => members.iter().collect(),
    };
    let first = walled.iter().map(|s| s.r.sent).min().unwrap_or(Moment(0));
    let last = walled.iter().map(|s| s.r.end).max().unwrap_or(Moment(0));
    let window = (case.step.w1.0 - case.step.w0.0) as f64 / 1e9;
    let wall = match mutant {
        Some(Mutant::WallIsTheWindow) => window,
        _ => last.0.saturating_sub(first.0) as f64 / 1e9,
    };
    let per = |count: u64, time: f64| {
        if time > 0.0 { number(count as f64 / time) } else { "missing".to_owned() }
    };
    put("wall", if wall > 0.0 { number(wall) } else { "missing".to_owned() });
    let raw = match mutant {
        Some(Mutant::RawIsCompletedOnly) => valid.iter().filter(completed).map(tokens).sum(),
        _ => valid.iter().map(tokens).sum::<u64>(),
    };
    put("raw", per(raw, wall));
    let output: u64 = match mutant {
        Some(Mutant::OutputCountsPartial) => raw,
        _ => valid.iter().filter(completed).map(tokens).sum(),
    };
    put("output", output.to_string());
    let good: u64 = match mutant {
        Some(Mutant::GoodputIsCompleted) => output,
        _ => compliant.iter().map(|s| tokens(s)).sum(),
    };
    let over = if mutant == Some(Mutant::GoodputOverTheWindow) { window } else { wall };
    put("goodput", per(good, over));
    let residence: u64 = members.iter().map(|s| s.r.end.0 - s.r.sent.0).sum();
    let over = if mutant == Some(Mutant::ConcurrencyOverTheWindow) { window } else { wall };
    let mean = residence as f64 / 1e9 / over;
    put("concurrency", if wall > 0.0 { number(mean) } else { "missing".to_owned() });

    let fed: Vec<&Seen<'_>> = match mutant {
        Some(Mutant::InputOfCompleted) => valid.iter().filter(completed).collect(),
        Some(Mutant::InputOfEveryMember) => members.iter().collect(),
        Some(Mutant::InputOfCompliant) => compliant.clone(),
        _ => members.iter().filter(|s| s.r.first_token.is_some()).collect(),
    };
    let total: u64 = fed.iter().map(|s| u64::from(s.r.isl.unwrap_or(0))).sum();
    put("input", total.to_string());
    let zero = mutant == Some(Mutant::UnknownCachedIsZero);
    let cached: Option<u64> =
        fed.iter().map(|s| s.r.isl.and(s.r.cached).or(zero.then_some(0)).map(u64::from)).sum();
    let cached = cached.filter(|_| !fed.is_empty());
    put("reused", cached.map_or_else(|| "missing".to_owned(), |n| n.to_string()));

    let said = |s: &Seen<'_>| s.tier.is_some() && s.r.queue.is_some();
    let queue_is_said = valid.iter().any(said) || mutant == Some(Mutant::UnknownQueueIsZero);
    let mut screens = Vec::new();
    for (t, tier) in sheet.tiers.iter().enumerate() {
        let of: Vec<&Seen<'_>> = valid.iter().filter(|s| s.tier == Some(t)).collect();
        let name = |what: &str| format!("{} {what}", tier.name);
        let n = of.len() as u64;
        let rules = tokencap_shared::definitions::judge::three_rules(sheet);
        let by_rule = rules.map(|rule| of.iter().filter(|s| plain.complies(s, rule)).count());
        out.insert(name("by rule"), format!("{by_rule:?}"));
        let good = of.iter().filter(|s| plain.complies(s, sheet.itl_rule)).count() as u64;
        let target = f64::from(sheet.attainment);
        screens.push((plain.share(&mut out, &name("attainment"), good, n, target), good, n));

        let never = mutant == Some(Mutant::NeverIsLeftOut);
        let ttft: Vec<Option<f64>> =
            of.iter().map(|s| plain.ttft(s.r)).filter(|t| !never || t.is_some()).collect();
        let limit = tier.ttft.0 as f64;
        let within = |t: &&Option<f64>| t.is_some_and(|t| t <= limit);
        let fast = ttft.iter().filter(within).count() as u64;
        for percent in [50, 99] {
            let value = (!ttft.is_empty()).then(|| time(plain.percentile(&ttft, percent)));
            out.insert(name(&format!("ttft p{percent}")), value.unwrap_or_default());
        }
        screens.push((plain.share(&mut out, &name("ttft"), fast, ttft.len() as u64, 0.99), 0, 1));

        let gaps: Vec<Option<f64>> =
            of.iter().flat_map(|s| s.gaps.iter().map(|gap| Some(gap.0 as f64))).collect();
        let limit = sheet.itl.0 as f64;
        let at_most = mutant == Some(Mutant::ItlP99AtMostLimit);
        let below = |g: &&Option<f64>| g.is_some_and(|g| g < limit || (at_most && g == limit));
        let small = gaps.iter().filter(below).count() as u64;
        let value = (!gaps.is_empty()).then(|| time(plain.percentile(&gaps, 99)));
        out.insert(name("itl p99"), value.unwrap_or_default());
        screens.push((plain.share(&mut out, &name("itl"), small, gaps.len() as u64, 0.99), 0, 1));

        let tpot: Vec<Option<f64>> = of.iter().filter_map(|s| plain.tpot(s)).map(Some).collect();
        let limit = tier.tpot.0 as f64;
        let below = mutant == Some(Mutant::TpotBelowLimit);
        let within = |t: &&Option<f64>| t.is_some_and(|t| t < limit || (!below && t == limit));
        let quick = tpot.iter().filter(within).count() as u64;
        let value = (!tpot.is_empty()).then(|| time(plain.percentile(&tpot, 99)));
        out.insert(name("tpot p99"), value.unwrap_or_default());
        screens.push((plain.share(&mut out, &name("tpot"), quick, tpot.len() as u64, 0.99), 0, 1));

        let zero = mutant == Some(Mutant::UnknownQueueIsZero);
        let queue: Vec<f64> = of
            .iter()
            .filter_map(|s| s.r.queue.or(zero.then_some(Nanos(0))))
            .map(|queue| queue.0 as f64)
            .collect();
        let limit = sheet.queue.0 as f64;
        let at_most = mutant == Some(Mutant::QueueAtMostLimit);
        let short = queue.iter().filter(|&&q| q < limit || (at_most && q == limit)).count();
        if !queue.is_empty() {
            let values: Vec<Option<f64>> = queue.iter().copied().map(Some).collect();
            out.insert(name("queue p99"), time(plain.percentile(&values, 99)));
        }
        // A tier without any request is a tier too; without a source there is no verdict.
        if !queue.is_empty() || (of.is_empty() && queue_is_said) {
            let n = queue.len() as u64;
            plain.share(&mut out, &name("queue"), short as u64, n, 0.99);
        }
    }
    let left =
        |s: &&Seen<'_>| !(mutant == Some(Mutant::UnpromisedLeaveSuccess) && s.tier.is_none());
    let good = valid.iter().filter(left).filter(completed).count() as u64;
    let n = valid.iter().filter(left).count() as u64;
    let success = plain.share(&mut out, "success", good, n, f64::from(sheet.success));
    // Attainment and success alone, as far as point estimates go: held only if every tier is.
    let attainments = screens.iter().step_by(4);
    let together = if mutant == Some(Mutant::OverallAttainmentDecides) {
        let sum = attainments.fold((0, 0), |sum, (_, good, n)| (sum.0 + good, sum.1 + n));
        let target = (f64::from(sheet.attainment) * 1e6).round() as u64;
        if sum.0 * 1_000_000 >= sum.1 * target { Verdict::Held } else { Verdict::Broken }
    } else {
        Verdict::together(attainments.map(|(screen, ..)| *screen))
    };
    out.insert(
        "attainment and success".to_owned(),
        format!("{:?}", Verdict::together([together, success])),
    );
    out
}
