//! From text to a scenario of streams, or to everything that is wrong with the text.

mod captures;
mod expect;
mod fault;
mod leases;
mod reader;
mod setup;
mod steps;

use toml::de::DeTable;

use super::StreamScenario;
use crate::{
    scenario::{
        Place, Rejected, StepPlace, Text,
        fields::{At, Fields},
        problem::Faults,
        scope::Scope,
        word::nearest,
    },
    streams::oracle::StreamRule,
};
use reader::Bounds;

/// A scenario of streams and the places of its steps.
#[derive(Clone, Debug)]
pub struct StreamParsed {
    /// The scenario.
    pub scenario: StreamScenario,
    /// One place for each step.
    pub places: Vec<StepPlace>,
    /// The file's text.
    pub text: Text,
}
impl StreamParsed {
    /// Line and column of a step.
    pub fn place(&self, step: &StepPlace) -> Place {
        Place::of(self.text.inner(), step.span.start)
    }
}

/// Reads a scenario file of streams. `file` is the name that messages show.
///
/// # Errors
/// Everything that is wrong with the text, each with its place.
///
/// ```
/// use ringfence_mock::streams::scenario::parse;
/// let text = "name = 'x'\nsetup.driver = 'cuda'\nsteps = [\n  { aquire = 'a' },\n]\n";
/// let wrong = parse("short.toml", text).unwrap_err();
/// let problem = &wrong.problems()[0];
/// assert_eq!(problem.to_string(), "short.toml:4:5: `aquire` is not a verb of streams");
/// assert_eq!(problem.advice(), Some("did you mean `acquire`?"));
/// ```
pub fn parse(file: &str, text: &str) -> Result<StreamParsed, Rejected> {
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
    let (scenario, places) = scenario(table.get_ref(), &mut faults);
    let text = faults.text();
    faults.verdict()?;
    Ok(StreamParsed { scenario, places, text })
}

fn scenario(table: &DeTable<'_>, faults: &mut Faults) -> (StreamScenario, Vec<StepPlace>) {
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
    let setup = fields.table("setup", faults);
    let setup = fields.required("setup", setup, faults);
    let mut swallowed = None;
    let setup = setup.map(|at| {
        let mut setup = Fields::new("the set-up", at.value, at.span);
        swallowed = setup.has("steps");
        let read = setup::setup(&mut setup, faults);
        if swallowed.is_some() {
            let _ = setup.raw("steps");
        }
        setup.finish(faults);
        read
    });
    let setup = setup.unwrap_or_else(|| super::StreamSetup::on([]));
    let tables = match (fields.tables("steps", faults), swallowed) {
        (None, Some(span)) => {
            let help = "in TOML all that follows `[setup]` belongs to it: write `setup.driver = \"all\"` and so on above the steps";
            faults.add(
                span,
                "the steps stand inside the set-up",
                "belongs to `[setup]`",
                Some(help.to_owned()),
            );
            None
        }
        (tables, _) => fields.required("steps", tables, faults),
    };
    let mut scope = Scope::default();
    let bounds = Bounds { devices: setup.devices, inside: reader::Inside::Nothing };
    let (steps, places) = steps::steps(tables.unwrap_or_default(), bounds, &mut scope, faults);
    fields.finish(faults);
    let name = name.unwrap_or_default();
    (StreamScenario { name, source, rules, catches, setup, steps }, places)
}

fn rule(at: &At<&str>, faults: &mut Faults) -> Option<StreamRule> {
    let found = at.value.parse::<StreamRule>().ok();
    if found.is_none() {
        let near = nearest(at.value, StreamRule::ALL.iter().map(|rule| rule.name()));
        let help = near.map_or("the rules of streams are T1 to T13".to_owned(), |near| {
            format!("did you mean `{near}`?")
        });
        let message = format!("there is no rule `{}` of streams", at.value);
        faults.add(at.span.clone(), message, "unknown rule", Some(help));
    }
    found
}
