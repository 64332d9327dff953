//! What a search makes of a file. What it finds is tested in `ringfence-tests`, with planted faults.

use super::*;
use crate::scenario::{Action, parse};

fn program(steps: &str) -> Result<Program, Unfit> {
    let text = format!("name = 'x'\nsetup.queues = 2\nsteps = [{steps}]\n");
    Program::new(&parse("x.toml", &text).expect("it parses").scenario)
}

#[test]
fn steps_of_tasks_that_stand_together_are_one_section() {
    let program = program(
        "{ reclaim = 's0' },
         { submit = 'a1', on = 's0', task = 'a' }, { submit = 'b1', on = 's1', task = 'b' },
         { submit = 'a2', on = 's0', task = 'a' }, { reclaim = 's1' }, { reclaim = 's0', task = 'a' }",
    );
    let sections = program.expect("it can be searched").sections;
    let tasks: Vec<Vec<&[usize]>> = sections
        .iter()
        .map(|section| section.tasks.iter().map(|task| task.steps.as_slice()).collect())
        .collect();
    let expected: Vec<Vec<&[usize]>> =
        vec![vec![&[0]], vec![&[1, 3], &[2]], vec![&[4]], vec![&[5]]];
    assert_eq!(tasks, expected);
}

#[test]
fn repeated_uses_have_names_of_their_own() {
    let program = program(
        "{ repeat = 2, steps = [{ submit = 'k', on = 's0' }, { query = 'k' }] }, { finish = 'k' }",
    );
    let steps = program.expect("it can be searched").steps;
    let queried: Vec<&str> = steps
        .iter()
        .filter_map(|step| match &step.action {
            Action::Query { of } => Some(of.as_str()),
            Action::Finish { of, .. } => Some(of[0].as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(queried, ["k", "k~2", "k~2"]);
}

#[test]
fn what_is_too_long_says_so() {
    let long = program("{ repeat = 500, steps = [{ reclaim = 's0' }] }");
    assert_eq!(long.err(), Some(Unfit::TooLong { steps: 500 }));
}

#[test]
fn a_bound_is_reported_and_not_taken_for_an_end() {
    let text = "name = 'x'\nsteps = [{ submit = 'k1', on = 's0' }, { submit = 'k2', on = 's0' }, { probe = 's0' }]\n";
    let scenario = parse("x.toml", text).expect("it parses").scenario;
    let whole = explore(&scenario, &Options::default()).expect("it can be searched");
    assert!(matches!(whole.verdict, Verdict::Exhausted), "{:?}", whole.verdict);
    for (bounds, limit) in [
        (Bounds { states: 1, ..Bounds::default() }, Limit::States),
        (Bounds { choices: 1, ..Bounds::default() }, Limit::Choices),
        (Bounds { time: std::time::Duration::ZERO, ..Bounds::default() }, Limit::Time),
    ] {
        let options = Options { bounds, ..Options::default() };
        let explored = explore(&scenario, &options).expect("it can be searched");
        let Verdict::Bounded(reached) = explored.verdict else {
            panic!("{bounds:?}: {:?}", explored.verdict)
        };
        assert_eq!(reached, limit);
        assert!(explored.figures.states < whole.figures.states);
    }
}
