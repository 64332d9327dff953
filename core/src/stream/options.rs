//! Settings of a pool.

use std::{num::NonZeroU32, time::Duration};

/// Settings of a pool, with their defaults.
///
/// ```
/// use ringfence::stream::PoolOptions;
/// let options = PoolOptions { idle_cap: 8, ..PoolOptions::default() };
/// assert_eq!(options.live_cap, None); // no hard cap
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PoolOptions {
    /// Idle streams kept for each key; live leases never count (T2). 32, as the Julia packages have it.
    pub idle_cap: u32,
    /// Streams alive at most, over all keys. `None`, the default: no limit.
    pub live_cap: Option<NonZeroU32>,
    /// Streams with left-over work that one acquire looks at before it creates another.
    pub looks: u32,
    /// Past how many live streams the pool warns, once: a few thousand hang the GPU.
    pub warn_past: u32,
    /// Limit of a host wait that takes the place of a wait on the device, when the driver refuses that.
    pub wait_limit: Duration,
}
impl Default for PoolOptions {
    fn default() -> Self {
        Self {
            idle_cap: 32,
            live_cap: None,
            looks: 32,
            warn_past: 1000,
            wait_limit: Duration::from_secs(10),
        }
    }
}
