//! Checks of this repository, as a program.
fn main() {}
