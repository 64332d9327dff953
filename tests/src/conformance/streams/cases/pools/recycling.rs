//! Which stream a task gets.

use std::{collections::HashSet, sync::Arc};

use ringfence::{backend::streams::StreamWork, error::StreamError, id::Priority};

use super::{
    super::{
        super::{
            super::{
                Checked,
                check::{check, has, same},
            },
            Brought, Spot, StreamSubject,
            stage::{GRACE, ok},
        },
        StreamCase, case, last_case,
    },
    Held, Tasks, did,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("pool_live_leases_are_apart", live_leases_are_apart),
        case("pool_finished_streams_are_recycled", finished_are_recycled),
        case("pool_pending_streams_are_not_recycled", pending_are_not),
        last_case("pool_exposed_streams_are_recycled_when_finished", exposed_are_asked),
        case("pool_failed_work_is_waited_for", failed_work_is_waited_for),
        case("pool_keys_are_apart", keys_are_apart),
        case("pool_many_tasks_make_few_streams", many_tasks),
        case("pool_tasks_that_do_not_wait", tasks_that_do_not_wait),
        case("pool_buffers_stay_until_the_work_is_finished", buffers_stay),
        case("pool_stream_in_error_is_retired", in_error_is_retired),
        last_case("pool_of_a_lost_device_says_so", lost_device),
    ]
}

fn live_leases_are_apart<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let mut all = Vec::new();
    for value in 1..=12 {
        let (mut lease, cell) = (tasks.lease()?, on.cell());
        let touch = tasks.set(&mut lease, cell, value)?;
        all.push((lease, touch, cell, value));
    }
    let ids: HashSet<_> = all.iter().map(|(lease, ..)| lease.id()).collect();
    same("streams of 12 live leases", ids.len(), 12)?;
    let raws: HashSet<_> = all.iter_mut().map(|(lease, ..)| tasks.pool.expose(lease)).collect();
    same("handles of 12 live leases", raws.len(), 12)?;
    for &(_, touch, cell, value) in &all {
        tasks.brings("what one of 12 tasks wrote", touch, cell, value)?;
    }
    drop(all);
    tasks.ends()
}
fn finished_are_recycled<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let cell = on.cell();
    let (mut first, mut known) = (None, HashSet::new());
    for value in 1..=20 {
        let mut lease = tasks.lease()?;
        let id = *first.get_or_insert(lease.id());
        same("the stream of a task after the end of another", lease.id(), id)?;
        check!(known.insert(lease.stream()), "{} names two tenancies", lease.stream());
        let touch = tasks.set(&mut lease, cell, value)?;
        tasks.brings("its work", touch, cell, value)?;
    }
    same("leases on a stream that somebody had before", tasks.pool.counts().reused, 19)?;
    tasks.ends()
}
fn pending_are_not<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().independent >= 3, "three streams beside each other")?;
    let tasks = Tasks::new(on);
    let mut lease = tasks.lease()?;
    let (held, id) = (tasks.hold(&mut lease)?, lease.id());
    drop(lease);
    is_not_recycled(&tasks, held, id)
}
/// Work that nobody counted is asked about.
fn exposed_are_asked<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().independent >= 3, "three streams beside each other")?;
    let tasks = Tasks::new(on);
    let mut lease = tasks.lease()?;
    let (raw, id) = (tasks.pool.expose(&mut lease), lease.id());
    let held = Held { on, gate: on.gate() };
    ok("launch", on.backend().launch(raw, on.hold(&held.gate)))?;
    drop(lease);
    is_not_recycled(&tasks, held, id)
}
/// A part of the work was submitted, and is still in the way.
fn failed_work_is_waited_for<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let (mut lease, [failed, good]) = (tasks.lease()?, [on.cell(), on.cell()]);
    let held = tasks.hold(&mut lease)?;
    let refused = tasks.pool.submit(&mut lease, on.failing_set(Spot::Cell(failed), 3));
    check!(matches!(refused, Err(StreamError::Driver { .. })), "failed work brought {refused:?}");
    let touch = tasks.pool.so_far(&lease);
    held.open();
    tasks.brings("what failed work wrote", touch, failed, 3)?;
    let touch = tasks.set(&mut lease, good, 4)?;
    tasks.brings("work after it", touch, good, 4)?;
    drop(lease);
    tasks.ends()
}
fn is_not_recycled<S: StreamSubject>(
    tasks: &Tasks<'_, S>,
    held: Held<'_, S>,
    id: ringfence::id::StreamId,
) -> Checked {
    let on = tasks.on;
    let cell = on.cell();
    for value in 1..=5 {
        tasks.pool.pump();
        let mut lease = tasks.lease()?;
        check!(lease.id() != id, "{id} was handed on with pending work");
        let touch = tasks.set(&mut lease, cell, value)?;
        tasks.brings("work beside held work", touch, cell, value)?;
    }
    held.open();
    tasks.until("the end of held work", || tasks.pool.tally().draining == 0)?;
    let (one, two) = (tasks.lease()?, tasks.lease()?);
    check!(one.id() == id || two.id() == id, "a finished stream is not handed on");
    same("streams", tasks.pool.counts().created, 2)
}
fn keys_are_apart<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let mut seen = HashSet::new();
    let cell = on.cell();
    for priority in [Priority::Low, Priority::Normal, Priority::High] {
        let key = on.key().with_priority(priority);
        for value in 1..=3 {
            let mut lease = did("acquire", tasks.pool.acquire(key))?;
            same("the key of a lease", lease.key(), key)?;
            seen.insert((lease.id(), priority));
            let touch = tasks.set(&mut lease, cell, value)?;
            tasks.brings("its work", touch, cell, value)?;
        }
    }
    let ids: HashSet<_> = seen.iter().map(|(id, _)| *id).collect();
    same("streams and keys", (seen.len(), ids.len()), (3, 3))?;
    tasks.ends()
}
/// One after another, each after the end of the one before it.
fn many_tasks<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let (from, to) = (on.cell(), on.cell());
    for value in (1..).take(on.facts().scale.tasks) {
        let mut lease = tasks.lease()?;
        tasks.set(&mut lease, from, value)?;
        let touch = if value % 3 == 0 {
            let raw = tasks.pool.expose(&mut lease);
            let work = on.copy(Spot::Cell(from), Spot::Cell(to));
            ok("launch", on.backend().launch(raw, work))?;
            did("touch", tasks.pool.touch(lease.stream()))?
        } else {
            tasks.copy(&mut lease, from, to)?
        };
        tasks.brings("a task's work", touch, to, value)?;
        drop(lease);
        tasks.pool.pump();
    }
    let created = tasks.pool.counts().created;
    check!(created <= 2, "{created} streams for tasks that follow each other");
    tasks.ends()
}
fn tasks_that_do_not_wait<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let mut all = Vec::new();
    for value in 1..=200 {
        let (mut lease, cell) = (tasks.lease()?, on.cell());
        let touch = tasks.set(&mut lease, cell, value)?;
        all.push((touch, cell, value));
    }
    for (touch, cell, value) in all {
        tasks.brings("a task's work", touch, cell, value)?;
    }
    let counts = tasks.pool.counts();
    let peak = u64::from(counts.peak_leased_and_draining);
    check!(counts.created <= peak, "{} streams, and {peak} busy ones", counts.created);
    tasks.ends()
}
fn buffers_stay<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let (mut lease, cell) = (tasks.lease()?, on.cell());
    let held = tasks.hold(&mut lease)?;
    let buffer = Arc::new(());
    let work = |_: &mut Arc<()>| on.set(Spot::Cell(cell), 6);
    let in_flight = did("submit", tasks.pool.submit_owning(&mut lease, buffer.clone(), work))?;
    drop(in_flight);
    drop(lease);
    for _ in 0..3 {
        tasks.pool.pump();
        on.settle(GRACE, || false);
        same("owners of a buffer of held work", Arc::strong_count(&buffer), 2)?;
    }
    held.open();
    tasks.until("the buffer's return", || Arc::strong_count(&buffer) == 1)?;
    same("the work", on.read(cell), 6)?;
    tasks.ends()
}
fn in_error_is_retired<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let (mut lease, cell) = (tasks.lease()?, on.cell());
    let (raw, id) = (tasks.pool.expose(&mut lease), lease.id());
    has(on.spoil(raw) == Brought::About, "a stream in error")?;
    drop(lease);
    for value in 1..=5 {
        tasks.pool.pump();
        let mut lease = tasks.lease()?;
        check!(lease.id() != id, "{id} was handed on in error");
        let touch = tasks.set(&mut lease, cell, value)?;
        tasks.brings("work after an error", touch, cell, value)?;
    }
    same("streams that were found bad", tasks.pool.counts().condemned_bad, 1)?;
    // Whether a stream in error can be destroyed is the driver's affair.
    tasks.ends_but_for(1).map(drop)
}
fn lost_device<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let (mut lease, cell) = (tasks.lease()?, on.cell());
    let touch = tasks.set(&mut lease, cell, 1)?;
    has(on.lose() == Brought::About, "a device that can be lost")?;
    let _pumped = tasks.pool.pump();
    let next = tasks.pool.acquire(on.key());
    check!(matches!(next, Err(StreamError::DeviceLost)), "a lost device gave {next:?}");
    let waited = tasks.finishes(touch);
    check!(waited.is_err(), "work of a lost device was waited for");
    drop(lease);
    let destroyed = tasks.watched().account().destroyed;
    let _left = tasks.pool.shutdown();
    same("streams destroyed on a lost device", tasks.watched().account().destroyed, destroyed)
}
