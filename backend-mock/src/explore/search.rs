//! A search: every answer of every choice, each state once.

use std::{
    collections::HashMap,
    thread,
    time::{Duration, Instant},
};

use super::{
    Options, Until,
    frontier::{Frontier, Node, Pool, Successor},
    outcome::{Broken, Cause, Figures, Limit},
};
use crate::chooser::Point;

/// What is searched: something that runs the same way whenever it is given the same answers.
pub(super) trait Searched: Sync {
    /// Why a schedule fails.
    type Failure: Cause + Send;
    /// One schedule, to the first choice past these answers; the last of them belong to the step that `step` is the digest of.
    fn run(&self, answers: &[u16], step: u64) -> Ran<Self::Failure>;
}

/// How a run ended.
#[derive(Clone, Debug)]
pub(super) enum Ended<F> {
    /// At a choice.
    Point(Point),
    /// With everything retired; a digest of what the host found.
    Over(u64),
    /// A rule is broken.
    Broken(Box<F>),
}

/// One run.
#[derive(Clone, Debug)]
pub(super) struct Ran<F> {
    pub(super) ended: Ended<F>,
    /// Steps of the host and moves of the device so far.
    pub(super) moves: u32,
}

/// What a search came to.
#[derive(Debug)]
pub(super) struct Found<F> {
    pub(super) figures: Figures,
    pub(super) ends: std::collections::BTreeSet<u64>,
    /// The shortest first.
    pub(super) broken: Vec<Broken<F>>,
    pub(super) limit: Option<Limit>,
}

/// Searches `program`.
pub(super) fn search<P: Searched>(program: &P, options: &Options) -> Found<P::Failure> {
    let begun = Instant::now();
    let frontier = Frontier::new(options.bounds, options.recheck);
    let root = program.run(&[], 0);
    let first = enter(&frontier, &mut frontier.lock(), Vec::new(), root, options);
    thread::scope(|scope| {
        for _ in 1..options.threads.get() {
            scope.spawn(|| work(&frontier, program, options));
        }
        work(&frontier, program, options);
    });
    let mut pool = frontier.into_pool();
    let (rechecked, differing) = recheck(&pool, program, options);
    pool.broken.sort_by(|one, other| (one.moves, &one.answers).cmp(&(other.moves, &other.answers)));
    let figures = Figures {
        states: pool.seen.len() as u64,
        transitions: pool.transitions,
        schedules: schedules(&pool.seen, first),
        deepest: pool.deepest,
        hits: pool.hits,
        rechecked,
        differing,
        time: begun.elapsed(),
    };
    Found { figures, ends: pool.ends, broken: pool.broken, limit: pool.limit }
}

fn work<P: Searched>(frontier: &Frontier<P::Failure>, program: &P, options: &Options) {
    while let Some(node) = frontier.take() {
        let ran: Vec<(Vec<u16>, Ran<P::Failure>)> = answers(&node)
            .map(|answers| {
                let ran = program.run(&answers, node.point.step);
                (answers, ran)
            })
            .collect();
        let mut pool = frontier.lock();
        let then = ran
            .into_iter()
            .map(|(answers, ran)| enter(frontier, &mut pool, answers, ran, options))
            .collect();
        frontier.looked_at(pool, node.point.key, then);
    }
}
fn answers(node: &Node) -> impl Iterator<Item = Vec<u16>> + '_ {
    (0..node.point.choices).map(|answer| {
        let mut answers = node.answers.clone();
        answers.push(answer);
        answers
    })
}

/// Enters what came of a run.
fn enter<F: Cause>(
    frontier: &Frontier<F>,
    pool: &mut Pool<F>,
    answers: Vec<u16>,
    ran: Ran<F>,
    options: &Options,
) -> Successor {
    match ran.ended {
        Ended::Point(point) => {
            frontier.met(pool, Node { answers, point, moves: ran.moves });
            Successor::State(point.key)
        }
        Ended::Over(end) => {
            pool.ends.insert(end);
            Successor::Over(end)
        }
        Ended::Broken(failure) => {
            let broken = Broken { answers, moves: ran.moves, failure: *failure };
            if options.until == Until::Broken {
                frontier.content_with(pool, broken.moves);
            }
            let known = pool.broken.iter_mut().find(|known| known.failure.is_like(&broken.failure));
            match known {
                Some(known) if known.moves <= broken.moves => {}
                Some(known) => *known = broken,
                None => pool.broken.push(broken),
            }
            Successor::Broken
        }
    }
}

/// Expands states again that were met a second time: how many, and of how many something else follows
/// than from the state that they were taken for.
fn recheck<P: Searched>(pool: &Pool<P::Failure>, program: &P, options: &Options) -> (u64, u64) {
    let (mut rechecked, mut differing) = (0, 0);
    let begun = Instant::now();
    for node in &pool.again {
        let Some(then) = pool.seen.get(&node.point.key).filter(|then| !then.is_empty()) else {
            continue;
        };
        // A tenth of the search's time is enough: it is a sample in any case.
        if begun.elapsed() > options.bounds.time / 10 + Duration::from_secs(1) {
            break;
        }
        let again =
            answers(node).map(|answers| match program.run(&answers, node.point.step).ended {
                Ended::Point(point) => Successor::State(point.key),
                Ended::Over(end) => Successor::Over(end),
                Ended::Broken(_) => Successor::Broken,
            });
        rechecked += 1;
        differing += u64::from(!again.eq(then.iter().copied()));
    }
    (rechecked, differing)
}

/// How many ways there are from the first state to an end: a number with many digits. Of a search that was
/// cut short, those to what was not looked at are not counted.
fn schedules(seen: &HashMap<u64, Vec<Successor>>, first: Successor) -> f64 {
    let Successor::State(first) = first else { return 1.0 };
    // 0 while a state is open: were a digest to leave something out, there could be a circle.
    let mut ways: HashMap<u64, f64> = HashMap::new();
    let mut open = vec![(first, Visit::First)];
    while let Some((state, visit)) = open.pop() {
        let then = seen.get(&state).map_or(&[][..], Vec::as_slice);
        match visit {
            Visit::First => {
                if ways.contains_key(&state) {
                    continue;
                }
                ways.insert(state, 0.0);
                open.push((state, Visit::Second));
                for next in then {
                    if let Successor::State(next) = next
                        && !ways.contains_key(next)
                    {
                        open.push((*next, Visit::First));
                    }
                }
            }
            Visit::Second => {
                let sum = then.iter().map(|next| match next {
                    Successor::State(next) => ways.get(next).copied().unwrap_or(0.0),
                    Successor::Over(_) | Successor::Broken => 1.0,
                });
                let sum = sum.fold(0.0, |sum, ways: f64| sum + ways);
                ways.insert(state, sum);
            }
        }
    }
    ways.get(&first).copied().unwrap_or(0.0)
}

#[derive(Clone, Copy)]
enum Visit {
    /// What follows is to be counted first.
    First,
    /// What follows is counted.
    Second,
}
