//! Ringfence's progress words on CUDA's streams: an event is a position of its stream, and a query one load of host memory.

use std::time::Duration;

use ringfence::{
    backend::streams::{StreamDriver, StreamProgress, StreamWait, StreamWork},
    id::{Position, RawProgress, RawStream},
    ledger::Counts,
};
use ringfence_cuda::{CudaStreams, Launch};

use super::stack::{Lane, Mark, Reached, Stack};
use crate::bench::{
    gpu::{CudaGpu, Gpu},
    problem::Problem,
};

/// The longest wait: the GPU hangs after it.
const LIMIT: Duration = Duration::from_secs(10);

/// A stream, with its word.
#[derive(Clone, Copy, Debug)]
struct Line {
    stream: RawStream,
    word: RawProgress,
    /// The last position that was marked.
    marked: Position,
    unmarked: Unmarked,
}

/// Whether there is work behind the last mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unmarked {
    Work,
    Nothing,
}

/// Two streams, and what stands for three events.
pub(super) struct Words {
    streams: CudaStreams,
    nothing: Launch,
    lines: [Line; 2],
    events: [(Lane, Position); 3],
}

impl Words {
    pub(super) fn open(gpu: &CudaGpu) -> Result<Self, Problem> {
        let streams = gpu.streams();
        let line = || {
            let stream = streams.create(gpu.key()).map_err(Problem::Driver)?;
            let word = streams.open_progress(stream).map_err(Problem::Driver)?;
            let word = word.ok_or_else(|| Problem::Unmeasured("no progress words".to_owned()))?;
            let (marked, unmarked) = (Position::START, Unmarked::Nothing);
            Ok::<_, Problem>(Line { stream, word, marked, unmarked })
        };
        let lines = [line()?, line()?];
        let events = [(Lane::One, Position::START); 3];
        Ok(Self { streams, nothing: gpu.nothing(), lines, events })
    }
    /// Gives both back.
    pub(super) fn close(mut self) -> Result<(), Problem> {
        self.synchronize_device()?;
        for Line { stream, word, .. } in self.lines {
            self.streams.destroy(stream).map_err(Problem::Driver)?;
            self.streams.close_progress(word);
        }
        Ok(())
    }
    const fn place(lane: Lane) -> usize {
        match lane {
            Lane::One => 0,
            Lane::Two => 1,
        }
    }
    const fn event(event: Mark) -> usize {
        match event {
            Mark::First => 0,
            Mark::Last => 1,
            Mark::Blocking => 2,
        }
    }
    fn mark(&mut self, on: Lane) -> Result<Position, Problem> {
        let line = &mut self.lines[Self::place(on)];
        let next = Position::new(line.marked.as_u64() + 1);
        self.streams.mark(line.stream, line.word, next).map_err(Problem::Driver)?;
        (line.marked, line.unmarked) = (next, Unmarked::Nothing);
        Ok(next)
    }
    fn reached(&self, on: Lane, position: Position) -> Reached {
        match self.streams.observe(self.lines[Self::place(on)].word) >= position {
            true => Reached::Yes,
            false => Reached::No,
        }
    }
    fn synchronize(&self, on: Lane, position: Position) -> Result<(), Problem> {
        let word = self.lines[Self::place(on)].word;
        match self.streams.wait_progress(word, position, LIMIT) {
            StreamWait::Finished => Ok(()),
            other => Err(Problem::Unmeasured(format!("a wait for a word ended with {other:?}"))),
        }
    }
}

impl Stack for Words {
    fn kernel(&mut self, on: Lane) -> Result<(), Problem> {
        let line = &mut self.lines[Self::place(on)];
        line.unmarked = Unmarked::Work;
        self.streams.launch(line.stream, self.nothing.into()).map_err(Problem::Driver)
    }
    fn record(&mut self, event: Mark, on: Lane) -> Result<(), Problem> {
        self.events[Self::event(event)] = (on, self.mark(on)?);
        Ok(())
    }
    fn query(&mut self, event: Mark) -> Result<Reached, Problem> {
        let (lane, position) = self.events[Self::event(event)];
        Ok(self.reached(lane, position))
    }
    fn query_stream(&mut self, on: Lane) -> Result<Option<Reached>, Problem> {
        let Line { marked, unmarked, .. } = self.lines[Self::place(on)];
        Ok((unmarked == Unmarked::Nothing).then(|| self.reached(on, marked)))
    }
    fn synchronize_event(&mut self, event: Mark) -> Result<(), Problem> {
        let (lane, position) = self.events[Self::event(event)];
        self.synchronize(lane, position)
    }
    fn elapsed(&mut self) -> Result<Option<Duration>, Problem> {
        Ok(None)
    }
    fn wait(&mut self, on: Lane, event: Mark) -> Result<(), Problem> {
        let (lane, position) = self.events[Self::event(event)];
        let (stream, word) =
            (self.lines[Self::place(on)].stream, self.lines[Self::place(lane)].word);
        self.lines[Self::place(on)].unmarked = Unmarked::Work;
        self.streams.wait_for_progress(stream, word, position).map_err(Problem::Driver)
    }
    fn synchronize_stream(&mut self, on: Lane) -> Result<(), Problem> {
        let Line { marked, unmarked, .. } = self.lines[Self::place(on)];
        let position = match unmarked {
            Unmarked::Work => self.mark(on)?,
            Unmarked::Nothing => marked,
        };
        self.synchronize(on, position)
    }
    fn synchronize_device(&mut self) -> Result<(), Problem> {
        self.synchronize_stream(Lane::One)?;
        self.synchronize_stream(Lane::Two)
    }
    fn counts(&self) -> Option<Counts> {
        None
    }
}
