//! Who else holds a signal, and the one way to arm it.

use std::marker::PhantomData;

use super::reaper::Reaper;
use crate::{
    id::{SignalHandle, UseId},
    proof::Retired,
    sync::Arc,
};

/// A counted hold on a signal: it is not armed again while this lives. GPU waiters' pins, handlers,
/// blocking waits and unfinished events hold one.
///
/// Dropping the last hold after the ring is gone sends the signal to the [`Reaper`]; it never calls
/// a device.
///
/// ```compile_fail,E0499
/// use ringfence::ring::Custody;
/// fn lent_while_alone(c: &mut Custody) { let alone = c.sole(); let held = c.lend(); drop(alone); }
/// ```
#[derive(Clone, Debug)]
pub struct Holder(Arc<Shared>);
impl Holder {
    /// The signal that is held.
    pub fn signal(&self) -> SignalHandle {
        self.0.signal
    }
}

#[derive(Debug)]
struct Shared {
    signal: SignalHandle,
    reaper: Arc<Reaper>,
}
impl Drop for Shared {
    fn drop(&mut self) {
        self.reaper.take(self.signal);
    }
}

/// The ring's side of a signal. A plain flag remembers whether it was lent since the ring last had it
/// alone, so that the shared count is looked at only then.
///
/// ```
/// use ringfence::ring::Custody;
/// /// Whether a signal whose last use is proven can be armed now, or has to be parked.
/// fn is_alone(signal: &mut Custody) -> bool {
///     signal.sole().is_some() // `None` as long as one `Holder` lives
/// }
/// ```
#[derive(Debug)]
pub struct Custody {
    signal: SignalHandle,
    shared: Arc<Shared>,
    lent: bool,
}
impl Custody {
    /// Takes a new signal in; `reaper` gets it when the last hold is gone.
    pub(crate) fn new(signal: SignalHandle, reaper: Arc<Reaper>) -> Self {
        Self { signal, shared: Arc::new(Shared { signal, reaper }), lent: false }
    }
    /// The signal.
    #[inline]
    pub fn signal(&self) -> SignalHandle {
        self.signal
    }
    /// Somebody else holds the signal from here on.
    #[inline]
    pub fn lend(&mut self) -> Holder {
        self.lent = true;
        Holder(self.shared.clone())
    }
    /// Whether the last of those whom the signal was lent to has let go.
    #[inline(never)]
    fn is_back(&mut self) -> bool {
        // `get_mut` acquires what the last holder released, so that its reads come before the arm.
        let back = Arc::get_mut(&mut self.shared).is_some() || planted!(ArmWhileHeld);
        self.lent = !back;
        back
    }
    /// Whether somebody else holds it, for a digest of the state.
    pub(crate) fn is_held(&self) -> bool {
        self.lent && Arc::strong_count(&self.shared) > 1
    }
    /// Exclusive access, if nobody else holds the signal.
    #[inline]
    pub fn sole(&mut self) -> Option<Sole<'_>> {
        if self.lent && !self.is_back() {
            return None;
        }
        Some(Sole { signal: self.signal, exclusive: PhantomData })
    }
}

/// Nobody else holds the signal, for as long as this lives: exclusive access, at no cost.
///
/// ```
/// use ringfence::{id::UseId, proof::Retired, ring::{Arm, Custody}};
/// fn arm(signal: &mut Custody, last_use: UseId, retired: Retired) -> Option<Arm> {
///     let alone = signal.sole()?; // nobody can be lent it before the next line
///     Some(alone.arm(last_use, retired))
/// }
/// ```
#[derive(Debug)]
#[must_use]
pub struct Sole<'a> {
    signal: SignalHandle,
    exclusive: PhantomData<&'a mut ()>,
}
impl Sole<'_> {
    /// S1 in one signature: exclusive access ends, and the proof of the last use is used up.
    ///
    /// ```compile_fail,E0382
    /// use ringfence::{id::UseId, proof::Retired, ring::Sole};
    /// fn one_proof_two_signals(a: Sole<'_>, b: Sole<'_>, of: UseId, r: Retired) {
    ///     let _ = (a.arm(of, r), b.arm(of, r));
    /// }
    /// ```
    ///
    /// # Panics
    /// If the proof is of another use than the signal's last one, in release builds as well: a proof
    /// that nobody compares is decoration.
    #[inline]
    pub fn arm(self, last_use: UseId, retired: Retired) -> Arm {
        assert!(retired.of() == last_use, "S1: a proof of another use than the signal's last one");
        Arm { signal: self.signal }
    }
}

/// An order to the device: store the initial value. Not usable before the next flush (S10).
///
/// ```
/// use ringfence::{backend::Signals, id::SignalValue, ring::{Arm, Ring}};
/// /// A whole batch of stores, and one flush for all of them.
/// fn store<D: Signals>(gpu: &D, ring: &mut Ring, batch: Vec<Arm>) {
///     for arm in batch {
///         gpu.arm(arm.signal(), SignalValue::ARMED);
///     }
///     gpu.flush();
///     ring.flushed(); // usable from here on
/// }
/// ```
#[derive(Debug)]
#[must_use = "the ring counts this signal as armed: the store has to happen"]
pub struct Arm {
    signal: SignalHandle,
}
impl Arm {
    /// The signal to arm.
    #[inline]
    pub fn signal(&self) -> SignalHandle {
        self.signal
    }
}
