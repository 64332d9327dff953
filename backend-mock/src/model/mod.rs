//! The pure device model: what packet processors, copy engines and memory may do, as a value.
//!
//! A [`Model`] is `Clone + Eq + Hash` and holds no random numbers, clock, trace, pointer or thread.
//! Whatever hardware is free to choose is a [`Move`]: [`Model::enabled`] lists them, [`Model::apply`]
//! makes one. A caller that wants only the result of an observation uses [`Model::complete`], which
//! makes one packet complete with the least that has to happen before.
//!
//! | rule (HSA 2.9) | where |
//! |---|---|
//! | packets start in index order; one with the barrier bit when all earlier ones are complete | [`queue`](Queue) |
//! | nothing starts behind a BARRIER_AND or OR before that is complete | [`queue`](Queue) |
//! | AND: each dependency is exactly 0; OR: one is; barrier-value: below a bound, sign masked off | `waits` |
//! | completion decrements once, after the release | `moves` |
//! | the read index moves free of completion, never back, never past what is published | `moves` |
//! | host stores to device memory linger in a write-combining buffer, then in the host data path | `cell` |

mod cell;
mod engine;
mod lazy;
mod moves;
mod queue;
mod waits;

pub use cell::{Cell, CellLife, Reader};
pub use engine::Engine;
pub use lazy::Completion;
pub use moves::{Blocked, Effect, Move};
pub use queue::{Commit, Ordered, PacketState, Queue, QueueLife};
pub use waits::{Compare, Waits};

use ringfence::{
    backend::{Capabilities, DeviceStatus, Packet},
    id::{DeviceId, Generation, LaneId, PacketId, QueueId, UseId},
};

/// A packet as the model knows it: what kernels compute is not its business.
pub type ModelPacket = Packet<()>;

/// One agent: a device with its memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Agent {
    capabilities: Capabilities,
    status: DeviceStatus,
}

/// Where a lane is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Place {
    Queue(usize),
    Engine(usize),
}

/// All agents, queues, copy engines and signals of one process, at one moment.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Model {
    agents: Vec<Agent>,
    queues: Vec<Queue>,
    engines: Vec<Engine>,
    /// By queue id, then by generation.
    places: Vec<Vec<Place>>,
    cells: Vec<Cell>,
    /// Cells with a host store that is not in memory yet, oldest store first.
    buffered: Vec<u32>,
}

impl Model {
    /// No agent, queue or signal yet.
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds an agent.
    pub fn add_agent(&mut self, capabilities: Capabilities) -> DeviceId {
        self.agents.push(Agent { capabilities, status: DeviceStatus::Alive });
        DeviceId::new(number(self.agents.len() - 1))
    }
    /// Adds a hardware queue of `agent`.
    pub fn add_queue(&mut self, agent: DeviceId) -> LaneId {
        let lane = self.new_lane(Place::Queue(self.queues.len()));
        self.queues.push(Queue::new(lane, agent));
        lane
    }
    /// Adds a copy engine of `agent`; no queue has its queue id.
    pub fn add_engine(&mut self, agent: DeviceId) -> LaneId {
        let lane = self.new_lane(Place::Engine(self.engines.len()));
        self.engines.push(Engine::new(lane, agent));
        lane
    }
    fn new_lane(&mut self, place: Place) -> LaneId {
        self.places.push(vec![place]);
        LaneId::new(QueueId::new(number(self.places.len() - 1)), Generation::FIRST)
    }
    /// The queue's index space starts again at 0, under the next generation. Packets of the old one
    /// go on and complete in their own time: nothing of the new generation says anything of them.
    ///
    /// # Panics
    /// If `lane` is not the current lane of a queue.
    pub fn restart(&mut self, lane: LaneId) -> LaneId {
        assert_eq!(self.lane_now(lane.queue()), lane, "only the current generation can end");
        let queue = self.queue_mut(lane);
        queue.close();
        let (agent, next) = (queue.agent(), lane.restarted());
        let place = Place::Queue(self.queues.len());
        self.places[lane.queue().as_u32() as usize].push(place);
        self.queues.push(Queue::new(next, agent));
        next
    }
    /// The current lane of a queue or engine.
    ///
    /// # Panics
    /// If there is no such queue.
    pub fn lane_now(&self, queue: QueueId) -> LaneId {
        let generations = self.places[queue.as_u32() as usize].len();
        LaneId::new(queue, Generation::new(number(generations - 1)))
    }
    /// From now on no packet of `agent` starts or completes.
    pub fn lose(&mut self, agent: DeviceId) {
        self.agents[agent.as_u32() as usize].status = DeviceStatus::Lost;
    }
    /// Whether `agent` lives.
    pub fn status(&self, agent: DeviceId) -> DeviceStatus {
        self.agents[agent.as_u32() as usize].status
    }
    /// What `agent` can do.
    pub fn capabilities(&self, agent: DeviceId) -> Capabilities {
        self.agents[agent.as_u32() as usize].capabilities
    }
    /// The agents, in the order in which they were added.
    pub fn agents(&self) -> impl Iterator<Item = DeviceId> + use<> {
        (0..number(self.agents.len())).map(DeviceId::new)
    }
    /// All queues, closed generations too.
    pub fn queues(&self) -> &[Queue] {
        &self.queues
    }
    /// All copy engines.
    pub fn engines(&self) -> &[Engine] {
        &self.engines
    }
    /// The agent that a lane belongs to.
    ///
    /// # Panics
    /// If there is no such lane.
    pub fn agent_of(&self, lane: LaneId) -> DeviceId {
        match self.place(lane).expect("a lane of this model") {
            Place::Queue(at) => self.queues[at].agent(),
            Place::Engine(at) => self.engines[at].agent(),
        }
    }
    /// Whether `lane` is a copy engine's.
    pub fn is_engine(&self, lane: LaneId) -> bool {
        matches!(self.place(lane), Some(Place::Engine(_)))
    }
    /// The queue with this lane; `None` for engines and unknown lanes.
    pub fn queue(&self, lane: LaneId) -> Option<&Queue> {
        match self.place(lane)? {
            Place::Queue(at) => Some(&self.queues[at]),
            Place::Engine(_) => None,
        }
    }
    /// The copy engine with this lane; `None` for queues and unknown lanes.
    pub fn engine(&self, lane: LaneId) -> Option<&Engine> {
        match self.place(lane)? {
            Place::Engine(at) => Some(&self.engines[at]),
            Place::Queue(_) => None,
        }
    }
    fn place(&self, lane: LaneId) -> Option<Place> {
        let generations = self.places.get(lane.queue().as_u32() as usize)?;
        generations.get(lane.generation().as_u32() as usize).copied()
    }
    fn queue_mut(&mut self, lane: LaneId) -> &mut Queue {
        match self.place(lane) {
            Some(Place::Queue(at)) => &mut self.queues[at],
            _ => panic!("{lane} is no queue of this model"),
        }
    }
    fn engine_mut(&mut self, lane: LaneId) -> &mut Engine {
        match self.place(lane) {
            Some(Place::Engine(at)) => &mut self.engines[at],
            _ => panic!("{lane} is no copy engine of this model"),
        }
    }
    /// How far the packet or ticket of `of` is.
    pub fn state(&self, of: UseId) -> PacketState {
        match self.place(of.lane()) {
            Some(Place::Queue(at)) => self.queues[at].state(of.packet()),
            Some(Place::Engine(at)) => self.engines[at].state(of.packet()),
            None => PacketState::Unknown,
        }
    }
    /// How many decrements the device still owes for `of`: 1 for an unfinished packet, one for each
    /// unfinished part of a copy.
    pub fn outstanding(&self, of: UseId) -> u32 {
        match self.place(of.lane()) {
            Some(Place::Queue(at)) => match self.queues[at].state(of.packet()) {
                PacketState::Committed | PacketState::Published | PacketState::Active => 1,
                PacketState::Unknown | PacketState::Reserved | PacketState::Complete => 0,
            },
            Some(Place::Engine(at)) => self.engines[at].outstanding(of.packet()),
            None => 0,
        }
    }
    /// Hands out the next `count` indices of a queue, or the next tickets of an engine.
    pub fn reserve(&mut self, lane: LaneId, count: u32) -> PacketId {
        match self.place(lane) {
            Some(Place::Engine(at)) => self.engines[at].reserve(count),
            _ => self.queue_mut(lane).reserve(count),
        }
    }
    /// Writes the packet at a reserved index.
    pub fn commit(&mut self, lane: LaneId, at: PacketId, packet: &ModelPacket) -> Commit {
        self.queue_mut(lane).commit(at, packet)
    }
    /// Tells the device of everything committed up to and including `last`.
    pub fn ring_doorbell(&mut self, lane: LaneId, last: PacketId) {
        self.queue_mut(lane).ring_doorbell(last);
    }
}

/// A count of objects, none of which comes near 2^32.
fn number(count: usize) -> u32 {
    u32::try_from(count).expect("fewer than 2^32 objects")
}

#[cfg(test)]
mod tests;
