//! Steps: the first key of each is its verb.

use std::ops::Range;

use ringfence::{event::EventKind, id::Barrier};
use toml::de::{DeTable, DeValue};

use super::{StepPlace, expect, machine, rule};
use crate::{
    chooser::Look,
    scenario::{
        Action, By, CopyParts, ErrorKind, Graph, Kind, Name, Signal, Step, Submit, Timing,
        fields::{At, Fields, number},
        problem::Faults,
        scope::{NameKind, Scope},
        word::nearest,
    },
};

/// Every verb.
pub(super) const VERBS: &[&str] = &[
    "submit",
    "graph",
    "copy",
    "record",
    "snapshot",
    "wait",
    "query",
    "sync",
    "elapsed",
    "destroy",
    "reclaim",
    "probe",
    "drain",
    "switch",
    "share",
    "close",
    "handler",
    "deliver",
    "force",
    "start",
    "finish",
    "read_index",
    "run",
    "foreign",
    "restart",
    "profiler",
    "fail",
    "steady",
    "count_from",
    "repeat",
    "expect",
];
/// What the device completes for a use is found by the use's name or by its event's.
pub(super) const USE_OR_EVENT: &[NameKind] = &[NameKind::Use, NameKind::Event];

/// What a step's reader needs.
pub(super) struct Reader<'a, 'f> {
    pub(super) fields: Fields<'a>,
    pub(super) scope: &'f mut Scope,
    pub(super) faults: &'f mut Faults,
}
impl Reader<'_, '_> {
    /// A name under `key` that must be known as one of `kinds`.
    pub(super) fn known(&mut self, key: &'static str, kinds: &[NameKind]) -> Option<Name> {
        self.scope.known(&mut self.fields, key, kinds, self.faults)
    }
    /// Such a name, or the first of the set-up's when the key is left out.
    pub(super) fn known_or(
        &mut self,
        key: &'static str,
        kind: NameKind,
        default: &str,
    ) -> Option<Name> {
        if self.fields.has(key).is_none() {
            let _ = self.fields.raw(key);
            return Some(Name::new(default));
        }
        self.known(key, &[kind])
    }
    /// Names under `key`, at least `least`, that must all be known.
    pub(super) fn known_list(
        &mut self,
        key: &'static str,
        kinds: &[NameKind],
        least: usize,
    ) -> Option<Vec<Name>> {
        self.scope.known_list(&mut self.fields, key, kinds, least, self.faults)
    }
    /// Events that are waited for; none when the key is left out.
    fn waits(&mut self) -> Vec<Name> {
        if self.fields.has("waits").is_none() {
            let _ = self.fields.raw("waits");
            return Vec::new();
        }
        self.known_list("waits", &[NameKind::Event], 0).unwrap_or_default()
    }
    /// A name that this step defines.
    pub(super) fn define(&mut self, key: &'static str, kind: NameKind) -> Option<Name> {
        let at = self.fields.name(key, self.faults);
        let at = self.fields.required(key, at, self.faults)?;
        self.scope.define(&at.value, kind, at.span, self.faults);
        Some(at.value)
    }
    fn event(&mut self) -> Option<Name> {
        let at = self.fields.name("event", self.faults)?;
        self.scope.define(&at.value, NameKind::Event, at.span, self.faults);
        Some(at.value)
    }
    pub(super) fn barrier(&mut self) -> Barrier {
        match self.fields.flag("barrier", self.faults) {
            Some(false) => Barrier::Clear,
            Some(true) | None => Barrier::Set,
        }
    }
    fn timing(&mut self) -> Timing {
        match self.fields.flag("timed", self.faults) {
            Some(true) => Timing::Wanted,
            Some(false) | None => Timing::NotWanted,
        }
    }
    fn stream(&mut self) -> Option<Name> {
        self.known("on", &[NameKind::Stream])
    }
}

/// Reads a list of steps and their places.
pub(super) fn steps(
    tables: Vec<At<&DeTable<'_>>>,
    scope: &mut Scope,
    faults: &mut Faults,
) -> (Vec<Step>, Vec<StepPlace>) {
    let mut read = (Vec::new(), Vec::new());
    for at in tables {
        if let Some((step, inner)) = step(at.value, at.span.clone(), scope, faults) {
            read.0.push(step);
            read.1.push(StepPlace { span: at.span, inner });
        }
    }
    read
}

fn step(
    table: &DeTable<'_>,
    span: Range<usize>,
    scope: &mut Scope,
    faults: &mut Faults,
) -> Option<(Step, Vec<StepPlace>)> {
    let mut fields = Fields::new("this step", table, span.clone());
    let Some(verb) = fields.first_key() else {
        faults.add(
            span,
            "a step needs a verb",
            "empty",
            Some(format!("verbs: {}", VERBS.join(", "))),
        );
        return None;
    };
    if !VERBS.contains(&verb.value) {
        let later = VERBS.iter().find(|known| fields.has(known).is_some());
        let help = match (nearest(verb.value, VERBS.iter().copied()), later) {
            (_, Some(later)) => format!("the verb comes first: move `{later}` to the front"),
            (Some(near), None) => format!("did you mean `{near}`?"),
            (None, None) => format!("verbs: {}", VERBS.join(", ")),
        };
        faults.add(
            verb.span,
            format!("`{}` is not a verb", verb.value),
            "unknown verb",
            Some(help),
        );
        return None;
    }
    let fails = fields.word::<ErrorKind>("error", faults);
    let rule = fields.text("rule", faults).and_then(|at| rule(&at, faults));
    let task = fields.name("task", faults).map(|at| at.value);
    // A fault has an `at` of its own.
    let at = match verb.value {
        "finish" | "read_index" | "run" => fields.count("at", 1..=1_000_000, faults),
        _ => None,
    };
    let mut reader = Reader { fields, scope, faults };
    let mut inner = Vec::new();
    let action = match verb.value {
        "submit" => submit(&mut reader),
        "graph" => graph(&mut reader),
        "copy" => copy(&mut reader),
        "repeat" => repeat(&mut reader, &mut inner),
        "expect" => expect::expect(&mut reader).map(Action::Expect),
        "start" | "finish" | "read_index" | "run" | "foreign" | "restart" | "profiler" | "fail" => {
            machine::machine(verb.value, &mut reader)
        }
        other => host(other, &mut reader),
    };
    reader.fields.finish(reader.faults);
    Some((Step { action: action?, fails, rule, task, at: at.map(Look::new) }, inner))
}

fn submit(r: &mut Reader<'_, '_>) -> Option<Action> {
    let name = r.define("submit", NameKind::Use);
    let on = r.stream();
    let kind = r.fields.word("kind", r.faults).unwrap_or(Kind::Kernel);
    let ticks = r.fields.count("ticks", 1..=u32::MAX, r.faults).unwrap_or(Submit::TICKS);
    let (barrier, timing) = (r.barrier(), r.timing());
    let role = r.fields.word("role", r.faults);
    let release = r.fields.word("release", r.faults);
    let event = r.event();
    let signal = match r.fields.flag("signal", r.faults) {
        Some(false) => Signal::No,
        Some(true) | None => Signal::Yes,
    };
    if let (Signal::No, Some(key)) =
        (signal, ["event", "role", "timed"].into_iter().find(|key| r.fields.has(key).is_some()))
    {
        let span = r.fields.has(key).unwrap_or(r.fields.span());
        let help = "leave out `signal = false`, or record an event after it".to_owned();
        r.faults.add(
            span,
            format!("a packet without a signal can have no `{key}`"),
            "needs a signal",
            Some(help),
        );
    }
    Some(Action::Submit(Submit {
        name: name?,
        on: on?,
        kind,
        barrier,
        signal,
        role,
        timing,
        ticks,
        release,
        event,
    }))
}

fn graph(r: &mut Reader<'_, '_>) -> Option<Action> {
    let packets = r.fields.count("graph", 1..=4096, r.faults);
    let on = r.stream();
    let (barrier, timing) = (r.barrier(), r.timing());
    let mut signals = Vec::new();
    if let Some(at) = r.fields.table("signals", r.faults) {
        let positions = Fields::new("the table of signals", at.value, at.span);
        for (key, value) in positions.entries() {
            let name = Name::new(key.value);
            r.scope.define(&name, NameKind::Use, key.span, r.faults);
            let last = u64::from(packets.unwrap_or(1)) - 1;
            if let Some(position) = number(key.value, &value, 0..=last, r.faults) {
                signals.push((u32::try_from(position.value).unwrap_or(0), name));
            }
        }
    }
    signals.sort();
    Some(Action::Graph(Graph { signals, on: on?, packets: packets?, barrier, timing }))
}

fn copy(r: &mut Reader<'_, '_>) -> Option<Action> {
    let waits = r.waits();
    let name = r.define("copy", NameKind::Use);
    let on = r.stream();
    let engine = r.known_or("engine", NameKind::Engine, "sdma0");
    if let Some(engine) = &engine {
        let span = r.fields.has("engine").unwrap_or(r.fields.span());
        if r.fields.has("engine").is_none() {
            r.scope.need(engine, &[NameKind::Engine], span, r.faults);
        }
    }
    let parts = r.fields.count("parts", 1..=64, r.faults).unwrap_or(1);
    let timing = r.timing();
    let event = r.event();
    Some(Action::Copy(CopyParts {
        name: name?,
        on: on?,
        engine: engine?,
        parts,
        waits,
        timing,
        event,
    }))
}

fn repeat(r: &mut Reader<'_, '_>, inner: &mut Vec<StepPlace>) -> Option<Action> {
    let times = r.fields.count("repeat", 1..=100_000, r.faults);
    let tables = r.fields.tables("steps", r.faults);
    let tables = r.fields.required("steps", tables, r.faults)?;
    let (steps, places) = steps(tables, r.scope, r.faults);
    *inner = places;
    Some(Action::Repeat { times: times?, steps })
}

/// A verb with one word that it always goes with.
fn fixed(verb: &'static str, word: &str, r: &mut Reader<'_, '_>) -> Option<()> {
    let at = r.fields.text(verb, r.faults)?;
    if at.value != word {
        let help = Some(format!("write `{verb} = \"{word}\"`"));
        r.faults.add(at.span, format!("`{verb}` goes with `{word}`"), "another word", help);
    }
    Some(())
}

/// All handlers that are due, or one of them.
fn deliver(r: &mut Reader<'_, '_>) -> Option<Action> {
    if let Some(At { value: DeValue::Integer(_), .. }) = r.fields.raw("deliver") {
        let nth = r.fields.count("deliver", 1..=4096, r.faults)?;
        return Some(Action::DeliverOne { nth });
    }
    fixed("deliver", "due", r)?;
    Some(Action::Deliver)
}

fn host(verb: &str, r: &mut Reader<'_, '_>) -> Option<Action> {
    const EVENT: &[NameKind] = &[NameKind::Event];
    const STREAM: &[NameKind] = &[NameKind::Stream];
    const QUEUE: &[NameKind] = &[NameKind::Queue];
    Some(match verb {
        "record" => {
            let (event, on) = (r.define("record", NameKind::Event), r.stream());
            let kind = r.fields.word("kind", r.faults).unwrap_or(EventKind::Plain);
            Action::Record { event: event?, on: on?, kind, timing: r.timing() }
        }
        "snapshot" => {
            let of = r.known("of", EVENT);
            Action::Snapshot { name: r.define("snapshot", NameKind::Event)?, of: of? }
        }
        "wait" => {
            let (events, on) = (r.known_list("wait", EVENT, 1), r.stream());
            let by = r.fields.word("by", r.faults).unwrap_or(By::And);
            let packet = r.fields.name("packet", r.faults).map(|at| {
                r.scope.define(&at.value, NameKind::Use, at.span, r.faults);
                at.value
            });
            Action::Wait { on: on?, events: events?, by, packet }
        }
        "query" => Action::Query { of: r.known("query", USE_OR_EVENT)? },
        "sync" => {
            let name = r.known("sync", &[NameKind::Event, NameKind::Stream])?;
            match r.scope.kind(&name) {
                Some(NameKind::Stream) => Action::SyncStream { stream: name },
                _ => Action::SyncEvent { event: name },
            }
        }
        "elapsed" => {
            let events = r.known_list("elapsed", EVENT, 2)?;
            let [from, to] = <[Name; 2]>::try_from(events).ok()?;
            Action::Elapsed { from, to }
        }
        "destroy" => Action::Destroy { event: r.known("destroy", EVENT)? },
        "reclaim" => {
            let on = r.known("reclaim", STREAM);
            match r.fields.count("steps", 1..=64, r.faults) {
                Some(steps) => Action::Search { on: on?, steps },
                None => Action::Reclaim { on: on? },
            }
        }
        "probe" => Action::Probe { on: r.known("probe", STREAM)? },
        "drain" => Action::Drain { on: r.known("drain", STREAM)? },
        "switch" => {
            let (on, to) = (r.known("switch", STREAM), r.known("to", QUEUE));
            Action::Switch { on: on?, to: to? }
        }
        "share" => {
            let (stream, on) = (r.define("share", NameKind::Stream), r.known("on", QUEUE));
            Action::Share { stream: stream?, on: on? }
        }
        "close" => Action::Close { stream: r.known("close", STREAM)? },
        "handler" => Action::Handler { event: r.known("handler", EVENT)? },
        "force" => Action::Force { event: r.known("force", EVENT)? },
        "steady" => Action::Steady(r.fields.word("steady", r.faults)?),
        "count_from" => {
            fixed("count_from", "here", r)?;
            Action::CountFrom
        }
        "deliver" => deliver(r)?,
        other => unreachable!("the verb {other} is listed and has no reader"),
    })
}
