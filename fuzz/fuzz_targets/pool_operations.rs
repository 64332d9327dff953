//! Whatever tasks, users and drivers do, the pool breaks no rule and loses nothing.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    ringfence_fuzz::planted::run(input, ringfence_fuzz::pool_operations::check)
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    ringfence_fuzz::replay::main(
        "pool_operations",
        &["corpus/pool_operations"],
        ringfence_fuzz::pool_operations::check,
    )
}
