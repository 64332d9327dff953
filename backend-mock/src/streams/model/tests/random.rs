//! Random calls of three threads on a few handles, some of them stale: the model never panics, work runs
//! once and in order, an idle answer is true, and the same seed brings the same run.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

const SEEDS: u64 = 60;
const STEPS: u64 = 300;

/// A 64-bit linear congruential generator (Knuth's MMIX constants): all that is needed of chance here.
struct Dice(u64);
impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % sides as u64).expect("it is below `sides`")
    }
    fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        (!from.is_empty()).then(|| from[self.roll(from.len())])
    }
}

/// What a run knows of the driver: handles that it has ever seen, and the work of each stream.
struct Run {
    bench: Bench,
    dice: Dice,
    streams: Vec<RawStream>,
    events: Vec<RawEvent>,
    memory: Vec<RawMemory>,
    graphs: Vec<ringfence::id::RawGraph>,
    words: Vec<ringfence::id::RawProgress>,
    /// Unfinished work by the stream's own number, in the order of submission.
    queued: BTreeMap<u64, Vec<OpId>>,
    stream_of: BTreeMap<OpId, u64>,
    running: BTreeSet<OpId>,
}

impl Run {
    fn new(profile: P, seed: u64) -> Self {
        let mut bench = Bench::new(profile);
        let streams = vec![bench.stream(), bench.stream(), bench.create(blocking())];
        Self {
            bench,
            dice: Dice(seed),
            streams,
            events: Vec::new(),
            memory: Vec::new(),
            graphs: Vec::new(),
            words: Vec::new(),
            queued: BTreeMap::new(),
            stream_of: BTreeMap::new(),
            running: BTreeSet::new(),
        }
    }
    fn stream(&mut self) -> RawStream {
        self.dice.pick(&self.streams).expect("there are some")
    }
    fn submitted(&mut self, raw: RawStream, done: Result<Submitted, DriverError>) {
        if let Ok(Submitted { op: Some(op), place: Place::Device }) = done {
            let serial = self.bench.model.streams[&raw].serial;
            self.queued.entry(serial).or_default().push(op);
            self.stream_of.insert(op, serial);
        }
    }
    fn step(&mut self) {
        let by = ThreadId::new(u32::try_from(self.dice.roll(3)).expect("three threads"));
        let raw = self.stream();
        let modes = [CaptureMode::Global, CaptureMode::ThreadLocal, CaptureMode::Relaxed];
        let mode = self.dice.pick(&modes).expect("there are three");
        let ticks = self.dice.roll(5) as u64;
        let limit = std::time::Duration::from_micros(ticks);
        let model = &mut self.bench.model;
        match self.dice.roll(24) {
            0 => self.streams.extend(model.create(by, key())),
            1 => drop(model.destroy(by, raw)),
            2 | 3 => drop(model.begin_capture(by, raw, mode)),
            4 | 5 => self.graphs.extend(model.end_capture(by, raw).map(|(graph, _)| graph)),
            6 => drop(model.exchange_mode(by, mode)),
            7 => self.idle_is_true(by, raw),
            8 => self.events.extend(model.create_event(by)),
            9 => drop(model.synchronize(by, raw)),
            10 => drop(model.device_sync(by)),
            11 => self.memory.extend(model.allocate(by, Bytes::new(1), raw)),
            12 => self.memory.extend(model.malloc(by, Bytes::new(1), DEVICE).answer),
            13 => self.words.extend(model.open_progress(by, raw)),
            14 => model.tick(Ticks::new(ticks)),
            15 if ticks == 0 => drop(model.device_reset(by, DEVICE)),
            16 => {
                let done = model.host_function(by, raw);
                self.submitted(raw, done);
            }
            17..=19 => self.with_events(by, raw, limit),
            20 | 21 => self.with_things(by, raw),
            _ => {
                let work = StreamOp::new("work", Ticks::new(ticks));
                let done = model.launch(by, raw, &work);
                self.submitted(raw, done);
            }
        }
        self.bench.model.settle();
        self.moves_are_right();
    }
    fn with_events(&mut self, by: ThreadId, raw: RawStream, limit: std::time::Duration) {
        let Some(event) = self.dice.pick(&self.events) else { return };
        let model = &mut self.bench.model;
        match self.dice.roll(6) {
            0 | 1 => drop(model.record(by, event, raw)),
            2 | 3 => drop(model.stream_wait(by, raw, event)),
            4 => drop(model.query_event(by, event)),
            _ => drop(model.synchronize_event(by, event, limit)),
        }
    }
    fn with_things(&mut self, by: ThreadId, raw: RawStream) {
        let (memory, graph) = (self.dice.pick(&self.memory), self.dice.pick(&self.graphs));
        let (word, which) = (self.dice.pick(&self.words), self.dice.roll(5));
        let model = &mut self.bench.model;
        match (which, memory, graph, word) {
            (0, Some(memory), ..) => {
                let done = model.free(by, memory, raw);
                self.submitted(raw, done);
            }
            (1, Some(memory), ..) => drop(model.free_now(by, memory)),
            (2, _, Some(graph), _) => {
                if let Ok((op, _)) = model.launch_graph(by, graph, raw) {
                    self.submitted(raw, Ok(Submitted { op: Some(op), place: Place::Device }));
                }
            }
            (3, _, Some(graph), _) => drop(model.destroy_graph(by, graph)),
            (.., Some(word)) => {
                let position = model.observe(by, word).next();
                let done = model.mark(by, raw, word, position);
                self.submitted(raw, done);
            }
            _ => {}
        }
    }
    fn idle_is_true(&mut self, by: ThreadId, raw: RawStream) {
        let serial = self.bench.model.streams.get(&raw).map(|stream| stream.serial);
        let answer = self.bench.model.query(by, raw).answer;
        self.moves_are_right();
        let left = serial.and_then(|serial| self.queued.get(&serial)).map_or(0, Vec::len);
        match answer {
            StreamState::Idle => assert_eq!(left, 0, "{raw} is not idle"),
            StreamState::Failed(_) => assert_eq!(serial, None, "{raw} works"),
            StreamState::Pending | StreamState::Unknown => {}
        }
    }
    /// Work starts when the one before it on its stream has finished, and ends once.
    fn moves_are_right(&mut self) {
        for one in self.bench.model.take_moves() {
            match one {
                DeviceMove::Started(op) => {
                    let first = self.queued[&self.stream_of[&op]].first();
                    assert_eq!(first, Some(&op), "it is not its turn");
                    assert!(self.running.insert(op), "{op} started twice");
                }
                DeviceMove::Finished(op) => {
                    // A reset ends what never started.
                    self.running.remove(&op);
                    let queued = self.queued.get_mut(&self.stream_of[&op]).expect("it was queued");
                    assert_eq!(queued.first(), Some(&op), "{op} finished out of turn");
                    queued.remove(0);
                }
                other => panic!("nobody asked for {other:?}"),
            }
        }
    }
    fn finish(mut self) -> (u64, usize, Vec<String>) {
        self.bench.model.run_until_idle();
        self.moves_are_right();
        assert!(self.queued.values().all(Vec::is_empty), "something never ran");
        let counts = self.bench.model.counts();
        assert_eq!(counts.live as usize, self.bench.model.streams.len());
        let crashes = self.bench.model.crashes().to_vec();
        (self.bench.model.now().count(), self.bench.model.footprint(), crashes)
    }
}

#[test]
fn random_calls() {
    let mut crashes = BTreeMap::new();
    for &profile in P::ALL {
        for seed in 0..SEEDS {
            let whole = |seed| {
                let mut run = Run::new(profile, seed);
                for _ in 0..STEPS {
                    run.step();
                }
                run.finish()
            };
            println!("{profile}, seed {seed}");
            let ended = whole(seed);
            assert_eq!(ended, whole(seed), "the same seed, the same run");
            *crashes.entry(profile.to_string()).or_insert(0) += ended.2.len();
        }
    }
    // The calls are wild enough to crash what crashes.
    assert!(crashes.values().all(|&count| count > 0), "{crashes:?}");
}
