//! (d) 64 threads that want a stream at the same moment: at first there is none, then there are those of the first time.

use std::{
    panic::resume_unwind,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use ringfence::stream::{Access, Lease};

use super::host::{Host, check};
use crate::bench::{
    gpu::{Gpu, Kernel},
    problem::Problem,
};

/// Threads, a task each.
pub(super) const THREADS: u32 = 64;
const WORDS: u32 = 1_024;

/// How long the tasks waited for their streams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Waits {
    pub(super) median: Duration,
    pub(super) p75: Duration,
    pub(super) p90: Duration,
    pub(super) longest: Duration,
}
impl Waits {
    fn of(mut all: Vec<Duration>) -> Self {
        all.sort_unstable();
        // So many of a hundred waited no longer.
        let at = |hundredths: usize| {
            let rank = (all.len() * hundredths).div_ceil(100);
            all.get(rank.saturating_sub(1)).copied().unwrap_or_default()
        };
        Self { median: at(50), p75: at(75), p90: at(90), longest: at(100) }
    }
}

/// Answers with the waits of the first time, and of the second.
pub(super) fn play<G: Gpu>(
    host: &Host<'_, G>,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<[Waits; 2], Problem> {
    let first = touch(host)?;
    progress(THREADS.into());
    let again = touch(host)?;
    progress(THREADS.into());
    Ok([Waits::of(first), Waits::of(again)])
}

fn touch<G: Gpu>(host: &Host<'_, G>) -> Result<Vec<Duration>, Problem> {
    let (ready, all_have) = (Barrier::new(THREADS as usize), Barrier::new(THREADS as usize));
    let one = |number: u32| -> Result<Duration, Problem> {
        ready.wait();
        let begun = Instant::now();
        let task = host.begin();
        let waited = begun.elapsed();
        all_have.wait(); // also when it failed: the others wait
        compute(host, &mut task?, number)?;
        Ok(waited)
    };
    thread::scope(|scope| {
        let one = &one;
        let threads: Vec<_> = (0..THREADS).map(|number| scope.spawn(move || one(number))).collect();
        let joined = threads.into_iter().map(|one| one.join());
        joined.map(|one| one.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// y = a * x + y, as small as a first use is.
fn compute<G: Gpu>(host: &Host<'_, G>, task: &mut Lease<()>, number: u32) -> Result<(), Problem> {
    let (a, x, y) = (1.5_f32, number as f32 + 0.1, 0.7_f32);
    let (xs, mut ys) = (host.array(task, WORDS)?, host.array(task, WORDS)?);
    let fill = |out, value: f32| Kernel::Fill { out, value: value.to_bits(), count: WORDS };
    let _in_order = host.kernel(task, fill(xs.start(), x))?;
    let _in_order = host.kernel(task, fill(ys.start(), y))?;
    let saxpy = Kernel::Saxpy { a, x: xs.start(), y: ys.start(), count: WORDS };
    let computed = host.kernel(task, saxpy)?;
    ys.stamp.add(computed, Access::Write);
    let found = host.read(task, &ys, WORDS)?;
    let mut xs = xs;
    xs.stamp.add(computed, Access::Read);
    host.retire(xs);
    host.retire(ys);
    for found in found {
        check(|| format!("a * x + y of task {number}"), &f32::from_bits(found), &(a * x + y))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        let waits = Waits::of([5, 1, 9, 3, 7].map(Duration::from_millis).to_vec());
        assert_eq!(waits.median, Duration::from_millis(5));
        assert_eq!(waits.longest, Duration::from_millis(9));
        assert_eq!([waits.p75, waits.p90], [7, 9].map(Duration::from_millis));
        assert_eq!(Waits::of(Vec::new()).longest, Duration::ZERO);
    }
}
