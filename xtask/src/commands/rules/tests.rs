use super::*;

const HEAD: &str = "\
| rule | enforced in | checked by | scenario | planted fault |
|---|---|---|---|---|
";

/// A document with a right row for every rule, but for the row of S3, which is `third`.
fn document(third: &str) -> String {
    let mut text = HEAD.to_owned();
    for rule in all() {
        if rule == "S3" {
            text.push_str(third);
        } else {
            text.push_str(&format!(
                "| {rule} | `core/here.rs` | `a_test` | `early` | `Break{rule}` |\n"
            ));
        }
    }
    text
}

/// The scenarios: one, one in a folder, and one that shows how a report looks.
fn files() -> [PathBuf; 3] {
    ["early", "streams/handed_on", "broken/unknown_verb"]
        .map(|name| Path::new(SCENARIOS).join(name).with_extension("toml"))
}

fn wrong(document: &str) -> Vec<String> {
    let fault = |rule: String| Fault { name: format!("Break{rule}"), rule };
    let facts = Facts {
        faults: all().map(fault).collect(),
        scenarios: scenarios(&files()),
        exists: &|path| path == Path::new("core/here.rs"),
    };
    check(document, &facts)
}

#[test]
fn a_right_document_passes() {
    for scenario in [
        "early.toml",
        "tests/scenarios/early.toml",
        "handed_on",
        "streams/handed_on.toml",
        "tests/scenarios/streams/handed_on",
    ] {
        let row = format!("| **S3** | `core/here.rs:7` | text | `{scenario}` | `BreakS3` |\n");
        assert_eq!(wrong(&document(&row)), [""; 0], "{scenario}");
    }
}

#[test]
fn each_fault_of_a_document_is_found() {
    for (row, expected) in [
        ("", "S3 has no row"),
        ("| S3 | `core/gone.rs` | | | `BreakS3` |\n", "there is no `core/gone.rs`"),
        ("| S3 | in the code | | | `BreakS3` |\n", "no file is named"),
        ("| S3 | `core/here.rs` | | | none |\n", "no planted fault is named"),
        ("| S3 | `core/here.rs` | | | `Broken3` |\n", "has no fault `Broken3`"),
        ("| S3 | `core/here.rs` | | | `BreakS4`, `BreakS3` |\n", "`BreakS4` breaks S4"),
        ("| S3 | `core/here.rs` | | `late` | `BreakS3` |\n", "has no `late`"),
        ("| S3 | `core/here.rs` | | `streams/early` | `BreakS3` |\n", "has no `streams/early`"),
        ("| S3 | `core/here.rs` | | `unknown_verb` | `BreakS3` |\n", "has no `unknown_verb`"),
        ("| S3 | `core/here.rs` | | | `BreakS2` |\n", "`BreakS3` stands in no row"),
    ] {
        let wrong = wrong(&document(row));
        assert!(wrong.iter().any(|line| line.contains(expected)), "{row}: {wrong:?}");
    }
    let twice = "| S3 | `core/here.rs` | | | `BreakS3` |\n".repeat(2);
    assert!(wrong(&document(&twice)).contains(&"S3 has 2 rows".to_owned()));
}

#[test]
fn folders_of_scenarios_that_have_to_pass() {
    let expected = [SCENARIOS, "tests/scenarios/streams"].map(PathBuf::from);
    assert_eq!(scenario_folders(&files()), BTreeSet::from(expected));
}

#[test]
fn faults_are_read_from_the_list_alone() {
    let source = "
        ($($name:ident => $rule:literal,)*) => {
        /// A signal is armed while it is held.
        ArmWhileHeld => \"S1\",
        pub const fn rule(self) -> &'static str { match self { $(Fault::$name => $rule,)* } }";
    let expected = [Fault { name: "ArmWhileHeld".to_owned(), rule: "S1".to_owned() }];
    assert_eq!(faults(source), expected);
}

#[test]
fn the_table_counts_what_each_method_catches() {
    let fault = |name: &str, rule: &str| Fault { name: name.to_owned(), rule: rule.to_owned() };
    let faults = [fault("A", "S1"), fault("B", "S1"), fault("C", "T2")];
    let caught = |heading, names: &[&str]| Method {
        heading,
        faults: names.iter().map(ToString::to_string).collect(),
    };
    let methods = [caught("scenario", &["A", "B"]), caught("loom", &["B"])];
    let table = matrix::table(&faults, &methods);
    assert!(table.starts_with("| rule | planted faults | scenario | loom |\n|---|---|---|---|\n"));
    assert!(table.contains("\n| S1 | 2 | 2 | 1 |\n"), "{table}");
    assert!(table.contains("\n| T2 | 1 | – | – |\n"), "{table}");
    assert_eq!(matrix::strangers(&faults, &methods), [""; 0]);
    let strange = [caught("loom", &["A", "B", "C", "D"])];
    assert_eq!(matrix::strangers(&faults, &strange), ["loom: no fault is called `D`"]);
}

#[test]
fn the_table_is_written_into_its_place_and_found_there() {
    let document = "before\n<!-- what follows is written by `cargo xtask rules --write` -->\nold\n<!-- so far -->\nafter\n";
    let written = matrix::with_table(document, "| new |").expect("there is a place");
    assert!(matrix::has_table(&written, "| new |") && !matrix::has_table(document, "| new |"));
    assert_eq!(matrix::with_table(&written, "| new |").as_deref(), Some(written.as_str()));
    assert_eq!(matrix::without_table(&written), "before\n\nafter\n");
    assert_eq!(matrix::with_table("no place", "| new |"), None);
}

#[test]
fn names_are_read_where_they_stand() {
    let model = "must_fail(\"x\", Plant::Rule(Fault::NoPin), f); Plant::Rule(fault) => (),";
    assert_eq!(matrix::names_after(model, "Plant::Rule(Fault::").collect::<Vec<_>>(), ["NoPin"]);
    assert_eq!(matrix::first_column("# a\tb\nC\td\n\nE\tf\n").collect::<Vec<_>>(), ["C", "E"]);
    let scenario = "title = \"t\"\ncatches = [\"A\",\n    \"B\"]\n";
    assert_eq!(matrix::caught_by_scenario(scenario).collect::<Vec<_>>(), ["A", "B"]);
}
