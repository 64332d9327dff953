//! A GPU that fails under a pool of streams, on AMD's HIP over the GPU in software: a packet that no processor knows, a kernel
//! that touches memory that is not there, a GPU that is gone.
//!
//! HIP ends the process for most of these, so that each is a process of its own. What it must never do before its end is to call
//! work finished that was not carried out, and what it must not do is hang.
#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

use ringfence::{
    drive::StreamPool,
    stream::{Access, PoolOptions, Stamp},
};
use ringfence_hip::Progress;
use ringfence_tests::{
    conformance::streams::{HipSubject, Spot, StreamSubject},
    launch::{End, Release, end_of, left_out},
};

/// Tells a process that it is the one that may die.
const CHILD: &str = "RINGFENCE_HIP_FAULT_CHILD";
/// What the GPU in software is told to do, and the packet or kernel from which on it does.
const FAULTS: [(&str, &str); 3] = [
    ("RINGFENCE_SOFTGPU_FAULT_PACKET", "90"),
    ("RINGFENCE_SOFTGPU_FAULT_VM", "40"),
    ("RINGFENCE_SOFTGPU_FAULT_LOST", "90"),
];
/// What the child says for each piece of work that it was told is finished, and was.
const DONE: &str = "finished";
/// What it says for one that was not.
const EARLY: &str = "TOO EARLY";
/// What it says when it learns of the fault.
const TOLD: &str = "told of it";
/// What it says once it has accounted for everything.
const END: &str = "the end";

#[test]
fn hip_5_2_fails_safely() {
    fails_safely(Release { name: "5.2", gfx: "gfx90a" });
}
#[test]
fn hip_5_7_fails_safely() {
    fails_safely(Release { name: "6.1", gfx: "gfx942" });
}
#[test]
fn hip_6_4_fails_safely() {
    fails_safely(Release { name: "6.4", gfx: "gfx942" });
}

fn fails_safely(release: Release) {
    let places = match release.find() {
        Ok(places) => places,
        Err(missing) => return left_out("faults of a GPU", &release, &missing),
    };
    for (fault, at) in FAULTS {
        let mut command = places.command();
        command
            .args(["--exact", "a_gpu_fails", "--ignored", "--nocapture"])
            .env(CHILD, "1")
            .env(fault, at);
        let begun = Instant::now();
        let (end, said) = end_of(command).expect("it starts");
        let counted = |what: &str| said.lines().filter(|line| line.starts_with(what)).count();
        let took = begun.elapsed();
        println!("{fault}={at} on {}: {end:?}, {} done, {took:?}", release.name, counted(DONE));
        assert_ne!(end, End::Hung, "{fault}: {said}");
        assert_eq!(counted(EARLY), 0, "{fault}: {said}");
        assert!(counted(DONE) > 10, "{fault}: the fault is that of a GPU at work: {said}");
        assert!(counted(DONE) < TASKS as usize, "{fault} did not come: {said}");
        // Either HIP ended the process, or the pool said what became of the work.
        let told = counted(TOLD) > 0 && counted(END) == 1;
        let died = matches!(end, End::Exit(status) if !status.success());
        assert!(died || told, "{fault}: {said}");
    }
}

/// Tasks of the child.
const TASKS: u32 = 400;
/// More than any piece of work needs.
const LIMIT: Duration = Duration::from_secs(3);

/// What a process of its own runs: nothing, unless it is told to.
#[test]
#[ignore = "started by the other tests, over a runtime"]
fn a_gpu_fails() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let subject = HipSubject::start(Progress::Words).unwrap_or_else(|error| panic!("{error}"));
    let pool = StreamPool::new(subject.backend().clone(), PoolOptions::default());
    for number in 1..=TASKS {
        let cell = subject.cell();
        let mut task = match pool.acquire(subject.key()) {
            Ok(task) => task,
            Err(error) => {
                println!("{TOLD}: {number} gets no stream: {error}");
                break;
            }
        };
        let mut stamp = Stamp::default();
        match pool.submit(&mut task, subject.set(Spot::Cell(cell), number)) {
            Ok(touch) => stamp.add(touch, Access::Write),
            Err(error) => {
                println!("{TOLD}: {number} is not submitted: {error}");
                continue;
            }
        }
        drop(task);
        match pool.synchronize(&stamp, Access::Write, LIMIT) {
            Ok(()) if subject.read(cell) == number => println!("{DONE} {number}"),
            Ok(()) => println!("{EARLY}: {number} is {}", subject.read(cell)),
            Err(error) => {
                println!("{TOLD}: {number} is not known to be finished: {error}");
                break;
            }
        }
        let _more = pool.pump();
    }
    println!("{:?}", pool.tally());
    println!("{END}");
}
