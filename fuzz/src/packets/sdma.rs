//! Copy engines.

use std::time::Duration;

use ringfence_softgpu::{
    address::Address,
    sdma::{
        LONGEST, Packet, Pointer, Rect, SdmaQueue, Step, Stopped, Ticks, Undecodable, decode,
        encode::encode,
    },
    test_bus::TestBus,
};

const MEMORY: u64 = 0x1000;
/// The ring that wraps.
const RING: u64 = MEMORY;
const RING_BYTES: u64 = 256;
/// The one that does not.
const LINE: u64 = MEMORY + 0x100;
const LINE_BYTES: u64 = 512;
/// What packets may work on.
const DATA: u64 = MEMORY + 0x400;
const DATA_BYTES: usize = 0x400;
/// Rows of a box that are copied one by one: more only take a fuzzer's time.
const MOST_ROWS: u64 = 4096;

fn dwords(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

/// One packet: what is decoded is inside the dwords, and reads back from its encoding.
pub(super) fn check_decoder(input: &[u8]) {
    let words = dwords(input);
    let whole = decode(&words);
    for end in 0..words.len().min(LONGEST) {
        match decode(&words[..end]) {
            Err(Undecodable::Truncated) => {}
            shorter => assert_eq!(shorter, whole, "{end} dwords say something else than all"),
        }
    }
    let Ok(decoded) = whole else { return };
    assert!(decoded.dwords >= 1, "a packet without length");
    let length = decoded.dwords as usize;
    let is_filler = decoded.packet == Packet::Nop;
    assert!(is_filler || length <= words.len(), "a packet is longer than what there is of it");
    if can_be_encoded(&decoded.packet) {
        let again = decode(&encode(&decoded.packet)).expect("a packet that was encoded");
        assert_eq!(again.packet, decoded.packet, "a packet reads back as another one");
    }
}
/// The encoder writes fills of whole dwords, and boxes in elements of one byte.
fn can_be_encoded(packet: &Packet) -> bool {
    match packet {
        Packet::Fill { bytes, .. } => bytes % 4 == 0,
        Packet::CopyRect(Rect { from, to, width, .. }) => {
            let fits = |pitch: u64, slice: u64| pitch <= 1 << 19 && slice <= 1 << 28;
            fits(from.pitch, from.slice) && fits(to.pitch, to.slice) && *width <= 1 << 14
        }
        _ => true,
    }
}

/// A ring whose packets wrap does what one does in which they lie in a line.
pub(super) fn check_ring(input: &[u8]) {
    let Some((&ahead, content)) = input.split_first() else { return };
    let ahead = u64::from(ahead) % RING_BYTES / 4 * 4;
    let length = content.len().min(RING_BYTES as usize) / 4 * 4;
    let content = &content[..length];
    if has_a_large_box(content) {
        return;
    }
    let mut memory = vec![0; 0x400 + DATA_BYTES];
    memory[0x100..0x100 + length].copy_from_slice(content);
    for (at, &byte) in content.iter().enumerate() {
        memory[(ahead as usize + at) % RING_BYTES as usize] = byte;
    }
    let line = TestBus::with(Address::new(MEMORY), memory.clone()).without_host();
    let ring = TestBus::with(Address::new(MEMORY), memory).without_host();
    let end = length as u64;
    let touched = if touches_rings(content) { Touched::Yes } else { Touched::No };
    let in_line = steps(&line, LINE, LINE_BYTES, 0, end, touched);
    let wrapped = steps(&ring, RING, RING_BYTES, ahead, end, touched);
    // A packet that reads or writes the rings finds different things in them.
    if touched == Touched::No {
        assert_eq!(in_line, wrapped, "a ring that wraps does something else");
        let data = |memory: &TestBus| memory.bytes(Address::new(DATA), DATA_BYTES);
        assert_eq!(data(&line), data(&ring), "a ring that wraps writes something else");
    }
}
/// Whether packets read or write the rings that they are in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touched {
    Yes,
    No,
}
/// What each packet of a ring came to, and where the read pointer stood after it.
fn steps(
    memory: &TestBus,
    ring: u64,
    bytes: u64,
    ahead: u64,
    length: u64,
    touched: Touched,
) -> Vec<(Result<Step, Undone>, u64)> {
    let mut queue = SdmaQueue::new(Address::new(ring), bytes, None).expect("a good ring");
    if ahead > 0 {
        skip(&mut queue, ring, ahead);
    }
    let start = queue.read_pointer().as_u64();
    queue.offer(Pointer::new(start + length));
    let mut all = Vec::new();
    for round in 0..200 {
        let before = queue.read_pointer();
        let step = queue.step(Duration::from_nanos(round), memory, Ticks::new(7));
        let after = queue.read_pointer();
        assert!(after >= before, "the read pointer goes back");
        assert!(after.as_u64() <= start + length, "the engine reads what was not offered");
        let is_over = !matches!(step, Ok(Step::Done | Step::Interrupt(_) | Step::HdpFlush));
        let undone = step.map_err(|stopped| match stopped {
            Stopped::Fault { .. } => Undone::Fault,
            Stopped::Unknown { opcode, sub_opcode, .. } => Undone::Unknown { opcode, sub_opcode },
        });
        all.push((undone, after.as_u64() - start));
        if is_over && touched == Touched::No {
            let again = queue.step(Duration::from_nanos(round + 1), memory, Ticks::new(7));
            assert_eq!(again, step, "an engine that stopped says something else the next time");
        }
        if is_over {
            break;
        }
    }
    all
}
/// Why a packet was not done, whatever its place in the ring.
#[derive(PartialEq, Eq, Debug)]
enum Undone {
    Fault,
    Unknown { opcode: u8, sub_opcode: u8 },
}
/// Takes the read pointer past so many bytes, over one no-op.
fn skip(queue: &mut SdmaQueue, ring: u64, ahead: u64) {
    let filler = u32::try_from(ahead / 4 - 1).expect("a small ring") << 16;
    let mut content = filler.to_le_bytes().to_vec();
    content.resize(RING_BYTES as usize, 0);
    let memory = TestBus::with(Address::new(ring), content).without_host();
    queue.offer(Pointer::new(ahead));
    let step = queue.step(Duration::ZERO, &memory, Ticks::new(0));
    assert_eq!(step, Ok(Step::Done), "a no-op is done");
    assert_eq!(queue.read_pointer(), Pointer::new(ahead), "a no-op skips what it says");
}
fn packets(content: &[u8]) -> impl Iterator<Item = Packet> {
    let words = dwords(content);
    let mut at = 0;
    std::iter::from_fn(move || {
        let decoded = decode(words.get(at..)?).ok()?;
        at += decoded.dwords as usize;
        Some(decoded.packet)
    })
}
fn has_a_large_box(content: &[u8]) -> bool {
    packets(content).any(
        |packet| matches!(packet, Packet::CopyRect(rect) if rect.rows * rect.slices > MOST_ROWS),
    )
}
/// Whether a packet may touch the rings: then the two runs may differ.
fn touches_rings(content: &[u8]) -> bool {
    packets(content).any(|packet| match packet {
        Packet::Nop | Packet::Trap(_) | Packet::HdpFlush | Packet::CacheOperation => false,
        Packet::Fence { at, .. } | Packet::Timestamp { at } | Packet::Add { at, .. } => {
            is_of_rings(at, 8)
        }
        Packet::Poll(poll) => is_of_rings(poll.at, 4),
        Packet::Copy { from, to, bytes } => is_of_rings(from, bytes) || is_of_rings(to, bytes),
        Packet::Fill { to, bytes, .. } => is_of_rings(to, bytes),
        Packet::CopyRect(_) => true,
    })
}
fn is_of_rings(at: Address, bytes: u64) -> bool {
    let (start, end) = (u128::from(at.as_u64()), u128::from(at.as_u64()) + u128::from(bytes));
    start < u128::from(DATA) && end > u128::from(RING)
}
