//! A field cut into chunks; each update of a chunk is a task that reads its neighbours' arrays.

use std::collections::VecDeque;

use ringfence::{
    error::StreamError,
    id::Bytes,
    stream::{Access, Allocation, Stamp, Touch},
};
use ringfence_mock::{clock::Ticks, streams::op::StreamOp};

use super::{
    REPORT_EVERY,
    host::{Host, Task},
    workload::{Grid, Size},
};

/// A turn of everybody.
pub(super) const TURN: Ticks = Ticks::new(20);
/// What updating the whole field takes one hardware queue.
const FIELD: u64 = 160;
const FIELD_BYTES: u64 = 64 << 20;
/// Iterations in flight at most.
pub(super) const WINDOW: u32 = 3;
/// The pool is kept tidy after so many turns.
const PUMP_EVERY: u32 = 8;

/// What an iteration reads, or what it writes.
struct Array {
    memory: Allocation,
    stamp: Stamp,
}
struct Chunk {
    /// Even iterations read the first and write the second, odd ones the other way round.
    arrays: [Array; 2],
    /// The task of the next iteration, once it has its stream.
    opened: Option<Task>,
    /// Tasks that wait for their work.
    running: VecDeque<(Task, Touch)>,
    submitted: u32,
    ended: u32,
}

/// The most modelled host memory so far, at the first look and at the end.
pub(super) type Memory = [Bytes; 2];

struct Field<'h> {
    host: &'h Host,
    grid: Grid,
    chunks: Vec<Chunk>,
    iterations: u32,
}

pub(super) fn play(
    host: &Host,
    grid: Grid,
    size: Size,
    progress: &mut dyn FnMut(u64),
) -> Result<Memory, StreamError> {
    let mut field = Field::new(host, grid, size.iterations_of_stencils())?;
    let first_look = size.first_look();
    let (mut first, mut reported, mut turns) = (None, 0, 0_u32);
    loop {
        for chunk in 0..field.chunks.len() {
            field.step(chunk)?;
        }
        host.pass(TURN);
        turns += 1;
        if turns.is_multiple_of(PUMP_EVERY) {
            host.pump();
        }
        let ended = field.ended();
        if ended >= first_look && first.is_none() {
            first = Some(host.driver.counts().peak_host_bytes);
        }
        let tasks = u64::from(ended) * u64::from(grid.chunks());
        if tasks >= reported + REPORT_EVERY {
            progress(tasks - reported);
            reported = tasks;
        }
        if ended == field.iterations {
            break;
        }
    }
    let last = host.driver.counts().peak_host_bytes;
    field.close();
    Ok([first.unwrap_or(last), last])
}

impl<'h> Field<'h> {
    /// The first task brings the arrays, and fills what the first iteration reads.
    fn new(host: &'h Host, grid: Grid, iterations: u32) -> Result<Self, StreamError> {
        let count = grid.chunks();
        let bytes = Bytes::new(FIELD_BYTES / u64::from(count));
        let mut task = host.begin()?;
        let mut chunks = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let [mut read, written] = [(); 2].map(|()| {
                let memory = host.allocate(&mut task, bytes)?;
                let stamp = memory.stamp();
                Ok::<_, StreamError>(Array { memory, stamp })
            });
            if let Ok(array) = &mut read {
                let fill = StreamOp::new("fill", work(grid)).writes(array.memory.raw());
                array.stamp.add(host.submit(&mut task, fill)?, Access::Write);
            }
            chunks.push(Chunk {
                arrays: [read?, written?],
                opened: None,
                running: VecDeque::new(),
                submitted: 0,
                ended: 0,
            });
        }
        host.end(task);
        Ok(Self { host, grid, chunks, iterations })
    }
    /// Iterations that are over everywhere.
    fn ended(&self) -> u32 {
        self.chunks.iter().map(|chunk| chunk.ended).min().unwrap_or_default()
    }
    /// What the tasks of one chunk do in one turn.
    fn step(&mut self, at: usize) -> Result<(), StreamError> {
        let host = self.host;
        while let Some(&(_, touch)) = self.chunks[at].running.front()
            && host.pool.is_finished(touch)
            && let Some((task, _)) = self.chunks[at].running.pop_front()
        {
            host.end(task);
            self.chunks[at].ended += 1;
        }
        if let Some(task) = self.chunks[at].opened.take() {
            return self.update(at, task);
        }
        if self.may_begin(at) {
            self.chunks[at].opened = Some(host.begin()?);
        }
        Ok(())
    }
    /// Whether the neighbours have got as far, and not too much is in flight.
    fn may_begin(&self, at: usize) -> bool {
        let iteration = self.chunks[at].submitted;
        iteration < self.iterations
            && iteration < self.ended() + WINDOW
            && self.neighbours(at).all(|other| self.chunks[other].submitted >= iteration)
    }
    /// Up to four chunks beside this one.
    fn neighbours(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let side = self.grid.side() as usize;
        let (row, column) = (at / side, at % side);
        let up = (row > 0).then(|| at - side);
        let down = (row + 1 < side).then(|| at + side);
        let left = (column > 0).then(|| at - 1);
        let right = (column + 1 < side).then(|| at + 1);
        [up, down, left, right].into_iter().flatten()
    }
    /// The task orders itself after whom it reads from, and after who read what it writes.
    fn update(&mut self, at: usize, mut task: Task) -> Result<(), StreamError> {
        let host = self.host;
        let reads = self.chunks[at].submitted as usize % 2;
        let writes = 1 - reads;
        let sources: Vec<usize> = std::iter::once(at).chain(self.neighbours(at)).collect();
        let target = &self.chunks[at].arrays[writes];
        let mut work = StreamOp::new("stencil", work(self.grid)).writes(target.memory.raw());
        let _order = host.order_after(&mut task, &target.stamp, Access::Write)?;
        for &source in &sources {
            let source = &self.chunks[source].arrays[reads];
            let _order = host.order_after(&mut task, &source.stamp, Access::Read)?;
            work = work.reads(source.memory.raw());
        }
        let touch = host.submit(&mut task, work)?;
        for source in sources {
            self.chunks[source].arrays[reads].stamp.add(touch, Access::Read);
        }
        let chunk = &mut self.chunks[at];
        chunk.arrays[writes].stamp.replace(touch);
        chunk.running.push_back((task, touch));
        chunk.submitted += 1;
        Ok(())
    }
    fn close(self) {
        for chunk in self.chunks {
            for Array { memory, stamp } in chunk.arrays {
                self.host.retire(memory, stamp);
            }
        }
    }
}

const fn work(grid: Grid) -> Ticks {
    Ticks::new(FIELD / grid.chunks() as u64)
}
