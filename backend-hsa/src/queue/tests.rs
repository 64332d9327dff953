use std::{
    num::NonZeroU64,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use ringfence::{
    backend::{Body, Deps, Packet, ValueWait},
    id::{Barrier, CacheScope, Priority, SignalHandle, SignalValue},
};

use super::{
    RingSize,
    options::priority,
    packet::{Encoded, encode},
    publication::{Publication, Sink},
};
use crate::{
    kernel::{Dispatch, Extent, Kernarg, KernelObject},
    sys::hsa_amd_queue_priority_s,
};

fn address(signal: SignalHandle) -> u64 {
    signal.as_u64() << 8
}

fn bytes(encoded: &Encoded) -> [u8; 64] {
    let mut all = [0; 64];
    all[..4].copy_from_slice(&encoded.first_word.to_le_bytes());
    all[4..].copy_from_slice(&encoded.body);
    all
}

fn word(bytes: &[u8; 64], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}

#[test]
fn a_packet_that_does_nothing_is_a_bare_barrier() {
    let encoded = encode(&Packet::nothing(), address);
    assert_eq!(encoded, Encoded { first_word: 3, body: [0; 60] });
}

#[test]
fn dependencies_and_completion_are_where_the_headers_have_them() {
    let signals: Vec<_> = (1..=5).map(SignalHandle::new).collect();
    for (body, kind) in
        [(Body::And(Deps::take(&signals).0), 3), (Body::Or(Deps::take(&signals).0), 5)]
    {
        let packet = Packet {
            body,
            barrier: Barrier::Set,
            acquire: CacheScope::System,
            release: CacheScope::Agent,
            completes: SignalHandle::new(9),
        };
        let all = bytes(&encode(&packet, address));
        // Type, barrier bit, acquire scope 2, release scope 1.
        assert_eq!(u16::from_le_bytes([all[0], all[1]]), kind | 1 << 8 | 2 << 9 | 1 << 11);
        assert_eq!([8, 16, 24, 32, 40].map(|at| word(&all, at)), [1, 2, 3, 4, 5].map(|n| n << 8));
        assert_eq!(word(&all, 56), 9 << 8);
    }
}

#[test]
fn a_value_packet_masks_the_sign() {
    let wait = ValueWait { signal: SignalHandle::new(4), below: SignalValue::new(3) };
    let all = bytes(&encode(&Packet { body: Body::Value(wait), ..Packet::nothing() }, address));
    assert_eq!(&all[..4], &[0, 0, 2, 0], "vendor's type, format 2");
    assert_eq!([8, 16, 24].map(|at| word(&all, at)), [4 << 8, 3, i64::MAX as u64]);
    assert_eq!(u32::from_le_bytes(all[32..36].try_into().expect("4 bytes")), 2, "less than");
}

#[test]
fn a_dispatch_is_laid_out_with_its_dimensions() {
    for (grid, group, dimensions) in [
        (Extent::line(640), Extent::row(64), 1),
        (Extent { x: 640, y: 2, z: 1 }, Extent::row(64), 2),
        (Extent { x: 640, y: 1, z: 7 }, Extent::row(64), 3),
        // A work-group that reaches beyond the grid uses its dimensions too.
        (Extent::line(640), Extent { x: 64, y: 8, z: 1 }, 2),
        (Extent { x: 640, y: 2, z: 1 }, Extent { x: 64, y: 1, z: 4 }, 3),
    ] {
        let (kernel, kernarg) = (KernelObject::new(0xabc0), Kernarg::new(0xdef0));
        // SAFETY: it is never submitted.
        let dispatch = unsafe { Dispatch::new(kernel, kernarg, grid, group) };
        let dispatch = dispatch.with_private_bytes(16).with_group_bytes(32);
        let all =
            bytes(&encode(&Packet { body: Body::Kernel(dispatch), ..Packet::nothing() }, address));
        let [y, z] = [group.y, group.z].map(|one| u8::try_from(one).expect("few"));
        assert_eq!(&all[..10], &[2, 0, dimensions, 0, 64, 0, y, 0, z, 0]);
        let words = |at: usize| u32::from_le_bytes(all[at..at + 4].try_into().expect("4 bytes"));
        assert_eq!([12, 16, 20, 24, 28].map(words), [grid.x, grid.y, grid.z, 16, 32]);
        assert_eq!([32, 40, 48, 56].map(|at| word(&all, at)), [0xabc0, 0xdef0, 0, 0]);
    }
}

#[test]
fn sizes_and_priorities() {
    assert_eq!([0, 1, 3, 64, 65].map(|n| RingSize::at_least(n).packets()), [1, 1, 4, 64, 128]);
    assert_eq!(RingSize::at_least(u32::MAX).packets(), 1 << 31);
    assert_eq!(priority(Priority::Normal), None);
    let (low, high) = (
        Some(hsa_amd_queue_priority_s::HSA_AMD_QUEUE_PRIORITY_LOW),
        Some(hsa_amd_queue_priority_s::HSA_AMD_QUEUE_PRIORITY_HIGH),
    );
    assert_eq!([Priority::Low, Priority::Level(1)].map(priority), [low, low]);
    assert_eq!([Priority::High, Priority::Level(-1)].map(priority), [high, high]);
}

/// Writes down what is published and told, and checks the order.
#[derive(Default)]
struct Log {
    published: Mutex<Vec<u32>>,
    /// As many as are published, and have settled.
    settled: AtomicU64,
    /// Calls to have something settle.
    settles: AtomicU64,
    told: AtomicU64,
}

impl Sink for Log {
    fn publish(&self, index: u64, first_word: u32) {
        let mut published = self.published.lock().expect("no panic");
        assert_eq!(published.len() as u64, index, "published out of order");
        published.push(first_word);
    }

    fn settle(&self) {
        self.settles.fetch_add(1, Ordering::Relaxed);
        let published = self.published.lock().expect("no panic").len() as u64;
        self.settled.fetch_max(published, Ordering::Relaxed);
    }

    fn ring(&self, last: u64) {
        let settled = self.settled.load(Ordering::Relaxed);
        assert!(last < settled, "told of {last} when {settled} were published and had settled");
        assert!(self.told.swap(last + 1, Ordering::Relaxed) < last + 1, "told of {last} twice");
    }
}

/// Claims and commits.
fn commit(publication: &Publication, index: u64, first_word: u32, log: &Log) {
    let claim = publication.claim(index).expect("nobody claimed it");
    publication.commit(claim, first_word, log);
}

#[test]
fn a_gap_holds_back_what_is_behind_it_and_its_doorbell() {
    let (publication, log) = (Publication::new(8), Log::default());
    commit(&publication, 2, 12, &log);
    commit(&publication, 1, 11, &log);
    publication.tell(2, &log);
    assert_eq!((publication.published_below(), log.told.load(Ordering::Relaxed)), (0, 0));
    commit(&publication, 0, 10, &log);
    assert_eq!((publication.published_below(), log.told.load(Ordering::Relaxed)), (3, 3));
    assert_eq!(*log.published.lock().expect("no panic"), [10, 11, 12]);
    // What nobody asked the doorbell for waits.
    commit(&publication, 3, 13, &log);
    assert_eq!(log.told.load(Ordering::Relaxed), 3);
    publication.tell_all(&log);
    assert_eq!(log.told.load(Ordering::Relaxed), 4);
}

/// Whoever wrote the body is not who publishes, nor need that be who rings: each has what it wrote settle, in a ring of combined
/// stores.
#[test]
fn a_body_settles_before_it_may_be_published_and_a_first_word_before_the_doorbell() {
    let (publication, log) = (Publication::new(8), Log::default());
    let settles = || log.settles.load(Ordering::Relaxed);
    commit(&publication, 1, 11, &log);
    assert_eq!(settles(), 1, "the body, which the next publishes");
    commit(&publication, 0, 10, &log);
    assert_eq!((settles(), log.settled.load(Ordering::Relaxed)), (3, 2), "a body, and two words");
    publication.tell(1, &log);
    assert_eq!((settles(), log.told.load(Ordering::Relaxed)), (3, 2), "nothing was written");
}

#[test]
fn a_doorbell_for_what_is_not_there_yet_is_rung_as_far_as_there_is() {
    let (publication, log) = (Publication::new(4), Log::default());
    commit(&publication, 0, 0, &log);
    publication.tell(1, &log);
    assert_eq!(log.told.load(Ordering::Relaxed), 1);
    commit(&publication, 1, 0, &log);
    assert_eq!(log.told.load(Ordering::Relaxed), 2);
}

/// Threads reserve from one counter, commit as they come, and ring for their own: all is published in order and told of, though
/// none waits for another.
#[test]
fn several_producers_publish_in_order_and_nothing_is_forgotten() {
    const SEED: u64 = 0x5eed;
    const EACH: u64 = 20_000;
    println!("seed {SEED:#x}");
    for threads in [2, 4] {
        // As large as all together: here, room is nobody's concern.
        let slots = (threads * EACH).next_power_of_two();
        let (publication, log) = (Publication::new(slots), Log::default());
        let next = AtomicU64::new(0);
        thread::scope(|scope| {
            for which in 0..threads {
                let (publication, log, next) = (&publication, &log, &next);
                scope.spawn(move || {
                    let mut random = NonZeroU64::new(SEED + which).expect("not 0").get();
                    for _ in 0..EACH {
                        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if random >> 60 == 0 {
                            thread::yield_now();
                        }
                        commit(publication, index, index as u32 + 2, log);
                        publication.tell(index, log);
                    }
                });
            }
        });
        let total = threads * EACH;
        assert_eq!(publication.published_below(), total);
        assert_eq!(log.told.load(Ordering::Relaxed), total);
        let published = log.published.lock().expect("no panic");
        assert!(published.iter().copied().eq((0..total as u32).map(|index| index + 2)));
    }
}

/// What the device sees of a slot that is claimed is what was there before, and whoever comes second gets nothing.
#[test]
fn a_slot_is_claimed_once_and_published_once_it_is_committed() {
    let (publication, log) = (Publication::new(4), Log::default());
    let first = publication.claim(0).expect("nobody claimed it");
    assert!(publication.claim(0).is_none(), "claimed and not yet committed");
    commit(&publication, 1, 11, &log);
    assert_eq!(publication.published_below(), 0, "0 is being written");
    publication.commit(first, 10, &log);
    assert_eq!(publication.published_below(), 2);
    for published in [0, 1] {
        assert!(publication.claim(published).is_none(), "{published} is published");
    }
    // The slot's next turn, once, and not the one after that.
    for index in 2..6 {
        assert!(publication.claim(index + 4).is_none(), "its slot is that of {index}");
        commit(&publication, index, index as u32 + 10, &log);
        assert!(publication.claim(index).is_none());
    }
    assert_eq!(*log.published.lock().expect("no panic"), [10, 11, 12, 13, 14, 15]);
}

/// Every index is tried by all threads: one claims it.
#[test]
fn of_several_threads_that_commit_one_index_one_does() {
    const TOTAL: u64 = 20_000;
    const THREADS: usize = 4;
    let (publication, log) = (Publication::new(16), Log::default());
    let claimed = AtomicU64::new(0);
    let meeting = std::sync::Barrier::new(THREADS);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                meeting.wait();
                for index in 0..TOTAL {
                    if let Some(claim) = publication.claim(index) {
                        claimed.fetch_add(1, Ordering::Relaxed);
                        publication.commit(claim, index as u32 + 2, &log);
                    }
                    while publication.published_below() <= index {
                        thread::yield_now();
                    }
                }
            });
        }
    });
    assert_eq!(claimed.load(Ordering::Relaxed), TOTAL);
    let published = log.published.lock().expect("no panic");
    assert!(published.iter().copied().eq((0..TOTAL as u32).map(|index| index + 2)));
}
