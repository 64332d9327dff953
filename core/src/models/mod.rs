//! Loom models: every interleaving, and every value that the orderings allow, of what threads share.
//!
//! Each model is small (two or three threads, no waiting loops), counts that it reached what it is about
//! (probes), and has twins that must fail: a named ordering weakened, or the rule's own line switched
//! off. Run with `cargo xtask loom`.

mod custody;
mod handler;
mod record;
mod sharing;
mod streams;
mod watermark;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use crate::{
    backend::{Engine, SignalMemory},
    id::{CacheScope, DeviceId, Generation, LaneId, PacketId, QueueId, SignalHandle, UseId},
    ledger::Ledger,
    plant::{self, Fault},
    ring::{IsFence, PacketOrder, Recorded, Timing},
    sync::{
        Arc, Site,
        model::{Builder, Counter, CounterOrdering},
        planted_orderings::PLANTED,
    },
    watermark::Watermark,
};

/// What is planted in one run of a model.
#[derive(Clone, Copy, Debug)]
enum Plant {
    Nothing,
    /// The ordering at this site is relaxed.
    Ordering(Site),
    /// The line that enforces a rule is switched off.
    Rule(Fault),
}

/// Counts, over all executions, that a model reached what it is about.
struct Probe(Counter);
impl Probe {
    const fn new() -> Self {
        Self(Counter::new(0))
    }
    fn hit(&self) {
        self.0.fetch_add(1, CounterOrdering::Relaxed);
    }
}

/// The bound of preemptions for which each model says how many executions it has.
const PREEMPTIONS: usize = 3;

/// Explores `model` whole. Without a plant it must pass, have as many executions as when it was written, reach every
/// probe and take under 5 seconds. With fewer executions something is no longer shared, or no longer seen by the search.
fn must_pass(
    name: &str,
    executions_at_least: usize,
    probes: &[(&str, &Probe)],
    model: impl Fn() + Sync + Send + 'static,
) {
    let (passed, executions, took) = explore(Plant::Nothing, model);
    println!("{name}: {executions} executions in {took:?}");
    assert!(passed, "{name} fails");
    let bound = std::env::var("LOOM_MAX_PREEMPTIONS").ok().and_then(|bound| bound.parse().ok());
    if bound.is_none_or(|bound: usize| bound >= PREEMPTIONS) {
        let least = executions_at_least;
        assert!(executions >= least, "{name}: {executions} executions, of {least} at least");
    }
    for (what, probe) in probes {
        assert!(probe.0.load(CounterOrdering::Relaxed) > 0, "{name} never reached: {what}");
    }
    assert!(took < Duration::from_secs(5), "{name} took {took:?}: make it smaller");
}
/// A twin with a planted fault: the model must notice.
fn must_fail(name: &str, plant: Plant, model: impl Fn() + Sync + Send + 'static) {
    let (passed, executions, _) = explore(plant, model);
    println!("{name}, planted {plant:?}: caught after {executions} executions");
    assert!(!passed, "{name} does not notice {plant:?}");
}
fn explore(plant: Plant, model: impl Fn() + Sync + Send + 'static) -> (bool, usize, Duration) {
    let executions = std::sync::Arc::new(Counter::new(0));
    let counted = executions.clone();
    let start = Instant::now();
    let check = move || {
        let mut builder = Builder::new();
        builder.max_branches = 10_000;
        builder.check(move || {
            counted.fetch_add(1, CounterOrdering::Relaxed);
            model();
        });
    };
    let caught = catch_unwind(AssertUnwindSafe(|| match plant {
        Plant::Nothing => check(),
        Plant::Rule(fault) => plant::with(fault, check),
        Plant::Ordering(site) => {
            PLANTED.set(Some(site));
            check();
        }
    }));
    PLANTED.set(None);
    (caught.is_ok(), executions.load(CounterOrdering::Relaxed), start.elapsed())
}

fn lane() -> LaneId {
    LaneId::new(QueueId::new(0), Generation::FIRST)
}
fn use_of(packet: u64) -> UseId {
    UseId::new(lane(), PacketId::new(packet))
}
fn signal() -> SignalHandle {
    SignalHandle::new(1)
}
fn about(of: UseId, mark: Option<Arc<Watermark>>) -> Recorded {
    Recorded {
        of,
        fence: IsFence::Yes,
        order: PacketOrder::HoldsBackLater,
        timing: Timing::Wanted,
        release: CacheScope::System,
        memory: SignalMemory::Host,
        device: DeviceId::new(0),
        engine: Engine::Compute,
        mark,
        ledger: Arc::new(Ledger::new()),
    }
}
