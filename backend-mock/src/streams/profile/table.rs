//! The columns of the table: one rule each.

use super::rules::*;

/// A row of the table: what the calls of one driver do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DriverRules {
    /// M5: of streams that do not capture.
    pub query: ThreadGuard,
    /// M5: what a refused query does.
    pub query_consequence: Consequence,
    /// M5: of the capturing stream.
    pub capturing_query: CapturingQuery,
    /// M6.
    pub malloc: ThreadGuard,
    /// M6: what a refused call does.
    pub malloc_consequence: Consequence,
    /// M7.
    pub device_sync: DeviceSyncRule,
    /// M7.
    pub sync_copy: SyncCopyRule,
    /// M8.
    pub captured_free: CapturedFree,
    /// M8.
    pub captured_allocation: CapturedAllocation,
    /// M8b.
    pub blocking_capture: BlockingCapture,
    /// M8.
    pub plain_free: PlainFree,
    /// M9.
    pub destroy: DestroyRule,
    /// M9.
    pub orphaned_capture: OrphanedCapture,
    /// M10.
    pub stale: StaleRule,
    /// M11.
    pub event: EventRule,
    /// M11.
    pub event_after_stream: EventAfterStream,
    /// M12.
    pub old_event_wait: OldEventWait,
    /// M12.
    pub outside_wait: OutsideWait,
    /// M12.
    pub self_wait: SelfWait,
    /// M12.
    pub merge: MergeRule,
    /// M13.
    pub captured_host_function: CapturedHostFunction,
    /// M14.
    pub captured_mark: CapturedMark,
    /// M15.
    pub unjoined: UnjoinedRule,
    /// M15.
    pub second_end: SecondEnd,
    /// M15.
    pub stray_end: StrayEnd,
    /// M15.
    pub broken_end: BrokenEnd,
    /// M15.
    pub joined_fork: JoinedFork,
    /// M15.
    pub end_of_nothing: EndOfNothing,
    /// A graph's launch during a capture.
    pub captured_launch: CapturedLaunch,
    /// M16.
    pub last_error: LastError,
    /// Host memory of a destroyed stream.
    pub host_memory: HostMemory,
    /// Hardware queues without streams.
    pub idle_queue: IdleQueue,
}
