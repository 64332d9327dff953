//! The pure ring: calls in another order than the one that its types demand are refused, and change nothing.

mod common;

use std::mem::MaybeUninit;

use common::{at, message, ok, out, to};
use ringfence_capi::{ringfence_status_t::*, *};

const HOST: u32 = RINGFENCE_MEMORY_HOST;

struct Bench {
    mark: ringfence_watermark_t,
    ring: ringfence_ring_t,
    next_signal: u64,
}
impl Bench {
    /// A ring of 8 signals on queue `queue`.
    fn new(queue: u32) -> Self {
        let mark = out(|mark| ringfence_watermark_create(queue, 0, mark));
        let ring = out(|ring| ringfence_ring_create(mark, 8, ring));
        let mut bench = Self { mark, ring, next_signal: 100 };
        bench.add(8);
        bench
    }
    fn add(&mut self, count: u32) {
        for _ in 0..count {
            ok(ringfence_ring_add(self.ring, self.next_signal, HOST, HOST));
            self.next_signal += 1;
        }
    }
    fn secure(&self, count: usize) -> ringfence_shortage_t {
        out(|shortage| ringfence_ring_secure(self.ring, HOST, count, shortage))
    }
    fn bind(&self, packet: u64, with: ringfence_use_t) -> ringfence_bound_t {
        out(|bound| ringfence_ring_bind(self.ring, HOST, packet, at(&with), bound))
    }
    fn try_bind(&self, packet: u64) -> ringfence_status_t {
        let with = ringfence_use_t::default();
        ringfence_ring_bind(self.ring, HOST, packet, at(&with), to(&mut MaybeUninit::uninit()))
    }
    fn publish(&self, packet: u64, with: ringfence_use_t) -> ringfence_bound_t {
        assert_eq!(self.secure(1).kind, RINGFENCE_SHORT_OF_NOTHING);
        self.bind(packet, with)
    }
    fn nominate(&self, read_index: u64) -> ringfence_probe_t {
        out(|probe| ringfence_ring_nominate(self.ring, read_index, probe))
    }
    fn confirm(&self, value: i64) -> u32 {
        out(|confirmed| ringfence_ring_confirm(self.ring, value, confirmed))
    }
    fn next_finished(&self) -> ringfence_finished_t {
        out(|finished| ringfence_ring_next_finished(self.ring, finished))
    }
    fn retire(&self, taken: u32) -> u64 {
        out(|arm| ringfence_ring_retire(self.ring, taken, arm))
    }
    fn state(&self) -> ringfence_ring_state_t {
        let mut state = ringfence_ring_state_t {
            size: size_of::<ringfence_ring_state_t>(),
            ..Default::default()
        };
        // SAFETY: the structure is there.
        ok(unsafe { ringfence_ring_state(self.ring, &raw mut state) });
        state
    }
    /// Ends the ring. Returns how many signals came back.
    fn end(self) -> usize {
        let mut signals = [0; 256];
        let count = out(|count| {
            // SAFETY: the array is there.
            unsafe {
                ringfence_ring_destroy(self.ring, signals.as_mut_ptr(), 256, count, Out::NULL)
            }
        });
        ok(ringfence_watermark_destroy(self.mark));
        count
    }
}
const FREE: ringfence_use_t =
    ringfence_use_t { no_barrier: 1, holds_back_later: 0, timed: 0, lend: 0 };

#[test]
fn one_load_of_a_fence_proves_what_is_before_it() {
    let bench = Bench::new(9000);
    for packet in 0..4 {
        bench.publish(packet, FREE);
    }
    let fence = bench.publish(4, ringfence_use_t::default());
    bench.publish(5, FREE);
    // The read index nominates, and proves nothing.
    let probe = bench.nominate(6);
    assert_eq!((probe.signal, probe.of), (fence.signal, fence.of));
    assert_eq!(bench.next_finished().signal, 0);
    assert_eq!(bench.confirm(1), RINGFENCE_CONFIRMED_PENDING);
    // A probe serves once.
    let mut confirmed = MaybeUninit::uninit();
    assert_eq!(ringfence_ring_confirm(bench.ring, 0, to(&mut confirmed)), RINGFENCE_OUT_OF_ORDER);
    let probe = out(|probe| ringfence_ring_probe_use(bench.ring, fence.of, probe));
    assert_eq!(probe.signal, fence.signal);
    assert_eq!(bench.confirm(0), RINGFENCE_CONFIRMED_FENCE);
    assert_eq!(out(|below| ringfence_watermark_observe(bench.mark, below)), 5);
    let mut arms = [0; 3];
    let retire = |arms: &mut [u64; 3]| {
        // SAFETY: the array is there.
        out(|armed| unsafe {
            ringfence_ring_retire_batch(bench.ring, arms.as_mut_ptr(), 3, armed, Out::NULL)
        })
    };
    assert_eq!(
        (retire(&mut arms), arms),
        (3, [100, 101, 102]),
        "oldest first, and no more than there are places"
    );
    assert_eq!(retire(&mut arms), 2);
    assert_eq!(retire(&mut arms), 0, "the one after the fence is not proven");
    assert_eq!(bench.state().in_flight, 1);
    assert_eq!(bench.end(), 7, "what is in flight is given up");
}

#[test]
fn an_index_is_reserved_only_for_what_is_secured() {
    let mut bench = Bench::new(9001);
    assert_eq!(bench.try_bind(0), RINGFENCE_OUT_OF_ORDER);
    assert!(message().contains("ringfence_ring_secure"), "{}", message());
    // In bulk: all of them, or none.
    assert_eq!(bench.secure(6).kind, RINGFENCE_SHORT_OF_NOTHING);
    let more = bench.secure(3);
    assert_eq!((more.kind, more.count > 0, more.room > 0), (RINGFENCE_SHORT_GROW, true, true));
    bench.add(more.count);
    assert_eq!(bench.secure(3).kind, RINGFENCE_SHORT_OF_NOTHING);
    for packet in 0..9 {
        bench.bind(packet, FREE);
    }
    assert_eq!(bench.try_bind(9), RINGFENCE_OUT_OF_ORDER);
    // Given back, and bound in rising order alone.
    assert_eq!(bench.secure(2).kind, RINGFENCE_SHORT_OF_NOTHING);
    assert_eq!(ringfence_ring_unsecure(bench.ring, HOST, 3), RINGFENCE_OUT_OF_ORDER);
    ok(ringfence_ring_unsecure(bench.ring, HOST, 1));
    assert_eq!(bench.try_bind(8), RINGFENCE_OUT_OF_ORDER);
    assert!(message().contains("after a later one"), "{}", message());
    bench.bind(20, FREE); // packets of others lie between
    assert_eq!(bench.try_bind(21), RINGFENCE_OUT_OF_ORDER);
    // More than the ring may ever have.
    let mut shortage = MaybeUninit::uninit();
    let status = ringfence_ring_secure(bench.ring, HOST, 129, to(&mut shortage));
    assert_eq!(status, RINGFENCE_EXHAUSTED);
    assert!(message().contains("the ring's cap is 128"), "{}", message());
    bench.end();
}

#[test]
fn what_is_finished_is_retired_before_anything_else_and_with_its_timing() {
    let bench = Bench::new(9002);
    let timed = ringfence_use_t { timed: 1, ..Default::default() };
    let first = bench.publish(0, timed);
    bench.publish(1, ringfence_use_t::default());
    let mut arm = MaybeUninit::uninit();
    assert_eq!(ringfence_ring_retire(bench.ring, 0, to(&mut arm)), RINGFENCE_OUT_OF_ORDER);
    bench.nominate(2);
    assert_eq!(bench.confirm(0), RINGFENCE_CONFIRMED_FENCE);
    let finished = bench.next_finished();
    assert_eq!((finished.signal, finished.timed), (first.signal, 1));
    assert_eq!(finished.grounds, RINGFENCE_GROUNDS_FENCE);
    let mut again = MaybeUninit::uninit();
    assert_eq!(ringfence_ring_next_finished(bench.ring, to(&mut again)), RINGFENCE_OUT_OF_ORDER);
    assert_eq!(ringfence_ring_retire(bench.ring, 0, to(&mut arm)), RINGFENCE_OUT_OF_ORDER);
    assert!(message().contains("arming would overwrite it"), "{}", message());
    // SAFETY: looked at before anything is written.
    let status =
        unsafe { ringfence_ring_destroy(bench.ring, [0; 8].as_mut_ptr(), 8, Out::NULL, Out::NULL) };
    assert_eq!(status, RINGFENCE_OUT_OF_ORDER, "its signal would be lost");
    assert_eq!(out(|finished| ringfence_ring_finished(bench.ring, finished)), finished);
    assert_eq!(bench.retire(1), first.signal);
    assert_eq!(bench.next_finished().timed, 0);
    assert_ne!(bench.retire(0), 0);
    assert_eq!(bench.next_finished(), ringfence_finished_t::default());
    assert_eq!(bench.end(), 8);
}

#[test]
fn a_signal_that_is_held_is_parked_and_one_below_0_is_kept_back() {
    let bench = Bench::new(9003);
    let lent = ringfence_use_t { lend: 1, ..Default::default() };
    let shared = bench.publish(0, lent);
    bench.nominate(1);
    assert_eq!(bench.confirm(0), RINGFENCE_CONFIRMED_FENCE);
    assert_eq!(bench.next_finished().signal, shared.signal);
    assert_eq!(bench.retire(0), 0, "somebody holds it");
    assert_eq!(bench.state().parked, 1);
    let unpark = || out(|arm| ringfence_ring_unpark(bench.ring, arm));
    assert_eq!(unpark(), 0);
    let hold = shared.hold;
    let other = std::thread::spawn(move || ringfence_hold_release(hold));
    ok(other.join().expect("a handler thread"));
    assert_eq!(ringfence_hold_release(hold), RINGFENCE_STALE_HANDLE);
    assert_eq!(unpark(), shared.signal);
    // A GPU waiter's pin goes with its packet's proof.
    let producer = bench.publish(1, lent);
    let consumer = bench.publish(2, ringfence_use_t { holds_back_later: 1, ..Default::default() });
    let awaits = RINGFENCE_AWAITS_EACH_IN_ORDER;
    ok(ringfence_ring_pin(bench.ring, consumer.of, awaits, at(&producer.of), producer.hold));
    assert_eq!(bench.state().pinned, 1);
    bench.nominate(3);
    assert_eq!(bench.confirm(0), RINGFENCE_CONFIRMED_FENCE);
    while bench.next_finished().signal != 0 {
        assert_ne!(bench.retire(0), 0);
    }
    assert_eq!((bench.state().pinned, bench.state().parked), (0, 0));
    // Below 0: an error, and never armed again.
    let bad = bench.publish(3, ringfence_use_t::default());
    bench.nominate(4);
    let mut confirmed = MaybeUninit::uninit();
    let status = ringfence_ring_confirm(bench.ring, -1, to(&mut confirmed));
    assert_eq!(status, RINGFENCE_OVER_DECREMENT);
    assert!(message().contains(&format!("{:#x}", bad.signal)), "{}", message());
    assert_eq!(bench.state().quarantined, 1);
    assert_eq!(bench.end(), 7);
}

#[test]
fn a_queue_that_restarts_and_one_that_is_drained() {
    let bench = Bench::new(9004);
    let old = bench.publish(7, FREE);
    bench.publish(8, ringfence_use_t::default());
    let restarted = out(|mark| ringfence_watermark_create(9004, 1, mark));
    assert_eq!(bench.secure(1).kind, RINGFENCE_SHORT_OF_NOTHING);
    assert_eq!(ringfence_ring_switch(bench.ring, restarted), RINGFENCE_OUT_OF_ORDER);
    ok(ringfence_ring_unsecure(bench.ring, HOST, 1));
    ok(ringfence_ring_switch(bench.ring, restarted));
    let new = bench.publish(0, ringfence_use_t::default());
    assert_eq!((new.of.generation, old.of.generation), (1, 0));
    // A fence of the new generation proves nothing of the old one.
    bench.nominate(1);
    assert_eq!(bench.confirm(0), RINGFENCE_CONFIRMED_FENCE);
    assert_eq!(bench.next_finished().of, new.of);
    bench.retire(0);
    assert_eq!(bench.next_finished().signal, 0);
    // Drained: only once the watermark covers all that was published.
    let mut finished = MaybeUninit::uninit();
    let status = ringfence_ring_next_drained(bench.ring, bench.mark, 9, to(&mut finished));
    assert_eq!(status, RINGFENCE_OUT_OF_ORDER);
    let of = ringfence_use_id_t { packet: 8, ..old.of };
    assert_ne!(out(|probe| ringfence_ring_probe_use(bench.ring, of, probe)).signal, 0);
    assert_eq!(bench.confirm(0), RINGFENCE_CONFIRMED_FENCE);
    let drained = out(|finished| ringfence_ring_next_drained(bench.ring, bench.mark, 9, finished));
    assert_eq!((drained.of, drained.grounds), (old.of, RINGFENCE_GROUNDS_DRAINED));
    assert_eq!(bench.retire(0), old.signal);
    assert_eq!(bench.next_finished().of, of);
    bench.retire(0);
    // Too few places for the ring's signals: nothing is done.
    // SAFETY: looked at before anything is written.
    let status =
        unsafe { ringfence_ring_destroy(bench.ring, [0; 2].as_mut_ptr(), 2, Out::NULL, Out::NULL) };
    assert_eq!(status, RINGFENCE_FULL);
    ok(ringfence_watermark_destroy(restarted));
    assert_eq!(bench.end(), 8);
}

#[test]
fn a_lost_device_proves_nothing() {
    let bench = Bench::new(9005);
    bench.publish(0, ringfence_use_t::default());
    assert_eq!(out(|given_up| ringfence_ring_lose(bench.ring, given_up)), 1);
    assert_eq!(bench.next_finished().signal, 0);
    assert_eq!(bench.nominate(1).signal, 0);
    assert_eq!(bench.end(), 7);
}
