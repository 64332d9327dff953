//! `StreamMemory`: allocating and freeing in a stream's order.

use std::collections::HashSet;

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamMemory},
    error::DriverError,
    id::{RawMemory, RawStream, StreamFlags},
};
use ringfence_mock::streams::profile::BlockingCapture;

use super::{
    super::{
        super::{
            Checked, Stop,
            check::{check, has, same},
        },
        Can, Freed, Spot, StreamSubject,
        stage::{Stage, ok},
    },
    StreamCase, case,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("memory_1_used_by_later_work", used_by_later_work),
        case("memory_1_blocks_are_apart", blocks_are_apart),
        case("memory_1_behind_pending_work", behind_pending_work),
        case("memory_1_used_by_another_stream", used_by_another_stream),
        case("memory_1_by_several_threads", by_several_threads),
        case("memory_2_freed_behind_its_work", freed_behind_its_work),
        case("memory_2_freed_on_another_stream", freed_on_another_stream),
        case("memory_2_used_again_in_order", used_again_in_order),
        case("memory_2_freed_beside_a_capture", freed_beside_a_capture),
        case("memory_2_refused_free_frees_nothing", refused_frees_nothing),
        case("memory_3_free_of_plain_memory", free_of_plain_memory),
    ]
}

pub(super) fn free<S: StreamSubject>(
    stage: &Stage<'_, S>,
    memory: RawMemory,
    stream: RawStream,
) -> Checked {
    let free = || stage.driver().free(memory, stream);
    ok("free", stage.in_mode(CaptureMode::Relaxed, free))
}
/// It is not free, as far as anybody can tell.
pub(super) fn is_kept<S: StreamSubject>(on: &S, what: &str, memory: RawMemory) -> Checked {
    check!(on.freed(memory) != Freed::Yes, "{what}: {memory} is freed already");
    Ok(())
}
/// It is free by now, as far as anybody can tell.
pub(super) fn is_freed<S: StreamSubject>(on: &S, what: &str, memory: RawMemory) -> Checked {
    check!(on.freed(memory) != Freed::No, "{what}: {memory} is not freed");
    Ok(())
}
/// Writes a value to memory, and reads it back to a word.
fn through<S: StreamSubject>(
    stage: &Stage<'_, S>,
    stream: RawStream,
    memory: RawMemory,
    (cell, value): (S::Cell, u32),
) -> Checked {
    let on = stage.on;
    stage.launch(stream, on.set(Spot::Memory(memory), value))?;
    stage.launch(stream, on.copy(Spot::Memory(memory), Spot::Cell(cell)))
}

fn used_by_later_work<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, cell) = (stage.stream()?, on.cell());
    for value in 1..=20 {
        let memory = stage.memory(stream)?;
        check!(memory.as_u64() != 0, "an allocation brought nothing");
        through(&stage, stream, memory, (cell, value))?;
        stage.brings("what was read of new memory", stream, cell, value)?;
        free(&stage, memory, stream)?;
    }
    Ok(())
}
fn blocks_are_apart<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let stream = stage.stream()?;
    let mut all = Vec::new();
    let mut known = HashSet::new();
    for value in 1..=32 {
        let (memory, cell) = (stage.memory(stream)?, on.cell());
        check!(known.insert(memory), "{memory} was given out twice");
        stage.launch(stream, on.set(Spot::Memory(memory), value))?;
        all.push((memory, cell, value));
    }
    for &(memory, cell, _) in &all {
        stage.launch(stream, on.copy(Spot::Memory(memory), Spot::Cell(cell)))?;
    }
    stage.finishes(stream)?;
    for (memory, cell, value) in all {
        stage.holds("one of many blocks", cell, value)?;
        free(&stage, memory, stream)?;
    }
    stage.finishes(stream)
}
fn behind_pending_work<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, cell) = (stage.stream()?, on.cell());
    let gate = stage.hold(stream)?;
    let memory = stage.at_once("an allocation behind held work", || stage.memory(stream))??;
    through(&stage, stream, memory, (cell, 5))?;
    stage.stays("what is held", cell, 0)?;
    stage.open(gate);
    stage.brings("what was read of it", stream, cell, 5)?;
    free(&stage, memory, stream)
}
fn used_by_another_stream<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [one, two] = stage.streams()?;
    let (event, cell) = (stage.event()?, on.cell());
    let memory = stage.memory(one)?;
    stage.launch(one, on.set(Spot::Memory(memory), 17))?;
    stage.record(event, one)?;
    stage.wait(two, event)?;
    stage.launch(two, on.copy(Spot::Memory(memory), Spot::Cell(cell)))?;
    stage.brings("what another stream read", two, cell, 17)?;
    free(&stage, memory, one)?;
    stage.finishes(one)
}
fn by_several_threads<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let answers = on.together(4, |number| -> Checked<_> {
        let (stream, cell) = (stage.stream()?, on.cell());
        let number = u32::try_from(number).expect("4 threads");
        for round in 0..20 {
            let memory = stage.memory(stream)?;
            through(&stage, stream, memory, (cell, number * 100 + round))?;
            free(&stage, memory, stream)?;
        }
        Ok((stream, cell, number * 100 + 19))
    });
    for answer in answers {
        let (stream, cell, value) = answer?;
        stage.brings("what a thread's last block held", stream, cell, value)?;
    }
    Ok(())
}

fn freed_behind_its_work<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, cell) = (stage.stream()?, on.cell());
    let memory = stage.memory(stream)?;
    let gate = stage.hold(stream)?;
    through(&stage, stream, memory, (cell, 7))?;
    stage.at_once("a free behind held work", || free(&stage, memory, stream))??;
    is_kept(on, "behind held work", memory)?;
    stage.open(gate);
    stage.brings("what was read before the free", stream, cell, 7)?;
    is_freed(on, "after its work", memory)
}
/// A stream that has waited for the work may free what another one used.
fn freed_on_another_stream<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let [user, other] = stage.streams()?;
    let (event, cell) = (stage.event()?, on.cell());
    let memory = stage.memory(user)?;
    let gate = stage.hold(user)?;
    through(&stage, user, memory, (cell, 8))?;
    stage.record(event, user)?;
    stage.wait(other, event)?;
    free(&stage, memory, other)?;
    is_kept(on, "while its user is held", memory)?;
    stage.open(gate);
    stage.brings("what its user read", user, cell, 8)?;
    stage.finishes(other)?;
    is_freed(on, "after both", memory)
}
/// Blocks come back, also while the work before them is pending: each has its own value all the same.
fn used_again_in_order<S: StreamSubject>(on: &S) -> Checked {
    has(on.facts().free_again == Can::Yes, "a free that does not wait for the block's last one")?;
    let stage = Stage::new(on);
    let stream = stage.stream()?;
    let gate = stage.hold(stream)?;
    let mut all = Vec::new();
    // HIP 5.2 takes 30 copies behind work that waits, and then waits itself.
    for value in 1..=8 {
        let (memory, cell) = (stage.memory(stream)?, on.cell());
        through(&stage, stream, memory, (cell, value))?;
        free(&stage, memory, stream)?;
        all.push((cell, value));
    }
    stage.open(gate);
    stage.finishes(stream)?;
    for (cell, value) in all {
        stage.holds("one of the blocks", cell, value)?;
    }
    Ok(())
}
/// A free on a stream that does not capture gets into nobody's graph.
fn freed_beside_a_capture<S: StreamSubject>(on: &S) -> Checked {
    for mode in super::modes::MODES {
        let stage = Stage::new(on);
        let [stream, other] = stage.streams()?;
        let [before, recorded] = stage.cells();
        let memory = stage.memory(other)?;
        through(&stage, other, memory, (before, 3))?;
        stage.begin(stream, mode)?;
        stage.set(stream, recorded, 4)?;
        free(&stage, memory, other)?;
        stage.has_status("after a free beside it", stream, CaptureStatus::Active)?;
        let graph = stage.end(stream)?;
        stage.brings("what was read before the free", other, before, 3)?;
        is_freed(on, "without a launch of the graph", memory)?;
        for value in [5, 6] {
            on.store(recorded, value);
            stage.launch_graph(graph, stream)?;
            stage.brings("the graph's own work", stream, recorded, 4)?;
        }
    }
    Ok(())
}
/// Some drivers refuse every free while a blocking stream captures: nothing is lost by it.
fn refused_frees_nothing<S: StreamSubject>(on: &S) -> Checked {
    let refuses = on.facts().rules.blocking_capture == BlockingCapture::Refuses;
    has(refuses, "a driver that refuses frees beside a capture")?;
    let stage = Stage::new(on);
    let blocking = stage.stream_of(on.key().with_flags(StreamFlags::empty()))?;
    let (stream, [cell, recorded]) = (stage.stream()?, stage.cells());
    let memory = stage.memory(stream)?;
    stage.begin(blocking, CaptureMode::ThreadLocal)?;
    let refused = free(&stage, memory, stream);
    check!(matches!(refused, Err(Stop::Failed(_))), "the free was not refused");
    let why = on.backend().free(memory, stream);
    check!(matches!(why, Err(DriverError::CaptureConflict(_))), "it was refused with {why:?}");
    is_kept(on, "after a refused free", memory)?;
    stage.set(blocking, recorded, 1)?;
    let graph = stage.end(blocking)?;
    through(&stage, stream, memory, (cell, 9))?;
    stage.brings("what was read after a refused free", stream, cell, 9)?;
    free(&stage, memory, stream)?;
    stage.finishes(stream)?;
    is_freed(on, "after the second try", memory)?;
    stage.launch_graph(graph, blocking)?;
    stage.brings("the graph beside it", blocking, recorded, 1)
}
/// It may block, so that nothing is held up meanwhile.
fn free_of_plain_memory<S: StreamSubject>(on: &S) -> Checked {
    let stage = Stage::new(on);
    let (stream, cell) = (stage.stream()?, on.cell());
    let Some(memory) = on.plain_memory() else {
        return has(false, "memory outside a stream's order");
    };
    through(&stage, stream, memory, (cell, 6))?;
    free(&stage, memory, stream)?;
    stage.brings("what was read before the free", stream, cell, 6)?;
    is_freed(on, "after its work", memory)?;
    same("the word once more", on.read(cell), 6)
}
