//! Device memory: who owns what, where it is mapped, and what a device sees there.

mod arena;
mod foreign;
mod free_list;
mod table;
mod view;
mod visibility;

use std::{
    collections::BTreeMap,
    io,
    ops::Range,
    os::fd::{BorrowedFd, OwnedFd},
    sync::{
        Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

pub use arena::{Part, map, memory_file};
pub use foreign::{Extent, Foreigners, open_descriptor, share};
pub use free_list::FreeList;
pub use table::{GpuSet, Owner, PageTable, Region};
pub use view::View;
pub use visibility::{Flushes, Visibility};

use crate::{address::Address, lock, settings::Settings};
use arena::Arena;

/// What kind of memory an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Taken from the GPU's file.
    Own(Part),
    /// The host's own, at this address of this process.
    Registered(u64),
    /// From elsewhere; this process has it at this address.
    Foreign(u64),
    /// Doorbells or registers: mapped by the host, never read by a device.
    Io(u64),
}

/// What cannot be done with memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MemoryError {
    /// There is not so much.
    #[error("the GPU has no {0} bytes left")]
    Exhausted(u64),
    /// No object has this handle.
    #[error("no memory object has the handle {0}")]
    Unknown(u64),
}

/// An object of memory, as the kernel keeps it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Object {
    /// The GPU that it was allocated for, from 0.
    pub gpu: u32,
    /// Its address; null if it has none.
    pub at: Address,
    /// How long it is.
    pub bytes: u64,
    /// What it is.
    pub kind: Kind,
    /// Where the host maps it: an offset in the GPU's file, or in that of the device.
    pub offset: u64,
}

impl Object {
    /// Where this process has it, if it is registered or came from elsewhere.
    pub fn host(&self) -> Option<u64> {
        match self.kind {
            Kind::Registered(host) | Kind::Foreign(host) => Some(host),
            Kind::Own(_) | Kind::Io(_) => None,
        }
    }
}

#[derive(Debug, Default)]
struct Objects {
    all: BTreeMap<u64, Object>,
    last: u64,
}

/// The memory of all GPUs.
#[derive(Debug)]
pub struct Memory {
    arenas: Vec<Mutex<Arena>>,
    objects: Mutex<Objects>,
    table: RwLock<PageTable>,
    foreigners: Mutex<Foreigners>,
    visibility: Mutex<Visibility>,
    /// A page of registers for each GPU: the first two words flush the host data path.
    registers: Vec<AtomicU64>,
    flushes: Vec<AtomicU64>,
    freed: Mutex<Vec<Range<Address>>>,
    /// Whether there is anything in it: the engine asks at each turn.
    has_freed: AtomicBool,
    settings: Settings,
}

impl Memory {
    /// Memory for the GPUs of `settings`; `registers` are the pages of registers, one for each GPU.
    pub fn new(settings: &Settings, registers: &[u64]) -> io::Result<Self> {
        let arena = |_| Arena::new(settings.vram).map(Mutex::new);
        Ok(Self {
            arenas: (0..settings.gpus).map(arena).collect::<io::Result<_>>()?,
            objects: Mutex::default(),
            table: RwLock::default(),
            foreigners: Mutex::default(),
            visibility: Mutex::default(),
            registers: registers.iter().copied().map(AtomicU64::new).collect(),
            flushes: registers.iter().map(|_| AtomicU64::new(0)).collect(),
            freed: Mutex::default(),
            has_freed: AtomicBool::new(false),
            settings: settings.clone(),
        })
    }
    /// Runs `act` with the file of a GPU's memory.
    pub fn with_file<R>(&self, gpu: u32, act: impl FnOnce(BorrowedFd<'_>) -> R) -> R {
        act(lock(&self.arenas[gpu as usize]).file())
    }
    /// How much VRAM is free.
    pub fn available(&self, gpu: u32) -> u64 {
        lock(&self.arenas[gpu as usize]).available()
    }
    /// Makes an object: its handle, and the object.
    pub fn allocate(
        &self,
        gpu: u32,
        at: Address,
        bytes: u64,
        kind: Kind,
    ) -> Result<(u64, Object), MemoryError> {
        let offset = match kind {
            Kind::Own(part) => {
                let taken = lock(&self.arenas[gpu as usize]).take(part, bytes);
                taken.ok_or(MemoryError::Exhausted(bytes))?
            }
            Kind::Registered(offset) | Kind::Io(offset) => offset,
            Kind::Foreign(_) => unreachable!("adopted, not allocated"),
        };
        Ok(self.enter(Object { gpu, at, bytes, kind, offset }))
    }
    /// Takes memory in that came from elsewhere.
    pub fn adopt(
        &self,
        gpu: u32,
        at: Address,
        file: OwnedFd,
        extent: Extent,
    ) -> io::Result<(u64, Object)> {
        let (offset, host) = lock(&self.foreigners).adopt(file, extent)?;
        let kind = Kind::Foreign(host);
        Ok(self.enter(Object { gpu, at, bytes: extent.bytes, kind, offset }))
    }
    /// Runs `act` with the file and the offset that are meant by an offset beyond all files.
    pub fn with_foreign<R>(
        &self,
        offset: u64,
        act: impl FnOnce(BorrowedFd<'_>, u64) -> R,
    ) -> Option<R> {
        lock(&self.foreigners).find(offset).map(|(file, offset)| act(file, offset))
    }
    fn enter(&self, object: Object) -> (u64, Object) {
        let handle = {
            let mut objects = lock(&self.objects);
            objects.last += 1;
            let handle = objects.last;
            objects.all.insert(handle, object);
            handle
        };
        if !object.at.is_null() {
            self.place(&object, object.at, 0, object.bytes);
        }
        (handle, object)
    }
    /// The object with this handle.
    pub fn object(&self, handle: u64) -> Result<Object, MemoryError> {
        lock(&self.objects).all.get(&handle).copied().ok_or(MemoryError::Unknown(handle))
    }
    /// Enters a part of an object into the page table, for no GPU yet.
    fn place(&self, object: &Object, at: Address, offset: u64, bytes: u64) {
        let (host, owner) = match object.kind {
            Kind::Own(part) => {
                let host = lock(&self.arenas[object.gpu as usize]).host(object.offset + offset);
                (host, if part == Part::Vram { Owner::Gpu(object.gpu) } else { Owner::Host })
            }
            Kind::Registered(host) => (host + offset, Owner::Host),
            Kind::Foreign(host) => (host + offset, Owner::Gpu(object.gpu)),
            Kind::Io(_) => return,
        };
        self.write_table(|table| {
            table.insert(Region { start: at, bytes, host, owner, gpus: GpuSet::NONE });
        });
    }
    /// Maps a part of an object for `gpu`, at an address of its own.
    pub fn map_part(&self, object: &Object, gpu: u32, at: Address, offset: u64, bytes: u64) {
        let mapped = self.write_table(|table| match table.starting_at(at) {
            Some(region) if region.bytes == bytes => {
                region.gpus = region.gpus.with(gpu);
                true
            }
            _ => false,
        });
        if !mapped {
            self.place(object, at, offset, bytes);
            self.set_mapped(at, |gpus| gpus.with(gpu));
        }
    }
    /// Removes what [`map_part`](Self::map_part) mapped.
    pub fn unmap_part(&self, at: Address) {
        self.remove(at);
    }
    fn remove(&self, at: Address) {
        if let Some(region) = self.write_table(|table| table.remove(at)) {
            self.forget(region);
        }
    }
    fn forget(&self, region: Region) {
        lock(&self.freed).push(region.start..region.start.plus(region.bytes));
        self.has_freed.store(true, Ordering::Release);
    }
    /// Makes an object visible to a GPU.
    pub fn map(&self, handle: u64, gpu: u32) -> Result<(), MemoryError> {
        let object = self.object(handle)?;
        self.set_mapped(object.at, |gpus| gpus.with(gpu));
        Ok(())
    }
    /// Hides an object from a GPU.
    pub fn unmap(&self, handle: u64, gpu: u32) -> Result<(), MemoryError> {
        let object = self.object(handle)?;
        self.set_mapped(object.at, |gpus| gpus.without(gpu));
        Ok(())
    }
    fn set_mapped(&self, at: Address, change: impl FnOnce(GpuSet) -> GpuSet) {
        self.write_table(|table| {
            if let Some(region) = table.starting_at(at) {
                region.gpus = change(region.gpus);
            }
        });
    }
    /// Ends an object. No device touches it once this returns.
    pub fn free(&self, handle: u64) -> Result<(), MemoryError> {
        let removed = lock(&self.objects).all.remove(&handle);
        let object = removed.ok_or(MemoryError::Unknown(handle))?;
        self.remove(object.at);
        match object.kind {
            Kind::Own(part) => {
                lock(&self.arenas[object.gpu as usize]).give(part, object.offset, object.bytes);
            }
            Kind::Foreign(host) => {
                // Parts of it may be mapped elsewhere as well: they end with it.
                for region in self.write_table(|table| table.remove_memory(host, object.bytes)) {
                    self.forget(region);
                }
                lock(&self.foreigners).release(object.offset);
            }
            Kind::Registered(_) | Kind::Io(_) => {}
        }
        Ok(())
    }
    fn write_table<R>(&self, act: impl FnOnce(&mut PageTable) -> R) -> R {
        act(&mut self.table.write().unwrap_or_else(PoisonError::into_inner))
    }
    /// The host data path of a GPU was flushed by a device.
    pub fn flushed(&self, gpu: u32) {
        self.flushes[gpu as usize].fetch_add(1, Ordering::Relaxed);
    }
    /// Takes what was freed since this was asked last: what was learnt from its contents is stale.
    pub fn take_freed(&self) -> Vec<Range<Address>> {
        if !self.has_freed.load(Ordering::Acquire) {
            return Vec::new();
        }
        self.has_freed.store(false, Ordering::Relaxed);
        std::mem::take(&mut lock(&self.freed))
    }
    /// Memory as `gpu` sees it now. Nothing is freed while the view lives.
    pub fn view(&self, gpu: u32, now: Duration) -> View<'_> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        View::new(self, table, gpu, now)
    }
}

#[cfg(test)]
mod tests;
