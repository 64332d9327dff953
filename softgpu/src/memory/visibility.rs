//! What a GPU sees of the host's stores to VRAM, before a flush of the host data path.
//!
//! The host's store is in memory at once here; a device that must not see it yet is shown the value
//! that it saw last. An HDP flush, or time, ends that.

use std::{collections::HashMap, time::Duration};

use crate::address::Address;

/// How often the host data path of a GPU was flushed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Flushes(pub u64);

#[derive(Clone, Copy, Debug)]
struct Seen {
    value: u64,
    flushes: Flushes,
    /// Since when another value is in memory.
    stale: Option<Duration>,
}

/// The words that devices have looked at.
#[derive(Debug, Default)]
pub struct Visibility(HashMap<(u32, Address), Seen>);
impl Visibility {
    /// What `gpu` sees at `at`, where memory holds `value`: the owner's path was flushed so often, and
    /// a store is seen `lingering` after it was first missed at the latest.
    pub fn see(
        &mut self,
        gpu: u32,
        at: Address,
        value: u64,
        flushes: Flushes,
        now: Duration,
        lingering: Duration,
    ) -> u64 {
        let seen = self.0.entry((gpu, at)).or_insert(Seen { value, flushes, stale: None });
        if seen.value != value && seen.flushes == flushes {
            let since = *seen.stale.get_or_insert(now);
            if now.saturating_sub(since) < lingering {
                return seen.value;
            }
        }
        *seen = Seen { value, flushes, stale: None };
        value
    }
    /// `gpu` itself put `value` there.
    pub fn wrote(&mut self, gpu: u32, at: Address, value: u64, flushes: Flushes) {
        self.0.insert((gpu, at), Seen { value, flushes, stale: None });
    }
}
