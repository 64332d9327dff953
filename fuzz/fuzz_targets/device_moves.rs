//! Whatever the host asks and the device chooses, no rule breaks and nothing is left over.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    ringfence_fuzz::planted::run(input, ringfence_fuzz::device_moves::check)
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    ringfence_fuzz::replay::main(
        "device_moves",
        &["corpus/device_moves"],
        ringfence_fuzz::device_moves::check,
    )
}
