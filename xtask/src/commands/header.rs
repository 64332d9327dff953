//! The header of the C interface, made anew from the comments of its code.

use std::fs;

use clap::Args;

use crate::{
    step::{Failure, Outcome},
    tree::Tree,
};

/// Where the code begins, its settings, and what is made of them.
const SOURCE: &str = "capi/src/lib.rs";
const SETTINGS: &str = "capi/cbindgen.toml";
const HEADER: &str = "capi/include/ringfence.h";

/// What is done with a difference.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    /// Writes the header, in place of comparing it.
    #[arg(long)]
    write: bool,
}

/// Makes the header from the source files alone: nothing is built for it.
pub(crate) fn run(tree: &Tree, options: Options) -> Result<Outcome, Failure> {
    let made = generate(tree)?;
    let path = tree.path(HEADER);
    if options.write {
        fs::write(&path, made).map_err(|source| Failure::File { path, source })?;
        return Ok(Outcome::Passed);
    }
    let committed = tree.read(HEADER)?;
    match first_difference(&committed, &made) {
        None => Ok(Outcome::Passed),
        Some((line, is, would_be)) => Err(Failure::Found(format!(
            "{HEADER} differs from what the comments of capi/src say, first at line {line}:\n  is       {is}\n  would be {would_be}\n\
             `cargo xtask header --write` makes it anew"
        ))),
    }
}

fn generate(tree: &Tree) -> Result<String, Failure> {
    let failed = |what: String| Failure::Found(format!("the header could not be made: {what}"));
    let config = cbindgen::Config::from_file(tree.path(SETTINGS)).map_err(failed)?;
    let builder = cbindgen::Builder::new().with_config(config).with_src(tree.path(SOURCE));
    let bindings = builder.generate().map_err(|error| failed(error.to_string()))?;
    let mut header = Vec::new();
    bindings.write(&mut header);
    String::from_utf8(header).map_err(|error| failed(error.to_string()))
}

/// The first line that differs: its number, and both.
fn first_difference<'a>(is: &'a str, made: &'a str) -> Option<(usize, &'a str, &'a str)> {
    let end = "(the end)";
    let (mut is, mut made) = (is.split('\n'), made.split('\n'));
    for line in 1.. {
        match (is.next(), made.next()) {
            (None, None) => break,
            (one, other) if one == other => {}
            (one, other) => return Some((line, one.unwrap_or(end), other.unwrap_or(end))),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn a_difference_is_found_wherever_it_is() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some((2, "b", "c")));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some((2, "", "b")));
        assert_eq!(first_difference("a\nb", "a"), Some((2, "b", "(the end)")));
    }
}
