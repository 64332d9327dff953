//! What several leases of one stream, and several pumping threads, leave to whoever comes after them.

use super::*;
use crate::{
    id::{DeviceContext, PoolId, RawStream, StreamId, StreamKey},
    stream::{Bit, Kind, Made, Returns, Slot},
    sync::model::{Tracked, thread},
};

fn slot(kind: Kind) -> Arc<Slot> {
    let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
    let made = Made { key, raw: RawStream::new(1), word: None, kind, attachment: () };
    let (pool, id) = (PoolId::new(0), StreamId::new(0));
    Arc::new(Slot::new(pool, id, made, Returns::new(), Bit::of(0)))
}

/// Two owners do their last acts and let go; whoever finds the stream nobody's comes after both.
fn let_go(slot: &Arc<Slot>, is_nobodys: impl Fn() -> bool, [gone, kept]: [&Probe; 2]) {
    let acts = [(); 2].map(|()| Arc::new(Tracked::new(())));
    let owners = acts.clone().map(|act| {
        let lease = Slot::lease(slot);
        thread::spawn(move || {
            act.with_mut(|_| ());
            drop(lease);
        })
    });
    if is_nobodys() {
        acts.iter().for_each(|act| act.with_mut(|_| ()));
        gone.hit();
    } else {
        kept.hit();
    }
    owners.into_iter().for_each(|owner| owner.join().expect("an owner"));
}

static UNSHARED: Probe = Probe::new();
static SHARED: Probe = Probe::new();

fn sharers() {
    let slot = slot(Kind::Shared);
    let shared = slot.clone();
    let_go(&slot, move || shared.is_unshared(), [&UNSHARED, &SHARED]);
}

static CAME_BACK: Probe = Probe::new();
static STAYED: Probe = Probe::new();

fn wrapped() {
    let slot = slot(Kind::External);
    let external = slot.clone();
    let_go(&slot, move || external.came_back(), [&CAME_BACK, &STAYED]);
}

static ONE_AFTER_THE_OTHER: Probe = Probe::new();
static ONE_ALONE: Probe = Probe::new();

/// Who gets to pump does so after those who pumped before.
fn turns() {
    let pool = streams::pool();
    let pumped = Arc::new(Tracked::new(()));
    let pump = |pool: &crate::drive::StreamPool<streams::Driver>, pumped: &Tracked<()>| {
        let turn = pool.turn();
        if turn.is_some() {
            pumped.with_mut(|_| ());
        }
        turn.is_some()
    };
    let other = {
        let (pool, pumped) = (pool.clone(), pumped.clone());
        thread::spawn(move || pump(&pool, &pumped))
    };
    let here = pump(&pool, &pumped);
    match (here, other.join().expect("the other")) {
        (true, true) => ONE_AFTER_THE_OTHER.hit(),
        (true, false) | (false, true) => ONE_ALONE.hit(),
        (false, false) => panic!("nobody pumped"),
    }
}

#[test]
fn loom_sharers() {
    must_pass("sharers", 216, &[("nobody's", &UNSHARED), ("shared", &SHARED)], sharers);
    must_fail("sharers", Plant::Ordering(Site::SharerLeave), sharers);
    must_fail("sharers", Plant::Ordering(Site::SharersGone), sharers);
}

#[test]
fn loom_wrapped() {
    must_pass("wrapped", 207, &[("came back", &CAME_BACK), ("stayed", &STAYED)], wrapped);
    must_fail("wrapped", Plant::Ordering(Site::SharerLeave), wrapped);
}

#[test]
fn loom_turns() {
    let probes = [("both", &ONE_AFTER_THE_OTHER), ("one", &ONE_ALONE)];
    must_pass("turns", 9, &probes, turns);
    must_fail("turns", Plant::Ordering(Site::TurnEnd), turns);
    must_fail("turns", Plant::Ordering(Site::TurnBegin), turns);
}
