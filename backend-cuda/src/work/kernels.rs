//! A few kernels, for experiments and tests: no compiler is needed for them but the driver's own.

use ringfence::id::DeviceId;
use ringfence_backend_shared::arguments::{Arguments, Extent};

use super::{Function, Launch, Module};
use crate::{error::CudaError, runtime::Cuda};

/// The kernels in PTX 7.0 for `sm_52`, which any driver from CUDA 11.0 on compiles for any GPU from Maxwell on. They do what the software
/// GPU's kernels of the same names do.
pub const PTX: &str = include_str!("kernels.ptx");

/// Threads in a block of the kernels on a line.
const LINE: u32 = 256;

/// The kernels, loaded on one GPU.
///
/// ```no_run
/// # use ringfence::{drive::StreamPool, id::DeviceId, stream::*};
/// use ringfence_cuda::{Arguments, Cuda, CudaStreams, Kernels};
/// # fn counted(cuda: Cuda, pool: &StreamPool<CudaStreams>, task: &mut Lease, memory: &Allocation) -> Result<Touch, Box<dyn std::error::Error>> {
/// let kernels = Kernels::load(cuda, DeviceId::new(0))?;
/// let arguments = Arguments::NONE.address(memory.raw()).u32(5).u32(1024);
/// // SAFETY: they are the arguments of `iota`; the memory has 1024 words, and nobody else uses them.
/// let launch = unsafe { Kernels::line(kernels.iota, 1024, arguments) };
/// let touch = pool.submit(task, launch.into())?; // 5, 6, 7, ...
/// # Ok(touch) }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernels {
    /// `nothing()`.
    pub nothing: Function,
    /// `fill_u32(out: *u32, value: u32, count: u32)`: `out[i] = value`.
    pub fill_u32: Function,
    /// `copy_u32(from: *u32, to: *u32, count: u32)`: `to[i] = from[i]`, also between pinned host memory.
    pub copy_u32: Function,
    /// `iota(out: *u32, start: u32, count: u32)`: `out[i] = start + i`.
    pub iota: Function,
    /// `saxpy(a: f32, x: *f32, y: *f32, count: u32)`: `y[i] = a * x[i] + y[i]`, rounded twice.
    pub saxpy: Function,
    /// `reduce_sum(in: *u32, out: *u64, count: u32)`: adds all of `in` to `out`.
    pub reduce_sum: Function,
    /// `stencil(in: *f32, out: *f32, width, height, x, y, columns, rows: u32)`: a quarter of the sum of four neighbours, in a part of a
    /// surface; a cell of its edge stays.
    pub stencil: Function,
}

impl Kernels {
    /// Compiles and loads them.
    ///
    /// # Errors
    /// What the driver says.
    pub fn load(cuda: Cuda, device: DeviceId) -> Result<Self, CudaError> {
        let module = Module::compile(cuda, device, PTX)?;
        let function = |name| module.function(cuda, name);
        Ok(Self {
            nothing: function("nothing")?,
            fill_u32: function("fill_u32")?,
            copy_u32: function("copy_u32")?,
            iota: function("iota")?,
            saxpy: function("saxpy")?,
            reduce_sum: function("reduce_sum")?,
            stencil: function("stencil")?,
        })
    }

    /// All of them.
    #[must_use]
    pub const fn all(&self) -> [Function; 7] {
        let Self { nothing, fill_u32, copy_u32, iota, saxpy, reduce_sum, stencil } = *self;
        [nothing, fill_u32, copy_u32, iota, saxpy, reduce_sum, stencil]
    }

    /// A launch of one of the kernels on a line, over `count` words.
    ///
    /// # Safety
    /// As for [`Launch::new`].
    #[must_use]
    pub const unsafe fn line(function: Function, count: u32, arguments: Arguments) -> Launch {
        let groups = count.div_ceil(LINE);
        let groups = Extent::line(if groups == 0 { 1 } else { groups });
        // SAFETY: the caller's promise.
        unsafe { Launch::new(function, groups, Extent::line(LINE), arguments) }
    }
}

#[cfg(test)]
mod tests {
    use super::PTX;

    /// The driver reads text up to a 0, and finds a kernel by its `.entry`.
    #[test]
    fn each_kernel_is_in_the_text() {
        assert!(PTX.is_ascii() && !PTX.contains('\0'));
        let names = ["nothing", "fill_u32", "copy_u32", "iota", "saxpy", "reduce_sum", "stencil"];
        for name in names {
            assert_eq!(PTX.matches(&format!(".visible .entry {name}(")).count(), 1, "{name}");
        }
        assert_eq!(PTX.matches(".entry").count(), names.len());
    }
}
