//! What the lock guards: the model, the oracle and the trace.

use std::{
    collections::{HashMap, VecDeque},
    fmt, thread,
};

use super::{
    super::{
        counts::CallKind,
        model::Model,
        oracle::StreamOracle,
        seen::{Call, Circumstance, Declaration, Seen, ThreadId},
    },
    StreamSettings, Watch, threads,
};

/// The first number of OS threads that were given no name.
const UNNAMED: u32 = 1_000;

/// A line of the trace, not yet text.
enum Line {
    Seen(Seen),
    Other(String),
}

pub(super) struct Inner {
    pub(super) model: Model,
    pub(super) oracle: Option<StreamOracle>,
    trace: VecDeque<Line>,
    kept: usize,
    os_threads: HashMap<thread::ThreadId, ThreadId>,
    /// Which driver of the process this is.
    number: u64,
}

impl Inner {
    pub(super) fn new(settings: StreamSettings) -> Self {
        let mut model = Model::new(settings.profile);
        if let Some(queues) = settings.queues {
            model.set_queues(queues);
        }
        let oracle = match settings.watch {
            Watch::On => Some(StreamOracle::new()),
            Watch::Off => None,
        };
        let (trace, os_threads) = (VecDeque::new(), HashMap::new());
        Self { model, oracle, trace, kept: settings.trace, os_threads, number: threads::number() }
    }
    /// The logical thread that calls.
    pub(super) fn thread(&mut self) -> ThreadId {
        if let Some(thread) = threads::calling().or_else(|| threads::known(self.number)) {
            return thread;
        }
        let next = UNNAMED + u32::try_from(self.os_threads.len()).unwrap_or(u32::MAX - UNNAMED);
        let known = self.os_threads.entry(thread::current().id()).or_insert(ThreadId::new(next));
        threads::remember(self.number, *known);
        *known
    }
    /// What happens at every call: what the device did during it, the call, and what starts then.
    pub(super) fn called(&mut self, how: Circumstance, call: Call) -> Option<Call> {
        let seen = Seen::Call(how, call);
        self.drain();
        self.see(&seen);
        self.moved();
        match seen {
            Seen::Call(_, call) => Some(call),
            _ => None,
        }
    }
    /// Lets the device go on, and shows what it did.
    pub(super) fn moved(&mut self) {
        self.model.settle();
        self.drain();
    }
    fn drain(&mut self) {
        for one in self.model.take_moves() {
            self.see(&Seen::Device(one));
        }
    }
    pub(super) fn declare(&mut self, said: Declaration) {
        let thread = self.thread();
        let said = match said {
            wrapped @ Declaration::On { .. } => wrapped,
            plain => Declaration::On { thread, said: Box::new(plain) },
        };
        self.drain();
        self.see(&Seen::Host(said));
    }
    fn see(&mut self, seen: &Seen) {
        if let Some(oracle) = &mut self.oracle {
            oracle.see(seen);
        }
        if self.kept > 0 {
            self.keep(Line::Seen(seen.clone()));
        }
    }
    /// A call that the oracle does not see, and what it brought about.
    pub(super) fn unseen(&mut self, by: ThreadId, kind: CallKind, answer: &dyn fmt::Debug) {
        self.drain();
        if self.kept > 0 {
            self.keep(Line::Other(format!("{by}: {kind:?}: {answer:?}")));
        }
        self.moved();
    }
    fn keep(&mut self, line: Line) {
        if self.trace.len() == self.kept {
            self.trace.pop_front();
        }
        self.trace.push_back(line);
    }
    /// The last `count` happenings as text, the oldest first.
    pub(super) fn trace(&self, count: usize) -> Vec<String> {
        let skip = self.trace.len().saturating_sub(count);
        self.trace.iter().skip(skip).map(line).collect()
    }
}

fn line(line: &Line) -> String {
    let seen = match line {
        Line::Seen(seen) => seen,
        Line::Other(text) => return text.clone(),
    };
    match seen {
        Seen::Call(how, call) => {
            let mode = how.mode;
            format!("{} ({:?}, {mode:?}): {call:?}", how.thread, how.caller)
        }
        Seen::Device(one) => format!("  device: {one:?}"),
        Seen::Host(said) => format!("    ({said:?})"),
    }
}
