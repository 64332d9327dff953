//! Signals: what they are, and how they are made, read, armed and destroyed.

mod blocks;
mod held;
mod table;
#[cfg(test)]
mod tests;
mod word;

use ringfence::{
    backend::{Created, DeviceStatus, HostDataPath, SignalMemory, Signals},
    error::CreateError,
    id::{SignalHandle, SignalValue},
};

pub(crate) use blocks::Blocks;
pub(crate) use held::{Held, address, at, expect, hold};
pub(crate) use table::{Class, Entry, Owner, Removed, Table};
pub(crate) use word::{BLOCK, Block};

use crate::{
    api::HsaSignal,
    capabilities::DeviceMemory,
    device::{DeviceInner, HsaDevice},
    error::HsaError,
    garbage::Garbage,
    sys::{hsa_amd_signal_attribute_t, hsa_status_t},
};

/// All signals of the process: a packet of one device may wait for a signal of another.
static TABLE: Table = Table::new();

/// The signal with this name.
#[inline]
pub(crate) fn look_up(signal: SignalHandle) -> Option<Entry> {
    TABLE.look_up(signal)
}

/// Forgets all signals of one start of a runtime.
pub(crate) fn forget(runtime: u32) -> usize {
    TABLE.forget(runtime)
}

impl Entry {
    /// Where it lives.
    pub(crate) const fn memory(self) -> SignalMemory {
        match self.class {
            Class::Host => SignalMemory::Host,
            Class::Interrupt => SignalMemory::Interrupt,
            Class::Shared => SignalMemory::Shared,
            Class::Raw | Class::InDevice => SignalMemory::Device,
        }
    }
}

impl Signals for HsaDevice {
    fn create(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        if self.0.life().status() == DeviceStatus::Lost {
            return Err(CreateError::DeviceLost);
        }
        match memory {
            SignalMemory::Device => self.0.create_device(batch),
            SignalMemory::Host => self.0.create_each(SignalMemory::Host, batch),
            SignalMemory::Interrupt => self.0.create_each(SignalMemory::Interrupt, batch),
            SignalMemory::Shared => self.0.create_each(SignalMemory::Shared, batch),
        }
    }

    /// A thread that loads it, arms it or waits for it at the same time touches no freed memory, and panics. A signal that is
    /// destroyed already, or is another runtime's, is left alone.
    ///
    /// # Panics
    /// With debug assertions, if it is left alone: that is a bug of the caller's.
    fn destroy(&self, signal: SignalHandle) {
        let own = look_up(signal).is_some_and(|entry| self.0.owns(entry));
        match if own { TABLE.remove(signal) } else { Removed::Unknown } {
            Removed::Now(entry) => self.0.give_back(entry),
            Removed::Later => {}
            Removed::Unknown => {
                debug_assert!(false, "{signal:?} is no signal, or is destroyed twice");
            }
        }
    }

    /// # Panics
    /// If there is no such signal, or no more.
    #[inline]
    fn load(&self, signal: SignalHandle) -> SignalValue {
        SignalValue::new(at(&self.0, signal, Block::load))
    }

    /// # Panics
    /// If there is no such signal, or no more.
    #[inline]
    fn arm(&self, signal: SignalHandle, value: SignalValue) {
        at(&self.0, signal, |block| block.store(value.as_i64()));
    }

    #[inline]
    fn publish_stores(&self) {
        store_fence();
    }

    fn flush(&self) {
        store_fence();
        if let Some(register) = self.0.facts().hdp() {
            register.flush();
        } else if self.0.facts().capabilities().path == HostDataPath::Hdp {
            // No register: no signal lives in device memory then, and there is nothing to flush.
        }
    }
}

/// Orders earlier stores, write-combined ones too, before later stores.
#[inline]
pub(crate) fn store_fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
    #[cfg(not(target_arch = "x86_64"))]
    std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
}

impl DeviceInner {
    /// Whether a signal is one of this runtime's, which so is up as long as this device is.
    #[inline]
    pub(crate) fn owns(&self, entry: Entry) -> bool {
        entry.owner.runtime == self.owner().runtime
    }

    /// Gives back what a signal was that has no name any more, and that nobody is at.
    fn give_back(&self, entry: Entry) {
        // SAFETY: the runtime made it, unless its class is `Raw`; from here on, it is kept or destroyed, and nothing else.
        let signal = || unsafe { HsaSignal::from_address(entry.address) };
        match entry.class {
            Class::Raw => self.runtime().blocks(entry.owner.device).give(entry.address),
            Class::Host => self.runtime().kept(entry.owner.device).push(signal()),
            Class::Interrupt | Class::Shared | Class::InDevice => {
                self.runtime().discard(Garbage::Signal(signal()));
            }
        }
    }

    /// Signals of the runtime's in host memory, one call each.
    fn create_each(
        &self,
        memory: SignalMemory,
        batch: &mut [SignalHandle],
    ) -> Result<Created, CreateError> {
        let mut count = 0;
        for place in &mut *batch {
            match self.create_one(memory) {
                Ok(signal) => *place = signal,
                Err(_) if count > 0 => break,
                Err(error) => return Err(error),
            }
            count += 1;
        }
        if count == 0 { Err(CreateError::Unsupported) } else { Ok(Created { count, memory }) }
    }

    fn create_one(&self, memory: SignalMemory) -> Result<SignalHandle, CreateError> {
        let api = self.runtime().api();
        let (created, class) = match memory {
            SignalMemory::Host => (self.create_host(), Class::Host),
            SignalMemory::Interrupt => (api.create_interrupt(1), Class::Interrupt),
            SignalMemory::Shared => {
                let shared = hsa_amd_signal_attribute_t::HSA_AMD_SIGNAL_IPC;
                (api.create_with(1, shared), Class::Shared)
            }
            SignalMemory::Device => return Err(CreateError::Unsupported),
        };
        let signal = created.map_err(|error| refused(&error))?.ok_or(CreateError::NullHandle)?;
        if class == Class::Interrupt {
            // SAFETY: the runtime's signals lie at their handles, and this one is there.
            let block = unsafe { Block::at(signal.address()) };
            if !block.has_event() {
                // The runtime falls back in silence: a wait for this one would poll.
                // SAFETY: nothing else knows it.
                unsafe { api.destroy_signal(signal) };
                return Err(CreateError::NoInterrupts);
            }
        }
        self.name(signal, class)
    }

    /// One that was destroyed and is kept, or a new one.
    fn create_host(&self) -> Result<Option<HsaSignal>, HsaError> {
        let kept = self.runtime().kept(self.owner().device).pop();
        let Some(kept) = kept else {
            let alone = hsa_amd_signal_attribute_t::HSA_AMD_SIGNAL_AMD_GPU_ONLY;
            return self.runtime().api().create_with(1, alone);
        };
        // SAFETY: it is a signal that is kept until the runtime ends, and nobody else has it.
        unsafe { Block::at(kept.address()) }.lay_out_again(1);
        Ok(Some(kept))
    }

    fn name(&self, signal: HsaSignal, class: Class) -> Result<SignalHandle, CreateError> {
        let entry = Entry { address: signal.address(), class, owner: self.owner() };
        TABLE.insert(entry).ok_or_else(|| {
            self.give_back(entry);
            CreateError::OutOfMemory
        })
    }

    /// Takes in a signal that another process made.
    pub(crate) fn take_in(&self, signal: HsaSignal) -> Result<SignalHandle, CreateError> {
        self.name(signal, Class::Shared)
    }

    /// Signals in the GPU's memory; in host memory if that is used up.
    fn create_device(&self, batch: &mut [SignalHandle]) -> Result<Created, CreateError> {
        let created = match self.facts().device_memory() {
            DeviceMemory::ByRuntime => self.create_by_runtime(batch),
            DeviceMemory::RawBlocks => self.create_blocks(batch),
            DeviceMemory::NoLargeBar | DeviceMemory::NoFlush | DeviceMemory::Failed => {
                return Err(CreateError::Unsupported);
            }
        };
        match created {
            0 => self.create_each(SignalMemory::Host, batch),
            count => Ok(Created { count, memory: SignalMemory::Device }),
        }
    }

    fn create_by_runtime(&self, batch: &mut [SignalHandle]) -> usize {
        let api = self.runtime().api();
        let made = api.create_in_device(1, self.facts().agent(), batch.len());
        let mut count = 0;
        for signal in made.and_then(Result::ok).unwrap_or_default() {
            if let Ok(name) = self.name(signal, Class::InDevice) {
                batch[count] = name;
                count += 1;
            }
        }
        // Whoever made them stored their values by the same path as an arm does.
        self.flush_stores();
        count
    }

    fn create_blocks(&self, batch: &mut [SignalHandle]) -> usize {
        let api = self.runtime().api();
        let mut blocks = self.runtime().blocks(self.owner().device);
        let mut count = 0;
        for place in &mut *batch {
            let Ok(address) = blocks.take(api) else { break };
            // SAFETY: the block was taken, and is given back when the signal is destroyed.
            unsafe { Block::at(address) }.lay_out(1);
            let entry = Entry { address, class: Class::Raw, owner: self.owner() };
            let Some(name) = TABLE.insert(entry) else {
                blocks.give(address);
                break;
            };
            *place = name;
            count += 1;
        }
        drop(blocks);
        self.flush_stores();
        count
    }
}

/// What a refusal means.
fn refused(error: &HsaError) -> CreateError {
    match error {
        HsaError::Call { status, .. }
            if status.is(hsa_status_t::HSA_STATUS_ERROR_OUT_OF_RESOURCES) =>
        {
            CreateError::OutOfMemory
        }
        _ => CreateError::Unsupported,
    }
}
