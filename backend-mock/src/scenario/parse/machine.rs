//! Steps of the device and of the world around it.

use toml::de::DeValue;

use super::steps::{Reader, USE_OR_EVENT};
use crate::scenario::{
    Action, MachineFault, Run, Word,
    fields::{number, wrong_type},
    scope::NameKind,
    word::words,
};

words! {
    /// What `fail` may name.
    Failing, "a fault" {
        /// Creating a signal fails.
        Creation = "creation",
        /// Creating a signal succeeds with the null handle.
        NullHandle = "null_handle",
        /// A part of a copy is refused.
        Part = "part",
        /// Creating a signal brings one in host memory.
        FallBack = "fall_back",
        /// An interrupt is lost.
        Interrupt = "interrupt",
        /// A signal is decremented once too often.
        LateDecrement = "late_decrement",
        /// Timestamps are wrong.
        Timestamps = "timestamps",
        /// The device is lost.
        Device = "device",
    }
}

/// The step with this verb.
pub(super) fn machine(verb: &str, r: &mut Reader<'_, '_>) -> Option<Action> {
    const QUEUE: &[NameKind] = &[NameKind::Queue];
    Some(match verb {
        "start" => Action::Start { of: r.known("start", USE_OR_EVENT)? },
        "finish" => {
            let of = r.known_list("finish", USE_OR_EVENT, 1);
            Action::Finish { of: of?, parts: r.fields.count("parts", 1..=64, r.faults) }
        }
        "read_index" => {
            let index = r.fields.number("read_index", 0..=u64::MAX, r.faults);
            let of = r.known("of", QUEUE);
            Action::ReadIndex { index: index?.value, of: of? }
        }
        "run" => Action::Run(run(r)?),
        "foreign" => {
            let packets = r.fields.count("foreign", 1..=1024, r.faults);
            let queue = r.known("on", QUEUE);
            let barrier = r.barrier();
            Action::Foreign { queue: queue?, packets: packets?, barrier }
        }
        "restart" => Action::Restart { queue: r.known("restart", QUEUE)? },
        "profiler" => Action::Profiler { device: r.known("profiler", &[NameKind::Device])? },
        "fail" => Action::Fail(fail(r)?),
        other => unreachable!("the verb {other} is listed and has no reader"),
    })
}

fn run(r: &mut Reader<'_, '_>) -> Option<Run> {
    let at = r.fields.raw("run")?;
    match at.value {
        DeValue::String(word) if word == "idle" => Some(Run::Idle),
        DeValue::Integer(_) => {
            let moves = number("run", &at, 0..=1_000_000, r.faults)?;
            u32::try_from(moves.value).ok().map(Run::Moves)
        }
        other => {
            wrong_type("run", "`idle` or a number of moves", other, at.span, r.faults);
            None
        }
    }
}

fn fail(r: &mut Reader<'_, '_>) -> Option<MachineFault> {
    let what = r.fields.word::<Failing>("fail", r.faults)?;
    let at = |r: &mut Reader<'_, '_>, least| {
        r.fields.count("at", least..=4096, r.faults).unwrap_or(least)
    };
    Some(match what {
        Failing::Creation => MachineFault::Creation { at: at(r, 1) },
        Failing::NullHandle => MachineFault::NullHandle { at: at(r, 1) },
        Failing::Part => MachineFault::Part { at: at(r, 0) },
        Failing::FallBack => MachineFault::FallBack { at: at(r, 1) },
        Failing::Interrupt => MachineFault::Interrupt,
        Failing::LateDecrement => MachineFault::LateDecrement { of: r.known("of", USE_OR_EVENT)? },
        Failing::Timestamps => {
            let stamps = r.fields.word("is", r.faults);
            let times = r.fields.count("times", 1..=100_000, r.faults).unwrap_or(1);
            MachineFault::Timestamps { stamps: r.fields.required("is", stamps, r.faults)?, times }
        }
        Failing::Device => {
            MachineFault::Device { device: r.known_or("on", NameKind::Device, "gpu0")? }
        }
    })
}

/// The word of a fault, for the printer.
pub(in crate::scenario) fn failing_word(fault: &MachineFault) -> &'static str {
    match fault {
        MachineFault::Creation { .. } => Failing::Creation,
        MachineFault::NullHandle { .. } => Failing::NullHandle,
        MachineFault::Part { .. } => Failing::Part,
        MachineFault::FallBack { .. } => Failing::FallBack,
        MachineFault::Interrupt => Failing::Interrupt,
        MachineFault::LateDecrement { .. } => Failing::LateDecrement,
        MachineFault::Timestamps { .. } => Failing::Timestamps,
        MachineFault::Device { .. } => Failing::Device,
    }
    .word()
}
