//! A kernel that is compiled at run time, and whose model is a function of this program.

use std::{
    ffi::CStr,
    sync::atomic::{AtomicU32, Ordering},
    time::Instant,
};

use ringfence_softgpu_programs::{
    case::setting,
    hip::{Event, Hip, Memory, Module, Stream, Timing, Where},
};

const SOURCE: &CStr = c"extern \"C\" __global__ void saxpy(float a, float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}";

static CALLS: AtomicU32 = AtomicU32::new(0);

/// What softgpu calls for a kernel named `saxpy`: its arguments where the host has them, and the packet.
///
/// # Safety
/// `kernarg` and `packet` are those of a dispatch of the kernel above.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn ringfence_kernel_saxpy(kernarg: *mut u8, packet: *const u8) {
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Arguments {
        a: f32,
        x: *const f32,
        y: *mut f32,
        n: i32,
    }
    CALLS.fetch_add(1, Ordering::AcqRel);
    // SAFETY: the arguments are laid out as the kernel declares them.
    let Arguments { a, x, y, n } = unsafe { kernarg.cast::<Arguments>().read() };
    let width = packet.wrapping_add(12).cast::<u32>();
    // SAFETY: the grid's width is the 32-bit word at 12 of a dispatch packet.
    let grid = unsafe { width.read() };
    let count = usize::try_from(n).unwrap_or(0).min(grid as usize);
    // SAFETY: the program's buffer has `n` numbers, which nothing writes meanwhile.
    let from = unsafe { std::slice::from_raw_parts(x, count) };
    // SAFETY: as above, and it is another buffer.
    let to = unsafe { std::slice::from_raw_parts_mut(y, count) };
    for (to, from) in to.iter_mut().zip(from) {
        *to += a * from;
    }
}

/// Compiles, launches, and reads what the function computed; 1,000 launches and their times.
pub(crate) fn kernel() {
    const COUNT: usize = 1_000;
    let hip = Hip::start();
    let stream = Stream::new(hip);
    let target = setting("GFX").unwrap_or_else(|| "gfx90a".to_owned());
    let begun = Instant::now();
    let module = Module::compile(hip, SOURCE, &target);
    println!("compiled for {target} in {:?}", begun.elapsed());
    let kernel = module.kernel(c"saxpy");

    let [x, y] = [(), ()].map(|()| Memory::new(hip, 4 * COUNT, Where::Device));
    let floats = |value: fn(usize) -> f32| -> Vec<u8> {
        (0..COUNT).flat_map(|index| value(index).to_le_bytes()).collect()
    };
    x.write(&stream, 0, &floats(|index| index as f32));
    y.write(&stream, 0, &floats(|_| 1.0));
    let launch = |mut a: f32| {
        let (mut x, mut y, mut n) = (x.address(), y.address(), COUNT as i32);
        let arguments = &mut [
            (&raw mut a).cast(),
            (&raw mut x).cast(),
            (&raw mut y).cast(),
            (&raw mut n).cast(),
        ];
        // SAFETY: the arguments are the kernel's, and the memory lives until the stream is synchronized.
        unsafe { kernel.launch(&stream, 4, arguments) };
    };
    let (start, end) = (Event::new(hip, Timing::Kept), Event::new(hip, Timing::Kept));
    start.record(&stream);
    launch(2.0);
    end.record(&stream);
    stream.synchronize();
    println!("one kernel in {:?}", start.until(&end));
    let expected = floats(|index| 2.0 * index as f32 + 1.0);
    assert!(y.read(&stream, 0, 4 * COUNT) == expected, "what the kernel left");
    assert_eq!(CALLS.load(Ordering::Acquire), 1, "calls of this program's function");

    let begun = Instant::now();
    (0..1_000).for_each(|_| launch(0.0));
    let submitted = begun.elapsed() / 1_000;
    stream.synchronize();
    println!("1,000 kernels: {submitted:?} each to submit, {:?} in all", begun.elapsed() / 1_000);
    assert_eq!(CALLS.load(Ordering::Acquire), 1_001, "calls of this program's function");
    assert!(y.read(&stream, 0, 4 * COUNT) == expected, "what kernels that add nothing left");
}
