//! The kernels in HIP C++.
//!
//! They have the names and the arguments by which the software GPU knows them, and do the same on any GPU: no instruction of one
//! architecture, no clock of the device.

/// Work-items in a group: a line, or a square of 16.
pub(super) const LINE: u32 = 256;
/// Along each side of a square group.
pub(super) const SQUARE: u32 = 16;

/// All of them.
pub(super) const SOURCE: &str = r#"
extern "C" __global__ void nothing() {}

extern "C" __global__ void fill_u32(unsigned *out, unsigned value, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = value;
}
extern "C" __global__ void iota(unsigned *out, unsigned start, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = start + i;
}
extern "C" __global__ void saxpy(float a, const float *x, float *y, int count) {
#pragma clang fp contract(off)
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void reduce_sum(const unsigned *in, unsigned long long *out, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(out, (unsigned long long)in[i]);
}
extern "C" __global__ void stencil(const float *in, float *out, unsigned width, unsigned height,
                                   unsigned x, unsigned y, unsigned columns, unsigned rows) {
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= columns || row >= rows) return;
    unsigned cx = x + column, cy = y + row;
    if (cx >= width || cy >= height) return;
    unsigned long long at = (unsigned long long)cy * width + cx;
    float cell = in[at];
    if (cx > 0 && cx + 1 < width && cy > 0 && cy + 1 < height)
        cell = 0.25f * (((in[at - width] + in[at + width]) + in[at - 1]) + in[at + 1]);
    out[at] = cell;
}
"#;
