//! Work of one task after that of another.

use ringfence::{
    backend::streams::StreamWork,
    drive::Ordered,
    error::StreamError,
    stream::{Access, Lease, Stamp},
};

use super::{
    super::{
        super::{
            super::{
                Checked,
                check::{check, has, same},
            },
            Spot, StreamSubject,
            stage::{GRACE, ok},
        },
        StreamCase, case,
    },
    Held, Tasks, did, stamp,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("pool_reader_follows_its_writer", reader_follows),
        case("pool_writer_follows_its_readers", writer_follows),
        case("pool_order_of_exposed_work", of_exposed_work),
        case("pool_order_over_many_tasks", over_many_tasks),
        case("pool_finished_work_is_not_waited_for", finished_is_not_waited_for),
        case("pool_host_waits_have_a_limit", host_waits),
    ]
}

fn follow<S: StreamSubject>(
    tasks: &Tasks<'_, S>,
    lease: &mut Lease,
    after: &Stamp,
    access: Access,
) -> Checked<Ordered> {
    did("order after", tasks.pool.order_after(lease, after, access))
}
fn stays<S: StreamSubject>(on: &S, what: &str, cell: S::Cell, value: u32) -> Checked {
    let moved = on.settle(GRACE, || on.read(cell) != value);
    check!(!moved, "{what}: {}, and not {value}", on.read(cell));
    Ok(())
}
/// With the writer's lease alive, and with the writer gone.
fn reader_follows<S: StreamSubject>(on: &S) -> Checked {
    for dropped in [false, true] {
        let tasks = Tasks::new(on);
        let [array, out] = [on.cell(), on.cell()];
        let mut writer = Some(tasks.lease()?);
        let mut reader = tasks.lease()?;
        let lease = writer.as_mut().expect("it was just made");
        let held = tasks.hold(lease)?;
        let written = stamp(tasks.set(lease, array, 7)?);
        if dropped {
            writer = None;
        }
        let ordered = follow(&tasks, &mut reader, &written, Access::Read)?;
        same("how the reader follows", ordered, Ordered::OnDevice)?;
        let read = tasks.copy(&mut reader, array, out)?;
        stays(on, "what follows held work", out, 0)?;
        held.open();
        tasks.brings("what the reader saw", read, out, 7)?;
        drop((writer, reader));
        tasks.ends()?;
    }
    Ok(())
}
/// A writer may not overtake who still reads.
fn writer_follows<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().independent >= 3, "three streams beside each other")?;
    let tasks = Tasks::new(on);
    let [array, out] = [on.cell(), on.cell()];
    let (mut reader, mut writer) = (tasks.lease()?, tasks.lease()?);
    let mut used = Stamp::default();
    used.add(tasks.set(&mut reader, array, 1)?, Access::Write);
    let held = tasks.hold(&mut reader)?;
    let read = tasks.copy(&mut reader, array, out)?;
    used.add(read, Access::Read);
    follow(&tasks, &mut writer, &used, Access::Write).map(drop)?;
    let written = tasks.set(&mut writer, array, 2)?;
    on.settle(GRACE, || on.read(array) == 2);
    same("what a held reader is to see", on.read(array), 1)?;
    held.open();
    tasks.brings("what the reader saw", read, out, 1)?;
    tasks.brings("what the writer wrote", written, array, 2)?;
    drop((reader, writer));
    tasks.ends()
}
fn of_exposed_work<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let [array, out] = [on.cell(), on.cell()];
    let (mut writer, mut reader) = (tasks.lease()?, tasks.lease()?);
    let raw = tasks.pool.expose(&mut writer);
    let held = Held { on, gate: on.gate() };
    ok("launch", on.backend().launch(raw, on.hold(&held.gate)))?;
    ok("launch", on.backend().launch(raw, on.set(Spot::Cell(array), 5)))?;
    let written = stamp(did("touch", tasks.pool.touch(writer.stream()))?);
    drop(writer);
    follow(&tasks, &mut reader, &written, Access::Read).map(drop)?;
    let read = tasks.copy(&mut reader, array, out)?;
    stays(on, "what follows held work", out, 0)?;
    held.open();
    tasks.brings("what the reader saw", read, out, 5)?;
    drop(reader);
    tasks.ends()
}
/// A value goes through 60 tasks, six of which are alive at a time.
fn over_many_tasks<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let first = on.cell();
    let mut leases = std::collections::VecDeque::from([tasks.lease()?]);
    let held = tasks.hold(&mut leases[0])?;
    let mut touch = tasks.set(&mut leases[0], first, 99)?;
    let mut cell = first;
    for _ in 0..60 {
        let (mut lease, next) = (tasks.lease()?, on.cell());
        follow(&tasks, &mut lease, &stamp(touch), Access::Read).map(drop)?;
        touch = tasks.copy(&mut lease, cell, next)?;
        cell = next;
        leases.push_back(lease);
        if leases.len() > 6 {
            leases.pop_front();
        }
    }
    stays(on, "the end of a chain behind held work", cell, 0)?;
    held.open();
    tasks.brings("the end of the chain", touch, cell, 99)?;
    drop(leases);
    tasks.ends()
}
fn finished_is_not_waited_for<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let cell = on.cell();
    let mut writer = tasks.lease()?;
    let touch = tasks.set(&mut writer, cell, 1)?;
    tasks.finishes(touch)?;
    drop(writer);
    // Its stream is this task's by now: that alone proves the work finished.
    let mut next = tasks.lease()?;
    let held = tasks.hold(&mut next)?;
    let mut other = tasks.lease()?;
    let ordered = follow(&tasks, &mut other, &stamp(touch), Access::Write)?;
    same("how finished work is followed", ordered, Ordered::Already)?;
    held.open();
    drop((next, other));
    tasks.ends()
}
fn host_waits<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let (mut lease, cell) = (tasks.lease()?, on.cell());
    let held = tasks.hold(&mut lease)?;
    let touch = tasks.set(&mut lease, cell, 3)?;
    let waited = tasks.pool.synchronize(&stamp(touch), Access::Read, GRACE);
    check!(matches!(waited, Err(StreamError::TimedOut { .. })), "held work was there: {waited:?}");
    held.open();
    tasks.brings("the work", touch, cell, 3)?;
    drop(lease);
    tasks.ends()
}
