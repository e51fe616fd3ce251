//! Small crafted sets, each at the border of some definition, and random ones.

use proptest::prelude::*;
use tokencap_shared::definitions::promise::{
    Fields, GapQuantile, ItlRule, PromiseSheet, Target, Tier, VerdictMode,
};
use tokencap_shared::definitions::record::{
    ClientFaultKind, FailureKind, GapSummary, Outcome, Request,
};
use tokencap_shared::definitions::step::{GeneratorEvidence, Step, StepKind};
use tokencap_shared::definitions::workload::Workload;
use tokencap_shared::units::{Moment, Nanos, Rate, Share};

use crate::numbers::Case;

const MS: u64 = 1_000_000;
const W0: u64 = 10_000 * MS;
const W1: u64 = 20_000 * MS;
const FAILED: Outcome = Outcome::Failed(FailureKind::Disconnected);

/// A request as a crafted case tells it, in milliseconds.
#[derive(Debug)]
struct Told {
    sent: u64,
    ttft: Option<u64>,
    gaps: Vec<u64>,
    osl: Option<u32>,
    isl: Option<u32>,
    outcome: Outcome,
    queue: Option<u64>,
    cached: Option<u32>,
    lag: u64,
    /// From the last token to the end.
    after: u64,
}

/// A request of 100 prompt tokens, first token after 100 ms and a gap of 20 ms a token.
fn at(sent: u64) -> Told {
    Told {
        sent,
        ttft: Some(100),
        gaps: vec![20; 4],
        osl: Some(5),
        isl: Some(100),
        outcome: Outcome::Completed,
        queue: Some(5),
        cached: Some(10),
        lag: 0,
        after: 1,
    }
}

impl Told {
    fn record(&self) -> (Request, Vec<Nanos>) {
        let gaps: Vec<Nanos> = self.gaps.iter().map(|&gap| Nanos(gap * MS)).collect();
        let streamed: u64 = self.gaps.iter().sum();
        let first = self.ttft.map(|ttft| Moment((self.sent + ttft) * MS));
        let last = first.map(|first| Moment(first.0 + streamed * MS));
        let request = Request {
            step: 0,
            session: 0,
            turn: 0,
            intended: Moment((self.sent - self.lag) * MS),
            sent: Moment(self.sent * MS),
            first_token: first,
            last_token: last,
            end: Moment(last.map_or(self.sent * MS, |last| last.0) + self.after * MS),
            isl: self.isl,
            osl: self.osl,
            cached: self.cached,
            queue: self.queue.map(|queue| Nanos(queue * MS)),
            events: first.map_or(0, |_| gaps.len() as u32 + 1),
            gaps: GapSummary::of(&mut gaps.clone()),
            outcome: self.outcome,
            status: None,
            error: None,
        };
        (request, gaps)
    }
}

fn share(value: f64) -> Share {
    Share::new(value).expect("a share")
}

/// Tiers S (1–1000, TTFT 500 ms, TPOT 40 ms) and L (1001–10000, 2 s, 40 ms); ITL 100 ms,
/// queue 300 ms; attainment 0.9, success 0.9: 1 of 10 may be bad.
fn sheet(itl_rule: ItlRule) -> PromiseSheet {
    let tier = |name: &str, isl_min, isl_max, ttft| Tier {
        name: name.to_owned(),
        isl_min,
        isl_max,
        ttft: Nanos(ttft * MS),
        tpot: Nanos(40 * MS),
    };
    PromiseSheet::try_from(Fields {
        name: "crafted".to_owned(),
        note: String::new(),
        itl: Nanos(100 * MS),
        itl_rule,
        queue: Nanos(300 * MS),
        success: Target::try_from(0.9).expect("a target"),
        attainment: Target::try_from(0.9).expect("a target"),
        confidence: share(0.95),
        mode: VerdictMode::Confidence,
        watched: Vec::new(),
        sign_off: Vec::new(),
        tiers: vec![tier("S", 1, 1000, 500), tier("L", 1001, 10_000, 2000)],
    })
    .expect("a sheet")
}

fn default_rule() -> ItlRule {
    ItlRule::GapShare { q: GapQuantile::P99, stall: Nanos(1000 * MS) }
}

fn case(name: &'static str, told: &[Told]) -> Case {
    with_rule(name, default_rule(), told)
}

fn with_rule(name: &'static str, rule: ItlRule, told: &[Told]) -> Case {
    let mut records: Vec<_> = told.iter().map(Told::record).collect();
    records.sort_by_key(|(request, _)| request.sent);
    let (requests, gaps) = records.into_iter().unzip();
    Case {
        name,
        sheet: sheet(rule),
        step: Step {
            id: 0,
            kind: StepKind::Probe,
            asked: Rate::new(1.0).expect("a rate"),
            seed: 0,
            start: Moment(0),
            w0: Moment(W0),
            w1: Moment(W1),
            end: Moment(W1),
            scheduled: 0,
            generator: GeneratorEvidence::default(),
            stopped: None,
            abandoned: None,
        },
        workload: Workload::mix("crafted", Vec::new()),
        requests,
        gaps,
    }
}

/// `n` plain requests of the short tier, 50 ms apart.
fn plain(n: u64) -> Vec<Told> {
    (0..n).map(|i| at(10_100 + 50 * i)).collect()
}

fn joined(mut told: Vec<Told>, more: Vec<Told>) -> Vec<Told> {
    told.extend(more);
    told
}

/// `bad` gaps of `size` ms among `m`, the others 10 ms.
fn gaps(m: usize, bad: usize, size: u64) -> Vec<u64> {
    (0..m).map(|i| if i < bad { size } else { 10 }).collect()
}

/// Every crafted case.
pub(crate) fn all() -> Vec<Case> {
    let streamed =
        |sent, gaps: Vec<u64>| Told { osl: Some(gaps.len() as u32 + 1), gaps, ..at(sent) };
    vec![
        case("nothing at all", &[]),
        case("only a warm-up that ends inside the window", &[at(9_950)]),
        case("one plain request", &[at(12_000)]),
        case(
            "limits themselves comply, or are strict",
            &[
                Told { ttft: Some(500), ..at(11_000) },
                Told { ttft: Some(501), ..at(11_500) },
                Told { ttft: Some(500), lag: 1, ..at(11_700) },
                streamed(12_000, vec![100, 100]),
                streamed(12_500, vec![40, 40, 40]),
                Told { queue: Some(300), ..at(13_000) },
                Told { queue: Some(299), ..at(13_500) },
            ],
        ),
        case(
            "one bad gap of a hundred, and two",
            &[
                streamed(11_000, gaps(100, 1, 101)),
                streamed(12_000, gaps(100, 2, 101)),
                streamed(13_000, gaps(99, 1, 101)),
                streamed(14_000, gaps(100, 1, 1000)),
                streamed(15_000, gaps(100, 1, 1001)),
            ],
        ),
        case(
            "good on average, with a stall",
            &[streamed(11_000, vec![10, 150]), streamed(12_000, vec![10, 150, 10])],
        ),
        with_rule(
            "by the mean gap",
            ItlRule::MeanGap,
            &[streamed(11_000, vec![100, 100]), streamed(12_000, vec![99, 102])],
        ),
        with_rule(
            "by the worst gap",
            ItlRule::WorstGap,
            &[streamed(11_000, vec![100, 100]), streamed(12_000, vec![10, 101])],
        ),
        case(
            "answers of one token",
            &[
                Told { gaps: vec![], osl: Some(1), ..at(11_000) },
                Told { gaps: vec![], osl: Some(1), ttft: Some(501), ..at(12_000) },
                streamed(13_000, vec![39, 41]),
            ],
        ),
        case(
            "several tokens in a chunk",
            &[
                Told { gaps: vec![50, 50], osl: Some(21), ..at(11_000) },
                Told { gaps: vec![], osl: Some(8), ..at(12_000) },
            ],
        ),
        case(
            "slow tokens or a long queue are compliant all the same",
            &[
                streamed(11_000, vec![60, 60]),
                Told { queue: Some(400), ..at(12_000) },
                Told { queue: None, ..at(13_000) },
            ],
        ),
        case(
            "borders of the window",
            &[
                at(9_999),
                at(10_000),
                at(19_999),
                at(20_000),
                Told { lag: 5, ..at(10_003) },
                Told { lag: 5, isl: Some(5000), ..at(20_003) },
                Told { ttft: Some(400), ..at(19_990) },
            ],
        ),
        case(
            "a tail beyond the window",
            &[at(11_000), Told { isl: Some(5000), ttft: Some(1900), after: 50, ..at(19_900) }],
        ),
        case(
            "failures: partial, instant, slow",
            &[
                at(11_000),
                Told { outcome: FAILED, osl: Some(3), gaps: vec![20, 20], ..at(12_000) },
                Told {
                    outcome: FAILED,
                    ttft: None,
                    gaps: vec![],
                    osl: Some(0),
                    queue: None,
                    after: 5,
                    ..at(12_500)
                },
                Told {
                    outcome: FAILED,
                    ttft: None,
                    gaps: vec![],
                    osl: None,
                    cached: None,
                    queue: None,
                    after: 9000,
                    ..at(13_000)
                },
            ],
        ),
        case(
            "the user gives up",
            &joined(
                plain(3),
                vec![
                    Told {
                        outcome: Outcome::Cancelled,
                        osl: Some(2),
                        gaps: vec![20],
                        ..at(12_000)
                    },
                    Told {
                        outcome: Outcome::Cancelled,
                        ttft: None,
                        gaps: vec![],
                        osl: None,
                        queue: None,
                        after: 700,
                        ..at(12_500)
                    },
                    Told {
                        outcome: Outcome::Cancelled,
                        ttft: None,
                        gaps: vec![],
                        osl: None,
                        queue: None,
                        after: 8000,
                        ..at(13_500)
                    },
                ],
            ),
        ),
        case(
            "the plan is wrong",
            &joined(
                plain(3),
                vec![Told {
                    outcome: Outcome::ClientFault(ClientFaultKind::PromptTooLong),
                    ttft: None,
                    gaps: vec![],
                    osl: None,
                    isl: Some(9_000),
                    queue: None,
                    ..at(12_000)
                }],
            ),
        ),
        case(
            "unknown and unpromised prompts",
            &[
                at(11_000),
                Told { isl: None, cached: None, ..at(12_000) },
                Told { isl: Some(0), cached: Some(0), ..at(12_100) },
                Told { isl: Some(10_001), outcome: FAILED, ..at(12_200) },
                Told { isl: Some(1000), ..at(13_000) },
                Told { isl: Some(1001), ttft: Some(1999), ..at(14_000) },
                Told { isl: Some(10_000), ..at(15_000) },
            ],
        ),
        case("caching that is not told", &[at(11_000), Told { cached: None, ..at(12_000) }]),
        case(
            "a collapsed tier under a good overall mean",
            &joined(
                plain(30),
                vec![
                    Told { isl: Some(5000), ttft: Some(3000), ..at(13_000) },
                    Told { isl: Some(5000), ttft: Some(3000), ..at(14_000) },
                ],
            ),
        ),
        case(
            "exactly the target",
            &joined(plain(9), vec![Told { ttft: Some(600), outcome: FAILED, ..at(13_000) }]),
        ),
        case(
            "a hundred: one may be worst",
            &joined(plain(99), vec![Told { ttft: Some(499), ..at(19_000) }]),
        ),
        case(
            "a hundred and one",
            &(0..101)
                .map(|i| Told { ttft: Some(100 + i), ..at(10_000 + 90 * i) })
                .collect::<Vec<_>>(),
        ),
        case("enough to prove it", &plain(120)),
        case(
            "equal instants",
            &(0..40).map(|i| Told { ttft: Some(480 + i), ..at(15_000) }).collect::<Vec<_>>(),
        ),
    ]
}

fn outcomes() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        8 => Just(Outcome::Completed),
        2 => Just(FAILED),
        1 => Just(Outcome::Cancelled),
        1 => Just(Outcome::ClientFault(ClientFaultKind::BadRequest)),
    ]
}

fn told() -> impl Strategy<Value = Told> {
    let gap = prop_oneof![4 => 1_u64..60, 1 => 95_u64..105, 1 => 900_u64..1100];
    (
        (8_000_u64..22_000, prop::option::weighted(0.9, 1_u64..2500)),
        prop::collection::vec(gap, 0..150),
        (0_u32..6, prop::option::weighted(0.95, 1_u32..11_000)),
        (
            outcomes(),
            prop::option::weighted(0.8, 0_u64..400),
            any::<bool>(),
            0_u64..50,
            0_u64..3000,
        ),
    )
        .prop_map(|((sent, ttft), gaps, (extra, isl), (outcome, queue, said, lag, after))| {
            let ttft = if outcome == Outcome::Completed { ttft.or(Some(77)) } else { ttft };
            let gaps = if ttft.is_some() { gaps } else { Vec::new() };
            let osl = ttft.map(|_| gaps.len() as u32 + 1 + extra);
            let cached = isl.filter(|_| said).map(|isl| isl / 2);
            Told { sent, ttft, gaps, osl, isl, outcome, queue, cached, lag, after }
        })
}

/// Random sets under random rules.
pub(crate) fn random() -> impl Strategy<Value = Case> {
    let rule = prop_oneof![
        Just(default_rule()),
        Just(ItlRule::GapShare { q: GapQuantile::P95, stall: Nanos(950 * MS) }),
        Just(ItlRule::WorstGap),
        Just(ItlRule::MeanGap),
    ];
    (rule, prop::collection::vec(told(), 0..60))
        .prop_map(|(rule, told)| with_rule("random", rule, &told))
}
