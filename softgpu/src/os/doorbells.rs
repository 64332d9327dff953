//! The file that stands for `/dev/kfd`: doorbells and registers are pages of it.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    lock,
    memory::{map, memory_file},
};

/// A page of doorbells for each GPU, and a page of registers.
///
/// The low 32 bits of a doorbell's offset are its place in the page alone: ROCr 5.2 masks them so.
#[derive(Debug)]
pub struct DeviceFile {
    file: OwnedFd,
    doorbells: Vec<u64>,
    registers: Vec<u64>,
    taken: Mutex<Vec<Vec<bool>>>,
}

/// One doorbell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    /// The GPU, from 0.
    pub gpu: u32,
    /// Its number.
    pub number: u32,
    /// Where this process has it.
    word: u64,
}
impl Slot {
    /// What a doorbell holds that did not ring: no write index comes near.
    const SILENT: u64 = 0xfeed_face_dead_beef;

    fn word(&self) -> &AtomicU64 {
        // SAFETY: an aligned word of a page that stays mapped as long as the process lives.
        unsafe { AtomicU64::from_ptr(self.word as *mut u64) }
    }
    /// Whether it rang since it was asked last.
    pub fn rang(&self) -> bool {
        let word = self.word();
        word.load(Ordering::Relaxed) != Self::SILENT
            && word.swap(Self::SILENT, Ordering::AcqRel) != Self::SILENT
    }
}

impl DeviceFile {
    /// Bytes of a GPU's page of doorbells.
    pub const DOORBELL_BYTES: u64 = 8192;
    /// Bytes of a page of registers.
    pub const REGISTER_BYTES: u64 = 4096;
    const SLOTS: usize = 1024;

    /// Pages for so many GPUs.
    pub fn new(gpus: u32) -> io::Result<Self> {
        // The whole file is sparse: what is never touched takes address space alone.
        let (file, _) = memory_file(c"softgpu-device", Self::doorbell_offset(gpus))?;
        let page = |offset, bytes| map(&file, offset, bytes as usize).map(|at| at as u64);
        let doorbells = (0..gpus)
            .map(|gpu| page(Self::doorbell_offset(gpu), Self::DOORBELL_BYTES))
            .collect::<io::Result<_>>()?;
        let registers = (0..gpus)
            .map(|gpu| page(Self::register_offset(gpu), Self::REGISTER_BYTES))
            .collect::<io::Result<_>>()?;
        let taken = Mutex::new(vec![vec![false; Self::SLOTS]; gpus as usize]);
        Ok(Self { file, doorbells, registers, taken })
    }
    /// Where the page of doorbells of a GPU is mapped from.
    pub const fn doorbell_offset(gpu: u32) -> u64 {
        (1 + gpu as u64) << 32
    }
    /// Where the page of registers of a GPU is mapped from.
    pub const fn register_offset(gpu: u32) -> u64 {
        (1 + gpu as u64) * Self::REGISTER_BYTES
    }
    /// The file.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
    /// Where this process has the pages of registers.
    pub fn registers(&self) -> &[u64] {
        &self.registers
    }
    /// Takes a doorbell of a GPU that did not ring.
    pub fn take(&self, gpu: u32) -> Option<Slot> {
        let mut taken = lock(&self.taken);
        let of_gpu = taken.get_mut(gpu as usize)?;
        let number = of_gpu.iter().position(|taken| !taken)?;
        of_gpu[number] = true;
        let word = self.doorbells[gpu as usize] + 8 * number as u64;
        let slot = Slot { gpu, number: number as u32, word };
        slot.word().store(Slot::SILENT, Ordering::Release);
        Some(slot)
    }
    /// Gives a doorbell back.
    pub fn give(&self, slot: Slot) {
        let mut taken = lock(&self.taken);
        taken[slot.gpu as usize][slot.number as usize] = false;
    }
}
