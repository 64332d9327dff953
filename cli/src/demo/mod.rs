//! `ringfence demo`: the main job, on the modelled device, with five ways to track signals, and four ways to
//! give streams to tasks.

mod checks;
mod dice;
mod hsa;
mod idle;
mod json;
mod machine;
mod player;
mod report;
mod run;
mod streams;
mod table;
mod workload;

#[cfg(test)]
mod tests;

use std::{
    panic::resume_unwind,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use clap::{Args, ValueEnum};
use ringfence_mock::chooser::Profile;

use crate::{
    output::{Output, complain},
    progress::{Bar, Bars},
    trace::{Times, Trace},
};
pub(crate) use idle::Idle;
pub(crate) use machine::Machine;
use run::{Configuration, Figures};
use workload::Mix;

/// The most uses of one run: more would take minutes.
const MOST_USES: u32 = 20_000_000;
/// The most tasks of the sequential workloads, likewise.
const MOST_TASKS: u32 = 1_000_000;

/// How the demonstration runs.
#[derive(Args, Clone, Debug)]
pub(crate) struct Options {
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Signals that the mix uses in each run, besides those that a tracker adds
    #[arg(long, value_name = "N", default_value = "200000", value_parser = parse_uses, allow_negative_numbers = true)]
    uses: u32,
    /// Tasks of the sequential stream workloads; the length of the others follows from it
    #[arg(long, value_name = "N", default_value = "20000", value_parser = parse_tasks, allow_negative_numbers = true)]
    tasks: u32,
    /// What the mix and the device's choices follow from
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How the modelled device behaves
    #[arg(long, value_enum, default_value_t = Behaviour::Hostile)]
    profile: Behaviour,
    /// What the signals are played on
    #[arg(long, value_enum, default_value_t = On::Mock)]
    backend: On,
    /// Write what the library told while it worked, as a trace that Perfetto and Chromium open
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Events of each run that are written to the trace: the first ones
    #[arg(long, value_name = "N", default_value_t = 20_000, requires = "trace")]
    events_of_a_run: u32,
}
impl Options {
    fn trace(&self) -> Trace {
        if self.trace.is_some() { Trace::first(self.events_of_a_run) } else { Trace::off() }
    }
    fn bar(&self, length: u64, unit: &str) -> Bar {
        let bars = if self.json { Bars::Hidden } else { Bars::OnTerminals };
        Bar::new(length, unit, bars)
    }
}

/// What the signals are played on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum On {
    /// The modelled device, under an oracle; streams as well
    Mock,
    /// The first GPU of AMD's HSA runtime: signals alone, in real time
    Hsa,
}

/// How the modelled device behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Behaviour {
    /// Prompt and in order; the read index tells the truth
    Tame,
    /// In no order and not prompt; the read index leads and lags
    Busy,
    /// All that may go wrong without a fault of the host, often
    Hostile,
}
impl Behaviour {
    fn profile(self) -> Profile {
        match self {
            Self::Tame => Profile::Tame,
            Self::Busy => Profile::Busy,
            Self::Hostile => Profile::Hostile,
        }
    }
    fn name(self) -> &'static str {
        match self {
            Self::Tame => "tame",
            Self::Busy => "busy",
            Self::Hostile => "hostile",
        }
    }
}

fn parse_uses(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(0) => Err("a run needs at least 1 use".to_owned()),
        Ok(uses) if uses <= MOST_USES => Ok(uses),
        _ => Err(format!("not a whole number from 1 to {MOST_USES}")),
    }
}

fn parse_tasks(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(0) => Err("a workload needs at least 1 task".to_owned()),
        Ok(tasks) if tasks <= MOST_TASKS => Ok(tasks),
        _ => Err(format!("not a whole number from 1 to {MOST_TASKS}")),
    }
}

/// Runs all configurations and all stream workloads, prints what they did, and says whether all rules were
/// kept.
pub(crate) fn demo(options: &Options, out: &mut Output) -> ExitCode {
    let trace = options.trace();
    let ended = match options.backend {
        On::Hsa => demo_on_hsa(options, &trace, out),
        On::Mock => match run_both(options, &trace, out) {
            Ok((signals, streams)) => verdict(&signals, &streams),
            Err(aborted) => {
                complain(aborted);
                ExitCode::FAILURE
            }
        },
    };
    // Also of a run that failed: that is what one looks at then.
    match &options.trace {
        Some(path) => written(trace, path, options.backend).unwrap_or(ended),
        None => ended,
    }
}
/// Writes the trace. `None`: it is written.
fn written(trace: Trace, path: &Path, on: On) -> Option<ExitCode> {
    let times = match on {
        On::Mock => Times::Modelled,
        On::Hsa => Times::Real,
    };
    let error = trace.write(path, times).err()?;
    complain(format!("ringfence: cannot write the trace {}: {error}\n", path.display()));
    Some(ExitCode::FAILURE)
}

/// Plays the mix on a real runtime: nobody checks the rules there, but what the library itself finds.
fn demo_on_hsa(options: &Options, trace: &Trace, out: &mut Output) -> ExitCode {
    let mix = Mix::roll(options.seed, options.uses);
    let bar = options.bar((mix.steps().len() * Configuration::ALL.len()) as u64, "steps");
    let report = hsa::run(&mix, trace, &mut |steps| bar.add(steps as u64));
    drop(bar);
    match report {
        Ok(report) => {
            out.print(if options.json { report.json() } else { report.text() });
            ExitCode::SUCCESS
        }
        Err(failed) => {
            complain(format!("ringfence: {failed}\n"));
            ExitCode::FAILURE
        }
    }
}

/// The figures and the checks of one half.
struct Half<T> {
    figures: Vec<T>,
    checks: Vec<checks::Check>,
}

/// Both halves, or why one of them ended early.
fn run_both(
    options: &Options,
    trace: &Trace,
    out: &mut Output,
) -> Result<(Half<Figures>, Half<streams::Figures>), String> {
    let mix = Mix::roll(options.seed, options.uses);
    if !options.json {
        out.print(report::opening(options, &mix));
    }
    let figures = run_signals(options, &mix, trace)?;
    let checks = checks::all(&figures);
    let signals = Half { figures, checks };
    let size = streams::Size::new(options.tasks);
    if !options.json {
        out.print(table::table(&signals.figures));
        out.print(report::notes());
        out.print(report::checks(&signals.checks, out.colours()));
        out.print(streams::opening(size));
    }
    let figures = run_streams(options, size, trace)?;
    let checks = streams::checks(&figures);
    let streams = Half { figures, checks };
    if options.json {
        out.print(json::object(options, &signals, &streams));
    } else {
        out.print(streams::table(&streams.figures));
        out.print(streams::memory_table(&streams.figures, size));
        out.print(streams::notes());
        out.print(report::checks(&streams.checks, out.colours()));
    }
    Ok((signals, streams))
}
fn run_signals(options: &Options, mix: &Mix, trace: &Trace) -> Result<Vec<Figures>, String> {
    let bar = options.bar((mix.steps().len() * Configuration::ALL.len()) as u64, "steps");
    let mut all = Vec::with_capacity(Configuration::ALL.len());
    for configuration in Configuration::ALL {
        bar.say(&configuration.to_string());
        let mut progress = |steps| bar.add(steps as u64);
        let profile = options.profile.profile();
        let played = run::run(configuration, mix, options.seed, profile, trace, &mut progress);
        all.push(played.map_err(|aborted| report::aborted(&aborted))?);
    }
    Ok(all)
}
fn run_streams(
    options: &Options,
    size: streams::Size,
    trace: &Trace,
) -> Result<Vec<streams::Figures>, String> {
    let mut runs = Vec::new();
    for workload in streams::Workload::ALL {
        runs.extend(streams::Policy::ALL.map(|policy| (policy, workload)));
    }
    let bar = options.bar(runs.iter().map(|(_, workload)| size.about(*workload)).sum(), "tasks");
    // Each run has a driver and a thread of its own, so that it repeats itself beside the other one.
    let next = AtomicUsize::new(0);
    let work = || {
        let mut played = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(policy, workload)) = runs.get(number) else { return played };
            bar.say(&format!("{workload} with {policy}"));
            let run =
                streams::run(policy, workload, size, (trace, number), &mut |tasks| bar.add(tasks));
            played.push((number, run));
        }
    };
    let mut played = thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut played = work();
        played.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        played
    });
    drop(bar);
    played.sort_by_key(|(number, _)| *number);
    let all = played.into_iter().map(|(_, run)| run.map_err(|aborted| streams::aborted(&aborted)));
    all.collect()
}

fn verdict(signals: &Half<Figures>, streams: &Half<streams::Figures>) -> ExitCode {
    if let Some(broken) = signals.figures.iter().find(|figures| figures.violations > 0) {
        complain(report::broken(broken));
        return ExitCode::FAILURE;
    }
    if let Some(broken) = streams.figures.iter().find(|figures| figures.violations > 0) {
        complain(streams::broken(broken));
        return ExitCode::FAILURE;
    }
    let all: Vec<_> = signals.checks.iter().chain(&streams.checks).collect();
    let missed = all.iter().filter(|check| check.result == checks::Held::No).count();
    if missed > 0 {
        let all = all.len();
        complain(format!(
            "ringfence: no rule was broken, but {missed} of {all} checks do not hold\n"
        ));
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
