//! Copy engines, as the library sees them.

use ringfence::{
    backend::{CopyEngine, CopyRefused, Features, PartIndex},
    id::{DeviceId, LaneId, PacketId, SignalHandle, UseId},
};

use super::{MockSystem, state::State};
use crate::{trace::Event, work::CopyWork};

/// One copy engine. A cheap handle: clones are the same engine.
///
/// ```
/// # use ringfence::{drive::*, event::*, wait::WaitPolicy};
/// use ringfence_mock::{chooser::Scripted, clock::Ticks, system::*, work::CopyWork};
/// # let system = MockSystem::new(Scripted::tame(), Settings::default());
/// # let gpu = system.add_device(DeviceSettings::default());
/// # let mut tracker = Tracker::open(&gpu, HardwareQueue::new(gpu.add_queue()), Policy::default())?;
/// let engine = gpu.add_copy_engine();
/// let parts = [CopyWork::new(Ticks::new(5)); 3]; // they complete one signal together
/// let mut copied = Event::new(EventOptions::default());
/// copied.record_copy(tracker.copy(&engine, CopySubmission::new(&parts), None)?);
/// copied.synchronize(&gpu, &WaitPolicy::default())?;
/// assert_eq!(gpu.counts().copy_parts, 3);
/// # drop(copied);
/// # tracker.close()?;
/// # Ok::<(), ringfence::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MockCopyEngine {
    system: MockSystem,
    device: DeviceId,
    lane: LaneId,
}
impl MockCopyEngine {
    pub(super) fn new(system: MockSystem, device: DeviceId, lane: LaneId) -> Self {
        Self { system, device, lane }
    }
}
impl CopyEngine for MockCopyEngine {
    type Work = CopyWork;
    fn lane(&self) -> LaneId {
        self.lane
    }
    fn reserve(&self) -> PacketId {
        let mut state = self.system.state();
        let at = state.model.reserve(self.lane, 1);
        state.oracle.reserved_ticket(UseId::new(self.lane, at));
        state.note(Event::Reserved(self.lane, at, 1));
        at
    }
    fn submit(
        &self,
        at: PacketId,
        part: PartIndex,
        work: CopyWork,
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) -> Result<(), CopyRefused> {
        let of = UseId::new(self.lane, at);
        let mut state = self.system.state();
        let taken = state.submit(self.device, of, part, work, completes, waits);
        state.breathe();
        taken
    }
}

impl State {
    fn submit(
        &mut self,
        device: DeviceId,
        of: UseId,
        part: PartIndex,
        work: CopyWork,
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) -> Result<(), CopyRefused> {
        self.spend(self.settings.costs.copy_part);
        if let Err(why) = self.check_part(device, part, completes, waits) {
            self.model.refuse(of);
            self.oracle.refused(of, completes);
            self.note(Event::PartRefused { of, part });
            return Err(why);
        }
        self.counts(device).copy_parts += 1;
        self.oracle.submitted(of, part, completes, waits, &self.model);
        self.model.submit(of, part, completes, waits);
        self.expect_work(device, (of.lane(), of.packet(), part.as_u32()), work.ticks());
        self.note(Event::Submitted { of, part, completes });
        Ok(())
    }
    fn check_part(
        &mut self,
        device: DeviceId,
        part: PartIndex,
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) -> Result<(), CopyRefused> {
        let features = self.model.capabilities(device).features;
        let completes_there = self.memory(completes).is_device();
        let waits_there = waits.iter().any(|&signal| self.memory(signal).is_device());
        let cannot = completes_there && !features.contains(Features::DEVICE_SIGNALS_ON_COPIES)
            || waits_there && !features.contains(Features::DEVICE_WAITS_ON_COPIES);
        if self.is_lost(device) {
            Err(CopyRefused::DeviceLost)
        } else if cannot {
            Err(CopyRefused::SignalMemory)
        } else if self.faults.refuses(part) {
            Err(CopyRefused::Failed)
        } else {
            Ok(())
        }
    }
}
