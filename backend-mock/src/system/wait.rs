//! Host waits and forced completions.

use std::time::Duration;

use ringfence::{
    backend::{SignalMemory, WaitHint, WaitOutcome},
    id::{DeviceId, SignalHandle, SignalValue},
};

use super::{Moved, Pace, state::State};
use crate::{chooser::Site, oracle::Immediate, trace::Event};

/// Waits no longer than this may end before the device does anything: an active phase that was too
/// short.
pub(super) const SHORT: Duration = Duration::from_millis(1);

impl State {
    pub(super) fn wait(
        &mut self,
        device: DeviceId,
        signal: SignalHandle,
        below: SignalValue,
        hint: WaitHint,
        limit: Duration,
    ) -> WaitOutcome {
        let memory = self.memory(signal);
        self.counts(device).waits.add(memory, 1);
        self.oracle.wait_begins(signal, below, &self.model);
        self.note(Event::WaitBegins(signal, below));
        self.breathe();
        self.reveal(signal);
        // A wait loads before it sleeps.
        self.spend(self.settings.costs.load(memory));
        let (outcome, at_once) = match self.look(device, signal, below) {
            Some(outcome) => (outcome, Immediate::Yes),
            None => {
                self.counts(device).waits_blocked += 1;
                (self.sleep(device, signal, below, hint, limit), Immediate::No)
            }
        };
        self.saw(outcome);
        self.oracle.wait_ended(signal, outcome, at_once);
        self.note(Event::WaitEnded(signal, outcome));
        outcome
    }
    pub(super) fn look(
        &self,
        device: DeviceId,
        signal: SignalHandle,
        below: SignalValue,
    ) -> Option<WaitOutcome> {
        let value = self.host_view(signal);
        let owner = self.model.cell(signal).map(crate::model::Cell::owner);
        let lost = self.is_lost(device) || owner.is_some_and(|owner| self.is_lost(owner));
        if value < below {
            Some(WaitOutcome::Reached(value))
        } else if lost {
            Some(WaitOutcome::Lost)
        } else {
            None
        }
    }
    /// Lets the devices run until the value is reached, time is up, or nothing can happen any more.
    fn sleep(
        &mut self,
        device: DeviceId,
        signal: SignalHandle,
        below: SignalValue,
        hint: WaitHint,
        limit: Duration,
    ) -> WaitOutcome {
        let begin = self.clock.now();
        let deadline = begin.plus(limit);
        let mut outcome = None;
        if self.settings.pace.is_timeless() {
            let outcome = self.sleep_as_chosen(device, signal, below, limit);
            if let WaitOutcome::Reached(_) = outcome {
                self.wake(signal, hint);
            }
            return outcome;
        }
        if limit <= SHORT && self.chooser.choose(Site::Patience, 2) == 1 {
            self.clock.jump(deadline);
        }
        while outcome.is_none() && self.clock.now() < deadline {
            if self.run_once() == Moved::No {
                let due = self.next_due().unwrap_or(deadline);
                self.clock.jump(due.min(deadline));
            }
            outcome = self.look(device, signal, below);
        }
        let outcome = outcome.unwrap_or(WaitOutcome::TimedOut);
        if let WaitOutcome::Reached(_) = outcome {
            self.wake(signal, hint);
        }
        self.host_time.waits += self.clock.now().since(begin);
        outcome
    }
    fn run_once(&mut self) -> Moved {
        match self.settings.pace {
            Pace::Held | Pace::Scripted | Pace::Lazy | Pace::Eager => self.first_move(),
            Pace::Chosen => self.chosen_move(usize::MAX),
        }
    }
    /// A sleeper wakes late; one whose interrupt was lost wakes when it looks again by itself.
    fn wake(&mut self, signal: SignalHandle, hint: WaitHint) {
        if hint == WaitHint::Active || self.memory(signal) != SignalMemory::Interrupt {
            return;
        }
        let lost = if self.faults.interrupts_to_lose > 0 {
            self.faults.interrupts_to_lose -= 1;
            1
        } else if self.settings.pace.is_timeless() {
            self.lose_by_choice()
        } else {
            self.chooser.choose(Site::Interrupt, 2)
        };
        let costs = self.settings.costs;
        self.clock.pass(if lost == 1 { costs.recheck } else { costs.wake });
    }
    pub(super) fn force(&mut self, device: DeviceId, signal: SignalHandle) {
        self.counts(device).forced += 1;
        self.oracle.forced(signal);
        self.model.force(signal);
        self.note(Event::Forced(signal));
    }
}
