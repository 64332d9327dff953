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
