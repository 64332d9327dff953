use std::path::Path;

use super::{
    Finding, check_source,
    manifest::{check, members},
    table::{CRATES, Crate},
};

/// What is found in `source` if it is the file `path`.
fn found(path: &str, source: &str) -> Vec<String> {
    check_source(Path::new(path), source).into_iter().map(|finding| finding.what).collect()
}

fn row(package: &str) -> &'static Crate {
    CRATES.iter().find(|own| own.package == package).expect("the table has the package")
}

fn found_in_manifest(package: &str, dependencies: &str) -> Vec<Finding> {
    let manifest = format!("[package]\nname = \"{package}\"\n{dependencies}");
    check(row(package), Path::new("Cargo.toml"), &manifest)
}

#[test]
fn a_later_layer_is_refused() {
    for (path, source) in [
        ("core/src/id.rs", "use crate::proof::Proof;"),
        ("core/src/proof.rs", "fn f(ring: &crate::ring::Ring) {}"),
        ("core/src/watermark.rs", "use crate::{id::QueueId, drive::Step};"),
        ("core/src/ring/slot.rs", "use super::super::event::Event;"),
        ("core/src/ring/mod.rs", "mod inner { use super::super::drive::Step; }"),
        ("core/src/drive/reclaim.rs", "use crate::{ring, event as later};"),
    ] {
        let what = found(path, source);
        assert_eq!(what.len(), 1, "{path}: {source}: {what:?}");
        assert!(what[0].contains("later layer"), "{what:?}");
    }
}

#[test]
fn earlier_layers_and_prose_are_fine() {
    for (path, source) in [
        ("core/src/event/mod.rs", "use crate::{drive::Step, ring::Ring, backend::Signals};"),
        ("core/src/ring/slot.rs", "use super::custody::Custody; use crate::proof::Proof;"),
        (
            "core/src/proof.rs",
            "//! Used by crate::ring::Ring.\nconst A: &str = \"crate::ring::B\";",
        ),
        ("core/src/lib.rs", "pub use crate::event::Event;"),
    ] {
        assert_eq!(found(path, source), [""; 0], "{path}: {source}");
    }
}

#[test]
fn an_unknown_module_is_refused() {
    assert!(found("core/src/helpers.rs", "")[0].contains("has no layer"));
    assert!(found("core/src/proof.rs", "use crate::Event;")[0].contains("of no layer"));
    assert!(found("core/src/proof.rs", "use crate::*;")[0].contains("of no layer"));
}

#[test]
fn synchronisation_comes_from_the_facade_alone() {
    for source in [
        "use std::sync::Arc;",
        "use std::{cell::Cell, sync::atomic::AtomicU64};",
        "use ::core::sync::atomic::AtomicU64;",
        "fn f() { loom::model(|| {}); }",
    ] {
        let what = found("core/src/ring/mod.rs", source);
        assert_eq!(what.len(), 1, "{source}: {what:?}");
        assert!(what[0].contains("loom can replace it"), "{what:?}");
    }
    assert_eq!(found("core/src/sync.rs", "pub(crate) use std::sync::Mutex;"), [""; 0]);
    assert_eq!(found("cli/src/main.rs", "use std::sync::Arc;"), [""; 0]);
}

#[test]
fn a_judge_knows_nothing_of_what_it_judges() {
    for (path, source) in [
        ("backend-mock/src/oracle/mod.rs", "use ringfence::{id::UseId, watermark::Watermark};"),
        ("backend-mock/src/oracle.rs", "use ringfence::retire;"),
        ("backend-mock/src/model/device.rs", "fn f(_: ringfence::proof::Proof) {}"),
        ("backend-mock/src/model/device.rs", "use ringfence::*;"),
        ("backend-mock/src/model/device.rs", "use ringfence as core;"),
    ] {
        let what = found(path, source);
        assert_eq!(what.len(), 1, "{path}: {source}: {what:?}");
        assert!(what[0].contains("judge"), "{what:?}");
    }
    assert_eq!(found("backend-mock/src/oracle/mod.rs", "use ringfence::id::UseId;"), [""; 0]);
    assert_eq!(found("backend-mock/src/host.rs", "use ringfence::ring::Ring;"), [""; 0]);
}

#[test]
fn unsafe_code_stays_where_it_is_needed() {
    assert_eq!(found("core/src/id.rs", "unsafe { f() }").len(), 1);
    assert_eq!(found("tests/src/lib.rs", "unsafe impl Send for A {}").len(), 1);
    assert_eq!(found("core/src/id.rs", "#![forbid(unsafe_code)] // unsafe"), [""; 0]);
    assert_eq!(found("backend-hsa/src/sys.rs", "unsafe { f() }"), [""; 0]);
}

#[test]
fn the_core_depends_on_nothing_of_ours() {
    let own = "[dependencies]\nbitflags.workspace = true\n[dev-dependencies]\nmockall = \"0.15\"\n";
    assert_eq!(found_in_manifest("ringfence", own), []);
    for wrong in [
        "[dependencies]\nringfence-mock.workspace = true\n",
        "[dev-dependencies]\nringfence-mock = { path = \"../backend-mock\" }\n",
        "[dependencies.ringfence-mock]\npath = \"../backend-mock\"\n",
        "[dependencies]\nmock = { package = \"ringfence-mock\", path = \"../backend-mock\" }\n",
        "[dependencies]\nloom = \"0.7\"\n",
        "[dependencies]\nmockall.workspace = true\n",
        "[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n",
    ] {
        assert_eq!(found_in_manifest("ringfence", wrong).len(), 1, "{wrong}");
    }
}

#[test]
fn the_mock_does_not_depend_on_the_command_line() {
    let right = "[dependencies]\nringfence.workspace = true\nserde.workspace = true\n";
    assert_eq!(found_in_manifest("ringfence-mock", right), []);
    let wrong = "[dependencies]\nringfence-cli.workspace = true\n";
    assert_eq!(found_in_manifest("ringfence-mock", wrong).len(), 1);
}

#[test]
fn a_new_member_needs_a_row() {
    assert_eq!(members("[workspace]\nmembers = [\"core\", \"xtask\"]\n"), []);
    assert_eq!(members("[workspace]\nmembers = [\"core\", \"extra\"]\n").len(), 1);
}
