//! A search goes on from the steps of an interrupted one.

use tokencap::search::{Answer, Next, Search, Settings};
use tokencap_studies::truth::Lab;
use tokencap_studies::truth::measure::search;

use crate::closed_form::m_d_1;

#[test]
fn wherever_a_search_is_interrupted_its_next_step_is_the_one_that_would_have_come() {
    let case = m_d_1();
    let mut steps = Vec::new();
    let found = search(&case, 1, None, &mut |step, judged| {
        steps.push((step.clone(), judged.clone()));
    });
    let lab = Lab { config: &case.config, workload: &case.workload, promise: &case.promise };
    let goal = Settings::default().goal(lab.alone().unwrap(), &case.workload, None);
    for done in 0..steps.len() {
        let mut resumed = Search::new(goal);
        for (step, judged) in &steps[..done] {
            resumed.report(step, judged);
        }
        let Next::Run(order) = resumed.next() else { panic!("ended after {done} steps") };
        let (came, _) = &steps[done];
        assert_eq!((order.kind, order.rate), (came.kind, came.asked), "after {done} steps");
    }
    let mut ended = Search::new(goal);
    for (step, judged) in &steps {
        ended.report(step, judged);
    }
    let signed = found.unwrap().rate.unwrap();
    assert_eq!(ended.next(), Next::Done(Answer::Signed(signed)));
}
