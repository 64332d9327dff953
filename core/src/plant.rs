//! Planted faults: each breaks one rule at the very line that enforces it, so that the check of
//! that rule can be seen to fail.
//!
//! Without the feature `planted` the macro is the constant `false` and nothing of this remains in a
//! build. With it, a fault is on only inside `plant::with`, on the calling thread.

/// Whether `$fault` is planted here and now. Constant `false` in every default build.
#[cfg(feature = "planted")]
macro_rules! planted {
    ($fault:ident) => {
        $crate::plant::is($crate::plant::Fault::$fault)
    };
}
/// Whether `$fault` is planted here and now. Constant `false` in every default build.
#[cfg(not(feature = "planted"))]
macro_rules! planted {
    ($fault:ident) => {
        $crate::plant::off()
    };
}
/// What [`planted!`] says in a default build: a call, since lints fold a literal.
#[cfg(not(feature = "planted"))]
#[inline(always)]
pub(crate) const fn off() -> bool {
    false
}

#[cfg(feature = "planted")]
pub use switch::{Fault, is, while_set, with};

#[cfg(feature = "planted")]
mod switch {
    use std::{cell::Cell, thread::LocalKey};

    std::thread_local! {
        static PLANTED: Cell<Option<Fault>> = const { Cell::new(None) };
    }

    macro_rules! faults {
        ($($(#[$doc:meta])* $name:ident => $rule:literal,)*) => {
            /// A rule broken on purpose.
            #[derive(Clone, Copy, PartialEq, Eq, Debug)]
            pub enum Fault { $($(#[$doc])* $name,)* }
            impl Fault {
                /// Every fault, in the order of the rules.
                pub const ALL: &[Fault] = &[$(Fault::$name),*];
                /// The rule that the fault breaks, and that a check must name.
                pub const fn rule(self) -> &'static str { match self { $(Fault::$name => $rule,)* } }
                /// The fault's name, as `docs/rules.md` lists it.
                pub const fn name(self) -> &'static str { match self { $(Fault::$name => stringify!($name),)* } }
            }
        };
    }
    faults! {
        /// A signal is armed while a handler or a waiter still holds it.
        ArmWhileHeld => "S1",
        /// A use without the barrier bit is taken for a fence.
        FenceWithoutBarrierBit => "S2",
        /// A fence proves uses of another hardware queue.
        AcrossQueues => "S2",
        /// The read index is taken for completion.
        TrustReadIndex => "S3",
        /// A fence proves uses of another generation of its queue.
        AcrossGenerations => "S4",
        /// A compute queue's fence proves a copy.
        FenceProvesCopy => "S5",
        /// A use proven out of order waits behind a busy older one.
        HideBehindOldest => "S6",
        /// A value below 0 is taken for completion.
        IgnoreOverDecrement => "S7",
        /// A submission that failed half way is reset at once.
        ResetAfterPartFailure => "S8",
        /// A dependency is armed again while its consumer is still queued.
        NoPin => "S9",
        /// The read index releases a pin.
        PinByReadIndex => "S9",
        /// Arms are never flushed.
        NoFlush => "S10",
        /// Peers are given cells in device memory, and wait for them.
        PeerReadsDeviceCell => "S10",
        /// The ring creates or waits while an index is reserved.
        WaitWhileReserved => "S11",
        /// A new recording overwrites the one that waiters hold.
        RecordInPlace => "S12",
        /// A host wait holds a lock.
        WaitUnderLock => "S13",
        /// A signal is destroyed on the callback thread.
        DestroyInHandler => "S13",
        /// The ring waits before it has grown to its cap.
        WaitBeforeGrow => "S14",
        /// Each recording creates its signal.
        CreatePerRecord => "S15",
        /// A signal is armed before its timing is taken.
        ArmBeforeTiming => "S16",
        /// Timestamps are subtracted without a look at their order.
        RawSubtraction => "S16",
        /// A lost device counts as completion.
        LostIsFinished => "S17",
        /// A forced completion counts as completion.
        ForcedIsFinished => "S18",
        /// A name of a use is taken for the signal's present use.
        StaleHandle => "S19",
        /// A proven event is loaded again.
        ReloadProven => "S19",
        /// Nothing asks for a fence when a pin would wait for ever.
        NeverAskForFence => "S20",
        /// A wait that promises data takes any completed packet for it.
        SyncWithoutRelease => "S21",
        /// A stream is leased again while its last owner's work still runs.
        LeaseBeforeDone => "T1",
        /// Live leases count against the cap of idle streams.
        CapCountsLeases => "T2",
        /// Switching to another key gives the stream of the first one up.
        SwitchForgets => "T3",
        /// A stream is created with the pool locked.
        CreateUnderLock => "T4",
        /// The lock is let go of between the check of a stamp and the act.
        ActAfterCheck => "T5",
        /// A stream is handed on under the generation of its last owner.
        KeepGeneration => "T6",
        /// A stamp of an earlier generation is waited for.
        WaitForOldTenancy => "T6",
        /// Memory is freed on the stream that used it, whosever that is by now.
        FreeOnRecycled => "T7",
        /// A free that the driver refused is forgotten.
        DropRefusedFree => "T7",
        /// Memory is used, and freed, with no regard for where it was allocated.
        ForgetAllocation => "T7",
        /// The driver is asked in the thread's own capture mode.
        QueryWithoutGuard => "T8",
        /// The driver is asked without a look at the capture status.
        QueryBeforeStatus => "T8",
        /// A stream is handed out without a look at the capture status.
        HandOutCapturing => "T9",
        /// A stream is destroyed with work pending.
        DestroyBusy => "T10",
        /// A cancelled copy gives its buffer back at once.
        ReleaseOnCancel => "T11",
        /// The raw handle of a pooled stream is wrapped as somebody else's.
        WrapMakesAnother => "T12",
        /// The progress word is believed after the raw handle was given out.
        TrustVoidWord => "T13",
        /// A marker is written on a stream that captures.
        MarkWhileCapturing => "T13",
    }

    /// Whether `fault` is planted on this thread.
    pub fn is(fault: Fault) -> bool {
        PLANTED.get() == Some(fault)
    }

    /// Runs `body` with `fault` planted on this thread, also when it unwinds.
    pub fn with<T>(fault: Fault, body: impl FnOnce() -> T) -> T {
        while_set(&PLANTED, Some(fault), body)
    }
    /// Runs `body` with a switch of this thread set, also when it unwinds: what other crates plant their own faults with.
    pub fn while_set<S: Copy + 'static, T>(
        switch: &'static LocalKey<Cell<S>>,
        to: S,
        body: impl FnOnce() -> T,
    ) -> T {
        struct Restore<S: Copy + 'static>(&'static LocalKey<Cell<S>>, S);
        impl<S: Copy> Drop for Restore<S> {
            fn drop(&mut self) {
                self.0.set(self.1);
            }
        }
        let _restore = Restore(switch, switch.replace(to));
        body()
    }
}
