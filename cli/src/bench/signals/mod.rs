//! `ringfence bench signals`: what events and waits cost, in the rows of the field's own tables.

mod column;
mod empty;
mod json;
mod own;
mod own_cuda;
mod progress;
mod report;
mod row;
mod samples;
mod stack;
mod tracked;

#[cfg(test)]
mod tests;

use std::{process::ExitCode, time::Duration};

use clap::{Args, ValueEnum};
use ringfence::{
    backend::Device,
    id::{DeviceContext, DeviceId, StreamKey},
};
use ringfence_hip::{HipDevice, HipStreams, StreamOptions};
use ringfence_hsa::{HsaDevice, QueueOptions, Runtime, Stamping};

use super::{
    gpu::{About, CudaGpu, Gpu, HipGpu},
    problem::Problem,
    progress::Bar,
    setting::Setting,
};
use crate::output::{Output, complain};
use column::{Column, Profiling, Tracking, Who};
use own::Own;
use own_cuda::OwnCuda;
use progress::Words;
use row::Row;
use samples::{PerRepeat, Samples};
use stack::Stack;
use tracked::Tracked;

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
    #[arg(long, value_name = "N", default_value = "2000", value_parser = parse_count)]
    repeats: u32,
    /// Repeats before them that are not measured
    #[arg(long, value_name = "N", default_value = "200", value_parser = parse_count)]
    warm_up: u32,
    /// The architecture to compile for (gfx942); else the one that HSA names
    #[arg(long, value_name = "GFX")]
    gfx: Option<String>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// A runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Backend {
    /// AMD's HIP by its own functions, and Ringfence on its streams
    Hip,
    /// Ringfence on the queues of AMD's HSA runtime
    Hsa,
    /// NVIDIA's CUDA by its own functions, and Ringfence's progress words on its streams
    Cuda,
}

fn parse_count(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(count) if (1..=MOST).contains(&count) => Ok(count),
        _ => Err(format!("not a whole number from 1 to {MOST}")),
    }
}

impl Options {
    fn measures(&self, backend: Backend) -> bool {
        match self.backend.as_slice() {
            [] => backend != Backend::Cuda,
            named => named.contains(&backend),
        }
    }
}

/// What one row came to in one column.
#[derive(Clone, Debug)]
struct Figure {
    row: Row,
    /// `None`: it cannot be measured there.
    samples: Option<Samples>,
    /// `None`: nobody counts.
    per_repeat: Option<PerRepeat>,
}

/// One column.
#[derive(Clone, Debug)]
struct Measured {
    column: Column,
    figures: Vec<Figure>,
}

/// The runtimes that are here.
struct Runtimes {
    hip: Option<HipGpu>,
    hsa: Option<(HsaDevice, String)>,
    cuda: Option<CudaGpu>,
}

impl Runtimes {
    fn open(options: &Options) -> Result<Self, Problem> {
        let hip =
            options.measures(Backend::Hip).then(|| HipGpu::open(options.gfx.as_deref(), None));
        let hsa = options.measures(Backend::Hsa).then(|| {
            let runtime = Runtime::start()?;
            Ok((runtime.device(DEVICE)?, runtime.version().to_string()))
        });
        let cuda = options.measures(Backend::Cuda).then(CudaGpu::open);
        Ok(Self {
            hip: hip.transpose()?,
            hsa: hsa.transpose().map_err(Problem::NoHsa)?,
            cuda: cuda.transpose()?,
        })
    }
    fn abouts(&self) -> Vec<About> {
        let hsa = self.hsa.iter().map(|(device, version)| About {
            backend: "hsa",
            version: version.clone(),
            gpu: format!("{} ({})", device.facts().name(), device.facts().product()),
            memory: "none",
            caution: "each wait, load and packet is real; what it costs is this machine's",
        });
        let cuda = self.cuda.iter().map(Gpu::about);
        self.hip.iter().map(Gpu::about).chain(hsa).chain(cuda).collect()
    }
    fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for profiling in Profiling::ALL {
            let mut add = |who| columns.push(Column { who, profiling });
            if self.hip.is_some() {
                add(Who::Hip);
                // Its signals are words in host memory, whatever is asked for, and it keeps no times.
                if profiling == Profiling::Off {
                    add(Who::OverHip(Tracking::PollingHost));
                    add(Who::OverHip(Tracking::RetiringHost));
                }
            }
            if self.cuda.is_some() {
                add(Who::Cuda);
                // A word has no times.
                if profiling == Profiling::Off {
                    add(Who::OverCuda);
                }
            }
            let Some((device, _)) = &self.hsa else { continue };
            let has_device_signals = device.capabilities().can_hold_device_signals();
            let possible =
                |tracking: &Tracking| has_device_signals || !tracking.wants_device_signals();
            Tracking::ALL.into_iter().filter(possible).for_each(|one| add(Who::OverHsa(one)));
        }
        columns
    }
    fn measure(&self, column: Column, options: &Options, bar: &Bar) -> Result<Measured, Problem> {
        let absent = || Problem::Unmeasured("its runtime was not asked for".to_owned());
        let Column { who, profiling } = column;
        let figures = match who {
            Who::Hip => {
                let gpu = self.hip.as_ref().ok_or_else(absent)?;
                measure_all(&mut Own::open(gpu, profiling)?, options, bar)?
            }
            Who::OverHip(tracking) => {
                let gpu = self.hip.as_ref().ok_or_else(absent)?;
                let streams = HipStreams::new(gpu.hip(), StreamOptions::default());
                let device = HipDevice::new(&streams, DEVICE)?;
                let key = StreamKey::new(DeviceContext::primary(DEVICE));
                let queue = || device.create_queue(key).map_err(Problem::Driver);
                let (queues, policy) = ([queue()?, queue()?], tracking.policy());
                let mut stack =
                    Tracked::open(device.clone(), queues, gpu.nothing(), policy, profiling)?;
                let figures = measure_all(&mut stack, options, bar)?;
                stack.close()?;
                figures
            }
            Who::Cuda => {
                let gpu = self.cuda.as_ref().ok_or_else(absent)?;
                measure_all(&mut OwnCuda::open(gpu, profiling)?, options, bar)?
            }
            Who::OverCuda => {
                let mut words = Words::open(self.cuda.as_ref().ok_or_else(absent)?)?;
                let figures = measure_all(&mut words, options, bar)?;
                words.close()?;
                figures
            }
            Who::OverHsa(tracking) => {
                let (device, _) = self.hsa.as_ref().ok_or_else(absent)?;
                let stamping = match profiling {
                    Profiling::Off => Stamping::Off,
                    Profiling::On => Stamping::On,
                };
                let queue =
                    || device.create_queue(QueueOptions { stamping, ..QueueOptions::default() });
                let (queues, policy) = ([queue()?, queue()?], tracking.policy());
                let kernel = device.empty_kernel()?;
                let mut stack = Tracked::open(device.clone(), queues, kernel, policy, profiling)?;
                let figures = measure_all(&mut stack, options, bar)?;
                stack.close()?;
                figures
            }
        };
        Ok(Measured { column, figures })
    }
}

fn measure_all<S: Stack>(
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
    let mut times: Vec<Duration> = Vec::with_capacity(options.repeats as usize);
    for _ in 0..options.repeats {
        times.extend(row.sample(stack)?);
    }
    let per_repeat = before
        .zip(stack.counts())
        .map(|(before, after)| PerRepeat::between(&before, &after, options.repeats));
    stack.synchronize_stream(stack::Lane::One)?;
    stack.synchronize_stream(stack::Lane::Two)?;
    Ok(Figure { row, samples: Samples::of(times), per_repeat })
}

/// Measures all that is asked for, and prints what it came to.
pub(super) fn bench(options: &Options, setting: &Setting, out: &mut Output) -> ExitCode {
    match measure_columns(options, setting) {
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

fn measure_columns(options: &Options, setting: &Setting) -> Result<String, Problem> {
    let runtimes = Runtimes::open(options)?;
    let columns = runtimes.columns();
    let bar = Bar::new((columns.len() * Row::ALL.len()) as u64, "rows");
    let mut all = Vec::with_capacity(columns.len());
    for column in columns {
        bar.say(&column.to_string());
        let measured = runtimes.measure(column, options, &bar);
        all.push(measured.map_err(|problem| problem.at(column.to_string()))?);
    }
    drop(bar);
    let abouts = runtimes.abouts();
    Ok(match options.json {
        true => json::object(setting, &abouts, options, &all),
        false => report::text(setting, &abouts, options, &all),
    })
}
