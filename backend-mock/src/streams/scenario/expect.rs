//! What a scenario of streams may ask to be true.

use super::{Answer, FreedHow, OrderedHow, StatusWord, StreamCounter};
use crate::scenario::{Blocked, Bound, Name};

/// What must be true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StreamExpect {
    /// These leases are of one and the same stream.
    Same(Vec<Name>),
    /// No two of these leases are of one stream.
    Distinct(Vec<Name>),
    /// The library knows that this work is finished.
    Finished(Vec<Name>),
    /// The library does not know that this work is finished.
    Unfinished(Vec<Name>),
    /// The device has completed this work, whatever the library knows.
    Complete(Vec<Name>),
    /// The device has not completed this work.
    Running(Vec<Name>),
    /// The device completed each of these before the next.
    CompletedBefore(Vec<Name>),
    /// A count.
    Count {
        /// Of what.
        counter: StreamCounter,
        /// Which side to keep to.
        bound: Bound,
        /// The count.
        value: u64,
    },
    /// Under which generation these leases are.
    Generation {
        /// The leases.
        of: Vec<Name>,
        /// The generation.
        is: u32,
    },
    /// How the last work, or its wait, was ordered after earlier work.
    Ordered(OrderedHow),
    /// What the last free answered.
    Freed {
        /// The memory.
        of: Vec<Name>,
        /// The answer.
        is: FreedHow,
    },
    /// The driver still has this memory.
    Kept(Vec<Name>),
    /// The driver has freed this memory.
    Gone(Vec<Name>),
    /// Whether these streams capture, as the driver has it.
    Status {
        /// Leases or handles.
        of: Vec<Name>,
        /// The status.
        is: StatusWord,
    },
    /// How many nodes these graphs have.
    GraphNodes {
        /// The graphs.
        of: Vec<Name>,
        /// How many.
        is: u32,
    },
    /// What the user's last query brought.
    Answer(Answer),
    /// These futures' last poll was ready.
    Ready(Vec<Name>),
    /// These futures' last poll was not.
    Pending(Vec<Name>),
    /// Whether virtual time passed in the last step before this one.
    Blocked(Blocked),
}
