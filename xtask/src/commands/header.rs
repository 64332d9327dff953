//! The header of the C interface, made anew from the comments of its code.

use std::{collections::HashSet, fs};

use clap::Args;

use crate::{
    step::{Failure, Outcome, report},
    tree::Tree,
};

/// Where the code begins, its settings, and what is made of them.
const SOURCE: &str = "capi/src/lib.rs";
const SETTINGS: &str = "capi/cbindgen.toml";
const HEADER: &str = "capi/include/ringfence.h";
/// What programs were compiled with.
const PINS: &str = "capi/tests/programs/abi.c";

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
    let missing = missing(tree, &made)?;
    if !missing.is_empty() {
        // The generator leaves out what no function names.
        return report(&missing, "not in the header: name them in capi/cbindgen.toml");
    }
    let unpinned = unpinned(&made, &tree.read(PINS)?);
    if !unpinned.is_empty() {
        return report(
            &unpinned,
            "numbers and structures without a line of their own in capi/tests/programs/abi.c",
        );
    }
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
    String::from_utf8(header).map(|made| plain(&made)).map_err(|error| failed(error.to_string()))
}

/// The same with plain pointers: the generator names each kind of `In` and `Out` (capi/src/place.rs) as a type of its own. And with
/// tags, so that others may declare a structure without the header: of the generator's own styles, the one with tags names each type by
/// its tag wherever it is used.
fn plain(made: &str) -> String {
    let (mut kept, mut pointers): (Vec<&str>, Vec<_>) = Default::default();
    for line in made.lines() {
        let Some(pointer) = pointer(line) else {
            kept.push(line);
            continue;
        };
        pointers.push(pointer);
        // With the comment that is about it, and the line between it and what is before.
        while kept.pop_if(|last| last.starts_with("/**") || last.starts_with(" *")).is_some() {}
        let _between = kept.pop_if(|last| last.is_empty());
    }
    let mut tagged: Vec<String> = kept.iter().map(|line| (*line).to_owned()).collect();
    let mut opened = None;
    for (at, line) in kept.iter().enumerate() {
        if matches!(*line, "typedef struct {" | "typedef enum {") {
            opened = Some(at);
        }
        let name = line.strip_prefix("} ").and_then(|line| line.strip_suffix(';'));
        if let (Some(begins), Some(name)) = (opened, name) {
            tagged[begins] = kept[begins].replace('{', &format!("{name} {{"));
            opened = None;
        }
    }
    let mut text = tagged.join("\n") + "\n";
    for (name, is) in pointers {
        text = text.replace(&format!("{name} "), &format!("{is} *"));
    }
    text
}
/// What `typedef uint32_t *Out_u32;` says: the name, and what it points to.
fn pointer(line: &str) -> Option<(String, String)> {
    let (is, name) =
        line.strip_prefix("typedef ")?.trim_end().strip_suffix(';')?.split_once(" *")?;
    let known = name.starts_with("In_") || name.starts_with("Out_");
    known.then(|| (name.to_owned(), is.to_owned()))
}

/// Public names of the code that the header does not declare.
fn missing(tree: &Tree, header: &str) -> Result<Vec<String>, Failure> {
    let (mut missing, words) = (Vec::new(), words(header));
    for file in tree.files("capi/src", "rs")? {
        let names = tree.read(&file)?;
        let names = names.lines().filter_map(declared).filter(|name| !words.contains(name));
        missing.extend(names.map(|name| format!("{name} of {}", file.display())));
    }
    Ok(missing)
}
/// Numbers and structures of the header that nothing keeps as they are.
fn unpinned(header: &str, pins: &str) -> Vec<String> {
    let pins = words(pins);
    let names = header.lines().filter_map(|line| {
        let number = line.strip_prefix("#define ").and_then(|line| line.split_once(' '));
        let structure = line.strip_prefix("typedef struct ").and_then(|line| line.split_once(' '));
        let state =
            line.trim_start().split_once(" = ").filter(|(name, _)| name.starts_with("RINGFENCE_"));
        number.or(structure).or(state).map(|(name, _)| name)
    });
    names.filter(|name| !pins.contains(name)).map(str::to_owned).collect()
}
/// The name that a line of the code declares for C.
fn declared(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ")?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = line.split(|c| !is_part(c));
    let name =
        words.find(|word| word.starts_with("ringfence_") || word.starts_with("RINGFENCE_"))?;
    Some(name)
}
/// What the header has as whole words outside of comments.
fn words(header: &str) -> HashSet<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let code = header.lines().filter(|line| !line.trim_start().starts_with('*'));
    code.flat_map(|line| line.split(move |c| !is_part(c))).collect()
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
    use super::{declared, first_difference, plain, unpinned, words};

    #[test]
    fn pointers_have_no_types_of_their_own() {
        let made = "int a;\n\n/**\n * Where an output goes.\n */\ntypedef uint32_t *Out_u32;\n\n/**\n * About b.\n */\nvoid b(Out_u32 place);\n";
        assert_eq!(plain(made), "int a;\n\n/**\n * About b.\n */\nvoid b(uint32_t *place);\n");
    }

    #[test]
    fn what_is_added_is_pinned() {
        let header = "#define RINGFENCE_H\n#define RINGFENCE_A 1\ntypedef struct a_t {\n} a_t;\n  RINGFENCE_B = 2,\n";
        assert_eq!(unpinned(header, "IS(RINGFENCE_A, 1);\n"), ["a_t", "RINGFENCE_B"]);
        assert!(
            unpinned(header, "IS(RINGFENCE_A, 1); SIZE(a_t, 0); IS(RINGFENCE_B, 2);").is_empty()
        );
    }

    #[test]
    fn structures_have_their_names_as_tags() {
        let made = "typedef struct {\n  int a;\n} one_t;\n\ntypedef enum {\n  TWO,\n} two_t;\n";
        let tagged = "typedef struct one_t {\n  int a;\n} one_t;\n\ntypedef enum two_t {\n  TWO,\n} two_t;\n";
        assert_eq!(plain(made), tagged);
        assert_eq!(plain(tagged), tagged);
    }

    #[test]
    fn what_the_code_declares_has_to_be_in_the_header() {
        assert_eq!(declared("pub struct ringfence_pool_t {"), Some("ringfence_pool_t"));
        let function = "pub unsafe extern \"C\" fn ringfence_pool_pump(";
        assert_eq!(declared(function), Some("ringfence_pool_pump"));
        assert_eq!(declared("pub const RINGFENCE_FULL: u32 = 9;"), Some("RINGFENCE_FULL"));
        assert_eq!(declared("pub(crate) fn ringfence_pool_of()"), None);
        assert_eq!(declared("pub use types::*;"), None);
        let header = "/**\n * See ringfence_b.\n */\nvoid ringfence_a(int b);\n";
        let words = words(header);
        assert!(words.contains("ringfence_a"));
        assert!(!words.contains("ringfence_b"), "in a comment alone");
        assert!(!words.contains("ringfence"));
    }

    #[test]
    fn a_difference_is_found_wherever_it_is() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some((2, "b", "c")));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some((2, "", "b")));
        assert_eq!(first_difference("a\nb", "a"), Some((2, "b", "(the end)")));
    }
}
