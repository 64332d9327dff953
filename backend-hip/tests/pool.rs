//! Pools on HIP.

mod support;

use std::{sync::atomic::Ordering, time::Duration};

use ringfence::stream::*;
use ringfence_hip::{HostBuffer, MemoryKind, Progress, StreamOptions};
use support::{iota, kernels, key, pool, reduce_sum, words};

const COUNT: u32 = 1000;

/// One task fills an array, another reduces and frees it, on whatever streams they get.
fn hand_over(test: &str, options: StreamOptions) {
    let Some(hip) = support::hip(test) else { return };
    let pool = pool(hip, options);
    let kernels = kernels(hip);
    let sums = HostBuffer::new(hip, 1).expect("memory");
    for round in 0..200 {
        let mut task = pool.acquire(key()).expect("a stream");
        let buffer = pool.allocate(&mut task, words(COUNT)).expect("memory");
        let mut array = buffer.stamp();
        let filled = pool.submit(&mut task, iota(kernels, buffer.raw(), round, COUNT).into());
        array.add(filled.expect("a kernel"), Access::Write);
        drop(task);

        let mut task = pool.acquire(key()).expect("a stream");
        let _how = pool.order_after(&mut task, &array, Access::Read).expect("an order");
        let reduce = reduce_sum(kernels, buffer.raw(), sums.address(), COUNT);
        let reduced = pool.submit(&mut task, reduce.into()).expect("a kernel");
        array.add(reduced, Access::Read);
        drop(task);
        let done = array.clone();
        let _when = pool.retire(buffer, array);
        pool.synchronize(&done, Access::Write, Duration::from_secs(10)).expect("it finishes");
    }
    let expected: u64 = (0..200_u64).map(|round| (0..1000).map(|i| round + i).sum::<u64>()).sum();
    assert_eq!(sums.words()[0].load(Ordering::Acquire), expected);
    pool.pump();
    let (counts, memory) = (pool.counts(), pool.memory_counts());
    println!("{test}: {counts:?} {memory:?}");
    assert!(counts.created <= 4, "{counts:?}");
    let _left = pool.shutdown();
}

#[test]
fn arrays_go_from_task_to_task() {
    hand_over("arrays_go_from_task_to_task", StreamOptions::default());
}

#[test]
fn arrays_go_from_task_to_task_without_words() {
    let options = StreamOptions::default().with_progress(Progress::Queries);
    hand_over("arrays_go_from_task_to_task_without_words", options);
}

#[test]
fn arrays_go_from_task_to_task_in_plain_memory() {
    let options = StreamOptions::default().with_memory(MemoryKind::Plain);
    hand_over("arrays_go_from_task_to_task_in_plain_memory", options);
}
