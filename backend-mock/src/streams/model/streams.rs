//! Streams: handles that are used again, hardware queues, the cost of a creation, the end.

use std::time::Duration;

use ringfence::{
    backend::streams::CaptureMode,
    error::DriverError,
    id::{DeviceId, Priority, RawStream, StreamFlags, StreamKey},
};

use super::{
    CaptureId, Model, code,
    device::Waited,
    pace::Awaited,
    parts::{Existence, Queue, Stream},
};
use crate::streams::{
    counts::CallKind,
    profile::{DestroyRule, DriverProfile, HostMemory, IdleQueue, StaleRule},
    seen::ThreadId,
};

/// What is done with a handle, where a stale one answers differently (M10).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    Ask,
    Launch,
    /// Records and marks.
    Note,
    Wait,
    /// Stream-ordered memory.
    Memory,
    /// Begin, end and status of captures.
    Capture,
}

/// The legacy default stream and the per-thread one: handles of no stream of their own.
pub(super) const NULL: RawStream = RawStream::new(0);
const PER_THREAD: RawStream = RawStream::new(2);

impl Model {
    /// A new stream, idle (M1, M2, M17).
    ///
    /// # Errors
    /// When too many are alive, or a fault was planned.
    pub fn create(&mut self, by: ThreadId, key: StreamKey) -> Result<RawStream, DriverError> {
        self.enter(by, CallKind::Create)?;
        let cost = self.costs.creation(self.counts.live);
        self.pay(by, cost);
        if self.live_limit.is_some_and(|limit| self.counts.live >= limit.get()) {
            return self.noted(by, Err(code::OUT_OF_MEMORY));
        }
        let queue = self.queue_for(key);
        self.queues[queue].streams += 1;
        let raw = self.spare_handles.pop().unwrap_or_else(|| {
            self.next_handle += 0x100;
            RawStream::new(self.next_handle)
        });
        self.next_serial += 1;
        let stream = Stream {
            serial: self.next_serial,
            key,
            queue,
            last: None,
            waits: Vec::new(),
            capture: None,
            own_mode: CaptureMode::Global,
            error: None,
        };
        self.streams.insert(raw, stream);
        self.counts.created += 1;
        self.counts.live += 1;
        self.counts.peak_live = self.counts.peak_live.max(self.counts.live);
        self.counts.hold(self.profile.host_bytes());
        self.noted(by, Ok(raw))
    }
    /// The hardware queue with the fewest streams, or a new one while the class may have more.
    fn queue_for(&mut self, key: StreamKey) -> usize {
        let (device, class) = (key.place.device, self.class(key.priority));
        let of_class = || {
            self.queues
                .iter()
                .enumerate()
                .filter(move |(_, queue)| (queue.device, queue.class) == (device, class))
        };
        let made = of_class().filter(|(_, queue)| queue.existence == Existence::Made).count();
        if made >= self.queues_per_class.get() as usize {
            let least = of_class().min_by_key(|(_, queue)| queue.streams);
            return least.expect("at least one was made").0;
        }
        let idle = of_class().find(|(_, queue)| queue.existence == Existence::GivenBack);
        let index = idle.map(|(index, _)| index);
        self.counts.hold(self.profile.queue_bytes());
        if let Some(index) = index {
            self.queues[index].existence = Existence::Made;
            return index;
        }
        let ops = std::collections::VecDeque::new();
        self.queues.push(Queue { device, class, ops, streams: 0, existence: Existence::Made });
        self.queues.len() - 1
    }
    /// HIP clamps to -1..=1; CUDA has nothing below normal.
    fn class(&self, priority: Priority) -> i32 {
        let level = match priority {
            Priority::Low => 1,
            Priority::Normal => 0,
            Priority::High => -1,
            Priority::Level(level) => level,
        };
        match self.profile {
            DriverProfile::Cuda => level.clamp(-5, 0),
            _ => level.clamp(-1, 1),
        }
    }
    /// Ends a stream (M9). A capture on it ends silently.
    ///
    /// # Errors
    /// For a handle of no stream. Waiting for work that never ends is a crash.
    pub fn destroy(&mut self, by: ThreadId, raw: RawStream) -> Result<(), DriverError> {
        self.enter(by, CallKind::Destroy)?;
        let result = self.destroy_it(by, raw);
        self.noted(by, result)
    }
    fn destroy_it(&mut self, by: ThreadId, raw: RawStream) -> Result<(), DriverError> {
        if raw == NULL || raw == PER_THREAD {
            return Err(code::INVALID_HANDLE);
        }
        if !self.streams.contains_key(&raw) {
            return Err(self.stale(raw, Use::Ask));
        }
        self.end_capture_silently(by, raw);
        if self.rules.destroy != DestroyRule::Detaches {
            let begin = self.now;
            let waited = self.wait_until(None, Awaited::Stream(raw));
            self.lock_out(begin);
            if waited != Waited::Done {
                self.crash(format!("destroy of {raw} waits for ever for its work"));
                return Err(code::NOT_READY);
            }
        }
        self.remove_stream(raw);
        Ok(())
    }
    /// A call that waited since `begin` kept the others out, where the driver does that.
    pub(super) fn lock_out(&mut self, begin: u64) {
        if self.rules.destroy == DestroyRule::LocksOut {
            self.counts.locked_out += Duration::from_micros(self.now - begin);
        }
    }
    fn remove_stream(&mut self, raw: RawStream) {
        let Some(stream) = self.streams.remove(&raw) else { return };
        let queue = &mut self.queues[stream.queue];
        queue.streams -= 1;
        if queue.streams == 0 && self.rules.idle_queue == IdleQueue::GivenBack {
            queue.existence = Existence::GivenBack;
            self.counts.give_back(self.profile.queue_bytes());
        }
        if self.rules.host_memory == HostMemory::GivenBack {
            self.counts.give_back(self.profile.host_bytes());
        }
        self.counts.live -= 1;
        self.spare_handles.push(raw);
    }
    /// Destroys all streams of a device and frees all its memory, when their work is finished or can
    /// never finish. Threads keep dead entries of captures that were open (M9).
    ///
    /// # Errors
    /// When the driver may not be called.
    pub fn device_reset(&mut self, by: ThreadId, device: DeviceId) -> Result<(), DriverError> {
        self.enter(by, CallKind::DeviceReset)?;
        self.wait_until(None, Awaited::Device);
        let of_device = |stream: &Stream| stream.key.place.device == device;
        let gone = self.streams.iter().filter(|(_, stream)| of_device(stream));
        for raw in gone.map(|(raw, _)| *raw).collect::<Vec<_>>() {
            if let Some(capture) = self.streams.get_mut(&raw).and_then(|known| known.capture.take())
            {
                self.release_capture(capture);
            }
            self.remove_stream(raw);
        }
        for queue in 0..self.queues.len() {
            if self.queues[queue].device == device {
                self.abandon(queue);
            }
        }
        self.open.retain(|id| self.captures.contains_key(id));
        self.memory.retain(|_, memory| memory.device != device);
        self.noted(by, Ok(()))
    }
    /// What the use of a handle that is no stream's any more brings (M10).
    pub(super) fn stale(&mut self, raw: RawStream, how: Use) -> DriverError {
        let crashes = match self.rules.stale {
            StaleRule::WorkCrashes => matches!(how, Use::Launch | Use::Note),
            StaleRule::LaunchCrashes => how == Use::Launch,
            StaleRule::Crashes => true,
            StaleRule::Refused => return code::INVALID_HANDLE,
        };
        if crashes {
            self.crash(format!("{how:?} with {raw}, which was destroyed"));
        }
        match (self.rules.stale, how) {
            (_, Use::Memory) | (StaleRule::WorkCrashes, Use::Capture) => code::INVALID_VALUE,
            (StaleRule::LaunchCrashes, Use::Wait) => code::INVALID_HANDLE,
            _ => code::DESTROYED,
        }
    }
    /// The stream behind a handle, if there is one.
    pub(super) fn stream(&mut self, raw: RawStream, how: Use) -> Result<&mut Stream, DriverError> {
        if !self.streams.contains_key(&raw) {
            return Err(self.stale(raw, how));
        }
        Ok(self.streams.get_mut(&raw).expect("it was just looked up"))
    }
    /// The same, when no error sticks to it.
    pub(super) fn working(&mut self, raw: RawStream, how: Use) -> Result<&mut Stream, DriverError> {
        let stream = self.stream(raw, how)?;
        match stream.error {
            Some(error) => Err(error),
            None => Ok(stream),
        }
    }
    /// Whether a blocking stream of the device captures.
    pub(super) fn blocking_capture(&self, device: Option<DeviceId>) -> bool {
        self.blocking_captures().any(|(of, _)| device.is_none_or(|device| of == device))
    }
    /// The captures that blocking streams are in, with the streams' devices.
    pub(super) fn blocking_captures(&self) -> impl Iterator<Item = (DeviceId, CaptureId)> {
        self.streams.values().filter_map(|stream| {
            let capture = stream.capture.filter(|&capture| self.active(capture))?;
            let blocking = !stream.key.flags.contains(StreamFlags::NON_BLOCKING);
            blocking.then_some((stream.key.place.device, capture))
        })
    }
}
