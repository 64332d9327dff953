//! Runs one benchmark case a given number of times, for callgrind to count: `instructions CASE COUNT`.
//! `instructions --list` prints the names of the cases.

use std::process::ExitCode;

use ringfence_tests::cases;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["--list"] => {
            cases::ALL.iter().for_each(|case| println!("{}", case.name));
            ExitCode::SUCCESS
        }
        [name, count] => match (cases::find(name), count.parse()) {
            (Some(case), Ok(count)) => {
                (case.open)().run(count);
                ExitCode::SUCCESS
            }
            (None, _) => fail(&format!("there is no case `{name}`; `--list` names them")),
            (_, Err(_)) => fail(&format!("`{count}` is no number of times")),
        },
        _ => fail("usage: instructions CASE COUNT, or instructions --list"),
    }
}

fn fail(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}
