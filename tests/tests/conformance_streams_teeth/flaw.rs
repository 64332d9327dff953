//! What can be wrong with a backend of streams: one thing at a time.

/// A column of the row that a subject declares, with another value than its driver has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Column {
    Query,
    QueryConsequence,
    CapturingQuery,
    CapturedFree,
    CapturedAllocation,
    BlockingCapture,
    Destroy,
    OrphanedCapture,
    Stale,
    Event,
    EventAfterStream,
    OldEventWait,
    OutsideWait,
    SelfWait,
    Merge,
    CapturedMark,
    Unjoined,
    SecondEnd,
    StrayEnd,
    BrokenEnd,
    JoinedFork,
    EndOfNothing,
    CapturedLaunch,
}

/// One thing that is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flaw {
    /// The subject declares this rule wrongly.
    Declares(Column),

    // StreamPlatform
    /// A lost device is said to be ready.
    LossUnnoticed,
    /// The second look says that a lost device is ready.
    LossIsForgotten,
    /// Beside a capture the driver is said to be shut down.
    ShutsDownBesideCaptures,
    /// A look at the state takes time.
    StateWaits,
    /// The features are others at each call.
    FeaturesChange,
    /// The other destruction is announced.
    SaysTheOtherDestruction,

    // StreamDriver
    /// A new stream has work already.
    CreatesBusy,
    /// Every seventh creation brings the stream before it.
    CreatesTheSame,
    /// On other threads a creation brings the last stream of all.
    CreatesTheSameElsewhere,
    /// No stream is created beside a capture.
    CreatesNothingBesideCaptures,
    /// A stream of another priority is not created.
    CreatesOnePriority,
    /// A blocking stream is not created.
    CreatesNoBlocking,
    /// A stream takes no work after the first 40.
    CreatesFew,
    /// Destroying is refused.
    DestroysNothing,
    /// Destroying is refused on other threads.
    DestroysNothingElsewhere,
    /// Destroying a stream lets everything go on that is held.
    DestroysGates,
    /// A destroyed stream exists on.
    DestroysLater,
    /// Destroying drops the stream's unfinished work.
    DestroysWork,
    /// No stream ever captures.
    StatusIsNone,
    /// A stream that joined does not capture.
    StatusForgetsForks,
    /// All streams capture beside one that does.
    StatusOfAll,
    /// A stream captures for some time after the end.
    StatusStays,
    /// The status is asked by a query.
    StatusQueries,
    /// On other threads no stream captures.
    StatusElsewhereIsNone,
    /// The status waits for the stream.
    StatusWaits,
    /// A query always says idle.
    QueryIsIdle,
    /// A query never says idle.
    QueryIsPending,
    /// A query beside a capture takes "refused" for "idle".
    QueryRefusedIsIdle,
    /// A query waits for 1 ms.
    QueryWaits,
    /// A query ends what holds the stream up.
    QueryOpensGates,
    /// A query says pending while any other stream is.
    QueryOfAll,
    /// A query on another thread fails.
    QueryFailsElsewhere,
    /// The mode of a thread is never set.
    ModeIsIgnored,
    /// The mode before is always said to be global.
    ModeIsForgotten,
    /// All threads have one mode.
    ModeIsShared,
    /// The beginning of a capture sets the thread's mode back.
    ModeIsReset,

    // StreamEvents
    /// A new event is pending.
    EventBeginsPending,
    /// Every seventh event is the one before it.
    EventsAreTheSame,
    /// On other threads an event is the last of all.
    EventsAreTheSameElsewhere,
    /// A new event on an old handle has the old recording.
    EventsRemember,
    /// Nothing is recorded.
    RecordsNothing,
    /// A second recording is left out.
    RecordsOnce,
    /// An event is finished when its stream is.
    RecordsLaterWork,
    /// Nothing is waited for.
    WaitsForNothing,
    /// A wait is put off until the next work.
    WaitsLater,
    /// Of several waits the first counts.
    WaitsOnce,
    /// On other threads nothing is waited for.
    WaitsForNothingElsewhere,
    /// A wait for a stream's own event is for ever.
    WaitsForItself,
    /// The second waiter for an event waits for nothing.
    WaitsForOne,
    /// Every event is finished.
    EventIsIdle,
    /// No event is finished.
    EventIsPending,
    /// A query of an event waits for 1 ms.
    EventQueryWaits,
    /// A host wait for an event ends at once, as finished.
    SynchronizesNothing,
    /// A host wait for an event times out.
    SynchronizeTimesOut,
    /// A host wait for an event ends as finished at its limit.
    SynchronizeEndsFinished,
    /// A host wait for an event takes two seconds more than its limit.
    SynchronizeIsLate,

    // StreamCapture
    /// Every capture is a relaxed one.
    CapturesRelaxed,
    /// A relaxed capture is a thread-local one.
    CapturesThreadLocal,
    /// What is recorded runs as well.
    CaptureRuns,
    /// What other streams get beside a capture is lost.
    CaptureSwallowsOthers,
    /// The first work after a capture is lost.
    CaptureSwallowsTheNext,
    /// The first work after a capture on another thread than the first is lost.
    CaptureSwallowsElsewhere,
    /// A second beginning is taken.
    BeginsTwice,
    /// One capture at a time.
    CapturesOne,
    /// What forks record is lost.
    ForksLoseWork,
    /// An empty capture has no graph.
    EmptyIsRefused,
    /// The end of nothing brings a graph.
    EndsNothing,
    /// An end that fails brings a graph all the same.
    EndsUnjoined,
    /// A launch does nothing.
    LaunchesNothing,
    /// A graph is launched once.
    LaunchesOnce,
    /// A launch is in no stream's order.
    LaunchesAside,
    /// A graph is launched on the stream that captured it alone.
    LaunchesAtHome,
    /// A launch on another thread does nothing.
    LaunchesNothingElsewhere,
    /// A launch waits for the stream.
    LaunchWaits,
    /// No graph is destroyed.
    GraphsStay,
    /// With a graph goes the one before it.
    GraphsGoTogether,

    // StreamMemory
    /// Every third allocation brings the memory before it.
    AllocatesTheSame,
    /// The fifth and later allocations fail.
    AllocatesFew,
    /// On other threads nothing is allocated.
    AllocatesNothingElsewhere,
    /// What was just allocated is freed.
    AllocatesFreed,
    /// An allocation behind held work waits for it.
    AllocateWaits,
    /// A free is not behind the stream's work.
    FreesAtOnce,
    /// A free does nothing.
    FreesNothing,
    /// A free waits for 1 ms.
    FreeWaits,
    /// A free beside a capture is recorded.
    FreesIntoCaptures,
    /// A refused free happens later.
    FreesRefused,
    /// Plain memory is not freed.
    FreesNothingPlain,

    // StreamProgress
    /// There are no words.
    NoWords,
    /// There is a word, where there are none.
    AWord,
    /// All streams have one word.
    OneWord,
    /// A new word has the position of a closed one.
    WordsAreDirty,
    /// A mark is not behind the stream's work.
    MarksAtOnce,
    /// A mark does nothing.
    MarksNothing,
    /// Positions have 32 bits.
    MarksShort,
    /// On other threads a mark does nothing.
    MarksNothingElsewhere,
    /// A mark is not behind what its stream waits for.
    MarksBeforeWaits,
    /// Every third look brings the position before the last.
    WordsGoBack,
    /// A look is one position ahead.
    WordsRunAhead,
    /// A look waits for 1 ms.
    ObserveWaits,
    /// A look asks the driver.
    ObserveQueries,
    /// A host wait for a position ends at once, as reached.
    ProgressWaitsForNothing,
    /// A host wait for a position times out.
    ProgressTimesOut,
    /// A host wait for a position takes two seconds more than its limit.
    ProgressIsLate,

    // StreamWork
    /// Every second piece of work is on another stream.
    WorkOutOfOrder,
    /// A launch waits for the stream.
    WorkWaits,
    /// Work starts when somebody asks.
    WorkIsLazy,
    /// On other threads work is lost.
    WorkIsLostElsewhere,
    /// What failed work submitted comes later.
    FailedWorkIsLate,
    /// Work that fails seems to be taken.
    FailedWorkIsTaken,
    /// A stream in error takes work, and answers.
    ErrorsAreHidden,
}
