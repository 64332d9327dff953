//! Steps that tend a stream: finding finished uses, draining, moving, closing.

use ringfence::{
    backend::PacketQueue,
    drive::{HardwareQueue, Reclaim, Submission},
    id::UseId,
    placement::Role,
};

use super::{
    World,
    failure::{Failure, Stop},
    things::find,
};
use crate::{
    oracle::{Declaration, Recording},
    scenario::Name,
};

impl World {
    pub(super) fn reclaim(&mut self, on: &Name) -> Result<(), Stop> {
        if self.searches.contains_key(on) {
            return self.search(on, u32::MAX);
        }
        self.submitting(on, |tracker| tracker.reclaim()).map(drop)
    }
    /// Goes on with a search, or begins one. Between its steps others may do something.
    pub(super) fn search(&mut self, on: &Name, steps: u32) -> Result<(), Stop> {
        let mut now = self.searches.remove(on).unwrap_or(Reclaim::Look);
        for _ in 0..steps {
            now = self.submitting(on, |tracker| now.step(tracker))?;
            if matches!(now, Reclaim::Done) {
                return Ok(());
            }
        }
        self.searches.insert(on.clone(), now);
        Ok(())
    }
    pub(super) fn probe(&mut self, on: &Name) -> Result<(), Stop> {
        let _reclaimed = find(&mut self.streams, "stream", on)?.tracker.probe()?;
        Ok(())
    }
    pub(super) fn drain(&mut self, on: &Name) -> Result<(), Stop> {
        let stream = find(&mut self.streams, "stream", on)?;
        self.system.declare(Declaration::Synchronizing(stream.ring));
        let drained = stream.tracker.drain();
        self.system.declare(Declaration::Submitted);
        drained?;
        let submitted = std::mem::take(&mut stream.submitted);
        self.claim_data(submitted);
        Ok(())
    }
    pub(super) fn sync_stream(&mut self, on: &Name) -> Result<(), Stop> {
        let stream = find(&mut self.streams, "stream", on)?;
        self.system.declare(Declaration::Synchronizing(stream.ring));
        let synced = stream.tracker.synchronize();
        self.system.declare(Declaration::Submitted);
        let _synced = synced?;
        let submitted = std::mem::take(&mut stream.submitted);
        self.claim_data(submitted);
        Ok(())
    }
    /// The library promised that all this is finished and visible to the host.
    fn claim_data(&self, submitted: Vec<UseId>) {
        for of in submitted {
            self.declare(Declaration::ClaimsFinished { of, recording: Recording::Latest });
            self.declare(Declaration::ClaimsData(of));
        }
    }
    pub(super) fn switch(&mut self, on: &Name, to: &Name) -> Result<(), Stop> {
        let queue = find(&mut self.queues, "queue", to)?;
        let (hardware, device) = (queue.hardware.clone(), queue.device);
        let stream = find(&mut self.streams, "stream", on)?;
        let own = find(&mut self.queues, "queue", &stream.queue)?.device;
        if own != device {
            return Err(Failure::misuse(format!(
                "`{on}` is a stream of gpu{own}, and `{to}` is a queue of gpu{device}"
            ))
            .into());
        }
        stream.queue = to.clone();
        self.submitting(on, |tracker| tracker.switch_queue(hardware).map(drop))
    }
    /// A queue's index space restarts, and every stream on it goes on in the new one. What they left is
    /// made provable first: nothing can be published in the old one afterwards.
    pub(super) fn restart(&mut self, queue: &Name) -> Result<(), Stop> {
        let raw = find(&mut self.queues, "queue", queue)?.raw.clone();
        let streams: Vec<Name> = self
            .streams
            .iter()
            .filter(|(_, s)| s.queue == *queue)
            .map(|(name, _)| name.clone())
            .collect();
        for stream in &streams {
            self.submitting(stream, |tracker| tracker.submit(Submission::marker(Role::HostQuery)))?;
        }
        raw.restart();
        let hardware = HardwareQueue::new(raw);
        debug_assert_eq!(hardware.lane(), hardware.mark().lane());
        find(&mut self.queues, "queue", queue)?.hardware = hardware.clone();
        for stream in &streams {
            self.submitting(stream, |tracker| tracker.switch_queue(hardware.clone()).map(drop))?;
        }
        Ok(())
    }
    pub(super) fn close(&mut self, name: &Name) -> Result<(), Stop> {
        let stream = find(&mut self.streams, "stream", name)?;
        stream.tracker.drain()?;
        let submitted = std::mem::take(&mut stream.submitted);
        self.claim_data(submitted);
        let Some(stream) = self.streams.remove(name) else { return Ok(()) };
        self.closed = self.closed.plus(&stream.tracker.counts());
        let device = self.queues.get(&stream.queue).map_or(0, |queue| queue.device);
        let reaper = stream.tracker.close()?;
        self.reapers.push((device, reaper));
        Ok(())
    }
}
