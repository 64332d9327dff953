//! Memory: freed once, after its work, and in nobody's graph.

use ringfence::{
    backend::streams::{CaptureMode, StreamWork},
    drive::{ArrayUse, Freed as Fate, Ordered},
    error::StreamError,
    id::{RawMemory, StreamFlags},
    stream::{Access, Allocation, Lease, Stamp},
};
use ringfence_mock::streams::profile::BlockingCapture;

use super::{
    super::{
        super::{
            super::{
                Checked,
                check::{check, has, same},
            },
            Spot, StreamSubject, WorkOf,
            stage::{GRACE, SIZE},
        },
        StreamCase, case,
        memory::{is_freed, is_kept},
    },
    Tasks, did, stamp,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("pool_memory_is_freed_once_behind_its_work", freed_once),
        case("pool_memory_of_several_streams_is_freed_after_all", freed_after_all),
        case("pool_memory_is_used_again", used_again),
        case("pool_memory_is_first_used_on_another_stream", first_used_elsewhere),
        case("pool_foreign_free_while_the_new_owner_captures", while_the_new_owner_captures),
        case("pool_foreign_free_while_the_live_owner_captures", while_the_live_owner_captures),
        case("pool_free_on_another_thread_beside_a_capture", on_another_thread),
        case("pool_refused_free_is_made_again", refused_is_made_again),
    ]
}

pub(super) fn allocate<S: StreamSubject>(
    tasks: &Tasks<'_, S>,
    lease: &mut Lease,
) -> Checked<Allocation> {
    did("allocate", tasks.pool.allocate(lease, SIZE))
}
/// Submits work that uses memory, and remembers that.
pub(super) fn uses<S: StreamSubject>(
    tasks: &Tasks<'_, S>,
    lease: &mut Lease,
    work: WorkOf<S>,
    used: &mut Stamp,
) -> Checked {
    used.add(did("submit", tasks.pool.submit(lease, work))?, Access::Write);
    Ok(())
}
/// It is freed by now: once.
pub(super) fn freed_by_now<S: StreamSubject>(tasks: &Tasks<'_, S>, memory: RawMemory) -> Checked {
    tasks.until("a free", || tasks.watched().frees(memory) > 0)?;
    tasks.on.settle(GRACE, || false);
    same("frees of one piece of memory", tasks.watched().frees(memory), 1)?;
    is_freed(tasks.on, "in the end", memory)
}

fn freed_once<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let (mut lease, cell) = (tasks.lease()?, on.cell());
    let memory = allocate(&tasks, &mut lease)?;
    let (raw, mut used) = (memory.raw(), memory.stamp());
    let held = tasks.hold(&mut lease)?;
    uses(&tasks, &mut lease, on.set(Spot::Memory(raw), 8), &mut used)?;
    uses(&tasks, &mut lease, on.copy(Spot::Memory(raw), Spot::Cell(cell)), &mut used)?;
    let fate = tasks.pool.retire(memory, used.clone());
    check!(fate != Fate::Leaked, "memory with held work was leaked");
    on.settle(GRACE, || false);
    is_kept(on, "behind held work", raw)?;
    held.open();
    did("a host wait", tasks.pool.synchronize(&used, Access::Write, super::PATIENCE))?;
    same("what was read of it", on.read(cell), 8)?;
    freed_by_now(&tasks, raw)?;
    drop(lease);
    tasks.ends()
}
fn freed_after_all<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let [one, two] = [on.cell(), on.cell()];
    let (mut first, mut second) = (tasks.lease()?, tasks.lease()?);
    let memory = allocate(&tasks, &mut first)?;
    let raw = memory.raw();
    let written = did("submit", tasks.pool.submit(&mut first, on.set(Spot::Memory(raw), 6)))?;
    did("order", tasks.pool.order_after(&mut second, &stamp(written), Access::Read)).map(drop)?;
    let held = tasks.hold(&mut second)?;
    let mut used = stamp(written);
    for (lease, cell) in [(&mut first, one), (&mut second, two)] {
        let read = on.copy(Spot::Memory(raw), Spot::Cell(cell));
        used.add(did("submit", tasks.pool.submit(lease, read))?, Access::Read);
    }
    let fate = tasks.pool.retire(memory, used.clone());
    check!(fate != Fate::Leaked, "memory of two streams was leaked");
    on.settle(GRACE, || false);
    is_kept(on, "while one of two users is held", raw)?;
    held.open();
    did("a host wait", tasks.pool.synchronize(&used, Access::Write, super::PATIENCE))?;
    same("what both read", (on.read(one), on.read(two)), (6, 6))?;
    freed_by_now(&tasks, raw)?;
    drop((first, second));
    tasks.ends()
}
fn used_again<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let mut all = Vec::new();
    for value in 1..=60 {
        let (mut lease, cell) = (tasks.lease()?, on.cell());
        let memory = allocate(&tasks, &mut lease)?;
        let (raw, mut used) = (memory.raw(), memory.stamp());
        uses(&tasks, &mut lease, on.set(Spot::Memory(raw), value), &mut used)?;
        uses(&tasks, &mut lease, on.copy(Spot::Memory(raw), Spot::Cell(cell)), &mut used)?;
        let _fate = tasks.pool.retire(memory, used.clone());
        all.push((used, cell, value));
    }
    for (used, cell, value) in all {
        did("a host wait", tasks.pool.synchronize(&used, Access::Read, super::PATIENCE))?;
        same("what a task read of its memory", on.read(cell), value)?;
    }
    tasks.ends()
}
/// What a driver gives again in a stream's order may still be in use by that stream: whoever uses it first on another follows it.
fn first_used_elsewhere<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().independent >= 2, "two streams beside each other")?;
    let tasks = Tasks::new(on);
    let cell = on.cell();
    let (mut first, mut second) = (tasks.lease()?, tasks.lease()?);
    let memory = allocate(&tasks, &mut first)?;
    let (raw, mut used) = (memory.raw(), memory.stamp());
    uses(&tasks, &mut first, on.set(Spot::Memory(raw), 3), &mut used)?;
    let held = tasks.hold(&mut first)?;
    uses(&tasks, &mut first, on.copy(Spot::Memory(raw), Spot::Cell(cell)), &mut used)?;
    let read = tasks.pool.so_far(&first);
    same("where it is freed", tasks.pool.retire(memory, used), Fate::OnStream)?;
    let again = allocate(&tasks, &mut first)?; // perhaps the same bytes
    let mut used = again.stamp();
    let work = on.set(Spot::Memory(again.raw()), 4);
    let ordered = tasks.pool.submit_after(&mut second, &mut [ArrayUse::write(&mut used)], work);
    let (_touch, how) = did("an order", ordered)?;
    check!(how != Ordered::Already, "nothing follows an allocation behind held work");
    let unused = allocate(&tasks, &mut first)?;
    let fate = tasks.pool.retire(unused, Stamp::default());
    same("where memory is freed that nobody used", fate, Fate::OnStream)?;
    on.settle(GRACE, || false);
    held.open();
    tasks.brings("what was read before", read, cell, 3)?;
    let _fate = tasks.pool.retire(again, used);
    drop((first, second));
    tasks.ends()
}
/// A task is over, its stream is another's, and that one captures: the free gets into no graph.
fn while_the_new_owner_captures<S: StreamSubject>(on: &S) -> Checked {
    for mode in super::super::modes::MODES {
        let tasks = Tasks::new(on);
        let [from, to] = [on.cell(), on.cell()];
        let mut lease = tasks.lease()?;
        let (memory, id) = (allocate(&tasks, &mut lease)?, lease.id());
        let (raw, mut used) = (memory.raw(), memory.stamp());
        uses(&tasks, &mut lease, on.set(Spot::Memory(raw), 1), &mut used)?;
        did("a host wait", tasks.pool.synchronize(&used, Access::Write, super::PATIENCE))?;
        drop(lease);
        let mut owner = tasks.lease()?;
        same("the new owner's stream", owner.id(), id)?;
        beside_a_capture(&tasks, &mut owner, mode, (from, to), || {
            let _fate = tasks.pool.retire(memory, used);
            tasks.pool.pump();
            Ok(())
        })?;
        freed_by_now(&tasks, raw)?;
        drop(owner);
        tasks.ends()?;
    }
    Ok(())
}
/// The stream that used the memory captures itself, and its work may be unfinished.
fn while_the_live_owner_captures<S: StreamSubject>(on: &S) -> Checked {
    for mode in super::super::modes::MODES {
        let tasks = Tasks::new(on);
        let [from, to] = [on.cell(), on.cell()];
        let mut owner = tasks.lease()?;
        let memory = allocate(&tasks, &mut owner)?;
        let (raw, mut used) = (memory.raw(), memory.stamp());
        uses(&tasks, &mut owner, on.set(Spot::Memory(raw), 1), &mut used)?;
        beside_a_capture(&tasks, &mut owner, mode, (from, to), || {
            let _fate = tasks.pool.retire(memory, used);
            tasks.pool.pump();
            Ok(())
        })?;
        freed_by_now(&tasks, raw)?;
        drop(owner);
        tasks.ends()?;
    }
    Ok(())
}
fn on_another_thread<S: StreamSubject>(on: &S) -> Checked {
    for mode in super::super::modes::MODES {
        let tasks = Tasks::new(on);
        let [from, to] = [on.cell(), on.cell()];
        let (mut owner, mut other) = (tasks.lease()?, tasks.lease()?);
        let memory = allocate(&tasks, &mut other)?;
        let (raw, mut used) = (memory.raw(), memory.stamp());
        uses(&tasks, &mut other, on.set(Spot::Memory(raw), 1), &mut used)?;
        beside_a_capture(&tasks, &mut owner, mode, (from, to), || {
            on.elsewhere(|| {
                let _fate = tasks.pool.retire(memory, used);
                drop(other);
                tasks.pool.pump();
                let mut new = tasks.lease()?;
                let cell = on.cell();
                tasks.set(&mut new, cell, 2)?;
                Ok(())
            })
        })?;
        freed_by_now(&tasks, raw)?;
        drop(owner);
        tasks.ends()?;
    }
    Ok(())
}
/// A capture of the owner, in the middle of which somebody else does something: its graph has the owner's two
/// nodes, and no more.
pub(super) fn beside_a_capture<S: StreamSubject>(
    tasks: &Tasks<'_, S>,
    owner: &mut Lease,
    mode: CaptureMode,
    (from, to): (S::Cell, S::Cell),
    foreign: impl FnOnce() -> Checked,
) -> Checked {
    let (on, between) = (tasks.on, tasks.on.cell());
    let mut done = Ok(());
    let captured = tasks.pool.capture(owner, mode, |scope| {
        scope.submit(on.copy(Spot::Cell(from), Spot::Cell(between)))?;
        done = foreign();
        scope.submit(on.copy(Spot::Cell(between), Spot::Cell(to)))?;
        Ok::<(), StreamError>(())
    });
    done?;
    let mut graph = did("a capture", captured)?.graph;
    same("what was recorded, before a launch", on.read(between), 0)?;
    for value in [31, 32, 33] {
        on.store(from, value);
        let touch = did("a launch", tasks.pool.launch(owner, &mut graph))?;
        tasks.brings("what the graph brought", touch, to, value)?;
    }
    Ok(())
}
/// Some drivers refuse every free while a blocking stream captures.
fn refused_is_made_again<S: StreamSubject>(on: &S) -> Checked {
    let refuses = on.facts().rules.blocking_capture == BlockingCapture::Refuses;
    has(refuses, "a driver that refuses frees beside a capture")?;
    let tasks = Tasks::new(on);
    let [from, to] = [on.cell(), on.cell()];
    let key = on.key().with_flags(StreamFlags::empty());
    let mut owner = did("acquire", tasks.pool.acquire(key))?;
    let mut other = tasks.lease()?;
    let memory = allocate(&tasks, &mut other)?;
    let (raw, mut used) = (memory.raw(), memory.stamp());
    uses(&tasks, &mut other, on.set(Spot::Memory(raw), 1), &mut used)?;
    beside_a_capture(&tasks, &mut owner, CaptureMode::ThreadLocal, (from, to), || {
        let fate = tasks.pool.retire(memory, used);
        check!(matches!(fate, Fate::Deferred(_)), "a refused free came out as {fate:?}");
        is_kept(on, "after a refused free", raw)
    })?;
    check!(tasks.watched().account().refused > 0, "the driver refused nothing");
    freed_by_now(&tasks, raw)?;
    let launched: Result<_, _> =
        on.backend().launch(tasks.pool.expose(&mut other), on.set(Spot::Cell(to), 1));
    check!(launched.is_ok(), "work after it: {launched:?}");
    drop((owner, other));
    tasks.ends()
}
