//! What the host says of itself.

use ringfence::id::StreamKey;

use super::{Broken, Pace, Step, StreamOracle, stream::Life};
use crate::streams::seen::{Declaration, TaskName, ThreadId};

/// How the driver's life ended for this process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ended {
    ShutDown,
    Forked,
    Exiting,
}
impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::ShutDown => "the pool was shut down",
            Self::Forked => "the process was forked",
            Self::Exiting => "the process began to exit",
        })
    }
}

/// What is left of the driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Epilogue {
    lost: Option<Step>,
    ended: Option<(Step, Ended)>,
}
impl Epilogue {
    pub(super) fn lose(&mut self, at: Step) {
        self.lost.get_or_insert(at);
    }
    pub(super) fn end(&mut self, at: Step, how: Ended) {
        self.ended.get_or_insert((at, how));
    }
    pub(super) fn ended(&self) -> Option<Ended> {
        self.ended.map(|(_, how)| how)
    }
    /// Whether the device was lost, or the driver is not to be called any more.
    pub(super) fn is_over(&self) -> bool {
        self.lost.is_some() || self.ended.is_some()
    }
    /// Why an acquire that began at `begun` may not have brought a stream.
    pub(super) fn forbids_lease(&self, begun: Step) -> Option<&'static str> {
        if matches!(self.ended, Some((at, Ended::Forked)) if at <= begun) {
            return Some("in a forked child");
        }
        self.lost.filter(|&at| at <= begun).map(|_| "after the device was lost")
    }
    /// Whether memory may be left over: nothing more could be freed.
    fn excuses(&self) -> bool {
        self.lost.is_some() || matches!(self.ended, Some((_, Ended::Forked | Ended::Exiting)))
    }
}

/// A call that may hand out a stream.
#[derive(Clone, Debug)]
pub(super) struct Acquire {
    pub(super) task: TaskName,
    pub(super) key: StreamKey,
    pub(super) begun: Step,
    pub(super) reserves: bool,
    /// Streams made since it began, by what can only be this call.
    pub(super) created: Vec<Life>,
    /// Streams that it could have handed out when it began.
    pub(super) reusable: Vec<Life>,
}

/// What one thread, or whoever speaks for all, is in the middle of.
#[derive(Clone, Debug, Default)]
pub(super) struct Bracket {
    acquires: Vec<Acquire>,
    drops: u32,
    /// It waits for work of this stream's earlier owner.
    stale: Option<Life>,
}

impl StreamOracle {
    /// Whether `thread` is inside a destructor.
    pub(super) fn is_dropping(&self, thread: ThreadId) -> bool {
        [None, Some(thread)]
            .iter()
            .any(|on| self.brackets.get(on).is_some_and(|bracket| bracket.drops > 0))
    }
    /// The stream whose earlier owner's work `thread` is about to wait for.
    pub(super) fn waits_for_what_is_over(&self, thread: ThreadId) -> Option<Life> {
        [None, Some(thread)].iter().find_map(|on| self.brackets.get(on)?.stale)
    }
    /// The acquire that this task is in.
    pub(super) fn acquire_of(&self, task: TaskName) -> Option<&Acquire> {
        let mut all = self.brackets.values().flat_map(|bracket| &bracket.acquires);
        all.find(|acquire| acquire.task == task)
    }
    /// A thread that calls inside another's acquire or destructor runs beside it.
    pub(super) fn notice_others(&mut self, thread: ThreadId) {
        if self.brackets.keys().any(|&on| on.is_some_and(|on| on != thread)) {
            self.pace = Pace::AtOnce;
        }
    }
    /// Whether some task is in an acquire for another key: at a hard cap it may take this one's room.
    pub(super) fn makes_room(&self, key: Option<StreamKey>) -> bool {
        let mut all = self.brackets.values().flat_map(|bracket| &bracket.acquires);
        all.any(|acquire| Some(acquire.key) != key)
    }
    /// Whether some task is in an acquire.
    pub(super) fn is_acquiring(&self) -> bool {
        self.brackets.values().any(|bracket| !bracket.acquires.is_empty())
    }
    /// The library made a stream: whose acquire it was in, if that can be told.
    pub(super) fn created_in(&mut self, thread: ThreadId, key: StreamKey, life: Life) {
        for on in [None, Some(thread)] {
            if let Some(bracket) = self.brackets.get_mut(&on)
                && let [acquire] = bracket.acquires.as_mut_slice()
                && acquire.key == key
            {
                acquire.created.push(life);
            }
        }
    }
    fn acquire_begins(&mut self, on: Option<ThreadId>, task: TaskName, key: StreamKey) {
        let reusable = self.reusable(key);
        let begun = self.step;
        let (reserves, created) = (false, Vec::new());
        let acquire = Acquire { task, key, begun, reserves, created, reusable };
        self.brackets.entry(on).or_default().acquires.push(acquire);
    }
    fn tidy(&mut self, on: Option<ThreadId>) {
        if let Some(bracket) = self.brackets.get(&on)
            && bracket.drops == 0
            && bracket.acquires.is_empty()
            && bracket.stale.is_none()
        {
            self.brackets.remove(&on);
        }
    }

    /// The host spoke: on this thread, or for all.
    pub(super) fn host(&mut self, on: Option<ThreadId>, said: &Declaration) -> Broken {
        match said {
            Declaration::On { thread, said } => return self.host(Some(*thread), said),
            Declaration::AtOnce => self.pace = Pace::AtOnce,
            Declaration::Pool { idle_cap } => self.idle_cap = Some(*idle_cap),
            Declaration::AcquireBegins { task, key } => self.acquire_begins(on, *task, *key),
            Declaration::Reserves { task } => {
                let bracket = self.brackets.entry(on).or_default();
                let of_task = |acquire: &&mut Acquire| acquire.task == *task;
                if let Some(acquire) = bracket.acquires.iter_mut().find(of_task) {
                    acquire.reserves = true;
                }
                self.tidy(on);
            }
            Declaration::AcquireEnded { task } => {
                if let Some(bracket) = self.brackets.get_mut(&on) {
                    bracket.acquires.retain(|acquire| acquire.task != *task);
                }
                self.tidy(on);
                return self.judge_modes(on, "an acquire ends");
            }
            Declaration::Leased { lease, task, key, raw, stream, exclusive } => {
                return self.leased(*lease, *task, *key, *raw, *stream, *exclusive);
            }
            Declaration::Released { lease } => self.released(*lease),
            Declaration::Forgotten { lease } => self.forgotten(*lease),
            Declaration::Exposed { lease } => self.exposed(*lease),
            Declaration::Switched { task, key, stream } => {
                return self.switched(*task, *key, *stream);
            }
            Declaration::TaskEnded { task } => self.task_ended(*task),
            Declaration::DropBegins => self.brackets.entry(on).or_default().drops += 1,
            Declaration::DropEnded => {
                if let Some(bracket) = self.brackets.get_mut(&on) {
                    bracket.drops = bracket.drops.saturating_sub(1);
                }
                self.tidy(on);
                return self.judge_modes(on, "a destructor ends");
            }
            Declaration::Wrapped { raw, got } => return self.judge_wrapped(*raw, *got),
            Declaration::Generation { stream, generation } => {
                return self.generation(*stream, *generation);
            }
            Declaration::Retired { memory } => self.retired(*memory),
            Declaration::Leaked { memory } => self.leaked(*memory),
            Declaration::BufferReleased { buffer } => return self.buffer_released(*buffer),
            Declaration::Reset { device } => self.reset(*device),
            Declaration::Condemned { stream, raw } => return self.condemned(*stream, *raw),
            Declaration::TrimBegins => self.trims += 1,
            Declaration::TrimEnded => {
                self.trims = self.trims.saturating_sub(1);
                self.last_trim = self.step;
            }
            Declaration::ShutDown => self.epilogue.end(self.step, Ended::ShutDown),
            Declaration::Submits { lease } => self.submitting = Some(*lease),
            Declaration::WaitBegins { after } => {
                let stale = self.handed_on(*after);
                self.brackets.entry(on).or_default().stale = stale;
                self.tidy(on);
            }
            Declaration::WaitEnded => {
                self.brackets.entry(on).or_default().stale = None;
                self.tidy(on);
            }
            Declaration::CaptureLeft { raw, status } => self.capture_left(*raw, *status),
            Declaration::End => {
                let modes = self.judge_modes(on, "the run ends");
                let owed = if self.epilogue.excuses() { None } else { self.judge_owed() };
                return modes.or(owed);
            }
        }
        None
    }
}
