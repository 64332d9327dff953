//! What was measured, as one value: tables, JSON and the page are made from it.

use serde::Serialize;

use super::{Figures, Options, Outcome, aims};
use crate::bench::{
    gpu::{About, Ground},
    memory::mib,
    report::rounded,
};

/// All of it. Every number is as it is shown, to four decimals.
#[derive(Serialize, Clone, Debug)]
pub(in crate::bench) struct Results {
    pub(in crate::bench) about: About,
    pub(in crate::bench) iterations: u32,
    pub(in crate::bench) frees: &'static str,
    pub(in crate::bench) tasks: u32,
    pub(in crate::bench) side: u32,
    pub(in crate::bench) steps: u32,
    pub(in crate::bench) seed: u64,
    pub(in crate::bench) limit_s: u32,
    pub(in crate::bench) runs: Vec<Run>,
    pub(in crate::bench) aims: Vec<Aim>,
}

#[derive(Serialize, Clone, Debug)]
pub(in crate::bench) struct Aim {
    pub(in crate::bench) claim: String,
    pub(in crate::bench) found: String,
    pub(in crate::bench) held: bool,
}

#[derive(Serialize, Clone, Debug)]
pub(in crate::bench) struct Run {
    pub(in crate::bench) experiment: &'static str,
    pub(in crate::bench) policy: &'static str,
    pub(in crate::bench) tasks: u64,
    pub(in crate::bench) tasks_asked: u64,
    pub(in crate::bench) seconds: f64,
    pub(in crate::bench) us_per_task: f64,
    /// Calls and device together, by the model: time that is of no machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::bench) modelled_ms: Option<f64>,
    pub(in crate::bench) rss_before_mib: f64,
    pub(in crate::bench) rss_after_mib: f64,
    pub(in crate::bench) streams_created: u64,
    pub(in crate::bench) peak_live: u32,
    pub(in crate::bench) peak_leased_and_draining: u32,
    pub(in crate::bench) leases: u64,
    pub(in crate::bench) leases_reused: u64,
    pub(in crate::bench) leases_shared: u64,
    pub(in crate::bench) streams_destroyed: u64,
    pub(in crate::bench) streams_leaked: u64,
    pub(in crate::bench) looks_by_query: u64,
    pub(in crate::bench) frees: u64,
    pub(in crate::bench) frees_deferred: u64,
    pub(in crate::bench) memory_leaked: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::bench) looks: Option<Vec<Look>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::bench) steps_done: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::bench) ms_per_step: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::bench) first_touch_ms: Option<Touch>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::bench) next_touch_ms: Option<Touch>,
}

#[derive(Serialize, Clone, Debug)]
pub(in crate::bench) struct Look {
    pub(in crate::bench) iterations: u32,
    pub(in crate::bench) seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::bench) modelled_ms: Option<f64>,
    pub(in crate::bench) rss_mib: f64,
}

#[derive(Serialize, Clone, Debug)]
pub(in crate::bench) struct Touch {
    pub(in crate::bench) median: f64,
    pub(in crate::bench) p75: f64,
    pub(in crate::bench) p90: f64,
    pub(in crate::bench) longest: f64,
}

impl Run {
    /// How the stencil's surface was cut: 2x2.
    pub(in crate::bench) fn chunks(&self) -> Option<&'static str> {
        self.experiment.strip_prefix("stencil_")
    }
}

impl Results {
    /// Whether its driver is a model.
    pub(in crate::bench) fn is_modelled(&self) -> bool {
        self.about.ground == Ground::Model
    }
    pub(super) fn new(about: About, options: &Options, all: &[Figures]) -> Self {
        let Options { iterations, frees, tasks, side, steps, seed, limit_s, .. } = *options;
        let runs = all.iter().map(run).collect();
        let aim =
            |aims::Aim { claim, found, held }| Aim { claim, found, held: held == aims::Held::Yes };
        let aims = aims::all(all).into_iter().map(aim).collect();
        let frees = frees.name();
        Self { about, iterations, frees, tasks, side, steps, seed, limit_s, runs, aims }
    }
}

fn run(figures: &Figures) -> Run {
    let (pool, memory) = (figures.counted.pool, figures.counted.memory);
    let left = figures.counted.left;
    let [before, after] = figures.resident.map(|bytes| rounded(mib(bytes)));
    let (mut looks, mut stencil, mut touches) = (None, (None, None), [None, None]);
    match &figures.outcome {
        Outcome::Pipelines(all) => {
            let look = |look: &super::Look| Look {
                iterations: look.iterations,
                seconds: rounded(look.time.as_secs_f64()),
                modelled_ms: look.modelled.map(|time| rounded(time.as_secs_f64() * 1e3)),
                rss_mib: rounded(mib(look.resident)),
            };
            looks = Some(all.iter().map(look).collect());
        }
        Outcome::Sequential => {}
        Outcome::Stencil(steps) => {
            let ms = steps.time.as_secs_f64() * 1e3 / f64::from(steps.done.max(1));
            stencil = (Some(steps.done), Some(rounded(ms)));
        }
        Outcome::Touches(both) => {
            let ms = |time: std::time::Duration| rounded(time.as_secs_f64() * 1e3);
            let touch = |waits: &super::Waits| Touch {
                median: ms(waits.median),
                p75: ms(waits.p75),
                p90: ms(waits.p90),
                longest: ms(waits.longest),
            };
            touches = both.each_ref().map(|waits| Some(touch(waits)));
        }
    }
    let (steps_done, ms_per_step) = stencil;
    let [first_touch_ms, next_touch_ms] = touches;
    Run {
        experiment: figures.part.name(),
        policy: figures.policy.name(),
        tasks: figures.tasks[0],
        tasks_asked: figures.tasks[1],
        seconds: rounded(figures.time.as_secs_f64()),
        us_per_task: rounded(figures.micros_per_task()),
        modelled_ms: figures.counted.modelled.map(|time| rounded(time.as_secs_f64() * 1e3)),
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
        steps_done,
        ms_per_step,
        first_touch_ms,
        next_touch_ms,
    }
}

impl Figures {
    /// Microseconds of a task, with all that the run did.
    pub(super) fn micros_per_task(&self) -> f64 {
        self.time.as_secs_f64() * 1e6 / self.tasks[0].max(1) as f64
    }
    /// The same by the model, on a model.
    pub(super) fn modelled_micros_per_task(&self) -> Option<f64> {
        Some(self.counted.modelled?.as_secs_f64() * 1e6 / self.tasks[0].max(1) as f64)
    }
}
