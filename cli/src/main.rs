//! The command line of Ringfence.
fn main() {}
