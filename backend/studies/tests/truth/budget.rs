//! A search that is given a time keeps it.

use std::time::Duration;

use tokencap_shared::units::Nanos;
use tokencap_studies::truth::measure::search;

use crate::closed_form::m_d_1;

#[test]
fn a_search_keeps_its_budget_but_for_what_its_last_requests_take() {
    let case = m_d_1();
    for minutes in [1, 3, 10, 45] {
        for seed in [1, 2, 3] {
            let budget = Duration::from_secs(60 * minutes);
            let (mut log, mut drain) = (String::new(), Nanos(0));
            let found = search(&case, seed, Some(budget), &mut |step, judged| {
                drain = step.end.since(step.w1);
                let took = step.end.since(step.start).seconds().get();
                let (kind, rate) = (step.kind, step.asked.get());
                log += &format!("{kind:?} {rate:.3} {took:.0} s {:?}\n", judged.screen);
            });
            let found = found.unwrap();
            let whole = found.time.0 - drain.0;
            let seconds = whole / 1_000_000_000;
            assert!(found.steps > 0, "{minutes} min, seed {seed}");
            assert!(u128::from(whole) <= budget.as_nanos(), "{seconds} s, {minutes} min:\n{log}");
        }
    }
}
