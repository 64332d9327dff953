//! `ringfence explore FILE...`: every timing of the device, up to a bound.

mod json;
mod text;

use std::{
    fmt::Display,
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use clap::ValueEnum;
use ringfence_mock::{
    explore::{
        Bounds, DeviceTiming, Explored, HostSteps, Options as Search, Unfit, Verdict, explore,
        explore_streams,
    },
    scenario::{AnyParsed, Failure, parse_any},
    streams::scenario::StreamFailure,
};

use crate::{
    output::{Output, Reader, complain},
    progress::{Bar, Bars},
    shown::{drawn_rejected, handler, quietly},
};

/// What `explore` is told.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Scenario files, or folders of them (folders inside those are left out)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Give a file up after so many states
    #[arg(long, value_name = "N", default_value_t = 2_000_000)]
    states: u64,
    /// Give schedules up after so many choices
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    choices: usize,
    /// Give a file up after so many seconds
    #[arg(long, value_name = "S", default_value_t = 60)]
    seconds: u64,
    /// Let so many faults of the machine, or of the driver, come into each schedule, beside those of the file
    #[arg(long, value_name = "N", default_value_t = 0)]
    faults: u32,
    /// When the device moves: just before the host sees it, or at any time (slow)
    #[arg(long, value_enum, default_value_t = Timing::Lazy)]
    timing: Timing,
    /// Try the steps of tasks in every order, also where they cannot matter
    #[arg(long)]
    every_order: bool,
    /// Search with so many threads; as many as there are processors when left out
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Write the shortest schedule that breaks a rule to this file, for `replay`
    #[arg(long, value_name = "FILE")]
    print_trace: Option<PathBuf>,
    /// Print one line of JSON for each file
    #[arg(long)]
    json: bool,
}

/// When the device moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Timing {
    Lazy,
    Eager,
}

impl Options {
    fn search(&self) -> Search {
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        Search {
            timing: match self.timing {
                Timing::Lazy => DeviceTiming::Lazy,
                Timing::Eager => DeviceTiming::Eager,
            },
            host: if self.every_order { HostSteps::Every } else { HostSteps::Reduced },
            bounds: Bounds {
                states: self.states,
                choices: self.choices,
                time: Duration::from_secs(self.seconds),
            },
            faults: self.faults,
            threads: threads.unwrap_or(NonZeroUsize::MIN),
            ..Search::default()
        }
    }
}

/// How a file ended, the worst last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Ended {
    Exhausted,
    /// It was left out: it cannot be searched.
    LeftOut,
    Bounded,
    /// Two states were taken for one: the search can say nothing.
    Unsound,
    /// A file cannot be read, or is no scenario.
    Unreadable,
    Broken,
}
impl Ended {
    fn of<F, S>(explored: &Explored<F, S>) -> Self {
        match explored.verdict {
            Verdict::Exhausted => Self::Exhausted,
            Verdict::Bounded(_) => Self::Bounded,
            Verdict::Unsound => Self::Unsound,
            Verdict::Broken(_) => Self::Broken,
        }
    }
    /// What `docs/testing.md` says.
    fn code(self) -> ExitCode {
        match self {
            Self::Exhausted => ExitCode::SUCCESS,
            Self::Broken => ExitCode::FAILURE,
            Self::Unreadable => ExitCode::from(2),
            Self::Bounded => ExitCode::from(3),
            Self::LeftOut => ExitCode::from(4),
            Self::Unsound => ExitCode::from(5),
        }
    }
}

/// Searches each file. The exit code is that of the worst.
pub(crate) fn run(options: &Options, out: &mut Output) -> ExitCode {
    let files = match crate::files::find(&options.files) {
        Ok(files) => files,
        Err((path, error)) => {
            complain(format!("ringfence: cannot read {}: {error}\n", path.display()));
            return Ended::Unreadable.code();
        }
    };
    if files.is_empty() {
        complain("ringfence: there is no scenario file (*.toml) there\n");
        return Ended::Unreadable.code();
    }
    let bars = if options.json { Bars::Hidden } else { Bars::OnTerminals };
    let bar = Bar::new(files.len() as u64, "files", bars);
    let mut worst = Ended::Exhausted;
    for file in &files {
        bar.say(&file.display().to_string());
        worst = worst.max(one(file, options, &bar, out));
        bar.add(1);
    }
    drop(bar);
    worst.code()
}

fn one(file: &Path, options: &Options, bar: &Bar, out: &mut Output) -> Ended {
    let name = file.display().to_string();
    let reader = if options.json { Reader::Program } else { out.reader() };
    let parsed =
        fs::read_to_string(file).map_err(|error| format!("  cannot be read: {error}\n")).and_then(
            |text| parse_any(&name, &text).map_err(|why| drawn_rejected(&why, &handler(reader))),
        );
    match parsed {
        Ok(AnyParsed::Signals(parsed)) => {
            let explored = quietly(|| explore(&parsed.scenario, &options.search()));
            one_told(&name, None, explored, options, bar, out)
        }
        Ok(AnyParsed::Streams(parsed)) => {
            let mut worst = Ended::Exhausted;
            for &driver in &parsed.scenario.setup.drivers {
                let explored =
                    quietly(|| explore_streams(&parsed.scenario, driver, &options.search()));
                let driver = driver.to_string();
                worst = worst.max(one_told(&name, Some(&driver), explored, options, bar, out));
            }
            worst
        }
        Err(why) => {
            if options.json {
                out.print(json::unreadable(&name, &why));
            }
            bar.aside(|| complain(format!("{name}\n{why}")));
            Ended::Unreadable
        }
    }
}

/// Prints what a search came to, and writes its schedule where that was asked for.
fn one_told<F: Told, S: Display>(
    name: &str,
    driver: Option<&str>,
    explored: Result<Explored<F, S>, Unfit>,
    options: &Options,
    bar: &Bar,
    out: &mut Output,
) -> Ended {
    let shown = driver.map_or_else(|| name.to_owned(), |driver| format!("{name} on {driver}"));
    let explored = match explored {
        Ok(explored) => explored,
        Err(why) => {
            bar.aside(|| out.print(left_out(name, &shown, &why.to_string(), options)));
            return Ended::LeftOut;
        }
    };
    let line = match options.json {
        true => json::line(name, driver, &explored),
        false => text::report(&shown, &explored),
    };
    bar.aside(|| out.print(line));
    if let (Some(path), Verdict::Broken(witness)) = (&options.print_trace, &explored.verdict)
        && let Err(error) = fs::write(path, witness.scenario.to_string())
    {
        complain(format!("ringfence: cannot write {}: {error}\n", path.display()));
    }
    Ended::of(&explored)
}

/// Why a schedule fails, in the words of its half of the library.
trait Told: Display {
    /// The rule that is broken.
    fn rule(&self) -> Option<&'static str>;
    /// The rule and what it says.
    fn sentence(&self) -> Option<String>;
}
impl Told for Failure {
    fn rule(&self) -> Option<&'static str> {
        self.rule.map(|rule| rule.name())
    }
    fn sentence(&self) -> Option<String> {
        self.rule_sentence()
    }
}
impl Told for StreamFailure {
    fn rule(&self) -> Option<&'static str> {
        self.rule.map(|rule| rule.name())
    }
    fn sentence(&self) -> Option<String> {
        self.rule_sentence()
    }
}

fn left_out(name: &str, shown: &str, why: &str, options: &Options) -> String {
    if options.json { json::left_out(name, why) } else { format!("left out  {shown}: {why}\n") }
}
