//! The page table: what each GPU finds at an address.

use std::collections::BTreeMap;

use crate::{address::Address, bus::Fault};

/// GPUs by number, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GpuSet(u32);
impl GpuSet {
    /// None.
    pub const NONE: Self = Self(0);
    /// Whether `gpu` is one of them.
    pub const fn contains(self, gpu: u32) -> bool {
        self.0 >> gpu & 1 != 0
    }
    /// With `gpu`.
    #[must_use]
    pub const fn with(self, gpu: u32) -> Self {
        Self(self.0 | 1 << gpu)
    }
    /// Without `gpu`.
    #[must_use]
    pub const fn without(self, gpu: u32) -> Self {
        Self(self.0 & !(1 << gpu))
    }
}

/// Whose memory it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The host's.
    Host,
    /// VRAM of a GPU.
    Gpu(u32),
}

/// A range of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    /// Its first address.
    pub start: Address,
    /// How long it is.
    pub bytes: u64,
    /// Where this process reaches the memory: never null.
    pub host: u64,
    /// Whose it is.
    pub owner: Owner,
    /// Who may use it.
    pub gpus: GpuSet,
}

impl Region {
    /// One that contains nothing.
    pub(super) const EMPTY: Self =
        Self { start: Address::NULL, bytes: 0, host: 0, owner: Owner::Host, gpus: GpuSet::NONE };
}

/// Regions by address; none overlaps another.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PageTable(BTreeMap<Address, Region>);
impl PageTable {
    /// Adds a region, in the place of any that it overlaps: the kernel's clients move address ranges
    /// from one object to another without a word.
    pub fn insert(&mut self, region: Region) {
        while let Some(old) = self.overlapping(region.start, region.bytes) {
            self.0.remove(&old);
        }
        self.0.insert(region.start, region);
    }
    fn overlapping(&self, start: Address, bytes: u64) -> Option<Address> {
        let (&at, region) = self.0.range(..start.plus(bytes)).next_back()?;
        (start < at.plus(region.bytes)).then_some(at)
    }
    /// Removes the region that starts at `start`.
    pub fn remove(&mut self, start: Address) -> Option<Region> {
        self.0.remove(&start)
    }
    /// Removes and answers with every region whose memory lies in `bytes` from `host` on.
    pub fn remove_memory(&mut self, host: u64, bytes: u64) -> Vec<Region> {
        let inside = |region: &Region| (host..host + bytes).contains(&region.host);
        let gone: Vec<_> = self.0.values().copied().filter(inside).collect();
        self.0.retain(|_, region| !inside(region));
        gone
    }
    /// The region that starts at `start`.
    pub fn starting_at(&mut self, start: Address) -> Option<&mut Region> {
        self.0.get_mut(&start)
    }
    /// The region that contains `at`.
    pub fn at(&self, at: Address) -> Option<&Region> {
        let (_, region) = self.0.range(..=at).next_back()?;
        (at.since(region.start)? < region.bytes).then_some(region)
    }
    /// The region that contains all of `at..at + bytes` and is mapped for `gpu`.
    pub fn find(&self, gpu: u32, at: Address, bytes: u64) -> Result<&Region, Fault> {
        let inside = |region: &&Region| {
            let offset = at.since(region.start).unwrap_or(u64::MAX);
            region.gpus.contains(gpu) && bytes <= region.bytes.saturating_sub(offset)
        };
        self.at(at).filter(inside).ok_or(Fault { at, bytes })
    }
}
