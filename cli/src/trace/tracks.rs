//! Which track what was told belongs to.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use serde_json::{Map, Value};

use super::{
    chrome::{Event, Local, Phase},
    told::Told,
};

/// Between two moments at the same virtual time, so that they can be told apart: 1 ns.
const APART_US: f64 = 0.001;

/// The tracks of one run.
#[derive(Debug)]
pub(super) struct Tracks {
    process: u32,
    events: Vec<Event>,
    /// Events that are still taken, and those that were not.
    left: u32,
    left_out: u64,
    names: Vec<String>,
    last_us: f64,
    /// Uses whose end was not told, by queue and generation: each has an identity of its own.
    uses: HashMap<Lane, BTreeMap<u64, Open>>,
    next_use: u64,
    /// How a stream is held, and since when.
    streams: HashMap<u64, Held>,
}
/// A queue and its generation.
type Lane = (u64, u64);
/// A use that began: its identity and its name.
type Open = (u64, Cow<'static, str>);

#[derive(Clone, Copy, Debug)]
struct Held {
    how: How,
    generation: u64,
    since_us: f64,
}
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    Leased,
    Draining,
}

impl Tracks {
    pub(super) fn new(process: u32, most: u32) -> Self {
        Self {
            process,
            events: Vec::new(),
            left: most,
            left_out: 0,
            names: Vec::new(),
            last_us: 0.0,
            uses: HashMap::new(),
            next_use: 0,
            streams: HashMap::new(),
        }
    }
    /// Something was told.
    pub(super) fn tell(&mut self, target: &str, name: &'static str, told: Told, now: Duration) {
        let at = self.moment(now);
        if self.left == 0 {
            self.left_out += 1;
            return;
        }
        self.left -= 1;
        if target == "ringfence::signals" {
            self.signals(name, told, at);
        } else {
            self.streams(name, told, at);
        }
    }
    /// Something went on from the moment `begun` to now.
    pub(super) fn went_on(&mut self, name: &'static str, told: Told, begun: f64, now: Duration) {
        if self.left == 0 {
            self.left_out += 1;
            return;
        }
        self.left -= 1;
        let track = match name {
            "pump" => self.pool(),
            _ => self.track("host".to_owned()),
        };
        let end = self.moment(now);
        self.lasted(track, name.into(), begun, end, told.fields);
    }

    fn signals(&mut self, name: &'static str, told: Told, at: f64) {
        let ring = told.number("ring").unwrap_or_default();
        let lane = (
            told.number("queue").unwrap_or_default(),
            told.number("generation").unwrap_or_default(),
        );
        let packet = told.number("packet").unwrap_or_default();
        match name {
            "submitted" if told.says("signal") => {
                let what = if told.says("fence") { "fence use" } else { "use" };
                self.begin_use(lane, packet, what, told, at);
            }
            "copied" => self.begin_use(lane, packet, "copy", told, at),
            "submitted" => {
                let queue = self.queue(lane);
                self.moment_on(queue, "packet".into(), at, told.fields);
            }
            "proven" => {
                let all = self.uses.entry(lane).or_default();
                let before = all.len();
                let later = all.split_off(&(packet + 1));
                let proven = std::mem::replace(all, later);
                let after = self.uses[&lane].len();
                let name = format!("q{}.g{} in flight", lane.0, lane.1);
                self.counted(name.clone(), "uses", before, at - APART_US / 2.0);
                self.counted(name, "uses", after, at);
                for (_, (id, what)) in proven {
                    self.end_use(id, what, Map::new(), at);
                }
                let queue = self.queue(lane);
                self.moment_on(queue, format!("proven up to #{packet}").into(), at, told.fields);
            }
            "retired" => {
                let open = self.uses.get_mut(&lane).and_then(|all| all.remove(&packet));
                if let Some((id, what)) = open {
                    self.end_use(id, what, told.fields, at);
                }
            }
            name => {
                let track = self.track(format!("ring r{ring}"));
                self.moment_on(track, name.into(), at, told.fields);
            }
        }
    }
    fn begin_use(&mut self, lane: Lane, packet: u64, what: &str, told: Told, at: f64) {
        let (queue, generation) = lane;
        // Perfetto puts what has one name on one track, however much overlaps.
        let name: Cow<'static, str> = format!("q{queue}.g{generation} {what}").into();
        let id = self.next_use;
        self.next_use += 1;
        self.uses.entry(lane).or_default().insert(packet, (id, name.clone()));
        self.asynchronous(Phase::Begin, id, name, told.fields, at);
    }
    fn end_use(&mut self, id: u64, name: Cow<'static, str>, args: Map<String, Value>, at: f64) {
        self.asynchronous(Phase::End, id, name, args, at);
    }
    fn asynchronous(
        &mut self,
        phase: Phase,
        id: u64,
        name: Cow<'static, str>,
        args: Map<String, Value>,
        at: f64,
    ) {
        let id2 = Some(Local { local: format!("{id:#x}") });
        let event = self.event(phase, 0, name, at);
        self.push(Event { cat: Some("use"), id2, args, ..event });
    }

    fn streams(&mut self, name: &'static str, told: Told, at: f64) {
        let Some(stream) = told.number("stream") else {
            let track = self.pool();
            return self.moment_on(track, name.into(), at, told.fields);
        };
        let generation = told.number("generation").unwrap_or_default();
        match name {
            "leased" => {
                self.hold_ends(stream, at);
                let held = Held { how: How::Leased, generation, since_us: at };
                self.streams.insert(stream, held);
                self.streams_changed(at);
            }
            "returned" => {
                self.hold_ends(stream, at);
                let held = Held { how: How::Draining, generation, since_us: at };
                self.streams.insert(stream, held);
                self.streams_changed(at);
            }
            "drained" | "destroyed" => {
                self.hold_ends(stream, at);
                self.streams_changed(at);
                if name == "destroyed" {
                    let track = self.stream(stream);
                    self.moment_on(track, name.into(), at, told.fields);
                }
            }
            name => {
                let track = self.stream(stream);
                self.moment_on(track, name.into(), at, told.fields);
            }
        }
    }
    /// How many streams are held, and how, after a change.
    fn streams_changed(&mut self, at: f64) {
        for (how, name) in [(How::Leased, "leased"), (How::Draining, "draining")] {
            let count = self.streams.values().filter(|held| held.how == how).count();
            self.counted(format!("streams {name}"), "streams", count, at);
        }
    }
    fn hold_ends(&mut self, stream: u64, at: f64) {
        let Some(held) = self.streams.remove(&stream) else { return };
        let track = self.stream(stream);
        let name = match held.how {
            How::Leased => format!("lease s{stream}#{}", held.generation),
            How::Draining => "draining".to_owned(),
        };
        self.lasted(track, name.into(), held.since_us, at, Map::new());
    }

    fn queue(&mut self, (queue, generation): Lane) -> u32 {
        self.track(format!("queue q{queue}.g{generation}"))
    }
    fn stream(&mut self, stream: u64) -> u32 {
        self.track(format!("stream s{stream}"))
    }
    fn pool(&mut self) -> u32 {
        self.track("pool".to_owned())
    }
    /// The number of a track, from 1.
    fn track(&mut self, name: String) -> u32 {
        let found = self.names.iter().position(|known| *known == name);
        let at = found.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        u32::try_from(at + 1).expect("fewer than 2^32 tracks")
    }
    /// When something is told, in µs. Virtual time may stand still while much is told.
    pub(super) fn moment(&mut self, now: Duration) -> f64 {
        self.last_us = (now.as_secs_f64() * 1e6).max(self.last_us + APART_US);
        self.last_us
    }
    fn event(&self, ph: Phase, tid: u32, name: Cow<'static, str>, ts: f64) -> Event {
        let (pid, args) = (self.process, Map::new());
        Event { name, ph, pid, tid, ts, dur: None, cat: None, id2: None, s: None, args }
    }
    fn moment_on(
        &mut self,
        track: u32,
        name: Cow<'static, str>,
        at: f64,
        args: Map<String, Value>,
    ) {
        let event = self.event(Phase::Instant, track, name, at);
        self.push(Event { s: Some("t"), args, ..event });
    }
    fn lasted(
        &mut self,
        track: u32,
        name: Cow<'static, str>,
        from: f64,
        to: f64,
        args: Map<String, Value>,
    ) {
        let event = self.event(Phase::Complete, track, name, from);
        self.push(Event { dur: Some((to - from).max(0.0)), args, ..event });
    }
    fn counted(&mut self, name: String, what: &str, count: usize, at: f64) {
        let mut args = Map::new();
        args.insert(what.to_owned(), count.into());
        let event = self.event(Phase::Counter, 0, name.into(), at);
        self.push(Event { args, ..event });
    }
    fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    /// All events, with the names of the tracks. What goes on ends now.
    pub(super) fn finish(&mut self, name: &str, now: Duration) -> Vec<Event> {
        let at = self.moment(now);
        let open: Vec<_> = self.uses.drain().flat_map(|(_, all)| all.into_values()).collect();
        for (id, what) in open {
            self.end_use(id, what, Map::new(), at);
        }
        let held: Vec<_> = self.streams.keys().copied().collect();
        for stream in held {
            self.hold_ends(stream, at);
        }
        let mut name = name.to_owned();
        if self.left_out > 0 {
            name += &format!(" (the first events; {} more were left out)", self.left_out);
        }
        let named = |event: Event, name: &str| {
            let mut args = Map::new();
            args.insert("name".to_owned(), name.into());
            Event { args, ..event }
        };
        let process = self.event(Phase::Metadata, 0, "process_name".into(), 0.0);
        let mut order = self.event(Phase::Metadata, 0, "process_sort_index".into(), 0.0);
        order.args.insert("sort_index".to_owned(), self.process.into());
        let mut events = vec![named(process, &name), order];
        for (tid, track) in (1..).zip(&self.names) {
            let thread = self.event(Phase::Metadata, tid, "thread_name".into(), 0.0);
            events.push(named(thread, track));
        }
        events.append(&mut self.events);
        events
    }
}
