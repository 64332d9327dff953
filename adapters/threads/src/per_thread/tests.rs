//! What a thread keeps.

use std::sync::Arc;

use ringfence::{
    drive::StreamPool,
    id::{DeviceContext, DeviceId, StreamKey},
    stream::PoolOptions,
};
use ringfence_mock::streams::{profile::DriverProfile, system::MockStreams};

use super::{MINE, with_stream};

#[test]
fn nothing_is_kept_of_pools_that_are_gone() {
    let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
    for _ in 0..100 {
        let driver = MockStreams::new(DriverProfile::Hip57);
        let pool = Arc::new(StreamPool::new(driver, PoolOptions::default()));
        with_stream(&pool, key, |_| ()).expect("a stream");
        let kept = MINE.with_borrow(|mine| mine.0.len());
        assert_eq!(kept, 1, "this pool alone");
    }
}
