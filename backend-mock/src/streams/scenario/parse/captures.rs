//! Steps of captures, and what users do past the pool.

use super::{
    reader::{Inside, LEASE, Reader, STREAM},
    steps::inside_only,
};
use crate::{
    scenario::{StepPlace, scope::NameKind},
    streams::scenario::{Capture, Ending, StreamAction},
};

/// The step with this verb.
pub(super) fn capture(
    verb: &str,
    r: &mut Reader<'_, '_>,
    inner: &mut Vec<StepPlace>,
) -> Option<StreamAction> {
    const GRAPH: &[NameKind] = &[NameKind::Graph];
    Some(match verb {
        "capture" => {
            let (graph, on) = (r.define("capture", NameKind::Graph), r.known("on", LEASE));
            let mode = r.fields.word("mode", r.faults).unwrap_or_default();
            let ends = match r.fields.flag("panic", r.faults) {
                Some(true) => Ending::Panics,
                Some(false) | None => Ending::Returns,
            };
            let (steps, places) = r.steps("steps", Inside::Capture).unwrap_or_default();
            *inner = places;
            StreamAction::Capture(Capture { graph: graph?, on: on?, mode, ends, steps })
        }
        "pin" => {
            inside_only("pin", r);
            StreamAction::Pin(r.known("pin", &[NameKind::Memory])?)
        }
        "fork" => {
            inside_only("fork", r);
            StreamAction::Fork(r.known("fork", LEASE)?)
        }
        "join" => {
            inside_only("join", r);
            StreamAction::Join(r.known("join", LEASE)?)
        }
        "participant" => {
            inside_only("participant", r);
            StreamAction::Participant(r.define("participant", NameKind::Participant)?)
        }
        "begin_capture" => {
            let on = r.known("begin_capture", STREAM);
            let mode = r.fields.word("mode", r.faults).unwrap_or_default();
            StreamAction::BeginCapture { on: on?, mode }
        }
        "end_capture" => {
            let (graph, on) = (r.define("end_capture", NameKind::Graph), r.known("on", STREAM));
            StreamAction::EndCapture { graph: graph?, on: on? }
        }
        "launch" => {
            let (graph, on) = (r.known("launch", GRAPH), r.known("on", STREAM));
            let name = r.named(NameKind::Work);
            StreamAction::Launch { graph: graph?, on: on?, name }
        }
        "drop_graph" => StreamAction::DropGraph(r.known("drop_graph", GRAPH)?),
        other => unreachable!("the verb {other} is listed and has no reader"),
    })
}

/// What the user does past the pool.
pub(super) fn users(verb: &str, r: &mut Reader<'_, '_>) -> Option<StreamAction> {
    const ASKED: &[NameKind] = &[NameKind::Lease, NameKind::Handle, NameKind::Event];
    const EVENT: &[NameKind] = &[NameKind::Event];
    Some(match verb {
        "query" => StreamAction::Query(r.known("query", ASKED)?),
        "record" => {
            let (event, on) = (r.define("record", NameKind::Event), r.known("on", STREAM));
            StreamAction::Record { event: event?, on: on? }
        }
        "wait" => {
            let (event, on) = (r.known("wait", EVENT), r.known("on", STREAM));
            StreamAction::Wait { event: event?, on: on? }
        }
        "create" => {
            let handle = r.define("create", NameKind::Handle);
            let place = r.place();
            StreamAction::Create { handle: handle?, place }
        }
        "destroy" => StreamAction::Destroy(r.known("destroy", STREAM)?),
        "wrap" => {
            let wrapped = r.define("wrap", NameKind::Lease);
            let of = match r.fields.name("of", r.faults) {
                Some(at) if at.value.as_str() == "per_thread" => None,
                Some(at) => {
                    r.scope.need(&at.value, STREAM, at.span, r.faults);
                    Some(at.value)
                }
                None => {
                    r.fields.required::<()>("of", None, r.faults);
                    return None;
                }
            };
            StreamAction::Wrap { wrapped: wrapped?, of }
        }
        "unwrap" => StreamAction::Unwrap(r.known("unwrap", LEASE)?),
        other => unreachable!("the verb {other} is listed and has no reader"),
    })
}
