//! A pool of streams over a driver that breaks its contract.

use std::time::Duration;

use ringfence::{
    backend::streams::CaptureMode,
    drive::{ArrayUse, Graph, StreamPool},
    id::{Bytes, DeviceContext, DeviceId, RawStream, StreamKey},
    stream::{Access, Allocation, Lease, LeasePolicy, PoolOptions, Stamp, Touch},
};

use super::driver::LyingDriver;
use crate::bytes::Bytes as Input;

const LEASES: usize = 5;
const MOST_OPERATIONS: usize = 120;

/// A lease, with the raw handle that its driver knows it by.
struct Held {
    lease: Lease<RawStream>,
    raw: RawStream,
}
/// Work, and how much of its stream's it is the last of.
struct Work {
    touch: Touch,
    raw: RawStream,
    upto: u64,
}

struct Host {
    pool: StreamPool<LyingDriver, RawStream>,
    held: Vec<Held>,
    work: Vec<Work>,
    memory: Vec<(Allocation, Stamp)>,
    graphs: Vec<Graph<RawStream>>,
}

/// The first half says what the host does, the second where the driver lies.
pub(super) fn check(input: &[u8]) {
    let (host, lies) = input.split_at(input.len() / 2);
    let mut bytes = Input::new(host);
    let options = PoolOptions {
        idle_cap: bytes.below(3),
        looks: 1 + bytes.below(3),
        wait_limit: Duration::from_millis(1),
        ..PoolOptions::default()
    };
    let (driver, policy) = (LyingDriver::new(lies), Box::new(LeasePolicy));
    let pool = StreamPool::with_attachments(driver, options, policy, |raw| raw);
    let (held, work, memory, graphs) = Default::default();
    let mut host = Host { pool, held, work, memory, graphs };
    for _ in 0..MOST_OPERATIONS {
        if bytes.is_empty() {
            break;
        }
        let _refused = host.operate(&mut bytes);
    }
    host.end();
}

impl Host {
    fn one<'a>(held: &'a mut [Held], bytes: &mut Input<'_>) -> Option<&'a mut Held> {
        let at = usize::from(bytes.byte()) % held.len().max(1);
        held.get_mut(at)
    }
    /// `None`: the library, or the driver, refused.
    fn operate(&mut self, bytes: &mut Input<'_>) -> Option<()> {
        let pool = &self.pool;
        match bytes.below(21) {
            0..=3 if self.held.len() < LEASES => self.acquire()?,
            4..=5 if !self.held.is_empty() => {
                let at = usize::from(bytes.byte()) % self.held.len();
                drop(self.held.swap_remove(at));
            }
            6..=8 => {
                let held = Self::one(&mut self.held, bytes)?;
                let touch = pool.submit(&mut held.lease, ()).ok()?;
                let upto = pool.driver().submitted(held.raw);
                self.work.push(Work { touch, raw: held.raw, upto });
            }
            9 => {
                let held = Self::one(&mut self.held, bytes)?;
                let memory = pool.allocate(&mut held.lease, Bytes::new(64)).ok()?;
                let stamp = memory.stamp();
                self.memory.push((memory, stamp));
            }
            10 => {
                let held = Self::one(&mut self.held, bytes)?;
                let at = usize::from(bytes.byte()) % self.memory.len().max(1);
                let (_, stamp) = self.memory.get_mut(at)?;
                let access = bytes.pick(&[Access::Read, Access::Write]);
                let mut array = [ArrayUse::new(stamp, access)];
                let _how = pool.submit_after(&mut held.lease, &mut array, ()).ok()?;
            }
            11 => {
                let at = usize::from(bytes.byte()) % self.memory.len().max(1);
                if at < self.memory.len() {
                    let (memory, stamp) = self.memory.swap_remove(at);
                    let _freed = pool.retire(memory, stamp);
                }
            }
            12 => self.wait(bytes)?,
            13 => drop(pool.pump()),
            14 => drop(pool.trim()),
            15 => {
                let held = Self::one(&mut self.held, bytes)?;
                let mode = bytes.pick(&[CaptureMode::ThreadLocal, CaptureMode::Global]);
                let captured = pool.capture(&mut held.lease, mode, |scope| scope.submit(()));
                self.graphs.push(captured.ok()?.graph);
            }
            16 => {
                let held = Self::one(&mut self.held, bytes)?;
                let at = usize::from(bytes.byte()) % self.graphs.len().max(1);
                let touch = pool.launch(&mut held.lease, self.graphs.get_mut(at)?).ok()?;
                let upto = pool.driver().submitted(held.raw);
                self.work.push(Work { touch, raw: held.raw, upto });
            }
            17 => drop(self.graphs.pop()),
            18 => pool.driver().run_until_idle(),
            19 => {
                let held = Self::one(&mut self.held, bytes)?;
                let _raw = pool.expose(&mut held.lease);
            }
            _ => pool.driver().go_on(usize::from(bytes.byte())),
        }
        self.check_work();
        Some(())
    }
    fn acquire(&mut self) -> Option<()> {
        let key = StreamKey::new(DeviceContext::primary(DeviceId::new(0)));
        let mut lease = self.pool.acquire(key).ok()?;
        let raw = *lease.attachment();
        let shared = self.held.iter().any(|held| held.raw == raw);
        assert!(!shared, "T1: {raw:?} is leased twice");
        let before = self.work.iter().filter(|work| work.raw == raw);
        for work in before {
            let is_complete = self.pool.driver().is_complete(raw, work.upto);
            assert!(
                is_complete,
                "T1: {raw:?} is leased while {:?} runs\n{}",
                work.touch,
                self.calls()
            );
        }
        self.held.push(Held { lease, raw });
        Some(())
    }
    fn wait(&mut self, bytes: &mut Input<'_>) -> Option<()> {
        let at = usize::from(bytes.byte()) % self.work.len().max(1);
        let work = self.work.get(at)?;
        let mut stamp = Stamp::default();
        stamp.add(work.touch, Access::Write);
        self.pool.synchronize(&stamp, Access::Write, Duration::from_millis(1)).ok()?;
        let is_complete = self.pool.driver().is_complete(work.raw, work.upto);
        assert!(is_complete, "a wait for {:?} ends, and it runs\n{}", work.touch, self.calls());
        Some(())
    }
    fn calls(&self) -> String {
        self.pool.driver().calls()
    }
    fn check_work(&self) {
        for work in &self.work {
            let says = self.pool.is_finished(work.touch);
            let is = self.pool.driver().is_complete(work.raw, work.upto);
            assert!(
                is || !says,
                "{:?} is said to be finished, and it runs\n{}",
                work.touch,
                self.calls()
            );
        }
    }
    fn end(mut self) {
        self.held.clear();
        self.graphs.clear();
        for (memory, stamp) in std::mem::take(&mut self.memory) {
            let _freed = self.pool.retire(memory, stamp);
        }
        let _ = self.pool.pump();
        self.check_work();
        let _left = self.pool.shutdown();
        self.check_work();
    }
}
