//! Joining the bundles of several generator processes that shared one campaign.
//!
//! Each process ran its part of the same seeded arrivals, and all began each step at one common
//! instant. Their steps are laid over each other at that instant; how far the processes' clocks
//! put it apart is checked, and said.

use std::collections::{BTreeMap, BTreeSet};

use tokencap_shared::bundle::{Bundle, Manifest};
use tokencap_shared::definitions::note::Note;
use tokencap_shared::definitions::origin::{Origin, Shard, Skew};
use tokencap_shared::definitions::record::Request;
use tokencap_shared::definitions::step::{Step, StepKind};
use tokencap_shared::definitions::telemetry::Sample;
use tokencap_shared::units::{Moment, Nanos, Rate};

/// How far apart, by the processes' own clocks, a step may have begun.
pub const TOLERANCE: Nanos = Nanos::from_millis(100);

/// Why bundles do not make one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// It is no part of anything.
    #[error("{name} is not a part of a shared campaign: it was measured without --shard")]
    NotAShard {
        /// The bundle.
        name: String,
    },
    /// Parts of different counts.
    #[error("{name} is part {shard}, but {first} is one of {of}: they are of different campaigns")]
    Count {
        /// The bundle.
        name: String,
        /// Its part.
        shard: Shard,
        /// The first bundle.
        first: String,
        /// Parts of the first bundle's campaign.
        of: u32,
    },
    /// The same part twice.
    #[error("{name} and {other} are the same part, {shard}")]
    Twice {
        /// The bundle.
        name: String,
        /// The other one.
        other: String,
        /// The part.
        shard: Shard,
    },
    /// Parts are missing.
    #[error("part {index} of {of} is missing: all parts together make the campaign")]
    Missing {
        /// Place of the part that is missing, from 0.
        index: u32,
        /// Of how many.
        of: u32,
    },
    /// They did not run the same.
    #[error("{name} and {first} do not belong together: their {what} differ")]
    Differ {
        /// The bundle.
        name: String,
        /// The first one.
        first: String,
        /// What differs.
        what: &'static str,
    },
    /// Their machines' calendars differ.
    #[error(
        "the clocks of {name} and {first} differ by at least {apart_ms} ms, seen at the target's \
         clock: synchronise the machines' clocks and measure again"
    )]
    Calendars {
        /// The bundle.
        name: String,
        /// The first one.
        first: String,
        /// By how much, at least.
        apart_ms: i64,
    },
    /// Their clocks put a step's start too far apart.
    #[error(
        "by their clocks, {name} and {first} began step {step} {apart_ms} ms apart, more than \
         {} ms: synchronise the machines' clocks and measure again", TOLERANCE.0 / 1_000_000
    )]
    Clocks {
        /// The bundle.
        name: String,
        /// The first one.
        first: String,
        /// The step's id.
        step: u32,
        /// How far apart.
        apart_ms: u64,
    },
}

/// A part, with what was found out about it.
struct Part {
    name: String,
    bundle: Bundle,
    shard: Shard,
    /// When its clock stood at zero.
    zero: i128,
}

/// Joins the bundles of all parts of one campaign, given with their names.
///
/// # Errors
/// If they are not the parts, each once, of one campaign, or began their steps too far apart.
pub fn merge(bundles: Vec<(String, Bundle)>) -> Result<Bundle, MergeError> {
    let mut parts = bundles.into_iter().map(part).collect::<Result<Vec<_>, _>>()?;
    parts.sort_by_key(|part| part.shard.index());
    complete(&parts)?;
    let mut parts = parts.into_iter();
    // `complete` has made sure that there is a first one.
    let Some(first) = parts.next() else { return Err(MergeError::Missing { index: 0, of: 1 }) };
    let mut merged = Merged::of(first);
    for part in parts {
        merged.add(part)?;
    }
    Ok(merged.finish())
}

fn part((name, bundle): (String, Bundle)) -> Result<Part, MergeError> {
    match (&bundle.manifest.origin, bundle.manifest.calendar) {
        (&Origin::Shard(shard), Some(calendar)) => {
            Ok(Part { name, bundle, shard, zero: calendar.zero_unix_ns.into() })
        }
        _ => Err(MergeError::NotAShard { name }),
    }
}

/// Checks that the parts, in order, are all there, each once.
fn complete(parts: &[Part]) -> Result<(), MergeError> {
    let Some(first) = parts.first() else { return Err(MergeError::Missing { index: 0, of: 1 }) };
    let of = first.shard.of();
    for part in parts {
        if part.shard.of() != of {
            let (name, first) = (part.name.clone(), first.name.clone());
            return Err(MergeError::Count { name, shard: part.shard, first, of });
        }
    }
    for pair in parts.windows(2) {
        if pair[0].shard == pair[1].shard {
            let (name, other) = (pair[1].name.clone(), pair[0].name.clone());
            return Err(MergeError::Twice { name, other, shard: pair[0].shard });
        }
    }
    let have: BTreeSet<u32> = parts.iter().map(|part| part.shard.index()).collect();
    match (0..of).find(|index| !have.contains(index)) {
        Some(index) => Err(MergeError::Missing { index, of }),
        None => Ok(()),
    }
}

/// What has been joined so far.
struct Merged {
    first: String,
    of: u32,
    zero: i128,
    bundle: Bundle,
    /// Sources whose samples are in.
    sources: BTreeSet<String>,
    apart: u64,
    /// The first part's calendar, and how far another may be from it, in milliseconds; `None`:
    /// not compared.
    skew: Option<Skew>,
    calendars: Option<i64>,
}

impl Merged {
    fn of(part: Part) -> Self {
        let Part { name, bundle, shard, zero } = part;
        let sources = bundle.telemetry.iter().map(|sample| sample.source.clone()).collect();
        let skew = skew(&bundle);
        let calendars = skew.map(|_| 0);
        Self { first: name, of: shard.of(), zero, bundle, sources, apart: 0, skew, calendars }
    }

    fn add(&mut self, part: Part) -> Result<(), MergeError> {
        self.belongs(&part)?;
        self.compare_calendars(&part)?;
        let Part { name, mut bundle, zero, .. } = part;
        let shifts = self.shifts(&name, &bundle.manifest.steps, zero)?;
        let numbers = self.number_errors(&bundle.errors);
        for request in &mut bundle.requests {
            let shift = shifts.get(&request.step).copied().unwrap_or(0);
            move_request(request, shift);
            request.error = request.error.map(|number| numbers[number as usize]);
        }
        self.bundle.requests.append(&mut bundle.requests);
        for (key, gaps) in bundle.gaps {
            match self.bundle.gaps.get_mut(&key) {
                Some(sum) => {
                    sum.auto(true);
                    sum.add(&gaps).expect("a growing histogram holds every value");
                }
                None => _ = self.bundle.gaps.insert(key, gaps),
            }
        }
        for (sum, step) in self.bundle.manifest.steps.iter_mut().zip(&bundle.manifest.steps) {
            let shift = shifts.get(&step.id).copied().unwrap_or(0);
            add_step(sum, step, shift);
        }
        self.add_telemetry(bundle.telemetry, zero);
        let known = &mut self.bundle.manifest.warnings;
        for warning in bundle.manifest.warnings {
            if !known.contains(&warning) {
                known.push(warning);
            }
        }
        Ok(())
    }

    fn belongs(&self, part: &Part) -> Result<(), MergeError> {
        let (a, b): (&Manifest, &Manifest) = (&self.bundle.manifest, &part.bundle.manifest);
        let plan = |step: &Step| {
            let (w0, w1) = (step.w0.since(step.start), step.w1.since(step.start));
            // A closed loop's rate is not asked for: it comes about, in each process its own.
            let asked = (step.kind != StepKind::Closed).then(|| step.asked.get().to_bits());
            (step.id, step.kind, asked, step.seed, w0, w1)
        };
        let plans = |manifest: &Manifest| manifest.steps.iter().map(plan).collect::<Vec<_>>();
        let what = if a.tool != b.tool || a.definitions != b.definitions {
            "versions of tokencap"
        } else if let Some(what) = a.declared().differs(b.declared()) {
            what
        } else if plans(a) != plans(b) {
            "steps"
        } else {
            return Ok(());
        };
        Err(MergeError::Differ { name: part.name.clone(), first: self.first.clone(), what })
    }

    /// The target's clock is the one that all machines saw.
    fn compare_calendars(&mut self, part: &Part) -> Result<(), MergeError> {
        let Some((ours, theirs)) = self.skew.zip(skew(&part.bundle)) else {
            self.calendars = None;
            return Ok(());
        };
        let (at_least, at_most) = ours.apart(theirs);
        if at_least > (TOLERANCE.0 / 1_000_000) as i64 {
            let (name, first) = (part.name.clone(), self.first.clone());
            return Err(MergeError::Calendars { name, first, apart_ms: at_least });
        }
        self.calendars = self.calendars.map(|so_far| so_far.max(at_most));
        Ok(())
    }

    /// By how much the times of each step move to lie over the first part's.
    fn shifts(
        &mut self,
        name: &str,
        steps: &[Step],
        zero: i128,
    ) -> Result<BTreeMap<u32, i128>, MergeError> {
        let mut shifts = BTreeMap::new();
        for (own, step) in self.bundle.manifest.steps.iter().zip(steps) {
            let ours = self.zero + i128::from(own.start.0);
            let theirs = zero + i128::from(step.start.0);
            let apart = u64::try_from(ours.abs_diff(theirs)).unwrap_or(u64::MAX);
            if apart > TOLERANCE.0 {
                return Err(MergeError::Clocks {
                    name: name.into(),
                    first: self.first.clone(),
                    step: step.id,
                    apart_ms: apart / 1_000_000,
                });
            }
            self.apart = self.apart.max(apart);
            shifts.insert(step.id, i128::from(own.start.0) - i128::from(step.start.0));
        }
        Ok(shifts)
    }

    /// The numbers, in the joined dictionary, of a part's error texts.
    fn number_errors(&mut self, errors: &[String]) -> Vec<u32> {
        let all = &mut self.bundle.errors;
        let mut number = |text: &String| {
            let found = all.iter().position(|known| known == text);
            let index = found.unwrap_or_else(|| {
                all.push(text.clone());
                all.len() - 1
            });
            index as u32
        };
        errors.iter().map(&mut number).collect()
    }

    /// Samples of sources that no part before has read: two parts that read the same page would
    /// count it twice.
    fn add_telemetry(&mut self, samples: Vec<Sample>, zero: i128) {
        let shift = zero - self.zero;
        let names: BTreeSet<String> = samples.iter().map(|sample| sample.source.clone()).collect();
        let new = samples.into_iter().filter(|sample| !self.sources.contains(&sample.source));
        self.bundle
            .telemetry
            .extend(new.map(|sample| Sample { time: moved(sample.time, shift), ..sample }));
        self.sources.extend(names);
    }

    fn finish(mut self) -> Bundle {
        let manifest = &mut self.bundle.manifest;
        manifest.origin = Origin::Merged { processes: self.of };
        if let Some(calendar) = &mut manifest.calendar {
            calendar.ahead_of_target_ms = None;
        }
        let apart_ms = self.apart as f64 / 1e6;
        manifest.warnings.push(Note::Together { processes: self.of, apart_ms });
        manifest.warnings.push(match self.calendars {
            Some(most) => Note::ClocksAgree { seconds: most as f64 / 1e3 },
            None => Note::ClocksUnknown,
        });
        let order: BTreeMap<u32, usize> =
            manifest.steps.iter().enumerate().map(|(index, step)| (step.id, index)).collect();
        self.bundle.requests.sort_by_key(|request| {
            (order.get(&request.step).copied(), request.sent, request.session, request.turn)
        });
        self.bundle.telemetry.sort_by_key(|sample| sample.time);
        self.bundle.signoffs.clear();
        self.bundle
    }
}

fn skew(bundle: &Bundle) -> Option<Skew> {
    bundle.manifest.calendar?.ahead_of_target_ms
}

fn add_step(sum: &mut Step, step: &Step, shift: i128) {
    sum.end = sum.end.max(moved(step.end, shift));
    sum.scheduled += step.scheduled;
    if sum.kind == StepKind::Closed {
        sum.asked = Rate::new(sum.asked.get() + step.asked.get()).unwrap_or(sum.asked);
    }
    let (all, one) = (&mut sum.generator, &step.generator);
    // The worst of the processes speaks for all; what one does not know, nobody knows.
    all.cpu_busiest = match (all.cpu_busiest, one.cpu_busiest) {
        (Some(a), Some(b)) => Some(if a.get() < b.get() { b } else { a }),
        _ => None,
    };
    all.stall_p999 = all.stall_p999.zip(one.stall_p999).map(|(a, b)| a.max(b));
    all.read_lag_p99 = all.read_lag_p99.zip(one.read_lag_p99).map(|(a, b)| a.max(b));
    all.dropped += one.dropped;
    if sum.stopped.is_none() {
        sum.stopped.clone_from(&step.stopped);
    }
}

fn move_request(request: &mut Request, shift: i128) {
    for time in [&mut request.intended, &mut request.sent, &mut request.end] {
        *time = moved(*time, shift);
    }
    for time in [&mut request.first_token, &mut request.last_token] {
        *time = time.map(|time| moved(time, shift));
    }
}

fn moved(time: Moment, shift: i128) -> Moment {
    Moment(u64::try_from(i128::from(time.0) + shift).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use tokencap_shared::definitions::origin::Calendar;
    use tokencap_shared::fixture;

    use super::*;

    /// The toy run as one part of `of`, by a clock that stood at zero `zero` ns after another.
    fn part(index: u32, of: u32, zero: i64) -> (String, Bundle) {
        let mut bundle = fixture::bundle();
        bundle.manifest.origin = Origin::Shard(Shard::new(index, of).unwrap());
        let zero_unix_ns = 1_795_000_000_000_000_000 + zero;
        bundle.manifest.calendar = Some(Calendar { zero_unix_ns, ahead_of_target_ms: None });
        (format!("part-{index}"), bundle)
    }

    fn refusal(parts: Vec<(String, Bundle)>) -> String {
        merge(parts).unwrap_err().to_string()
    }

    #[test]
    fn joined_parts_are_a_run_of_all_their_requests_at_common_starts() {
        let alone = fixture::bundle();
        // The second process began 7 s later by its own clock's zero, and every step 7 s earlier
        // on that clock: at the same time.
        let mut late = part(1, 2, 7_000_000_000);
        let bundle = &mut late.1;
        for step in &mut bundle.manifest.steps {
            for time in [&mut step.start, &mut step.w0, &mut step.w1, &mut step.end] {
                *time = Moment(time.0 + 60_000_000_000 - 7_000_000_000);
            }
        }
        for request in &mut bundle.requests {
            move_request(request, 53_000_000_000);
        }
        bundle.errors.insert(0, "another error".into());
        for request in &mut bundle.requests {
            request.error = request.error.map(|number| number + 1);
        }
        let mut first = part(0, 2, 0);
        for step in &mut first.1.manifest.steps {
            for time in [&mut step.start, &mut step.w0, &mut step.w1, &mut step.end] {
                *time = Moment(time.0 + 60_000_000_000);
            }
        }
        for request in &mut first.1.requests {
            move_request(request, 60_000_000_000);
        }
        let joined = merge(vec![late, first]).unwrap();
        assert_eq!(joined.requests.len(), 2 * alone.requests.len());
        for pair in joined.requests.chunks(2) {
            let text = |request: &Request| {
                request.error.map(|number| joined.errors[number as usize].clone())
            };
            assert_eq!(text(&pair[0]), text(&pair[1]));
            assert_eq!(Request { error: None, ..pair[0] }, Request { error: None, ..pair[1] });
        }
        for (key, gaps) in &alone.gaps {
            assert_eq!(joined.gaps[key].len(), 2 * gaps.len());
        }
        for (sum, step) in joined.manifest.steps.iter().zip(&alone.manifest.steps) {
            assert_eq!(sum.scheduled, 2 * step.scheduled);
            assert_eq!(sum.asked, step.asked);
            assert_eq!(sum.generator.dropped, 2 * step.generator.dropped);
        }
        // Both read the same pages: they count once.
        assert_eq!(joined.telemetry.len(), alone.telemetry.len());
        assert_eq!(joined.manifest.origin, Origin::Merged { processes: 2 });
        let together = Note::Together { processes: 2, apart_ms: 0.0 };
        assert_eq!(joined.manifest.warnings, [together, Note::ClocksUnknown]);
    }

    #[test]
    fn clocks_that_differ_too_much_are_refused_with_the_step() {
        let parts = vec![part(0, 2, 0), part(1, 2, 250_000_000)];
        assert!(refusal(parts).contains("step 0 250 ms apart, more than 100 ms"));
        let joined = merge(vec![part(0, 2, 0), part(1, 2, 40_000_000)]).unwrap();
        let together = Note::Together { processes: 2, apart_ms: 40.0 };
        assert!(joined.manifest.warnings.contains(&together));
    }

    #[test]
    fn calendars_that_differ_at_the_targets_clock_are_refused() {
        let parts = |least, most| {
            let mut parts = vec![part(0, 2, 0), part(1, 2, 0)];
            for (part, skew) in parts.iter_mut().zip([(-900, 100), (least, most)]) {
                let calendar = part.1.manifest.calendar.as_mut().unwrap();
                calendar.ahead_of_target_ms = Skew::new(skew.0, skew.1);
            }
            parts
        };
        assert!(refusal(parts(400, 1400)).contains("differ by at least 300 ms, seen at"));
        let joined = merge(parts(-400, 600)).unwrap();
        let agree = Note::ClocksAgree { seconds: 1.5 };
        assert_eq!(joined.manifest.warnings.last(), Some(&agree));
    }

    #[test]
    fn parts_that_do_not_belong_together_are_refused() {
        let change = |alter: fn(&mut Manifest)| {
            let mut other = part(1, 2, 0);
            alter(&mut other.1.manifest);
            refusal(vec![part(0, 2, 0), other])
        };
        assert!(change(|m| m.deployment.model = "x".into()).contains("their deployments differ"));
        assert!(change(|m| m.workload.name = "x".into()).contains("their workloads differ"));
        assert!(change(|m| m.steps[1].seed += 1).contains("their steps differ"));
        assert!(change(|m| _ = m.steps.pop()).contains("their steps differ"));
        assert!(change(|m| m.tool = "tokencap 9".into()).contains("versions of tokencap differ"));
        assert!(refusal(vec![part(0, 3, 0), part(2, 3, 0)]).contains("part 1 of 3 is missing"));
        assert!(refusal(vec![part(0, 2, 0), part(1, 3, 0)]).contains("different campaigns"));
        assert!(refusal(vec![part(1, 2, 0), part(1, 2, 0)]).contains("the same part, 1/2"));
        assert!(refusal(vec![("a".into(), fixture::bundle())]).contains("without --shard"));
        assert!(refusal(vec![]).contains("missing"));
    }
}
