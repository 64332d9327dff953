//! A forked child: what a thread of the parent held is held for ever, and nobody waits for it.

mod common;

use std::{
    ffi::c_void,
    mem::MaybeUninit,
    ptr::null,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc,
    },
    time::Duration,
};

use common::{KEY, NULL, Toy, acquire, at, new_array, nothing, ok, out, to, write};
use ringfence_capi::{ringfence_status_t::*, *};

static IN: AtomicBool = AtomicBool::new(false);
/// Held by the test for as long as the thread of the parent is to stay where it is.
static GATE: Mutex<()> = Mutex::new(());

/// A driver that answers when the gate opens: its stream's lock is held meanwhile.
unsafe extern "C-unwind" fn query(_context: *mut c_void, _stream: u64) -> u32 {
    IN.store(true, SeqCst);
    drop(GATE.lock());
    RINGFENCE_STREAM_STATE_PENDING
}
unsafe extern "C-unwind" fn running(_context: *mut c_void, _owner: u64) -> u32 {
    RINGFENCE_OWNER_RUNNING
}
/// Runs what may wait for nobody, on a thread that is left behind where it does.
#[track_caller]
fn at_once<T: Send + 'static>(what: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || tell.send(what()));
    told.recv_timeout(Duration::from_secs(20)).expect("it waits for a lock that nobody lets go of")
}

#[test]
fn a_forked_child_waits_for_no_thread_of_its_parent() {
    let toy = Toy::new();
    let mut table = toy.table();
    table.query = Some(query);
    // SAFETY: the table is there, and its driver lives for ever.
    let pool = out(|pool| unsafe { ringfence_pool_create(&raw const table, null(), pool) });
    let owners = out(|owners| ringfence_owners_create(pool, Some(running), NULL, 0, owners));
    let (lease, own) = (acquire(pool), acquire(pool));
    let (array, mark) = new_array(pool, lease);
    let (other, noted) = new_array(pool, lease);
    ok(write(pool, lease, mark));
    ok(ringfence_lease_release(lease));

    let gate = GATE.lock().expect("no test panics with it");
    // A thread of the parent looks at the stream that drains, with its lock held.
    let pumps = std::thread::spawn(move || common::pump(pool));
    while !IN.load(SeqCst) {
        std::hint::spin_loop();
    }
    toy.state.store(RINGFENCE_STATE_FORKED, SeqCst);

    let became = at_once(move || out(|became| ringfence_pool_retire(pool, array, mark, became)));
    assert_eq!(became, RINGFENCE_FREED_LEAKED);
    let status = at_once(move || {
        let mut finished = MaybeUninit::uninit();
        ringfence_stamp_is_finished(noted, pool, RINGFENCE_ACCESS_WRITE, to(&mut finished))
    });
    assert_eq!(status, RINGFENCE_FORKED);
    ok(at_once(move || ringfence_pool_retire_later(pool, other, noted)));
    // SAFETY: NULL is allowed.
    let status = at_once(move || unsafe { ringfence_pool_pump(pool, std::ptr::null_mut()) });
    assert_eq!(status, RINGFENCE_FORKED);
    let status = at_once(move || {
        // SAFETY: no array is named.
        unsafe {
            ringfence_owners_submit(owners, 1, at(&KEY), null(), 0, Some(nothing), NULL, Out::NULL)
        }
    });
    assert_eq!(status, RINGFENCE_FORKED);
    assert_eq!(at_once(move || ringfence_owners_sweep(owners, Out::NULL)), RINGFENCE_FORKED);
    ok(at_once(move || ringfence_lease_release(own)));
    ok(at_once(move || ringfence_owners_destroy(owners)));
    // What the other thread was in a call on is its own for ever.
    assert_eq!(at_once(move || ringfence_pool_destroy(pool)), RINGFENCE_IN_USE);

    drop(gate);
    pumps.join().expect("the parent's thread goes on");
    ok(ringfence_pool_destroy(pool));
}
