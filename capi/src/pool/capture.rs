//! Captures: a callback, so that a capture always ends on its own thread.

use std::ffi::c_void;

use ringfence::{backend::streams::CaptureMode, drive::CaptureScope};

use super::{
    array::{Used, arrays, given_up, submit_of},
    backend::{
        RINGFENCE_CAPTURE_MODE_GLOBAL, RINGFENCE_CAPTURE_MODE_RELAXED,
        RINGFENCE_CAPTURE_MODE_THREAD_LOCAL, ringfence_capture_mode_t, ringfence_submit_fn,
    },
    driver::Driver,
    object::{GRAPHS, GraphObject, HandIn, MEMORY, lease_of, pool_of},
    types::{
        ordered, ringfence_array_use_t, ringfence_capture_t, ringfence_graph_t, ringfence_lease_t,
        ringfence_memory_t, ringfence_ordered_t, ringfence_pool_t,
    },
};
use crate::{
    border::{border, quiet_border, there},
    handle::{Exclusive, Kind, Refused, Table},
    place::Out,
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

type Scope<'a> = CaptureScope<'a, Driver>;
static CAPTURES: Table<CaptureObject> = Table::new(Kind::Capture);

/// A capture in progress, which its callback's frame owns.
struct CaptureObject {
    scope: *mut Scope<'static>,
    thread: ThreadName,
}
// SAFETY: the scope is touched on its own thread alone: `scope_of` compares.
unsafe impl Send for CaptureObject {}

/// A thread that lives, by the place of a variable of its own: `std`'s name of a thread may allocate, and is kept to the
/// process's end.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ThreadName(usize);
impl ThreadName {
    fn own() -> Self {
        thread_local! {
            static HERE: u8 = const { 0 };
        }
        HERE.with(|here| Self(std::ptr::from_ref(here).addr()))
    }
}

/// Its handle, until the callback's frame ends, also by a panic.
struct Registered(u64);
impl Drop for Registered {
    fn drop(&mut self) {
        // Another thread may be looking whose capture it is: a moment.
        loop {
            match CAPTURES.try_last(self.0) {
                Ok(object) => {
                    CAPTURES.remove(object);
                    return;
                }
                Err(Refused::InUse) => std::hint::spin_loop(),
                Err(_) => return,
            }
        }
    }
}

/// Calls `act` with the capture's scope, on its own thread alone.
fn scope_of<T>(
    capture: ringfence_capture_t,
    act: impl FnOnce(&mut Scope<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let object: Exclusive<CaptureObject> = CAPTURES.alone(capture.handle)?;
    if object.thread != ThreadName::own() {
        return Err(Failure::new(
            Status::RINGFENCE_WRONG_THREAD,
            format_args!(
                "a capture is of use on the thread of its callback alone; submit to it there"
            ),
        ));
    }
    // SAFETY: the handle is there only while the callback's frame, which has the scope, is on this thread's stack below
    // this call; and this call has the object alone.
    let scope: &mut Scope<'_> = unsafe { &mut *{ object.scope } };
    act(scope)
}

/// Records into a capture, with `argument`. Returns 0, or any other number to give the capture up. May not throw.
pub type ringfence_record_fn =
    Option<unsafe extern "C-unwind" fn(argument: *mut c_void, capture: ringfence_capture_t) -> i32>;

/// A caller's function and what it is called with.
struct Record {
    call: unsafe extern "C-unwind" fn(*mut c_void, ringfence_capture_t) -> i32,
    argument: *mut c_void,
}
impl Record {
    fn run(&self, capture: ringfence_capture_t) -> i32 {
        // SAFETY: the caller said that it may be called with this argument, on this thread.
        unsafe { (self.call)(self.argument, capture) }
    }
}

/// Captures what `record` submits, and makes a graph of it. The capture is on the lease's own stream, which runs nothing
/// meanwhile; it ends when `record` returns. When the capture itself fails, the stream is closed: release the lease.
///
/// Gives: `*graph`, which `ringfence_graph_release` or `ringfence_graph_release_later` ends.
/// Errors: `RINGFENCE_GIVEN_UP` when `record` returned another number than 0; `RINGFENCE_CAPTURING`, `RINGFENCE_DRIVER`;
/// `RINGFENCE_DRIVER` also where the driver has no captures. Threads: the lease's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_pool_capture(
    pool: ringfence_pool_t,
    lease: ringfence_lease_t,
    mode: ringfence_capture_mode_t,
    record: ringfence_record_fn,
    argument: *mut c_void,
    graph: Out<ringfence_graph_t>,
) -> ringfence_status_t {
    border(|| {
        let (object, mut lease) = (pool_of(pool)?, lease_of(lease)?);
        let record = Record { call: there(record, "record")?, argument };
        let graph = graph.there("graph")?;
        let mode = match mode {
            RINGFENCE_CAPTURE_MODE_GLOBAL => CaptureMode::Global,
            RINGFENCE_CAPTURE_MODE_THREAD_LOCAL => CaptureMode::ThreadLocal,
            RINGFENCE_CAPTURE_MODE_RELAXED => CaptureMode::Relaxed,
            other => return Err(Failure::unknown("mode", other)),
        };
        let captured = object.pool.capture(&mut lease.lease, mode, |scope| {
            let scope = std::ptr::from_mut(scope) as *mut Scope<'static>;
            let made = CaptureObject { scope, thread: ThreadName::own() };
            let handle = match CAPTURES.insert(made) {
                Ok(handle) => handle,
                Err(failure) => return Ok(Err(failure)),
            };
            let _until_the_end = Registered(handle);
            Ok(Ok(record.run(ringfence_capture_t { handle })))
        })?;
        match captured.value? {
            0 => {}
            code => return Err(given_up(code, "the capture")),
        }
        let handle = GRAPHS.insert(GraphObject { graph: captured.graph, home: object.home() })?;
        graph.write(ringfence_graph_t { handle });
        Ok(())
    })
}
/// Records work: `submit` is called with the capture's stream.
///
/// Errors: `RINGFENCE_DRIVER`, `RINGFENCE_WRONG_THREAD`. Threads: that of the callback. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_capture_submit(
    capture: ringfence_capture_t,
    submit: ringfence_submit_fn,
    argument: *mut c_void,
) -> ringfence_status_t {
    border(|| {
        let work = submit_of(submit, argument)?;
        scope_of(capture, |scope| Ok(scope.submit(work)?))
    })
}
/// Keeps memory alive for as long as the graph exists, whoever gives it up meanwhile.
///
/// Errors: of handles, `RINGFENCE_OTHER_POOL`, `RINGFENCE_WRONG_THREAD`. Threads: that of the callback. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_capture_pin(
    capture: ringfence_capture_t,
    memory: ringfence_memory_t,
) -> ringfence_status_t {
    border(|| {
        let memory = MEMORY.alone(memory.handle)?;
        scope_of(capture, |scope| Ok(scope.pin(&memory.memory)?))
    })
}
/// Lets another leased stream record into this capture, until `ringfence_capture_join`. Every fork has to be joined.
///
/// Errors: `RINGFENCE_DRIVER`, `RINGFENCE_WRONG_THREAD`. Threads: that of the callback, which owns the lease. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_capture_fork(
    capture: ringfence_capture_t,
    lease: ringfence_lease_t,
) -> ringfence_status_t {
    border(|| {
        let mut lease = lease_of(lease)?;
        scope_of(capture, |scope| Ok(scope.fork(&mut lease.lease)?))
    })
}
/// Records work on a forked stream.
///
/// Errors: `RINGFENCE_STALE_STREAM` when it was not forked here; otherwise as `ringfence_capture_submit`.
/// Threads: that of the callback, which owns the lease. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_capture_submit_on(
    capture: ringfence_capture_t,
    lease: ringfence_lease_t,
    submit: ringfence_submit_fn,
    argument: *mut c_void,
) -> ringfence_status_t {
    border(|| {
        let (mut lease, work) = (lease_of(lease)?, submit_of(submit, argument)?);
        scope_of(capture, |scope| Ok(scope.submit_on(&mut lease.lease, work)?))
    })
}
/// Makes the capture's stream follow a forked one.
///
/// Errors: `RINGFENCE_STALE_STREAM` when it was not forked here, `RINGFENCE_OTHER_POOL`; as `ringfence_capture_fork`.
/// Threads: that of the callback, which owns the lease. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_capture_join(
    capture: ringfence_capture_t,
    lease: ringfence_lease_t,
) -> ringfence_status_t {
    border(|| {
        let mut lease = lease_of(lease)?;
        scope_of(capture, |scope| Ok(scope.join(&mut lease.lease)?))
    })
}
/// Launches a graph on the lease's stream, as one piece of work. `uses` are the arrays that the graph uses: the launch
/// follows what used them before, and their stamps remember it. `how` may be NULL.
///
/// Errors: `RINGFENCE_RESET` when the graph's device was reset; otherwise as `ringfence_pool_submit`.
/// Threads: the lease's owner. Finalizers: no.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ringfence_pool_launch(
    pool: ringfence_pool_t,
    lease: ringfence_lease_t,
    graph: ringfence_graph_t,
    uses: *const ringfence_array_use_t,
    count: usize,
    how: Out<ringfence_ordered_t>,
) -> ringfence_status_t {
    border(|| {
        let how = how.if_any("how")?;
        let (object, mut lease) = (pool_of(pool)?, lease_of(lease)?);
        let mut graph = GRAPHS.alone(graph.handle)?;
        // SAFETY: the caller's array, by the rules at the top of the header.
        let mut arrays = unsafe { arrays(uses, count) }?;
        let mut uses: Vec<_> = arrays.iter_mut().map(Used::for_work).collect();
        let (_touch, follows) = object.pool.run_after(&mut lease.lease, &mut uses, |lease| {
            object.pool.launch(lease, &mut graph.graph)
        })?;
        how.write(ordered(follows));
        Ok(())
    })
}
/// Lets go of a graph: the pool destroys it once its last launch is finished, and what it alone kept is freed.
///
/// Takes: `graph`. Errors: of handles. Threads: any, when no other one is in a call on the graph.
/// Finalizers: no: use `ringfence_graph_release_later`.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_graph_release(graph: ringfence_graph_t) -> ringfence_status_t {
    border(|| GRAPHS.take(graph.handle).map(drop))
}
/// The same for a finalizer: the graph is handed in, and the next `ringfence_pool_pump` lets go of it. When the pool is gone it is
/// leaked at once.
///
/// Takes: `graph`, unless it fails. Errors: `RINGFENCE_FULL`: nothing was taken; otherwise of handles,
/// `RINGFENCE_OTHER_POOL`. No message is left. Threads: any, at once. Finalizers: yes.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_graph_release_later(
    pool: ringfence_pool_t,
    graph: ringfence_graph_t,
) -> ringfence_status_t {
    quiet_border(|| {
        let graph = GRAPHS.last_quietly(graph.handle)?;
        let Some(object) = graph.home.find(pool).map_err(Refused::status)? else {
            std::mem::forget(GRAPHS.remove(graph)); // what it pins is leaked anyway
            return Ok(());
        };
        if graph.home.pool != object.pool.id() {
            return Err(Status::RINGFENCE_OTHER_POOL);
        }
        graph.hide();
        object.hand_in.push(HandIn::Graph(graph)).map_err(|thing| {
            thing.returned();
            Status::RINGFENCE_FULL
        })
    })
}
