//! Rust source, read as far as the checks need it: tokens, and the paths that code names.

mod paths;
mod tokens;

#[cfg(test)]
mod tests;

pub(crate) use paths::{Named, module_of, named};
pub(crate) use tokens::{Token, tokens};
