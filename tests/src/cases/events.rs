//! Events.

use std::hint::black_box;

use ringfence::{
    drive::{HardwareQueue, Submission, Tracker},
    event::{Event, EventOptions, EventStatus},
    id::QueueId,
    ledger::Counts,
};

use super::{
    Steady,
    submissions::{device_signals, open},
};
use crate::null::{NullDevice, NullQueue};

fn stream() -> Tracker<NullDevice, NullQueue> {
    open(HardwareQueue::new(NullQueue::new(QueueId::new(0))), device_signals())
}

/// An event that was proven, asked again and again.
pub(super) struct QueryProven {
    stream: Tracker<NullDevice, NullQueue>,
    event: Event,
}
impl QueryProven {
    pub(super) fn new() -> Self {
        let mut stream = stream();
        let mut event = Event::new(EventOptions::default());
        event.record(&mut stream).expect("a null device refuses nothing");
        let _synced = stream.synchronize().expect("a null device is never lost");
        Self { stream, event }
    }
}
impl Steady for QueryProven {
    fn run(&mut self, units: u64) {
        for _ in 0..units {
            let status = black_box(&self.event).query(self.stream.device());
            assert_eq!(status, EventStatus::Finished);
        }
    }
    fn counts(&self) -> Counts {
        self.stream.counts()
    }
}

/// The steady loop of rule S15.
pub(super) struct RecordSync {
    stream: Tracker<NullDevice, NullQueue>,
    before: Event,
    after: Event,
}
impl RecordSync {
    pub(super) fn new() -> Self {
        Self {
            stream: stream(),
            before: Event::new(EventOptions::default()),
            after: Event::new(EventOptions::default()),
        }
    }
    fn round(&mut self) -> Result<(), ringfence::error::Error> {
        let Self { stream, before, after } = self;
        before.record(stream)?;
        stream.submit(Submission::kernel(()))?;
        after.record(stream)?;
        let _ = black_box(after.synchronize(stream.device(), &stream.policy().wait)?);
        Ok(())
    }
}
impl Steady for RecordSync {
    fn run(&mut self, units: u64) {
        for _ in 0..units {
            self.round().expect("a null device refuses nothing");
        }
    }
    fn counts(&self) -> Counts {
        self.stream.counts()
    }
}
