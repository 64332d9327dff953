//! (b) Tasks one after another: a stream, a kernel, and the end.

use ringfence::stream::Access;

use super::host::{Host, check};
use crate::bench::{
    gpu::{Gpu, Kernel},
    problem::Problem,
};

/// Words that the tasks add up.
const WORDS: u32 = 1_024;
/// Tasks between two reports of progress.
const REPORT_EVERY: u32 = 64;

/// How many words the task with this number adds up.
const fn count(number: u32) -> u32 {
    1 + number % WORDS
}
/// Their sum: 1, 2, 3, …
fn sum(count: u32) -> u64 {
    u64::from(count) * (u64::from(count) + 1) / 2
}

/// Answers with how many tasks there were.
pub(super) fn play<G: Gpu>(
    host: &Host<'_, G>,
    tasks: u32,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<u64, Problem> {
    let mut task = host.begin()?;
    let (mut input, mut sums) = (host.array(&mut task, WORDS)?, host.array(&mut task, tasks * 2)?);
    let iota = Kernel::Iota { out: input.start(), start: 1, count: WORDS };
    input.stamp.add(host.kernel(&mut task, iota)?, Access::Write);
    let fill = Kernel::Fill { out: sums.start(), value: 0, count: tasks * 2 };
    let filled = host.kernel(&mut task, fill)?;
    sums.stamp.add(filled, Access::Write);
    host.wait(filled)?; // one stream, so that both are there, and no task has to follow them
    drop(task);

    // Each adds into a place of its own, so that none follows another.
    let mut touches = Vec::with_capacity(tasks as usize);
    for number in 0..tasks {
        let mut task = host.begin()?;
        let out = sums.at(u64::from(number) * 2);
        let reduce = Kernel::ReduceSum { input: input.start(), out, count: count(number) };
        touches.push(host.kernel(&mut task, reduce)?);
        drop(task);
        host.pass_time();
        if number % REPORT_EVERY == REPORT_EVERY - 1 {
            progress(REPORT_EVERY.into());
        }
        if host.is_late() {
            break;
        }
    }
    for touch in &touches {
        host.wait(*touch)?;
    }
    let mut task = host.begin()?;
    let found = host.read_sums(&mut task, &sums, touches.len() as u32)?;
    host.retire(input);
    host.retire(sums);
    for (number, found) in (0..).zip(found) {
        check(|| format!("the sum of task {number}"), &found, &sum(count(number)))?;
    }
    Ok(touches.len() as u64)
}
