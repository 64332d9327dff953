//! Blocking calls, one after the other, on whatever thread has time.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use tokio::{
    runtime::Handle,
    sync::oneshot,
    task::{JoinHandle, spawn_blocking},
    time::timeout,
};

/// For so long a call may wait for one of the runtime's threads. Those of a runtime that has some to spare begin within microseconds.
const PATIENCE: Duration = Duration::from_millis(10);

/// Where the calls are made.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// A place in the runtime's queue that was passed by: another one is not taken before it came up.
    passed_by: Option<JoinHandle<()>>,
}

/// A call that whoever comes first makes, and where it says what came of it.
struct Call<F, T>(Arc<Mutex<ToMake<F, T>>>);
type ToMake<F, T> = Option<(F, oneshot::Sender<T>)>;
impl<F: FnOnce() -> T, T> Call<F, T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
    fn is_made(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
    fn make(&self) {
        let call = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((call, done)) = call {
            let _unheard = done.send(call()); // where the runtime was shut down meanwhile
        }
    }
}

impl Turns {
    /// Makes a call that may block, and that does not panic. `None`: the runtime is shutting down, and nobody makes it.
    ///
    /// On one of the runtime's threads, on which tests with a paused clock rely: it stands while such a thread is busy.
    pub(crate) async fn take<T: Send + 'static>(
        &mut self,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let (done, mut said) = oneshot::channel();
        let call = Call(Arc::new(Mutex::new(Some((call, done)))));
        if self.passed_by.as_ref().is_none_or(JoinHandle::is_finished) {
            let here = call.clone();
            let queued = spawn_blocking(move || here.make());
            if let Ok(said) = timeout(PATIENCE, &mut said).await {
                return said.ok();
            }
            self.passed_by = Some(queued).filter(|_| !call.is_made());
        }
        if !call.is_made() {
            let (here, runtime) = (call.clone(), Handle::current());
            let thread =
                thread::Builder::new().name("ringfence-pump".to_owned()).spawn(move || {
                    let _inside = runtime.enter(); // as on its own threads: wakers and destructors may spawn
                    here.make();
                });
            if thread.is_err() {
                // There is no other thread either: the runtime's queue is waited for.
                let here = call.clone();
                self.passed_by = Some(spawn_blocking(move || here.make()));
            }
        }
        drop(call);
        said.await.ok()
    }
}

#[cfg(test)]
mod tests;
