//! Replaying kept inputs without a fuzzer, and seeded variations of them.

use std::{
    fs, io,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use crate::{
    planted,
    vary::{shrink, vary},
};

/// An oracle: panics if its input shows a fault.
pub type Check = fn(&[u8]);

/// Variations that are tried of each input, unless `RINGFENCE_VARIATIONS` names another number.
const VARIATIONS: u64 = 200;
/// For how long variations are tried at most, unless `RINGFENCE_FUZZ_SECONDS` names another number of
/// seconds. Every input itself is always checked.
const SECONDS: u64 = 5;

/// Checks every file below `kept`, which are paths from the directory `fuzz`, and variations of it, round
/// by round. Files and directories on the command line take their place. A faulty input is made small, and
/// written to `fuzz/artifacts`.
pub fn main(target: &str, kept: &[&str], check: Check) -> ExitCode {
    let given: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let places = if given.is_empty() { kept.iter().map(|path| own(path)).collect() } else { given };
    let variations = number("RINGFENCE_VARIATIONS").unwrap_or(VARIATIONS);
    let limit = Duration::from_secs(number("RINGFENCE_FUZZ_SECONDS").unwrap_or(SECONDS));
    match replay(target, &places, variations, limit, check) {
        Ok(Replayed { inputs: 0, .. }) => {
            eprintln!("error: there is no input in {places:?}: nothing was checked");
            ExitCode::FAILURE
        }
        Ok(Replayed { inputs, varied }) => {
            println!("{target}: {inputs} inputs, and {varied} seeded variations of them: no fault");
            ExitCode::SUCCESS
        }
        Err(what) => {
            eprintln!("error: {what}");
            ExitCode::FAILURE
        }
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|number| number.parse().ok())
}

/// A path from the directory `fuzz`.
pub(crate) fn own(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// How much was checked.
struct Replayed {
    inputs: usize,
    varied: u64,
}

fn replay(
    target: &str,
    places: &[PathBuf],
    variations: u64,
    limit: Duration,
    check: Check,
) -> Result<Replayed, String> {
    let failed = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
    let inputs = inputs(places).map_err(|error| error.to_string())?;
    let (start, mut varied) = (Instant::now(), 0);
    'rounds: for seed in 0..=variations {
        for (file, input) in &inputs {
            if seed > 0 && start.elapsed() >= limit {
                break 'rounds;
            }
            let input = if seed == 0 { input.clone() } else { vary(input, seed) };
            if verdict(&input, check) == Verdict::Faulty {
                let kept = keep(target, &input, check).map_err(|error| failed(file, error))?;
                let (file, kept) = (file.display(), kept.display());
                return Err(format!(
                    "variation {seed} of {file} (0: itself) shows a fault; a smaller one is {kept}"
                ));
            }
            varied += u64::from(seed > 0);
        }
    }
    Ok(Replayed { inputs: inputs.len(), varied })
}

/// Every file below these places, in the order of their names.
///
/// # Errors
/// When one cannot be read: which, and why.
pub(crate) fn inputs(places: &[PathBuf]) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let named = |path: &Path, error: io::Error| {
        io::Error::new(error.kind(), format!("{}: {error}", path.display()))
    };
    let mut files = Vec::new();
    for place in places.iter().filter(|place| place.exists()) {
        collect(place, &mut files).map_err(|error| named(place, error))?;
    }
    files.sort();
    let read = |file: PathBuf| {
        let input = fs::read(&file).map_err(|error| named(&file, error))?;
        Ok((file, input))
    };
    files.into_iter().map(read).collect()
}

/// Makes a faulty input small, writes it down and shows its fault.
fn keep(target: &str, input: &[u8], check: Check) -> io::Result<PathBuf> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let small = shrink(input, |smaller| verdict(smaller, check) == Verdict::Faulty);
    panic::set_hook(hook);
    let _shown = verdict(&small, check);
    let path = own("artifacts").join(target);
    fs::create_dir_all(own("artifacts"))?;
    fs::write(&path, small)?;
    Ok(path)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Fine,
    Faulty,
}

fn verdict(input: &[u8], check: Check) -> Verdict {
    match panic::catch_unwind(AssertUnwindSafe(|| planted::run(input, check))) {
        Ok(()) => Verdict::Fine,
        Err(_) => Verdict::Faulty,
    }
}

fn collect(place: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if place.is_file() {
        files.push(place.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(place)? {
        collect(&entry?.path(), files)?;
    }
    Ok(())
}
