//! The oracle of packets: 64 bytes of a queue of the GPU in software, and the dwords of its copy engines.
//!
//! The first byte says which. Any bytes are a packet or an error that says why not; nothing is read or
//! written outside the memory that is there, and an engine that stopped says the same again.

mod aql;
mod sdma;

/// Runs `input`.
///
/// # Panics
/// If a packet does not read back from its own encoding, if a ring that wraps behaves otherwise than one
/// that does not, if a queue goes past what was published, or if the parsers panic.
pub fn check(input: &[u8]) {
    let Some((&first, rest)) = input.split_first() else { return };
    match first % 3 {
        0 => sdma::check_decoder(rest),
        1 => sdma::check_ring(rest),
        _ => aql::check(rest),
    }
}
