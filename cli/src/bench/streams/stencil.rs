//! (c) A surface cut into chunks; each update of a chunk is a task that reads its neighbours'.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use ringfence::stream::{Access, Stamp, Touch};

use super::{
    experiment::Length,
    host::{Array, Host, check},
};
use crate::bench::{
    gpu::{Chunk, Gpu, Kernel},
    problem::Problem,
};

/// Steps in flight at most.
const WINDOW: usize = 3;

/// What a run of the stencil came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Steps {
    pub(super) done: u32,
    /// All steps together, without the reference.
    pub(super) time: Duration,
}

pub(super) fn play<G: Gpu>(
    host: &Host<'_, G>,
    chunks: u32,
    length: Length,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Steps, Problem> {
    let Length { side, steps, seed, .. } = length;
    let words = side * side;
    let start = surface(seed, words);
    let mut task = host.begin()?;
    let mut surfaces = [host.array(&mut task, words)?, host.array(&mut task, words)?];
    let bits: Vec<u32> = start.iter().map(|cell| cell.to_bits()).collect();
    host.write(&mut task, &mut surfaces[0], &bits)?;
    drop(task);

    let mut field = Field::new(host, surfaces, chunks, side);
    let begun = Instant::now();
    let mut done = 0;
    while done < steps && !host.is_late() {
        field.step(done)?;
        done += 1;
        progress(u64::from(chunks * chunks));
    }
    while field.catch_up()? {}
    let time = begun.elapsed();

    let mut task = host.begin()?;
    let found = host.read(&mut task, field.result(done), words)?;
    field.close();
    let expected = reference(start, side, done);
    for (at, (found, expected)) in (0..words).zip(found.iter().zip(&expected)) {
        let what = || format!("cell ({}, {}) after {done} steps", at % side, at / side);
        check(what, &f32::from_bits(*found), expected)?;
    }
    Ok(Steps { done, time })
}

struct Field<'h, 'g, G: Gpu> {
    host: &'h Host<'g, G>,
    /// Even steps read the first and write the second, odd ones the other way round.
    surfaces: [Array; 2],
    /// What used each chunk of each surface.
    stamps: [Vec<Stamp>; 2],
    chunks: u32,
    side: u32,
    in_flight: VecDeque<Vec<Touch>>,
}

impl<'h, 'g, G: Gpu> Field<'h, 'g, G> {
    fn new(host: &'h Host<'g, G>, surfaces: [Array; 2], chunks: u32, side: u32) -> Self {
        let stamps =
            [0, 1].map(|of: usize| vec![surfaces[of].stamp.clone(); (chunks * chunks) as usize]);
        Self { host, surfaces, stamps, chunks, side, in_flight: VecDeque::new() }
    }
    /// A task for each chunk.
    fn step(&mut self, number: u32) -> Result<(), Problem> {
        let (reads, writes) = (number as usize % 2, 1 - number as usize % 2);
        let mut touches = Vec::with_capacity((self.chunks * self.chunks) as usize);
        for at in 0..self.chunks * self.chunks {
            touches.push(self.update(at, reads, writes)?);
            self.host.pass_time();
        }
        self.in_flight.push_back(touches);
        if self.in_flight.len() >= WINDOW {
            self.catch_up()?;
        }
        Ok(())
    }
    /// Waits for the oldest step in flight. Answers whether there was one.
    fn catch_up(&mut self) -> Result<bool, Problem> {
        let Some(touches) = self.in_flight.pop_front() else { return Ok(false) };
        for touch in touches {
            self.host.wait(touch)?;
        }
        Ok(true)
    }
    /// The task follows whom it reads from, and who read what it writes.
    fn update(&mut self, at: u32, reads: usize, writes: usize) -> Result<Touch, Problem> {
        let host = self.host;
        let sources: Vec<usize> = self.sources(at).map(|source| source as usize).collect();
        let mut task = host.begin()?;
        host.after_stamp(&mut task, &self.stamps[writes][at as usize], Access::Write)?;
        for &source in &sources {
            host.after_stamp(&mut task, &self.stamps[reads][source], Access::Read)?;
        }
        let cells = self.side / self.chunks;
        let (x, y) = (at % self.chunks * cells, at / self.chunks * cells);
        let chunk = Chunk { side: self.side, x, y, cells };
        let (input, out) = (self.surfaces[reads].start(), self.surfaces[writes].start());
        let touch = host.kernel(&mut task, Kernel::Stencil { input, out, chunk })?;
        for source in sources {
            self.stamps[reads][source].add(touch, Access::Read);
        }
        self.stamps[writes][at as usize].replace(touch);
        Ok(touch)
    }
    /// A chunk, and up to four beside it.
    fn sources(&self, at: u32) -> impl Iterator<Item = u32> + use<G> {
        let side = self.chunks;
        let (row, column) = (at / side, at % side);
        let up = (row > 0).then(|| at - side);
        let down = (row + 1 < side).then(|| at + side);
        let left = (column > 0).then(|| at - 1);
        let right = (column + 1 < side).then(|| at + 1);
        [Some(at), up, down, left, right].into_iter().flatten()
    }
    /// What so many steps wrote. All of them are finished.
    fn result(&self, steps: u32) -> &Array {
        &self.surfaces[steps as usize % 2]
    }
    fn close(self) {
        for (mut array, stamps) in self.surfaces.into_iter().zip(self.stamps) {
            // All work was waited for; the pool finds that out by itself.
            for touch in stamps.iter().flat_map(|stamp| stamp.touches(Access::Write)) {
                array.stamp.add(touch, Access::Read);
            }
            self.host.retire(array);
        }
    }
}

/// Cells from 0 to 1 that follow from the seed.
fn surface(seed: u64, cells: u32) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        // SplitMix64 (<https://prng.di.unimi.it/splitmix64.c>).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    };
    (0..cells).map(|_| (next() >> 40) as f32 / (1 << 24) as f32).collect()
}

/// The same on the CPU, with the additions in the kernel's order: equal to the last bit.
fn reference(mut old: Vec<f32>, side: u32, steps: u32) -> Vec<f32> {
    let side = side as usize;
    for _ in 0..steps {
        let mut new = old.clone();
        for y in 1..side.saturating_sub(1) {
            for x in 1..side - 1 {
                let at = y * side + x;
                new[at] = 0.25 * (old[at - side] + old[at + side] + old[at - 1] + old[at + 1]);
            }
        }
        old = new;
    }
    old
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_averages_and_keeps_the_edge() {
        let old: Vec<f32> = (0..16).map(|cell| cell as f32).collect();
        // A plane is its own average.
        assert_eq!(reference(old.clone(), 4, 3), old);
        let mut peak = vec![0.0; 25];
        peak[12] = 4.0;
        let new = reference(peak, 5, 1);
        assert_eq!((new[12], new[7], new[17], new[11], new[13]), (0.0, 1.0, 1.0, 1.0, 1.0));
    }

    #[test]
    fn the_surface_follows_from_the_seed() {
        assert_eq!(surface(7, 100), surface(7, 100));
        assert_ne!(surface(7, 100), surface(8, 100));
        assert!(surface(7, 100).iter().all(|cell| (0.0..1.0).contains(cell)));
    }
}
