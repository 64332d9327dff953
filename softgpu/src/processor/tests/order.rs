//! Which packet starts and completes when.

use super::*;

fn slow() -> Rig {
    Rig::with(1, |settings| settings.kernel = span(1000, 1000))
}

#[test]
fn kernels_without_the_barrier_bit_run_together() {
    let mut rig = slow();
    rig.submit(0, &[0, 1, 2].map(|n| Wire::kernel().completes(signal(n))));
    rig.pass(999);
    assert_eq!(rig.values(), [1, 1, 1]);
    rig.pass(1);
    assert_eq!(rig.values(), [0, 0, 0]);
}

#[test]
fn the_barrier_bit_waits_for_running_kernels() {
    let mut rig = slow();
    let [first, second, third] = [0, 1, 2].map(|n| Wire::kernel().completes(signal(n)));
    rig.submit(0, &[first, second.barrier(), third]);
    rig.pass(1000);
    assert_eq!(rig.values(), [0, 1, 1]);
    // The one behind has no barrier bit: it runs beside the one that has.
    rig.pass(1000);
    assert_eq!(rig.values(), [0, 0, 0]);
}

#[test]
fn a_barrier_packet_holds_back_what_follows() {
    for barrier in [Wire::all(&[signal(9)]), Wire::any(&[signal(9)])] {
        let mut rig = slow();
        let after = Wire::kernel().completes(signal(1));
        rig.submit(0, &[barrier.completes(signal(0)), after]);
        rig.pass(5000);
        assert_eq!(rig.values(), [1, 1]);
        rig.set(9, 0);
        rig.settle();
        assert_eq!(rig.values(), [0, 1]);
        rig.pass(999);
        assert_eq!(rig.value(1), 1, "it starts when the barrier completes");
        rig.pass(1);
        assert_eq!(rig.value(1), 0);
    }
}

#[test]
fn a_barrier_packet_without_the_barrier_bit_overtakes_running_kernels() {
    let mut rig = slow();
    rig.submit(0, &[Wire::kernel().completes(signal(0)), Wire::all(&[]).completes(signal(1))]);
    assert_eq!(rig.values(), [1, 0]);
}

#[test]
fn a_barrier_value_packet_holds_nothing_back() {
    let mut rig = Rig::new();
    let waits = Wire::value(signal(9), -1, 0, 0).completes(signal(0));
    let behind =
        [Wire::kernel().completes(signal(1)), Wire::kernel().barrier().completes(signal(2))];
    rig.submit(0, &[waits, behind[0], behind[1]]);
    assert_eq!(rig.values(), [1, 0, 1], "but for one with the barrier bit");
    rig.set(9, 0);
    rig.settle();
    assert_eq!(rig.values(), [0, 0, 0]);
}

/// The order in which 12 kernels of random durations complete.
fn order_of_completion(seed: u64, packet: Wire) -> Vec<u64> {
    let mut rig = Rig::with(1, |settings| {
        settings.kernel = span(0, 200_000);
        settings.completion_lag = span(0, 20_000);
        settings.seed = seed;
    });
    let packets: Vec<_> = (0..12).map(|n| packet.completes(signal(n))).collect();
    rig.submit(0, &packets);
    while !rig.queues[0].is_idle() {
        rig.pass(100);
    }
    rig.completed()
}

#[test]
fn kernels_of_random_durations_complete_out_of_order_unless_the_barrier_bit_forbids_it() {
    let in_order: Vec<u64> = (0..12).collect();
    let mut out_of_order = 0;
    for seed in 1..=20 {
        println!("seed {seed}");
        assert_eq!(order_of_completion(seed, Wire::kernel().barrier()), in_order);
        let mut free = order_of_completion(seed, Wire::kernel());
        out_of_order += u32::from(free != in_order);
        free.sort_unstable();
        assert_eq!(free, in_order, "each completes once");
    }
    assert!(out_of_order >= 18, "{out_of_order} of 20");
}

#[test]
fn nothing_starts_before_the_doorbell() {
    let mut rig = Rig::new();
    rig.put(0, Wire::kernel().completes(signal(0)));
    assert_eq!(rig.step(0), Progress::Idle);
    assert_eq!(rig.value(0), 1);
    rig.ring(0);
    assert_eq!(rig.step(0), Progress::Made);
    assert_eq!((rig.value(0), rig.step(0)), (0, Progress::Idle));
}

#[test]
fn a_doorbell_may_come_before_its_packet() {
    let mut rig = Rig::new();
    let early = rig.reserve(0);
    rig.put(0, Wire::kernel().completes(signal(1)));
    rig.ring(0);
    rig.settle();
    assert_eq!(rig.step(0), Progress::Waiting(None));
    assert_eq!(rig.values(), [1, 1], "the later packet is not reached past the hole");
    rig.fill(0, early, Wire::kernel().completes(signal(0)));
    rig.settle();
    assert_eq!((rig.completed(), rig.step(0)), (vec![0, 1], Progress::Idle));
}

#[test]
fn packets_wrap_around_the_ring_and_slots_become_invalid() {
    let mut rig = Rig::new();
    for n in 0..5 * PACKETS + 3 {
        rig.submit(0, &[Wire::kernel().completes(signal(n))]);
        let slot = Rig::place(0).ring.plus(n % PACKETS * 64);
        assert_eq!(rig.load(slot) as u32, 1, "packet {n}");
        assert_eq!((rig.value(n), rig.read_index(0)), (0, n + 1));
    }
}

#[test]
fn a_step_ends_though_there_is_more_to_do() {
    let mut rig = Rig::new();
    let place = Place { packets: 256, ring: Address::new(0x70_0000), ..Rig::place(0) };
    rig.bus.memory =
        std::mem::take(&mut rig.bus.memory).and(place.ring, Wire::kernel().0.repeat(256));
    rig.queues = vec![AqlQueue::new(0, 0, place)];
    rig.store(place.write_index, 256);
    rig.ring(0);
    assert_eq!(rig.step(0), Progress::Made);
    assert!((1..=65).contains(&rig.read_index(0)), "{}", rig.read_index(0));
    rig.settle();
    assert_eq!(rig.read_index(0), 256);
}

#[test]
fn it_says_when_it_wants_to_be_asked_again() {
    let mut rig = slow();
    rig.submit(0, &[Wire::kernel()]);
    rig.now = ns(400);
    rig.submit(0, &[Wire::kernel()]);
    assert_eq!(rig.step(0), Progress::Waiting(Some(ns(1000))));
    rig.pass(600);
    assert_eq!(rig.step(0), Progress::Waiting(Some(ns(1400))));
}

#[test]
fn a_suspended_queue_stands_still() {
    let mut rig = slow();
    rig.submit(0, &[Wire::kernel().completes(signal(0))]);
    rig.queues[0].suspend(true);
    rig.submit(0, &[Wire::all(&[]).completes(signal(1))]);
    rig.pass(5000);
    assert_eq!((rig.step(0), rig.values()), (Progress::Idle, [1, 1]));
    rig.queues[0].suspend(false);
    rig.settle();
    assert_eq!(rig.values(), [0, 0]);
}

#[test]
fn queues_do_not_order_each_other() {
    let mut rig = Rig::with(2, |settings| settings.kernel = span(1000, 1000));
    rig.submit(0, &[Wire::kernel().barrier().completes(signal(0))]);
    rig.pass(500);
    rig.submit(1, &[Wire::all(&[]).barrier().completes(signal(1))]);
    assert_eq!(rig.values(), [1, 0]);
}
