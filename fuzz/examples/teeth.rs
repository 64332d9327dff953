//! The planted faults that fuzz targets find: `teeth FILE` holds a table to it, `teeth --write FILE` writes it.
//!
//! Each search is a process of its own (`teeth FAULT TARGET SECONDS`), since a fault may make the library hang.

use std::{
    fs,
    process::{Command, ExitCode, exit},
    time::{Duration, Instant},
};

use ringfence::plant::Fault;
use ringfence_fuzz::teeth::targets;

/// For so long a target may look for a fault that it is said to find, in seconds.
const PATIENCE_S: u64 = 300;
/// For so long each target is tried when the table is written.
const TRIED_S: u64 = 20;
/// Of a search that found nothing.
const NOT_FOUND: u8 = 2;
const HEADING: &str = "# Planted faults that fuzz targets find from the committed corpus and seeded variations of it: fault, rule, target.\n";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ended = match arguments[..] {
        ["--write", file] => write(file),
        [file] => check(file),
        [fault, target, seconds] => search(fault, target, seconds),
        _ => Err("usage: teeth [--write] FILE".to_owned()),
    };
    ended.unwrap_or_else(|why| {
        eprintln!("error: {why}");
        ExitCode::FAILURE
    })
}

/// One target looks for one fault.
fn search(fault: &str, target: &str, seconds: &str) -> Result<ExitCode, String> {
    let fault = known(fault).ok_or("no fault has that name")?;
    let targets = targets().map_err(|error| format!("the corpus: {error}"))?;
    let target = targets.iter().find(|one| one.name() == target).ok_or("no such target")?;
    let seconds = seconds.parse().map_err(|error| format!("{seconds}: {error}"))?;
    // Each find panics; what it says is not the news here.
    std::panic::set_hook(Box::new(|_| {}));
    let found = target.find(fault, Duration::from_secs(seconds), || {
        println!("a run hangs");
        exit(0)
    });
    Ok(match found {
        Some(runs) => {
            println!("found in run {runs}");
            ExitCode::SUCCESS
        }
        None => ExitCode::from(NOT_FOUND),
    })
}

fn known(name: &str) -> Option<Fault> {
    Fault::ALL.iter().copied().find(|fault| fault.name() == name)
}

/// Whether a search of a process of its own finds the fault, and what it says.
fn finds(fault: Fault, target: &str, seconds: u64) -> Result<Option<String>, String> {
    let own = std::env::current_exe().map_err(|error| format!("this program: {error}"))?;
    let output = Command::new(own)
        .args([fault.name(), target, &seconds.to_string()])
        .output()
        .map_err(|error| format!("a search: {error}"))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.code() {
        Some(0) => Ok(Some(said(&output.stdout))),
        Some(code) if code == i32::from(NOT_FOUND) => Ok(None),
        // A panic inside of a destructor ends the process: a find as well.
        None => Ok(Some(format!("the process ended: {}", output.status))),
        Some(_) => Err(said(&output.stderr)),
    }
}

/// Tries every target with every fault; the first that finds it is listed.
fn write(file: &str) -> Result<ExitCode, String> {
    let targets = targets().map_err(|error| format!("the corpus: {error}"))?;
    let mut text = HEADING.to_owned();
    for &fault in Fault::ALL {
        let (name, rule) = (fault.name(), fault.rule());
        let mut listed = false;
        for target in targets.iter().map(|target| target.name()) {
            if let Some(how) = finds(fault, target, TRIED_S)? {
                println!("{name} ({rule}): {target}: {how}");
                text += &format!("{name}\t{rule}\t{target}\n");
                listed = true;
                break;
            }
        }
        if !listed {
            println!("{name} ({rule}): no target, in {TRIED_S} s each");
        }
    }
    fs::write(file, text).map_err(|error| format!("{file}: {error}"))?;
    Ok(ExitCode::SUCCESS)
}

/// Every line of the table is true: the fault is known, breaks that rule, and that target finds it.
fn check(file: &str) -> Result<ExitCode, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let (begun, mut found, mut slowest) = (Instant::now(), 0, Duration::ZERO);
    for (number, line) in (1..).zip(text.lines()) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |what: &str| format!("{file}:{number}: {what}: `{line}`");
        let [name, rule, target] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(wrong("a line is a fault, its rule and a target, with tabs between"));
        };
        let fault = known(name).filter(|fault| fault.rule() == rule);
        let fault = fault.ok_or_else(|| wrong("no fault has that name and rule"))?;
        let one = Instant::now();
        let how = finds(fault, target, PATIENCE_S).map_err(|why| wrong(&why))?;
        let _how = how.ok_or_else(|| wrong("not found"))?;
        slowest = slowest.max(one.elapsed());
        found += 1;
    }
    if found == 0 {
        return Err(format!("{file}: it lists nothing"));
    }
    println!(
        "{found} planted faults found in {:.1?}, the slowest in {slowest:.1?}",
        begun.elapsed()
    );
    Ok(ExitCode::SUCCESS)
}
