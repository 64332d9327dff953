//! What a hand-over may not be: of a stream that is not free, to a task that has one, under a wrong name.

use ringfence::id::{RawStream, StreamId, StreamKey, StreamRef};

use super::{
    Broken, StreamOracle, StreamRule,
    stream::{Capturing, Gone, Health, Life, Origin, Purpose, Stream},
    tenancy::Lease,
};
use crate::streams::seen::{Exclusive, TaskName};

impl StreamOracle {
    /// Whether the stream may be handed to anybody.
    pub(super) fn judge_state(
        &self,
        life: Life,
        task: TaskName,
        key: StreamKey,
        of: StreamRef,
        exclusive: Exclusive,
    ) -> Broken {
        let stream = self.streams.get(&life)?;
        let name = stream.name();
        let t9 = |how: &str| Some((StreamRule::T9, format!("{of} is handed out {how}")));
        let begun = self.acquire_of(task).map_or(self.step, |acquire| acquire.begun);
        if let Some(why) = self.epilogue.forbids_lease(begun) {
            return t9(why);
        }
        let identity = self.identities.get(&of.id());
        let body = identity.and_then(|identity| self.streams.get(&identity.life)).unwrap_or(stream);
        // A handle that came back for a stream that the user created cannot be told from the one it was.
        let users = stream.origin == Origin::Elsewhere && stream.key.is_some();
        let told = body.life == life || !users;
        match body.gone {
            Gone::ByUser if told => return t9("after its user destroyed it"),
            Gone::Reset => return t9("after its device was reset"),
            Gone::ByUser => return None,
            Gone::No | Gone::Destroyed => {}
        }
        if stream.purpose == Purpose::Forgotten {
            let what = format!("{name} is handed out, and its lease was forgotten");
            return Some((StreamRule::T11, what));
        }
        if stream.origin == Origin::Elsewhere && identity.is_none_or(|known| known.life == life) {
            return None; // somebody else's stream, wrapped: whoever has the handle may use it
        }
        let same_owner = |lease: &Lease| lease.task == task && lease.key == key;
        let holders =
            stream.leases.iter().filter_map(|lease| Some((lease, self.leases.get(lease)?)));
        let mut others = holders.filter(|(_, lease)| !same_owner(lease));
        if let Some((other, held)) = others.next()
            && (exclusive == Exclusive::Yes || held.exclusive == Exclusive::Yes)
        {
            let what = format!("{name} is handed to {task} while {other} has it");
            return Some((StreamRule::T1, what));
        }
        if exclusive == Exclusive::No {
            return None;
        }
        if stream.health == Health::Bad {
            return t9("although the driver reports it in error");
        }
        if stream.capturing != Capturing::No {
            return t9(&format!("while it {}", stream.capturing.describe()));
        }
        if identity.is_some_and(|identity| identity.closed) || stream.purpose == Purpose::Reserved {
            let what = format!("{of} is handed out, but its slot was closed for good");
            return Some((StreamRule::T6, what));
        }
        if stream.leases.is_empty()
            && let Some(op) = self.working(stream)
        {
            let doubted = stream.conduct.exposed && stream.said_idle <= stream.released_at;
            let rule = if doubted { StreamRule::T13 } else { StreamRule::T1 };
            let what =
                format!("{name} is handed to {task} while {op} of its last owner is unfinished");
            return Some((rule, what));
        }
        None
    }
    /// Whether the task has this stream, and no other, for the key.
    pub(super) fn judge_place(
        &self,
        task: TaskName,
        key: StreamKey,
        stream: StreamRef,
        exclusive: Exclusive,
        reserves: bool,
    ) -> Broken {
        if reserves || exclusive == Exclusive::No {
            return None;
        }
        let place = self.places.get(&(task, key)).filter(|place| place.stream != stream)?;
        let what = format!("{task} has {} for {key}, and gets {stream}", place.stream);
        Some((StreamRule::T3, what))
    }
    pub(super) fn judge_generation(
        &self,
        life: Life,
        of: StreamRef,
        exclusive: Exclusive,
        hand_over: bool,
    ) -> Broken {
        let stream = self.streams.get(&life)?;
        if stream.origin == Origin::Elsewhere {
            return None;
        }
        if let Some(id) = stream.identity.filter(|&id| id != of.id()) {
            let what = format!("{} is called {} although it is {id}", stream.raw, of.id());
            return Some((StreamRule::T12, what));
        }
        let identity = self.identities.get(&of.id())?;
        if identity.life != life {
            let (rule, why) = match identity.closed {
                true => (StreamRule::T6, "a stream that was closed"),
                false => (StreamRule::T12, "another stream that is alive"),
            };
            return Some((rule, format!("{} gets the identity {} of {why}", stream.raw, of.id())));
        }
        let (rises, due) = match exclusive {
            Exclusive::Yes if hand_over => ("goes to another owner", identity.generation.next()),
            _ => ("stays with its owners", identity.generation),
        };
        (of.generation() != due).then(|| {
            let (was, is) = (identity.generation.as_u32(), of.generation().as_u32());
            let what = format!("{} {rises} and its generation goes from {was} to {is}", of.id());
            (StreamRule::T6, what)
        })
    }
    /// The library said what a raw handle is.
    pub(super) fn judge_wrapped(&self, raw: RawStream, got: Option<StreamId>) -> Broken {
        let stream = self.stream(raw);
        let pooled = stream
            .filter(|stream| stream.is_pooled() && !stream.condemned && stream.gone == Gone::No);
        let Some(got) = got else {
            let stream = pooled
                .filter(|stream| stream.purpose == Purpose::Shelf || !stream.leases.is_empty())?;
            let what = format!("{} is wrapped as a stream of somebody else's", stream.name());
            return Some((StreamRule::T12, what));
        };
        let identity = self.identities.get(&got);
        let body = identity.and_then(|identity| self.streams.get(&identity.life));
        if body.is_some_and(|body| matches!(body.gone, Gone::ByUser | Gone::Reset)) {
            // The pool cannot know before it looks: the handle came back for another stream.
            return None;
        }
        if identity.is_some_and(|identity| identity.closed) {
            return Some((StreamRule::T6, format!("{raw} is said to be {got}, which was closed")));
        }
        if pooled.is_some_and(|stream| stream.identity == Some(got)) {
            return None;
        }
        if stream.is_some_and(Stream::is_disposal) {
            return None;
        }
        let is = stream.map_or_else(|| "nobody's stream".to_owned(), Stream::name);
        Some((StreamRule::T12, format!("{raw} is said to be {got}, and is {is}")))
    }
}
