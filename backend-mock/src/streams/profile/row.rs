//! The rows of the table: which driver does what, and how that is known.

use super::{rules::*, table::DriverRules};

/// Tried on the library of HIP 5.2.3, each call in a process of its own, above a fake device. Its
/// capture code knows no invalidation and no rule for queries. One finding is left out: a destroy never
/// returns while a freed block is in the device's memory pool. A backend trims the pool first, so that
/// the `destroy` of its trait returns.
pub(super) const HIP_5_2: DriverRules = DriverRules {
    query: ThreadGuard::Nothing,
    query_consequence: Consequence::Refused,
    capturing_query: CapturingQuery::Answered,
    malloc: ThreadGuard::ByMode,
    malloc_consequence: Consequence::Refused,
    device_sync: DeviceSyncRule::Waits,
    sync_copy: SyncCopyRule::GlobalRefused,
    captured_free: CapturedFree::AtOnce,
    captured_allocation: CapturedAllocation::AtOnce,
    blocking_capture: BlockingCapture::Allows,
    plain_free: PlainFree::Waits,
    destroy: DestroyRule::LocksOut,
    orphaned_capture: OrphanedCapture::Poisons,
    stale: StaleRule::WorkCrashes,
    event: EventRule::Nothing,
    event_after_stream: EventAfterStream::Works,
    old_event_wait: OldEventWait::Waits,
    outside_wait: OutsideWait::AtOnce,
    self_wait: SelfWait::Harmless,
    merge: MergeRule::Spoils,
    // `hipLaunchHostFunc` is declared, and not exported; `hipStreamAddCallback` is what runs.
    captured_host_function: CapturedHostFunction::Runs,
    captured_mark: CapturedMark::AtOnce,
    unjoined: UnjoinedRule::LooseEnds,
    second_end: SecondEnd::Unjoined,
    stray_end: StrayEnd::Refused,
    broken_end: BrokenEnd::Clears,
    joined_fork: JoinedFork::StaysActive,
    end_of_nothing: EndOfNothing::Unmatched,
    captured_launch: CapturedLaunch::Runs,
    last_error: LastError::NextSuccess,
    host_memory: HostMemory::GivenBack,
    idle_queue: IdleQueue::GivenBack,
};

/// Tried in the same way on HIP 5.7.1. Queries are refused by the mode that the *asked stream* last
/// captured in, also to relaxed threads, and nothing is ever invalidated.
pub(super) const HIP_5_7: DriverRules = DriverRules {
    query: ThreadGuard::ByStream,
    capturing_query: CapturingQuery::Refused,
    captured_free: CapturedFree::NodeAndAtOnce,
    captured_allocation: CapturedAllocation::Node,
    destroy: DestroyRule::Waits,
    stale: StaleRule::LaunchCrashes,
    event: EventRule::SyncAsStream,
    event_after_stream: EventAfterStream::WaitDangles,
    old_event_wait: OldEventWait::Refused,
    self_wait: SelfWait::Breaks,
    captured_host_function: CapturedHostFunction::Node,
    unjoined: UnjoinedRule::Forks,
    second_end: SecondEnd::RelaxedCrashes,
    joined_fork: JoinedFork::Clears,
    end_of_nothing: EndOfNothing::IllegalState,
    idle_queue: IdleQueue::Kept,
    ..HIP_5_2
};

/// Read in ROCm/clr at f9f995c6d: `Stream::StreamCaptureOngoing` in
/// <https://github.com/ROCm/clr/blob/f9f995c6d/hipamd/src/hip_stream.cpp>, the captured calls in
/// <https://github.com/ROCm/clr/blob/f9f995c6d/hipamd/src/hip_graph.cpp>, events in
/// <https://github.com/ROCm/clr/blob/f9f995c6d/hipamd/src/hip_event.cpp>. The crash of a foreign free
/// at launch is told by the work that this one follows (<https://github.com/JuliaGPU/AMDGPU.jl>); that
/// of an event whose stream is gone by <https://github.com/ROCm/clr/issues/157>.
/// What a wait between two captures leads to was not read: it is as 5.7.1 and 6.4.3, before and after, were seen to do.
pub(super) const CLR_2024: DriverRules = DriverRules {
    query: ThreadGuard::AllButRelaxed,
    query_consequence: Consequence::Invalidates,
    capturing_query: CapturingQuery::Invalidates,
    malloc: ThreadGuard::AllButRelaxed,
    malloc_consequence: Consequence::Invalidates,
    device_sync: DeviceSyncRule::Invalidates,
    sync_copy: SyncCopyRule::Invalidates,
    captured_free: CapturedFree::Node,
    event: EventRule::Invalidates,
    event_after_stream: EventAfterStream::Dangles,
    self_wait: SelfWait::Crashes,
    broken_end: BrokenEnd::Sticks,
    last_error: LastError::Read,
    ..HIP_5_7
};

/// Tried on the library of HIP 6.4.3 (Debian), above the software GPU, by the conformance suite: queries, captures, frees and
/// waits are as read in ROCm/clr at f9f995c6d, but for these. One finding is left out: a free of a block that its
/// stream got again waits on the host until the last free of that block is over. What would be a crash was not tried, and is as read.
pub(super) const HIP_6_4: DriverRules = DriverRules {
    blocking_capture: BlockingCapture::Refuses,
    event_after_stream: EventAfterStream::Works,
    self_wait: SelfWait::Harmless,
    ..CLR_2024
};

/// Read in later files of ROCm/rocm-systems: thread-local mode counts
/// (<https://github.com/ROCm/rocm-systems/tree/develop/projects/clr/hipamd/src>), handles are no longer
/// checked, a failed end clears the status (<https://github.com/ROCm/rocm-systems/pull/6509>), a self
/// wait works (<https://github.com/ROCm/rocm-systems/pull/11517>), streams leak their host memory
/// (<https://github.com/ROCm/rocm-systems/issues/11524>).
pub(super) const CLR_NEW: DriverRules = DriverRules {
    query: ThreadGuard::ByMode,
    malloc: ThreadGuard::ByMode,
    blocking_capture: BlockingCapture::Refuses,
    stale: StaleRule::Crashes,
    self_wait: SelfWait::Harmless,
    broken_end: BrokenEnd::Clears,
    host_memory: HostMemory::Leaked,
    ..CLR_2024
};

/// Tried on NVIDIA's driver 580.159.04 (CUDA 13.0) and one H200, by a small program and by the suite (`docs/cuda.md`). Queries, waits
/// and allocations follow the mode of the thread, and a refused one invalidates what forbade it. `last_error` is none in the driver's
/// interface, and `idle_queue` is not known. A free in a capture of memory that is not its own is refused, and the capture goes on.
/// One finding is left out: the driver follows a stale handle into freed memory, and crashes. A backend keeps a list of what exists,
/// so that its trait refuses what was destroyed; a stream that its user destroys is to be taken off that list before.
pub(super) const CUDA: DriverRules = DriverRules {
    sync_copy: SyncCopyRule::BlockingInvalidates,
    captured_free: CapturedFree::OwnOnly,
    blocking_capture: BlockingCapture::Allows,
    plain_free: PlainFree::InOrder,
    destroy: DestroyRule::Detaches,
    orphaned_capture: OrphanedCapture::Harmless,
    stale: StaleRule::Refused,
    event: EventRule::OwnCapture,
    event_after_stream: EventAfterStream::Works,
    old_event_wait: OldEventWait::Waits,
    outside_wait: OutsideWait::Invalidates,
    merge: MergeRule::Invalidates,
    captured_mark: CapturedMark::Node,
    second_end: SecondEnd::Over,
    stray_end: StrayEnd::Ends,
    captured_launch: CapturedLaunch::Invalidates,
    host_memory: HostMemory::GivenBack,
    ..CLR_NEW
};
