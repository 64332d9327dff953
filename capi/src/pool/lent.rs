//! A lease for as long as a callback runs: an owner's, whose table keeps it.

use std::{
    ffi::c_void,
    ops::{Deref, DerefMut},
    ptr::NonNull,
};

use ringfence::stream::Lease;

use super::{
    array::given_up,
    object::{LEASES, LeaseObject, Raw},
    owners::{owners_of, ringfence_owners_t},
    types::{ringfence_lease_t, ringfence_stream_key_t},
};
use crate::{
    border::{border, there},
    handle::Refused,
    place::In,
    status::{Failure, ringfence_status_t, ringfence_status_t as Status},
};

/// A lease behind a handle.
pub(crate) enum Held {
    Own(Lease),
    Lent(Lent),
}
/// A lease that the frame of [`lend`] has.
pub(crate) struct Lent(NonNull<Lease>);
// SAFETY: a lease may go to another thread, and the handle gives it to one call at a time.
unsafe impl Send for Lent {}

impl Held {
    /// Whether the lease may be ended by its handle.
    pub(crate) fn is_lent(&self) -> bool {
        matches!(self, Self::Lent(_))
    }
    /// Before a call that takes it.
    pub(crate) fn may_end(&self) -> Result<(), Failure> {
        if !self.is_lent() {
            return Ok(());
        }
        Err(Failure::new(
            Status::RINGFENCE_IN_USE,
            format_args!("the lease is an owner's, lent to a callback: it ends with its owner"),
        ))
    }
    /// The lease itself, where [`may_end`](Self::may_end) was asked before.
    pub(crate) fn into_own(self) -> Option<Lease> {
        match self {
            Self::Own(lease) => Some(lease),
            Self::Lent(_) => None,
        }
    }
}
impl Deref for Held {
    type Target = Lease;
    fn deref(&self) -> &Lease {
        match self {
            Self::Own(lease) => lease,
            // SAFETY: the handle is there only while the frame that has the lease waits for its callback, and does not touch it; and
            // it gives the lease to one call at a time.
            Self::Lent(lent) => unsafe { lent.0.as_ref() },
        }
    }
}
impl DerefMut for Held {
    fn deref_mut(&mut self) -> &mut Lease {
        match self {
            Self::Own(lease) => lease,
            // SAFETY: as above.
            Self::Lent(lent) => unsafe { lent.0.as_mut() },
        }
    }
}

/// The handle of a lent lease, until the callback's frame ends, also by a panic.
struct Registered(u64);
impl Drop for Registered {
    fn drop(&mut self) {
        // A call of another thread may have it still: it is waited for.
        loop {
            match LEASES.try_last(self.0) {
                Ok(object) => {
                    LEASES.remove(object);
                    return;
                }
                Err(Refused::InUse) => std::thread::yield_now(),
                Err(_) => return,
            }
        }
    }
}
/// Calls `act` with a handle of the lease.
fn lend<T>(
    lease: &mut Lease,
    act: impl FnOnce(ringfence_lease_t) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let lent = Held::Lent(Lent(NonNull::from(lease)));
    let handle = LEASES.insert(LeaseObject { lease: lent, handle: Raw::Kept })?;
    let _until_the_end = Registered(handle);
    act(ringfence_lease_t { handle })
}

/// Uses an owner's stream, by its lease. Returns 0, or any other number, which `ringfence_owners_with` tells of. May not throw.
pub type ringfence_owner_act_fn =
    Option<unsafe extern "C-unwind" fn(argument: *mut c_void, lease: ringfence_lease_t) -> i32>;

/// A caller's function and what it is called with.
struct Act {
    call: unsafe extern "C-unwind" fn(*mut c_void, ringfence_lease_t) -> i32,
    argument: *mut c_void,
}
impl Act {
    fn run(&self, lease: ringfence_lease_t) -> i32 {
        // SAFETY: the caller said that it may be called with this argument, on this thread.
        unsafe { (self.call)(self.argument, lease) }
    }
}

/// Calls `act` with `argument` and a lease of the owner's stream of `key`, which it gets now if it has none: for all that
/// `ringfence_owners_submit`, `_allocate` and `_stream` do not do, such as `ringfence_pool_expose`, `ringfence_pool_order_after`,
/// `ringfence_stamp_note` and `ringfence_pool_capture`. The stream stays the owner's, and a raw handle of it stays good, until the
/// owner is over.
///
/// The lease is good until `act` returns, on any thread, for one call at a time; whatever would end it is refused with
/// `RINGFENCE_IN_USE`. Calls on the same owner are refused meanwhile; those on others of the table are not.
/// Errors: `RINGFENCE_GIVEN_UP` when `act` returned another number than 0; `RINGFENCE_OWNER_IN_USE` when another call has this
/// owner's streams; as `ringfence_pool_acquire`. Threads: any, one at a time for each owner. Finalizers: no.
#[unsafe(no_mangle)]
pub extern "C" fn ringfence_owners_with(
    owners: ringfence_owners_t,
    owner: u64,
    key: In<ringfence_stream_key_t>,
    act: ringfence_owner_act_fn,
    argument: *mut c_void,
) -> ringfence_status_t {
    border(|| {
        let object = owners_of(owners)?;
        let act = Act { call: there(act, "act")?, argument };
        let key = key.there("key")?.read()?;
        let code = object.with(owner, key, |lease| lend(lease, |lease| Ok(act.run(lease))))?;
        if code == 0 { Ok(()) } else { Err(given_up(code, "`ringfence_owners_with`")) }
    })
}
