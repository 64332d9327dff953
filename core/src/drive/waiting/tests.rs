//! A wait ends only with a value that is below 1.

use std::{cell::RefCell, time::Duration};

use super::*;
use crate::backend::WaitHint;

/// Answers in order, then in time.
struct Answers(RefCell<Vec<WaitOutcome>>);
impl HostWait for Answers {
    fn wait(&self, _: SignalHandle, _: SignalValue, _: WaitHint, _: Duration) -> WaitOutcome {
        self.0.borrow_mut().pop().unwrap_or(WaitOutcome::TimedOut)
    }
    fn force(&self, _: SignalHandle) {}
}

fn waited(first: WaitOutcome, second: WaitOutcome) -> WaitOutcome {
    let answers = Answers(RefCell::new(vec![second, first]));
    wait_until_done(&answers, &WaitPolicy::default(), SignalHandle::new(1), SignalMemory::Interrupt)
}

#[test]
fn a_backend_that_ends_a_wait_early_proves_nothing() {
    let early = WaitOutcome::Reached(SignalValue::ARMED);
    let done = WaitOutcome::Reached(SignalValue::DONE);
    assert_eq!(waited(early, early), WaitOutcome::TimedOut);
    assert_eq!(waited(early, done), done);
    assert_eq!(waited(done, early), done);
    assert_eq!(
        waited(WaitOutcome::Reached(SignalValue::new(i64::MAX)), WaitOutcome::Lost),
        WaitOutcome::Lost
    );
}

#[test]
fn what_fell_below_0_ends_a_wait() {
    let below = WaitOutcome::Reached(SignalValue::new(-1));
    assert_eq!(waited(below, WaitOutcome::TimedOut), below);
}
