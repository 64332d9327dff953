//! Scenarios of signals on AMD's HSA runtime: the same steps, real queues, real signals, real time.
//!
//! There is no oracle. What is checked is what holds on any device: the library's own errors, what was seen to be over, bounds on what
//! is created, that all is retired in the end, and that everything ends.

mod allowed;
mod ask;
mod expect;
mod failure;
mod finale;
mod gpu;
mod publish;
mod summary;
mod things;
mod world;

#[cfg(test)]
mod tests;

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use miette::GraphicalReportHandler;
use ringfence_hsa::HsaError;
use ringfence_mock::scenario::{AnyParsed, Parsed};

use super::{
    Options,
    json::{self, Verdict},
};
use crate::{
    output::{Output, Reader, complain},
    shown::{drawn, handler, quietly},
};
use allowed::{LeftOut, first_impossible};
use failure::{Failure, Shown};
use gpu::Gpus;
use summary::{STREAMS, Summary};
use things::Tally;
use world::World;

/// How one file ended.
enum Ended {
    Passed(Tally),
    LeftOut(LeftOut),
    /// It is of the other half.
    Streams,
    Failed(String),
}

/// The longest that one file may take, all its waits together. A submission to a ring that a hung GPU never empties has no limit
/// of its own.
const FILE_LIMIT: Duration = Duration::from_secs(120);

/// Replays what a real queue allows, with a line for each file and a sum at the end. Fails if one fails, or if none was played.
pub(super) fn replay(options: &Options, files: &[PathBuf], out: &mut Output) -> ExitCode {
    let (opened, played) = match start(files.to_vec(), options.reader(out)) {
        Ok(started) => started,
        Err(error) => {
            complain(format!("ringfence: cannot start a thread: {error}\n"));
            return ExitCode::FAILURE;
        }
    };
    let title = match opened.recv_timeout(FILE_LIMIT) {
        Ok(Ok(title)) => title,
        Ok(Err(error)) => {
            complain(format!("ringfence: {error}\n`ringfence doctor` says what is missing\n"));
            return ExitCode::FAILURE;
        }
        Err(_) => {
            complain(
                "ringfence: the runtime does not start\n`ringfence doctor` says what is there\n",
            );
            return ExitCode::FAILURE;
        }
    };
    if !options.json {
        out.print(format!("{title}\n"));
    }
    let mut summary = Summary::default();
    let bar = options.bar(files.len());
    for file in files {
        let name = file.display().to_string();
        bar.say(&name);
        let ended = played.recv_timeout(FILE_LIMIT);
        let is_hung = ended.is_err();
        let ended = ended.unwrap_or_else(|_| {
            let limit = FILE_LIMIT.as_secs();
            Ended::Failed(format!("  did not end within {limit} s; the rest is not played\n"))
        });
        ended.add_to(&mut summary);
        let shown = if options.json { ended.json(&name, &title) } else { ended.text(&name) };
        bar.aside(|| out.print(shown));
        bar.add(1);
        if is_hung {
            drop(bar);
            return end(options, &summary, out);
        }
    }
    drop(bar);
    // The thread lets go of this end last: by then, the runtime is shut down.
    let _ended = played.recv_timeout(FILE_LIMIT);
    end(options, &summary, out)
}

fn end(options: &Options, summary: &Summary, out: &mut Output) -> ExitCode {
    if !options.json {
        out.print(summary.to_string());
    }
    summary.code()
}

/// What files are played on, and then how each ended.
type Started = (Receiver<Result<String, HsaError>>, Receiver<Ended>);

/// Plays the files on a thread of their own, which is left behind if one of them hangs.
fn start(files: Vec<PathBuf>, reader: Reader) -> io::Result<Started> {
    let (tell_opened, opened) = channel();
    let (tell, played) = channel();
    let play_all = move || {
        let gpus = match Gpus::open().and_then(|gpus| Ok((gpus.title()?, gpus))) {
            Ok((title, gpus)) => {
                let _ = tell_opened.send(Ok(title));
                gpus
            }
            Err(error) => {
                let _ = tell_opened.send(Err(error));
                return;
            }
        };
        let handler = handler(reader);
        for file in files {
            let ended = quietly(|| replay_one(&file, &gpus, &handler));
            if tell.send(ended).is_err() {
                return; // nobody listens any more
            }
        }
    };
    thread::Builder::new().name("replay".to_owned()).spawn(play_all)?;
    Ok((opened, played))
}

impl Ended {
    fn add_to(&self, summary: &mut Summary) {
        match self {
            Self::Passed(tally) => summary.add_passed(tally),
            Self::LeftOut(why) => summary.add_left_out(why),
            Self::Streams => summary.add_streams(),
            Self::Failed(_) => summary.failed += 1,
        }
    }
    fn text(&self, name: &str) -> String {
        match self {
            Self::Passed(Tally { steps, checked, unchecked }) => format!(
                "pass  {name}  ({steps} steps; {checked} expectations checked, {unchecked} not)\n"
            ),
            Self::LeftOut(why) => {
                let place = why.place.map_or(String::new(), |place| format!(":{place}"));
                format!("  --  {name}{place}  left out: {}\n", why.what)
            }
            Self::Streams => format!("  --  {name}  left out: setup.driver\n"),
            Self::Failed(why) => format!("FAIL  {name}\n{why}\n"),
        }
    }
    fn json(&self, name: &str, on: &str) -> String {
        let verdict = match self {
            Self::Passed(Tally { steps, checked, unchecked }) => Verdict::Passed {
                steps: *steps,
                checked: Some(*checked),
                unchecked: Some(*unchecked),
            },
            Self::LeftOut(LeftOut { what, why, .. }) => Verdict::LeftOut { what, why },
            Self::Streams => Verdict::LeftOut { what: "setup.driver", why: STREAMS },
            Self::Failed(why) => Verdict::Failed { why },
        };
        json::line(name, on, verdict)
    }
}

fn replay_one(file: &Path, gpus: &Gpus, handler: &GraphicalReportHandler) -> Ended {
    let parsed = match super::read(file, handler) {
        Ok(AnyParsed::Signals(parsed)) => parsed,
        Ok(AnyParsed::Streams(_)) => return Ended::Streams,
        Err(why) => return Ended::Failed(why),
    };
    if let Some(why) = first_impossible(&parsed, gpus.count()) {
        return Ended::LeftOut(why);
    }
    let mut last = Tally::default();
    // Each run of a real device is another one.
    for run in 1..=parsed.scenario.setup.seeds.max(1) {
        match play(&parsed, gpus) {
            Ok(tally) => last = tally,
            Err(failure) => {
                let shown = Shown::new(failure, run, &parsed);
                return Ended::Failed(drawn(&shown, handler));
            }
        }
    }
    Ended::Passed(last)
}

/// Plays a scenario once. A panic of the library is a failure as well.
fn play(parsed: &Parsed, gpus: &Gpus) -> Result<Tally, Failure> {
    let at = std::cell::Cell::new(0);
    let run = || {
        let mut world = World::open(gpus, &parsed.scenario.setup)?;
        for (position, step) in parsed.scenario.steps.iter().enumerate() {
            at.set(position);
            world.apply(step).map_err(|mut failure| {
                failure.path.insert(0, position);
                failure
            })?;
        }
        World::finish(world)
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        let text = text.unwrap_or("something that is no text");
        let mut failure = Failure::new(format!("the library panicked: {text}"));
        failure.path.push(at.get());
        Err(failure)
    })
}
