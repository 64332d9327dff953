//! Steps: the first key of each is its verb.

use std::ops::Range;

use ringfence::stream::Access;
use toml::de::DeTable;

use super::{
    captures, expect, fault, leases,
    reader::{Bounds, Inside, LEASE, Reader},
    rule,
};
use crate::{
    clock::Ticks,
    scenario::{
        StepPlace,
        fields::{At, Fields},
        problem::Faults,
        scope::{NameKind, Scope},
        word::nearest,
    },
    streams::{
        op::RunTime,
        scenario::{Run, StreamAction, StreamErrorKind, StreamStep, Through},
    },
};

/// Every verb.
pub(super) const VERBS: &[&str] = &[
    "acquire",
    "reserve",
    "switch",
    "own",
    "over",
    "release",
    "end",
    "forget",
    "drop",
    "run",
    "use",
    "read",
    "copy",
    "spawn",
    "poll",
    "tick",
    "finish",
    "alloc",
    "free",
    "expose",
    "disown",
    "capture",
    "pin",
    "fork",
    "join",
    "participant",
    "begin_capture",
    "end_capture",
    "launch",
    "drop_graph",
    "query",
    "record",
    "wait",
    "create",
    "destroy",
    "wrap",
    "unwrap",
    "sync",
    "peek",
    "pump",
    "trim",
    "reset",
    "shutdown",
    "process",
    "fail",
    "count_from",
    "repeat",
    "expect",
];

/// Reads a list of steps and their places.
pub(super) fn steps(
    tables: Vec<At<&DeTable<'_>>>,
    bounds: Bounds,
    scope: &mut Scope,
    faults: &mut Faults,
) -> (Vec<StreamStep>, Vec<StepPlace>) {
    let mut read = (Vec::new(), Vec::new());
    for at in tables {
        if let Some((step, inner)) = step(at.value, at.span.clone(), bounds, scope, faults) {
            read.0.push(step);
            read.1.push(StepPlace { span: at.span, inner });
        }
    }
    read
}

fn step(
    table: &DeTable<'_>,
    span: Range<usize>,
    bounds: Bounds,
    scope: &mut Scope,
    faults: &mut Faults,
) -> Option<(StreamStep, Vec<StepPlace>)> {
    let mut fields = Fields::new("this step", table, span.clone());
    let Some(verb) = fields.first_key() else {
        let help = Some(format!("verbs: {}", VERBS.join(", ")));
        faults.add(span, "a step needs a verb", "empty", help);
        return None;
    };
    if !VERBS.contains(&verb.value) {
        let later = VERBS.iter().find(|known| fields.has(known).is_some());
        let help = match (nearest(verb.value, VERBS.iter().copied()), later) {
            (_, Some(later)) => format!("the verb comes first: move `{later}` to the front"),
            (Some(near), None) => format!("did you mean `{near}`?"),
            (None, None) => format!("verbs: {}", VERBS.join(", ")),
        };
        let message = format!("`{}` is not a verb of streams", verb.value);
        faults.add(verb.span, message, "unknown verb", Some(help));
        return None;
    }
    let fails = fields.word::<StreamErrorKind>("error", faults);
    let rule = fields.text("rule", faults).and_then(|at| rule(&at, faults));
    let thread = fields.name("thread", faults).map(|at| at.value);
    let mut reader = Reader { fields, bounds, scope, faults };
    let mut inner = Vec::new();
    let action = match verb.value {
        "acquire" | "reserve" | "switch" | "own" | "over" | "release" | "end" | "forget"
        | "drop" | "copy" | "spawn" | "poll" | "peek" => {
            leases::lease(verb.value, &mut reader, &mut inner)
        }
        "capture" | "pin" | "fork" | "join" | "participant" | "begin_capture" | "end_capture"
        | "launch" | "drop_graph" => captures::capture(verb.value, &mut reader, &mut inner),
        "query" | "record" | "wait" | "create" | "destroy" | "wrap" | "unwrap" => {
            captures::users(verb.value, &mut reader)
        }
        "repeat" => {
            let times = reader.fields.count("repeat", 1..=100_000, reader.faults);
            let inside = reader.bounds.inside;
            let steps = reader.steps("steps", inside);
            let steps = reader.fields.required("steps", steps, reader.faults);
            steps.and_then(|(steps, places)| {
                inner = places;
                Some(StreamAction::Repeat { times: times?, steps })
            })
        }
        "expect" => expect::expect(&mut reader).map(StreamAction::Expect),
        "fail" => fault::fault(&mut reader).map(StreamAction::Fail),
        other => plain(other, &mut reader),
    };
    reader.fields.finish(reader.faults);
    Some((StreamStep { action: action?, thread, fails, rule }, inner))
}

fn plain(verb: &str, r: &mut Reader<'_, '_>) -> Option<StreamAction> {
    Some(match verb {
        "run" => StreamAction::Run(run(r)?),
        "use" => touch("use", Access::Write, r)?,
        "read" => touch("read", Access::Read, r)?,
        "tick" => tick(r)?,
        "finish" => StreamAction::Finish(r.known("finish", LEASE)?),
        "alloc" => {
            let (memory, on) = (r.define("alloc", NameKind::Memory), r.known("on", LEASE));
            StreamAction::Alloc { memory: memory?, on: on? }
        }
        "free" => StreamAction::Free(r.known("free", &[NameKind::Memory])?),
        "expose" => StreamAction::Expose(r.known("expose", LEASE)?),
        "disown" => StreamAction::Disown(r.known("disown", LEASE)?),
        "sync" => {
            let of = r.known("sync", &[NameKind::Memory, NameKind::Work]);
            let limit = r.fields.count("limit", 0..=u32::MAX, r.faults);
            StreamAction::Sync { of: of?, limit: limit.unwrap_or(1_000_000) }
        }
        "pump" => {
            r.fixed("pump", "now")?;
            StreamAction::Pump
        }
        "trim" => {
            r.fixed("trim", "now")?;
            StreamAction::Trim
        }
        "reset" => {
            let last = r.bounds.devices - 1;
            StreamAction::Reset(r.fields.count("reset", 0..=last, r.faults)?)
        }
        "shutdown" => {
            r.fixed("shutdown", "now")?;
            let mut leaks = |key| r.fields.count(key, 0..=u32::MAX, r.faults).unwrap_or_default();
            let (streams, memory, buffers) = (leaks("streams"), leaks("memory"), leaks("buffers"));
            StreamAction::ShutDown(crate::streams::scenario::Leaks { streams, memory, buffers })
        }
        "process" => StreamAction::Process(r.fields.word("process", r.faults)?),
        "count_from" => {
            r.fixed("count_from", "here")?;
            StreamAction::CountFrom
        }
        other => unreachable!("the verb {other} is listed and has no reader"),
    })
}

fn run(r: &mut Reader<'_, '_>) -> Option<Run> {
    use toml::de::DeValue;
    let at = r.fields.raw("run")?;
    let time = match at.value {
        DeValue::String(word) if word == "endless" => Some(RunTime::Endless),
        DeValue::Integer(_) => {
            let ticks = crate::scenario::fields::number("run", &at, 0..=1_000_000_000, r.faults);
            ticks.map(|at| RunTime::Ticks(Ticks::new(at.value)))
        }
        other => {
            let wanted = "`endless` or a number of ticks";
            crate::scenario::fields::wrong_type("run", wanted, other, at.span, r.faults);
            None
        }
    };
    const ON: &[NameKind] = &[NameKind::Lease, NameKind::Handle, NameKind::Participant];
    let on = r.known_list("on", ON, 1);
    let (reads, writes) = (r.memory("reads"), r.memory("writes"));
    let name = r.named(NameKind::Work);
    let through = match r.fields.flag("raw", r.faults) {
        Some(true) => Through::Handle,
        Some(false) | None => Through::Pool,
    };
    Some(Run { time: time?, on: on?, reads, writes, name, through })
}

fn touch(verb: &'static str, access: Access, r: &mut Reader<'_, '_>) -> Option<StreamAction> {
    let (memory, on) = (r.known(verb, &[NameKind::Memory]), r.known("on", LEASE));
    let (ticks, name) = (r.ticks("ticks"), r.named(NameKind::Work));
    Some(StreamAction::Use { memory: memory?, access, on: on?, ticks, name })
}

fn tick(r: &mut Reader<'_, '_>) -> Option<StreamAction> {
    use toml::de::DeValue;
    let at = r.fields.raw("tick")?;
    match at.value {
        DeValue::String(word) if word == "idle" => Some(StreamAction::TickIdle),
        DeValue::Integer(_) => {
            let ticks = crate::scenario::fields::number("tick", &at, 0..=1_000_000_000, r.faults);
            Some(StreamAction::Tick(Ticks::new(ticks?.value)))
        }
        other => {
            let wanted = "`idle` or a number of ticks";
            crate::scenario::fields::wrong_type("tick", wanted, other, at.span, r.faults);
            None
        }
    }
}

/// A step that only has a meaning inside a capture.
pub(super) fn inside_only(verb: &'static str, r: &mut Reader<'_, '_>) {
    if r.bounds.inside == Inside::Nothing {
        let span = r.fields.has(verb).unwrap_or(r.fields.span());
        let help = "put it into the `steps` of a `capture`".to_owned();
        let message = format!("`{verb}` stands outside a capture");
        r.faults.add(span, message, "no capture here", Some(help));
    }
}
