//! What a record answers, to whom, and when it is used again.

use super::*;
use crate::{
    ring::{
        custody::Custody,
        record::{Outcome, Record},
        spare::SpareRecords,
    },
    timing::{Interval, TickRate},
};

const SIGNAL: SignalHandle = SignalHandle::new(7);

fn custody() -> Custody {
    Custody::new(SIGNAL, Arc::new(Reaper::new()))
}
fn of(packet: u64) -> UseId {
    UseId::new(lane(0), PacketId::new(packet))
}
fn rate() -> TickRate {
    TickRate::new(1_000.try_into().expect("not 0"))
}
/// A record of packet 3, and who lent its signal.
fn record(mark: &Arc<Watermark>) -> (Record, Custody) {
    let mut custody = custody();
    let mut record = Record::vacant();
    record.renew(about(of(3), mark), custody.lend());
    (record, custody)
}
/// Proves all before `below`, by a fence.
fn prove(mark: &Arc<Watermark>, below: u64) {
    let mut ring = ring_on(mark, HOST, 1);
    let fence = submit(&mut ring, below - 1, Barrier::Set);
    tell(&mut ring, fence, 0).expect("a value of 0");
}

#[test]
fn a_watermark_answers_for_a_record_that_nobody_asked() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let (record, _custody) = record(&mark);
    assert_eq!(record.outcome(), Outcome::Pending);
    prove(&mark, 3);
    assert_eq!(record.outcome(), Outcome::Pending, "what is proven ends before it");
    prove(&mark, 4);
    assert_eq!(record.outcome(), Outcome::Finished);
}

#[test]
fn the_first_answer_stands() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let failures = [
        Failure::DeviceLost,
        Failure::Forced,
        Failure::PartFailed,
        Failure::OverDecremented,
        Failure::Abandoned,
    ];
    for failure in failures {
        let (record, _custody) = record(&mark);
        assert!(record.hold().is_some());
        record.fail(failure);
        assert_eq!(record.outcome(), Outcome::Failed(failure));
        assert!(record.hold().is_none(), "its signal is the ring's again");
        assert_eq!(record.retire(), Outcome::Failed(failure));
        assert_eq!(record.observed(SignalValue::DONE), Outcome::Failed(failure));
    }
    let (record, mut custody) = record(&mark);
    assert_eq!(record.retire(), Outcome::Finished);
    record.fail(Failure::DeviceLost);
    assert_eq!(record.outcome(), Outcome::Finished);
    assert!(custody.sole().is_some(), "the signal came back with the first answer");
}

/// A query may have told so, and nothing was written down.
#[test]
fn what_a_watermark_proved_stays_finished() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let failures = [Failure::DeviceLost, Failure::Forced, Failure::Abandoned];
    let recorded: Vec<_> = (0..5).map(|_| record(&mark)).collect();
    prove(&mark, 4);
    for ((record, _custody), failure) in recorded.iter().zip(failures) {
        assert_eq!(record.outcome(), Outcome::Finished);
        record.fail(failure);
        assert_eq!(record.outcome(), Outcome::Finished, "{failure:?}");
    }
    recorded[3].0.lose();
    assert_eq!(recorded[3].0.outcome(), Outcome::Finished);
    // Of its own signal, which fell below 0, a proof by others says nothing.
    recorded[4].0.fail(Failure::OverDecremented);
    assert_eq!(recorded[4].0.outcome(), Outcome::Failed(Failure::OverDecremented));
}

/// Whoever sees the loss first says so; the signal stays where it is until the ring is lost as well.
#[test]
fn a_record_of_a_lost_device_keeps_its_signal() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let (record, mut custody) = record(&mark);
    record.lose();
    assert_eq!(record.outcome(), Outcome::Failed(Failure::DeviceLost));
    assert!(record.hold().is_some() && custody.sole().is_none());
    assert_eq!(record.retire(), Outcome::Failed(Failure::DeviceLost));
    assert!(custody.sole().is_some());
}

#[test]
fn a_value_that_a_waiter_saw_is_an_answer_and_proves_what_lies_before_it() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let (pending, _custody) = record(&mark);
    assert_eq!(pending.observed(SignalValue::new(1)), Outcome::Pending);
    assert!(!mark.observe().covers(of(3)));
    let (wrong, _custody) = record(&mark);
    assert_eq!(wrong.observed(SignalValue::new(-1)), Outcome::Failed(Failure::OverDecremented));
    assert!(!mark.observe().covers(of(3)), "an error proves nothing");
    assert_eq!(pending.observed(SignalValue::DONE), Outcome::Finished);
    assert!(mark.observe().covers(of(3)), "it is a fence");
    let (mut ordinary, _custody) = record(&Arc::new(Watermark::new(lane(0))));
    let unproven = Arc::new(Watermark::new(lane(0)));
    let no_fence = Recorded { fence: IsFence::No, ..about(of(5), &unproven) };
    ordinary.renew(no_fence, custody().lend());
    assert_eq!(ordinary.observed(SignalValue::DONE), Outcome::Finished);
    assert!(!unproven.observe().covers(of(5)));
}

#[test]
fn times_are_taken_once_while_the_signal_is_held() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let rate = rate();
    let interval = |start, end| Interval::from_parts(start, end, 1_000);
    let (record, _custody) = record(&mark);
    assert!(record.interval().is_none());
    let taken = record.harvest(rate, |signal, engine| {
        assert_eq!((signal, engine), (SIGNAL, Engine::Compute));
        interval(5, 9)
    });
    assert_eq!(taken.map(|one| (one.start(), one.end())), Some((5, 9)));
    let again = record.harvest(rate, |_, _| panic!("once"));
    assert_eq!(again.map(|one| (one.start(), one.end())), Some((5, 9)));
    // Unusable stamps are no reason to look again.
    let (useless, _custody) = self::record(&mark);
    assert!(useless.harvest(rate, |_, _| None).is_none());
    assert!(useless.harvest(rate, |_, _| panic!("once")).is_none());
    // A signal that went back has somebody else's times.
    let (late, _custody) = self::record(&mark);
    assert_eq!(late.retire(), Outcome::Finished);
    assert!(late.harvest(rate, |_, _| panic!("it is gone")).is_none());
}

#[test]
fn a_record_that_is_used_again_has_nothing_of_its_use_before() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let (mut record, _custody) = record(&mark);
    let rate = rate();
    assert!(record.harvest(rate, |_, _| Interval::from_parts(5, 9, 1_000)).is_some());
    record.fail(Failure::Forced);
    let mut other = custody();
    record.renew(about(of(8), &mark), other.lend());
    assert_eq!((record.about().of, record.outcome()), (of(8), Outcome::Pending));
    assert!(record.interval().is_none() && record.hold().is_some());
}

#[test]
fn a_record_keeps_its_watermark_and_ledger_while_they_are_the_same() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let (mut record, _custody) = record(&mark);
    let ledger = record.about().ledger.clone();
    let counts = |mark: &Arc<Watermark>, ledger: &Arc<Ledger>| {
        (Arc::strong_count(mark), Arc::strong_count(ledger))
    };
    let renewed = |packet| {
        move |mark: Arc<Watermark>, ledger| Recorded { ledger, ..about(of(packet), &mark) }
    };
    let before = counts(&mark, &ledger);
    record.renew_for(&mark, &ledger, renewed(8), custody().lend());
    assert_eq!(record.about().of, of(8));
    assert_eq!(counts(&mark, &ledger), before);
    // Another stream's, or another tracker's, are taken.
    let (new_mark, new_ledger) = (Arc::new(Watermark::new(lane(0))), Arc::new(Ledger::new()));
    record.renew_for(&new_mark, &ledger, renewed(9), custody().lend());
    let is = |record: &Record, mark: &Arc<Watermark>, ledger: &Arc<Ledger>| {
        let about = record.about();
        let same = about.mark.as_ref().is_some_and(|known| Arc::ptr_eq(known, mark));
        same && Arc::ptr_eq(&about.ledger, ledger)
    };
    assert!(is(&record, &new_mark, &ledger));
    record.renew_for(&new_mark, &new_ledger, renewed(10), custody().lend());
    assert!(is(&record, &new_mark, &new_ledger));
}

#[test]
fn spare_records_are_those_that_nobody_holds_up_to_a_limit() {
    let mark = Arc::new(Watermark::new(lane(0)));
    let mut spare = SpareRecords::new(1);
    assert!(spare.take().is_none());
    let (one, two) = (Arc::new(Record::vacant()), Arc::new(Record::vacant()));
    let held = one.clone();
    spare.keep(one.clone());
    assert!(spare.take().is_none(), "somebody holds it");
    drop(held);
    let name = Arc::as_ptr(&one);
    spare.keep(one);
    spare.keep(two);
    assert_eq!(spare.take().map(|kept| Arc::as_ptr(&kept)), Some(name));
    assert!(spare.take().is_none(), "beyond the limit nothing is kept");
    // A use that is proven gives its record back, or tells whoever holds it.
    let (record, mut custody) = record(&mark);
    assert!(spare.retire(Arc::new(record)).is_ok());
    assert!(custody.sole().is_some() && spare.take().is_some());
    let (shared, _custody) = self::record(&mark);
    let (shared, waiter) = {
        let one = Arc::new(shared);
        (one.clone(), one)
    };
    assert!(spare.retire(shared).is_ok() && spare.take().is_none());
    assert_eq!(waiter.outcome(), Outcome::Finished);
    for _ in 0..2 {
        let (record, _custody) = self::record(&mark);
        assert!(spare.retire(Arc::new(record)).is_ok());
    }
    assert!(spare.take().is_some() && spare.take().is_none(), "one at most");
    let (wrong, _custody) = self::record(&mark);
    wrong.fail(Failure::OverDecremented);
    assert!(spare.retire(Arc::new(wrong)).is_err(), "a waiter saw it below 0 (S7)");
}

#[test]
fn whether_a_signal_is_held_is_known_from_outside() {
    let mut custody = custody();
    assert!(!custody.is_held());
    let (one, two) = (custody.lend(), custody.lend());
    assert!(custody.is_held() && custody.sole().is_none());
    drop(one);
    assert!(custody.is_held());
    drop(two);
    assert!(!custody.is_held() && custody.sole().is_some());
    assert_eq!(custody.signal(), SIGNAL);
}
