//! The modelled driver: its streams take virtual time and compute nothing, so that results are computed here when work is asked for.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use ringfence::id::{Bytes, DeviceContext, DeviceId, RawMemory, StreamKey};
use ringfence_mock::{
    clock::Ticks,
    cost::LABEL,
    streams::{
        op::StreamOp,
        profile::DriverProfile,
        system::{MockStreams, StreamSettings, Watch},
    },
};

use super::{About, At, Chunk, Gpu, Ground, HostWords, Kernel};
use crate::bench::problem::Problem;

/// As `ringfence demo` has it.
const PROFILE: DriverProfile = DriverProfile::Clr2024;
/// What a kernel takes, and what passes between two tasks.
const KERNEL: Ticks = Ticks::new(5);
const INTERVAL: Ticks = Ticks::new(20);

/// A GPU of the model.
#[derive(Debug, Default)]
pub(in crate::bench) struct MockGpu {
    /// What each allocation holds. Ordered as the host submits; that the device would keep that order is what the
    /// oracle of `ringfence demo` checks.
    memory: Mutex<HashMap<RawMemory, Vec<u32>>>,
}

/// Words that no device sees.
#[derive(Debug)]
pub(in crate::bench) struct MockWords(Box<[AtomicU32]>);

impl HostWords for MockWords {
    fn load(&self, word: usize) -> u32 {
        self.0[word].load(Ordering::Acquire)
    }
    fn store(&self, word: usize, value: u32) {
        self.0[word].store(value, Ordering::Release);
    }
}

impl MockGpu {
    /// The words of an allocation, at least so many from `at` on.
    fn words<T>(&self, at: At, count: u32, act: impl FnOnce(&mut [u32]) -> T) -> T {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let words = memory.entry(at.memory).or_default();
        let (first, count) = (at.word as usize, count as usize);
        if words.len() < first + count {
            words.resize(first + count, 0);
        }
        act(&mut words[first..first + count])
    }
    fn read(&self, at: At, count: u32) -> Vec<u32> {
        self.words(at, count, |words| words.to_vec())
    }
    fn compute(&self, kernel: Kernel) {
        match kernel {
            Kernel::Fill { out, value, count } => self.words(out, count, |out| out.fill(value)),
            Kernel::Iota { out, start, count } => self.words(out, count, |out| {
                out.iter_mut().zip(0_u32..).for_each(|(out, i)| *out = start.wrapping_add(i));
            }),
            Kernel::Saxpy { a, x, y, count } => {
                let x = self.read(x, count);
                self.words(y, count, |y| {
                    for (y, x) in y.iter_mut().zip(x) {
                        *y = (a * f32::from_bits(x) + f32::from_bits(*y)).to_bits();
                    }
                });
            }
            Kernel::ReduceSum { input, out, count } => {
                let sum: u64 = self.read(input, count).into_iter().map(u64::from).sum();
                self.words(out, 2, |out| {
                    let total = (u64::from(out[1]) << 32 | u64::from(out[0])).wrapping_add(sum);
                    out[0] = total as u32;
                    out[1] = (total >> 32) as u32;
                });
            }
            Kernel::Stencil { input, out, chunk: Chunk { side, x, y, cells } } => {
                let all = side * side;
                let old = self.read(input, all);
                let cell = |at: usize| f32::from_bits(old[at]);
                self.words(out, all, |out| {
                    for row in y..(y + cells).min(side) {
                        for column in x..(x + cells).min(side) {
                            let (at, step) = ((row * side + column) as usize, side as usize);
                            let inner = |i: u32| i > 0 && i + 1 < side;
                            out[at] = if inner(row) && inner(column) {
                                let sum = cell(at - step) + cell(at + step);
                                (0.25 * (sum + cell(at - 1) + cell(at + 1))).to_bits()
                            } else {
                                old[at]
                            };
                        }
                    }
                });
            }
        }
    }
}

impl Gpu for MockGpu {
    type Streams = MockStreams;
    type Words = MockWords;

    fn about(&self) -> About {
        About {
            backend: "mock",
            ground: Ground::Model,
            version: format!("{PROFILE}: {}", PROFILE.grounds()),
            gpu: "none".to_owned(),
            memory: "arrays in a stream's order",
            caution: LABEL,
        }
    }
    fn key(&self) -> StreamKey {
        StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
    }
    fn streams(&self) -> MockStreams {
        // Another driver gives the same names to other memory.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).clear();
        MockStreams::with(StreamSettings::new(PROFILE).with_trace(0).with_watch(Watch::Off))
    }
    fn host_words(&self, count: usize) -> Result<MockWords, Problem> {
        Ok(MockWords((0..count).map(|_| AtomicU32::new(0)).collect()))
    }
    fn kernel(&self, kernel: Kernel) -> StreamOp {
        self.compute(kernel);
        StreamOp::new("kernel", KERNEL)
    }
    fn copy_out(&self, from: RawMemory, to: &MockWords, bytes: Bytes) -> StreamOp {
        let count = u32::try_from(bytes.as_u64() / 4).expect("less than 16 GiB");
        for (word, value) in self.read(At::start(from), count).into_iter().enumerate() {
            to.store(word, value);
        }
        StreamOp::new("copy", KERNEL)
    }
    fn copy_in(&self, to: RawMemory, from: &MockWords, bytes: Bytes) -> StreamOp {
        let count = u32::try_from(bytes.as_u64() / 4).expect("less than 16 GiB");
        self.words(At::start(to), count, |words| {
            words.iter_mut().enumerate().for_each(|(word, value)| *value = from.load(word));
        });
        StreamOp::new("copy", KERNEL)
    }
    fn given_up(&self, memory: RawMemory) {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).remove(&memory);
    }
    fn pass_time(&self, streams: &MockStreams) {
        streams.tick(INTERVAL);
    }
    fn modelled(&self, streams: &MockStreams) -> Option<Duration> {
        // A tick is 1 µs.
        Some(streams.counts().call_time + Duration::from_micros(streams.now().count()))
    }
    fn settle(&self) -> Result<(), Problem> {
        Ok(())
    }
}
