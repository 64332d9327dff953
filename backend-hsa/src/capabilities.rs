//! What one GPU can do: probed, or from a list with its source.

use std::num::NonZeroU64;

use ringfence::{
    backend::{Capabilities, Features, HostDataPath, RingMemory},
    timing::TickRate,
};

use crate::{
    agent::Agent,
    api::{AgentHandle, AgentKind, Api, HdpRegister, Pool, PoolFlags, PoolKind},
    error::HsaError,
    signals::{BLOCK, Block},
};

/// GPUs whose packet processor knows the barrier-value packet. An invalid packet ends a queue, so that nothing is tried. CLR
/// (2026-07) uses the packet on gfx90a and on gfx9 from minor version 4, stepping 0 to 2
/// (<https://github.com/ROCm/rocm-systems/blob/develop/projects/clr/rocclr/device/rocm/rocsettings.cpp>).
const BARRIER_VALUE: [&str; 5] = ["gfx90a", "gfx940", "gfx941", "gfx942", "gfx950"];

/// What is known of one GPU.
///
/// ```no_run
/// use ringfence_hsa::{DeviceMemory, HsaDevice};
/// # fn told(gpu: &HsaDevice) {
/// let facts = gpu.facts();
/// println!("{} takes {} packets a queue", facts.product(), facts.queue_limit());
/// match facts.device_memory() {
///     DeviceMemory::ByRuntime | DeviceMemory::RawBlocks => println!("signals may be in its memory"),
///     DeviceMemory::NoLargeBar => println!("its memory is out of the host's reach"),
///     _ => println!("signals stay in host memory"),
/// }
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct GpuFacts {
    agent: AgentHandle,
    name: String,
    product: String,
    queue_limit: u32,
    tick_rate: TickRate,
    capabilities: Capabilities,
    device_memory: DeviceMemory,
    hdp: Option<HdpRegister>,
    pools: Pools,
}

/// How signals get into this GPU's memory, or why they do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DeviceMemory {
    /// By `hsa_amd_signal_create_v2`.
    ByRuntime,
    /// As blocks that this crate lays out, in memory that is fine-grained where the GPU has such.
    ///
    /// **Not proven on every GPU:** whether a GPU caches its own fine-grained memory is its kernel driver's choice, which the runtime
    /// does not tell. What it caches, the host may see late, or the GPU miss what the host stored. The look at the start shows
    /// that the host reaches such a block, and nothing of the GPU's side. So
    /// [`DeviceSignals`](ringfence::placement::DeviceSignals) is off by default: turn it on where a test on this very GPU, driver and
    /// runtime has passed.
    RawBlocks,
    /// Not: the host cannot map all of the GPU's memory. A large BAR ("resizable BAR" or "above 4G decoding" of the firmware) is
    /// needed.
    NoLargeBar,
    /// Not: there is neither a register that flushes the host's stores nor a coherent link.
    NoFlush,
    /// Not: what was tried with a block failed.
    Failed,
}

/// Where memory of each kind comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pools {
    /// The GPU's own.
    pub(crate) device: Pool,
    /// The GPU's own, for signals.
    pub(crate) signals: Pool,
    /// The host's, coherent.
    pub(crate) host: Pool,
    /// The host's, for kernel arguments.
    pub(crate) kernarg: Pool,
    pub(crate) cpu: AgentHandle,
}

impl GpuFacts {
    pub(crate) fn probe(api: Api, gpu: &Agent, agents: &[Agent]) -> Result<Self, HsaError> {
        let agent = gpu.handle();
        let own = api.pools(agent)?;
        let coarse = find(&own, PoolKind::CoarseGrained);
        let fine = find(&own, PoolKind::FineGrained);
        let missing = |agent: &Agent, pool| HsaError::NoPool { agent: agent.name().into(), pool };
        let device = coarse.or(fine).ok_or_else(|| missing(gpu, "device memory"))?;
        let cpu = agents.iter().find(|one| one.kind() == AgentKind::Cpu);
        let cpu = cpu.ok_or_else(|| missing(gpu, "host memory"))?;
        let hosts = api.pools(cpu.handle())?;
        let host = find(&hosts, PoolKind::FineGrained);
        let host = host.ok_or_else(|| missing(cpu, "fine-grained host memory"))?;
        let kernarg = find(&hosts, PoolKind::Kernarg).unwrap_or(host);
        let large_bar = api.can_access(cpu.handle(), device)?;
        let hdp = api.hdp(agent);
        let coherent = hdp.is_none() && api.is_linked_by_xgmi(cpu.handle(), device);
        let path = if coherent { HostDataPath::Coherent } else { HostDataPath::Hdp };
        let pools = Pools {
            device,
            signals: signal_pool(api, gpu.name(), cpu.handle(), fine).unwrap_or(device),
            host,
            kernarg,
            cpu: cpu.handle(),
        };
        let device_memory = if !large_bar {
            DeviceMemory::NoLargeBar
        } else if hdp.is_none() && !coherent {
            DeviceMemory::NoFlush
        } else {
            try_device_memory(api, agent, &pools, hdp)
        };
        let mut features = Features::empty();
        features.set(Features::LARGE_BAR, large_bar);
        let has = matches!(device_memory, DeviceMemory::ByRuntime | DeviceMemory::RawBlocks);
        features.set(Features::DEVICE_SIGNALS, has);
        features.set(Features::INTERRUPTS, has_interrupts(api)?);
        features.set(Features::BARRIER_VALUE, BARRIER_VALUE.contains(&gpu.name()));
        Ok(Self {
            agent,
            name: gpu.name().to_owned(),
            product: gpu.product().to_owned(),
            queue_limit: api.queue_limit(agent)?,
            tick_rate: tick_rate(api, agent)?,
            capabilities: Capabilities::new(features, RingMemory::System, path),
            device_memory,
            hdp,
            pools,
        })
    }

    /// Its instruction set, such as gfx942.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its name for people.
    #[must_use]
    pub fn product(&self) -> &str {
        &self.product
    }

    /// What it can do.
    #[must_use]
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// How signals get into its memory, or why they do not.
    #[must_use]
    pub fn device_memory(&self) -> DeviceMemory {
        self.device_memory
    }

    /// The frequency of its clock, which its packets' times are ticks of.
    #[must_use]
    pub fn tick_rate(&self) -> TickRate {
        self.tick_rate
    }

    /// Packets that a queue holds at most.
    #[must_use]
    pub fn queue_limit(&self) -> u32 {
        self.queue_limit
    }

    /// Whether there is a register that flushes the host's stores to its memory.
    #[must_use]
    pub fn has_flush_register(&self) -> bool {
        self.hdp.is_some()
    }

    pub(crate) fn agent(&self) -> AgentHandle {
        self.agent
    }

    pub(crate) fn hdp(&self) -> Option<HdpRegister> {
        self.hdp
    }

    pub(crate) fn pools(&self) -> Pools {
        self.pools
    }
}

/// Frequencies of AMD's clocks.
const KNOWN_RATES: [u64; 4] = [25_000_000, 27_000_000, 100_000_000, 1_000_000_000];

/// The frequency of an agent's clock. Where the runtime does not say, it is seen from how it converts a second: the nearest of the
/// known ones, for the runtime's fit is a few parts in a thousand off when it is young.
fn tick_rate(api: Api, agent: AgentHandle) -> Result<TickRate, HsaError> {
    let said = api.agent_frequency(agent).and_then(NonZeroU64::new);
    if let Some(ticks) = said {
        return Ok(TickRate::new(ticks));
    }
    let system = api.frequency()?;
    // Months ahead, where the runtime fits its clocks first: before it did so once, it has no ratio. And far enough apart that
    // what two fits differ by is little of it.
    let (from, ticks) = (1 << 50, 1_u64 << 55);
    let converted = |tick| api.to_system_tick(agent, tick).unwrap_or_default();
    let passed = converted(from + ticks).abs_diff(converted(from)).max(1);
    let seen = u128::from(ticks) * u128::from(system) / u128::from(passed);
    let seen = u64::try_from(seen).unwrap_or(u64::MAX);
    let nearest = KNOWN_RATES.into_iter().min_by_key(|known| known.abs_diff(seen));
    let nearest = nearest.filter(|known| known.abs_diff(seen) < known / 50).unwrap_or(seen);
    Ok(TickRate::new(NonZeroU64::new(nearest).unwrap_or(NonZeroU64::MIN)))
}

fn find(pools: &[Pool], kind: PoolKind) -> Option<Pool> {
    pools.iter().copied().find(|pool| pool.kind == kind)
}

/// Fine-grained memory of the GPU's own, which CLR's graph signals take (<https://github.com/ROCm/rocm-systems/pull/11429>), but for
/// gfx125x (<https://github.com/ROCm/rocm-systems/pull/13507>). That it is not cached is not known ([`DeviceMemory::RawBlocks`]).
/// `HSA_AMD_MEMORY_POOL_UNCACHED_FLAG`, which would ask for it, is not passed: runtimes of before 2025-08 ignore it without a word
/// (<https://github.com/ROCm/rocm-systems/pull/674>), none says that it knows it, and AMD itself passes it for gfx12.0 alone
/// (<https://github.com/ROCm/rocm-systems/pull/11343>).
fn signal_pool(api: Api, gfx: &str, cpu: AgentHandle, fine: Option<Pool>) -> Option<Pool> {
    let reached = |pool: &Pool| api.can_access(cpu, *pool).unwrap_or(false);
    fine.filter(|pool| !gfx.starts_with("gfx125") && reached(pool))
}

/// One interrupt signal is made: the process may have no event left, or the runtime may be told to use none (`HSA_ENABLE_INTERRUPT=0`).
fn has_interrupts(api: Api) -> Result<bool, HsaError> {
    let Some(signal) = api.create_interrupt(1)? else { return Ok(false) };
    // SAFETY: the runtime's signals lie at their handles, and this one is there.
    let has = unsafe { Block::at(signal.address()) }.has_event();
    // SAFETY: nothing else knows it.
    unsafe { api.destroy_signal(signal) };
    Ok(has)
}

/// One signal is made and looked at, by each way.
fn try_device_memory(
    api: Api,
    agent: AgentHandle,
    pools: &Pools,
    hdp: Option<HdpRegister>,
) -> DeviceMemory {
    if let Some(Ok(made)) = api.create_in_device(1, agent, 1) {
        let mut good = !made.is_empty();
        for signal in made {
            // SAFETY: the runtime's signals lie at their handles, and this one is there.
            let block = unsafe { Block::at(signal.address()) };
            good &= block.is_user() && block.load() == 1;
            // SAFETY: nothing else knows it.
            unsafe { api.destroy_signal(signal) };
        }
        if good {
            return DeviceMemory::ByRuntime;
        }
    }
    let Ok(base) = api.allocate(pools.signals, BLOCK, PoolFlags::Standard, &[pools.cpu]) else {
        return DeviceMemory::Failed;
    };
    // SAFETY: the memory was allocated above, for a block and for the host to access.
    let block = unsafe { Block::at(base as u64) };
    block.lay_out(3);
    if let Some(register) = hdp {
        register.flush();
    }
    let good = block.is_user() && block.load() == 3;
    // SAFETY: nothing else knows it.
    unsafe { api.free(base) };
    if good { DeviceMemory::RawBlocks } else { DeviceMemory::Failed }
}
