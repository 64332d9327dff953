//! The oracle of a backend that breaks its contract: the library answers with an error, or leaks and
//! counts; it never panics, and never says of work that it is finished while it runs.
//!
//! The first half of an input says what the host does, the second where the backend lies.

mod driver;
mod driver_truth;
mod liar;
mod streams;
mod truth;

use std::time::Duration;

use ringfence::{
    backend::HandlerToken,
    drive::{
        Audit, CopySubmission, HandlerTable, HardwareQueue, Policy, Submission, Tracker,
        TrackerKind, WaitBy, Watched,
    },
    event::{Event, EventKind, EventOptions, EventStatus},
    id::{Barrier, CacheScope, LaneId, PacketId, UseId},
    placement::{DeviceSignals, EventPlacement, Role},
    ring::{Outcome, Record, RingLimits, Timing},
    sync::Arc,
    wait::WaitPolicy,
};

use self::liar::{Liar, LiarsQueue};
use crate::bytes::Bytes;

/// A fuzzer gains nothing from longer runs.
const MOST_OPERATIONS: usize = 120;
const EVENTS: usize = 4;

/// Runs `input`.
///
/// # Panics
/// If the library panics, names a signal that it was not given, arms, uses or destroys one whose last use
/// runs, or says of work that runs that it is finished.
pub fn check(input: &[u8]) {
    let Some((&first, rest)) = input.split_first() else { return };
    if first & 1 == 1 {
        return streams::check(rest);
    }
    let (host, lies) = rest.split_at(rest.len() / 2);
    let mut bytes = Bytes::new(host);
    let Some(mut host) = Host::open(&mut bytes, lies) else { return };
    for _ in 0..MOST_OPERATIONS {
        if bytes.is_empty() {
            break;
        }
        host.operate(&mut bytes);
    }
    host.close();
}

type LiarsTracker = Tracker<Liar, LiarsQueue>;

/// A stream, and what it submitted.
struct Stream {
    tracker: LiarsTracker,
    submitted: Vec<(LaneId, PacketId)>,
}

struct Host {
    device: Liar,
    queues: Vec<HardwareQueue<LiarsQueue>>,
    engine: LiarsQueue,
    streams: Vec<Stream>,
    events: Vec<Event>,
    records: Vec<Arc<Record>>,
    handlers: HandlerTable<UseId>,
    tokens: u64,
}
impl Host {
    fn open(bytes: &mut Bytes<'_>, lies: &[u8]) -> Option<Self> {
        let device = Liar::new(lies);
        let queues: Vec<_> =
            (0..2).map(|number| HardwareQueue::new(device.queue(number))).collect();
        let size = 1 << bytes.below(4);
        let with = bytes.byte();
        let policy = Policy {
            tracker: if with & 7 == 7 { TrackerKind::Polling } else { TrackerKind::Retiring },
            device_signals: if with & 8 == 0 { DeviceSignals::On } else { DeviceSignals::Off },
            events: bytes.pick(&[
                EventPlacement::Host,
                EventPlacement::Device,
                EventPlacement::Twin,
            ]),
            ring: RingLimits { cap: size * bytes.pick(&[2, 1, 16]), ..RingLimits::with_size(size) },
            audit: if with & 16 == 0 { Audit::Off } else { Audit::On },
            wait: WaitPolicy { limit: Duration::from_millis(1), ..WaitPolicy::default() },
            ..Policy::default()
        };
        let streams: Vec<Stream> = (0..2)
            .filter_map(|number| {
                let queue = queues[number].clone();
                let tracker = Tracker::open(device.clone(), queue, policy).ok()?;
                Some(Stream { tracker, submitted: Vec::new() })
            })
            .collect();
        let kinds = [EventKind::Plain, EventKind::Blocking, EventKind::Plain];
        let events = (0..EVENTS).map(|_| {
            let timing = bytes.pick(&[Timing::Unwanted, Timing::Wanted]);
            Event::new(EventOptions {
                kind: bytes.pick(&kinds),
                timing,
                release: CacheScope::System,
            })
        });
        let events = events.collect();
        let (engine, handlers) = (device.queue(2), HandlerTable::new());
        let is_open = !streams.is_empty();
        let (records, tokens) = (Vec::new(), 0);
        let host = Self { device, queues, engine, streams, events, records, handlers, tokens };
        is_open.then_some(host)
    }
    fn must_be_complete(&self, of: UseId, who: &str) {
        let is_complete = self.device.with_truth(|truth| truth.is_complete(of));
        assert!(is_complete, "{who} says that {of} is finished, and it runs");
    }
    fn must_all_be_complete(&self, submitted: &[(LaneId, PacketId)], who: &str) {
        for of in submitted.iter().map(|&(lane, at)| UseId::new(lane, at)) {
            if !self.device.with_truth(|truth| truth.has_ended_in_error(of)) {
                self.must_be_complete(of, who);
            }
        }
    }
    fn note(&mut self, on: usize, of: UseId) {
        self.streams[on].submitted.push((of.lane(), of.packet()));
    }
    fn operate(&mut self, bytes: &mut Bytes<'_>) {
        let on = bytes.below(self.streams.len() as u32) as usize;
        let event = bytes.byte() as usize % EVENTS;
        match bytes.below(26) {
            0..=4 => self.submit(on, bytes),
            5..=7 => {
                let recorded = self.events[event].record(&mut self.streams[on].tracker);
                if let Ok(of) = recorded {
                    self.note(on, of);
                }
            }
            8..=9 => {
                let before = self.events[event].snapshot();
                if self.events[event].query(&self.device) == EventStatus::Finished {
                    let of = before.expect("a finished event was recorded").use_id();
                    self.must_be_complete(of, "a query");
                }
            }
            10 => {
                let waited = self.events[event].synchronize(&self.device, &Self::patience());
                if let (Ok(_), Some(snapshot)) = (waited, self.events[event].snapshot()) {
                    self.must_be_complete(snapshot.use_id(), "a wait for an event");
                }
            }
            11..=12 => self.wait_on_device(on, bytes),
            13..=15 => {
                let tracker = &mut self.streams[on].tracker;
                let _looked = if bytes.below(3) == 2 { tracker.probe() } else { tracker.reclaim() };
            }
            16 => {
                let synced = self.streams[on].tracker.synchronize();
                if synced.is_ok() {
                    let submitted = std::mem::take(&mut self.streams[on].submitted);
                    self.must_all_be_complete(&submitted, "a synchronize");
                }
            }
            17 => {
                if self.streams[on].tracker.drain().is_ok() {
                    let submitted = std::mem::take(&mut self.streams[on].submitted);
                    self.must_all_be_complete(&submitted, "a drain");
                }
            }
            18 => self.force(on, bytes),
            19 => self.copy(on, event, bytes),
            20 => {
                let queue = self.queues[bytes.below(2) as usize].clone();
                let _before = self.streams[on].tracker.switch_queue(queue);
            }
            21 => self.handle(event, bytes),
            22 => {
                let (from, to) =
                    (&self.events[event], &self.events[bytes.byte() as usize % EVENTS]);
                let _elapsed = from.elapsed_to(to, &self.device);
                self.streams[on].tracker.reap();
            }
            23 => {
                let nth = usize::from(bytes.byte());
                self.device.with_truth(|truth| truth.go_on(nth));
            }
            24 => self.device.with_truth(truth::Truth::run_until_idle),
            _ => self.check_records(),
        }
    }
    fn patience() -> WaitPolicy {
        WaitPolicy { limit: Duration::from_millis(1), ..WaitPolicy::default() }
    }
    fn submission(bytes: &mut Bytes<'_>) -> Submission<()> {
        let roles =
            [Role::Dispatch, Role::GpuWait, Role::HostQuery, Role::TimingOnly, Role::Blocking];
        let what = match bytes.below(3) {
            2 => Submission::marker(bytes.pick(&roles)),
            _ => Submission::kernel(()).role(bytes.pick(&roles)),
        };
        what.barrier(bytes.pick(&[Barrier::Set, Barrier::Clear]))
    }
    fn submit(&mut self, on: usize, bytes: &mut Bytes<'_>) {
        let what = Self::submission(bytes);
        let tracker = &mut self.streams[on].tracker;
        match bytes.below(6) {
            0 | 1 => {
                if let Ok(record) = tracker.submit_recorded(what.timed(), None) {
                    let of = record.about().of;
                    self.records.push(record);
                    self.note(on, of);
                }
            }
            2 => {
                let all: Vec<_> =
                    (0..1 + bytes.below(6)).map(|_| Self::submission(bytes)).collect();
                let mut published = Vec::new();
                let _done = tracker.submit_all(&all, |of, _| published.push(of));
                published.into_iter().for_each(|of| self.note(on, of));
            }
            3 => {
                if let Ok(of) = tracker.submit(what.unsignaled()) {
                    self.note(on, of);
                }
            }
            _ => {
                if let Ok(of) = tracker.submit(what) {
                    self.note(on, of);
                }
            }
        }
    }
    fn wait_on_device(&mut self, on: usize, bytes: &mut Bytes<'_>) {
        let by = bytes.pick(&[WaitBy::And, WaitBy::Or, WaitBy::Value]);
        let snapshots: Vec<_> = (0..1 + bytes.below(3))
            .filter_map(|_| self.events[bytes.byte() as usize % EVENTS].snapshot())
            .collect();
        let mut awaited = Vec::new();
        for snapshot in snapshots {
            match snapshot.awaited(&self.device) {
                Ok(None) => {
                    self.must_be_complete(snapshot.use_id(), "a wait on the device");
                    awaited.push(None);
                }
                Ok(some) => awaited.push(some),
                Err(_failed) => return,
            }
        }
        let _waits = self.streams[on].tracker.await_uses(awaited, by);
    }
    fn force(&mut self, on: usize, bytes: &mut Bytes<'_>) {
        let submitted = &self.streams[on].submitted;
        let Some(&(lane, at)) = submitted.get(bytes.byte() as usize % submitted.len().max(1))
        else {
            return;
        };
        let _forced = self.streams[on].tracker.force(UseId::new(lane, at));
    }
    fn copy(&mut self, on: usize, event: usize, bytes: &mut Bytes<'_>) {
        let parts = vec![(); 1 + bytes.below(3) as usize];
        let mut what = CopySubmission::new(&parts);
        if let Some(snapshot) = self.events[event].snapshot()
            && let Ok(Some(awaited)) = snapshot.awaited(&self.device)
        {
            what = what.after(awaited);
        }
        let engine = self.engine.clone();
        if let Ok(record) = self.streams[on].tracker.copy(&engine, what.timed(), None) {
            let of = record.about().of;
            self.note(on, of);
            self.events[event].record_copy(record);
        }
    }
    /// A handler is set; or the backend reports a token, known or not.
    fn handle(&mut self, event: usize, bytes: &mut Bytes<'_>) {
        if bytes.below(2) == 0 {
            let Some(snapshot) = self.events[event].snapshot() else { return };
            let watched = self.handlers.watch(&self.device, snapshot.record(), snapshot.use_id());
            if let Ok(Watched::Already(of)) = watched
                && snapshot.record().outcome() == Outcome::Finished
            {
                self.must_be_complete(of, "a handler that comes too late");
            }
            self.tokens += 1;
            return;
        }
        let token = HandlerToken::new(u64::from(bytes.byte()) % (self.tokens + 2));
        if let Some(handled) = self.handlers.handle(&self.device, token)
            && handled.outcome == Outcome::Finished
        {
            self.must_be_complete(handled.then, "a handler");
        }
    }
    fn check_records(&self) {
        for record in &self.records {
            if record.outcome() == Outcome::Finished {
                self.must_be_complete(record.about().of, "a record");
            }
        }
    }
    fn close(mut self) {
        self.check_records();
        for stream in std::mem::take(&mut self.streams) {
            if stream.tracker.close().is_ok() {
                self.must_all_be_complete(&stream.submitted, "a close");
            }
        }
        self.check_records();
    }
}
