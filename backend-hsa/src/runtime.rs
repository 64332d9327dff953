//! The runtime, from `hsa_init` to `hsa_shut_down`.

use std::{
    num::NonZeroU64,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use ringfence::{id::DeviceId, timing::TickRate};

use crate::{
    agent::{Agent, RuntimeVersion},
    api::{AgentKind, Api, HsaSignal},
    callback::{self, Thread},
    capabilities::GpuFacts,
    device::{DeviceInner, HsaDevice},
    error::HsaError,
    events::{self, SystemEvents},
    garbage::{Garbage, Heap, StuckQueues},
    kernel::KernelMemory,
    life::{Life, Loss},
    signals::{self, Block, Blocks},
    sys::{Library, hsa_agent_t, hsa_amd_signal_attribute_t},
};

/// AMD's runtime, initialised. It is shut down when the last handle is gone: this one's clones, devices, queues, engines.
///
/// ```no_run
/// # fn main() -> Result<(), ringfence_hsa::HsaError> {
/// use ringfence_hsa::Runtime;
/// let runtime = Runtime::start()?; // shared with whoever started it before
/// for gpu in runtime.devices() {
///     println!("{}: {}", gpu.agent().name(), gpu.agent().product());
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Runtime(Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    /// Which start of a runtime this is.
    number: u32,
    api: Api,
    agents: Vec<Agent>,
    gpus: Vec<Gpu>,
    rate: TickRate,
    version: RuntimeVersion,
    events: SystemEvents,
    heap: Heap,
}

/// One GPU, open or not.
#[derive(Debug)]
struct Gpu {
    facts: GpuFacts,
    life: Life,
    open: Mutex<Weak<DeviceInner>>,
    blocks: Mutex<Blocks>,
    /// Signals of class `Host` that were destroyed, for the next: their memory stays a signal's until the runtime ends.
    kept: Mutex<Vec<HsaSignal>>,
    /// Kept until the runtime ends: a dispatch of it may be kept as long.
    kernel: Mutex<Option<KernelMemory>>,
}

/// Held while a runtime starts or ends, so that these do not overlap. No callback takes it: ending waits for those.
static CHANGE: Mutex<()> = Mutex::new(());
/// Those that are up. Held for a look alone.
static UP: Mutex<Vec<Weak<Inner>>> = Mutex::new(Vec::new());

/// Counts starts.
static STARTS: AtomicU32 = AtomicU32::new(0);

fn up() -> MutexGuard<'static, Vec<Weak<Inner>>> {
    UP.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Runtime {
    /// Loads and initialises the runtime, or shares the one that is up. `RINGFENCE_HSA_LIBRARY` names another library.
    ///
    /// # Errors
    /// There is no runtime, no driver, or no GPU; [`HsaError::FaultsUnheard`] after a memory fault or a reset, as long as somebody
    /// else in the process keeps the runtime up.
    pub fn start() -> Result<Self, HsaError> {
        Self::start_with(Library::load()?)
    }

    /// The same for a library that was loaded by its path.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_with(library: &'static Library) -> Result<Self, HsaError> {
        // Let go of after the lock: the last handle of another runtime takes it to end that one.
        let all: Vec<_>;
        let _change = CHANGE.lock().unwrap_or_else(PoisonError::into_inner);
        all = up().iter().filter_map(Weak::upgrade).collect();
        let same = |inner: &&Arc<Inner>| std::ptr::eq(inner.api.library(), library);
        if let Some(inner) = all.iter().find(same) {
            return Ok(Self(Arc::clone(inner)));
        }
        let api = Api::new(library);
        if let Some(since) = events::deaf_since(api) {
            return Err(HsaError::FaultsUnheard { since });
        }
        api.init()?;
        let inner = match Inner::look(api) {
            Ok(inner) => Arc::new(inner),
            Err(error) => {
                // SAFETY: it was initialised above, and all that was made since is gone.
                let _ = unsafe { api.shut_down() };
                return Err(error);
            }
        };
        let mut up = up();
        up.retain(|inner| inner.strong_count() > 0);
        up.push(Arc::downgrade(&inner));
        drop(up);
        Ok(Self(inner))
    }

    /// All GPUs, in the runtime's order: the index is the [`DeviceId`]. There is at least one.
    #[must_use]
    pub fn devices(&self) -> Vec<HsaDevice> {
        (0..self.0.gpus.len()).map(|index| self.open(index)).collect()
    }

    /// One GPU.
    ///
    /// # Errors
    /// [`HsaError::NoSuchDevice`].
    pub fn device(&self, id: DeviceId) -> Result<HsaDevice, HsaError> {
        let count = self.0.gpus.len();
        let index = id.as_u32() as usize;
        if index < count { Ok(self.open(index)) } else { Err(HsaError::NoSuchDevice { id, count }) }
    }

    fn open(&self, index: usize) -> HsaDevice {
        let mut open = self.0.gpus[index].open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = open.upgrade() {
            return HsaDevice(device);
        }
        let device = HsaDevice(Arc::new(DeviceInner::new(self.clone(), index)));
        *open = Arc::downgrade(&device.0);
        device
    }

    /// All processors.
    #[must_use]
    pub fn agents(&self) -> &[Agent] {
        &self.0.agents
    }

    /// Its version.
    #[must_use]
    pub fn version(&self) -> &RuntimeVersion {
        &self.0.version
    }

    /// What the runtime failed to destroy, or would not have come back from destroying.
    #[must_use]
    pub fn stuck_queues(&self) -> StuckQueues {
        self.0.heap.stuck()
    }

    /// What is known of GPU number `index`.
    pub(crate) fn facts(&self, index: usize) -> &GpuFacts {
        &self.0.gpus[index].facts
    }

    /// What is known of all GPUs.
    pub(crate) fn all_facts(&self) -> impl Iterator<Item = &GpuFacts> {
        self.0.gpus.iter().map(|gpu| &gpu.facts)
    }

    pub(crate) fn system_events(&self) -> SystemEvents {
        self.0.events
    }

    #[inline]
    pub(crate) fn api(&self) -> Api {
        self.0.api
    }

    #[inline]
    pub(crate) fn life(&self, index: usize) -> &Life {
        &self.0.gpus[index].life
    }

    pub(crate) fn number(&self) -> u32 {
        self.0.number
    }

    /// The raw signals of GPU number `index`.
    pub(crate) fn blocks(&self, index: u32) -> MutexGuard<'_, Blocks> {
        self.0.gpus[index as usize].blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The destroyed signals of GPU number `index` that are kept. Each GPU's apart: what a lost one may still write to is not
    /// made anew.
    pub(crate) fn kept(&self, index: u32) -> MutexGuard<'_, Vec<HsaSignal>> {
        self.0.gpus[index as usize].kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn kernel(&self, index: usize) -> MutexGuard<'_, Option<KernelMemory>> {
        self.0.gpus[index].kernel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The system's clock.
    pub(crate) fn rate(&self) -> TickRate {
        self.0.rate
    }

    pub(crate) fn downgrade(&self) -> WeakRuntime {
        WeakRuntime(Arc::downgrade(&self.0))
    }

    /// Destroys it now, or, on a thread of the runtime's, later on another.
    pub(crate) fn discard(&self, garbage: Garbage) {
        match callback::thread() {
            Thread::Own => {
                self.sweep();
                self.destroy(garbage);
            }
            Thread::Runtime => self.0.heap.push(garbage),
        }
    }

    fn destroy(&self, garbage: Garbage) {
        if self.0.is_stuck(&garbage) {
            self.0.heap.leave(garbage);
        } else {
            self.0.heap.destroy(self.0.api, garbage);
        }
    }

    /// Destroys what was let go of on a thread of the runtime.
    pub(crate) fn sweep(&self) {
        if callback::thread() == Thread::Runtime {
            return;
        }
        self.0.heap.take().into_iter().for_each(|garbage| self.destroy(garbage));
    }
}

/// A runtime that may have ended.
#[derive(Debug)]
pub(crate) struct WeakRuntime(Weak<Inner>);

impl WeakRuntime {
    pub(crate) fn upgrade(&self) -> Option<Runtime> {
        self.0.upgrade().map(Runtime)
    }
}

impl Inner {
    fn look(api: Api) -> Result<Self, HsaError> {
        let agents = Agent::all(api)?;
        let gpus: Vec<&Agent> = agents.iter().filter(|one| one.kind() == AgentKind::Gpu).collect();
        if gpus.is_empty() {
            return Err(HsaError::NoGpu { agents: agents.len() });
        }
        let events = events::listen(api);
        check_layout(api)?;
        let gpus = gpus
            .into_iter()
            .map(|gpu| {
                let facts = GpuFacts::probe(api, gpu, &agents)?;
                let pools = facts.pools();
                Ok(Gpu {
                    facts,
                    life: Life::default(),
                    open: Mutex::default(),
                    blocks: Mutex::new(Blocks::new(pools.signals, vec![pools.cpu])),
                    kept: Mutex::default(),
                    kernel: Mutex::default(),
                })
            })
            .collect::<Result<_, HsaError>>()?;
        let frequency = NonZeroU64::new(api.frequency()?).unwrap_or(NonZeroU64::MIN);
        let version = RuntimeVersion::of(api)?;
        let (rate, heap) = (TickRate::new(frequency), Heap::default());
        let number = STARTS.fetch_add(1, Ordering::Relaxed);
        Ok(Self { number, api, agents, gpus, rate, version, events, heap })
    }
}

impl Inner {
    /// Whether the runtime would not come back from destroying it: after a memory fault, `hsa_queue_destroy` of the queue that the
    /// kernel was on waits for a handler that has ended without a word to it. Which queue that was, it does not say.
    fn is_stuck(&self, garbage: &Garbage) -> bool {
        garbage.queue_of().is_some_and(|gpu| self.gpus[gpu].life.has_faulted())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let api = self.api;
        let mut garbage = self.heap.take();
        garbage.retain(|one| !self.is_stuck(one));
        for gpu in &mut self.gpus {
            gpu.blocks.get_mut().unwrap_or_else(PoisonError::into_inner).release(api);
            let kept = gpu.kept.get_mut().unwrap_or_else(PoisonError::into_inner);
            garbage.extend(kept.drain(..).map(Garbage::Signal));
        }
        // Signals that nobody destroyed end here; their handles must not name what is unmapped.
        let _left = signals::forget(self.number);
        let end = move || {
            let _change = CHANGE.lock().unwrap_or_else(PoisonError::into_inner);
            for garbage in garbage {
                // Nobody is left who could ask how many are stuck.
                let _ = garbage.destroy(api);
            }
            // SAFETY: it was initialised once for this value, which everything that was made holds.
            let _ = unsafe { api.shut_down() };
            // Looked at now: the next that starts it may be somebody else.
            let _ = events::deaf_since(api);
        };
        match callback::thread() {
            Thread::Own => end(),
            // The runtime would wait for the very thread that asks it to end. Where no thread can be had, it stays up.
            Thread::Runtime => drop(thread::Builder::new().spawn(end)),
        }
    }
}

/// Values of signals are read in place, which is right only where the runtime keeps them as its headers say.
fn check_layout(api: Api) -> Result<(), HsaError> {
    let alone = hsa_amd_signal_attribute_t::HSA_AMD_SIGNAL_AMD_GPU_ONLY;
    let signal = api.create_with(5, alone)?.ok_or(HsaError::SignalLayout)?;
    let mut right = api.has_layout(signal);
    if right {
        // SAFETY: the runtime says that the value lies where `amd_signal_t` has it.
        let block = unsafe { Block::at(signal.address()) };
        block.store(7);
        right = block.is_user() && block.load() == 7;
    }
    // SAFETY: nothing else knows it.
    unsafe { api.destroy_signal(signal) };
    if right { Ok(()) } else { Err(HsaError::SignalLayout) }
}

/// Whether a loss was of anybody's GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Told {
    /// A runtime that is up has that GPU.
    Somebody,
    /// None has: whoever uses it does so past this crate.
    Nobody,
}

/// A GPU is lost, in every runtime that is up.
pub(crate) fn lose(agent: hsa_agent_t, loss: Loss) -> Told {
    // The lock is not held while anybody is told.
    let runtimes: Vec<_> = up().iter().filter_map(Weak::upgrade).collect();
    // A host memory pool is of a CPU: a failed free of it is told to who frees, and ends nothing.
    let is_ours = |inner: &Arc<Inner>| inner.agents.iter().any(|one| one.handle().is(agent));
    let mut told = if runtimes.iter().any(is_ours) { Told::Somebody } else { Told::Nobody };
    for gpu in runtimes.iter().flat_map(|inner| &inner.gpus) {
        if gpu.facts.agent().is(agent) {
            gpu.life.lose(loss);
            told = Told::Somebody;
        }
    }
    told
}
