//! Steps of the device and of the world around it.

use std::{num::NonZeroU32, time::Duration};

use ringfence::{
    backend::{PacketQueue, PartIndex},
    id::{PacketId, UseId},
};

use super::{
    World,
    failure::{Failure, Stop, Wrong},
    things::{Used, find},
};
use crate::{
    clock::Ticks,
    faults::{CreationFault, Nth},
    model::Blocked,
    scenario::{Action, MachineFault, Name, Run, Stamps, Submit, scope::packet_called},
    stamps::Stamping,
    system::Moved,
};

/// Work that is not over yet is waited for so long before a device counts as having nothing to do.
const PATIENCE: Duration = Duration::from_millis(1);

impl World {
    /// The use or the latest recording called `name`.
    pub(super) fn used(&mut self, name: &Name) -> Result<Used, Box<Failure>> {
        let recorded = self.events.get(name).and_then(|slot| slot.meant.clone());
        let packet = || packet_called(name).map(|of| Used::bare(of, name));
        match self.uses.get(name).cloned().or(recorded).or_else(packet) {
            Some(used) => Ok(used),
            None => Err(Failure::misuse(format!("no use is called `{name}` now"))),
        }
    }
    pub(super) fn move_machine(&mut self, action: &Action) -> Result<(), Stop> {
        match action {
            Action::Start { of } => {
                let used = self.used(of)?;
                let moved = self.system.start(used.of);
                Ok(impossible("start", of, moved)?)
            }
            Action::Finish { of, parts } => {
                for name in of {
                    let used = self.used(name)?;
                    let moved = match parts {
                        None => self.system.finish(used.of),
                        Some(parts) => self.finish_parts(used.of, *parts),
                    };
                    impossible("complete", name, moved)?;
                }
                Ok(())
            }
            Action::ReadIndex { index, of } => {
                let lane = find(&mut self.queues, "queue", of)?.raw.lane();
                let moved = self.system.set_read_index(lane, PacketId::new(*index));
                Ok(impossible("move the read index of", of, moved)?)
            }
            Action::Run(Run::Idle) => {
                self.system.run_until_idle();
                Ok(())
            }
            Action::Run(Run::Moves(moves)) => {
                self.run_moves(*moves);
                Ok(())
            }
            Action::Foreign { queue, packets, barrier } => {
                let raw = find(&mut self.queues, "queue", queue)?.raw.clone();
                for _ in 0..*packets {
                    raw.foreign_packet(*barrier, Ticks::new(u64::from(Submit::TICKS)));
                }
                Ok(())
            }
            Action::Restart { queue } => self.restart(queue),
            Action::Profiler { device } => {
                self.devices[self.device_called(device)?].attach_profiler();
                Ok(())
            }
            Action::Fail(fault) => self.fail(fault),
            _ => unreachable!("the dispatcher sends device steps alone"),
        }
    }
    fn device_called(&self, name: &Name) -> Result<usize, Box<Failure>> {
        let number = name.as_str().strip_prefix("gpu").and_then(|number| number.parse().ok());
        number
            .filter(|&number: &usize| number < self.devices.len())
            .ok_or_else(|| Failure::misuse(format!("there is no device called `{name}`")))
    }
    fn finish_parts(&self, of: UseId, count: u32) -> Result<(), Blocked> {
        let unfinished = |model: &crate::model::Model| -> Vec<PartIndex> {
            let engine = model.engine(of.lane());
            let parts = engine.into_iter().flat_map(|engine| engine.unfinished());
            parts.filter(|part| part.0 == of.packet()).map(|part| part.1).collect()
        };
        let parts = self.system.with_model(unfinished);
        parts
            .into_iter()
            .take(count as usize)
            .try_for_each(|part| self.system.finish_part(of, part))
    }
    fn run_moves(&mut self, moves: u32) {
        for _ in 0..moves {
            if self.system.step() == Moved::No {
                self.system.pass(PATIENCE);
                if self.system.step() == Moved::No {
                    return;
                }
            }
        }
    }
    fn fail(&mut self, fault: &MachineFault) -> Result<(), Stop> {
        if let MachineFault::Creation { .. } | MachineFault::NullHandle { .. } = fault {
            self.creations_to_fail += 1;
        }
        let nth = |at: u32| NonZeroU32::new(at).map_or(Nth::NEXT, Nth::new);
        match fault {
            MachineFault::Creation { at } => {
                self.system.fail_creation(nth(*at), CreationFault::Fails)
            }
            MachineFault::NullHandle { at } => {
                self.system.fail_creation(nth(*at), CreationFault::NullHandle)
            }
            MachineFault::FallBack { at } => {
                self.system.fail_creation(nth(*at), CreationFault::FallsBack)
            }
            MachineFault::Part { at } => self.system.refuse_part(PartIndex::new(*at)),
            MachineFault::Interrupt => self.system.lose_interrupts(1),
            MachineFault::LateDecrement { of } => match self.used(of)?.signal {
                Some((signal, _)) => {
                    self.over_decremented += 1;
                    self.system.late_decrement(signal);
                }
                None => {
                    return Err(
                        Failure::misuse(format!("`{of}` has no signal that is known")).into()
                    );
                }
            },
            MachineFault::Timestamps { stamps, times } => {
                let how = match stamps {
                    Stamps::Honest => Stamping::Honest,
                    Stamps::Zero => Stamping::Zero,
                    Stamps::Reversed => Stamping::Reversed,
                    Stamps::NoStart => Stamping::NoStart,
                    Stamps::Late => Stamping::Late,
                };
                self.system.stamp_next(std::iter::repeat_n(how, *times as usize));
            }
            MachineFault::Device { device } => self.devices[self.device_called(device)?].lose(),
        }
        Ok(())
    }
}

fn impossible(act: &str, name: &Name, moved: Result<(), Blocked>) -> Result<(), Box<Failure>> {
    moved.map_err(|why| {
        Failure::new(Wrong::Impossible { what: format!("it cannot {act} `{name}`: {why}") })
    })
}
