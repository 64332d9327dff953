//! The mock with one thing wrong, as a subject.

use std::time::Duration;

use ringfence::{
    backend::streams::StreamWork,
    id::{RawMemory, RawStream, StreamKey},
};
use ringfence_mock::streams::{
    profile::{
        BlockingCapture, BrokenEnd, CapturedAllocation, CapturedFree, CapturedLaunch, CapturedMark,
        CapturingQuery, Consequence, DestroyRule, DriverProfile, DriverRules, EndOfNothing,
        EventAfterStream, EventRule, JoinedFork, MergeRule, OldEventWait, OrphanedCapture,
        OutsideWait, SecondEnd, SelfWait, StaleRule, StrayEnd, ThreadGuard, UnjoinedRule,
    },
    system::Words,
};
use ringfence_tests::conformance::{
    Lists,
    streams::{
        Brought, Freed, MockCell, MockDriver, MockGate, MockWork, Scale, Spot, StreamFacts,
        StreamMock, StreamSubject, cannot_on_streams,
    },
};

use crate::{
    backend::BrokenBackend,
    flaw::{Column, Flaw},
};

#[derive(Debug)]
pub(crate) struct Broken {
    backend: BrokenBackend,
    which: MockDriver,
}
/// Which driver a flaw is shown on: HIP 5.7, but where that has nothing to test.
fn driver_of(flaw: Flaw) -> MockDriver {
    let on = |profile| MockDriver { profile, words: Words::On };
    match flaw {
        Flaw::AWord => MockDriver { profile: DriverProfile::Hip57, words: Words::Off },
        Flaw::FreesRefused | Flaw::Declares(Column::BlockingCapture) => on(DriverProfile::ClrNew),
        Flaw::StatusQueries
        | Flaw::ModeIsIgnored
        | Flaw::ObserveQueries
        | Flaw::StatusIsNone
        | Flaw::Declares(Column::QueryConsequence | Column::BrokenEnd) => {
            on(DriverProfile::Clr2024)
        }
        Flaw::Declares(Column::CapturedAllocation) => on(DriverProfile::Hip52),
        Flaw::FreesIntoCaptures => on(DriverProfile::Clr2024),
        Flaw::Declares(Column::EventAfterStream) => on(DriverProfile::Clr2024),
        Flaw::Declares(Column::Stale) => on(DriverProfile::ClrNew),
        Flaw::SaysTheOtherDestruction => on(DriverProfile::Cuda),
        _ => on(DriverProfile::Hip57),
    }
}
impl Broken {
    pub(crate) fn start(flaw: Flaw) -> Self {
        let which = driver_of(flaw);
        Self { backend: BrokenBackend::new(StreamMock::start(which), flaw), which }
    }
    fn mock(&self) -> &StreamMock {
        &self.backend.mock
    }
}
impl StreamSubject for Broken {
    type Backend = BrokenBackend;
    type Cell = MockCell;
    type Gate = MockGate;

    fn backend(&self) -> &BrokenBackend {
        &self.backend
    }
    fn key(&self) -> StreamKey {
        self.mock().key()
    }
    fn facts(&self) -> StreamFacts {
        let mut facts = self.which.facts();
        facts.scale = Scale { streams: 64, tasks: 60, histories: 8, seed: 1 };
        if let Flaw::Declares(column) = self.backend.flaw {
            falsify(&mut facts.rules, column);
        }
        facts
    }
    fn lists(&self) -> Lists {
        Lists { cannot: cannot_on_streams(&self.facts()), not_yet: Vec::new() }
    }
    fn cell(&self) -> MockCell {
        self.mock().cell()
    }
    fn read(&self, cell: MockCell) -> u32 {
        self.mock().read(cell)
    }
    fn store(&self, cell: MockCell, value: u32) {
        self.mock().store(cell, value);
    }
    fn set(&self, to: Spot<MockCell>, value: u32) -> MockWork {
        self.mock().set(to, value)
    }
    fn copy(&self, from: Spot<MockCell>, to: Spot<MockCell>) -> MockWork {
        self.mock().copy(from, to)
    }
    fn failing_set(&self, to: Spot<MockCell>, value: u32) -> MockWork {
        self.mock().failing_set(to, value)
    }
    fn gate(&self) -> MockGate {
        self.mock().gate()
    }
    fn hold(&self, gate: &MockGate) -> MockWork {
        self.mock().hold(gate)
    }
    fn open(&self, gate: &MockGate) {
        self.mock().open(gate);
    }
    fn now(&self) -> Duration {
        self.mock().now()
    }
    fn settle(&self, limit: Duration, condition: impl FnMut() -> bool) -> bool {
        self.mock().settle(limit, condition)
    }
    fn freed(&self, memory: RawMemory) -> Freed {
        self.mock().freed(memory)
    }
    fn plain_memory(&self) -> Option<RawMemory> {
        self.mock().plain_memory()
    }
    fn spoil(&self, stream: RawStream) -> Brought {
        self.backend.state().spoilt.insert(stream);
        self.mock().spoil(stream)
    }
    fn lose(&self) -> Brought {
        self.mock().lose()
    }
    fn violations(&self) -> Vec<String> {
        self.mock().violations()
    }
}
/// The work of both is the same.
const _: fn() = || {
    fn same<T: StreamWork<Work = MockWork>>() {}
    same::<BrokenBackend>();
};

/// Another value than the driver's in one column.
fn falsify(rules: &mut DriverRules, column: Column) {
    match column {
        Column::Query => rules.query = ThreadGuard::Nothing,
        Column::QueryConsequence => rules.query_consequence = Consequence::Refused,
        Column::CapturingQuery => rules.capturing_query = CapturingQuery::Answered,
        Column::CapturedFree => rules.captured_free = CapturedFree::OwnOnly,
        Column::CapturedAllocation => rules.captured_allocation = CapturedAllocation::Node,
        Column::BlockingCapture => rules.blocking_capture = BlockingCapture::Allows,
        Column::Destroy => rules.destroy = DestroyRule::Detaches,
        Column::OrphanedCapture => rules.orphaned_capture = OrphanedCapture::Harmless,
        Column::Stale => rules.stale = StaleRule::Refused,
        Column::Event => rules.event = EventRule::Nothing,
        Column::EventAfterStream => rules.event_after_stream = EventAfterStream::Works,
        Column::OldEventWait => rules.old_event_wait = OldEventWait::Waits,
        Column::OutsideWait => rules.outside_wait = OutsideWait::Refused,
        Column::SelfWait => rules.self_wait = SelfWait::Harmless,
        Column::Merge => rules.merge = MergeRule::Invalidates,
        Column::CapturedMark => rules.captured_mark = CapturedMark::Node,
        Column::Unjoined => rules.unjoined = UnjoinedRule::LooseEnds,
        Column::StrayEnd => rules.stray_end = StrayEnd::Ends,
        Column::SecondEnd => rules.second_end = SecondEnd::Over,
        Column::BrokenEnd => rules.broken_end = BrokenEnd::Clears,
        Column::JoinedFork => rules.joined_fork = JoinedFork::StaysActive,
        Column::EndOfNothing => rules.end_of_nothing = EndOfNothing::Unmatched,
        Column::CapturedLaunch => rules.captured_launch = CapturedLaunch::Refused,
    }
}
