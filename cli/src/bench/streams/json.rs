//! The figures as one JSON object.

use serde::Serialize;

use super::{Figures, Options, Outcome, aims};
use crate::bench::{gpu::About, memory::mib, setting::Setting};

#[derive(Serialize)]
struct Object<'a> {
    setting: &'a Setting,
    about: &'a About,
    iterations: u32,
    frees: &'static str,
    tasks: u32,
    side: u32,
    steps: u32,
    seed: u64,
    limit_s: u32,
    runs: Vec<Run>,
    aims: Vec<Aim>,
}

#[derive(Serialize)]
struct Aim {
    claim: String,
    found: String,
    held: bool,
}

#[derive(Serialize)]
struct Run {
    experiment: &'static str,
    policy: &'static str,
    tasks: u64,
    tasks_asked: u64,
    seconds: f64,
    us_per_task: f64,
    rss_before_mib: f64,
    rss_after_mib: f64,
    streams_created: u64,
    peak_live: u32,
    peak_leased_and_draining: u32,
    leases: u64,
    leases_reused: u64,
    leases_shared: u64,
    streams_destroyed: u64,
    streams_leaked: u64,
    looks_by_query: u64,
    frees: u64,
    frees_deferred: u64,
    memory_leaked: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    looks: Option<Vec<Look>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ms_per_step: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_touch_ms: Option<Touch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_touch_ms: Option<Touch>,
}

#[derive(Serialize)]
struct Look {
    iterations: u32,
    seconds: f64,
    rss_mib: f64,
}

#[derive(Serialize)]
struct Touch {
    median: f64,
    longest: f64,
}

/// One line with one object.
pub(super) fn object(
    setting: &Setting,
    about: &About,
    options: &Options,
    all: &[Figures],
) -> String {
    let Options { iterations, frees, tasks, side, steps, seed, limit_s, .. } = *options;
    let runs = all.iter().map(run).collect();
    let aim =
        |aims::Aim { claim, found, held }| Aim { claim, found, held: held == aims::Held::Yes };
    let aims = aims::all(all).into_iter().map(aim).collect();
    let frees = frees.name();
    let object =
        Object { setting, about, iterations, frees, tasks, side, steps, seed, limit_s, runs, aims };
    serde_json::to_string(&object).expect("numbers, strings and lists are JSON") + "\n"
}

fn run(figures: &Figures) -> Run {
    let (pool, memory) = (figures.counted.pool, figures.counted.memory);
    let left = figures.counted.left;
    let [before, after] = figures.resident.map(|bytes| rounded(mib(bytes)));
    let (mut looks, mut ms_per_step, mut touches) = (None, None, [None, None]);
    match &figures.outcome {
        Outcome::Pipelines(all) => {
            let look = |look: &super::Look| Look {
                iterations: look.iterations,
                seconds: rounded(look.time.as_secs_f64()),
                rss_mib: rounded(mib(look.resident)),
            };
            looks = Some(all.iter().map(look).collect());
        }
        Outcome::Sequential => {}
        Outcome::Stencil(steps) => {
            let ms = steps.time.as_secs_f64() * 1e3 / f64::from(steps.done.max(1));
            ms_per_step = Some(rounded(ms));
        }
        Outcome::Touches(both) => {
            let ms = |time: std::time::Duration| rounded(time.as_secs_f64() * 1e3);
            let touch = |waits: &super::Waits| Touch {
                median: ms(waits.median),
                longest: ms(waits.longest),
            };
            touches = both.each_ref().map(|waits| Some(touch(waits)));
        }
    }
    let [first_touch_ms, next_touch_ms] = touches;
    Run {
        experiment: figures.part.name(),
        policy: figures.policy.name(),
        tasks: figures.tasks[0],
        tasks_asked: figures.tasks[1],
        seconds: rounded(figures.time.as_secs_f64()),
        us_per_task: rounded(figures.micros_per_task()),
        rss_before_mib: before,
        rss_after_mib: after,
        streams_created: pool.created,
        peak_live: pool.peak_live,
        peak_leased_and_draining: pool.peak_leased_and_draining,
        leases: pool.leases,
        leases_reused: pool.reused,
        leases_shared: pool.shared,
        streams_destroyed: pool.destroyed,
        streams_leaked: pool.leaked + u64::from(left.streams_leaked),
        looks_by_query: pool.looks_by_query,
        frees: memory.freed_on_stream + memory.freed_on_disposal + memory.freed_at_once,
        frees_deferred: memory.deferred,
        memory_leaked: memory.leaked,
        looks,
        ms_per_step,
        first_touch_ms,
        next_touch_ms,
    }
}

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
