use super::*;

const FACADE_TEXT: &str = "
pub(crate) enum Site {
    /// Up.
    Raise,
    /// Down.
    Lower,
}
";
const DOCUMENT_TEXT: &str = "| `core/src/mark.rs` | `Raise` | `Lower` |";
const MARK: &str = "\
struct Mark(AtomicU64);
fn raise(mark: &Mark) { mark.0.fetch_max(1, order(Site::Raise, Ordering::AcqRel)); }
fn count(mark: &Mark) { mark.0.fetch_add(1, Ordering::Relaxed); }
";
const TWINS: &str =
    "must_fail(Plant::Ordering(Site::Raise)); must_fail(Plant::Ordering(Site::Lower));";

fn wrong(document: &str, mark: &str, twins: &str) -> Vec<String> {
    let files = [
        (PathBuf::from("core/src/mark.rs"), mark.to_owned()),
        (PathBuf::from("core/src/models/mark.rs"), twins.to_owned()),
        (PathBuf::from("core/src/mark/tests.rs"), "Ordering::SeqCst, Mutex<u8>".to_owned()),
        (PathBuf::from(FACADE), FACADE_TEXT.to_owned()),
    ];
    check(document, FACADE_TEXT, &files)
}

#[test]
fn what_is_right_passes() {
    assert_eq!(wrong(DOCUMENT_TEXT, MARK, TWINS), [""; 0]);
}

#[test]
fn each_fault_is_found() {
    let bare = format!("{MARK}fn low(mark: &Mark) {{ mark.0.load(Ordering::Acquire); }}\n");
    let half = &TWINS[..TWINS.len() / 2];
    for (document, mark, twins, expected) in [
        ("| `core/src/mark.rs` | `Raise` |", MARK, TWINS, "`Lower` has no row"),
        ("| `Raise` | `Lower` |", MARK, TWINS, "core/src/mark.rs has a shared location"),
        (DOCUMENT_TEXT, bare.as_str(), TWINS, "core/src/mark.rs:4: an ordering without a `Site`"),
        (DOCUMENT_TEXT, MARK, half, "no model is run with `Lower` weakened"),
    ] {
        let found = wrong(document, mark, twins);
        assert!(found.len() == 1 && found[0].contains(expected), "{expected}: {found:?}");
    }
}
