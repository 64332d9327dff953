//! Tasks and their streams, on a driver that does what it is told.

mod current;
mod ended;
mod owners;
mod tables;

use crate::{
    drive::StreamPool,
    id::{DeviceContext, DeviceId, Priority, RawStream, StreamKey},
    stream::{
        PoolOptions,
        test_driver::{DriverCall, TestDriver, TestWords},
    },
};

fn normal() -> StreamKey {
    StreamKey::new(DeviceContext::primary(DeviceId::new(0)))
}
fn high() -> StreamKey {
    normal().with_priority(Priority::High)
}

/// A pool on a test driver.
fn pool(words: TestWords) -> (TestDriver, StreamPool<TestDriver>) {
    let driver = TestDriver::new(words);
    let pool = StreamPool::new(driver.clone(), PoolOptions::default());
    (driver, pool)
}

/// Creations for tasks since the last time this was asked: the disposal stream is left out, which comes with
/// the first one and is created before it.
fn created(driver: &TestDriver) -> Vec<(StreamKey, RawStream)> {
    let calls = driver.take_calls();
    let made = calls.into_iter().filter_map(|call| match call {
        DriverCall::Create(key, raw) => Some((key, raw)),
        _ => None,
    });
    made.collect()
}
