use super::*;

fn words(source: &str) -> Vec<String> {
    tokens(source).into_iter().map(|token| token.text).collect()
}

fn paths(module: &[&str], source: &str) -> Vec<String> {
    let module: Vec<String> = module.iter().map(|part| (*part).to_owned()).collect();
    named(&tokens(source), &module).iter().map(Named::to_string).collect()
}

#[test]
fn comments_strings_and_characters_fall_away() {
    let source = r####"
        a // unsafe
        /* unsafe /* nested */ unsafe */ b
        "unsafe \" unsafe" c r#"unsafe " unsafe"# d b"unsafe" e br##"unsafe "# "## f
        'u' '\'' '\u{41}' g b'u' h &'static i
    "####;
    assert_eq!(words(source), ["a", "b", "c", "d", "e", "f", "g", "h", "&", "i"]);
}

#[test]
fn raw_identifiers_and_lines_are_kept() {
    let read = tokens("r#type\n\"two\nlines\"\nend");
    assert_eq!(read[0], Token { text: "type".to_owned(), line: 1 });
    assert_eq!(read[1], Token { text: "end".to_owned(), line: 4 });
}

#[test]
fn use_trees_are_written_out() {
    let source = "use crate::{id::{PacketId, UseId as Id}, proof::{self, Proof}, ring::*};";
    assert_eq!(
        paths(&["event"], source),
        [
            "crate::id::PacketId",
            "crate::id::UseId",
            "crate::proof",
            "crate::proof::Proof",
            "crate::ring::*"
        ]
    );
}

#[test]
fn paths_in_code_are_found() {
    let source =
        "fn f() -> crate::ring::Ring { $crate::plant::is(x); std::sync::Arc::<u8>::new(1) }";
    assert_eq!(paths(&["id"], source), ["crate::ring::Ring", "crate::plant::is", "std::sync::Arc"]);
}

#[test]
fn super_and_self_are_resolved_through_inline_modules() {
    assert_eq!(paths(&["ring", "slot"], "use super::super::drive::Step;"), ["crate::drive::Step"]);
    assert_eq!(
        paths(&["proof"], "use self::grounds::Grounds;"),
        ["crate::proof::grounds::Grounds"]
    );
    let source = "mod a { mod b { use super::super::x::Y; } use super::Z; } use super::w::V;";
    assert_eq!(paths(&["ring"], source), ["crate::ring::x::Y", "crate::ring::Z", "crate::w::V"]);
}

#[test]
fn a_file_is_the_module_of_its_path() {
    let module = |path: &str| module_of(std::path::Path::new(path)).join("::");
    assert_eq!(module("ring/slot.rs"), "ring::slot");
    assert_eq!(module("ring/mod.rs"), "ring");
    assert_eq!(module("lib.rs"), "");
}
