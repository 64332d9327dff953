//! Which target finds which planted fault, from the committed corpus and seeded variations of it. With the feature
//! `planted` alone.

use std::{
    io,
    panic::{self, AssertUnwindSafe},
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

use ringfence::plant::{Fault, with};

use crate::{
    device_moves, pool_operations,
    replay::{self, Check},
    ring_operations, trait_misuse,
    vary::vary,
};

/// A target whose oracle judges the library's rules, with the inputs that were kept of it.
#[derive(Debug)]
pub struct Target {
    name: &'static str,
    check: Check,
    inputs: Vec<(PathBuf, Vec<u8>)>,
}

/// Without a fault a run takes milliseconds: one that takes so long hangs, which a fuzzer reports as well.
const HANGS: Duration = Duration::from_secs(5);

/// The targets that judge rules, the quickest first. Those for texts and packets have faults of their own.
///
/// # Errors
/// When an input cannot be read.
pub fn targets() -> io::Result<Vec<Target>> {
    let all: [(&str, Check); 4] = [
        ("ring_operations", ring_operations::check),
        ("device_moves", device_moves::check),
        ("pool_operations", pool_operations::check),
        ("trait_misuse", trait_misuse::check),
    ];
    let with_inputs = |(name, check)| {
        let inputs = replay::inputs(&[replay::own(&format!("corpus/{name}"))])?;
        Ok(Target { name, check, inputs })
    };
    all.into_iter().map(with_inputs).collect()
}

impl Target {
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }
    /// Looks for a planted fault, for so long at most: how many runs it took to find it. What fails without the fault as well is
    /// no find: it is a fault of the library or of the oracle, which the plain replay shows. Calls `hang` on a thread of its own
    /// when a run hangs, which is a find too, and which nothing but the end of the process ends.
    pub fn find(
        &self,
        fault: Fault,
        limit: Duration,
        hang: impl Fn() + Send + 'static,
    ) -> Option<u64> {
        static RUNS: AtomicU64 = AtomicU64::new(0);
        thread::spawn(move || {
            loop {
                let before = RUNS.load(Ordering::Relaxed);
                thread::sleep(HANGS);
                if RUNS.load(Ordering::Relaxed) == before {
                    hang();
                }
            }
        });
        let begun = Instant::now();
        for seed in 0.. {
            for (_, input) in &self.inputs {
                if begun.elapsed() >= limit {
                    return None;
                }
                let input = if seed == 0 { input.clone() } else { vary(input, seed) };
                let runs = RUNS.fetch_add(1, Ordering::Relaxed) + 1;
                if with(fault, || fails(self.check, &input)) && !fails(self.check, &input) {
                    return Some(runs);
                }
            }
            if self.inputs.is_empty() {
                return None;
            }
        }
        None
    }
}

fn fails(check: Check, input: &[u8]) -> bool {
    panic::catch_unwind(AssertUnwindSafe(|| check(input))).is_err()
}
