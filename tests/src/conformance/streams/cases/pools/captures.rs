//! Captures through a pool, and streams that captures have spoilt.

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamCapture, StreamDriver},
    error::StreamError,
    stream::Access,
};

use ringfence_mock::streams::profile::JoinedFork;

use super::{
    super::{
        super::{
            super::{
                Checked,
                check::{check, same},
            },
            Spot, StreamSubject,
            stage::ok,
        },
        StreamCase, case, last_case,
        modes::MODES,
    },
    Tasks, did,
    memory::beside_a_capture,
    stamp,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("pool_graph_has_the_owners_work_alone", owners_work_alone),
        case("pool_capture_behind_pending_work", behind_pending_work),
        case("pool_others_follow_work_before_a_capture", others_follow),
        case("pool_capture_with_forks", with_forks),
        case("pool_participants_on_other_threads", participants),
        last_case("pool_failed_capture_retires_its_stream", failed_retires),
        last_case("pool_abandoned_capture_is_never_handed_out", abandoned),
        case("pool_capture_that_panics_ends", panics),
        last_case("pool_streams_left_capturing_do_not_pile_up", do_not_pile_up),
    ]
}

/// Everything that other tasks do meanwhile runs, and is in no graph.
fn owners_work_alone<S: StreamSubject>(on: &S) -> Checked {
    for mode in MODES {
        let tasks = Tasks::new(on);
        let [from, to, eager] = [on.cell(), on.cell(), on.cell()];
        let (mut owner, mut other) = (tasks.lease()?, tasks.lease()?);
        let mut last = None;
        beside_a_capture(&tasks, &mut owner, mode, (from, to), || {
            for value in 1..=5 {
                let mut new = tasks.lease()?;
                let touch = tasks.set(&mut new, eager, value)?;
                did("order", tasks.pool.order_after(&mut other, &stamp(touch), Access::Write))
                    .map(drop)?;
                last = Some(tasks.set(&mut other, eager, value + 10)?);
                drop(new);
                tasks.pool.pump();
            }
            on.settle(super::PATIENCE, || on.read(eager) == 15);
            same("the others' work beside a capture", on.read(eager), 15)
        })?;
        same("the others' work, after three launches", on.read(eager), 15)?;
        check!(last.is_some_and(|touch| tasks.finishes(touch).is_ok()), "it is not finished");
        drop((owner, other));
        tasks.ends()?;
    }
    Ok(())
}
fn behind_pending_work<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let ([before, recorded, after], mut lease) =
        ([on.cell(), on.cell(), on.cell()], tasks.lease()?);
    let held = tasks.hold(&mut lease)?;
    tasks.set(&mut lease, before, 1)?;
    let captured = tasks.pool.capture(&mut lease, CaptureMode::ThreadLocal, |scope| {
        scope.submit(on.set(Spot::Cell(recorded), 2))
    });
    let mut graph = did("a capture", captured)?.graph;
    let touch = tasks.set(&mut lease, after, 3)?;
    held.open();
    tasks.brings("work after a capture", touch, after, 3)?;
    same("work before and in it", (on.read(before), on.read(recorded)), (1, 0))?;
    let touch = did("a launch", tasks.pool.launch(&mut lease, &mut graph))?;
    tasks.brings("the graph", touch, recorded, 2)?;
    drop((graph, lease));
    tasks.ends()
}
/// Work that was submitted before a capture can be waited for while its stream captures.
fn others_follow<S: StreamSubject>(on: &S) -> Checked {
    for mode in MODES {
        let tasks = Tasks::new(on);
        let [array, out, recorded] = [on.cell(), on.cell(), on.cell()];
        let (mut owner, mut reader) = (tasks.lease()?, tasks.lease()?);
        let written = stamp(tasks.set(&mut owner, array, 8)?);
        let mut read = None;
        let mut done = Ok(());
        let captured = tasks.pool.capture(&mut owner, mode, |scope| {
            scope.submit(on.set(Spot::Cell(recorded), 1))?;
            done = (|| {
                did("order", tasks.pool.order_after(&mut reader, &written, Access::Read))
                    .map(drop)?;
                read = Some(tasks.copy(&mut reader, array, out)?);
                Ok(())
            })();
            Ok::<(), StreamError>(())
        });
        done?;
        let graph = did("a capture", captured)?.graph;
        let Some(read) = read else {
            check!(false, "nothing was read");
            return Ok(());
        };
        tasks.brings("what was read beside a capture", read, out, 8)?;
        same("what was recorded", on.read(recorded), 0)?;
        drop((graph, owner, reader));
        tasks.ends()?;
    }
    Ok(())
}
/// Whatever the driver leaves a stream in that joined: no later task loses work on it.
fn with_forks<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let [one, two, three] = [on.cell(), on.cell(), on.cell()];
    let (mut owner, mut fork) = (tasks.lease()?, tasks.lease()?);
    let captured = tasks.pool.capture(&mut owner, CaptureMode::ThreadLocal, |scope| {
        scope.submit(on.set(Spot::Cell(one), 5))?;
        scope.fork(&mut fork)?;
        scope.submit_on(&mut fork, on.copy(Spot::Cell(one), Spot::Cell(two)))?;
        scope.join(&mut fork)?;
        scope.submit(on.copy(Spot::Cell(two), Spot::Cell(three)))
    });
    let mut graph = did("a capture", captured)?.graph;
    let touch = did("a launch", tasks.pool.launch(&mut owner, &mut graph))?;
    tasks.brings("the last of three nodes", touch, three, 5)?;
    drop(fork);
    for value in 1..=5 {
        let (mut lease, cell) = (tasks.lease()?, on.cell());
        let touch = tasks.set(&mut lease, cell, value)?;
        tasks.brings("work of a task after it", touch, cell, value)?;
    }
    drop((graph, owner));
    let stuck = usize::from(on.facts().rules.joined_fork == JoinedFork::StaysActive);
    tasks.ends_but_for(stuck).map(drop)
}
fn participants<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let mut lease = tasks.lease()?;
    let cells: Vec<_> = (0..4).map(|_| on.cell()).collect();
    let captured = tasks.pool.capture(&mut lease, CaptureMode::Relaxed, |scope| {
        let part = scope.participant();
        let (pool, cells) = (&tasks.pool, &cells);
        let all = on.together(4, |number| {
            let value = u32::try_from(number).expect("4 threads") + 1;
            part.submit(pool, on.set(Spot::Cell(cells[number]), value))
        });
        all.into_iter().collect::<Result<Vec<()>, StreamError>>().map(drop)
    });
    let mut graph = did("a capture", captured)?.graph;
    let read = || cells.iter().map(|&cell| on.read(cell)).collect::<Vec<_>>();
    same("what four threads recorded, before a launch", read(), vec![0; 4])?;
    let touch = did("a launch", tasks.pool.launch(&mut lease, &mut graph))?;
    tasks.finishes(touch)?;
    same("what four threads recorded", read(), vec![1, 2, 3, 4])?;
    drop((graph, lease));
    tasks.ends()
}
/// An unjoined stream breaks a capture: neither of the two is handed on.
fn failed_retires<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let [one, two, three] = [on.cell(), on.cell(), on.cell()];
    let (mut owner, mut fork) = (tasks.lease()?, tasks.lease()?);
    let bad = [owner.id(), fork.id()];
    let captured = tasks.pool.capture(&mut owner, CaptureMode::ThreadLocal, |scope| {
        scope.submit(on.set(Spot::Cell(one), 1))?;
        scope.fork(&mut fork)?;
        scope.submit_on(&mut fork, on.set(Spot::Cell(two), 2))?;
        scope.submit(on.set(Spot::Cell(three), 3))
    });
    check!(captured.is_err(), "a capture with an unjoined stream brought a graph");
    let more = tasks.set(&mut owner, one, 4);
    check!(more.is_err(), "a stream whose capture failed takes work");
    drop((owner, fork));
    for value in 1..=6 {
        tasks.pool.pump();
        let (mut lease, cell) = (tasks.lease()?, on.cell());
        check!(!bad.contains(&lease.id()), "{} was handed on after a failed capture", lease.id());
        let touch = tasks.set(&mut lease, cell, value)?;
        tasks.brings("work of a task after it", touch, cell, value)?;
    }
    same("what was recorded", (on.read(one), on.read(two)), (0, 0))?;
    let condemned = tasks.pool.counts().condemned_captures;
    check!(condemned >= 2, "{condemned} of two streams were closed");
    tasks.ends_but_for(2).map(drop)
}
/// The user's own capture, which nobody ended before the lease was dropped.
fn abandoned<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let recorded = on.cell();
    let mut lease = tasks.lease()?;
    let (raw, id) = (tasks.pool.expose(&mut lease), lease.id());
    ok("begin", on.backend().begin_capture(raw, CaptureMode::ThreadLocal))?;
    drop(lease);
    for value in 1..=6 {
        tasks.pool.pump();
        let (mut lease, cell) = (tasks.lease()?, on.cell());
        check!(lease.id() != id, "{id} was handed on while it captures");
        tasks.set(&mut lease, cell, value)?;
        // Not by a host wait: the thread has an open capture, and may be refused.
        let ran = on.settle(super::PATIENCE, || on.read(cell) == value);
        check!(ran, "work beside an abandoned capture does not run");
    }
    let status = on.backend().capture_status(raw);
    same("the abandoned capture", status, CaptureStatus::Active)?;
    let graph = ok("end", on.backend().end_capture(raw))?;
    ok("destroy", on.backend().destroy_graph(graph))?;
    same("nothing of it ran", on.read(recorded), 0)?;
    tasks.ends_but_for(1).map(drop)
}
fn panics<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let recorded = on.cell();
    let mut lease = tasks.lease()?;
    let raw = tasks.pool.expose(&mut lease);
    let hook = std::panic::AssertUnwindSafe(|| {
        let _captured = tasks.pool.capture(&mut lease, CaptureMode::Global, |scope| {
            scope.submit(on.set(Spot::Cell(recorded), 1))?;
            if on.read(recorded) == 0 {
                std::panic::resume_unwind(Box::new("a task that panics in its capture"));
            }
            Ok::<(), StreamError>(())
        });
    });
    check!(std::panic::catch_unwind(hook).is_err(), "the panic got lost");
    same("the stream after it", on.backend().capture_status(raw), CaptureStatus::None)?;
    drop(lease);
    let (mut next, cell) = (tasks.lease()?, on.cell());
    let touch = tasks.set(&mut next, cell, 2)?;
    tasks.brings("work of the next task", touch, cell, 2)?;
    same("what was recorded", on.read(recorded), 0)?;
    drop(next);
    tasks.ends()
}
/// A stream whose capture is over, and which captures all the same, has no other end than its destruction.
fn do_not_pile_up<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let [one, two, three] = [on.cell(), on.cell(), on.cell()];
    for _ in 0..10 {
        let (mut owner, mut fork) = (tasks.lease()?, tasks.lease()?);
        let captured = tasks.pool.capture(&mut owner, CaptureMode::ThreadLocal, |scope| {
            scope.submit(on.set(Spot::Cell(one), 1))?;
            scope.fork(&mut fork)?;
            scope.submit_on(&mut fork, on.set(Spot::Cell(two), 2))?;
            scope.submit(on.set(Spot::Cell(three), 3))
        });
        check!(captured.is_err(), "a capture with an unjoined stream brought a graph");
        drop((owner, fork));
        tasks.pool.pump();
    }
    tasks.ends()
}
