//! Every test of the conformance suite can fail: backends with one thing wrong each fail exactly the tests that
//! are named here, and every test is named at least once.
#![forbid(unsafe_code)]

mod device;
mod engine;
mod flaw;
mod queue;
mod subject;

use std::collections::BTreeSet;

use flaw::Flaw;
use ringfence_tests::conformance::Report;
use subject::Broken;

#[test]
fn dump() {
    use Flaw::*;
    let all = [CapabilitiesChange, OneIdentity, LossIsForgotten, LossSpreads, ProfilerUnnoticed,
    CreatesTwice, CreatesArmedWithTwo, CreatesWhenLost, DestroysNothing, LoadsNothingBelowZero, LoadsLate, ArmsNothing, ArmsByAdding, PublishesNothing, FlushesNothing, FlushesHalfWay,
    WaitsForNothing, GivesUpAtOnce, TimesOutAsReached, SleepsFirst, WakesLate, WaitsForTheLost, ReachesZero, ForcesNothing, ForcesForGood,
    StampsReversed, StampsStay, StampsOfTheOtherEngine, RateChanges, RateIsWrong,
    OneLane, IndicesSkip, IndicesRepeat, RingIsOverrun, WaitsForTheLostRing, SeenOutOfOrder, BellForOne, ReadIndexGoesBack, ReadIndexPasses, SettledTooEarly, SettledNever,
    DecrementsTwice, DecrementsNot, NoBarrierBit, AndIsOr, AndOfFour, AndOfNothing, AndHoldsNothingBack, AndBelowZero, OrIsAnd, ValueIsAnd, ValueOfNothing, PeersUnseen,
    TicketsRepeat, CompletesBeforeItMoved, PartsDecrementTwice, CopiesAtOnce, CopiesAfterTheFirst, RefusesSilently,
    TellsTwice, TellsAtOnce, TellsNever, TellsNoLoss, TellsInOrder];
    let mut named = BTreeSet::new();
    for flaw in all {
        let begun = std::time::Instant::now();
        let report = Report::run(|_| true, || Broken::start(flaw));
        let failures: BTreeSet<String> = report.failures().into_iter().map(str::to_owned).collect();
        println!("FLAW {flaw:?} {:?} ({} failures)", begun.elapsed(), failures.len());
        for line in report.lines.iter().filter(|l| l.outcome.is_failure()) {
            let text = line.to_string();
            println!("    {}", text.chars().take(150).collect::<String>());
        }
        named.extend(failures);
    }
    println!("NAMED {} {named:?}", named.len());
    let all = Report::run(|_| true, || ringfence_tests::conformance::MockSubject::start(ringfence_tests::conformance::Machine::all().next().unwrap(), 1));
    for line in all.lines { if !named.contains(&line.name) { println!("UNNAMED {line}"); } }
}
