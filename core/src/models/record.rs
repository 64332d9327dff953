//! A record between the ring that retires its use and those who ask about it.

use super::*;
use crate::{
    ring::{Custody, Outcome, Reaper, Record},
    sync::model::{Tracked, thread},
    timing::{Interval, RawInterval, TickRate},
};

fn rate() -> TickRate {
    TickRate::new(std::num::NonZeroU64::MIN)
}
fn recorded(custody: &mut Custody, mark: Option<Arc<Watermark>>) -> Arc<Record> {
    let mut record = Record::vacant();
    record.renew(about(use_of(0), mark), custody.lend());
    Arc::new(record)
}

static FINISHED: Probe = Probe::new();
static PENDING: Probe = Probe::new();
static TIMED: Probe = Probe::new();

/// The ring takes the timing and publishes the outcome; a waiter reads both, and what the GPU wrote.
fn publication() {
    let reaper = Arc::new(Reaper::new());
    let mut custody = Custody::new(signal(), reaper);
    let record = recorded(&mut custody, None);
    let data = Arc::new(Tracked::new(()));
    let waiter = {
        let (record, data) = (record.clone(), data.clone());
        thread::spawn(move || {
            if let Some(interval) = record.interval() {
                assert_eq!((interval.start(), interval.end()), (3, 8), "half of the stamps");
                TIMED.hit();
            }
            match record.outcome() {
                Outcome::Finished => {
                    data.with(|_| ());
                    assert!(record.interval().is_some(), "finished, and its timing lost");
                    FINISHED.hit();
                }
                Outcome::Pending => PENDING.hit(),
                Outcome::Failed(why) => panic!("{why}"),
            }
        })
    };
    data.with_mut(|_| ());
    let _interval = record.harvest(rate(), |_, _| Interval::new(RawInterval::new(3, 8), rate()));
    let _outcome = record.retire();
    waiter.join().expect("the waiter");
}

static ASKED_FIRST: Probe = Probe::new();
static RETIRED_FIRST: Probe = Probe::new();

/// A query looks at the signal while the ring retires its use and arms it again.
fn query_against_arm() {
    let reaper = Arc::new(Reaper::new());
    let mut custody = Custody::new(signal(), reaper);
    let record = recorded(&mut custody, None);
    let value = Arc::new(Tracked::new(()));
    let query = {
        let (record, value) = (record.clone(), value.clone());
        thread::spawn(move || match record.hold() {
            Some(hold) => {
                value.with(|_| ());
                drop(hold);
                ASKED_FIRST.hit();
            }
            None => {
                assert_eq!(record.outcome(), Outcome::Finished, "no signal, and no answer");
                RETIRED_FIRST.hit();
            }
        })
    };
    let _outcome = record.retire();
    if custody.sole().is_some() {
        value.with_mut(|_| ()); // armed
    }
    query.join().expect("the query");
    assert!(custody.sole().is_some());
}

static BY_RING: Probe = Probe::new();
static BY_QUERY: Probe = Probe::new();

/// Timing is taken once, whoever comes first, and both see the same.
fn harvested_once() {
    let reaper = Arc::new(Reaper::new());
    let mut custody = Custody::new(signal(), reaper);
    let record = recorded(&mut custody, None);
    let reads = Arc::new(Tracked::new(0));
    let take = |record: &Record, reads: &Tracked<u32>, probe: &Probe| {
        record.harvest(rate(), |_, _| {
            reads.with_mut(|_| ()); // two readers at once would be reported
            probe.hit();
            Interval::new(RawInterval::new(3, 8), rate())
        })
    };
    let query = {
        let (record, reads) = (record.clone(), reads.clone());
        thread::spawn(move || take(&record, &reads, &BY_QUERY))
    };
    let mine = take(&record, &reads, &BY_RING);
    let _outcome = record.retire();
    let theirs = query.join().expect("the query");
    assert_eq!(mine.map(Interval::duration), theirs.map(Interval::duration));
    assert!(mine.is_some());
}

#[test]
fn loom_record_publication() {
    let probes = [("finished", &FINISHED), ("pending", &PENDING), ("timed", &TIMED)];
    must_pass("record publication", 23, &probes, publication);
    must_fail("record publication", Plant::Ordering(Site::RecordPublish), publication);
    must_fail("record publication", Plant::Ordering(Site::RecordObserve), publication);
}

#[test]
fn loom_query_against_arm() {
    let probes = [("query first", &ASKED_FIRST), ("ring first", &RETIRED_FIRST)];
    must_pass("query against arm", 7, &probes, query_against_arm);
    must_fail("query against arm", Plant::Rule(Fault::ArmWhileHeld), query_against_arm);
}

#[test]
fn loom_harvested_once() {
    let probes = [("by the ring", &BY_RING), ("by the query", &BY_QUERY)];
    must_pass("harvested once", 11, &probes, harvested_once);
}
