//! Raw handles, from the pool and from elsewhere.

use ringfence::{
    backend::streams::{CaptureStatus, StreamDriver, StreamState},
    drive::Wrapped,
    error::StreamError,
    id::RawStream,
    stream::Access,
};

use super::{
    super::{
        super::{
            super::{
                Checked,
                check::{check, same},
            },
            StreamSubject,
            stage::Stage,
        },
        StreamCase, case,
    },
    Tasks, did, stamp,
};

pub(super) fn cases<S: StreamSubject>() -> Vec<StreamCase<S>> {
    vec![
        case("pool_equal_handle_is_the_same_stream", equal_handle),
        case("pool_default_streams_are_refused", default_streams),
        case("pool_external_streams_are_left_alone", left_alone),
        case("pool_external_handle_used_again", used_again),
        case("pool_disowned_streams_are_the_owners", disowned),
        case("pool_shutdown_destroys_what_it_made", shutdown),
    ]
}

/// The handle of a pooled stream, whatever object it came from, is that stream and no second one.
fn equal_handle<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let (mut lease, cell) = (tasks.lease()?, on.cell());
    let held = tasks.hold(&mut lease)?;
    let raw = RawStream::new(tasks.pool.expose(&mut lease).as_u64());
    for _ in 0..3 {
        let wrapped = did("wrap", tasks.pool.wrap_external(raw, on.key()))?;
        let Wrapped::Pooled(stream) = wrapped else {
            check!(false, "the handle of a pooled stream is {wrapped:?}");
            return Ok(());
        };
        same("the tenancy behind an equal handle", stream, lease.stream())?;
    }
    let touch = tasks.set(&mut lease, cell, 1)?;
    let id = lease.id();
    drop(lease);
    let again = did("wrap", tasks.pool.wrap_external(raw, on.key()))?;
    check!(matches!(again, Wrapped::Pooled(stream) if stream.id() == id), "then it is {again:?}");
    held.open();
    tasks.brings("its work", touch, cell, 1)?;
    same("streams created", tasks.pool.counts().created, 1)?;
    tasks.ends()
}
fn default_streams<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let lease = tasks.lease()?;
    for handle in 0..=2 {
        let wrapped = tasks.pool.wrap_external(RawStream::new(handle), on.key());
        let refused = matches!(wrapped, Err(StreamError::NotOneStream { .. }));
        check!(refused, "default stream {handle} was wrapped: {wrapped:?}");
    }
    same("streams created", tasks.pool.counts().created, 1)?;
    drop(lease);
    tasks.ends()
}
fn left_alone<S: StreamSubject>(on: &S) -> Checked {
    let (stage, tasks) = (Stage::new(on), Tasks::new(on));
    let (raw, [array, out]) = (stage.stream()?, stage.cells());
    let wrapped = did("wrap", tasks.pool.wrap_external(raw, on.key()))?;
    let Wrapped::External(mut external) = wrapped else {
        check!(false, "a stream from elsewhere is {wrapped:?}");
        return Ok(());
    };
    let held = tasks.hold(&mut external)?;
    let written = stamp(tasks.set(&mut external, array, 7)?);
    let mut lease = tasks.lease()?;
    check!(lease.id() != external.id(), "a stream from elsewhere was leased");
    did("order", tasks.pool.order_after(&mut lease, &written, Access::Read)).map(drop)?;
    let read = tasks.copy(&mut lease, array, out)?;
    held.open();
    tasks.brings("what was read of its work", read, out, 7)?;
    did("unwrap", tasks.pool.unwrap_external(external))?;
    drop(lease);
    for _ in 0..3 {
        let lease = tasks.lease()?;
        drop(lease);
        tasks.pool.pump();
    }
    tasks.ends()?;
    stage.has_status("the stream from elsewhere", raw, CaptureStatus::None)?;
    same("its state", stage.asks(raw), StreamState::Idle)?;
    stage.set(raw, array, 8)?;
    stage.brings("its work after the pool's end", raw, array, 8)
}
/// The owner destroys it and creates another, which may have the same handle.
fn used_again<S: StreamSubject>(on: &S) -> Checked {
    let (stage, tasks) = (Stage::new(on), Tasks::new(on));
    let mut ids = Vec::new();
    for value in 1..=10 {
        let (raw, cell) = (stage.stream()?, on.cell());
        let wrapped = did("wrap", tasks.pool.wrap_external(raw, on.key()))?;
        let Wrapped::External(mut external) = wrapped else {
            check!(false, "a new stream from elsewhere is {wrapped:?}");
            return Ok(());
        };
        check!(!ids.contains(&external.id()), "{} stands for two streams", external.id());
        ids.push(external.id());
        let touch = tasks.set(&mut external, cell, value)?;
        tasks.brings("its work", touch, cell, value)?;
        did("unwrap", tasks.pool.unwrap_external(external))?;
        stage.finishes(raw)?;
        stage.destroy(raw)?;
    }
    tasks.ends()
}
fn disowned<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let [array, out] = [on.cell(), on.cell()];
    let mut lease = tasks.lease()?;
    let (id, held) = (lease.id(), tasks.hold(&mut lease)?);
    let written = stamp(tasks.set(&mut lease, array, 4)?);
    let raw = did("disown", tasks.pool.disown(lease))?;
    let mut reader = tasks.lease()?;
    check!(reader.id() != id, "a disowned stream was leased");
    did("order", tasks.pool.order_after(&mut reader, &written, Access::Read)).map(drop)?;
    let read = tasks.copy(&mut reader, array, out)?;
    held.open();
    tasks.brings("what was read of its work", read, out, 4)?;
    same("the stream", on.backend().capture_status(raw), CaptureStatus::None)?;
    drop(reader);
    tasks.until("the end of all work", || tasks.pool.tally().draining == 0)?;
    let _left = tasks.pool.shutdown();
    let account = tasks.watched().account();
    check!(account.faults.is_empty(), "{}", account.faults.join("; "));
    same("streams that are left", account.live.into_iter().collect::<Vec<_>>(), vec![raw])?;
    super::super::super::stage::ok("destroy", on.backend().destroy(raw))
}
fn shutdown<S: StreamSubject>(on: &S) -> Checked {
    let tasks = Tasks::new(on);
    let mut all = Vec::new();
    for value in 1..=8 {
        let (mut lease, cell) = (tasks.lease()?, on.cell());
        let touch = tasks.set(&mut lease, cell, value)?;
        all.push((lease, touch));
    }
    for (lease, touch) in all {
        tasks.finishes(touch)?;
        drop(lease);
    }
    let made = tasks.watched().account().created;
    let left = tasks.pool.shutdown();
    same("what shutting down left", left, ringfence::drive::ShutDown::default())?;
    let account = tasks.watched().account();
    same("streams destroyed", (account.destroyed, account.live.len()), (made, 0))?;
    let next = tasks.pool.acquire(on.key());
    check!(matches!(next, Err(StreamError::ShutDown)), "a pool that is shut down gave {next:?}");
    Ok(())
}
