//! Kernel dispatches.

use crate::{
    api::{Api, PoolFlags},
    capabilities::Pools,
    device::HsaDevice,
    error::HsaError,
};

/// The address of a kernel's descriptor: `HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT` of its symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KernelObject(u64);

impl KernelObject {
    /// The descriptor at this address.
    #[must_use]
    pub const fn new(address: u64) -> Self {
        Self(address)
    }

    pub(crate) const fn address(self) -> u64 {
        self.0
    }
}

/// The address of a kernel's arguments, or none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Kernarg(u64);

impl Kernarg {
    /// The kernel takes no arguments.
    pub const NONE: Self = Self(0);

    /// The arguments at this address.
    #[must_use]
    pub const fn new(address: u64) -> Self {
        Self(address)
    }

    pub(crate) const fn address(self) -> u64 {
        self.0
    }
}

/// Work-items of a grid or a work-group, in x, y and z; each is 1 or more.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Extent<N> {
    /// In x.
    pub x: N,
    /// In y.
    pub y: N,
    /// In z.
    pub z: N,
}

impl Extent<u32> {
    /// A grid of one dimension.
    #[must_use]
    pub const fn line(x: u32) -> Self {
        Self { x, y: 1, z: 1 }
    }
}

impl Extent<u16> {
    /// A work-group of one dimension.
    #[must_use]
    pub const fn row(x: u16) -> Self {
        Self { x, y: 1, z: 1 }
    }
}

/// One launch of a kernel: what a queue's packet says beside order and completion.
///
/// ```no_run
/// use ringfence_hsa::{Buffer, Dispatch, Extent, Kernarg, KernelObject};
/// # fn saxpy(object: u64, arguments: &Buffer) -> Dispatch {
/// // `object`: HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT of the symbol.
/// let (kernel, kernarg) = (KernelObject::new(object), Kernarg::new(arguments.address()));
/// // SAFETY: the kernel was loaded for this queue's GPU, and its arguments and what they name are there until it is over.
/// let saxpy = unsafe { Dispatch::new(kernel, kernarg, Extent::line(4096), Extent::row(256)) };
/// # saxpy.with_group_bytes(1024) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dispatch {
    pub(crate) kernel: KernelObject,
    pub(crate) kernarg: Kernarg,
    pub(crate) grid: Extent<u32>,
    pub(crate) group: Extent<u16>,
    pub(crate) private_bytes: u32,
    pub(crate) group_bytes: u32,
    /// The start of a runtime that its memory ends with; none if whoever made it promised to keep that.
    runtime: Option<u32>,
}

impl Dispatch {
    /// A launch of `kernel` with `kernarg` over `grid`, in work-groups of `group`, without private or group memory.
    ///
    /// # Safety
    /// Whenever it is submitted, and until that is complete: `kernel` is a descriptor that was loaded for the agent of the queue,
    /// `kernarg` is what it takes, and it accesses only memory that is there and that nobody else uses against its rules.
    #[must_use]
    pub const unsafe fn new(
        kernel: KernelObject,
        kernarg: Kernarg,
        grid: Extent<u32>,
        group: Extent<u16>,
    ) -> Self {
        Self { kernel, kernarg, grid, group, private_bytes: 0, group_bytes: 0, runtime: None }
    }

    /// Whether it is refused by queues of this start of a runtime: its memory went with another.
    #[inline]
    pub(crate) fn is_foreign_to(&self, runtime: u32) -> bool {
        self.runtime.is_some_and(|own| own != runtime)
    }

    /// The same with so many bytes of private memory a work-item: what its descriptor says, or more.
    #[must_use]
    pub const fn with_private_bytes(self, bytes: u32) -> Self {
        Self { private_bytes: bytes, ..self }
    }

    /// The same with so many bytes of group memory (LDS) a work-group: what its descriptor says, or more.
    #[must_use]
    pub const fn with_group_bytes(self, bytes: u32) -> Self {
        Self { group_bytes: bytes, ..self }
    }
}

/// Bytes of an empty kernel: a page.
const BYTES: usize = 4096;
/// Where its code begins: code is aligned to 256 bytes.
const CODE: usize = 256;
/// Where a descriptor says how far from it the code begins (`kernel_code_entry_byte_offset`,
/// <https://llvm.org/docs/AMDGPUUsage.html#kernel-descriptor>). All else is 0: no registers beyond the least, no arguments.
const ENTRY: usize = 16;

/// The memory of a GPU's empty kernel, which goes with the runtime.
#[derive(Debug)]
pub(crate) struct KernelMemory(*mut u8);

// SAFETY: an address that is written once, before it is shared.
unsafe impl Send for KernelMemory {}

impl KernelMemory {
    fn new(api: Api, device: &HsaDevice, pools: &Pools) -> Result<Self, HsaError> {
        let facts = device.0.facts();
        // Host memory, coherent: the host can write it on any machine.
        let agents = [facts.agent()];
        let executable = api.allocate(pools.host, BYTES, PoolFlags::Executable, &agents);
        let base = match executable {
            Ok(base) => base,
            Err(_) => api.allocate(pools.host, BYTES, PoolFlags::Standard, &agents)?,
        };
        let page = image(facts.name());
        // SAFETY: so many bytes were allocated above, for the host to write.
        unsafe { base.copy_from_nonoverlapping(page.as_ptr(), page.len()) };
        Ok(Self(base))
    }
}

/// A descriptor, and code that ends at once, whatever is fetched beyond it.
fn image(gfx: &str) -> [u8; BYTES] {
    // `s_endpgm`, which has another number from gfx11 on (<https://llvm.org/docs/AMDGPU/AMDGPUAsmGFX11.html>).
    let newer = gfx.strip_prefix("gfx1").is_some_and(|rest| !rest.starts_with('0'));
    let end: u32 = if newer { 0xbfb0_0000 } else { 0xbf81_0000 };
    let mut page = [0; BYTES];
    page[ENTRY..ENTRY + 8].copy_from_slice(&(CODE as u64).to_le_bytes());
    for word in page[CODE..].chunks_mut(4) {
        word.copy_from_slice(&end.to_le_bytes());
    }
    page
}

impl HsaDevice {
    /// A kernel that does nothing and ends at once, for queues of this device: for demonstrations, tests and measurements. Its 64
    /// bytes of descriptor and its one instruction were written by hand. It goes with the [`Runtime`](crate::Runtime): queues of a
    /// later one refuse it.
    ///
    /// # Errors
    /// Whatever the runtime says: its page cannot be allocated.
    pub fn empty_kernel(&self) -> Result<Dispatch, HsaError> {
        let mut kernel = self.runtime().kernel(self.0.index() as usize);
        let address = match &*kernel {
            Some(KernelMemory(base)) => *base,
            None => {
                let (api, pools) = (self.runtime().api(), self.0.facts().pools());
                kernel.insert(KernelMemory::new(api, self, &pools)?).0
            }
        };
        let object = KernelObject::new(address as u64);
        // SAFETY: the descriptor is there as long as the runtime, which queues keep up, and whose queues alone take it; it takes
        // and accesses nothing. A queue of another GPU, which may not see it, ends in a fault of that GPU.
        let kernel =
            unsafe { Dispatch::new(object, Kernarg::NONE, Extent::line(64), Extent::row(64)) };
        Ok(Dispatch { runtime: Some(self.runtime().number()), ..kernel })
    }
}

#[cfg(test)]
mod tests;
