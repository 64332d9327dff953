//! The check fails where the document does not keep up with the code.

use super::*;

const SITES_SOURCE: &str = "enum Site {\n    /// One.\n    Raise,\n    /// Two.\n    Observe,\n}\n";
const MODELS_SOURCE: &str =
    "fn loom_mark() { Plant::Ordering(Site::Raise); Plant::Ordering(Site::Observe) }";

fn document(rows: &str) -> String {
    format!(
        "# What\n\n## Orderings with a site\n\n| site | model |\n|---|---|\n{rows}\n## Locks\n\n| `Gone` | - |\n"
    )
}

#[test]
fn a_row_for_each_site_is_enough() {
    let good = document("| `Raise` | `loom_mark` |\n| `Observe` | `loom_mark` |\n");
    assert_eq!(check(&good, SITES_SOURCE, MODELS_SOURCE), Vec::<String>::new());
}

#[test]
fn each_lack_is_found() {
    let rows = "| `Raise` | `loom_mark` |\n| `Gone` | `loom_other` |\n";
    let found =
        check(&document(rows), SITES_SOURCE, "fn loom_mark() { Plant::Ordering(Site::Raise) }");
    let expected = [
        "Observe has 0 rows",
        "no twin in core/src/models relaxes Observe",
        "core/src/sync.rs has no site Gone",
        "Gone: there is no model loom_other",
    ];
    assert_eq!(found, expected);
    let found =
        check(&document("| `Raise` | none |\n"), "enum Site {\n    Raise,\n}", MODELS_SOURCE);
    assert_eq!(found, ["Raise names no model"]);
    assert_eq!(check("", "", ""), ["core/src/sync.rs has no site: nothing is checked"]);
}
