//! Replaying kept inputs without a fuzzer, and seeded variations of them.

use std::{
    fs, io, panic,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Variations that are tried of each input.
const VARIATIONS: u64 = 200;

/// Checks every file below `kept`, which are paths from the directory `fuzz`, and variations of it.
/// Files and directories on the command line take their place.
pub fn main(kept: &[&str], check: fn(&[u8])) -> ExitCode {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let given: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let places = if given.is_empty() {
        kept.iter().map(|path| own.join(path)).collect()
    } else {
        given
    };
    match replay(&places, check) {
        Ok(0) => {
            eprintln!("error: there is no input in {places:?}: nothing was checked");
            ExitCode::FAILURE
        }
        Ok(count) => {
            println!("{count} inputs, and {VARIATIONS} seeded variations of each: no fault");
            ExitCode::SUCCESS
        }
        Err(what) => {
            eprintln!("error: {what}");
            ExitCode::FAILURE
        }
    }
}

fn replay(places: &[PathBuf], check: fn(&[u8])) -> Result<usize, String> {
    let mut files = Vec::new();
    for place in places.iter().filter(|place| place.exists()) {
        collect(place, &mut files).map_err(|error| format!("{}: {error}", place.display()))?;
    }
    files.sort();
    for file in &files {
        let input = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        checked(&input, check).map_err(|()| format!("{} shows a fault", file.display()))?;
        for seed in 0..VARIATIONS {
            let varied = vary(&input, seed);
            checked(&varied, check).map_err(|()| {
                let text = String::from_utf8_lossy(&varied);
                format!(
                    "variation {seed} of {} shows a fault; it is {varied:?}, or:\n{text}",
                    file.display()
                )
            })?;
        }
    }
    Ok(files.len())
}

/// The panic message has been printed when this fails.
fn checked(input: &[u8], check: fn(&[u8])) -> Result<(), ()> {
    panic::catch_unwind(|| check(input)).map_err(drop)
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

/// `input` with a few bytes changed, dropped, doubled or moved, as `seed` says.
fn vary(input: &[u8], seed: u64) -> Vec<u8> {
    let mut random = SplitMix(seed);
    let mut varied = input.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(varied.len() + 1);
        let end = (at + random.below(12)).min(varied.len());
        match random.below(4) {
            0 => varied.insert(at, INTERESTING[random.below(INTERESTING.len())]),
            1 => drop(varied.drain(at..end)),
            2 => {
                let piece = varied[at..end].to_vec();
                let to = random.below(varied.len() + 1);
                varied.splice(to..to, piece);
            }
            _ => {
                if let Some(byte) = varied.get_mut(at) {
                    *byte = INTERESTING[random.below(INTERESTING.len())];
                }
            }
        }
    }
    varied
}

/// Bytes that mean something to a parser, or to nobody.
const INTERESTING: &[u8] = b"{}[]=\"'\\,.#\n\r\t 09-_ex\0\x7f\x80\xc3\xff";

/// A small generator with a fixed sequence for each seed (SplitMix64).
struct SplitMix(u64);
impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
    /// A number below `bound`; 0 if `bound` is 0.
    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).expect("a length fits into 64 bits");
        usize::try_from(self.next() % bound).expect("below a usize")
    }
}
