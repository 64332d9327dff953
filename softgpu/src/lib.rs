//! A GPU in software under AMD's own user-mode runtime.
//!
//! Preloaded into a program, `libringfence_softgpu.so` answers for the kernel: `/dev/kfd`, the topology
//! in sysfs, the render nodes, and a few calls of libdrm. Above it AMD's `libhsa-runtime64` and
//! `libamdhip64` run unchanged; below it there is no GPU. It executes no instruction set: it is small,
//! and hostile about order, timing, visibility and faults. `README.md` says what is modelled, how to
//! set it, and how to teach it a kernel.
//!
//! | module | what it is |
//! |---|---|
//! | [`settings`] | the environment's variables, checked |
//! | [`gpu`], [`topology`] | what the machine looks like; pure |
//! | [`abi`] | layouts that others fix |
//! | [`bus`] | memory as engines know it |
//! | [`processor`] | AQL packets, over the model of queues that the mock drives too; pure |
//! | [`sdma`], [`kernels`] | copy engines, and kernels by name; pure |
//! | [`memory`] | files of memory, objects, the page table |
//! | [`os`] | time, events, doorbells, the engine's thread |
//! | [`driver`] | the requests to the kernel |
//! | `shell` | the exported C functions |
//!
//! Data flows one way: `shell -> driver -> os -> processor, sdma -> kernels -> bus`.

pub mod abi;
pub mod address;
pub mod bus;
pub mod chance;
pub mod driver;
pub mod errno;
pub mod faults;
pub mod gpu;
pub mod kernels;
pub mod memory;
pub mod os;
#[cfg(feature = "planted")]
pub mod plant;
pub mod processor;
mod scheduling;
pub mod sdma;
pub mod settings;
#[cfg(all(feature = "preload", not(test)))]
mod shell;
pub mod topology;
mod trace;

#[cfg(any(test, feature = "testing"))]
pub mod test_bus;

/// Locks, whatever became of another thread that held the lock.
fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
