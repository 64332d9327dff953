//! `ringfence bench streams`: four experiments, each with four ways to give streams to tasks.

mod aims;
mod experiment;
mod host;
mod json;
mod pipelines;
mod policy;
mod report;
mod sequential;
mod stencil;
mod touches;

#[cfg(test)]
mod tests;

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::{Args, ValueEnum};
use ringfence::id::Bytes;
use ringfence_hip::MemoryKind;

use super::{
    gpu::{CudaGpu, Gpu, HipGpu, MockGpu},
    memory::resident,
    problem::Problem,
    progress::Bar,
    setting::Setting,
};
use crate::output::{Output, complain};
use experiment::{Experiment, Frees, Part, Size};
use host::{Counted, Host};
use pipelines::Look;
use policy::Policy;
use stencil::Steps;
use touches::Waits;

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
    #[arg(long, value_name = "N", default_value = "2000", value_parser = parse_count)]
    iterations: u32,
    /// When the pipelines give their arrays up
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Frees::Finished)]
    frees: Frees,
    /// Tasks one after another
    #[arg(long, value_name = "N", default_value = "20000", value_parser = parse_count)]
    tasks: u32,
    /// Cells along each side of the stencil's surface, a multiple of 4
    #[arg(long, value_name = "N", default_value = "512", value_parser = parse_side)]
    side: u32,
    /// Steps of the stencil
    #[arg(long, value_name = "N", default_value = "50", value_parser = parse_count)]
    steps: u32,
    /// What the stencil's surface is filled from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Seconds after which a run of one experiment with one policy ends, done or not
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = parse_count)]
    limit_s: u32,
    /// Where HIP's arrays come from; without it, hipMallocAsync where its version can destroy streams meanwhile
    #[arg(long, value_enum, value_name = "KIND")]
    memory: Option<Memory>,
    /// The architecture to compile for (gfx942); else the one that HSA names
    #[arg(long, value_name = "GFX")]
    gfx: Option<String>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// What the streams belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Backend {
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
    fn size(&self) -> Size {
        let Self { iterations, tasks, side, steps, seed, .. } = *self;
        Size { iterations, tasks, side, steps, seed }
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

/// Runs all that is asked for, and prints what it came to.
pub(super) fn bench(options: &Options, setting: &Setting, out: &mut Output) -> ExitCode {
    let text = match options.backend {
        Backend::Mock => measure(&MockGpu::default(), options, setting),
        Backend::Cuda => CudaGpu::open().and_then(|gpu| measure(&gpu, options, setting)),
        Backend::Hip => HipGpu::open(options.gfx.as_deref(), options.memory.map(Memory::kind))
            .and_then(|gpu| measure(&gpu, options, setting)),
    };
    match text {
        Ok(text) => {
            out.print(text);
            ExitCode::SUCCESS
        }
        Err(problem) => {
            complain(format!("ringfence: {problem}\n"));
            problem.exit_code()
        }
    }
}

fn measure<G: Gpu>(gpu: &G, options: &Options, setting: &Setting) -> Result<String, Problem> {
    let (runs, size) = (options.runs(), options.size());
    let bar = Bar::new(runs.iter().map(|(_, part)| size.tasks_of(*part)).sum(), "tasks");
    let mut all = Vec::with_capacity(runs.len());
    for (policy, part) in runs {
        let place = format!("{part} with {policy}");
        bar.say(&place);
        let played = run(gpu, policy, part, options, &|tasks| bar.add(tasks));
        all.push(played.map_err(|problem| problem.at(place))?);
    }
    drop(bar);
    let about = gpu.about();
    Ok(match options.json {
        true => json::object(setting, &about, options, &all),
        false => report::text(setting, &about, options, &all),
    })
}

fn run<G: Gpu>(
    gpu: &G,
    policy: Policy,
    part: Part,
    options: &Options,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<Figures, Problem> {
    let size = options.size();
    let before = resident()?;
    let host = Host::new(gpu, policy, options.limit());
    let begun = Instant::now();
    let (tasks, outcome) = host.tidied(|| -> Result<_, Problem> {
        Ok(match part {
            Part::Pipelines => {
                let (tasks, looks) =
                    pipelines::play(&host, size.iterations, options.frees, progress)?;
                (tasks, Outcome::Pipelines(looks))
            }
            Part::Sequential => {
                (sequential::play(&host, size.tasks, progress)?, Outcome::Sequential)
            }
            Part::Stencil(chunks) => {
                let steps = stencil::play(&host, chunks, size, progress)?;
                (u64::from(steps.done * chunks * chunks), Outcome::Stencil(steps))
            }
            Part::Touches => {
                (size.tasks_of(part), Outcome::Touches(touches::play(&host, progress)?))
            }
        })
    })?;
    let time = begun.elapsed();
    let resident = [before, resident()?];
    let counted = host.close()?;
    let tasks = [tasks, size.tasks_of(part)];
    Ok(Figures { policy, part, outcome, time, tasks, resident, counted })
}
