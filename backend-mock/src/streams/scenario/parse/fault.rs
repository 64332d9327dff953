//! What breaks.

use super::reader::{LEASE, Reader};
use crate::{
    scenario::{Word, fields::At, word::nearest},
    streams::scenario::{DriverFault, FailingCall},
};

/// The fault of this step.
pub(super) fn fault(r: &mut Reader<'_, '_>) -> Option<DriverFault> {
    let what = r.fields.text("fail", r.faults)?;
    Some(match what.value {
        "stream" => DriverFault::Stream(r.known("on", LEASE)?),
        "device" => DriverFault::Device,
        "create_at_live" => {
            let live = r.fields.count("live", 1..=65_536, r.faults);
            DriverFault::AtLive(r.fields.required("live", live, r.faults)?)
        }
        _ => match FailingCall::from_word(what.value) {
            Some(call) => {
                let nth = r.fields.count("nth", 0..=65_536, r.faults).unwrap_or(0);
                let says = r.fields.word("says", r.faults);
                DriverFault::Call { call, nth, says }
            }
            None => {
                unknown(&what, r);
                return None;
            }
        },
    })
}

fn unknown(what: &At<&str>, r: &mut Reader<'_, '_>) {
    let mut known = vec!["stream", "device", "create_at_live"];
    known.extend(FailingCall::words());
    let help = match nearest(what.value, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}", known.join(", ")),
    };
    let message = format!("`{}` is not a fault", what.value);
    r.faults.add(what.span.clone(), message, "unknown fault", Some(help));
    // What else the step holds cannot be judged without knowing what fails.
    for key in ["on", "live", "nth", "says"] {
        let _ = r.fields.raw(key);
    }
}
