//! Every promise of the sheet, judged on what the pass counted.

use super::figures::Percentiles;
use super::gaps::TierGaps;
use super::pass::{Pass, TierPass, exceeds};
use super::queue::QueueHistogram;
use super::verdict::{PromiseVerdict, Quantity, ShareEvidence, Terms, Verdict, screen};
use crate::definitions::measured::{Measured, Missing};
use crate::definitions::promise::{PromiseKind, PromiseSheet, Target, VerdictMode};
use crate::stats::dependence::Series;
use crate::units::{Nanos, Seconds, Share};

/// Latencies of one tier that promises are about.
pub(crate) struct TierLatencies<'a> {
    pub(crate) ttft: &'a Percentiles,
    pub(crate) tpot: &'a Percentiles<Seconds>,
    pub(crate) queue: &'a Measured<Percentiles>,
    pub(crate) gaps: &'a Measured<TierGaps>,
    pub(crate) floors: Floors,
}

/// The least variance inflation to assume of a tier's promises, from the tails of its own
/// quantities.
#[derive(Clone, Copy)]
pub(crate) struct Floors {
    pub(crate) ttft: f64,
    pub(crate) tpot: f64,
    pub(crate) queue: f64,
    pub(crate) gaps: f64,
}

/// Judges promises of one sheet.
pub(crate) struct Judge<'a> {
    pub(crate) sheet: &'a PromiseSheet,
    pub(crate) terms: Terms,
}

impl Judge<'_> {
    /// The promises of one tier, in the order of kinds.
    pub(crate) fn tier(
        &self,
        tier: usize,
        pass: &TierPass,
        latencies: &TierLatencies<'_>,
        unknown_gaps: u64,
        out: &mut Vec<PromiseVerdict>,
    ) {
        let limits = &self.sheet.tiers[tier];
        let floors = latencies.floors;
        let both = floors.ttft.max(floors.gaps);
        out.push(self.attainment(tier, pass, both, unknown_gaps));
        out.push(self.percentile(
            PromiseKind::TtftP99,
            tier,
            limits.ttft,
            (!pass.ttft.keys.is_empty()).then_some(latencies.ttft.p99),
            &pass.ttft_series,
            floors.ttft,
        ));
        out.push(self.itl(tier, pass, latencies));
        let tpot = latencies.tpot.p99.map(Nanos::rounded_up);
        out.push(self.percentile(
            PromiseKind::TpotP99,
            tier,
            limits.tpot,
            (!pass.tpot.keys.is_empty()).then_some(tpot),
            &pass.tpot_series,
            floors.tpot,
        ));
        match latencies.queue {
            Measured::Value(queue) => out.push(self.percentile(
                PromiseKind::QueueP99,
                tier,
                self.sheet.queue,
                Some(queue.p99),
                &pass.queue_series,
                floors.queue,
            )),
            Measured::Missing(reason) => out.push(self.unjudged(
                PromiseKind::QueueP99,
                Some(tier),
                Quantity::Time(Some(self.sheet.queue)),
                reason.clone(),
            )),
        }
    }

    /// Share of a tier's valid requests that comply.
    fn attainment(
        &self,
        tier: usize,
        pass: &TierPass,
        floor: f64,
        unknown_gaps: u64,
    ) -> PromiseVerdict {
        let kind = PromiseKind::Attainment;
        let target = self.sheet.attainment;
        let limit = Quantity::Share(target.share());
        if pass.valid == 0 {
            return self.unjudged(kind, Some(tier), limit, Missing::NoRequests);
        }
        if exceeds(unknown_gaps, pass.valid) {
            return self.unjudged(kind, Some(tier), limit, Missing::NotRecorded);
        }
        let evidence = ShareEvidence::of(&pass.attainment, target, floor, self.terms);
        let mut verdict = self.share(kind, Some(tier), limit, target, evidence.clone());
        // Users cancel because of slowness: with more than 1 % cancelled, the promise is held
        // only if it would be with every cancelled request counted as bad.
        let all = pass.valid + pass.cancelled;
        if verdict.verdict == Verdict::Held
            && self.sheet.mode == VerdictMode::Confidence
            && pass.cancelled as u128 * 100 > u128::from(all)
        {
            let (vif, episodes) = (evidence.vif.get(), evidence.episodes);
            let worst = ShareEvidence::new(pass.compliant, all, target, vif, episodes, self.terms);
            if worst.verdict() != Verdict::Held {
                verdict.verdict = Verdict::Insufficient;
            }
        }
        verdict
    }

    /// A promise on the P99 of all gaps of a tier; strict.
    fn itl(&self, tier: usize, pass: &TierPass, latencies: &TierLatencies<'_>) -> PromiseVerdict {
        let kind = PromiseKind::ItlP99;
        let limit = Quantity::Time(Some(self.sheet.itl));
        let gaps = match latencies.gaps {
            Measured::Missing(reason) => {
                return self.unjudged(kind, Some(tier), limit, reason.clone());
            }
            Measured::Value(gaps) if gaps.percentiles.n == 0 => {
                return self.unjudged(kind, Some(tier), limit, Missing::NoRequests);
            }
            Measured::Value(gaps) => gaps,
        };
        // The gaps of one request depend on each other as much as they like: in number they
        // count no more than their requests do.
        let n = gaps.percentiles.n;
        let a_request = n as f64 / pass.requests_with_gaps.max(1) as f64;
        let inflation = pass
            .gap_series
            .inflation(self.terms.batches)
            .max(latencies.floors.gaps * a_request.max(1.0));
        let episodes = pass.gap_series.episodes();
        let evidence = ShareEvidence::new(gaps.good, n, P99, inflation, episodes, self.terms);
        let mut verdict = self.share(kind, Some(tier), limit, P99, evidence);
        verdict.measured = Measured::Value(Quantity::Time(gaps.percentiles.p99));
        verdict
    }

    /// A promise on a P99: at least 99 % of the values keep to the limit.
    fn percentile(
        &self,
        kind: PromiseKind,
        tier: usize,
        limit: Nanos,
        p99: Option<Option<Nanos>>,
        series: &Series,
        floor: f64,
    ) -> PromiseVerdict {
        let limit = Quantity::Time(Some(limit));
        let Some(p99) = p99 else {
            return self.unjudged(kind, Some(tier), limit, Missing::NoRequests);
        };
        let evidence = ShareEvidence::of(series, P99, floor, self.terms);
        let mut verdict = self.share(kind, Some(tier), limit, P99, evidence);
        verdict.measured = Measured::Value(Quantity::Time(p99));
        verdict
    }

    /// Share of valid requests that completed.
    pub(crate) fn success(&self, pass: &Pass, floor: f64) -> PromiseVerdict {
        let target = self.sheet.success;
        let limit = Quantity::Share(target.share());
        if pass.counts.valid == 0 {
            return self.unjudged(PromiseKind::Success, None, limit, Missing::NoRequests);
        }
        let evidence = ShareEvidence::of(&pass.success, target, floor, self.terms);
        self.share(PromiseKind::Success, None, limit, target, evidence)
    }

    /// The queue promise of the whole step, where only a server's histogram tells.
    pub(crate) fn queue(&self, histogram: &QueueHistogram, floor: f64) -> PromiseVerdict {
        let limit = self.sheet.queue;
        let terms = self.terms;
        let (screen, evidence, confident) = histogram.judge(limit, P99, floor, terms);
        let kind = PromiseKind::QueueP99;
        PromiseVerdict {
            kind,
            tier: None,
            signed: self.sheet.is_signed(kind),
            limit: Quantity::Time(Some(limit)),
            measured: Measured::Value(histogram.p99()),
            evidence: Measured::Value(evidence),
            verdict: if self.sheet.mode == VerdictMode::Point { screen } else { confident },
            screen,
        }
    }

    fn share(
        &self,
        kind: PromiseKind,
        tier: Option<usize>,
        limit: Quantity,
        target: Target,
        evidence: ShareEvidence,
    ) -> PromiseVerdict {
        let screen = screen(evidence.good, evidence.n, target);
        let verdict = match self.sheet.mode {
            VerdictMode::Confidence => evidence.verdict(),
            VerdictMode::Point => screen,
        };
        let point = Share::of(evidence.good, evidence.n).map(Quantity::Share);
        PromiseVerdict {
            kind,
            tier,
            signed: self.sheet.is_signed(kind),
            limit,
            measured: Measured::of(point, Missing::NoRequests),
            evidence: Measured::Value(evidence),
            verdict,
            screen,
        }
    }

    /// A promise without a source, or without any request.
    pub(crate) fn unjudged(
        &self,
        kind: PromiseKind,
        tier: Option<usize>,
        limit: Quantity,
        reason: Missing,
    ) -> PromiseVerdict {
        let verdict = match reason {
            Missing::NoRequests => Verdict::Insufficient,
            _ => Verdict::NotObserved,
        };
        PromiseVerdict {
            kind,
            tier,
            signed: self.sheet.is_signed(kind),
            limit,
            measured: Measured::Missing(reason.clone()),
            evidence: Measured::Missing(reason),
            verdict,
            screen: verdict,
        }
    }
}

/// The share behind every promise on a P99.
pub(crate) const P99: Target = Target::P99;
