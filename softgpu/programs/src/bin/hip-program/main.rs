//! `hip-program CASE`: shows one thing about HIP and the GPUs below it.

mod cases;

use std::process::ExitCode;

fn main() -> ExitCode {
    ringfence_softgpu_programs::case::main(cases::ALL)
}
