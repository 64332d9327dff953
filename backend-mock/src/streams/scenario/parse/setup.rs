//! The drivers and the settings.

use ringfence::id::StreamFlags;

use crate::{
    scenario::{
        Word,
        fields::{Fields, word},
        problem::Faults,
    },
    streams::{profile::DriverProfile, scenario::StreamSetup, system::Words},
};

/// Reads the set-up.
pub(super) fn setup(fields: &mut Fields<'_>, faults: &mut Faults) -> StreamSetup {
    let mut setup = StreamSetup::on(drivers(fields, faults).unwrap_or_default());
    if fields.flag("words", faults) == Some(false) {
        setup.words = Words::Off;
    }
    set(&mut setup.policy, fields.word("policy", faults));
    set(&mut setup.streams, fields.count("streams", 1..=4096, faults));
    set(&mut setup.idle_cap, fields.count("idle_cap", 0..=4096, faults));
    set(&mut setup.live_cap, fields.count("live_cap", 1..=65_536, faults));
    set(&mut setup.looks, fields.count("looks", 0..=4096, faults));
    set(&mut setup.warn_past, fields.count("warn_past", 0..=65_536, faults));
    if fields.flag("blocking", faults) == Some(true) {
        setup.flags = StreamFlags::empty();
    }
    set(&mut setup.devices, fields.count("devices", 1..=8, faults));
    set(&mut setup.create_ticks, fields.count("create_ticks", 0..=1_000_000, faults));
    set(&mut setup.queues, fields.count("queues", 1..=128, faults));
    set(&mut setup.wait_limit, fields.count("wait_limit", 1..=u32::MAX, faults));
    set(&mut setup.pump, fields.word("pump", faults));
    setup.answers = answers(fields, faults);
    setup
}

/// What the device answers.
fn answers(fields: &mut Fields<'_>, faults: &mut Faults) -> Option<Vec<u16>> {
    let answers = fields.numbers("answers", 0..=u64::from(u16::MAX), faults)?;
    Some(answers.into_iter().filter_map(|at| u16::try_from(at.value).ok()).collect())
}

/// One driver, several, or all of them.
fn drivers(fields: &mut Fields<'_>, faults: &mut Faults) -> Option<Vec<DriverProfile>> {
    let texts = fields.texts("driver", faults);
    let texts = fields.required("driver", texts, faults)?;
    if let [one] = texts.as_slice()
        && one.value == "all"
    {
        return Some(<DriverProfile as Word>::ALL.to_vec());
    }
    if texts.is_empty() {
        let span = fields.has("driver").unwrap_or(fields.span());
        faults.add(span, "`driver` names no driver", "empty", None);
    }
    Some(texts.iter().filter_map(|at| word(at, faults)).collect())
}

fn set<T>(field: &mut T, read: Option<T>) {
    if let Some(value) = read {
        *field = value;
    }
}
