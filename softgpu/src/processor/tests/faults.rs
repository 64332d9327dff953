//! What goes wrong: packets that are none, memory that is not there, devices that are gone.

use std::num::NonZeroU64;

use super::{
    code_object::{DESCRIPTOR, code_object},
    *,
};

/// The bit of an unsupported packet (`kfd_ioctl.h`: `KFD_EC_MASK(EC_QUEUE_PACKET_UNSUPPORTED)`).
const UNSUPPORTED: u64 = 1 << 19;
const PAYLOAD: Address = Address::new(PAYLOADS);

/// An exception handler: its bits, and event 77.
fn with_handler() -> Rig {
    let rig = Rig::new();
    rig.store(Rig::page(SAVE_AREAS, 0).plus(24), PAYLOAD.as_u64());
    rig.bus.memory.put(Rig::page(SAVE_AREAS, 0).plus(32), &77_u32.to_le_bytes());
    rig
}
/// No handler, but signal 5 that tells of errors.
fn with_inactive_signal() -> Rig {
    let rig = Rig::new();
    rig.store(Rig::page(QUEUES, 0).plus(192), signal(5).as_u64());
    rig
}
fn malformed() -> Vec<(Wire, Malformed)> {
    let mut format = Wire::of_type(0);
    format.0[2] = 9;
    let compare = Wire::value(signal(0), -1, 4, 0);
    let types = [4, 6, 7, 0x7f, 0xff].map(|kind| (Wire::of_type(kind), Malformed::Type(kind)));
    let vendor = [(format, Malformed::Format(9)), (compare, Malformed::Compare(4))];
    types.into_iter().chain(vendor).collect()
}

#[test]
fn a_malformed_packet_stops_its_queue_and_tells_the_exception_handler() {
    for (packet, why) in malformed() {
        let mut rig = with_handler();
        rig.store(PAYLOAD, 2);
        let kernel = Wire::kernel().completes(signal(0));
        rig.submit(0, &[kernel, packet.completes(signal(1)), Wire::kernel().completes(signal(2))]);
        assert_eq!(rig.values(), [0, 1, 1]);
        let told = [Report::Interrupt(1), Report::Malformed(why), Report::Interrupt(77)];
        assert_eq!(rig.reports, told);
        assert_eq!(rig.load(PAYLOAD), 2 | UNSUPPORTED, "other bits stay");
        rig.queues[0].suspend(true);
        rig.queues[0].suspend(false);
        rig.submit(0, &[kernel]);
        assert_eq!((rig.value(0), rig.step(0)), (0, Progress::Idle), "it is over for good");
    }
}

#[test]
fn what_has_started_completes_behind_a_malformed_packet() {
    let mut rig = Rig::with(1, |settings| settings.kernel = span(1000, 1000));
    let kernel = Wire::kernel().completes(signal(0));
    rig.submit(0, &[kernel, Wire::of_type(4), Wire::kernel().completes(signal(1))]);
    assert_eq!(rig.value(0), 1, "it runs");
    rig.now = ns(50_000);
    let _ = rig.step(0);
    assert_eq!((rig.value(0), rig.value(1)), (0, 1));
    assert_eq!(rig.step(0), Progress::Idle);
}

#[test]
fn without_a_handler_the_inactive_signal_tells() {
    for (packet, why) in malformed() {
        let mut rig = with_inactive_signal();
        rig.submit(0, &[packet]);
        assert_eq!(rig.reports, [Report::Malformed(why), Report::Interrupt(6)]);
        assert_eq!(rig.value(5), 32);
        let stored = rig.bus.position(Access::Store(signal(5).plus(8), 32));
        assert!(stored < rig.bus.position(Access::Store(mailbox(5), 6)));
    }
}

#[test]
fn a_queue_without_a_save_area_uses_the_inactive_signal() {
    let mut rig = with_inactive_signal();
    rig.store(Rig::page(SAVE_AREAS, 0).plus(24), PAYLOAD.as_u64());
    let place = Place { save_area: Address::NULL, ..Rig::place(0) };
    rig.queues = vec![AqlQueue::new(0, 0, place)];
    rig.submit(0, &[Wire::of_type(4)]);
    assert_eq!((rig.value(5), rig.load(PAYLOAD)), (32, 0));
}

#[test]
fn with_nobody_to_tell_the_queue_only_stops() {
    let mut rig = Rig::new();
    rig.submit(0, &[Wire::of_type(4), Wire::kernel().completes(signal(0))]);
    assert_eq!(rig.reports, [Report::Malformed(Malformed::Type(4))]);
    assert_eq!(rig.value(0), 1);
}

#[test]
fn an_invalid_header_is_no_error() {
    let mut rig = with_handler();
    rig.submit(0, &[Wire::of_type(1).barrier(), Wire::kernel().completes(signal(0))]);
    assert_eq!((rig.value(0), &rig.reports), (1, &Vec::new()));
}

#[test]
fn a_completion_signal_that_is_not_mapped_is_a_fault() {
    let mut rig = Rig::new();
    let nowhere = Address::new(0xbad_0000);
    rig.submit(0, &[Wire::kernel().completes(nowhere), Wire::kernel().completes(signal(0))]);
    let [Report::Fault(fault)] = rig.reports[..] else { panic!("{:?}", rig.reports) };
    assert!(fault.at.since(nowhere).is_some_and(|offset| offset < 64), "{fault}");
    assert_eq!((rig.value(0), rig.step(0)), (1, Progress::Idle));
}

#[test]
fn indices_and_rings_that_are_not_mapped_are_faults() {
    let nowhere = Address::new(0xbad_0000);
    let broken = [
        Place { ring: nowhere, ..Rig::place(0) },
        Place { write_index: nowhere, ..Rig::place(0) },
        Place { read_index: nowhere, ..Rig::place(0) },
    ];
    for place in broken {
        let mut rig = Rig::new();
        rig.queues = vec![AqlQueue::new(0, 0, place)];
        rig.submit(0, &[Wire::kernel().completes(signal(0))]);
        assert!(
            matches!(rig.reports[..], [Report::Fault(Fault { at, .. })] if at == nowhere),
            "{place:?}: {:?}",
            rig.reports
        );
        assert_eq!(rig.step(0), Progress::Idle);
    }
}

#[test]
fn kernel_object_0xdead_touches_memory_that_is_not_there() {
    let mut rig = Rig::new();
    rig.submit(0, &[Wire::kernel().word(32, 0xdead).completes(signal(0))]);
    assert_eq!(rig.reports, [Report::Fault(Fault { at: Address::new(0xdead_0000), bytes: 4 })]);
    assert_eq!(rig.value(0), 1);
}

/// 6 packets with the barrier bit and signals 0 to 5, the second one no kernel: what is left in the signals.
fn with_fault(plan: impl FnOnce(&mut crate::settings::Faults)) -> (Rig, [i64; 6]) {
    let mut rig = Rig::with(1, |settings| plan(&mut settings.faults));
    let packets: Vec<_> = (0..6)
        .map(|n| if n == 1 { Wire::all(&[]) } else { Wire::kernel() })
        .zip(0..)
        .map(|(packet, n)| packet.barrier().completes(signal(n)))
        .collect();
    rig.submit(0, &packets);
    let left = rig.values();
    rig.reports.retain(|report| !matches!(report, Report::Interrupt(_)));
    (rig, left)
}

#[test]
fn the_planned_packet_is_an_invalid_one() {
    let (rig, left) = with_fault(|faults| faults.packet = NonZeroU64::new(3));
    assert_eq!(
        (rig.reports, left),
        (vec![Report::Malformed(Malformed::Type(255))], [0, 0, 1, 1, 1, 1])
    );
}

#[test]
fn the_planned_kernel_faults() {
    let (rig, left) = with_fault(|faults| faults.vm = NonZeroU64::new(3));
    let fault = Fault { at: Address::new(0xdead_0000), bytes: 4 };
    assert_eq!((rig.reports, left), (vec![Report::Fault(fault)], [0, 0, 0, 1, 1, 1]));
}

#[test]
fn the_planned_packet_starts_and_the_device_is_gone() {
    let (mut rig, left) = with_fault(|faults| faults.lost = NonZeroU64::new(4));
    assert_eq!((&rig.reports, left), (&vec![Report::Lost], [0, 0, 0, 1, 1, 1]));
    rig.pass(1_000_000);
    assert_eq!(rig.values::<6>(), left);
}

/// The second kernel ends first, and is the second all the same.
#[test]
fn kernels_count_in_the_order_in_which_they_start() {
    let mut rig = Rig::with(1, |settings| {
        settings.faults.vm = NonZeroU64::new(2);
        settings.kernel = span(1000, 1000);
    });
    rig.submit(0, &[Wire::kernel().completes(signal(0))]);
    rig.settings.kernel = span(500, 500);
    rig.submit(0, &[Wire::kernel().completes(signal(1))]);
    rig.pass(500);
    assert!(matches!(rig.reports[..], [Report::Fault(_)]), "{:?}", rig.reports);
    assert_eq!(rig.values(), [1, 1]);
}

/// A kernel that waits is asked again and again, and is one kernel all the same; meanwhile it wants to
/// be asked at no certain time.
#[test]
fn a_kernel_that_waits_is_one_kernel_and_nothing_that_is_overdue() {
    let mut rig = Rig::with(1, |settings| settings.faults.vm = NonZeroU64::new(2));
    let image = code_object("__amd_rocclr_streamOpsWait", &[1; 64]);
    let (code, arguments) = (Address::new(0x80_0000), Address::new(0x81_0000));
    let waits_for = [0, signal(9).plus(8).as_u64(), 7, 1, u64::MAX];
    rig.bus.memory = std::mem::take(&mut rig.bus.memory)
        .and(code, image)
        .and(arguments, waits_for.into_iter().flat_map(u64::to_le_bytes).collect());
    let waits = Wire::kernel().word(32, code.as_u64() + DESCRIPTOR).word(40, arguments.as_u64());
    rig.submit(0, &[waits.completes(signal(0)), Wire::kernel().barrier().completes(signal(1))]);
    for _ in 0..10 {
        rig.pass(1000);
        assert_eq!(rig.step(0), Progress::Waiting(None));
    }
    assert_eq!((rig.values(), &rig.reports), ([1, 1], &Vec::new()));
    rig.set(9, 7);
    rig.settle();
    assert_eq!(rig.values(), [0, 1]);
    assert!(
        matches!(rig.reports[..], [Report::Interrupt(1), Report::Fault(_)]),
        "{:?}",
        rig.reports
    );
}

#[test]
fn a_failed_queue_leaves_others_alone() {
    let mut rig = Rig::with(2, |_| ());
    rig.submit(0, &[Wire::of_type(4)]);
    rig.submit(1, &[Wire::kernel().completes(signal(0))]);
    assert_eq!(rig.value(0), 0);
    rig.queues[1].fail();
    rig.submit(1, &[Wire::kernel().completes(signal(1))]);
    assert_eq!(rig.value(1), 1);
}
