//! Four producer/consumer loops side by side; some consumers capture a graph while the others go on.
//!
//! Three loops are quick. The tasks of the fourth call a vendor's library many times, by the raw handle of
//! their stream, so that more tasks begin during each of them than a round robin has streams.

mod consumer;
mod producer;

use std::collections::VecDeque;

use ringfence::{
    error::StreamError,
    id::Bytes,
    stream::{Access, Allocation, Stamp},
};
use ringfence_mock::{
    clock::Ticks,
    streams::{op::StreamOp, seen::ThreadId},
};

use super::{
    REPORT_EVERY,
    host::{Host, Task},
};
use crate::demo::dice::Dice;
use consumer::Consumer;
use producer::Producer;

/// What the lengths of the work follow from.
pub(crate) const SEED: u64 = 3;
const PIPELINES: usize = 4;
/// The loop that calls the library.
const SLOW: usize = 3;
/// Times that a task of it does.
const LIBRARY_CALLS: u32 = 40;
/// A turn of everybody.
const TURN: Ticks = Ticks::new(20);
/// Arrays that wait for their consumer, for each loop.
const DEPTH: usize = 2;
/// Each so-manieth consumer of the quick loops captures a graph.
const CAPTURE_EVERY: u32 = 5;
/// Each so-manieth consumer of them does not read its array: it is garbage, as it was written.
const UNREAD_EVERY: u32 = 4;
/// Turns of the others while it captures.
const CAPTURE_TURNS: u32 = 4;
const BYTES: Bytes = Bytes::new(4 << 20);
/// Most work is short; some lasts three times as long.
const WORK: u64 = 12;

/// An array on its way from a producer to its end.
struct Item {
    memory: Allocation,
    stamp: Stamp,
}
#[derive(Default)]
struct Pipeline {
    produced: u32,
    consumed: u32,
    waiting: VecDeque<Item>,
    producer: Option<Producer>,
    consumer: Option<Consumer>,
}
struct Pipelines<'h> {
    host: &'h Host,
    iterations: u32,
    all: [Pipeline; PIPELINES],
    dice: Dice,
    /// What the library reads, whoever calls it.
    table: Item,
    /// The loop whose consumer captures now.
    capturing: Option<usize>,
    /// Arrays that nobody needs any more: somebody else frees them, during the next capture.
    garbage: Vec<Item>,
}

pub(super) fn play(
    host: &Host,
    iterations: u32,
    progress: &mut dyn FnMut(u64),
) -> Result<(), StreamError> {
    let mut pipelines = Pipelines::new(host, iterations)?;
    let mut reported = 0;
    while !pipelines.are_over() {
        pipelines.turn()?;
        let tasks = host.tally().tasks;
        if tasks >= reported + REPORT_EVERY {
            progress(tasks - reported);
            reported = tasks;
        }
    }
    // All launches of graphs are over by then, also those with somebody else's nodes.
    host.settle();
    let Item { memory, stamp } = pipelines.table;
    host.retire(memory, stamp);
    for Item { memory, stamp } in pipelines.garbage {
        host.retire(memory, stamp);
    }
    Ok(())
}

impl<'h> Pipelines<'h> {
    fn new(host: &'h Host, iterations: u32) -> Result<Self, StreamError> {
        let mut task = host.begin()?;
        let memory = host.allocate(&mut task, BYTES)?;
        let mut stamp = memory.stamp();
        let fill = StreamOp::new("table", Ticks::new(WORK)).writes(memory.raw());
        stamp.add(host.submit(&mut task, fill)?, Access::Write);
        host.end(task);
        host.settle();
        Ok(Self {
            host,
            iterations,
            all: Default::default(),
            dice: Dice::new(SEED),
            table: Item { memory, stamp },
            capturing: None,
            garbage: Vec::new(),
        })
    }
    fn are_over(&self) -> bool {
        self.all.iter().all(|pipeline| pipeline.consumed == self.iterations)
    }
    /// Every task does one thing, but those of the loop that captures; then time passes.
    fn turn(&mut self) -> Result<(), StreamError> {
        let host = self.host;
        for at in (0..PIPELINES).filter(|&at| self.capturing != Some(at)).collect::<Vec<_>>() {
            host.driver.as_thread(ThreadId::new(2 * at as u32), || self.produce(at))?;
            host.driver.as_thread(ThreadId::new(2 * at as u32 + 1), || self.consume(at))?;
        }
        host.pass(TURN);
        host.pump();
        Ok(())
    }
    fn work(&mut self, name: &'static str) -> StreamOp {
        let times = if self.dice.below(4) == 0 { 3 } else { 1 };
        StreamOp::new(name, Ticks::new(WORK * times))
    }
    /// The library's work goes to the task's stream, whoever else uses that.
    fn library_call(&mut self, task: &mut Task) -> Result<(), StreamError> {
        let work = StreamOp::new("library", Ticks::new(1)).reads(self.table.memory.raw());
        let touch = self.host.library_call(task, work)?;
        self.table.stamp.add(touch, Access::Read);
        Ok(())
    }
}
const fn library_calls(at: usize) -> u32 {
    if at == SLOW { LIBRARY_CALLS } else { 0 }
}
