//! A backend that breaks its contract makes the library answer with an error, and never panic or lie.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    ringfence_fuzz::planted::run(input, ringfence_fuzz::trait_misuse::check)
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    ringfence_fuzz::replay::main(
        "trait_misuse",
        &["corpus/trait_misuse"],
        ringfence_fuzz::trait_misuse::check,
    )
}
