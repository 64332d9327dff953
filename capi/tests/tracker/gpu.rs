//! A device with two queues, as tables: packets run when their doorbell rings, unless it is held.

use std::{
    ffi::c_void,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering::SeqCst},
    },
};

use ringfence_capi::*;

const SIGNALS: usize = 4096;

/// A device with two queues, whose packets run when their doorbell rings, unless it is held.
pub(crate) struct Gpu {
    pub(crate) values: Vec<AtomicI64>,
    next: AtomicU64,
    pub(crate) live: AtomicI32,
    pub(crate) queues: [Queue; 2],
    pub(crate) held: AtomicBool,
    pub(crate) lost: AtomicU32,
    pub(crate) watched: Mutex<Vec<(u64, u64)>>,
    pub(crate) released: AtomicU32,
    /// Done inside the next destruction of a signal.
    pub(crate) meanwhile: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}
#[derive(Default)]
pub(crate) struct Queue {
    pub(crate) written: Mutex<Vec<(u64, ringfence_packet_t)>>,
    write_index: AtomicU64,
    read_index: AtomicU64,
    pub(crate) throws: AtomicBool,
}
// SAFETY: the packets' `work` is never looked at.
unsafe impl Send for Queue {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl Gpu {
    pub(crate) fn new() -> &'static Self {
        Box::leak(Box::new(Self {
            values: (0..SIGNALS).map(|_| AtomicI64::new(1)).collect(),
            next: AtomicU64::new(1),
            live: AtomicI32::new(0),
            queues: Default::default(),
            held: AtomicBool::new(false),
            lost: AtomicU32::new(0),
            watched: Mutex::default(),
            released: AtomicU32::new(0),
            meanwhile: Mutex::default(),
        }))
    }
    pub(crate) fn value(&self, signal: u64) -> &AtomicI64 {
        &self.values[signal as usize]
    }
    pub(crate) fn hold(&self) {
        self.held.store(true, SeqCst);
    }
    pub(crate) fn go_on(&self) {
        self.held.store(false, SeqCst);
        // A wait across queues may need a second turn.
        for _ in 0..2 {
            self.queues.iter().for_each(|queue| self.run(queue));
        }
    }
    /// Runs what is there, in order, up to the first packet whose dependency is not 0.
    fn run(&self, queue: &Queue) {
        let mut written = queue.written.lock().expect("plain");
        written.sort_by_key(|(at, _)| *at);
        while let Some((at, packet)) = written.first().copied() {
            let waits = |signal: &u64| *signal != 0 && self.value(*signal).load(SeqCst) != 0;
            if self.held.load(SeqCst) || packet.dependencies.iter().any(waits) {
                return;
            }
            if packet.completes != 0 {
                self.value(packet.completes).fetch_sub(1, SeqCst);
            }
            queue.read_index.store(at + 1, SeqCst);
            written.remove(0);
        }
    }
    pub(crate) fn device_table(&'static self, number: u32) -> ringfence_device_backend_t {
        ringfence_device_backend_t {
            size: size_of::<ringfence_device_backend_t>(),
            context: std::ptr::from_ref(self).cast_mut().cast(),
            device: number,
            features: RINGFENCE_FEATURE_INTERRUPTS,
            rings_in_device_memory: 0,
            coherent: 1,
            tick_rate: 1_000_000_000,
            release: Some(release),
            create: Some(create),
            destroy: Some(destroy),
            load: Some(load),
            arm: Some(arm),
            wait: Some(wait),
            force: Some(force),
            status: Some(status),
            publish_stores: None,
            flush: None,
            profiler: None,
            timestamps: Some(timestamps),
            watch: Some(watch),
        }
    }
    pub(crate) fn queue_table(
        &'static self,
        number: u32,
        which: usize,
    ) -> ringfence_queue_backend_t {
        let on = On { gpu: self, queue: &self.queues[which] };
        ringfence_queue_backend_t {
            size: size_of::<ringfence_queue_backend_t>(),
            context: std::ptr::from_mut(Box::leak(Box::new(on))).cast(),
            queue: number,
            generation: 0,
            release: None,
            reserve: Some(reserve),
            commit: Some(commit),
            ring_doorbell: Some(ring_doorbell),
            read_index: Some(read_index),
            settled: Some(settled),
            capacity: 0,
        }
    }
}
struct On {
    gpu: &'static Gpu,
    queue: &'static Queue,
}
fn gpu(context: *mut c_void) -> &'static Gpu {
    // SAFETY: every device table has a `Gpu` that lives for ever.
    unsafe { &*context.cast::<Gpu>() }
}
fn on(context: *mut c_void) -> &'static On {
    // SAFETY: every queue table has an `On` that lives for ever.
    unsafe { &*context.cast::<On>() }
}
fn set<T>(place: *mut T, value: T) {
    // SAFETY: the library passes the address of a local of its own.
    unsafe { place.write(value) };
}
unsafe extern "C-unwind" fn release(context: *mut c_void) {
    gpu(context).released.fetch_add(1, SeqCst);
}
unsafe extern "C-unwind" fn create(
    context: *mut c_void,
    _memory: u32,
    batch: *mut u64,
    count: usize,
    made: *mut usize,
    _lives: *mut u32,
) -> u32 {
    for at in 0..count {
        // SAFETY: the batch has so many places.
        set(unsafe { batch.add(at) }, gpu(context).next.fetch_add(1, SeqCst));
    }
    gpu(context).live.fetch_add(i32::try_from(count).expect("few"), SeqCst);
    set(made, count);
    RINGFENCE_CREATE_OK
}
unsafe extern "C-unwind" fn destroy(context: *mut c_void, _signal: u64) {
    gpu(context).live.fetch_sub(1, SeqCst);
    let meanwhile = gpu(context).meanwhile.lock().expect("plain").take();
    if let Some(meanwhile) = meanwhile {
        meanwhile();
    }
}
unsafe extern "C-unwind" fn load(context: *mut c_void, signal: u64) -> i64 {
    gpu(context).value(signal).load(SeqCst)
}
unsafe extern "C-unwind" fn arm(context: *mut c_void, signal: u64, value: i64) {
    gpu(context).value(signal).store(value, SeqCst);
}
unsafe extern "C-unwind" fn wait(
    context: *mut c_void,
    signal: u64,
    below: i64,
    _blocked: u32,
    _limit: u64,
    value: *mut i64,
) -> u32 {
    let now = gpu(context).value(signal).load(SeqCst);
    set(value, now);
    match (now < below, gpu(context).lost.load(SeqCst)) {
        (true, _) => RINGFENCE_SIGNAL_WAIT_REACHED,
        (false, 0) => RINGFENCE_SIGNAL_WAIT_TIMED_OUT,
        (false, _) => RINGFENCE_SIGNAL_WAIT_LOST,
    }
}
unsafe extern "C-unwind" fn force(context: *mut c_void, signal: u64) {
    gpu(context).value(signal).store(0, SeqCst);
}
unsafe extern "C-unwind" fn status(context: *mut c_void) -> u32 {
    gpu(context).lost.load(SeqCst)
}
unsafe extern "C-unwind" fn timestamps(
    _context: *mut c_void,
    signal: u64,
    _copy: u32,
    start: *mut u64,
    end: *mut u64,
) {
    set(start, 1000 * signal);
    set(end, 1000 * signal + 7);
}
unsafe extern "C-unwind" fn watch(context: *mut c_void, signal: u64, token: u64) -> u32 {
    gpu(context).watched.lock().expect("plain").push((signal, token));
    0
}
unsafe extern "C-unwind" fn reserve(context: *mut c_void, count: u32) -> u64 {
    on(context).queue.write_index.fetch_add(count.into(), SeqCst)
}
unsafe extern "C-unwind" fn commit(
    context: *mut c_void,
    at: u64,
    packet: *const ringfence_packet_t,
) {
    assert!(!on(context).queue.throws.swap(false, SeqCst), "commit threw");
    // SAFETY: the library passes one that is there.
    let packet = unsafe { packet.read() };
    on(context).queue.written.lock().expect("plain").push((at, packet));
}
unsafe extern "C-unwind" fn ring_doorbell(context: *mut c_void, _last: u64) {
    on(context).gpu.run(on(context).queue);
}
unsafe extern "C-unwind" fn read_index(context: *mut c_void) -> u64 {
    on(context).queue.read_index.load(SeqCst)
}
unsafe extern "C-unwind" fn settled(context: *mut c_void, below: *mut u64) -> u32 {
    set(below, on(context).queue.write_index.load(SeqCst));
    1
}
