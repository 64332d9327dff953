//! One GPU.

use std::{
    fmt,
    sync::{
        Arc, Mutex, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use ringfence::{
    backend::{Capabilities, Device, DeviceStatus, HandlerToken, Profiler, SignalMemory},
    error::CreateError,
    id::{DeviceId, SignalHandle},
};

use crate::{
    agent::Agent,
    api::IpcName,
    capabilities::GpuFacts,
    error::HsaError,
    life::{Life, Loss},
    runtime::Runtime,
    signals::{self, Class, Entry, Owner, store_fence},
};

/// One GPU. A cheap handle that threads may share: clones are the same GPU.
///
/// ```no_run
/// # use ringfence::{drive::*, id::DeviceId};
/// use ringfence_hsa::{QueueOptions, Runtime};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Runtime::start()?.device(DeviceId::new(0))?; // keeps the runtime up
/// let queue = HardwareQueue::new(gpu.create_queue(QueueOptions::default())?);
/// let mut tracker = Tracker::open(gpu.clone(), queue, Policy::default())?;
/// tracker.submit(Submission::kernel(gpu.empty_kernel()?))?;
/// let _synced = tracker.synchronize()?;
/// tracker.close()?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct HsaDevice(pub(crate) Arc<DeviceInner>);

/// Who is told of completions.
type Tell = Box<dyn Fn(&HsaDevice, HandlerToken) + Send + Sync>;

pub(crate) struct DeviceInner {
    runtime: Runtime,
    index: usize,
    owner: Owner,
    profiler: AtomicBool,
    tell: OnceLock<Tell>,
    /// Reported before anybody was to be told.
    untold: Mutex<Vec<HandlerToken>>,
}

impl fmt::Debug for DeviceInner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (index, name) = (self.index, self.facts().name());
        f.debug_struct("HsaDevice")
            .field("index", &index)
            .field("name", &name)
            .finish_non_exhaustive()
    }
}

/// A name for a signal that another process can attach: 32 bytes, to be sent there.
///
/// ```no_run
/// # use ringfence::{backend::*, id::*};
/// use ringfence_hsa::{HsaDevice, HsaError, IpcSignal};
/// # fn sent(gpu: &HsaDevice) -> Result<[u8; 32], Box<dyn std::error::Error>> {
/// let mut signal = [SignalHandle::NULL];
/// gpu.create(SignalMemory::Shared, &mut signal)?;
/// let bytes = gpu.share(signal[0])?.to_bytes(); // through a pipe, to the other process
/// # Ok(bytes) }
/// # fn received(gpu: &HsaDevice, bytes: [u8; 32]) -> Result<SignalHandle, HsaError> {
/// let same = gpu.attach(IpcSignal::from_bytes(bytes))?; // there
/// # Ok(same) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IpcSignal(IpcName);

impl IpcSignal {
    /// From the bytes that the other process sent.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// To be sent.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 32] {
        self.0
    }
}

impl HsaDevice {
    /// The runtime.
    #[must_use]
    pub fn runtime(&self) -> &Runtime {
        &self.0.runtime
    }

    /// Its agent.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        let own = self.0.facts().agent();
        let found = self.0.runtime.agents().iter().find(|agent| agent.handle() == own);
        found.expect("a GPU is one of the runtime's agents")
    }

    /// What was found out about it.
    #[must_use]
    pub fn facts(&self) -> &GpuFacts {
        self.0.facts()
    }

    /// Why it is lost, if it is.
    #[must_use]
    pub fn loss(&self) -> Option<Loss> {
        self.0.life().loss()
    }

    /// The program knows that it is lost: every wait on it ends, and every watch is reported, on this thread.
    pub fn report_lost(&self) {
        self.0.life().lose(Loss::Reported);
    }

    /// A tool that reads, modifies and writes completion signals is attached from now on.
    pub fn attach_profiler(&self) {
        self.0.profiler.store(true, Ordering::Release);
    }

    /// Who is told of the completions that are [watched](ringfence::backend::Handlers::watch): `tell` is called once for each
    /// token, on a thread of the runtime's, which it should not hold up; what was reported before is told on this thread, now.
    ///
    /// A panic in it ends the process: there is nobody on that thread to take it.
    ///
    /// A device that holds itself (by a clone in `tell`) is never closed: use the one that `tell` is given. `tell` goes with the
    /// last handle of the device, which a watch is none of: whoever wants to hear keeps one.
    ///
    /// # Errors
    /// [`HsaError::ToldAlready`] if somebody else is told.
    pub fn on_completion(
        &self,
        tell: impl Fn(&HsaDevice, HandlerToken) + Send + Sync + 'static,
    ) -> Result<(), HsaError> {
        self.0.tell.set(Box::new(tell)).map_err(|_| HsaError::ToldAlready)?;
        let untold = {
            let mut untold = self.0.untold.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *untold)
        };
        for token in untold {
            self.tell(token);
        }
        Ok(())
    }

    pub(crate) fn tell(&self, token: HandlerToken) {
        if self.0.tell.get().is_none() {
            let mut untold = self.0.untold.lock().unwrap_or_else(PoisonError::into_inner);
            // Looked at again under the lock: whoever sets it takes what is here after that.
            if self.0.tell.get().is_none() {
                untold.push(token);
                return;
            }
        }
        if let Some(tell) = self.0.tell.get() {
            tell(self, token);
        }
    }

    pub(crate) fn downgrade(&self) -> WeakDevice {
        WeakDevice(Arc::downgrade(&self.0))
    }

    /// Where a signal lives; none if it is not there.
    #[must_use]
    pub fn memory_of(&self, signal: SignalHandle) -> Option<SignalMemory> {
        signals::look_up(signal).map(Entry::memory)
    }

    /// A name for a signal that another process can attach.
    ///
    /// # Errors
    /// [`HsaError::NotShared`] unless it lives in [`SignalMemory::Shared`]; whatever the runtime says.
    pub fn share(&self, signal: SignalHandle) -> Result<IpcSignal, HsaError> {
        let held =
            signals::hold(&self.0, signal).filter(|held| held.entry().class == Class::Shared);
        let held = held.ok_or(HsaError::NotShared { signal })?;
        let shared = held.for_calls().ok_or(HsaError::NotShared { signal })?;
        self.0.runtime.api().share(shared).map(IpcSignal)
    }

    /// Another process's signal. [`destroy`](ringfence::backend::Signals::destroy) lets go of it.
    ///
    /// # Errors
    /// Whatever the runtime says, as for a name of a signal that is gone.
    pub fn attach(&self, name: IpcSignal) -> Result<SignalHandle, HsaError> {
        let attached = self.0.runtime.api().attach(name.0)?;
        let taken = attached.ok_or(CreateError::NullHandle).and_then(|one| self.0.take_in(one));
        taken.map_err(|_| HsaError::NotShared { signal: SignalHandle::NULL })
    }
}

/// A device that may be closed.
#[derive(Debug)]
pub(crate) struct WeakDevice(Weak<DeviceInner>);

impl WeakDevice {
    pub(crate) fn upgrade(&self) -> Option<HsaDevice> {
        self.0.upgrade().map(HsaDevice)
    }
}

impl DeviceInner {
    pub(crate) fn new(runtime: Runtime, index: usize) -> Self {
        let device = u32::try_from(index).expect("a machine has few GPUs");
        let owner = Owner { runtime: runtime.number(), device };
        Self {
            runtime,
            index,
            owner,
            profiler: AtomicBool::new(tool_is_loaded()),
            tell: OnceLock::new(),
            untold: Mutex::default(),
        }
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub(crate) fn index(&self) -> u32 {
        self.owner.device
    }

    #[inline]
    pub(crate) fn facts(&self) -> &GpuFacts {
        self.runtime.facts(self.index)
    }

    #[inline]
    pub(crate) fn life(&self) -> &Life {
        self.runtime.life(self.index)
    }

    /// Whose signals this makes.
    #[inline]
    pub(crate) fn owner(&self) -> Owner {
        self.owner
    }

    /// Makes all stores of this thread visible to the GPU.
    pub(crate) fn flush_stores(&self) {
        store_fence();
        if let Some(register) = self.facts().hdp() {
            register.flush();
        }
    }
}

impl Device for HsaDevice {
    fn id(&self) -> DeviceId {
        DeviceId::new(self.0.index())
    }

    fn capabilities(&self) -> Capabilities {
        self.0.facts().capabilities()
    }

    #[inline]
    fn status(&self) -> DeviceStatus {
        self.0.life().status()
    }

    #[inline]
    fn profiler(&self) -> Profiler {
        if self.0.profiler.load(Ordering::Acquire) { Profiler::Attached } else { Profiler::Absent }
    }
}

/// Whether the environment has the runtime load a tool, such as AMD's profilers: it may wrap every packet's signal.
fn tool_is_loaded() -> bool {
    ["HSA_TOOLS_LIB", "ROCP_TOOL_LIBRARIES", "ROCPROFILER_REGISTER_LIBRARY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}
