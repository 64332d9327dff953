//! The rules of the streams half, by name.

use std::{fmt, str::FromStr};

macro_rules! rules {
    ($($(#[doc = $doc:literal])* $name:ident,)*) => {
        /// A rule of the streams half that never breaks; `docs/rules.md` has them in full.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum StreamRule { $($(#[doc = $doc])* $name,)* }
        impl StreamRule {
            /// All, in order.
            pub const ALL: &[Self] = &[$(Self::$name),*];
            /// The identifier, as in `T3`.
            pub const fn name(self) -> &'static str { match self { $(Self::$name => stringify!($name),)* } }
            /// The rule in one line.
            pub fn summary(self) -> &'static str { match self { $(Self::$name => concat!($($doc),*).trim_start(),)* } }
        }
    };
}
rules! {
    /// Two live leases never share a stream, and a stream is leased again only when its work is finished.
    T1,
    /// The cap counts idle streams: live leases never keep one from being used again.
    T2,
    /// A task keeps one stream for each key.
    T3,
    /// Streams are created and destroyed outside every lock.
    T4,
    /// Check and act are one hold of the stream's lock, and no lock is held during a host wait.
    T5,
    /// Only a hand-over raises a generation; nobody waits for an older one, or skips the wait for the present one.
    T6,
    /// Memory is freed exactly once, after its last use, and in nobody's graph.
    T7,
    /// A driver call on the library's own behalf leaves captures alone.
    T8,
    /// A stream that captures, is in error or is gone is never handed out.
    T9,
    /// A destructor calls no driver; only idle streams are destroyed; nothing is called after the end.
    T10,
    /// What the device still works on is neither given back nor used again, whatever was dropped or forgotten.
    T11,
    /// Streams are equal by identity, never by raw handle.
    T12,
    /// A progress word proves only counted work.
    T13,
}
impl fmt::Display for StreamRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No rule of the streams half has this name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is no rule of the streams half; they are T1 to T13")]
pub struct NoSuchStreamRule(String);
impl FromStr for StreamRule {
    type Err = NoSuchStreamRule;
    fn from_str(name: &str) -> Result<Self, NoSuchStreamRule> {
        let found = Self::ALL.iter().find(|rule| rule.name() == name);
        found.copied().ok_or_else(|| NoSuchStreamRule(name.to_owned()))
    }
}
