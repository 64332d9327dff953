//! What a tracker and a pool tell whoever watches: events for `tracing`, numbers for `metrics`.
//!
//! Both are features, off by default. Without them every function here is empty, and no argument of one is worked
//! out for it. Nothing is told with a lock held: a subscriber is its owner's code (S13, T5).
//!
//! # Events (feature `tracing`)
//!
//! Names are of two words at most and in the past tense, targets are `ringfence::signals` and `ringfence::streams`. Numbers are fields
//! of their own, so that a subscriber need not parse: a use is `queue`, `generation` and `packet`, a tenancy is `pool`, `stream` and
//! `generation`. What happens once per use is at `TRACE`, once per batch, lease or growth at `DEBUG`, and what somebody
//! should look at is at `WARN`.
//!
//! | target | level | events |
//! |---|---|---|
//! | signals | `TRACE` | `submitted`, `copied`, `probed`, `retired`, `armed` |
//! | signals | `DEBUG` | `proven`, `looked`, `flushed`, `grown`, `parked`, `fence asked`, span `host wait` |
//! | signals | `WARN` | `quarantined`, `lost` |
//! | streams | `TRACE` | `submitted`, `followed`, `pumped` |
//! | streams | `DEBUG` | `created`, `leased`, `returned`, `passed over`, `drained`, `destroyed`, `captured`, `launched`, `retired`, span `pump` |
//! | streams | `WARN` | `crowded`, `leaked`, `lost` |
//!
//! `returned` is told by the destructor of a lease: with this feature, a dropped lease runs the subscriber's code.
//!
//! ```
//! # #[cfg(feature = "tracing")]
//! # mod watching {
//! use tracing::{Level, Metadata};
//! /// What a subscriber of one's own says to `enabled`: batches, leases and trouble, but no single uses.
//! fn is_wanted(event: &Metadata<'_>) -> bool {
//!     event.target().starts_with("ringfence::") && *event.level() <= Level::DEBUG
//! }
//! # }
//! ```
//!
//! # Numbers (feature `metrics`)
//!
//! What a ledger counts is published, by the module `metrics`, when its owner says so, and costs a use nothing. Only what has no count, how large batches
//! are, is recorded when it happens: the histograms `ringfence_uses_per_look`, `ringfence_signals_per_flush` and
//! `ringfence_bytes_per_free`.

mod signals;
mod streams;

pub(crate) use signals::*;
pub(crate) use streams::*;

/// An event. Its fields are not looked at without the feature.
macro_rules! tell {
    ($target:literal, $level:ident, $name:literal, $($fields:tt)*) => {
        #[cfg(feature = "tracing")]
        ::tracing::event!(name: $name, target: $target, ::tracing::Level::$level, $($fields)*, $name);
    };
}
/// A number that is recorded when it happens.
macro_rules! record {
    ($name:literal, $value:expr) => {
        #[cfg(feature = "metrics")]
        ::metrics::histogram!($name).record($value as f64);
    };
}
use {record, tell};

/// What is going on until this is dropped.
#[must_use = "it is over when this is dropped"]
pub(crate) struct Going {
    #[cfg(feature = "tracing")]
    _span: ::tracing::span::EnteredSpan,
}
/// A span, where there is the feature.
macro_rules! going {
    ($target:literal, $name:literal, $($fields:tt)*) => {
        Going {
            #[cfg(feature = "tracing")]
            _span: ::tracing::span!(target: $target, ::tracing::Level::DEBUG, $name, $($fields)*).entered(),
        }
    };
}
use going;
