//! What a device sees of the host's stores to VRAM.

use super::*;
use crate::settings::HostStores;

const LINGERING: Duration = Duration::from_micros(100);
const FLUSHED: HostStores = HostStores::Flushed(LINGERING);

fn at(microseconds: u64) -> Duration {
    Duration::from_micros(microseconds)
}
/// A word of GPU 0's VRAM that both GPUs see, and of which both have seen that it is 1.
fn seen_as_1(own: HostStores, peer: HostStores) -> Memory {
    let memory = with(|settings| (settings.host_stores, settings.peer_stores) = (own, peer));
    let handle = allocate(&memory, AT, 4096, Part::Vram);
    memory.map(handle, 1).unwrap();
    host(&memory, AT).store(1, Ordering::Release);
    assert_eq!(look(&memory, at(0)), [1, 1]);
    memory
}
/// What the GPUs see.
fn look(memory: &Memory, now: Duration) -> [u64; 2] {
    [0, 1].map(|gpu| memory.view(gpu, now).load_u64(AT).expect("mapped for both"))
}
/// The host rings a register of GPU `gpu` that flushes its host data path.
fn flush_by_register(memory: &Memory, gpu: usize) {
    let register = memory.registers[gpu].load(Ordering::Relaxed) as *mut u32;
    // SAFETY: a word that the test leaked.
    unsafe { std::sync::atomic::AtomicU32::from_ptr(register) }.store(1, Ordering::Release);
}

#[test]
fn coherent_stores_are_seen_at_once() {
    let memory = seen_as_1(HostStores::Coherent, HostStores::Coherent);
    host(&memory, AT).store(2, Ordering::Release);
    assert_eq!(look(&memory, at(0)), [2, 2]);
}

#[test]
fn owner_and_peers_are_set_apart() {
    for (own, peer, seen) in
        [(FLUSHED, HostStores::Coherent, [1, 2]), (HostStores::Coherent, FLUSHED, [2, 1])]
    {
        let memory = seen_as_1(own, peer);
        host(&memory, AT).store(2, Ordering::Release);
        assert_eq!(look(&memory, at(0)), seen);
    }
}

#[test]
fn a_store_is_unseen_until_the_owners_path_is_flushed() {
    let by_device = |memory: &Memory, gpu: usize| memory.flushed(gpu as u32);
    for flush in [flush_by_register, by_device] {
        let memory = seen_as_1(FLUSHED, FLUSHED);
        host(&memory, AT).store(2, Ordering::Release);
        flush(&memory, 1);
        assert_eq!(look(&memory, at(1)), [1, 1], "that of another GPU does not count");
        flush(&memory, 0);
        assert_eq!(look(&memory, at(2)), [2, 2]);
        host(&memory, AT).store(3, Ordering::Release);
        assert_eq!(look(&memory, at(3)), [2, 2], "one flush is for what came before it");
    }
}

#[test]
fn a_store_is_seen_of_itself_after_a_while() {
    let memory = seen_as_1(FLUSHED, FLUSHED);
    host(&memory, AT).store(2, Ordering::Release);
    assert_eq!(look(&memory, at(10)), [1, 1]);
    assert_eq!(look(&memory, at(109)), [1, 1]);
    assert_eq!(look(&memory, at(110)), [2, 2], "since it was first missed");
    host(&memory, AT).store(3, Ordering::Release);
    assert_eq!(look(&memory, at(200)), [2, 2], "each store lingers as long");
    assert_eq!(look(&memory, at(300)), [3, 3]);
}

#[test]
fn a_first_look_sees_what_is_there() {
    let memory = with(|settings| settings.host_stores = FLUSHED);
    allocate(&memory, AT, 4096, Part::Vram);
    host(&memory, AT).store(5, Ordering::Release);
    assert_eq!(memory.view(0, NOW).load_u64(AT), Ok(5));
}

#[test]
fn memory_of_the_host_is_always_seen() {
    let memory = with(|settings| (settings.host_stores, settings.peer_stores) = (FLUSHED, FLUSHED));
    let handle = allocate(&memory, AT, 4096, Part::System);
    memory.map(handle, 1).unwrap();
    assert_eq!(look(&memory, at(0)), [0, 0]);
    host(&memory, AT).store(2, Ordering::Release);
    assert_eq!(look(&memory, at(0)), [2, 2]);
}

#[test]
fn a_device_sees_its_own_stores() {
    let memory = seen_as_1(FLUSHED, FLUSHED);
    let view = memory.view(0, at(1));
    view.store_u64(AT, 6).unwrap();
    assert_eq!(view.load_u64(AT), Ok(6));
    assert_eq!(view.add_u64(AT, 2), Ok(8));
    assert_eq!(view.or_u64(AT, 1), Ok(8));
    assert_eq!(view.load_u64(AT), Ok(9));
    drop(view);
    assert_eq!(host(&memory, AT).load(Ordering::Acquire), 9);
}

/// A signal is armed again in VRAM, and a packet completes before the store is there: as on hardware, the
/// decrement is of the old value, and the store lands on top of it.
#[test]
fn a_decrement_under_a_store_that_is_on_its_way_is_lost() {
    let memory = seen_as_1(FLUSHED, FLUSHED);
    memory.view(0, at(1)).add_u64(AT, u64::MAX).unwrap();
    host(&memory, AT).store(1, Ordering::Release);
    assert_eq!(memory.view(0, at(2)).add_u64(AT, u64::MAX), Ok(u64::MAX), "it saw 0");
    assert_eq!(host(&memory, AT).load(Ordering::Acquire), 1, "the signal is never complete");
    assert_eq!(memory.view(0, at(3)).load_u64(AT), Ok(1));
}

#[test]
fn a_decrement_after_the_flush_counts() {
    let memory = seen_as_1(FLUSHED, FLUSHED);
    memory.view(0, at(1)).add_u64(AT, u64::MAX).unwrap();
    host(&memory, AT).store(1, Ordering::Release);
    flush_by_register(&memory, 0);
    assert_eq!(memory.view(0, at(2)).add_u64(AT, u64::MAX), Ok(0));
    assert_eq!(host(&memory, AT).load(Ordering::Acquire), 0);
}
