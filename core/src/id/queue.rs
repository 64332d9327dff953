//! Numbers of queues that no two of the process have.

use super::QueueId;
use crate::sync::next_queue;

impl QueueId {
    /// The first number that [`unique`](Self::unique) gives out.
    const FIRST_UNIQUE: u32 = 1 << 16;
    /// A number that no other call gives: for each queue and each copy engine, when it is made. Numbers below 65,536
    /// are never among them; who numbers queues with [`new`](Self::new) takes one of those, and sees to it that no
    /// other queue of the process has it.
    ///
    /// # Panics
    /// When 4,294,901,759 queues were made; at one a millisecond that is 49 days of nothing else.
    ///
    /// ```
    /// # use ringfence::id::QueueId;
    /// assert_ne!(QueueId::unique(), QueueId::unique());
    /// assert!(QueueId::unique() > QueueId::new(65_535));
    /// ```
    #[must_use]
    pub fn unique() -> Self {
        let given = Self::FIRST_UNIQUE.checked_add(next_queue());
        // The last number is no queue's: see `slot`.
        Self(given.filter(|&number| number < u32::MAX).expect("2^32 queues were made"))
    }
}
