//! Creating, loading, arming and flushing.

use ringfence::{
    backend::{Created, Engine, Features, SignalMemory},
    error::CreateError,
    id::{DeviceId, SignalHandle, SignalValue},
    timing::RawInterval,
};

use super::state::State;
use crate::{chooser::Site, faults::CreationFault, model::Reader, trace::Event};

impl State {
    pub(super) fn create(
        &mut self,
        device: DeviceId,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        self.oracle.creation_begins(memory);
        let created = self.create_batch(device, memory, batch);
        match created {
            Ok(Created { count, .. })
                if count == batch.len() && !batch.contains(&SignalHandle::NULL) => {}
            _ => {
                self.oracle.creation_failed();
                self.note(Event::CreationFailed { memory });
            }
        }
        created
    }
    fn create_batch(
        &mut self,
        device: DeviceId,
        mut memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        self.check_creation(device, memory)?;
        let left_out = self.choose_left_out(batch.len());
        let wanted = batch.len() - left_out;
        let mut count = 0;
        for place in &mut batch[..wanted] {
            if memory == SignalMemory::Interrupt
                && self.interrupts >= self.settings.quotas.interrupts
            {
                break;
            }
            match self.faults.creation() {
                Some(CreationFault::Fails) => break,
                Some(CreationFault::NullHandle) => *place = SignalHandle::NULL,
                // A batch lives in one place: what came before stays where it is.
                Some(CreationFault::FallsBack) if count > 0 => break,
                Some(CreationFault::FallsBack) => {
                    memory = SignalMemory::Host;
                    *place = self.create_one(device, memory);
                }
                None => *place = self.create_one(device, memory),
            }
            count += 1;
        }
        match count {
            0 if memory == SignalMemory::Interrupt => Err(CreateError::NoInterrupts),
            0 => Err(CreateError::OutOfMemory),
            _ => Ok(Created { count, memory }),
        }
    }
    fn check_creation(&self, device: DeviceId, memory: SignalMemory) -> Result<(), CreateError> {
        let capabilities = self.model.capabilities(device);
        let supported = match memory {
            SignalMemory::Device => capabilities.can_hold_device_signals(),
            SignalMemory::Interrupt => capabilities.features.contains(Features::INTERRUPTS),
            SignalMemory::Host | SignalMemory::Shared => true,
        };
        if self.is_lost(device) {
            Err(CreateError::DeviceLost)
        } else if supported {
            Ok(())
        } else {
            Err(CreateError::Unsupported)
        }
    }
    fn choose_left_out(&mut self, wanted: usize) -> usize {
        // At least one is made: a batch without any is an error, and errors are asked for.
        let choices = u32::try_from(wanted).unwrap_or(u32::MAX);
        if choices < 2 { 0 } else { self.chooser.choose(Site::Batch, choices) as usize }
    }
    fn create_one(&mut self, device: DeviceId, memory: SignalMemory) -> SignalHandle {
        let signal = self.model.add_cell(device, memory);
        self.interrupts += u32::from(memory == SignalMemory::Interrupt);
        self.spend(self.settings.costs.create(memory));
        self.counts(device).created.add(memory, 1);
        self.oracle.created(signal, memory, device);
        self.note(Event::Created { signal, memory });
        signal
    }
    pub(super) fn destroy(&mut self, device: DeviceId, signal: SignalHandle) {
        self.spend(self.settings.costs.destroy);
        self.counts(device).destroyed += 1;
        self.oracle.destroyed(signal, &self.model);
        if self.memory(signal) == SignalMemory::Interrupt {
            self.interrupts = self.interrupts.saturating_sub(1);
        }
        self.model.remove_cell(signal);
        self.note(Event::Destroyed(signal));
    }
    /// What the host sees in a signal; done, for one that does not exist.
    #[inline]
    pub(super) fn host_view(&self, signal: SignalHandle) -> SignalValue {
        self.model.view(signal, Reader::Host).unwrap_or(SignalValue::DONE)
    }
    #[inline]
    pub(super) fn load(&mut self, device: DeviceId, signal: SignalHandle) -> SignalValue {
        self.breathe();
        self.reveal(signal);
        let memory = self.memory(signal);
        self.spend(self.settings.costs.load(memory));
        self.counts(device).loads.add(memory, 1);
        let value = self.host_view(signal);
        self.saw(value);
        self.oracle.loaded(signal, value);
        self.note(Event::Loaded(signal, value));
        value
    }
    #[inline]
    pub(super) fn arm(&mut self, device: DeviceId, signal: SignalHandle, value: SignalValue) {
        self.breathe();
        let memory = self.memory(signal);
        self.spend(self.settings.costs.arm);
        self.counts(device).arms.add(memory, 1);
        self.oracle.armed(signal, value, &self.model);
        self.model.store(signal, value);
        self.note(Event::Armed(signal, value));
    }
    #[inline]
    pub(super) fn publish_stores(&mut self, device: DeviceId) {
        self.spend(self.settings.costs.publish_stores);
        self.counts(device).publish_stores += 1;
        self.oracle.stores_published();
        self.model.publish_stores();
        self.note(Event::StoresPublished);
    }
    #[inline]
    pub(super) fn flush(&mut self, device: DeviceId) {
        self.breathe();
        self.spend(self.settings.costs.flush);
        self.counts(device).flushes += 1;
        self.oracle.flushed(device);
        self.model.flush(device);
        self.note(Event::Flushed(device));
    }
    pub(super) fn timestamps(
        &mut self,
        device: DeviceId,
        signal: SignalHandle,
        engine: Engine,
    ) -> RawInterval {
        self.breathe();
        let memory = self.memory(signal);
        self.spend(self.settings.costs.load(memory));
        self.counts(device).timestamps.add(memory, 1);
        let raw = self.stamps.read(signal, engine);
        self.saw(raw);
        self.oracle.timestamps(signal, raw, &self.model);
        self.note(Event::Timestamps(signal, engine, raw));
        raw
    }
}
