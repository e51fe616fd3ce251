//! Which steps a campaign runs: those of a list, or what a search asks for next.

use std::time::Duration;

use tokencap_shared::definitions::judge::StepJudgement;
use tokencap_shared::definitions::promise::PromiseSheet;
use tokencap_shared::definitions::step::Step;
use tokencap_shared::definitions::workload::Workload;

use crate::drive::plan::StepPlan;
use crate::search::{Answer, Next, Order, Search, Steering};

/// What is still to be run.
pub(super) enum Agenda {
    /// Steps known from the start.
    List(Vec<StepPlan>),
    /// What the search says.
    Search {
        search: Box<Search>,
        /// Seed of the first step.
        seed: u64,
        /// Time for everything, if it is limited.
        budget: Option<Duration>,
        /// What the steps of an interrupted run took.
        earlier: Duration,
    },
}

/// A step to be run.
pub(super) struct Due {
    pub(super) plan: StepPlan,
    /// Who ordered it, if a search did.
    order: Option<Order>,
    /// How many steps there are in all, where that is known.
    pub(super) of: Option<usize>,
    /// Time for this step and those after it, where that is known.
    pub(super) left: Option<Duration>,
}

impl Agenda {
    /// The next step, after those of these numbers and so much time of this run.
    pub(super) fn next(&mut self, done: &[u32], elapsed: Duration) -> Option<Due> {
        match self {
            Self::List(plans) => {
                let left: Vec<_> = plans.iter().filter(|plan| !done.contains(&plan.id)).collect();
                Some(Due {
                    plan: (*left.first()?).clone(),
                    order: None,
                    of: Some(plans.len()),
                    left: Some(left.iter().map(|plan| plan.warmup + plan.window).sum()),
                })
            }
            Self::Search { search, seed, budget, earlier } => {
                let spent = *earlier + elapsed;
                search.spend(spent.into());
                let next = search.next();
                let belief = [0.1, 0.5, 0.9].map(|share| search.belief().quantile(share).get());
                tracing::info!(?next, ?belief, spent_s = spent.as_secs_f64(), "the search decides");
                let Next::Run(order) = next else { return None };
                let id = done.iter().max().map_or(0, |last| last + 1);
                let seed = seed.wrapping_add(u64::from(id));
                let (warmup, window) = (order.warmup.into(), order.window.into());
                let probe = StepPlan::probe(id, order.rate, warmup, window, seed);
                Some(Due {
                    plan: StepPlan { kind: order.kind, ..probe },
                    order: Some(order),
                    of: None,
                    left: budget.map(|budget| budget.saturating_sub(spent)),
                })
            }
        }
    }

    /// Who looks on while a step runs.
    pub(super) fn steering<'a>(
        &'a self,
        due: &Due,
        promise: &'a PromiseSheet,
        workload: &'a Workload,
    ) -> Steering<'a> {
        match (self, due.order) {
            (Self::Search { search, .. }, Some(order)) => {
                Steering::searching(promise, workload, search, order)
            }
            _ => Steering::watching(promise, workload),
        }
    }

    /// Takes in what a step showed.
    pub(super) fn report(&mut self, step: &Step, judged: &StepJudgement) {
        let (rate, verdict) = (judged.offered.get(), judged.verdict);
        tracing::info!(step = step.id, rate, ?verdict, screen = ?judged.screen, "a step is judged");
        if let Self::Search { search, .. } = self {
            search.report(step, judged);
        }
    }

    /// How the search ended, if one did.
    pub(super) fn answer(&self) -> Option<Answer> {
        let Self::Search { search, .. } = self else { return None };
        match search.next() {
            Next::Done(answer) => Some(answer),
            Next::Run(_) => None,
        }
    }
}
