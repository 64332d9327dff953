//! Plain threads, each with its stream: one makes arrays, the next sums them up, and nobody waits for the GPU in between.
//!
//! Run it: `cargo build -p ringfence-examples`, then `target/debug/threads` on a GPU, or
//! `cargo xtask softgpu -- target/debug/threads` over one in software.
#![forbid(unsafe_code)]

use std::{
    process::ExitCode,
    sync::mpsc::{self, Receiver, Sender},
    thread,
    time::Duration,
};

use ringfence::{drive::Ordered, error::StreamError, stream::Access};
use ringfence_examples::{Array, Gpu, Outcome, Slots, check, sum_of};
use ringfence_threads::{Period, Reaper, with_stream};

/// Pairs of threads.
const PAIRS: u32 = 2;
/// Arrays that each pair hands over.
const ARRAYS: u32 = 50;
/// Numbers of an array: enough that the next thread gets it while the GPU still writes it.
const COUNT: u32 = 1 << 18;
const LIMIT: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    ringfence_examples::main(run)
}

fn run(gpu: Gpu) -> Outcome {
    let slots = Slots::new(&gpu, (PAIRS * ARRAYS) as usize)?;
    let reaper = Reaper::spawn(&gpu.pool, Period::default())?;
    let outcomes: Vec<Result<Followed, _>> = thread::scope(|scope| {
        let pairs: Vec<_> = (0..PAIRS)
            .map(|pair| {
                let (gpu, slots) = (&gpu, &slots);
                let (send, arrays) = mpsc::channel();
                let producer = scope.spawn(move || produce(gpu, pair, &send));
                let consumer = scope.spawn(move || consume(gpu, slots, pair, &arrays));
                (producer, consumer)
            })
            .collect();
        let join = |(producer, consumer): (thread::ScopedJoinHandle<'_, Outcome>, _)| {
            let produced = producer.join().expect("no panic");
            let consumed: thread::ScopedJoinHandle<'_, Result<Followed, _>> = consumer;
            produced.and(consumed.join().expect("no panic"))
        };
        pairs.into_iter().map(join).collect()
    });
    let mut followed = Followed::default();
    for outcome in outcomes {
        followed.add(outcome?);
    }
    println!("{PAIRS} pairs of threads handed over {ARRAYS} arrays each; every sum is the CPU's");
    println!(
        "an array's user followed its maker: {} times it was finished already, {} times its stream waited on the GPU, {} times the host",
        followed.already, followed.on_device, followed.on_host
    );
    let _reaped = reaper.stop();
    gpu.finish()
}

/// Makes arrays on this thread's stream, and gives them away while the GPU is still writing them.
fn produce(gpu: &Gpu, pair: u32, to: &Sender<Array>) -> Outcome {
    for number in 0..ARRAYS {
        let array = with_stream(&gpu.pool, gpu.key, |lease| {
            Array::iota(gpu, lease, start_of(pair, number), COUNT)
        })??;
        to.send(array)?;
    }
    Ok(()) // its stream goes back when the thread exits, and to the next one once its work is finished
}

/// Sums arrays up on this thread's stream, which follows the stream of their maker, and frees them behind that.
fn consume(
    gpu: &Gpu,
    slots: &Slots,
    pair: u32,
    arrays: &Receiver<Array>,
) -> Result<Followed, Box<dyn std::error::Error + Send + Sync>> {
    let mut followed = Followed::default();
    let mut sums = Vec::new();
    for mut array in arrays {
        let slot = slots.take().ok_or("a slot for each array")?;
        let sum = with_stream(&gpu.pool, gpu.key, |lease| -> Result<_, StreamError> {
            followed.count(gpu.pool.order_after(lease, array.stamp(), Access::Read)?);
            array.sum(lease, slot)
        })??;
        drop(array); // freed behind the sum, by the GPU's order
        sums.push(sum);
    }
    check(sums.len() == ARRAYS as usize, format!("{} arrays arrived of {ARRAYS}", sums.len()))?;
    for (number, sum) in (0..).zip(sums) {
        let slot = sum.wait(&gpu.pool, LIMIT).map_err(|(_, error)| error)?;
        let (is, expected) = (slot.read(), sum_of(start_of(pair, number), COUNT));
        check(is == expected, format!("array {number} of pair {pair}: {is}, expected {expected}"))?;
    }
    Ok(followed)
}

fn start_of(pair: u32, number: u32) -> u32 {
    pair * 1000 + number
}

/// How often work followed the work before it, and how.
#[derive(Default)]
struct Followed {
    already: u64,
    on_device: u64,
    on_host: u64,
}

impl Followed {
    fn count(&mut self, ordered: Ordered) {
        match ordered {
            Ordered::Already => self.already += 1,
            Ordered::OnDevice => self.on_device += 1,
            Ordered::OnHost => self.on_host += 1,
        }
    }
    fn add(&mut self, other: Self) {
        self.already += other.already;
        self.on_device += other.on_device;
        self.on_host += other.on_host;
    }
}
