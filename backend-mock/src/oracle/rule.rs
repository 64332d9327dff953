//! The rules, by name.

use std::fmt;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A rule of the signals half that never breaks; `docs/rules.md` has them in full.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Rule { $($(#[$doc])* $name,)* }
        impl Rule {
            /// All, in order.
            pub const ALL: &[Self] = &[$(Self::$name),*];
            /// The identifier, as in `S3`.
            pub const fn name(self) -> &'static str { match self { $(Self::$name => stringify!($name),)* } }
        }
    };
}
rules! {
    /// A signal is armed only when its last use is proven and nobody else holds it.
    S1,
    /// A fence use proves only lower packets of its own queue and generation.
    S2,
    /// The read index nominates; it proves nothing.
    S3,
    /// Nothing of one generation proves anything of another.
    S4,
    /// A compute queue's fence proves no copy.
    S5,
    /// A busy oldest use hides no younger proven one.
    S6,
    /// A value below 0 is an error, and its signal is used no more.
    S7,
    /// A submission that failed half way is never reset early.
    S8,
    /// A dependency stays un-armed until its consumer is proven complete.
    S9,
    /// Arm, store fence, flush, packet, doorbell; and only readers that can see a cell wait for it.
    S10,
    /// Nothing waits, creates or flushes while an index is reserved; a reserved index is published.
    S11,
    /// A waiter's snapshot outlives a new recording.
    S12,
    /// No lock is held during a host wait; nothing is destroyed on a callback thread.
    S13,
    /// Growth before waiting, and no wait for what nobody submitted.
    S14,
    /// A steady loop creates nothing.
    S15,
    /// Timing is taken before the signal is armed again; only ordered stamps make an interval.
    S16,
    /// A lost device proves nothing and keeps nobody waiting.
    S17,
    /// A forced completion proves nothing.
    S18,
    /// A proven event costs no load.
    S19,
    /// What finishes is retired.
    S20,
    /// A wait that promises data needs a system-scope release.
    S21,
}
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
