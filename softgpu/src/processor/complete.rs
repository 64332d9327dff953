//! Completing packets.

use ringfence::id::{SignalHandle, SignalValue};

use super::{AqlQueue, Report, Turn};
use crate::{
    abi::{
        aql::Body,
        objects::{queue, signal},
    },
    address::Address,
    bus::{Bus, Fault},
    kernels::{Dispatch, Ran},
    settings::Dependencies,
};

impl AqlQueue {
    /// Completes every active packet that is due. Answers whether there was one.
    pub(super) fn complete_due<B: Bus>(&mut self, turn: &mut Turn<'_, B>) -> bool {
        let mut any = false;
        let mut next = 0;
        while next < self.active.len() {
            match self.complete(next, turn) {
                Ok(true) => any = true,
                Ok(false) => next += 1,
                Err(fault) => {
                    self.faulted(fault, turn);
                    return true;
                }
            }
        }
        any
    }
    /// Completes the `nth` active packet if it is due.
    fn complete<B: Bus>(&mut self, nth: usize, turn: &mut Turn<'_, B>) -> Result<bool, Fault> {
        let active = &mut self.active[nth];
        if active.due.is_none() {
            if !Self::met(active, turn)? {
                return Ok(false);
            }
            let lag = turn.chance.within(turn.settings.completion_lag);
            active.due = Some(turn.now + lag);
        }
        let (at, started, touches) = (active.at, active.started, active.touches);
        if active.due > Some(turn.now) {
            return Ok(false);
        }
        let packet = *self.order.packet(at).expect("an active packet is kept");
        touches?;
        if let Body::Kernel(dispatch) = &packet.body {
            match run(dispatch, turn)? {
                Ran::Done | Ran::Unknown(None) => {}
                Ran::Unknown(Some(name)) => turn.reports.push(Report::Unmodelled(name)),
                Ran::Waiting => return Ok(false),
            }
        }
        self.active.remove(nth);
        self.order.finish(at);
        // The late read index moves first: whoever sees the signal may look at it.
        self.show_read_index(turn)?;
        if !packet.completes.is_null() {
            let profiled = queue::is_profiled(turn.bus, self.place.read_index)?;
            let stamps = profiled.then_some((started, turn.ticks));
            let left = decrement(packet.completes, stamps, turn)?;
            if turn.settings.dependencies == Dependencies::Latched {
                let signal = SignalHandle::new(packet.completes.as_u64());
                self.saw(signal, left);
                turn.decremented.push((signal, left));
            }
        }
        Ok(true)
    }
}

/// Runs a kernel. Kernel objects below 64 KiB, where nothing is ever mapped, are those of tests: they
/// compute nothing, but for one that touches an address without memory.
fn run<B: Bus>(dispatch: &Dispatch, turn: &mut Turn<'_, B>) -> Result<Ran, Fault> {
    const FAULTS: u64 = 0xdead;
    match dispatch.kernel_object().as_u64() {
        FAULTS => Err(Fault { at: Address::new(FAULTS << 16), bytes: 4 }),
        ..0x1_0000 => Ok(Ran::Done),
        _ => turn.kernels.run(dispatch, turn.bus),
    }
}

/// What a completion does to a signal: timestamps, the decrement, the event. What the event needs is
/// read first: once the signal is decremented, its owner may use it for something else.
fn decrement<B: Bus>(
    at: Address,
    stamps: Option<(u64, u64)>,
    turn: &mut Turn<'_, B>,
) -> Result<SignalValue, Fault> {
    if let Some((started, ended)) = stamps {
        turn.bus.store_u64(at.plus(signal::STARTED), started)?;
        turn.bus.store_u64(at.plus(signal::ENDED), ended)?;
    }
    let mailbox = Address::new(turn.bus.load_u64(at.plus(signal::MAILBOX))?);
    let event = turn.bus.load_u32(at.plus(signal::EVENT))?;
    let left = turn.bus.add_u64(at.plus(signal::VALUE), u64::MAX)?;
    raise(mailbox, event, turn);
    Ok(SignalValue::new(left.cast_signed()))
}
/// Puts a value into a signal and raises its event.
pub(super) fn store<B: Bus>(at: Address, value: u64, turn: &mut Turn<'_, B>) -> Result<(), Fault> {
    let mailbox = Address::new(turn.bus.load_u64(at.plus(signal::MAILBOX))?);
    let event = turn.bus.load_u32(at.plus(signal::EVENT))?;
    turn.bus.store_u64(at.plus(signal::VALUE), value)?;
    raise(mailbox, event, turn);
    Ok(())
}
/// Writes the mailbox and raises the event. A mailbox that is gone belongs to an owner that has seen
/// the decrement and ended everything: nobody is left to be woken.
fn raise<B: Bus>(mailbox: Address, event: u32, turn: &mut Turn<'_, B>) {
    if !mailbox.is_null() && turn.bus.store_u64(mailbox, u64::from(event)).is_ok() {
        turn.reports.push(Report::Interrupt(event));
    }
}
