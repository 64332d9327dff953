//! Any text is a scenario or a list of faults with their places, and what is printed reads back.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    ringfence_fuzz::planted::run(input, ringfence_fuzz::scenario_text::check)
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    ringfence_fuzz::replay::main(
        "scenario_text",
        &["corpus/scenario_text", "../tests/scenarios"],
        ringfence_fuzz::scenario_text::check,
    )
}
