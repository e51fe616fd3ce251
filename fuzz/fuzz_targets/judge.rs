//! Any bytes as a step, its requests and a promise sheet: judged without a panic, and with what
//! holds of every judgement.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tokencap_shared::definitions::judge::{Evidence, Gaps};
use tokencap_shared::definitions::promise::{
    Fields, GapQuantile, ItlRule, PromiseSheet, Target, Tier, VerdictMode,
};
use tokencap_shared::definitions::record::{GapSummary, Outcome, Request};
use tokencap_shared::definitions::step::{GeneratorEvidence, Step, StepKind};
use tokencap_shared::definitions::workload::{Length, Shape, Think, Workload};
use tokencap_shared::units::{Moment, Nanos, Rate, Share};

#[path = "../../shared/tests/judge/invariants.rs"]
mod invariants;

/// Numbers out of bytes; zeros after their end.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let (&first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        first
    }

    fn below(&mut self, n: u8) -> u8 {
        self.byte() % n
    }

    /// A number of a few steps, a large one, or one at an edge of the integers.
    fn number(&mut self, unit: u64) -> u64 {
        match self.byte() {
            255 => u64::MAX,
            254 => u64::from_le_bytes([(); 8].map(|()| self.byte())),
            253 => (1 << 53) + u64::from(self.byte()),
            252 => u64::from(self.byte()),
            few => u64::from(few) * unit,
        }
    }

    fn perhaps<T>(&mut self, of: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let there = self.below(8) > 0;
        there.then(|| of(self))
    }
}

const MS: u64 = 1_000_000;

fuzz_target!(|input: &[u8]| {
    let mut bytes = Bytes(input);
    let Some(sheet) = sheet(&mut bytes) else { return };
    let mut workload = Workload::mix("fuzz", Vec::new());
    if bytes.below(4) == 0 {
        workload.shape = sessions(u32::from(bytes.below(4)));
    }
    let exact = bytes.below(2) == 0;
    let step = step(&mut bytes);
    let (mut requests, mut lists) = (Vec::new(), Vec::new());
    while !bytes.0.is_empty() && requests.len() < 400 {
        let (request, gaps) = request(&mut bytes, step.w0);
        requests.push(request);
        lists.push(gaps);
    }
    let gaps = if exact { Gaps::Exact(&lists) } else { Gaps::None };
    let evidence = Evidence { step: &step, requests: &requests, gaps, telemetry: &[] };
    invariants::check(evidence, &sheet, &workload);
});

fn sheet(bytes: &mut Bytes<'_>) -> Option<PromiseSheet> {
    let mut from = 1;
    let tiers = (0..=bytes.below(3))
        .map(|at| {
            let isl_min = from;
            let isl_max = isl_min + u32::from(bytes.byte());
            from = isl_max + 1;
            let (ttft, tpot) = (Nanos(bytes.number(MS)), Nanos(bytes.number(MS)));
            Tier { name: at.to_string(), isl_min, isl_max, ttft, tpot }
        })
        .collect();
    let q = [GapQuantile::P99, GapQuantile::P95][usize::from(bytes.below(2))];
    let itl_rule = match bytes.below(3) {
        0 => ItlRule::GapShare { q, stall: Nanos(bytes.number(10 * MS)) },
        1 => ItlRule::WorstGap,
        _ => ItlRule::MeanGap,
    };
    let target = |bytes: &mut Bytes<'_>| Target::new(1 + u32::from(bytes.byte()), 256).ok();
    PromiseSheet::try_from(Fields {
        name: String::new(),
        note: String::new(),
        itl: Nanos(bytes.number(MS)),
        itl_rule,
        queue: Nanos(bytes.number(MS)),
        success: target(bytes)?,
        attainment: target(bytes)?,
        confidence: Share::new(0.5 + f64::from(bytes.byte()) / 513.0).ok()?,
        mode: if bytes.below(4) == 0 { VerdictMode::Point } else { VerdictMode::Confidence },
        watched: Vec::new(),
        sign_off: Vec::new(),
        tiers,
    })
    .ok()
}

fn sessions(steps: u32) -> Shape {
    let (new_tokens, output_tokens) = (Length::Fixed { tokens: 1 }, Length::Fixed { tokens: 1 });
    let think = Think { mean_ns: Nanos(0), cv: 0.0 };
    Shape::Sessions { shared_prefix: 0, steps, new_tokens, output_tokens, think }
}

fn step(bytes: &mut Bytes<'_>) -> Step {
    let start = bytes.number(100 * MS);
    let w0 = Moment(start) + Nanos(bytes.number(100 * MS));
    let w1 = w0 + Nanos(bytes.number(60_000 * MS));
    let kind = [StepKind::Probe, StepKind::Confirm, StepKind::Soak, StepKind::Closed];
    Step {
        id: 0,
        kind: kind[usize::from(bytes.below(4))],
        asked: Rate::ZERO,
        seed: 0,
        start: Moment(start),
        w0,
        w1,
        end: w1,
        scheduled: bytes.number(1),
        generator: GeneratorEvidence::default(),
        stopped: None,
        abandoned: None,
    }
}

/// A request with its gaps. Its times need not make sense.
fn request(bytes: &mut Bytes<'_>, w0: Moment) -> (Request, Vec<Nanos>) {
    let sent = w0 + Nanos(bytes.number(500 * MS));
    let first_token = bytes.perhaps(|bytes| sent + Nanos(bytes.number(MS)));
    let mut gaps: Vec<Nanos> = (0..bytes.below(6)).map(|_| Nanos(bytes.number(MS))).collect();
    let last_token = first_token.map(|first| first + gaps.iter().copied().sum());
    let outcomes: Vec<Outcome> = Outcome::all().collect();
    let outcome = usize::from(bytes.below(32));
    let request = Request {
        step: 0,
        session: u32::from(bytes.below(8)),
        turn: u32::from(bytes.below(4)),
        intended: sent - Nanos(bytes.number(1000)),
        sent,
        first_token,
        last_token,
        end: last_token.unwrap_or(sent) + Nanos(bytes.number(MS)),
        isl: bytes.perhaps(|bytes| bytes.number(4) as u32),
        osl: bytes.perhaps(|bytes| bytes.number(1) as u32),
        cached: bytes.perhaps(|bytes| bytes.number(2) as u32),
        queue: bytes.perhaps(|bytes| Nanos(bytes.number(MS))),
        events: gaps.len() as u32 + 1,
        gaps: GapSummary::of(&mut gaps).filter(|_| bytes.below(16) > 0),
        outcome: outcomes.get(outcome).copied().unwrap_or(Outcome::Completed),
        status: None,
        error: None,
    };
    (request, gaps)
}
