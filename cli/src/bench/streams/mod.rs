//! `ringfence bench streams`: four experiments, each with four ways to give streams to tasks.

mod aims;
mod experiment;
mod host;
mod pipelines;
mod policy;
mod results;
mod sequential;
mod stencil;
pub(super) mod text;
mod touches;

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use ringfence::id::Bytes;
use ringfence_hip::MemoryKind;

use super::{
    gpu::{CudaGpu, Gpu, HipGpu, MockGpu},
    memory::resident,
    problem::Problem,
    report::Forms,
    whole::Size,
};
use crate::progress::Bar;
use experiment::{Experiment, Frees, Length, Part};
use host::{Counted, Host};
use pipelines::Look;
use policy::Policy;
use stencil::Steps;
use touches::Waits;

pub(super) use experiment::EXPERIMENTS;
pub(super) use results::{Aim, Look as Looked, Results, Run, Touch};

/// The most tasks, iterations or steps of one run: more would take hours.
const MOST: u32 = 1_000_000;
/// The longest side of a stencil's surface: 256 MiB of cells.
const MOST_CELLS: u32 = 8_192;
/// A side is cut into 4 at most.
const SIDE_OF: u32 = 4;

/// What is run, and how long.
#[derive(Args, Clone, Debug)]
pub(super) struct Options {
    /// What the streams belong to
    #[arg(long, value_enum, default_value_t = Backend::Hip)]
    backend: Backend,
    /// Run this experiment alone; may be given again for another one
    #[arg(long, value_enum, value_name = "NAME")]
    experiment: Vec<Experiment>,
    /// Run with this policy alone; may be given again for another one
    #[arg(long, value_enum, value_name = "NAME")]
    policy: Vec<Policy>,
    /// Iterations of each loop of the pipelines
    #[arg(long, value_name = "N", default_value_t = Self::ITERATIONS, value_parser = parse_count)]
    iterations: u32,
    /// When the pipelines give their arrays up
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Frees::Finished)]
    frees: Frees,
    /// Tasks one after another
    #[arg(long, value_name = "N", default_value_t = Self::TASKS, value_parser = parse_count)]
    tasks: u32,
    /// Cells along each side of the stencil's surface, a multiple of 4
    #[arg(long, value_name = "N", default_value_t = Self::SIDE, value_parser = parse_side)]
    side: u32,
    /// Steps of the stencil
    #[arg(long, value_name = "N", default_value_t = Self::STEPS, value_parser = parse_count)]
    steps: u32,
    /// What the stencil's surface is filled from
    #[arg(long, value_name = "S", default_value_t = Self::SEED)]
    seed: u64,
    /// Seconds after which a run of one experiment with one policy ends, done or not
    #[arg(long, value_name = "SECONDS", default_value_t = Self::LIMIT_S, value_parser = parse_count)]
    limit_s: u32,
    /// Where HIP's arrays come from; without it, hipMallocAsync where its version can destroy streams meanwhile
    #[arg(long, value_enum, value_name = "KIND")]
    memory: Option<Memory>,
    /// The architecture to compile for (gfx942); else the one that HSA names
    #[arg(long, value_name = "GFX")]
    gfx: Option<String>,
    #[command(flatten)]
    pub(super) forms: Forms,
}

/// What the streams belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Backend {
    /// The first GPU of AMD's HIP
    Hip,
    /// The first GPU of NVIDIA's CUDA
    Cuda,
    /// The modelled driver of `ringfence demo`: its times say nothing of a GPU
    Mock,
}

/// Where HIP's arrays come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Memory {
    /// hipMallocAsync and hipFreeAsync
    Ordered,
    /// hipMalloc and hipFree, which waits for the whole GPU
    Plain,
}
impl Memory {
    fn kind(self) -> MemoryKind {
        match self {
            Self::Ordered => MemoryKind::StreamOrdered,
            Self::Plain => MemoryKind::Plain,
        }
    }
}

fn parse_count(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(count) if (1..=MOST).contains(&count) => Ok(count),
        _ => Err(format!("not a whole number from 1 to {MOST}")),
    }
}
fn parse_side(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(side) if (SIDE_OF..=MOST_CELLS).contains(&side) && side.is_multiple_of(SIDE_OF) => {
            Ok(side)
        }
        _ => Err(format!("not a multiple of {SIDE_OF} from {SIDE_OF} to {MOST_CELLS}")),
    }
}

impl Options {
    const ITERATIONS: u32 = 2_000;
    const TASKS: u32 = 20_000;
    const SIDE: u32 = 512;
    const STEPS: u32 = 50;
    const SEED: u64 = 1;
    const LIMIT_S: u32 = 120;

    /// Every experiment with every policy.
    pub(super) fn sized(size: Size, backend: Backend, forms: Forms) -> Self {
        // A small run is of a tenth.
        let of = |full: u32| match size {
            Size::Full => full,
            Size::Small => full / 10,
        };
        Self {
            backend,
            experiment: Vec::new(),
            policy: Vec::new(),
            iterations: of(Self::ITERATIONS),
            frees: Frees::Finished,
            tasks: of(Self::TASKS),
            side: match size {
                Size::Full => Self::SIDE,
                Size::Small => Self::SIDE / 4,
            },
            steps: of(Self::STEPS),
            seed: Self::SEED,
            limit_s: Self::LIMIT_S,
            memory: None,
            gfx: None,
            forms,
        }
    }
    fn length(&self) -> Length {
        let Self { iterations, tasks, side, steps, seed, .. } = *self;
        Length { iterations, tasks, side, steps, seed }
    }
    fn limit(&self) -> Duration {
        Duration::from_secs(self.limit_s.into())
    }
    /// In the order in which they run, whatever the order on the command line.
    fn runs(&self) -> Vec<(Policy, Part)> {
        let policies = Policy::ALL
            .into_iter()
            .filter(|policy| self.policy.is_empty() || self.policy.contains(policy));
        let parts = |policy| {
            let asked =
                |one: &Experiment| self.experiment.is_empty() || self.experiment.contains(one);
            let parts = Experiment::ALL.into_iter().filter(asked).flat_map(Experiment::parts);
            parts.map(move |part| (policy, *part)).collect::<Vec<_>>()
        };
        policies.flat_map(parts).collect()
    }
}

/// What one part of an experiment came to with one policy.
#[derive(Clone, Debug)]
struct Figures {
    policy: Policy,
    part: Part,
    outcome: Outcome,
    /// Of all tasks, with the check of their results.
    time: Duration,
    /// Tasks that were begun, of those that were asked for.
    tasks: [u64; 2],
    /// Resident memory before the first task, and after the last.
    resident: [Bytes; 2],
    counted: Counted,
}

/// What is special to a part.
#[derive(Clone, Debug)]
enum Outcome {
    Pipelines(Vec<Look>),
    Sequential,
    Stencil(Steps),
    Touches([Waits; 2]),
}

/// Runs all that is asked for.
pub(super) fn measure_all(options: &Options) -> Result<Results, Problem> {
    match options.backend {
        Backend::Mock => measure(&MockGpu::default(), options),
        Backend::Cuda => measure(&CudaGpu::open()?, options),
        Backend::Hip => {
            let memory = options.memory.map(Memory::kind);
            measure(&HipGpu::open(options.gfx.as_deref(), memory)?, options)
        }
    }
}

fn measure<G: Gpu>(gpu: &G, options: &Options) -> Result<Results, Problem> {
    let (runs, length) = (options.runs(), options.length());
    let tasks = runs.iter().map(|(_, part)| length.tasks_of(*part)).sum();
    let bar = Bar::new(tasks, "tasks", options.forms.bars());
    let mut all = Vec::with_capacity(runs.len());
    for (policy, part) in runs {
        let place = format!("{part} with {policy}");
        bar.say(&place);
        let played = run(gpu, policy, part, options, &|tasks| bar.add(tasks));
        all.push(played.map_err(|problem| problem.at(place))?);
    }
    drop(bar);
    Ok(Results::new(gpu.about(), options, &all))
}

fn run<G: Gpu>(
    gpu: &G,
    policy: Policy,
    part: Part,
    options: &Options,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Figures, Problem> {
    let length = options.length();
    let before = resident()?;
    let host = Host::new(gpu, policy, options.limit());
    let begun = Instant::now();
    let (tasks, outcome) = host.tidied(|| -> Result<_, Problem> {
        Ok(match part {
            Part::Pipelines => {
                let (tasks, looks) =
                    pipelines::play(&host, length.iterations, options.frees, progress)?;
                (tasks, Outcome::Pipelines(looks))
            }
            Part::Sequential => {
                (sequential::play(&host, length.tasks, progress)?, Outcome::Sequential)
            }
            Part::Stencil(chunks) => {
                let steps = stencil::play(&host, chunks, length, progress)?;
                (u64::from(steps.done * chunks * chunks), Outcome::Stencil(steps))
            }
            Part::Touches => {
                (length.tasks_of(part), Outcome::Touches(touches::play(&host, progress)?))
            }
        })
    })?;
    let time = begun.elapsed();
    let resident = [before, resident()?];
    let counted = host.close()?;
    let tasks = [tasks, length.tasks_of(part)];
    Ok(Figures { policy, part, outcome, time, tasks, resident, counted })
}
