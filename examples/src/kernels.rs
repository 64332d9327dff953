//! Kernels.

use ringfence::id::DeviceId;
use ringfence_hip::{Function, Hip, HipError, Module};

/// The GPU in software executes no instruction set: it knows kernels of these names, and does what they say.
const SOURCE: &str = r#"
extern "C" __global__ void fill_u32(unsigned *out, unsigned value, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = value;
}
extern "C" __global__ void iota(unsigned *out, unsigned start, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = start + i;
}
extern "C" __global__ void reduce_sum(const unsigned *in, unsigned long long *out, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(out, (unsigned long long)in[i]);
}
"#;

/// The kernels of one GPU.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    pub(crate) fill_u32: Function,
    pub(crate) iota: Function,
    pub(crate) reduce_sum: Function,
}

impl Kernels {
    /// Compiles them for the instruction set `gfx` of `device`.
    ///
    /// # Errors
    /// As [`Module::compile`].
    pub fn compile(hip: Hip, device: DeviceId, gfx: &str) -> Result<Self, HipError> {
        let module = Module::compile(hip, device, SOURCE, gfx)?;
        let function = |name| module.function(hip, name);
        Ok(Self {
            fill_u32: function("fill_u32")?,
            iota: function("iota")?,
            reduce_sum: function("reduce_sum")?,
        })
    }
}
