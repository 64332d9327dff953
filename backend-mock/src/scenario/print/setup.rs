//! A set-up as text.

use std::fmt::{self, Display};

use super::text::{Key, List, Quoted};
use crate::scenario::{Setup, Word};

/// Only what differs from the default.
impl Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = Self { ring: Self::default().ring, ..Self::with_ring(self.ring) };
        let numbers = [
            ("devices", u64::from(self.devices), u64::from(base.devices)),
            ("queues", u64::from(self.queues), u64::from(base.queues)),
            ("engines", u64::from(self.engines), u64::from(base.engines)),
            ("ring", u64::from(self.ring), u64::from(base.ring)),
            ("cap", u64::from(self.cap), u64::from(base.cap)),
            ("batch", u64::from(self.batch), u64::from(base.batch)),
            ("spares", u64::from(self.spares), u64::from(base.spares)),
            (
                "submission_batch",
                u64::from(self.submission_batch),
                u64::from(base.submission_batch),
            ),
            ("slots", u64::from(self.slots), u64::from(base.slots)),
            ("hertz", self.hertz, base.hertz),
            ("interrupts", u64::from(self.interrupts), u64::from(base.interrupts)),
            ("wait_limit_us", self.wait_limit_us, base.wait_limit_us),
            ("seeds", u64::from(self.seeds), u64::from(base.seeds)),
        ];
        for (key, value, _) in numbers.into_iter().filter(|(_, value, base)| value != base) {
            writeln!(f, "setup.{key} = {value}")?;
        }
        let words = [
            ("tracker", self.tracker.word(), base.tracker.word()),
            ("signals", self.signals.word(), base.signals.word()),
            ("events", self.events.word(), base.events.word()),
            ("rings", self.rings.word(), base.rings.word()),
            ("path", self.path.word(), base.path.word()),
            ("audit", self.audit.word(), base.audit.word()),
            ("profile", self.profile.word(), base.profile.word()),
        ];
        for (key, value, _) in words.into_iter().filter(|(_, value, base)| value != base) {
            writeln!(f, "setup.{key} = {}", Quoted(value))?;
        }
        if self.features != base.features {
            writeln!(
                f,
                "setup.features = {}",
                List(self.features.iter().map(|feature| feature.word().to_owned()))
            )?;
        }
        if !self.on_device.is_empty() {
            let map =
                self.on_device.iter().map(|(name, device)| format!("{} = {device}", Key(name)));
            writeln!(f, "setup.on_device = {{ {} }}", map.collect::<Vec<_>>().join(", "))?;
        }
        if !self.streams.is_empty() {
            let map = self
                .streams
                .iter()
                .map(|(name, queue)| format!("{} = {}", Key(name), Quoted(queue.as_str())));
            writeln!(f, "setup.streams = {{ {} }}", map.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }
}
