//! Leases: who has which stream, and under which generation (T1, T3, T6, T9, T11, T12, T13).

use ringfence::id::{Generation, RawStream, StreamId, StreamKey, StreamRef};

use super::{
    Broken, Pace, StreamOracle, StreamRule,
    stream::{Conduct, Life, Origin, Purpose, Tenancy},
};
use crate::streams::seen::{Exclusive, LeaseName, TaskName};

/// A live lease.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lease {
    pub(super) task: TaskName,
    pub(super) key: StreamKey,
    life: Life,
    pub(super) exclusive: Exclusive,
    shares: bool,
}
/// A stream's identity in the pool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    pub(super) life: Life,
    pub(super) generation: Generation,
    pub(super) closed: bool,
}
/// A task's stream for one key, and the lease that it has it by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) stream: StreamRef,
    lease: Option<LeaseName>,
}

impl StreamOracle {
    /// A lease was handed out.
    pub(super) fn leased(
        &mut self,
        lease: LeaseName,
        task: TaskName,
        key: StreamKey,
        raw: RawStream,
        stream: StreamRef,
        exclusive: Exclusive,
    ) -> Broken {
        let life = self.known(raw);
        let outside = self.streams.get(&life).is_some_and(|now| now.origin == Origin::Elsewhere);
        let reserves = outside || self.acquire_of(task).is_some_and(|acquire| acquire.reserves);
        let hand_over = self.streams.get(&life).is_some_and(|now| now.leases.is_empty());
        let broken = self
            .judge_state(life, task, key, stream, exclusive)
            .or_else(|| self.judge_place(task, key, stream, exclusive, reserves))
            .or_else(|| self.judge_generation(life, stream, exclusive, hand_over))
            .or_else(|| self.judge_creation(life, self.acquire_of(task)?));
        self.enter(Lease { task, key, life, exclusive, shares: false }, lease, stream, reserves);
        broken
    }
    /// Takes a lease into the account.
    fn enter(&mut self, mut held: Lease, lease: LeaseName, of: StreamRef, reserves: bool) {
        let Some(stream) = self.streams.get_mut(&held.life) else { return };
        let hand_over = stream.leases.is_empty()
            && (held.exclusive == Exclusive::Yes || stream.tenancy == Tenancy::default());
        if hand_over {
            stream.tenancy = Tenancy(stream.tenancy.0 + 1);
            stream.conduct = Conduct::default();
            stream.last_work = None;
            stream.purpose = if reserves { Purpose::Reserved } else { Purpose::Shelf };
        }
        stream.key.get_or_insert(held.key);
        let others = stream.leases.clone();
        stream.leases.insert(lease);
        stream.identity = Some(of.id());
        for other in others {
            if let Some(other) = self.leases.get_mut(&other)
                && other.task != held.task
            {
                for one in [other, &mut held] {
                    self.shared += u64::from(!one.shares);
                    one.shares = true;
                }
            }
        }
        let life = held.life;
        let identity = Identity { life, generation: of.generation(), closed: false };
        self.identities.insert(of.id(), identity);
        if !reserves && held.exclusive == Exclusive::Yes {
            let place = Place { stream: of, lease: Some(lease) };
            self.places.insert((held.task, held.key), place);
        }
        self.leases.insert(lease, held);
        if hand_over {
            self.word_inherited(life);
        }
        self.settle(life);
    }
    /// A lease is over. Also how it was held: its stream.
    fn leave(&mut self, lease: LeaseName) -> Option<Life> {
        let held = self.leases.remove(&lease)?;
        let at = (held.task, held.key);
        if self.places.get(&at).is_some_and(|place| place.lease == Some(lease)) {
            self.places.remove(&at);
        }
        let step = self.step;
        let stream = self.streams.get_mut(&held.life)?;
        stream.leases.remove(&lease);
        if stream.leases.is_empty() {
            stream.released_at = step;
        }
        Some(held.life)
    }
    pub(super) fn released(&mut self, lease: LeaseName) {
        if let Some(life) = self.leave(lease) {
            self.settle(life);
        }
    }
    pub(super) fn forgotten(&mut self, lease: LeaseName) {
        if let Some(life) = self.leave(lease) {
            if let Some(stream) = self.streams.get_mut(&life) {
                stream.purpose = Purpose::Forgotten;
            }
            self.settle(life);
        }
    }
    /// A task is over, and with it every lease that it still has.
    pub(super) fn task_ended(&mut self, task: TaskName) {
        let of_task = |(&lease, held): (&LeaseName, &Lease)| (held.task == task).then_some(lease);
        let left: Vec<LeaseName> = self.leases.iter().filter_map(of_task).collect();
        for lease in left {
            self.released(lease);
        }
        self.places.retain(|(of, _), _| *of != task);
    }
    pub(super) fn exposed(&mut self, lease: LeaseName) {
        if let Some(held) = self.leases.get(&lease)
            && let Some(stream) = self.streams.get_mut(&held.life)
        {
            stream.conduct.exposed = true;
        }
    }
    pub(super) fn switched(&mut self, task: TaskName, key: StreamKey, to: StreamRef) -> Broken {
        let broken = self.judge_place(task, key, to, Exclusive::Yes, false);
        let lease = self.places.get(&(task, key)).and_then(|place| place.lease);
        self.places.insert((task, key), Place { stream: to, lease });
        broken
    }
    /// What the library says a stream's generation is.
    pub(super) fn generation(&mut self, stream: StreamId, now: Generation) -> Broken {
        // An acquire may have handed it over already, and not have said so yet.
        let early = self.pace == Pace::AtOnce || self.is_acquiring();
        let identity = self.identities.get_mut(&stream)?;
        let before = identity.generation;
        if now == before || (early && now == before.next()) {
            return None;
        }
        identity.generation = now;
        let what = format!("{stream} goes from {before} to {now} without a hand-over");
        Some((StreamRule::T6, what))
    }
    /// The library closed a stream.
    pub(super) fn condemned(&mut self, id: StreamId, raw: RawStream) -> Broken {
        let life = self.identities.get(&id).map(|identity| identity.life);
        let life = life.or_else(|| self.by_raw.get(&raw).copied())?;
        let broken = self.judge_retirement(life);
        if let Some(identity) = self.identities.get_mut(&id) {
            identity.closed = true;
        }
        if let Some(stream) = self.streams.get_mut(&life) {
            stream.condemned = true;
        }
        self.settle(life);
        self.bury(life);
        broken
    }
}
