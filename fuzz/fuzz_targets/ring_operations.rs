//! Whatever a device shows, the pure ring takes nothing for finished that is not.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    ringfence_fuzz::planted::run(input, ringfence_fuzz::ring_operations::check)
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    ringfence_fuzz::replay::main(
        "ring_operations",
        &["corpus/ring_operations"],
        ringfence_fuzz::ring_operations::check,
    )
}
