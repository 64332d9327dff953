//! A task gets a stream.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::{Crowd, Shared, StreamPool, guard::Relaxed, kept::Kept, look::Asked};
use crate::{
    backend::streams::StreamBackend,
    error::{DriverError, StreamError},
    id::{DeviceContext, RawProgress, RawStream, StreamKey, StreamRef},
    observe,
    stream::{Claim, Kind, Lease, Made, Offer, Reservation, Resets, Shortage, Slot, Why},
    sync::{Arc, let_others_go_on},
};

/// What a try to get a stream brought.
///
/// ```
/// use ringfence::{backend::streams::StreamBackend, drive::*, error::StreamError, id::StreamKey, stream::Shortage};
///
/// /// A name for the task's stream, or a word about why it has none.
/// fn named<B: StreamBackend>(pool: &StreamPool<B>, key: StreamKey) -> Result<String, StreamError> {
///     Ok(match pool.try_acquire(key)? {
///         Attempt::Leased(lease) => lease.stream().to_string(),
///         Attempt::Full(Shortage::Full { live, cap }) => format!("{live} of {cap} streams are in use"),
///     })
/// }
/// ```
#[derive(Debug)]
#[must_use]
pub enum Attempt<A = ()> {
    /// A lease.
    Leased(Lease<A>),
    /// The hard cap is reached and nothing is idle: drop leases, or wait.
    Full(Shortage),
}

/// A creation in progress: taken back when it fails, also by a panic.
struct Creating<'a, A> {
    shared: &'a Shared<A>,
    reservation: Option<Reservation>,
}
impl<A> Drop for Creating<'_, A> {
    fn drop(&mut self) {
        if let Some(reservation) = self.reservation.take() {
            self.shared.pool().abandoned(reservation);
        }
    }
}

/// A disposal stream in the making: taken back when that fails, also by a panic.
struct MakingDisposal<'a, A> {
    shared: &'a Shared<A>,
    claim: Option<(DeviceContext, Resets)>,
}
impl<A> Drop for MakingDisposal<'_, A> {
    fn drop(&mut self) {
        if let Some((place, claimed)) = self.claim.take() {
            self.shared.pool().abandon_disposal(place, claimed);
        }
    }
}

impl<B: StreamBackend, A> StreamPool<B, A> {
    /// A stream of `key` for this task alone: one whose work is finished if there is one, else a new one. It
    /// never waits for work, nor for a creation in progress.
    ///
    /// # Errors
    /// [`StreamError::Create`] when the driver has none; [`StreamError::Full`] at the hard cap;
    /// [`StreamError::DeviceLost`], [`StreamError::Forked`], [`StreamError::ShutDown`].
    pub fn acquire(&self, key: StreamKey) -> Result<Lease<A>, StreamError> {
        match self.try_acquire(key)? {
            Attempt::Leased(lease) => Ok(lease),
            Attempt::Full(Shortage::Full { live, cap }) => Err(StreamError::Full { live, cap }),
        }
    }
    /// The same, where a full pool is an answer and no error.
    ///
    /// # Errors
    /// As [`acquire`](Self::acquire), but for `Full`.
    pub fn try_acquire(&self, key: StreamKey) -> Result<Attempt<A>, StreamError> {
        self.usable()?;
        let mut reaped = false;
        let mut pool = self.shared.pool();
        if pool.reaps_before_claims() {
            drop(pool);
            self.reap();
            pool = self.shared.pool();
        }
        let mut visit = pool.visit();
        loop {
            match pool.claim(key, &mut visit) {
                Claim::Reuse(offer) => {
                    drop(pool);
                    match self.take(offer) {
                        Ok(lease) => return Ok(Attempt::Leased(lease)),
                        Err((offer, why)) => {
                            observe::passed_over(self.shared.id, offer.slot().id(), why);
                            pool = self.shared.pool();
                            pool.refused(offer, why);
                            lost(why)?;
                        }
                    }
                }
                Claim::Share(lease) => {
                    drop(pool);
                    observe::leased(lease.stream());
                    return Ok(Attempt::Leased(lease));
                }
                Claim::Create(reservation) => {
                    drop(pool);
                    return self.create(reservation).map(Attempt::Leased);
                }
                Claim::Reap if !reaped => {
                    drop(pool);
                    reaped = true;
                    self.reap();
                    pool = self.shared.pool();
                }
                Claim::Reap => return Ok(Attempt::Full(pool.shortage())),
                Claim::Short(shortage) => return Ok(Attempt::Full(shortage)),
            }
        }
    }
    /// A stream of `key` that nobody gets after this owner: what a library keeps for itself. It is destroyed
    /// when its lease is dropped and its work is finished.
    ///
    /// # Errors
    /// As [`acquire`](Self::acquire).
    ///
    /// ```
    /// # use ringfence::{backend::streams::StreamBackend, drive::StreamPool, error::StreamError, id::StreamKey};
    /// # fn library<B: StreamBackend>(pool: &StreamPool<B>, key: StreamKey) -> Result<(), StreamError> {
    /// let of_the_library = pool.reserve(key)?; // as long as the library lives
    /// drop(of_the_library);
    /// pool.pump(); // destroys it, if its work is finished by now
    /// # Ok(())
    /// # }
    /// ```
    pub fn reserve(&self, key: StreamKey) -> Result<Lease<A>, StreamError> {
        self.usable()?;
        for _ in 0..2 {
            let claim = self.shared.pool().claim_reserved(key);
            match claim {
                Claim::Create(reservation) => return self.create(reservation),
                Claim::Reap => drop(self.reap()),
                _ => break,
            }
        }
        let Shortage::Full { live, cap } = self.shared.pool().shortage();
        Err(StreamError::Full { live, cap })
    }
    /// The idle stream of `key` that the next acquire would look at first. Creates nothing and claims nothing:
    /// code that only saves and restores a current stream must not make one.
    pub fn peek(&self, key: StreamKey) -> Option<StreamRef> {
        let slot = self.shared.pool().peek(key).cloned()?;
        let generation = slot.lock().generation;
        Some(slot.reference(generation))
    }
    /// A lease of an existing stream, if one is idle. Never creates.
    ///
    /// # Errors
    /// As [`acquire`](Self::acquire), but for `Create` and `Full`.
    ///
    /// ```
    /// # use ringfence::{backend::streams::StreamBackend, drive::StreamPool, error::StreamError, id::StreamKey};
    /// # fn saved<B: StreamBackend>(pool: &StreamPool<B>, key: StreamKey) -> Result<(), StreamError> {
    /// if let Some(lease) = pool.acquire_existing(key)? {
    ///     println!("{} is free", lease.stream()); // its work was proven finished
    /// } // else: not worth a creation
    /// # Ok(())
    /// # }
    /// ```
    pub fn acquire_existing(&self, key: StreamKey) -> Result<Option<Lease<A>>, StreamError> {
        self.usable()?;
        let mut pool = self.shared.pool();
        let mut visit = pool.visit();
        while let Some(offer) = pool.claim_existing(key, &mut visit) {
            drop(pool);
            match self.take(offer) {
                Ok(lease) => return Ok(Some(lease)),
                Err((offer, why)) => {
                    observe::passed_over(self.shared.id, offer.slot().id(), why);
                    pool = self.shared.pool();
                    pool.refused(offer, why);
                    lost(why)?;
                }
            }
        }
        Ok(None)
    }

    /// Proves the offered stream idle and hands it on, under one hold of its lock (T5).
    #[inline]
    fn take(&self, offer: Offer<A>) -> Result<Lease<A>, (Offer<A>, Why)> {
        let offer = Kept::of(&self.shared, offer, not_looked_at);
        let generation = {
            let Some(mut tenancy) = offer.get().slot().try_lock() else {
                return Err((offer.take(), Why::Busy));
            };
            // What was seen before answers most often.
            let (proven, asked) = match tenancy.proven() {
                Some(position) => (Ok(position), Asked::Nobody),
                None => self.prove_idle(offer.get().slot(), &mut tenancy),
            };
            let handed = proven.and_then(|position| tenancy.hand_on(position));
            drop(tenancy);
            if asked == Asked::Driver {
                self.shared.pool().counts_mut().looks_by_query += 1;
            }
            match handed {
                Ok(generation) => generation,
                Err(why) => return Err((offer.take(), why)),
            }
        };
        let lease = Lease::new(offer.take().into_slot(), generation);
        observe::leased(lease.stream());
        Ok(lease)
    }

    /// Creates a stream on a reservation, with no lock held (T4).
    #[cold]
    fn create(&self, reservation: Reservation) -> Result<Lease<A>, StreamError> {
        let key = reservation.key();
        let mut creating = Creating { shared: &self.shared, reservation: Some(reservation) };
        self.make_disposal(key.place)?;
        let (raw, word) = self.new_stream(key)?;
        let attachment = self.attachment(raw, word);
        let Some(reservation) = creating.reservation.take() else {
            return Err(StreamError::ShutDown);
        };
        let (slot, crowd) = {
            let mut pool = self.shared.pool();
            (pool.created(reservation, raw, word, attachment), pool.take_warning())
        };
        let lease = Slot::lease(&slot); // given back, should the user's code panic
        if let Some(live) = crowd {
            observe::crowded(self.shared.id, live);
            if let Some(warn) = &self.on_crowd {
                warn(Crowd { live });
            }
        }
        observe::created(lease.stream(), raw);
        observe::leased(lease.stream());
        Ok(lease)
    }
    pub(super) fn new_stream(
        &self,
        key: StreamKey,
    ) -> Result<(RawStream, Option<RawProgress>), StreamError> {
        let failed = |cause| match cause {
            DriverError::DeviceLost(_) => StreamError::DeviceLost,
            cause => StreamError::Create { key, cause },
        };
        let _held = planted!(CreateUnderLock).then(|| self.shared.pool());
        // A creation is legal in every mode; a word may be pinned memory, which is not.
        let _relaxed = Relaxed::enter(&self.driver);
        let raw = self.driver.create(key).map_err(failed)?;
        // A driver that fails at its word has none, and is asked in its place.
        let word = self.driver.open_progress(raw).unwrap_or(None);
        Ok((raw, word))
    }
    /// What the user keeps with a new stream. If that panics, nobody has the stream, and it goes.
    pub(super) fn attachment(&self, raw: RawStream, word: Option<RawProgress>) -> A {
        let made = catch_unwind(AssertUnwindSafe(|| (self.attach)(raw)));
        made.unwrap_or_else(|panic| {
            let _relaxed = Relaxed::enter(&self.driver);
            if self.driver.destroy(raw).is_ok()
                && let Some(word) = word
            {
                self.driver.close_progress(word);
            }
            resume_unwind(panic)
        })
    }
    /// Makes the disposal stream of a place, with its first stream, so that a free never has to (T7).
    pub(super) fn make_disposal(&self, place: DeviceContext) -> Result<(), StreamError> {
        let Some(claimed) = self.shared.pool().claim_disposal(place) else { return Ok(()) };
        let mut making = MakingDisposal { shared: &self.shared, claim: Some((place, claimed)) };
        let key = StreamKey::new(place);
        let (raw, word) = self.new_stream(key)?;
        let attachment = self.attachment(raw, word);
        let made = Made { key, raw, word, kind: Kind::Disposal, attachment };
        let mut pool = self.shared.pool();
        // Its handle may have gone with the device while it was made: then whoever needs one makes another.
        if pool.resets(place.device) == claimed {
            let _slot = pool.adopt(made);
            making.claim = None;
        }
        drop(pool);
        Ok(())
    }
    /// The disposal stream of a place, also while another thread makes it: for those who may wait.
    pub(super) fn await_disposal(&self, place: DeviceContext) -> Result<Arc<Slot<A>>, StreamError> {
        loop {
            if let Some(disposal) = self.disposal(place) {
                return Ok(disposal);
            }
            self.usable()?; // after the pool's end there is none, and none is made (T10)
            self.make_disposal(place)?; // the other's attempt may have failed
            if self.disposal(place).is_none() {
                let_others_go_on();
            }
        }
    }
}

/// The look at an offered stream panicked: it is looked at again.
#[cold]
pub(super) fn not_looked_at<A>(shared: &Shared<A>, offer: Offer<A>) {
    shared.pool().refused(offer, Why::Busy);
}
/// A refusal that concerns the whole device ends the search.
fn lost(why: Why) -> Result<(), StreamError> {
    match why {
        Why::Bad(DriverError::DeviceLost(_)) => Err(StreamError::DeviceLost),
        _ => Ok(()),
    }
}
