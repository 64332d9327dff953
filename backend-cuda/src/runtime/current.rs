//! A context of the calling thread's.

use std::marker::PhantomData;

use super::Cuda;

/// A context is the calling thread's, and goes with this.
///
/// ```no_run
/// # use ringfence::id::DeviceId;
/// use ringfence_cuda::{Cuda, CudaError};
/// # fn mine(cuda: Cuda, cu_mem_alloc: impl Fn()) -> Result<(), CudaError> {
/// let current = cuda.current(DeviceId::new(0))?;
/// cu_mem_alloc(); // a call of the program's own that wants a context
/// drop(current); // the thread has the one from before
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[must_use = "the context is taken off again when this is dropped"]
pub struct Current {
    cuda: Cuda,
    /// The stack of contexts is a thread's own.
    _of_this_thread: PhantomData<*mut ()>,
}

impl Current {
    /// A context was pushed.
    pub(super) fn pushed(cuda: Cuda) -> Self {
        Self { cuda, _of_this_thread: PhantomData }
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let mut context = std::ptr::null_mut();
        // SAFETY: `context` is writable. What was pushed is still on top: guards are dropped in order.
        let answer = unsafe { (self.cuda.functions().cuCtxPopCurrent)(&raw mut context) };
        let _lost = self.cuda.check(answer);
    }
}
