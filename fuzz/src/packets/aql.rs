//! Packet processors.

use std::time::Duration;

use ringfence_softgpu::{
    abi::aql::{BYTES, Packet},
    address::Address,
    bus::Bus,
    chance::Chance,
    faults::Countdown,
    kernels::Kernels,
    processor::{AqlQueue, Place, Progress, Report, Turn},
    settings::{Dependencies, Profile, ReadIndex, Settings},
    test_bus::TestBus,
};

const MEMORY: u64 = 0x1_0000;
/// `amd_queue_t`, with its read index inside.
const QUEUE: u64 = MEMORY;
const READ_INDEX: u64 = QUEUE + 128;
const WRITE_INDEX: u64 = QUEUE + 56;
const SAVE_AREA: u64 = QUEUE + 0x200;
const RING: u64 = MEMORY + 0x400;
/// Packets of the ring.
const PACKETS: u64 = 8;
/// Signals, and whatever kernels and packets find there: the end of the input.
const REST: u64 = RING + PACKETS * BYTES as u64;
const REST_BYTES: usize = 0x400;

/// A ring with these packets in it.
pub(super) fn check(input: &[u8]) {
    let Some((&with, input)) = input.split_first() else { return };
    let in_ring = input.len().min(PACKETS as usize * BYTES);
    let (packets, rest) = input.split_at(in_ring);
    for bytes in packets.as_chunks::<BYTES>().0 {
        let header = u16::from_le_bytes([bytes[0], bytes[1]]);
        let again = Packet::decode(header, bytes);
        assert_eq!(Packet::decode(header, bytes), again, "the same bytes say something else");
        if let Err(why) = again {
            assert!(!why.to_string().is_empty(), "an error that says nothing");
        }
    }
    let mut content = vec![0; (REST - MEMORY) as usize + REST_BYTES];
    let at = (RING - MEMORY) as usize;
    content[at..at + in_ring].copy_from_slice(packets);
    let rest = &rest[..rest.len().min(REST_BYTES)];
    let at = (REST - MEMORY) as usize;
    content[at..at + rest.len()].copy_from_slice(rest);
    let own = if names_the_queue(input) { Own::Shared } else { Own::Alone };
    run(
        &TestBus::with(Address::new(MEMORY), content).without_host(),
        with,
        (in_ring / BYTES) as u64,
        own,
    );
}

/// Whether the queue alone writes its own memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Own {
    Alone,
    Shared,
}

fn run(memory: &TestBus, with: u8, packets: u64, own: Own) {
    let mut settings = Settings::of(Profile::Quiet);
    settings.dependencies = match with & 1 {
        0 => Dependencies::Latched,
        _ => Dependencies::Polled,
    };
    let habits = [ReadIndex::Early, ReadIndex::Late, ReadIndex::Eights, ReadIndex::Still];
    settings.read_index = habits[usize::from(with >> 1) % habits.len()];
    let save_area = if with & 64 == 0 { Address::NULL } else { Address::new(SAVE_AREA) };
    let place = Place {
        ring: Address::new(RING),
        packets: PACKETS,
        read_index: Address::new(READ_INDEX),
        write_index: Address::new(WRITE_INDEX),
        save_area,
    };
    let mut queue = AqlQueue::new(0, 0, place);
    memory.store_u64(Address::new(WRITE_INDEX), packets).expect("it is there");
    let (mut chance, mut faults) = (Chance::new(1), Countdown::default());
    let mut kernels = Kernels::new(Box::new(|_| None));
    let (mut reports, mut decremented) = (Vec::new(), Vec::new());
    let mut shown = 0;
    for round in 0..64_u64 {
        let mut turn = Turn {
            bus: memory,
            now: Duration::from_micros(100 * round),
            ticks: 1 + round,
            settings: &settings,
            chance: &mut chance,
            kernels: &mut kernels,
            faults: &mut faults,
            reports: &mut reports,
            decremented: &mut decremented,
        };
        if round == 0 {
            queue.ring_doorbell(&mut turn);
        }
        let progress = queue.step(&mut turn);
        if progress == Progress::Idle && round > 0 {
            break;
        }
        if own == Own::Alone {
            shown = check_read_index(memory, shown, packets);
        }
    }
    // What has started completes, or finds no memory, also behind a packet that is none.
    let count = |is: fn(&Report) -> bool| reports.iter().filter(|report| is(report)).count();
    let malformed = count(|report| matches!(report, Report::Malformed(_)));
    let faults = count(|report| matches!(report, Report::Fault(_) | Report::Lost));
    assert!(malformed <= 1 && faults <= 1, "a queue that stopped goes on: {reports:?}");
    assert!(decremented.len() as u64 <= packets, "more completions than packets");
}
/// The read index never goes back and never passes what is published.
fn check_read_index(memory: &TestBus, shown: u64, packets: u64) -> u64 {
    let now = memory.load_u64(Address::new(READ_INDEX)).expect("it is there");
    assert!(now <= packets, "the read index passes what is published");
    assert!(now >= shown, "the read index goes back");
    now
}
/// Whether a packet may write over the queue itself: whether the input has an address of it.
fn names_the_queue(input: &[u8]) -> bool {
    let words = input.windows(8).map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")));
    words.into_iter().any(|word| (QUEUE - 0x100..RING).contains(&word))
}
