//! `ringfence bench signals`: what events and waits cost, in the rows of the field's own tables.

mod clock;
mod column;
mod empty;
mod mock;
mod own;
mod own_cuda;
mod progress;
mod queues;
mod results;
mod row;
mod runtimes;
mod samples;
mod stack;
pub(super) mod text;
mod tracked;

#[cfg(test)]
mod tests;

use clap::{Args, ValueEnum};
use ringfence::id::DeviceId;

use super::{
    problem::Problem,
    report::{Forms, rounded},
    whole::Size,
};
use crate::progress::Bar;
use row::{Row, Sample};
use runtimes::Runtimes;
use samples::{PerRepeat, Samples};
use stack::Stack;

pub(super) use results::{Figure, Measured, OnQueues, Results};

/// The most repeats of a row.
const MOST: u32 = 1_000_000;
const DEVICE: DeviceId = DeviceId::new(0);

/// What is measured, and how often.
#[derive(Args, Clone, Debug)]
pub(super) struct Options {
    /// Measure this runtime, and Ringfence above it; may be given again. HIP and HSA, without it
    #[arg(long, value_enum, value_name = "NAME")]
    backend: Vec<Backend>,
    /// Repeats of each row
    #[arg(long, value_name = "N", default_value_t = Self::REPEATS, value_parser = parse_count)]
    repeats: u32,
    /// Repeats before them that are not measured
    #[arg(long, value_name = "N", default_value_t = Self::WARM_UP, value_parser = parse_count)]
    warm_up: u32,
    /// The architecture to compile for (gfx942); else the one that HSA names
    #[arg(long, value_name = "GFX")]
    gfx: Option<String>,
    /// Rounds of 64 uses a queue, for the cost against the number of queues
    #[arg(long, value_name = "N", default_value_t = Self::ROUNDS, value_parser = parse_count)]
    rounds: u32,
    #[command(flatten)]
    pub(super) forms: Forms,
}

/// A runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Backend {
    /// AMD's HIP by its own functions, and Ringfence on its streams
    Hip,
    /// Ringfence on the queues of AMD's HSA runtime
    Hsa,
    /// NVIDIA's CUDA by its own functions, and Ringfence's progress words on its streams
    Cuda,
    /// Ringfence on the modelled device of `ringfence demo`, in modelled time: it says nothing of a GPU
    Mock,
}

fn parse_count(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(count) if (1..=MOST).contains(&count) => Ok(count),
        _ => Err(format!("not a whole number from 1 to {MOST}")),
    }
}

impl Options {
    const REPEATS: u32 = 2_000;
    const WARM_UP: u32 = 200;
    const ROUNDS: u32 = 100;

    /// All of these runtimes.
    pub(super) fn sized(size: Size, backend: Vec<Backend>, forms: Forms) -> Self {
        // A small run is of a tenth.
        let of = |full: u32| match size {
            Size::Full => full,
            Size::Small => full / 10,
        };
        let (repeats, warm_up) = (of(Self::REPEATS), of(Self::WARM_UP));
        Self { backend, repeats, warm_up, gfx: None, rounds: of(Self::ROUNDS), forms }
    }
    fn measures(&self, backend: Backend) -> bool {
        match self.backend.as_slice() {
            [] => matches!(backend, Backend::Hip | Backend::Hsa),
            named => named.contains(&backend),
        }
    }
}

fn measure_rows<S: Stack>(
    stack: &mut S,
    options: &Options,
    bar: &Bar,
) -> Result<Vec<Figure>, Problem> {
    let measure = |row: Row| {
        let figure = measure(stack, row, options).map_err(|problem| problem.at(row.name()));
        bar.add(1);
        figure
    };
    Row::ALL.into_iter().map(measure).collect()
}

fn measure<S: Stack>(stack: &mut S, row: Row, options: &Options) -> Result<Figure, Problem> {
    for _ in 0..options.warm_up {
        row.sample(stack)?;
    }
    let before = stack.counts();
    let mut times: Vec<Sample> = Vec::with_capacity(options.repeats as usize);
    for _ in 0..options.repeats {
        times.extend(row.sample(stack)?);
    }
    let per_repeat = before
        .zip(stack.counts())
        .map(|(before, after)| PerRepeat::between(&before, &after, options.repeats));
    stack.synchronize_stream(stack::Lane::One)?;
    stack.synchronize_stream(stack::Lane::Two)?;
    Ok(Figure::new(row, Samples::of(times).as_ref(), per_repeat))
}

/// Measures all that is asked for.
pub(super) fn measure_all(options: &Options) -> Result<Results, Problem> {
    let runtimes = Runtimes::open(options)?;
    let (columns, on_queues) = (runtimes.columns(), runtimes.on_queues());
    let runs = columns.len() * Row::ALL.len() + on_queues.len();
    let bar = Bar::new(runs as u64, "rows", options.forms.bars());
    let mut measured = Vec::with_capacity(columns.len());
    for column in columns {
        bar.say(&column.to_string());
        let rows = runtimes.measure(column, options, &bar);
        let rows = rows.map_err(|problem| problem.at(column.to_string()))?;
        measured.push(Measured::new(column, rows));
    }
    let mut queues = Vec::with_capacity(on_queues.len());
    for (column, count) in on_queues {
        let place = format!("{column}, {count} queues");
        bar.say(&place);
        let cost = runtimes.play_on_queues(column, count, options.rounds);
        queues.push(OnQueues::new(column, count, &cost.map_err(|problem| problem.at(place))?));
        bar.add(1);
    }
    drop(bar);
    let clock = runtimes.clock();
    Ok(Results {
        about: runtimes.abouts(),
        repeats: options.repeats,
        warm_up: options.warm_up,
        clock_us: rounded(clock.look().as_secs_f64() * 1e6),
        timed_together: clock.together(),
        columns: measured,
        queues,
        queues_left_out: runtimes.not_on_queues(),
    })
}
