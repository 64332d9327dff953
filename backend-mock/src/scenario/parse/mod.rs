//! From text to a scenario, or to everything that is wrong with the text.

mod expect;
mod machine;
mod setup;
mod steps;

pub(super) use machine::failing_word;

use std::ops::Range;

use toml::de::DeTable;

use super::{
    Place, Rejected, Scenario, Setup, Text,
    fields::{At, Fields},
    problem::Faults,
    rule::named,
    scope::Scope,
    word::nearest,
};
use crate::oracle::Rule;

/// Where a step stands in its file, and where the steps inside it do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepPlace {
    /// The step's bytes in the file.
    pub span: Range<usize>,
    /// The places of the steps that it repeats.
    pub inner: Vec<StepPlace>,
}

/// A scenario and the places of its steps.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The scenario.
    pub scenario: Scenario,
    /// One place for each step.
    pub places: Vec<StepPlace>,
    /// The file's text.
    pub text: Text,
}
impl Parsed {
    /// Line and column of a step.
    pub fn place(&self, step: &StepPlace) -> Place {
        Place::of(self.text.inner(), step.span.start)
    }
}

/// Reads a scenario file. `file` is the name that messages show.
///
/// # Errors
/// Everything that is wrong with the text, each with its place.
///
/// ```
/// use ringfence_mock::scenario::parse;
/// let wrong = parse("short.toml", "name = 'x'\nsteps = [\n  { sumbit = 'k', on = 's0' },\n]\n").unwrap_err();
/// let problem = &wrong.problems()[0];
/// assert_eq!(problem.to_string(), "short.toml:3:5: `sumbit` is not a verb");
/// assert_eq!(problem.advice(), Some("did you mean `submit`?"));
/// ```
pub fn parse(file: &str, text: &str) -> Result<Parsed, Rejected> {
    let mut faults = Faults::new(file, text);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        faults.add(span, format!("this is not TOML: {}", error.message()), "here", None);
    }
    if !errors.is_empty() {
        // What could be recovered would only be judged by its remains.
        faults.verdict()?;
    }
    let parsed = scenario(table.get_ref(), &mut faults);
    let text = faults.text();
    faults.verdict()?;
    let (scenario, places) = parsed;
    Ok(Parsed { scenario, places, text })
}

fn scenario(table: &DeTable<'_>, faults: &mut Faults) -> (Scenario, Vec<StepPlace>) {
    // The whole file has no place worth pointing at: its first line stands for it.
    let start = 0..faults.text().inner().find('\n').unwrap_or(0);
    let mut fields = Fields::new("a scenario", table, start);
    let name = fields.text("name", faults).map(|at| at.value.to_owned());
    let name = fields.required("name", name, faults);
    let source = fields.text("source", faults).map(|at| at.value.to_owned());
    let rules = fields.texts("rules", faults).unwrap_or_default();
    let rules = rules.into_iter().filter_map(|at| rule(&at, faults)).collect();
    let catches = fields.texts("catches", faults).unwrap_or_default();
    let catches = catches.into_iter().map(|at| at.value.to_owned()).collect();
    let mut scope = Scope::default();
    let mut swallowed = None;
    let setup = match fields.table("setup", faults) {
        Some(at) => {
            let mut setup = Fields::new("the set-up", at.value, at.span);
            swallowed = setup.has("steps");
            let read = setup::setup(&mut setup, &mut scope, faults);
            if swallowed.is_some() {
                let _ = setup.raw("steps");
            }
            setup.finish(faults);
            read
        }
        None => {
            setup::declare(&Setup::default(), &mut scope);
            Setup::default()
        }
    };
    let tables = match (fields.tables("steps", faults), swallowed) {
        (None, Some(span)) => {
            faults.add(
                span,
                "the steps stand inside the set-up",
                "belongs to `[setup]`",
                Some("in TOML all that follows `[setup]` belongs to it: write `setup.queues = 2` and so on above the steps".to_owned()),
            );
            None
        }
        (tables, _) => fields.required("steps", tables, faults),
    };
    let (steps, places) = steps::steps(tables.unwrap_or_default(), &mut scope, faults);
    fields.finish(faults);
    let scenario =
        Scenario { name: name.unwrap_or_default(), source, rules, catches, setup, steps };
    (scenario, places)
}

fn rule(at: &At<&str>, faults: &mut Faults) -> Option<Rule> {
    let found = named(at.value);
    if found.is_none() {
        let near = nearest(at.value, Rule::ALL.iter().map(|rule| rule.name()));
        let help = near
            .map_or("the rules are S1 to S21".to_owned(), |near| format!("did you mean `{near}`?"));
        faults.add(
            at.span.clone(),
            format!("there is no rule `{}`", at.value),
            "unknown rule",
            Some(help),
        );
    }
    found
}
