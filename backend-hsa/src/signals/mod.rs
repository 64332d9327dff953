//! Signals: what they are, and how they are made, read, armed and destroyed.

mod blocks;
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
pub(crate) use table::{Class, Entry, Owner, Table};
pub(crate) use word::{BLOCK, Block, for_calls};

use crate::{
    api::HsaSignal,
    capabilities::DeviceMemory,
    device::{DeviceInner, HsaDevice},
    error::HsaError,
    runtime::Garbage,
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

/// The signal with this name, or a panic that says so: a caller that uses a signal after it was destroyed must not go on.
#[inline]
#[track_caller]
pub(crate) fn expect(signal: SignalHandle) -> Entry {
    match TABLE.look_up(signal) {
        Some(entry) => entry,
        None => unknown(signal),
    }
}

#[cold]
#[track_caller]
fn unknown(signal: SignalHandle) -> ! {
    panic!("{signal:?} is no signal of this backend, or was destroyed")
}

/// The block of a signal that the library uses.
#[inline]
#[track_caller]
pub(crate) fn block(signal: SignalHandle) -> Block {
    // SAFETY: the library uses no signal after it was destroyed (contract 2 of `Signals`); one that was destroyed before has no
    // entry any more.
    unsafe { Block::of(expect(signal)) }
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

    /// As the runtime's calls take it; none for one in device memory.
    pub(crate) fn for_calls(self) -> Option<HsaSignal> {
        // SAFETY: as in `block`.
        unsafe { for_calls(self) }
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

    fn destroy(&self, signal: SignalHandle) {
        let entry = TABLE.remove(signal);
        debug_assert!(entry.is_some(), "{signal:?} is no signal, or is destroyed twice");
        let Some(entry) = entry else { return };
        match entry.class {
            Class::Raw => self.runtime().give_block(entry),
            Class::Host | Class::Interrupt | Class::Shared | Class::InDevice => {
                // SAFETY: the runtime made it, and it is destroyed below or never.
                let signal = unsafe { HsaSignal::from_address(entry.address) };
                self.0.runtime().discard(Garbage::Signal(signal));
            }
        }
    }

    #[inline]
    fn load(&self, signal: SignalHandle) -> SignalValue {
        SignalValue::new(block(signal).load())
    }

    #[inline]
    fn arm(&self, signal: SignalHandle, value: SignalValue) {
        block(signal).store(value.as_i64());
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
        let alone = hsa_amd_signal_attribute_t::HSA_AMD_SIGNAL_AMD_GPU_ONLY;
        let (created, class) = match memory {
            SignalMemory::Host => (api.create_with(1, alone), Class::Host),
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

    fn name(&self, signal: HsaSignal, class: Class) -> Result<SignalHandle, CreateError> {
        let entry = Entry { address: signal.address(), class, owner: self.owner() };
        TABLE.insert(entry).ok_or_else(|| {
            // SAFETY: nothing else knows it.
            unsafe { self.runtime().api().destroy_signal(signal) };
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
