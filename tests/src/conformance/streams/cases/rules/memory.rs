//! `captured_free`, `captured_allocation`, `blocking_capture`: memory beside captures and in them.

use ringfence::{
    backend::streams::{CaptureMode, CaptureStatus, StreamMemory},
    error::DriverError,
    id::{Bytes, RawMemory, RawStream, StreamFlags},
};
use ringfence_mock::streams::profile::{BlockingCapture, CapturedAllocation, CapturedFree};

use super::{
    super::{
        super::{
            super::{
                Checked,
                check::{check, same},
            },
            Spot, StreamSubject,
            facts::launch_crashes,
            stage::{SIZE, Stage},
        },
        StreamCase, case, last_case,
        memory::{free, is_freed, is_kept},
        modes::MODES,
    },
    Recording, is_conflict,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        last_case("rules_free_in_a_capture", free_in_a_capture),
        last_case("rules_allocation_in_a_capture", allocation_in_a_capture),
        case("rules_free_beside_a_blocking_capture", beside_a_blocking_capture),
        case("rules_free_beside_a_non_blocking_capture", beside_a_non_blocking_capture),
    ]
}

fn try_free<S: StreamSubject>(
    stage: &Stage<'_, S>,
    memory: RawMemory,
    stream: RawStream,
) -> Result<(), DriverError> {
    stage.in_mode(CaptureMode::Relaxed, || stage.driver().free(memory, stream))
}
/// Memory of another task, freed on the stream of one that captures: what the pool must never do, and why.
fn free_in_a_capture<S: StreamSubject>(on: &S) -> Checked {
    let rule = on.facts().rules.captured_free;
    let stage = Stage::new(on);
    let (other, cell) = (stage.stream()?, on.cell());
    let memory = stage.memory(other)?;
    stage.launch(other, on.set(Spot::Memory(memory), 4))?;
    stage.finishes(other)?;
    let recording = Recording::begin(&stage, CaptureMode::ThreadLocal)?;
    let freed = try_free(&stage, memory, recording.stream);
    stage.has_status("after a free in it", recording.stream, CaptureStatus::Active)?;
    match rule {
        CapturedFree::AtOnce | CapturedFree::NodeAndAtOnce => {
            same("a free in a capture", freed, Ok(()))?;
            is_freed(on, "a free in a capture", memory)?;
        }
        CapturedFree::Node => {
            same("a free in a capture", freed, Ok(()))?;
            is_kept(on, "a free in a capture", memory)?;
        }
        CapturedFree::OwnOnly => {
            check!(freed.is_err(), "a capture took a free of memory that is not its own");
            is_kept(on, "a refused free", memory)?;
        }
    }
    if launch_crashes(rule) {
        // The launch would free what no graph made. Without it, the memory is as it was.
        let graph = stage.end(recording.stream)?;
        stage.destroy_graph(graph)?;
    } else {
        recording.ends_well("a capture with a free in it")?;
    }
    if matches!(rule, CapturedFree::Node | CapturedFree::OwnOnly) {
        stage.launch(other, on.copy(Spot::Memory(memory), Spot::Cell(cell)))?;
        stage.brings("what was read of it", other, cell, 4)?;
        free(&stage, memory, other)?;
        stage.finishes(other)?;
        is_freed(on, "a free outside a capture", memory)?;
    }
    Ok(())
}
fn allocation_in_a_capture<S: StreamSubject>(on: &S) -> Checked {
    let rule = on.facts().rules.captured_allocation;
    let stage = Stage::new(on);
    let ([source, cell], runs) = (stage.cells(), stage.stream()?);
    let recording = Recording::begin(&stage, CaptureMode::ThreadLocal)?;
    let stream = recording.stream;
    let memory = stage.in_mode(CaptureMode::Relaxed, || stage.memory(stream))?;
    stage.launch(stream, on.copy(Spot::Cell(source), Spot::Memory(memory)))?;
    stage.launch(stream, on.copy(Spot::Memory(memory), Spot::Cell(cell)))?;
    if rule == CapturedAllocation::Node {
        // Its own memory, which each launch makes and frees.
        free(&stage, memory, stream)?;
    }
    let graph = stage.end(stream)?;
    for value in [8, 9] {
        on.store(source, value);
        stage.launch_graph(graph, runs)?;
        stage.brings("what went through the graph's memory", runs, cell, value)?;
    }
    if rule == CapturedAllocation::AtOnce {
        is_kept(on, "after two launches", memory)?;
        free(&stage, memory, runs)?;
        stage.finishes(runs)?;
    }
    is_freed(on, "in the end", memory)
}
fn beside_a_blocking_capture<S: StreamSubject>(on: &S) -> Checked {
    beside(on, StreamFlags::empty(), on.facts().rules.blocking_capture)
}
fn beside_a_non_blocking_capture<S: StreamSubject>(on: &S) -> Checked {
    beside(on, StreamFlags::NON_BLOCKING, BlockingCapture::Allows)
}
/// Allocating and freeing on other streams while a stream of this kind captures.
fn beside<S: StreamSubject>(on: &S, flags: StreamFlags, rule: BlockingCapture) -> Checked {
    for mode in MODES {
        let stage = Stage::new(on);
        let captures = stage.stream_of(on.key().with_flags(flags))?;
        let other = stage.stream()?;
        let memory = stage.memory(other)?;
        let recording = Recording::begin_on(&stage, captures, mode)?;
        let freed = try_free(&stage, memory, other);
        let allocate = |bytes: Bytes| {
            stage.in_mode(CaptureMode::Relaxed, || on.backend().allocate(bytes, other))
        };
        let allocated = allocate(SIZE);
        match rule {
            BlockingCapture::Allows => {
                same("a free beside a capture", freed, Ok(()))?;
                let new = super::super::super::stage::ok("an allocation beside it", allocated)?;
                free(&stage, new, other)?;
            }
            BlockingCapture::Refuses => {
                is_conflict("a free beside a capture", &freed)?;
                is_conflict("an allocation beside a capture", &allocated.map(drop))?;
                is_kept(on, "a refused free", memory)?;
            }
        }
        recording.ends_well("a capture with frees beside it")?;
        if rule == BlockingCapture::Refuses {
            free(&stage, memory, other)?;
        }
        stage.finishes(other)?;
        is_freed(on, "in the end", memory)?;
    }
    Ok(())
}
