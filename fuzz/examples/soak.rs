//! Long runs with random faults: `soak SECONDS SEED`. Not a target of a fuzzer.

use std::{process::ExitCode, time::Duration};

use ringfence_fuzz::soak::soak;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let (Some(Ok(seconds)), Some(Ok(seed))) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: soak SECONDS SEED");
        return ExitCode::FAILURE;
    };
    match soak(Duration::from_secs(seconds), seed) {
        Ok(soaked) => {
            println!("seed {seed}, {seconds} s: {soaked:?}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}
