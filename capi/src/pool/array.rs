//! Work on arrays: it follows what used them before, and is remembered in their stamps.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use ringfence::{
    drive::{ArrayUse, Ordered, StreamPool},
    stream::{Access, Lease, Stamp},
};

use super::{
    backend::ringfence_submit_fn,
    driver::{Driver, Submit},
    object::STAMPS,
    types::{access, ringfence_array_use_t},
};
use crate::{
    border::there,
    handle::Exclusive,
    place::{list, room},
    status::{Failure, ringfence_status_t as Status},
};

/// One array, for this call alone.
pub(crate) struct Used {
    handle: u64,
    stamp: Exclusive<Stamp>,
    access: Access,
}

impl Used {
    /// For the core: the work follows what used the array before, and the array remembers it.
    pub(crate) fn for_work(&mut self) -> ArrayUse<'_> {
        ArrayUse::new(&mut self.stamp, self.access)
    }
}

/// The arrays that a call names, each once, with the strongest access.
///
/// # Safety
/// `uses` points to `count` of them, or is NULL and `count` is 0.
pub(crate) unsafe fn arrays(
    uses: *const ringfence_array_use_t,
    count: usize,
) -> Result<Vec<Used>, Failure> {
    // SAFETY: as promised by the caller.
    let uses = unsafe { list(uses, count, "uses") }?;
    let mut used: Vec<Used> = room(uses.len(), "uses")?;
    for one in uses {
        Failure::unless_0("uses->reserved", one.reserved)?;
        let (handle, access) = (one.stamp.handle, access(one.access)?);
        match used.iter_mut().find(|other| other.handle == handle) {
            Some(twice) if access == Access::Write => twice.access = access,
            Some(_) => {}
            None => used.push(Used { handle, stamp: STAMPS.alone(handle)?, access }),
        }
    }
    Ok(used)
}
pub(crate) fn submit_of(
    submit: ringfence_submit_fn,
    argument: *mut std::ffi::c_void,
) -> Result<Submit, Failure> {
    Ok(Submit::new(there(submit, "submit")?, argument))
}

/// Orders, submits, and remembers: also when the submission fails, since a part of it may run.
pub(crate) fn submit_on(
    pool: &StreamPool<Driver>,
    lease: &mut Lease,
    mut arrays: Vec<Used>,
    work: Submit,
) -> Result<Ordered, Failure> {
    let submitted = catch_unwind(AssertUnwindSafe(|| {
        let mut uses: Vec<_> = arrays.iter_mut().map(Used::for_work).collect();
        pool.submit_after(lease, &mut uses, work)
    }));
    drop(arrays); // before the panic goes on: they remember what may run, and are as they should be
    match submitted {
        Ok(submitted) => submitted.map(|(_touch, ordered)| ordered).map_err(Failure::from),
        Err(panic) => resume_unwind(panic),
    }
}

/// A stamp that a call reads. 0 stands for an array that was ready, and never used.
pub(crate) fn stamp_of(handle: u64) -> Result<Option<Exclusive<Stamp>>, Failure> {
    if handle == 0 { Ok(None) } else { STAMPS.alone(handle).map(Some) }
}

/// What a callback's answer means for the one who called.
pub(crate) fn given_up(code: i32, what: &str) -> Failure {
    Failure::new(
        Status::RINGFENCE_GIVEN_UP,
        format_args!("the callback of {what} returned {code}, so that nothing came of it"),
    )
}
