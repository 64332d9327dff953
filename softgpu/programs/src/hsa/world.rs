//! The agents and pools that the cases use.

use super::{Agent, Block, Kind, Packet, Pool, Runtime, Use};

/// All of the machine.
#[derive(Debug)]
pub struct World<'r> {
    /// The runtime.
    pub runtime: &'r Runtime,
    /// The first CPU.
    pub cpu: Agent<'r>,
    /// All GPUs.
    pub gpus: Vec<Gpu<'r>>,
    /// The CPU's fine-grained memory.
    pub fine: Pool<'r>,
}

/// A GPU, and a kernel to run on it.
#[derive(Debug)]
pub struct Gpu<'r> {
    /// The GPU.
    pub agent: Agent<'r>,
    /// Its own memory.
    pub vram: Pool<'r>,
    /// Fresh memory of its own, as code: a kernel that softgpu has no model of, and that but takes time. No GPU of AMD's may run it.
    code: Block<'r>,
    /// Its arguments.
    arguments: Block<'r>,
}

impl<'r> World<'r> {
    /// Looks at the machine.
    ///
    /// # Panics
    /// If there is no GPU.
    #[must_use]
    pub fn new(runtime: &'r Runtime) -> Self {
        let agents = runtime.agents();
        let cpu = *agents.iter().find(|agent| agent.kind() == Kind::Cpu).expect("a CPU agent");
        let pool = |agent: &Agent<'r>, purpose| {
            let found = agent.pools().into_iter().find(|pool| pool.purpose() == purpose);
            found.unwrap_or_else(|| panic!("a pool for {purpose:?} of {}", agent.name()))
        };
        let (fine, kernarg) = (pool(&cpu, Use::FineGrained), pool(&cpu, Use::Kernarg));
        let gpus: Vec<Gpu<'r>> = agents
            .iter()
            .filter(|agent| agent.kind() == Kind::Gpu)
            .map(|agent| {
                let vram = pool(agent, Use::CoarseGrained);
                // Fresh memory is 0; only with a large BAR could the host write it.
                let code = Block::new(&vram, 4096, &[]);
                let arguments = Block::new(&kernarg, 4096, &[*agent]);
                arguments.write(0, &[0; 4096]);
                Gpu { agent: *agent, vram, code, arguments }
            })
            .collect();
        assert!(!gpus.is_empty(), "no GPU agent among {}", agents.len());
        Self { runtime, cpu, gpus, fine }
    }

    /// The first GPU.
    #[must_use]
    pub fn gpu(&self) -> &Gpu<'r> {
        &self.gpus[0]
    }
}

impl Gpu<'_> {
    /// A kernel that but takes time.
    #[must_use]
    pub fn kernel(&self) -> Packet {
        Packet::kernel(self.code.at(0), self.arguments.at(0))
    }
}
