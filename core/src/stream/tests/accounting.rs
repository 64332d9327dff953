//! Random walks through the pool, beside a second account of every stream: where each one is, and what was counted.

use std::{collections::BTreeMap, num::NonZeroU32};

use super::*;

const WALKS: u64 = 200;
const STEPS: u32 = 200;

/// Steele, Lea and Flood's SplitMix64.
struct Dice(u64);
impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }
}

/// Where a stream is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum At {
    Leased,
    Draining,
    Idle,
    Condemned,
}

/// A pool, and what is known of its streams without it.
struct Walk {
    dice: Dice,
    bench: Bench,
    options: PoolOptions,
    keys: [StreamKey; 2],
    streams: BTreeMap<StreamId, (usize, At)>,
    leases: Vec<Lease>,
    counted: PoolCounts,
}
impl Walk {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let options = PoolOptions {
            idle_cap: dice.below(4) as u32,
            live_cap: NonZeroU32::new(dice.below(7) as u32),
            looks: 1 + dice.below(4) as u32,
            warn_past: 5,
            ..PoolOptions::default()
        };
        let keys = [key(), key().with_priority(Priority::High)];
        let bench = Bench::new(options);
        let (streams, leases, counted) = Default::default();
        Self { dice, bench, options, keys, streams, leases, counted }
    }
    fn many(&self, of: usize, at: At) -> u32 {
        let there = self.streams.values().filter(|one| **one == (of, at)).count();
        u32::try_from(there).expect("few")
    }
    fn all(&self, at: At) -> u32 {
        self.many(0, at) + self.many(1, at)
    }
    fn put(&mut self, id: StreamId, at: At) {
        self.streams.get_mut(&id).expect("a stream that was created").1 = at;
    }
    /// What is alive right now, with `creating` more to come.
    fn peaks(&mut self, creating: u32) {
        let held = self.all(At::Leased) + self.all(At::Draining) + creating;
        let live = held + self.all(At::Idle) + self.all(At::Condemned);
        let counted = &mut self.counted;
        counted.peak_leased_and_draining = counted.peak_leased_and_draining.max(held);
        counted.peak_live = counted.peak_live.max(live);
        counted.warnings = u32::from(counted.peak_live > self.options.warn_past);
    }
    fn claim(&mut self) {
        let of = self.dice.below(2) as usize;
        let idle = self.many(of, At::Idle);
        match self.bench.claim(self.keys[of]) {
            Claim::Create(reservation) => self.create(of, reservation),
            Claim::Reuse(offer) => {
                self.offered(of, offer, if idle > 0 { At::Idle } else { At::Draining })
            }
            Claim::Short(Shortage::Full { live, cap }) => {
                assert_eq!(
                    (live, Some(cap)),
                    (self.streams.len() as u32, self.options.live_cap.map(u32::from))
                );
                assert_eq!(self.many(1 - of, At::Idle), 0, "the other kind had room to make");
            }
            // An idle stream of the other kind makes room: which one is seen when it is destroyed.
            Claim::Reap => {
                let idle = self.streams.iter().find(|(id, one)| {
                    **one == (1 - of, At::Idle)
                        && self.bench.pool.by_id(**id).is_some_and(|slot| slot.closed().is_some())
                });
                let id = *idle.expect("one was condemned").0;
                self.put(id, At::Condemned);
                self.counted.trimmed += 1;
            }
            Claim::Share(_) => panic!("nothing is shared"),
        }
    }
    fn create(&mut self, of: usize, reservation: Reservation) {
        let cap = self.options.live_cap.map_or(u32::MAX, u32::from);
        assert!((self.streams.len() as u32) < cap, "beyond the cap");
        assert_eq!(self.bench.tally().creating, 1);
        self.peaks(1);
        if self.dice.below(8) == 0 {
            self.bench.pool.abandoned(reservation);
            self.counted.creations_failed += 1;
            return;
        }
        let lease = self.bench.create(Claim::Create(reservation));
        assert!(self.streams.insert(lease.id(), (of, At::Leased)).is_none(), "a new identity");
        self.leases.push(lease);
        self.counted.created += 1;
        self.counted.leases += 1;
    }
    /// A stream is offered: taken, refused or found idle.
    fn offered(&mut self, of: usize, offer: Offer, from: At) {
        let id = offer.slot().id();
        assert_eq!(self.streams[&id], (of, from));
        self.put(id, At::Leased);
        if from == At::Idle {
            self.peaks(0);
        }
        match self.dice.below(6) {
            0 => self.give_back(offer, Why::Pending),
            1 => self.give_back(offer, bad()),
            2 => self.give_back(offer, Why::Capturing(CaptureStatus::Active)),
            3 => self.give_back(offer, Why::Unknown),
            _ => {
                let lease = self.bench.hand_on(Claim::Reuse(offer));
                self.leases.push(lease);
                self.counted.leases += 1;
                self.counted.reused += 1;
            }
        }
    }
    fn give_back(&mut self, offer: Offer, why: Why) {
        let id = offer.slot().id();
        self.bench.pool.refused(offer, why);
        let avoided = matches!(why, Why::Capturing(_) | Why::Unknown);
        self.counted.conflicts_avoided += u64::from(avoided);
        let at = match why {
            Why::Bad(_) => {
                self.counted.condemned_bad += 1;
                At::Condemned
            }
            Why::Capturing(_) => {
                self.counted.condemned_captures += 1;
                At::Condemned
            }
            _ => At::Draining,
        };
        self.put(id, at);
    }
    fn tidy(&mut self) {
        let visit = self.bench.pool.visit();
        while let Some(offer) = self.bench.pool.next_draining(&visit) {
            let id = offer.slot().id();
            let (of, at) = self.streams[&id];
            assert_eq!(at, At::Draining);
            if self.dice.below(3) == 0 {
                self.give_back(offer, Why::Pending);
                continue;
            }
            let kept = self.many(of, At::Idle) < self.options.idle_cap;
            self.bench.pool.found_idle(offer);
            self.put(id, if kept { At::Idle } else { At::Condemned });
            self.counted.trimmed += u64::from(!kept);
        }
    }
    fn reap(&mut self) {
        let visit = self.bench.pool.visit();
        while let Some(condemned) = self.bench.pool.next_condemned(&visit) {
            let id = condemned.slot.id();
            assert_eq!(self.streams[&id].1, At::Condemned);
            match self.dice.below(4) {
                0 => self.bench.pool.not_yet(condemned),
                1 => {
                    drop(self.bench.pool.leaked(condemned));
                    assert!(self.bench.pool.by_id(id).is_some(), "its work may not be finished");
                    self.counted.leaked += 1;
                    self.streams.remove(&id);
                }
                _ => {
                    drop(self.bench.pool.destroyed(condemned));
                    assert!(
                        self.bench.pool.by_id(id).is_none(),
                        "a stamp of it is of finished work"
                    );
                    self.counted.destroyed += 1;
                    self.streams.remove(&id);
                }
            }
        }
    }
    fn step(&mut self) {
        match self.dice.below(10) {
            0..=4 => self.claim(),
            5..=6 => {
                if !self.leases.is_empty() {
                    let at = self.dice.below(self.leases.len() as u64) as usize;
                    let id = self.leases.swap_remove(at).id();
                    self.put(id, At::Draining);
                }
            }
            7 => self.tidy(),
            8 => self.reap(),
            _ => {
                self.bench.pool.empty();
                let idle: Vec<_> =
                    self.streams.values_mut().filter(|one| one.1 == At::Idle).collect();
                self.counted.trimmed += idle.len() as u64;
                idle.into_iter().for_each(|one| one.1 = At::Condemned);
            }
        }
    }
    fn check(&mut self) {
        for (of, key) in self.keys.into_iter().enumerate() {
            let wanted = StreamTally {
                leased: self.many(of, At::Leased),
                draining: self.many(of, At::Draining),
                idle: self.many(of, At::Idle),
                condemned: self.many(of, At::Condemned),
                creating: 0,
                host_bytes: Bytes::default(),
            };
            assert_eq!(self.bench.pool.tally(key, Bytes::default()), wanted);
        }
        let total = self.bench.tally();
        assert_eq!(total.live() as usize, self.streams.len());
        assert_eq!(total.leased as usize, self.leases.len());
        assert_eq!(self.bench.pool.counts(), self.counted);
    }
}

#[test]
fn every_stream_is_where_it_should_be_and_everything_is_counted() {
    for seed in 1..=WALKS {
        let mut walk = Walk::new(seed);
        for step in 0..STEPS {
            let before = format!("seed {seed}, step {step}");
            let stepped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                walk.step();
                walk.check();
            }));
            assert!(stepped.is_ok(), "{before}");
        }
    }
}
