//! A GPU with its kernels.

use std::{env, error::Error, sync::Arc};

use ringfence::{
    drive::StreamPool,
    id::{DeviceContext, DeviceId, StreamKey},
    stream::PoolOptions,
};
use ringfence_hip::{Hip, HipError, HipStreams, StreamOptions};

use crate::{Kernels, check};

/// The pool of streams that an example's tasks share.
pub type Pool = Arc<StreamPool<HipStreams>>;

/// How an example ends.
pub type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

/// The GPU in software may pretend to be one that HIP's own compiler has to be told.
const GFX: &str = "RINGFENCE_SOFTGPU_GFX";

/// The first GPU of HIP, its kernels, and a pool of its streams.
#[derive(Clone, Debug)]
pub struct Gpu {
    /// HIP itself.
    pub hip: Hip,
    /// Compiled for this GPU.
    pub kernels: Kernels,
    /// Which streams tasks want.
    pub key: StreamKey,
    /// Where they get them.
    pub pool: Pool,
}

impl Gpu {
    /// Starts HIP and compiles the kernels. Where there is no HIP, or no GPU, it says so in plain words: `None`.
    ///
    /// # Errors
    /// What HIP or its compiler says.
    pub fn open() -> Result<Option<Self>, Box<dyn Error + Send + Sync>> {
        let hip = match Hip::start() {
            Ok(hip) => hip,
            Err(error @ (HipError::Load(_) | HipError::NoGpu | HipError::Call { .. })) => {
                eprintln!(
                    "This example needs AMD's HIP and a GPU, and here it cannot start: {error}"
                );
                eprintln!(
                    "Without a GPU it runs over one in software: cargo xtask softgpu -- PROGRAM"
                );
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        let device = DeviceId::new(0);
        let gfx = env::var(GFX).or_else(|_| hip.gfx(device))?;
        let kernels = Kernels::compile(hip, device, &gfx)?;
        println!("HIP {} on {}, {gfx}", hip.version(), hip.device_name(device)?);
        let pool =
            StreamPool::new(HipStreams::new(hip, StreamOptions::default()), PoolOptions::default());
        let key = StreamKey::new(DeviceContext::primary(device));
        Ok(Some(Self { hip, kernels, key, pool: Arc::new(pool) }))
    }

    /// Ends the pool, says what it did, and that nothing is left over.
    ///
    /// # Errors
    /// Something is left over, or was given up.
    pub fn finish(self) -> Outcome {
        // All work is over by now; this also makes sure of the frees behind it.
        self.hip.synchronize(self.key.place.device)?;
        let left = self.pool.shutdown();
        let (streams, memory) = (self.pool.counts(), self.pool.memory_counts());
        println!(
            "{} leases on {} streams, at most {} in use at once; {} arrays freed, {} put off before",
            streams.leases,
            streams.created,
            streams.peak_leased_and_draining,
            memory.freed_on_stream + memory.freed_on_disposal + memory.freed_at_once,
            memory.deferred,
        );
        let leaked = (left.streams_leaked, left.memory_leaked, left.buffers_leaked, memory.leaked);
        println!(
            "left over: {} streams, {} pieces of memory, {} buffers",
            leaked.0, leaked.1, leaked.2
        );
        check(leaked == (0, 0, 0, 0), "something was left over")
    }
}
