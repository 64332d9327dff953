//! Steps of leases and futures.

use super::reader::{Inside, LEASE, Reader};
use crate::{
    scenario::{StepPlace, scope::NameKind},
    streams::scenario::{Acquire, Manner, Presence, Spawn, StreamAction},
};

/// The step with this verb.
pub(super) fn lease(
    verb: &str,
    r: &mut Reader<'_, '_>,
    inner: &mut Vec<StepPlace>,
) -> Option<StreamAction> {
    const FUTURE: &[NameKind] = &[NameKind::Future];
    Some(match verb {
        "acquire" => StreamAction::Acquire(acquire("acquire", r, inner)?),
        "reserve" => StreamAction::Acquire(acquire("reserve", r, inner)?),
        "switch" => {
            let stream = r.define("switch", NameKind::Lease);
            let task = r.free_name("task");
            let task = r.fields.required("task", task, r.faults);
            let place = r.place();
            StreamAction::Switch { stream: stream?, task: task?, place }
        }
        "own" => {
            let stream = r.define("own", NameKind::Lease);
            let owner = r.free_name("owner");
            let owner = r.fields.required("owner", owner, r.faults);
            let place = r.place();
            StreamAction::Own { stream: stream?, owner: owner?, place }
        }
        "over" => StreamAction::Over(r.free_name("over")?),
        "release" => StreamAction::Release(r.known_list("release", LEASE, 1)?),
        "end" => StreamAction::End(r.free_name("end")?),
        "forget" => StreamAction::Forget(r.known("forget", &[NameKind::Lease, NameKind::Future])?),
        "drop" => StreamAction::Drop(r.known("drop", &[NameKind::Future, NameKind::Participant])?),
        "copy" => {
            let (future, on) = (r.define("copy", NameKind::Future), r.known("on", LEASE));
            let ticks = r.ticks("ticks");
            StreamAction::Copy { future: future?, on: on?, ticks }
        }
        "spawn" => spawn(r)?,
        "poll" => StreamAction::Poll(r.known("poll", FUTURE)?),
        "peek" => {
            let is = r.fields.word::<Presence>("peek", r.faults);
            let place = r.place();
            StreamAction::Peek { is: is?, place }
        }
        other => unreachable!("the verb {other} is listed and has no reader"),
    })
}

fn acquire(
    verb: &'static str,
    r: &mut Reader<'_, '_>,
    inner: &mut Vec<StepPlace>,
) -> Option<Acquire> {
    let leases = r.define_list(verb, NameKind::Lease);
    let times = r.fields.count("times", 1..=100_000, r.faults).unwrap_or(1);
    let task = r.free_name("task");
    let place = r.place();
    let manner = match verb {
        "reserve" => Manner::Reserved,
        _ => match r.fields.flag("existing", r.faults) {
            Some(true) => Manner::Existing,
            Some(false) | None => Manner::Any,
        },
    };
    let during = r.steps("while_creating", Inside::Nothing);
    let (while_creating, places) = during.unwrap_or_default();
    *inner = places;
    let leases = leases?;
    if times > 1 && leases.len() > 1 {
        let span = r.fields.has("times").unwrap_or(r.fields.span());
        r.faults.add(span, "`times` goes with one name", "several names", None);
    }
    Some(Acquire { leases, times, task, place, manner, while_creating })
}

fn spawn(r: &mut Reader<'_, '_>) -> Option<StreamAction> {
    let future = r.define("spawn", NameKind::Future);
    let what = if r.fields.has("finished").is_some() {
        Spawn::Finished { work: r.known("finished", &[NameKind::Work])? }
    } else {
        let lease = r.define("acquire", NameKind::Lease);
        let task = r.free_name("task");
        let place = r.place();
        Spawn::Acquire { lease: lease?, task, place }
    };
    Some(StreamAction::Spawn { future: future?, what })
}
