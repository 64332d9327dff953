//! Pools on CUDA.

mod support;

use std::sync::atomic::Ordering;

use ringfence::{
    drive::StreamPool,
    stream::{Access, PoolOptions},
};
use ringfence_cuda::{CudaStreams, HostBuffer, Progress, StreamOptions};
use support::{LIMIT, iota, kernels, key, reduce_sum, words};

const COUNT: u32 = 1000;

/// One task fills an array, another reduces and frees it, on whatever streams they get.
fn hand_over(test: &str, progress: Progress) {
    let Some(turn) = support::turn(test) else { return };
    let cuda = turn.cuda;
    let driver = CudaStreams::new(cuda, StreamOptions::default().with_progress(progress));
    let pool = StreamPool::new(driver, PoolOptions::default());
    let kernels = kernels(cuda);
    let sums = HostBuffer::new(cuda, 1).expect("memory");
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
        pool.synchronize(&done, Access::Write, LIMIT).expect("it finishes");
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
    hand_over("arrays_go_from_task_to_task", Progress::Words);
}

#[test]
fn arrays_go_from_task_to_task_without_words() {
    hand_over("arrays_go_from_task_to_task_without_words", Progress::Queries);
}
