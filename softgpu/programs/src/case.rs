//! A program's cases: one is run by name, prints what it sees, and ends in time.

use std::{
    io::Write,
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    thread,
    time::Duration,
};

/// One thing to be shown.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// How it is asked for.
    pub name: &'static str,
    /// When the watchdog ends it.
    pub limit: Duration,
    /// Shows it, or panics.
    pub run: fn(),
}

impl Case {
    /// A case that ends within 30 s.
    #[must_use]
    pub const fn new(name: &'static str, run: fn()) -> Self {
        Self { name, limit: Duration::from_secs(30), run }
    }

    /// The same with another limit, in seconds.
    #[must_use]
    pub const fn within(self, seconds: u64) -> Self {
        Self { limit: Duration::from_secs(seconds), ..self }
    }
}

/// The program's `main`: runs the case that the first argument names. `--list` prints all names.
///
/// Success means that everything was as it should be. A case that panics exits at once, with 1, without the runtime's tear-down: that
/// might wait for what has just failed. A case that hangs is aborted.
#[must_use]
pub fn main(cases: &[Case]) -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    if name == "--list" {
        for case in cases {
            println!("{}", case.name);
        }
        return ExitCode::SUCCESS;
    }
    let Some(case) = cases.iter().find(|case| case.name == name) else {
        eprintln!("no case is called {name:?}; --list prints all");
        return ExitCode::from(2);
    };
    let Case { name, limit, run } = *case;
    thread::spawn(move || {
        thread::sleep(limit);
        eprintln!("watchdog: {name} still runs after {} s", limit.as_secs());
        std::process::abort();
    });
    if catch_unwind(AssertUnwindSafe(run)).is_err() {
        // Standard output may be lost already: there is nothing left to do about it.
        let _ = std::io::stdout().flush();
        crate::process::exit_now(1);
    }
    println!("{name}: ok");
    ExitCode::SUCCESS
}

/// The exit code of a case that found what it needs missing.
pub const NOT_MODELLED: i32 = 77;

/// Ends the program: what the case needs is not there.
pub fn not_modelled(what: &str) -> ! {
    println!("not modelled: {what}");
    crate::process::exit_now(NOT_MODELLED)
}

/// What the environment sets of softgpu: the value of `RINGFENCE_SOFTGPU_` and `name`.
#[must_use]
pub fn setting(name: &str) -> Option<String> {
    std::env::var(format!("RINGFENCE_SOFTGPU_{name}")).ok()
}
