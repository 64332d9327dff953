//! What can be wrong with a backend.

/// One thing that a backend does not keep.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Flaw {
    // Device
    /// It says that it can do less once a signal was made.
    CapabilitiesChange,
    /// All devices have one identity.
    OneIdentity,
    /// The second device says from the start that it is lost.
    SecondIsLost,
    /// A loss is not noticed.
    LossUnnoticed,
    /// A loss is forgotten after a while.
    LossIsForgotten,
    /// One device is lost with the other.
    LossSpreads,
    /// A profiler is not noticed.
    ProfilerUnnoticed,

    // Signals
    /// A batch has one signal twice.
    CreatesTwice,
    /// New signals in shared memory are armed with 2.
    CreatesArmedWithTwo,
    /// What is in host memory is said to wake a sleeper.
    CreatesElsewhere,
    /// On a lost device it goes on creating.
    CreatesWhenLost,
    /// A destroyed signal goes on using up an interrupt.
    DestroysNothing,
    /// A value below 0 is loaded as 0.
    LoadsNothingBelowZero,
    /// In shared memory, a load brings what the load before it could have brought.
    LoadsLate,
    /// A load waits a while for the value to fall.
    LoadsWait,
    /// In shared memory, an arm stores nothing.
    ArmsNothing,
    /// An arm adds to the value.
    ArmsByAdding,
    /// `publish_stores` does nothing.
    PublishesNothing,
    /// `flush` does nothing.
    FlushesNothing,
    /// `flush` leaves the host data path's cache alone.
    FlushesHalfWay,

    // HostWait
    /// A wait says that the value is reached, whatever it is.
    WaitsForNothing,
    /// A wait gives up at once.
    GivesUpAtOnce,
    /// A wait ends as reached when its limit passes.
    TimesOutAsReached,
    /// A wait does not look before it sleeps.
    SleepsFirst,
    /// A sleeper is woken by nothing but its own look, a second later.
    WakesLate,
    /// A wait does not notice a loss.
    WaitsForTheLost,
    /// A wait brings 0, whatever it saw.
    ReachesZero,
    /// `force` does nothing.
    ForcesNothing,
    /// `force` keeps the device from decrementing.
    ForcesForGood,

    // Timestamps
    /// There are times, though the device says that it has no clock.
    StampsWithoutAClock,
    /// Start and end are exchanged.
    StampsReversed,
    /// A signal keeps the stamps of its first use.
    StampsStay,
    /// Stamps of copies are looked for where those of packets are.
    StampsOfTheOtherEngine,
    /// The tick rate is another once a signal was made.
    RateChanges,
    /// The tick rate is a tenth of what it is.
    RateIsWrong,

    // PacketQueue
    /// All queues have one identity.
    OneLane,
    /// Indices are left out.
    IndicesSkip,
    /// A reservation of several hands out the first twice.
    IndicesRepeat,
    /// Indices are handed out before their slots are free.
    RingIsOverrun,
    /// A ring with an end says that it has none.
    CapacityUnsaid,
    /// A reservation on a lost device waits.
    WaitsForTheLostRing,
    /// A packet is seen when it is written, whatever is missing before it.
    SeenOutOfOrder,
    /// A bell tells of one packet, and not of those before it.
    BellForOne,
    /// The read index goes back now and then.
    ReadIndexGoesBack,
    /// The read index passes what is published.
    ReadIndexPasses,
    /// Whatever is reserved counts as published.
    SettledTooEarly,
    /// Nothing ever counts as published.
    SettledNever,

    // Packets
    /// Every tenth packet with a signal decrements it twice.
    DecrementsTwice,
    /// The first packet of a queue does not decrement its signal.
    DecrementsNot,
    /// A packet without a signal decrements the first that was made.
    DecrementsAnother,
    /// AND without signals never completes.
    AndOfNothingHangs,
    /// The barrier bit is not looked at.
    NoBarrierBit,
    /// AND waits for one of its signals.
    AndIsOr,
    /// AND waits for its first four signals.
    AndOfFour,
    /// AND waits for nothing.
    AndOfNothing,
    /// AND holds nothing back behind it.
    AndHoldsNothingBack,
    /// AND takes a value below 0 for done.
    AndBelowZero,
    /// OR waits for all of its signals.
    OrIsAnd,
    /// A value packet looks for 0.
    ValueIsAnd,
    /// A value packet waits for nothing.
    ValueOfNothing,
    /// Signals of another device are not waited for.
    PeersUnseen,

    // CopyEngine
    /// An engine has the identity of a queue.
    EngineIsAQueue,
    /// A ticket is handed out twice.
    TicketsRepeat,
    /// A copy is complete before it has moved anything.
    CompletesBeforeItMoved,
    /// A part decrements twice.
    PartsDecrementTwice,
    /// A copy waits for nothing.
    CopiesAtOnce,
    /// A copy waits for the first of its signals.
    CopiesAfterTheFirst,
    /// A lost device seems to take copies.
    CopiesWhenLost,
    /// A part that was refused seems to be taken.
    RefusesSilently,

    // Handlers
    /// A handler is told twice.
    TellsTwice,
    /// A handler is told at once.
    TellsAtOnce,
    /// A handler is never told.
    TellsNever,
    /// A loss is not told.
    TellsNoLoss,
    /// One that waits keeps later ones from being told.
    TellsInOrder,
}
