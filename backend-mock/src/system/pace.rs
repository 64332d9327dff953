//! When devices move: before host calls, in waits, or when a script says so.

use std::time::Duration;

use ringfence::{
    backend::{Body, Engine, PartIndex},
    id::{DeviceId, LaneId, PacketId, UseId},
};

use super::state::State;
use crate::{
    chooser::{MAX_MOVES, ReadIndexHabit, Site},
    clock::{Clock, Instant, Ticks},
    model::{Blocked, Effect, Move},
    stamps::Stamping,
    trace::Event,
    work::{Kernel, WorkKey},
};

/// Who sets the pace.
///
/// ```
/// # use ringfence::{backend::*, id::*};
/// use ringfence_mock::{chooser::Scripted, system::*, work::Kernel};
/// let system = MockSystem::new(Scripted::tame(), Settings { pace: Pace::Held, ..Settings::default() });
/// let gpu = system.add_device(DeviceSettings::default());
/// # let queue = gpu.add_queue();
/// # let mut batch = [SignalHandle::NULL];
/// # gpu.create(SignalMemory::Host, &mut batch)?;
/// # let at = queue.reserve(PacketCount::ONE);
/// # queue.commit(at, &Packet { body: Body::Kernel(Kernel::default()), completes: batch[0], ..Packet::nothing() });
/// // ... a packet is published ...
/// queue.ring_doorbell(at);
/// assert_eq!(gpu.load(batch[0]), SignalValue::ARMED); // nothing moves by itself
/// system.run_until_idle();
/// assert_eq!(gpu.load(batch[0]), SignalValue::DONE);
/// # Ok::<(), ringfence::error::CreateError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Pace {
    /// The chooser: before each host call the device may move.
    #[default]
    Chosen,
    /// Nobody: devices move only in host waits, and when told to.
    Held,
    /// A script alone: devices move when told to, also in host waits. Work takes no time.
    Scripted,
    /// A search, which makes a move only when the host is about to see its effect. Work takes no time.
    Lazy,
    /// A search, which makes every move at any look of the host. Work takes no time.
    Eager,
}
impl Pace {
    /// Whether work takes no time, so that nothing depends on the clock.
    pub(super) fn is_timeless(self) -> bool {
        matches!(self, Self::Scripted | Self::Lazy | Self::Eager)
    }
}

/// Whether a device moved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub enum Moved {
    /// It did.
    Yes,
    /// There is nothing that it can do now.
    No,
}

/// How many of a lane's packets are looked at for one that can move, outside waits.
const GLANCE: usize = 8;

impl State {
    /// The device's turn before a host call.
    #[inline]
    pub(super) fn breathe(&mut self) {
        match self.settings.pace {
            Pace::Chosen => {}
            Pace::Held => return,
            Pace::Scripted | Pace::Lazy | Pace::Eager => return self.look_again(),
        }
        match self.chooser.choose(Site::Moves, MAX_MOVES + 1) {
            0 => while self.first_move() == Moved::Yes {},
            moves => {
                for _ in 1..moves {
                    if self.chosen_move(GLANCE) == Moved::No {
                        break;
                    }
                }
            }
        }
    }
    /// One move of the chooser's choice.
    pub(super) fn chosen_move(&mut self, tries: usize) -> Moved {
        let (queues, engines) = (self.model.queues().len(), self.model.engines().len());
        let buffered = self.model.buffered().len();
        let lanes = queues + engines + usize::from(buffered > 0);
        if lanes == 0 {
            return Moved::No;
        }
        let first = self.choose_of(Site::Lane, lanes);
        for lane in (first..lanes).chain(0..first) {
            let one = if lane < queues {
                self.queue_move(lane, tries, Order::Chosen)
            } else if lane < queues + engines {
                self.engine_move(lane - queues, tries, Order::Chosen)
            } else {
                let nth = self.choose_of(Site::Which, buffered);
                self.model.buffered().nth(nth).map(Move::Land)
            };
            if let Some(one) = one {
                self.perform(one);
                return Moved::Yes;
            }
        }
        Moved::No
    }
    /// The first move in a fixed order: the oldest packet of the first lane. No store lands early.
    pub(super) fn first_move(&mut self) -> Moved {
        let found = (0..self.model.queues().len())
            .find_map(|lane| self.queue_move(lane, usize::MAX, Order::Oldest))
            .or_else(|| {
                let mut engines = 0..self.model.engines().len();
                engines.find_map(|lane| self.engine_move(lane, usize::MAX, Order::Oldest))
            });
        match found {
            Some(one) => {
                self.perform(one);
                Moved::Yes
            }
            None => Moved::No,
        }
    }
    fn choose_of(&mut self, at: Site, count: usize) -> usize {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.chooser.choose(at, count).min(count - 1) as usize
    }
    /// Active packets, then the one that could start, from a chosen one on.
    fn queue_move(&mut self, at: usize, tries: usize, order: Order) -> Option<Move> {
        let queue = &self.model.queues()[at];
        let (lane, agent) = (queue.lane(), queue.agent());
        let (active, start) = (queue.active().len(), queue.startable());
        let total = active + usize::from(start.is_some());
        if total == 0 || self.is_lost(agent) {
            return None;
        }
        let first = if order == Order::Chosen { self.choose_of(Site::Which, total) } else { 0 };
        for nth in (first..total).chain(0..first).take(tries) {
            let one = if nth < active {
                Move::Finish(UseId::new(lane, self.model.queues()[at].nth_active(nth)))
            } else {
                Move::Start(UseId::new(lane, start?))
            };
            if self.is_possible(one) {
                return Some(one);
            }
        }
        None
    }
    fn engine_move(&mut self, at: usize, tries: usize, order: Order) -> Option<Move> {
        let engine = &self.model.engines()[at];
        let (lane, agent, total) = (engine.lane(), engine.agent(), engine.unfinished().len());
        if total == 0 || self.is_lost(agent) {
            return None;
        }
        let first = if order == Order::Chosen { self.choose_of(Site::Which, total) } else { 0 };
        for nth in (first..total).chain(0..first).take(tries) {
            let (packet, part) = self.model.engines()[at].nth_unfinished(nth);
            let of = UseId::new(lane, packet);
            let both = [Move::FinishPart(of, part), Move::StartPart(of, part)];
            if let Some(one) = both.into_iter().find(|&one| self.is_possible(one)) {
                return Some(one);
            }
        }
        None
    }
    /// Whether a device may make this move by itself now: it is legal, due, and not stalled.
    fn is_possible(&self, one: Move) -> bool {
        if let Some(work) = finished_by(one) {
            let stalled = !self.stalled.is_empty() && self.stalled.contains(&(work.0, work.1));
            if stalled || self.works.due(work).is_none_or(|due| due > self.clock.now()) {
                return false;
            }
        }
        self.model.check(one).is_ok()
    }
    /// When the next running work is over that can end then.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.works.next_due(|&work| {
            let (lane, packet, part) = work;
            let of = UseId::new(lane, packet);
            let one = if self.model.is_engine(lane) {
                Move::FinishPart(of, PartIndex::new(part))
            } else {
                Move::Finish(of)
            };
            !self.stalled.contains(&(lane, packet)) && self.model.check(one).is_ok()
        })
    }
    /// Makes a move that was checked, with its times and timestamps.
    pub(super) fn perform(&mut self, one: Move) {
        self.stamps.settle();
        match one {
            Move::Start(of) => {
                let polls = self.model.queue(of.lane()).and_then(|queue| queue.packet(of.packet()));
                let extra = match polls {
                    Some(packet) if self.model.polls_host_memory(packet) => {
                        self.settings.costs.gpu_poll_host
                    }
                    _ => Duration::ZERO,
                };
                self.works.start((of.lane(), of.packet(), 0), self.clock.now(), extra);
            }
            Move::StartPart(of, part) => {
                self.works.start(
                    (of.lane(), of.packet(), part.as_u32()),
                    self.clock.now(),
                    Duration::ZERO,
                );
            }
            Move::Finish(_) | Move::FinishPart(..) | Move::Read(..) | Move::Land(_) => {}
        }
        let effect = self.model.apply_checked(one);
        if let Some(work) = finished_by(one) {
            self.finish_work(work, effect);
        }
        self.note(Event::Moved(one, effect));
    }
    fn finish_work(&mut self, work: WorkKey, effect: Effect) {
        let Some((mut started, mut ended)) = self.works.finish(work) else { return };
        if self.settings.pace.is_timeless() {
            let always = Clock::new().now();
            (started, ended) = (always, always);
        }
        // A script may finish work before its time: then that time is now.
        self.clock.jump(ended);
        let Effect::Completed { signal, .. } = effect else { return };
        if signal.is_null() {
            return;
        }
        let (engine, agent) = (self.engine_kind(work.0), self.model.agent_of(work.0));
        let how = self.faults.stamps.pop_front().unwrap_or_else(|| {
            let choice = self.chooser.choose(Site::Stamps, Stamping::ALL.len() as u32);
            Stamping::ALL[choice as usize]
        });
        self.stamps.write(signal, engine, (started, ended), self.tick_rate(agent), how);
    }
    fn engine_kind(&self, lane: LaneId) -> Engine {
        if self.model.is_engine(lane) { Engine::Copy } else { Engine::Compute }
    }
    /// Makes a move that a script asks for.
    pub(super) fn force_move(&mut self, one: Move) -> Result<(), Blocked> {
        self.model.check(one)?;
        if let Move::Read(lane, _) = one
            && !self.settings.pace.is_timeless()
        {
            self.scripted.insert(lane.queue());
        }
        self.perform(one);
        Ok(())
    }
    /// Where the host finds the read index now.
    pub(super) fn move_read_index(&mut self, lane: LaneId) {
        if self.scripted.contains(&lane.queue()) || self.is_lost(self.model.agent_of(lane)) {
            return;
        }
        if self.settings.pace.is_timeless() {
            return self.find_read_index(lane);
        }
        let choice = self.chooser.choose(Site::ReadIndex, ReadIndexHabit::ALL.len() as u32);
        let Some(queue) = self.model.queue(lane) else { return };
        let complete = queue.complete_below();
        let to = match ReadIndexHabit::ALL[choice as usize] {
            ReadIndexHabit::Exact => complete,
            ReadIndexHabit::Still => return,
            ReadIndexHabit::StepsOfEight => PacketId::new(complete.as_u64() & !7),
            ReadIndexHabit::Started => queue.started_below(),
            ReadIndexHabit::Published => queue.published_below(),
        };
        if to > queue.read_index() {
            self.perform(Move::Read(lane, to));
        }
    }
    /// How long work takes on `agent`.
    pub(super) fn expect_work(&mut self, agent: DeviceId, work: WorkKey, ticks: Ticks) {
        if self.settings.pace.is_timeless() {
            return;
        }
        let duration = ticks.duration(self.tick_rate(agent));
        self.works.expect(work, duration);
    }
    /// How long a packet takes.
    pub(super) fn expect_packet(&mut self, of: UseId, body: &Body<Kernel>) {
        if let Body::Kernel(kernel) = body {
            let agent = self.model.agent_of(of.lane());
            self.expect_work(agent, (of.lane(), of.packet(), 0), kernel.ticks());
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Chosen,
    Oldest,
}

fn finished_by(one: Move) -> Option<WorkKey> {
    match one {
        Move::Finish(of) => Some((of.lane(), of.packet(), 0)),
        Move::FinishPart(of, part) => Some((of.lane(), of.packet(), part.as_u32())),
        _ => None,
    }
}
