//! Graphs through a pool: what they keep alive.

use ringfence::{
    backend::streams::CaptureMode,
    drive::Graph,
    error::StreamError,
    id::RawMemory,
    stream::{Access, Lease, Stamp},
};

use super::{
    super::{
        super::{
            super::{
                Checked,
                check::{check, same},
            },
            Spot, StreamSubject,
            stage::GRACE,
        },
        StreamCase, case,
        memory::is_kept,
    },
    Tasks, did,
    memory::{allocate, freed_by_now, uses},
    stamp,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("pool_graph_pins_its_memory", pins),
        case("pool_graph_dropped_while_it_runs", dropped_while_it_runs),
        case("pool_graphs_on_many_streams", on_many_streams),
    ]
}

/// A graph that reads memory, with that memory pinned, and given up by its owner.
fn reads<S: StreamSubject>(
    tasks: &Tasks<'_, S>,
    lease: &mut Lease,
    to: S::Cell,
    value: u32,
) -> Checked<(Graph, RawMemory)> {
    let on = tasks.on;
    let memory = allocate(tasks, lease)?;
    let (raw, mut used) = (memory.raw(), memory.stamp());
    uses(tasks, lease, on.set(Spot::Memory(raw), value), &mut used)?;
    let captured = tasks.pool.capture(lease, CaptureMode::ThreadLocal, |scope| {
        scope.pin(&memory)?;
        scope.submit(on.copy(Spot::Memory(raw), Spot::Cell(to)))?;
        Ok::<(), StreamError>(())
    });
    let graph = did("a capture", captured)?.graph;
    let _fate = tasks.pool.retire(memory, used);
    Ok((graph, raw))
}
fn pins<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let (mut lease, to) = (tasks.lease()?, on.cell());
    let (mut graph, raw) = reads(&tasks, &mut lease, to, 5)?;
    for _ in 0..3 {
        tasks.pool.pump();
        on.settle(GRACE, || false);
        same("frees of pinned memory", tasks.watched().frees(raw), 0)?;
        is_kept(on, "pinned by a graph", raw)?;
        on.store(to, 0);
        let touch = did("a launch", tasks.pool.launch(&mut lease, &mut graph))?;
        tasks.brings("what the graph read", touch, to, 5)?;
    }
    drop(graph);
    freed_by_now(&tasks, raw)?;
    drop(lease);
    tasks.ends()
}
fn dropped_while_it_runs<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let (mut lease, to) = (tasks.lease()?, on.cell());
    let (mut graph, raw) = reads(&tasks, &mut lease, to, 6)?;
    let held = tasks.hold(&mut lease)?;
    let touch = did("a launch", tasks.pool.launch(&mut lease, &mut graph))?;
    drop(graph);
    for _ in 0..3 {
        tasks.pool.pump();
        on.settle(GRACE, || false);
        is_kept(on, "while its graph is held", raw)?;
    }
    same("what a held graph writes", on.read(to), 0)?;
    held.open();
    tasks.brings("what the graph read", touch, to, 6)?;
    freed_by_now(&tasks, raw)?;
    drop(lease);
    tasks.ends()
}
/// One graph, launched by one task after another.
fn on_many_streams<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let [from, to] = [on.cell(), on.cell()];
    let mut first = tasks.lease()?;
    let captured = tasks.pool.capture(&mut first, CaptureMode::ThreadLocal, |scope| {
        scope.submit(on.copy(Spot::Cell(from), Spot::Cell(to)))
    });
    let mut graph = did("a capture", captured)?.graph;
    let mut last = Stamp::default();
    let mut busy = vec![first];
    for value in 1..=12 {
        let mut lease = tasks.lease()?;
        did("order", tasks.pool.order_after(&mut lease, &last, Access::Write)).map(drop)?;
        tasks.set(&mut lease, from, value)?;
        let touch = did("a launch", tasks.pool.launch(&mut lease, &mut graph))?;
        last = stamp(touch);
        busy.push(lease);
        if value % 4 == 0 {
            tasks.brings("what the last of four launches read", touch, to, value)?;
            busy.clear();
        }
    }
    check!(graph.launches().touches(Access::Write).count() > 0, "no launch is remembered");
    drop((busy, graph));
    tasks.ends()
}
