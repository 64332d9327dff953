//! A digest of everything that a scenario is about, for searches that visit equal states once.

use std::hash::{DefaultHasher, Hash, Hasher};

use ringfence::id::SignalHandle;

use super::{
    World,
    things::{EventSlot, Subject, Used},
};
use crate::model::Reader;

/// A part of the state that a digest is made of. A test leaves one out, to see that this is noticed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Digested {
    /// Devices, memory and the oracle.
    Machine,
    /// Rings, with their pins, and what else a tracker knows.
    Trackers,
}

/// What a digest is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To tell states apart.
    State,
    /// To tell ends apart: whether the runner was in time to see a use's signal says nothing of the library.
    End,
}

impl World {
    /// Feeds everything that later steps depend on to `state`, but for `without`. Reads only. Counts and
    /// times are left out: no step depends on them, and no expectation of counts is asked of a search.
    pub fn digest<H: Hasher>(&self, state: &mut H, without: Option<Digested>) {
        self.digest_for(Purpose::State, state, without);
    }
    fn digest_for<H: Hasher>(&self, why: Purpose, state: &mut H, without: Option<Digested>) {
        let wanted = |part| without != Some(part);
        if wanted(Digested::Machine) {
            self.system.digest(state);
        }
        for queue in self.queues.values() {
            let mark = queue.hardware.mark();
            (mark.lane(), mark.observe().below()).hash(state);
        }
        if wanted(Digested::Trackers) {
            for (name, stream) in &self.streams {
                (name, stream.ring, &stream.queue, &stream.submitted).hash(state);
                stream.tracker.digest(state);
            }
            for (name, search) in &self.searches {
                // Its probe has no more than what it shows.
                (name, format!("{search:?}")).hash(state);
            }
        }
        for (name, slot) in &self.events {
            name.hash(state);
            slot.digest(why, state);
        }
        for (name, used) in &self.uses {
            name.hash(state);
            used.digest(why, state);
        }
        self.recordings.hash(state);
        self.handlers.digest(state, |watcher, state| {
            (&watcher.event, watcher.meant, watcher.recordings).hash(state);
        });
        (self.rings, self.reapers.len(), self.over_decremented).hash(state);
        (self.creations_to_fail, self.forced).hash(state);
    }
    /// Lets the devices do all they can, and digests what the host would find then: what it knows, and
    /// each signal as it sees it.
    pub(crate) fn end_digest(&self) -> u64 {
        self.system.run_until_idle();
        let mut state = DefaultHasher::new();
        self.digest_for(Purpose::End, &mut state, Some(Digested::Machine));
        self.system.with_model(|model| {
            for signal in (1..).map(SignalHandle::new).take_while(|&at| model.cell(at).is_some()) {
                model.view(signal, Reader::Host).hash(&mut state);
            }
        });
        state.finish()
    }
}

impl EventSlot {
    fn digest<H: Hasher>(&self, why: Purpose, state: &mut H) {
        match &self.subject {
            Subject::Event(event) => event.digest(state),
            Subject::Snapshot(Some(taken)) => taken.digest(state),
            Subject::Snapshot(None) => 0_u8.hash(state),
        }
        if let Some(meant) = &self.meant {
            meant.digest(why, state);
        }
        (self.options, self.twin, &self.taken_of, self.recording).hash(state);
        self.state().hash(state);
        self.error.hash(state);
    }
}
impl Used {
    fn digest<H: Hasher>(&self, why: Purpose, state: &mut H) {
        (self.of, &self.stream, self.answer).hash(state);
        if why == Purpose::State {
            (self.signal, self.reference.is_some()).hash(state);
        }
    }
}
