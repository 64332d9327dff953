//! A small runtime that embeds Ringfence: four threads, each with a stream, on two hardware queues of a
//! "GPU" whose packet processors are threads of this program.
//!
//! `gpu.rs` is what a driver gives you, `backend.rs` shows it to Ringfence through its traits, and
//! `runtime.rs` is the runtime: launches, events, buffers that are freed when the GPU is done with them. `future.rs` makes a
//! future of a use, and `trouble.rs` shows what becomes of all that when a kernel hangs, or the device is lost.
//!
//! Run it: `cargo run --release -p ringfence-examples --bin embed_in_a_runtime`
#![forbid(unsafe_code)]

mod backend;
mod future;
mod gpu;
mod runtime;
mod trouble;

use std::{error::Error, thread};

use gpu::Kernel;
use ringfence::{error::Error as SignalError, ledger::LoadCause};
use runtime::Runtime;

const THREADS: usize = 4;
const ROUNDS: u64 = 5_000;

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::start(2);
    let total = runtime.allocate();
    let counts = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|index| {
                let runtime = &runtime;
                scope.spawn(move || work(runtime, index, total))
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a worker"))
            .collect::<Result<Vec<_>, _>>()
    })?;
    let sum = runtime.read(total);
    let expected = THREADS as u64 * ROUNDS;
    println!("the GPU added {sum}, expected {expected}");
    for (index, counts) in counts.iter().enumerate() {
        println!(
            "stream {index}: {} uses, {} loads to retire them, {} signals created, {} arms",
            counts.uses,
            counts.loads.of(LoadCause::Retire),
            counts.created,
            counts.arms,
        );
    }
    println!("buffers still held: {}", runtime.buffers_in_use() - 1);
    futures(&runtime)?;
    trouble::a_kernel_that_hangs(&runtime)?;
    trouble::a_device_that_is_lost(&runtime)?;
    runtime.stop();
    if sum == expected { Ok(()) } else { Err("work was lost".into()) }
}

/// What one thread of an application does: a scratch buffer for each round, freed while the GPU may
/// still use it, and a look at the result every thousand rounds.
fn work(
    runtime: &Runtime,
    index: usize,
    total: gpu::Buffer,
) -> Result<ringfence::ledger::Counts, SignalError> {
    let mut stream = runtime.stream(index)?;
    let mut done = stream.event();
    for round in 1..=ROUNDS {
        let scratch = runtime.allocate();
        stream.launch(Kernel::Set { buffer: scratch, value: 1 })?;
        stream.launch(Kernel::AddFrom { from: scratch, to: total })?;
        stream.free(scratch);
        if round % 1_000 == 0 {
            stream.record(&mut done)?;
            stream.synchronize(&done)?;
        }
    }
    stream.close()
}

/// Uses that are awaited, each on the thread of its task.
fn futures(runtime: &Runtime) -> Result<(), SignalError> {
    let (buffer, mut stream) = (runtime.allocate(), runtime.stream(0)?);
    for value in 1..=100 {
        future::block_on(stream.launch_async(Kernel::Set { buffer, value })?)?;
        assert_eq!(runtime.read(buffer), value, "it was over");
    }
    stream.free(buffer);
    let counts = stream.close()?;
    println!("awaited 100 kernels with {} signals", counts.created);
    Ok(())
}
