//! A GPU in software under AMD's own user-mode runtime.
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
pub mod processor;
mod scheduling;
pub mod sdma;
pub mod settings;
#[cfg(all(feature = "preload", not(test)))]
mod shell;
pub mod topology;
mod trace;

#[cfg(test)]
pub(crate) mod test_bus;
