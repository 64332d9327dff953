//! A hardware queue and what is proven of it, as several streams share them.

use std::ops::Deref;

use crate::{backend::PacketQueue, sync::Arc, watermark::Watermark};

/// A hardware queue with its one watermark. Clone it to put several streams on the queue: what one of
/// them proves, the others need not load.
///
/// Two queues of one [number](crate::id::QueueId) are taken for one: what proves the work of either would prove the
/// other's. Where it is cheap to notice, that is [`Error::SameQueueId`](crate::error::Error::SameQueueId).
///
/// When the queue's index space restarts, make a new one, and give it to every stream with
/// [`switch_queue`](super::Tracker::switch_queue).
///
/// ```
/// use ringfence::{backend::*, drive::*, error::Error};
/// /// Two streams on one queue: a fence of either proves the packets of both.
/// fn pair<D: Device, Q: PacketQueue + Clone>(gpu: &D, queue: Q) -> Result<[Tracker<&D, Q>; 2], Error> {
///     let queue = HardwareQueue::new(queue); // once: a second one would begin with nothing proven
///     let left = Tracker::open(gpu, queue.clone(), Policy::default())?;
///     Ok([left, Tracker::open(gpu, queue, Policy::default())?])
/// }
/// ```
#[derive(Clone, Debug)]
pub struct HardwareQueue<Q> {
    queue: Q,
    mark: Arc<Watermark>,
}
impl<Q: PacketQueue> HardwareQueue<Q> {
    /// A queue of which nothing is proven. Make one for each queue and generation, and clone that.
    pub fn new(queue: Q) -> Self {
        let mark = Arc::new(Watermark::new(queue.lane()));
        Self { queue, mark }
    }
    /// What is proven of it.
    #[inline]
    pub fn mark(&self) -> &Arc<Watermark> {
        &self.mark
    }
}
impl<Q> Deref for HardwareQueue<Q> {
    type Target = Q;
    #[inline]
    fn deref(&self) -> &Q {
        &self.queue
    }
}
