//! Any bytes are a packet or an error, and no engine leaves its ring.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    ringfence_fuzz::planted::run(input, ringfence_fuzz::packets::check)
});

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    ringfence_fuzz::replay::main("packets", &["corpus/packets"], ringfence_fuzz::packets::check)
}
