//! Memory as devices see it, over real files of memory.

mod free_list;
mod objects;
mod table;
mod view;
mod visibility;

use std::sync::atomic::AtomicU64;

use super::*;
use crate::{
    bus::{Bus, Fault},
    settings::Profile,
};

const MIB: u64 = 1 << 20;
const AT: Address = Address::new(0x7000_0000_0000);
const NOW: Duration = Duration::ZERO;

/// Memory of two GPUs with 16 MiB of VRAM each.
fn memory() -> Memory {
    with(|_| ())
}
fn with(change: impl FnOnce(&mut Settings)) -> Memory {
    let mut settings = Settings { gpus: 2, vram: 16 * MIB, ..Settings::of(Profile::Quiet) };
    change(&mut settings);
    let register = || std::ptr::from_ref(Box::leak(Box::new(AtomicU64::new(0)))) as u64;
    Memory::new(&settings, &[register(), register()]).expect("files of memory can be made")
}
/// An object of GPU 0 that is mapped for it: its handle.
fn allocate(memory: &Memory, at: Address, bytes: u64, part: Part) -> u64 {
    let (handle, _) = memory.allocate(0, at, bytes, Kind::Own(part)).expect("enough is left");
    memory.map(handle, 0).expect("just made");
    handle
}
/// A word as the host has it.
fn host(memory: &Memory, at: Address) -> &AtomicU64 {
    let word = memory.view(0, NOW).host(at).expect("mapped by the test");
    // SAFETY: an aligned word of a file of memory that stays mapped as long as the process lives.
    unsafe { AtomicU64::from_ptr(word.cast()) }
}
fn fault<T>(at: Address, bytes: u64) -> Result<T, Fault> {
    Err(Fault { at, bytes })
}
