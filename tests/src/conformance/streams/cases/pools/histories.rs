//! Random histories of tasks: whatever they do, what they compute is what a CPU computes in program order.

use super::{
    super::{
        super::{
            super::{Checked, Stop},
            StreamSubject,
        },
        StreamCase, case,
    },
    history::History,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![case("pool_random_histories", random_histories)]
}

/// Steps of one history.
const STEPS: u32 = 80;

fn random_histories<S: StreamSubject>(on: &S) -> Checked {
    let scale = on.facts().scale;
    for seed in (scale.seed..).take(scale.histories as usize) {
        let mut history = History::new(on, seed);
        let ran = (0..STEPS).try_for_each(|_| history.step()).and_then(|()| history.finish());
        if let Err(Stop::Failed(what)) = ran {
            return Err(Stop::Failed(format!("the history of seed {seed}: {what}")));
        }
    }
    Ok(())
}
