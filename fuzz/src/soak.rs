//! A soak: long runs with random faults, one after the other, until the time is over. Each ends with every
//! resource accounted for, or the soak fails.
//!
//! Signals run on a hostile device, with creations that fail, lost interrupts, refused parts, useless
//! timestamps, and, in every fourth run, a device that is lost. Streams run on every driver, with calls that
//! fail, streams in error, futures that are dropped, and devices that are lost.

use std::time::{Duration, Instant};

use crate::{device_moves, pool_operations, vary::SplitMix};

/// Steps of one run at most.
const STEPS: usize = 1_500;
/// Bytes that a run is made of.
const BYTES: usize = 12_000;
/// How much the process may grow after the first tenth of the time: runs leave nothing behind.
const GROWTH_KIB: u64 = 8 * 1024;

/// What a soak came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Soaked {
    /// Runs of signals.
    pub signals: u64,
    /// Those of them whose device was lost.
    pub lost: u64,
    /// Runs of streams.
    pub streams: u64,
    /// Steps of all.
    pub steps: u64,
    /// How much the process grew after the first tenth, in KiB; 0 where that cannot be known.
    pub grown_kib: u64,
}

/// Runs for so long from this seed.
///
/// # Errors
/// The first fault, with the number of its run.
pub fn soak(time: Duration, seed: u64) -> Result<Soaked, String> {
    let (start, mut soaked) = (Instant::now(), Soaked::default());
    let mut early = None;
    for run in 0.. {
        if start.elapsed() >= time && run > 1 {
            break;
        }
        let mut random = SplitMix::new(seed.wrapping_add(run));
        let input: Vec<u8> = (0..BYTES).map(|_| random.any()).collect();
        let steps = if run % 2 == 0 {
            let lost_at = (random.below(4) == 0).then(|| random.below(STEPS));
            soaked.signals += 1;
            soaked.lost += u64::from(lost_at.is_some());
            device_moves::soak(&input, STEPS, seed ^ run, lost_at)
        } else {
            soaked.streams += 1;
            pool_operations::run(&input, STEPS)
        };
        let steps = steps.map_err(|why| format!("run {run} of seed {seed}: {why}"))?;
        soaked.steps += steps as u64;
        if early.is_none() && start.elapsed() >= time / 10 {
            early = resident_kib();
        }
    }
    if let (Some(early), Some(late)) = (early, resident_kib()) {
        soaked.grown_kib = late.saturating_sub(early);
        if soaked.grown_kib > GROWTH_KIB {
            return Err(format!("the process grew from {early} to {late} KiB"));
        }
    }
    Ok(soaked)
}

/// Memory of this process, on Linux.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
