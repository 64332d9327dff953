//! `ringfence bench --report`: the page says what `--json` says, in the same run, and is a page that everybody can read.

#[path = "report/page.rs"]
mod page;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use page::{Element, Page};
use serde_json::Value;

/// Small enough for a debug build.
const SIGNALS: [&str; 9] =
    ["signals", "--backend", "mock", "--repeats", "20", "--warm-up", "3", "--rounds", "2"];
const STREAMS: [&str; 11] = [
    "streams",
    "--backend",
    "mock",
    "--iterations",
    "40",
    "--tasks",
    "150",
    "--side",
    "64",
    "--steps",
    "6",
];

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
    command.arg("bench").args(arguments).stdin(Stdio::null());
    command.output().expect("the binary was built for this test")
}
fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}
/// The page and the JSON of one run.
fn both(arguments: &[&str], name: &str) -> (Page, Value) {
    let path = file(name);
    let _older = fs::remove_file(&path);
    let shown = path.display().to_string();
    let output = bench(&[arguments, &["--json", "--report", &shown]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert_eq!(error, "", "nothing but JSON is for a program");
    let json = serde_json::from_slice(&output.stdout).expect("exactly one JSON object");
    let page = fs::read_to_string(&path).expect("the page was written");
    (Page::read(&page), json)
}

/// How far a number may be from how it is written: half of the last digit, and as much again for a half that was rounded to even.
fn slack(shown: &str) -> f64 {
    let digits = shown.split_once('.').map_or(0, |(_, digits)| digits.len());
    0.500_001 * 10_f64.powi(-i32::try_from(digits).expect("a few digits"))
}
/// Every figure is the number of the JSON that it points to, and is shown as that. Answers with what was pointed to.
fn assert_figures(page: &Page, json: &Value) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    for figure in page.all("data") {
        let at = figure.attribute("data-at").expect("where it stands");
        let value = figure.attribute("value").and_then(|value| value.parse::<f64>().ok());
        let value = value.unwrap_or_else(|| panic!("a number: {figure:?}"));
        let told = json.pointer(at).unwrap_or_else(|| panic!("{at} is not in the JSON"));
        assert_eq!(told.as_f64(), Some(value), "{at}: {told} in the JSON, {value} on the page");
        let shown = figure.text.replace(',', "");
        let read: f64 = shown.parse().unwrap_or_else(|_| panic!("{at}: {:?}", figure.text));
        assert!((read - value).abs() <= slack(&shown), "{at}: {value} is shown as {shown}");
        seen.insert(at.to_owned());
    }
    seen
}
/// The places of all numbers below `at`.
fn numbers(json: &Value, at: &str) -> BTreeSet<String> {
    fn walk(value: &Value, at: String, all: &mut BTreeSet<String>) {
        match value {
            Value::Number(_) => drop(all.insert(at)),
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(n, one)| walk(one, format!("{at}/{n}"), all));
            }
            Value::Object(map) => {
                map.iter().for_each(|(key, one)| walk(one, format!("{at}/{key}"), all))
            }
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
    let mut all = BTreeSet::new();
    let below = json.pointer(at).unwrap_or_else(|| panic!("{at} is in the JSON"));
    walk(below, at.to_owned(), &mut all);
    all
}
/// No number was measured and left out. Iterations are said once for all policies, since they look after the same ones.
fn assert_all_shown(seen: &BTreeSet<String>, json: &Value, at: &str) {
    let mut measured = numbers(json, at);
    assert!(!measured.is_empty(), "there are numbers in {at}");
    let look = |at: &str| at.split_once("/looks/").map(|(_, look)| look.to_owned());
    let said: BTreeMap<_, _> =
        seen.iter().filter_map(|at| Some((look(at)?, json.pointer(at)?))).collect();
    measured.retain(|at| {
        let same = look(at).filter(|look| look.ends_with("/iterations"));
        same.is_none_or(|look| said.get(&look).copied() != json.pointer(at))
    });
    let missing: Vec<_> = measured.difference(seen).collect();
    assert!(missing.is_empty(), "not on the page: {missing:?}");
}

/// Headings, captions, heads of rows and columns, titles of plots, and nothing from elsewhere.
fn assert_readable(page: &Page, plots: &[&str]) {
    assert_eq!(page.errors, Vec::<String>::new(), "HTML");
    assert_eq!(page.all("h1").count(), 1);
    assert_eq!(page.all("html").next().and_then(|html| html.attribute("lang")), Some("en"));
    let viewport = page.all("meta").find(|meta| meta.attribute("name") == Some("viewport"));
    let content = viewport.and_then(|meta| meta.attribute("content")).unwrap_or_default();
    assert!(content.contains("width=device-width"), "{content}");
    assert_eq!(page.all("table").count(), page.all("caption").count(), "a caption for each table");
    for th in page.all("th") {
        let scope = th.attribute("scope").unwrap_or_default();
        assert!(["row", "col", "colgroup"].contains(&scope), "{th:?}");
    }
    let ids: Vec<_> = page.elements.iter().filter_map(|one| one.attribute("id")).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "each id once: {ids:?}");
    let drawn: Vec<_> = page.all("figure").filter_map(|figure| figure.attribute("id")).collect();
    assert_eq!(drawn, plots);
    for svg in page.all("svg") {
        assert_eq!(svg.attribute("role"), Some("img"), "{svg:?}");
        for id in svg.attribute("aria-labelledby").expect("what it is").split(' ') {
            let words = page.elements.iter().find(|one| one.attribute("id") == Some(id));
            let words = words.unwrap_or_else(|| panic!("{id} is there"));
            assert!(["title", "desc"].contains(&words.name.as_str()), "{words:?}");
            assert!(!words.text.is_empty(), "{words:?}");
        }
    }
    for one in &page.elements {
        assert!(
            !["script", "link", "iframe", "img", "object"].contains(&one.name.as_str()),
            "{one:?}"
        );
        for name in ["src", "srcset", "onload", "onclick"] {
            assert_eq!(one.attribute(name), None, "{one:?}");
        }
        if let Some(to) = one.attribute("href") {
            assert!(ids.contains(&to.trim_start_matches('#')), "a link out of the page: {to}");
        }
    }
    let style = page.all("style").next().expect("a style");
    assert!(!style.text.contains("url(") && !style.text.contains("@import"), "{}", style.text);
}

const PLOTS_OF_SIGNALS: [&str; 6] = [
    "signals-loads",
    "signals-queues",
    "signals-bookkeeping",
    "signals-latency-loop",
    "signals-latency-wait",
    "signals-latency-query",
];
const PLOTS_OF_STREAMS: [&str; 5] =
    ["streams-time", "streams-modelled", "streams-memory", "streams-first", "streams-again"];

#[test]
fn a_page_of_signals_says_what_the_json_says() {
    let (page, json) = both(&SIGNALS, "signals.html");
    let seen = assert_figures(&page, &json);
    for at in ["/columns", "/queues"] {
        assert_all_shown(&seen, &json, at);
    }
    assert_readable(&page, &PLOTS_OF_SIGNALS);
    assert!(page.says("a model, not silicon"), "what it stands on");
    assert!(page.says("Not measured by this command: ringfence bench streams does"));
    let loads = |tracker: &str| {
        let all = json["queues"].as_array().expect("a list");
        let one = all.iter().find(|one| {
            one["queues"] == 1 && one["name"].as_str().is_some_and(|name| name.contains(tracker))
        });
        let one = one.unwrap_or_else(|| panic!("{tracker} on one queue"));
        let of = |key: &str| one[key].as_f64().expect("a number");
        of("host_loads_per_use") + of("device_reads_per_use")
    };
    // What the library is for: a batch is retired by a load or two, where polling takes one for each use.
    assert!(loads("polling, host") >= 1.0 && loads("retiring, host") <= 4.0 / 64.0);
    for column in json["columns"].as_array().expect("a list") {
        for times in column["rows"].as_array().expect("a list").iter().map(|row| &row["times"]) {
            let at = |key: &str| times[key].as_f64().unwrap_or_default();
            let all = [at("p50"), at("p90"), at("p99"), at("p999"), at("max")];
            assert!(all.is_sorted(), "{times}");
        }
    }
}

#[test]
fn a_page_of_streams_says_what_the_json_says() {
    let (page, json) = both(&STREAMS, "streams.html");
    let seen = assert_figures(&page, &json);
    assert_all_shown(&seen, &json, "/runs");
    assert_readable(&page, &PLOTS_OF_STREAMS);
    for run in json["runs"].as_array().expect("a list") {
        assert!(run["modelled_ms"].as_f64().is_some_and(|ms| ms > 0.0), "{run}");
        if let Some(looks) = run["looks"].as_array() {
            assert_eq!(looks.len(), 8, "40 iterations: {run}");
        }
    }
}

#[test]
fn one_page_has_both_halves() {
    let (page, json) = both(&["--backend", "mock", "--size", "small"], "both.html");
    let seen = assert_figures(&page, &json);
    for at in ["/signals/columns", "/signals/queues", "/streams/runs"] {
        assert_all_shown(&seen, &json, at);
    }
    assert_readable(&page, &[PLOTS_OF_SIGNALS.as_slice(), &PLOTS_OF_STREAMS].concat());
    let setting = &json["setting"];
    for key in ["command", "commit", "date", "build"] {
        let word = setting[key].as_str().unwrap_or_else(|| panic!("{key} in {setting}"));
        assert!(page.says(word), "{word}");
    }
    let on = page.all("p").filter(|one| one.attribute("class") == Some("ground model")).count();
    assert_eq!(on, 2, "each half says what it stands on");
}

#[test]
fn what_was_not_asked_for_is_said() {
    let arguments = ["streams", "--backend", "mock", "--experiment", "sequential", "--tasks", "50"];
    let (page, json) = both(&arguments, "sequential.html");
    let seen = assert_figures(&page, &json);
    assert_all_shown(&seen, &json, "/runs");
    assert_readable(&page, &[]);
    for part in ["the loops of producers", "the stencil", "threads that want a stream"] {
        assert!(page.says(&format!("Not asked for: {part}")), "{part}");
    }
    let missing = |one: &&Element| one.attribute("class") == Some("missing");
    assert_eq!(page.all("p").filter(missing).count(), 4, "three experiments, and signals");
}

#[test]
fn a_page_that_cannot_be_written_is_told_before_anything_is_measured() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
    command.args(["bench", "streams", "--backend", "hip", "--report", "/no/such/folder/out.html"]);
    // Measuring ends at once with an exit code of its own.
    let command = command.env("RINGFENCE_HIP_LIBRARY", "/no/such/libamdhip64.so.5");
    let output = command.output().expect("the binary was built for this test");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("cannot write /no/such/folder/out.html"), "{error}");
    assert!(output.stdout.is_empty());
}

#[test]
fn tables_are_printed_beside_the_page_without_json() {
    let path = file("beside.html").display().to_string();
    let arguments = ["streams", "--backend", "mock", "--experiment", "touches", "--report", &path];
    let output = bench(&arguments);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("64 threads want a stream"), "{text}");
    assert!(Path::new(&path).exists());
}
