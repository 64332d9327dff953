//! What the calls of a driver do: one small vocabulary for each rule M1-M20. Which driver does what,
//! and how that is known, is in the rows of the table.

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $value:ident,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $name { $($(#[$each])* $value,)* }
    )*};
}
choices! {
    /// Which calls a capture forbids to a thread (M5, M6).
    ThreadGuard {
        /// None.
        Nothing,
        /// Those of a global-mode thread while there is a global capture or one of its own, those of a
        /// thread-local-mode thread while there is one of its own.
        ByMode,
        /// Those of any thread that is not in relaxed mode while there is a global capture, or one of its own.
        AllButRelaxed,
        /// By the mode of the *asked stream's* own last capture, at first global; the thread's mode
        /// does not count.
        ByStream,
    }
    /// What a forbidden call does besides being refused.
    Consequence {
        /// Nothing.
        Refused,
        /// The captures that forbade it are invalidated.
        Invalidates,
    }
    /// Query of the capturing stream itself (M5).
    CapturingQuery {
        /// Answered.
        Answered,
        /// Refused (900); the capture goes on.
        Refused,
        /// Refused, and the capture is invalidated.
        Invalidates,
    }
    /// Device synchronisation while anybody captures (M7).
    DeviceSyncRule {
        /// Allowed, and it waits.
        Waits,
        /// Refused (900) in any mode, and all captures are invalidated.
        Invalidates,
    }
    /// A synchronous copy while somebody captures (M7).
    SyncCopyRule {
        /// Refused (906) while there is a global capture.
        GlobalRefused,
        /// Refused while there is any capture, and all are invalidated.
        Invalidates,
        /// Refused while blocking streams capture, and their captures are invalidated.
        BlockingInvalidates,
    }
    /// `free` on a capturing stream (M8).
    CapturedFree {
        /// Not recorded: freed at once.
        AtOnce,
        /// A node, and freed at once as well: the owner's own later free is the second.
        NodeAndAtOnce,
        /// A node for any pointer, unchecked; launching it frees what no graph made: a crash.
        Node,
        /// A node for memory that the capture allocated; anything else is refused (1).
        OwnOnly,
    }
    /// `allocate` on a capturing stream (M8).
    CapturedAllocation {
        /// Not recorded: allocated at once.
        AtOnce,
        /// A node.
        Node,
    }
    /// `allocate` and `free` on other streams while a blocking stream of the device captures (M8b).
    BlockingCapture {
        /// Allowed.
        Allows,
        /// Refused (900).
        Refuses,
    }
    /// `free` in a stream's order of memory that a synchronous call allocated (M8).
    PlainFree {
        /// Waits for the whole device.
        Waits,
        /// In the stream's order, as any other.
        InOrder,
    }
    /// `destroy` of a stream with unfinished work (M9).
    DestroyRule {
        /// Waits, and keeps nearly all calls of all other threads waiting too.
        LocksOut,
        /// Waits.
        Waits,
        /// Returns; the work goes on.
        Detaches,
    }
    /// What becomes of the thread whose capturing stream another thread destroyed (M9).
    OrphanedCapture {
        /// Its list of captures keeps a dead entry: what the list forbids is forbidden for ever.
        Poisons,
        /// Nothing.
        Harmless,
    }
    /// A handle of a stream that was destroyed (M10).
    StaleRule {
        /// An error, but work, records and marks crash.
        WorkCrashes,
        /// An error, but work crashes.
        LaunchCrashes,
        /// A crash.
        Crashes,
        /// An error.
        Refused,
    }
    /// Query and synchronisation of an event while somebody captures (M11).
    EventRule {
        /// No rule.
        Nothing,
        /// A query is answered; a synchronisation is refused while the event's stream captures, and
        /// else as a query of that stream.
        SyncAsStream,
        /// Both are refused (907) while the event's stream captures, which is invalidated, and else
        /// as a query.
        Invalidates,
        /// Both are refused (907) for an event that was recorded into a capture, which is invalidated,
        /// and else as a query. What its stream does now does not count.
        OwnCapture,
    }
    /// An event after its stream was destroyed (M11).
    EventAfterStream {
        /// It works.
        Works,
        /// It can be asked about. A stream that is to wait for it locks what is gone: a crash, or a wait for ever.
        WaitDangles,
        /// It points to a stream that is gone: a query is a crash.
        Dangles,
    }
    /// A device-side wait for an uncaptured event whose stream captures now (M12).
    OldEventWait {
        /// Carried out.
        Waits,
        /// Refused (905).
        Refused,
    }
    /// A capturing stream that waits for an event from outside the capture (M12).
    OutsideWait {
        /// Carried out at once; the graph does not know of it.
        AtOnce,
        /// Refused (905); the capture goes on.
        Refused,
        /// Refused, and the capture is invalidated.
        Invalidates,
    }
    /// A capturing stream that waits for an event of its own capture and of itself (M12).
    SelfWait {
        /// Nothing happens.
        Harmless,
        /// The capture breaks.
        Breaks,
        /// A crash.
        Crashes,
    }
    /// A capturing stream that waits for an event of another capture (M12).
    MergeRule {
        /// Nobody notices.
        Unnoticed,
        /// Nobody notices, and to launch the graphs is an error or a crash.
        Spoils,
        /// Refused (902), and both captures are invalidated.
        Invalidates,
    }
    /// A host function on a capturing stream (M13).
    CapturedHostFunction {
        /// Not recorded: it runs in the stream's order.
        Runs,
        /// A node.
        Node,
    }
    /// A progress mark on a capturing stream (M14).
    CapturedMark {
        /// Not recorded: written in the stream's order.
        AtOnce,
        /// A node: written at every launch.
        Node,
    }
    /// When a capture counts as unjoined (M15).
    UnjoinedRule {
        /// When its graph ends in more than one node.
        LooseEnds,
        /// When a stream that joined has work after its last join.
        Forks,
    }
    /// A second end of a capture that failed as unjoined (M15).
    SecondEnd {
        /// Wrong thread (908), or unjoined again (904) in relaxed mode.
        Unjoined,
        /// Wrong thread (908), or a crash in relaxed mode.
        RelaxedCrashes,
        /// The first end ended it.
        Over,
    }
    /// The end of a capture that is bound to a thread, by another one (908) (M15).
    StrayEnd {
        /// Refused; the capture goes on.
        Refused,
        /// It ends the capture, which leaves no graph.
        Ends,
    }
    /// What a stream says after the end of a capture that was invalidated (M15).
    BrokenEnd {
        /// `None`.
        Clears,
        /// `Invalidated` for ever.
        Sticks,
    }
    /// What a stream that joined a capture says after its good end (M15).
    JoinedFork {
        /// `Active` for ever: it swallows work.
        StaysActive,
        /// `None`.
        Clears,
    }
    /// The end of a capture on a stream that does not capture (M15).
    EndOfNothing {
        /// 401.
        IllegalState,
        /// 903.
        Unmatched,
    }
    /// A launch of a graph on a capturing stream.
    CapturedLaunch {
        /// Not recorded: it runs.
        Runs,
        /// Refused (900); the capture goes on.
        Refused,
        /// Refused, and the capture is invalidated.
        Invalidates,
    }
    /// How long a thread's last error lasts (M16).
    LastError {
        /// Until the next call that succeeds.
        NextSuccess,
        /// Until it is read.
        Read,
    }
    /// What `destroy` does with a stream's host memory.
    HostMemory {
        /// Gives it back.
        GivenBack,
        /// Leaks it.
        Leaked,
    }
    /// What becomes of a hardware queue without streams.
    IdleQueue {
        /// Given back.
        GivenBack,
        /// Kept until exit.
        Kept,
    }
}
