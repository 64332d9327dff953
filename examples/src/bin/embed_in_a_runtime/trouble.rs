//! What goes wrong, and how whoever waits hears of it.

use std::time::Duration;

use ringfence::{
    error::{Error, Failure},
    wait::WaitPolicy,
};

use crate::{future::block_on, gpu::Kernel, runtime::Runtime};

/// A kernel hangs. It is given up: futures end in an error, and so does the stream, until the kernel is over after all.
pub(crate) fn a_kernel_that_hangs(runtime: &Runtime) -> Result<(), Error> {
    let gate = runtime.allocate();
    runtime.write(gate, 0);
    let mut stream = runtime.stream(0)?;
    let finished = stream.launch_async(Kernel::Await { buffer: gate })?;
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| block_on(finished));
        let patience = WaitPolicy { limit: Duration::from_millis(20), ..WaitPolicy::default() };
        let late = stream.wait_or_give_up(&patience).expect_err("it hangs");
        println!("{late}");
        let future = waits.join().expect("it panics nowhere").expect_err("it was given up");
        assert!(matches!(future, Error::Failed { cause: Failure::Forced, .. }), "{future}");
        println!("who awaited it: {future}");
    });
    // From here on, waits for the stream end at once, as long as it may still run.
    let at_once = stream.wait_or_give_up(&WaitPolicy::default()).expect_err("it may still run");
    assert!(matches!(at_once, Error::Failed { cause: Failure::Forced, .. }), "{at_once}");
    runtime.write(gate, 1); // it was slow, and not hung
    stream.free(gate); // held until the kernel is seen to be over
    stream.close().or_else(|error| match error {
        // `close` did not wait for it: what it holds is not given to others.
        Error::Failed { cause: Failure::Forced, .. } => Ok(ringfence::ledger::Counts::default()),
        error => Err(error),
    })?;
    Ok(())
}

/// The device is lost: every wait ends, and nothing more is submitted.
pub(crate) fn a_device_that_is_lost(runtime: &Runtime) -> Result<(), Error> {
    let gate = runtime.allocate();
    runtime.write(gate, 0);
    let mut stream = runtime.stream(0)?;
    let finished = stream.launch_async(Kernel::Await { buffer: gate })?;
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| block_on(finished));
        runtime.lose_the_device();
        let future = waits.join().expect("it panics nowhere").expect_err("it never ends");
        assert!(matches!(future, Error::Failed { cause: Failure::DeviceLost, .. }), "{future}");
        println!("who awaited it: {future}");
    });
    let closed = stream.close().map(drop);
    match closed {
        Err(lost @ Error::DeviceLost { .. }) => println!("{lost}"),
        other => panic!("{other:?} on a lost device"),
    }
    let opened = runtime.stream(1).map(drop);
    assert!(opened.is_err(), "no signal can be had from it");
    Ok(())
}
