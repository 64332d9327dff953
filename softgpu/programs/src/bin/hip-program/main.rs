//! HIP.
fn main() {}
