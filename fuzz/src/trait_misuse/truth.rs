//! What is so, whatever the backend says: packets, cells, and which of them are complete.

use std::collections::{BTreeMap, HashSet};

use ringfence::{
    backend::{Body, Packet},
    id::{Barrier, LaneId, PacketId, SignalHandle, UseId},
};

/// A packet, or a copy of several parts.
#[derive(Debug)]
pub(super) struct Work {
    barrier: bool,
    holds_back: bool,
    waits: Vec<SignalHandle>,
    waits_for_any: bool,
    completes: SignalHandle,
    parts: u32,
}

#[derive(Debug)]
struct Cell {
    value: i64,
    last: Option<UseId>,
    is_alive: bool,
    /// Its use was given up, by force or half way: any value may be taken for the end of what was issued.
    is_suspect: bool,
}

/// The device as it is.
#[derive(Debug, Default)]
pub(super) struct Truth {
    cells: Vec<Cell>,
    lanes: BTreeMap<LaneId, BTreeMap<PacketId, Work>>,
    /// Their signals were said to be below 0: the library reports each as an error, and waits for it no more.
    ended_in_error: HashSet<UseId>,
}
impl Truth {
    pub(super) fn create(&mut self) -> SignalHandle {
        self.cells.push(Cell { value: 1, last: None, is_alive: true, is_suspect: false });
        SignalHandle::new(self.cells.len() as u64)
    }
    /// The library may name no other signal than those that it was given.
    fn cell(&self, signal: SignalHandle) -> &Cell {
        let at = (signal.as_u64() as usize).checked_sub(1);
        let cell = at.and_then(|at| self.cells.get(at));
        let cell = cell.unwrap_or_else(|| panic!("{signal:?} was never given to the library"));
        assert!(cell.is_alive, "{signal:?} was destroyed");
        cell
    }
    fn cell_mut(&mut self, signal: SignalHandle) -> &mut Cell {
        let _checked = self.cell(signal);
        &mut self.cells[signal.as_u64() as usize - 1]
    }
    pub(super) fn suspect(&mut self, signal: SignalHandle) {
        self.cell_mut(signal).is_suspect = true;
    }
    pub(super) fn is_suspect(&self, signal: SignalHandle) -> bool {
        self.cell(signal).is_suspect
    }
    pub(super) fn end_in_error(&mut self, signal: SignalHandle) {
        self.ended_in_error.extend(self.cell(signal).last);
    }
    /// Whether a claim about everything that was submitted is not one about `of`.
    pub(super) fn has_ended_in_error(&self, of: UseId) -> bool {
        self.ended_in_error.contains(&of)
    }
    pub(super) fn value(&self, signal: SignalHandle) -> i64 {
        self.cell(signal).value
    }
    /// A signal may only be armed, or destroyed, when its last use is complete.
    pub(super) fn check_free(&self, signal: SignalHandle, act: &str) {
        if let Some(last) = self.cell(signal).last {
            assert!(self.is_complete(last), "{signal:?} is {act} while {last} runs");
        }
    }
    pub(super) fn store(&mut self, signal: SignalHandle, value: i64) {
        self.cell_mut(signal).value = value;
    }
    pub(super) fn destroy(&mut self, signal: SignalHandle) {
        self.check_free(signal, "destroyed");
        self.cell_mut(signal).is_alive = false;
    }
    pub(super) fn publish<W>(&mut self, lane: LaneId, at: PacketId, packet: &Packet<W>) {
        let (waits, holds_back) = match &packet.body {
            Body::Kernel(_) => (Vec::new(), false),
            Body::And(deps) | Body::Or(deps) => (deps.iter().collect(), true),
            Body::Value(wait) => (vec![wait.signal], false),
        };
        let work = Work {
            barrier: packet.barrier == Barrier::Set,
            holds_back,
            waits_for_any: matches!(packet.body, Body::Or(_)),
            waits,
            completes: packet.completes,
            parts: 1,
        };
        self.insert(lane, at, work);
    }
    /// One more part of a copy.
    pub(super) fn copy(
        &mut self,
        lane: LaneId,
        at: PacketId,
        completes: SignalHandle,
        waits: &[SignalHandle],
    ) {
        if let Some(copy) = self.lanes.get_mut(&lane).and_then(|lane| lane.get_mut(&at)) {
            copy.parts += 1;
            return;
        }
        let waits = waits.to_vec();
        let (barrier, holds_back, waits_for_any) = (false, false, false);
        self.insert(
            lane,
            at,
            Work { barrier, holds_back, waits, waits_for_any, completes, parts: 1 },
        );
    }
    fn insert(&mut self, lane: LaneId, at: PacketId, work: Work) {
        if !work.completes.is_null() {
            self.check_free(work.completes, "used again");
            let cell = self.cell_mut(work.completes);
            (cell.last, cell.is_suspect) = (Some(UseId::new(lane, at)), false);
        }
        let before = self.lanes.entry(lane).or_default().insert(at, work);
        assert!(before.is_none(), "packet {at} of {lane} is published twice");
    }
    pub(super) fn is_complete(&self, of: UseId) -> bool {
        let work = self.lanes.get(&of.lane()).and_then(|lane| lane.get(&of.packet()));
        work.is_some_and(|work| work.parts == 0)
    }
    /// Completes one part of the `nth` piece of work that may go on, if there is one.
    pub(super) fn go_on(&mut self, nth: usize) -> bool {
        let enabled = self.enabled();
        if enabled.is_empty() {
            return false;
        }
        let (lane, at) = enabled[nth % enabled.len()];
        let work = self.lanes.get_mut(&lane).and_then(|lane| lane.get_mut(&at));
        let work = work.expect("it was found just now");
        work.parts -= 1;
        let completes = work.completes;
        if !completes.is_null() {
            self.cell_mut(completes).value -= 1;
        }
        true
    }
    pub(super) fn run_until_idle(&mut self) {
        while self.go_on(0) {}
    }
    fn enabled(&self) -> Vec<(LaneId, PacketId)> {
        let mut all = Vec::new();
        for (&lane, packets) in &self.lanes {
            let (mut is_held_back, mut is_all_complete) = (false, true);
            for (&at, work) in packets {
                if work.parts > 0 && !is_held_back && (is_all_complete || !work.barrier) {
                    let is_zero =
                        |signal: &SignalHandle| self.cells[signal.as_u64() as usize - 1].value == 0;
                    let meets = match work.waits_for_any {
                        true => work.waits.is_empty() || work.waits.iter().any(is_zero),
                        false => work.waits.iter().all(is_zero),
                    };
                    if meets {
                        all.push((lane, at));
                    }
                }
                is_all_complete &= work.parts == 0;
                is_held_back |= work.parts > 0 && work.holds_back;
            }
        }
        all
    }
}
