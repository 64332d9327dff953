//! What is idle, and whether it is let go of or passed over without need (T2).

use ringfence::id::StreamKey;

use super::{
    Broken, Pace, Step, StreamOracle, StreamRule,
    host::Acquire,
    stream::{Capturing, Gone, Health, Life, Purpose, Stream},
};

/// Beside more streams with left-over work than this, an acquire may have looked at others than the idle one.
const LOOKS: usize = 4;

/// The idle streams of one key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Shelf {
    idle: u32,
    /// When there were last more than the cap.
    crowded: Step,
}

impl StreamOracle {
    /// Whether nobody has the stream and its work is finished. The library may take it for one that can be
    /// used until it looks at it.
    fn is_idle(&self, stream: &Stream) -> bool {
        stream.is_pooled()
            && stream.leases.is_empty()
            && stream.gone != Gone::Destroyed
            && !stream.condemned
            && stream.purpose == Purpose::Shelf
            && self.working(stream).is_none()
            && !self.is_waiting(stream)
    }
    /// Whether, besides, it could be handed out as it is.
    fn is_usable(&self, stream: &Stream) -> bool {
        self.is_idle(stream)
            && stream.gone == Gone::No
            && stream.health == Health::Well
            && stream.capturing == Capturing::No
    }
    /// Brings the account of idle streams up to date with what happened to `life`.
    pub(super) fn settle(&mut self, life: Life) {
        let Some(cap) = self.idle_cap else { return };
        let Some(stream) = self.streams.get(&life) else { return };
        let Some(key) = stream.key else { return };
        let now = self.is_idle(stream);
        if now == stream.idle_since.is_some() {
            return;
        }
        let shelf = self.shelves.entry(key).or_default();
        if now {
            shelf.idle += 1;
            if shelf.idle > cap {
                shelf.crowded = self.step;
            }
        } else {
            // The stream before it makes room, and the shelf was crowded up to this step.
            if shelf.idle > cap {
                shelf.crowded = self.step;
            }
            shelf.idle = shelf.idle.saturating_sub(1);
        }
        let since = now.then_some(self.step);
        if let Some(stream) = self.streams.get_mut(&life) {
            stream.idle_since = since;
        }
    }
    /// Whether the library had a reason to choose this idle stream for its end: trimming, or the cap.
    fn is_surplus(&self, stream: &Stream) -> bool {
        let Some(since) = stream.idle_since else { return true };
        let crowded =
            stream.key.and_then(|key| self.shelves.get(&key)).map_or(0, |shelf| shelf.crowded);
        self.trims > 0 || self.last_trim >= since || crowded >= since
    }
    /// Whether a stream is let go of that should have been kept.
    pub(super) fn judge_retirement(&self, life: Life) -> Broken {
        self.idle_cap?;
        let stream = self.streams.get(&life)?;
        if self.epilogue.is_over()
            || !self.is_usable(stream)
            || stream.conduct.captured
            || self.is_surplus(stream)
            || self.makes_room(stream.key)
        {
            return None;
        }
        let name = stream.name();
        if stream.said_unknown {
            return Some((
                StreamRule::T9,
                format!("{name} is closed because the driver would not say whether it is idle"),
            ));
        }
        let idle = stream.key.and_then(|key| self.shelves.get(&key)).map_or(0, |shelf| shelf.idle);
        Some((
            StreamRule::T2,
            format!(
                "{name} is let go of although it is idle and only {idle} streams of its key are"
            ),
        ))
    }

    /// Idle streams of `key` of which the library can tell so without asking: what the last owner did was
    /// counted, and the progress word has passed it.
    pub(super) fn reusable(&self, key: StreamKey) -> Vec<Life> {
        if self.idle_cap.is_none() || self.pace == Pace::AtOnce {
            return Vec::new();
        }
        let proven = |stream: &&Stream| {
            let conduct = stream.conduct;
            let quiet = !(conduct.exposed || conduct.captured || conduct.uncounted);
            let counted = stream.last_work.is_none()
                || (stream.word.is_some() && stream.marked >= stream.last_work);
            stream.key == Some(key)
                && quiet
                && counted
                && stream.unfinished.is_empty()
                && self.is_usable(stream)
                && !self.is_surplus(stream)
        };
        self.streams.values().filter(proven).map(|stream| stream.life).collect()
    }
    /// Whether the lease of `life`, created in this acquire, was needless.
    pub(super) fn judge_creation(&self, life: Life, acquire: &Acquire) -> Broken {
        if self.epilogue.is_over()
            || self.pace == Pace::AtOnce
            || acquire.reserves
            || !acquire.created.contains(&life)
        {
            return None;
        }
        let key = self.streams.get(&life)?.key;
        let drains = |stream: &&Stream| {
            stream.key == key
                && stream.is_pooled()
                && stream.leases.is_empty()
                && !self.is_idle(stream)
        };
        if self.streams.values().filter(drains).count() > LOOKS {
            return None;
        }
        let told = |stream: &&Stream| {
            acquire.reusable.contains(&stream.life) || stream.said_idle > acquire.begun
        };
        let passed_over = self.streams.values().filter(told).find(|stream| {
            stream.key == key
                && stream.said_other < acquire.begun
                && self.is_usable(stream)
                && !self.is_surplus(stream)
        })?;
        Some((
            StreamRule::T2,
            format!(
                "a stream is created for {} although {} is idle",
                acquire.task,
                passed_over.name()
            ),
        ))
    }
}
