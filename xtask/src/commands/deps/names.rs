//! What the sources name: layers of the core, synchronisation, what a judge may know, `unsafe`.

use std::path::Path;

use super::{
    Finding,
    table::{FACADE, JUDGED, LAYERS, MODELS, SYNCHRONISATION, UNSAFE_ALLOWED},
};
use crate::source::{Named, Token, named};

/// Names of a later layer, in one file of the core.
pub(super) fn layers(file: &Path, module: &[String], tokens: &[Token]) -> Vec<Finding> {
    // `lib.rs` declares every layer and belongs to none.
    let Some(own) = module.first() else {
        return Vec::new();
    };
    let finding = |line, what| Finding { file: file.to_owned(), line, what };
    let Some(own_layer) = layer(own) else {
        return vec![finding(1, format!("module `{own}` has no layer in the table"))];
    };
    let mut findings = Vec::new();
    for path in named(tokens, module) {
        let [first, other, ..] = path.segments.as_slice() else {
            continue;
        };
        if first != "crate" {
            continue;
        }
        match layer(other) {
            Some(layer) if layer <= own_layer => {}
            Some(_) => findings.push(finding(
                path.line,
                format!("`{own}` names `{path}`, which is of a later layer"),
            )),
            None => findings.push(finding(
                path.line,
                format!("`{path}` is of no layer in the table: name the module that it lives in"),
            )),
        }
    }
    findings
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Names of atomics, locks and `Arc` outside the facade, in one file of the core.
pub(super) fn synchronisation(file: &Path, module: &[String], tokens: &[Token]) -> Vec<Finding> {
    if file == Path::new(FACADE) || file.starts_with(MODELS) {
        return Vec::new();
    }
    let is_banned = |path: &Named| SYNCHRONISATION.iter().any(|prefix| path.is_within(prefix));
    named(tokens, module)
        .into_iter()
        .filter(is_banned)
        .map(|path| Finding {
            file: file.to_owned(),
            line: path.line,
            what: format!("`{path}` may be named in {FACADE} alone, so that loom can replace it"),
        })
        .collect()
}

/// Names of what is judged, in one file of a judge.
pub(super) fn judged(file: &Path, tokens: &[Token]) -> Vec<Finding> {
    let is_banned = |path: &Named| match path.segments.as_slice() {
        [core] => core == "ringfence",
        // A glob of the whole crate would let everything in.
        [core, module, ..] => {
            core == "ringfence" && (module == "*" || JUDGED.contains(&module.as_str()))
        }
        [] => false,
    };
    named(tokens, &[])
        .into_iter()
        .filter(is_banned)
        .map(|path| Finding {
            file: file.to_owned(),
            line: path.line,
            what: format!("`{path}`: a judge must not be built from what it judges"),
        })
        .collect()
}

/// `unsafe` outside the crates that need it.
pub(super) fn unsafe_code(file: &Path, tokens: &[Token]) -> Vec<Finding> {
    if UNSAFE_ALLOWED.iter().any(|directory| file.starts_with(directory)) {
        return Vec::new();
    }
    tokens
        .iter()
        .filter(|token| token.text == "unsafe")
        .map(|token| Finding {
            file: file.to_owned(),
            line: token.line,
            what: format!("`unsafe` is allowed in {} alone", UNSAFE_ALLOWED.join(", ")),
        })
        .collect()
}
