//! How many scenarios were played, how they ended, and why others were not.

use std::{collections::BTreeMap, fmt, process::ExitCode};

use super::{allowed::LeftOut, things::Tally};

/// Why those of the other half are left out.
pub(super) const STREAMS: &str = "scenarios about streams are played on modelled drivers";

/// All files together.
#[derive(Default, Debug)]
pub(super) struct Summary {
    pub(super) passed: u32,
    pub(super) failed: u32,
    checked: u64,
    unchecked: u64,
    /// What no real device can do, why not, and in how many scenarios it comes first.
    left_out: BTreeMap<(&'static str, &'static str), u32>,
    streams: u32,
}

impl Summary {
    pub(super) fn add_passed(&mut self, tally: &Tally) {
        self.passed += 1;
        self.checked += tally.checked;
        self.unchecked += tally.unchecked;
    }
    pub(super) fn add_left_out(&mut self, left_out: &LeftOut) {
        *self.left_out.entry((left_out.what, left_out.why)).or_default() += 1;
    }
    /// Of the other half.
    pub(super) fn add_streams(&mut self) {
        self.streams += 1;
    }
    fn left_out(&self) -> u32 {
        self.left_out.values().sum::<u32>() + self.streams
    }
    /// Success if nothing failed and something was played.
    pub(super) fn code(&self) -> ExitCode {
        if self.is_success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
    pub(super) fn is_success(&self) -> bool {
        self.failed == 0 && self.passed > 0
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, checked, unchecked, streams, .. } = self;
        let (ran, left_out) = (passed + failed, self.left_out());
        writeln!(f, "{ran} ran: {passed} passed, {failed} failed; {left_out} left out")?;
        writeln!(
            f,
            "{checked} expectations were checked; {unchecked} were not: they depend on time, or on what the device alone can see"
        )?;
        if ran == 0 {
            writeln!(f, "nothing was played, so that nothing is shown")?;
        }
        if left_out == 0 {
            return Ok(());
        }
        writeln!(f, "left out because of:")?;
        let mut reasons: Vec<_> = self.left_out.iter().collect();
        reasons.sort_by_key(|&(reason, count)| (std::cmp::Reverse(*count), *reason));
        for ((what, why), count) in reasons {
            writeln!(f, "  {count:>3}  {what}: {why}")?;
        }
        if *streams > 0 {
            writeln!(f, "  {streams:>3}  setup.driver: {STREAMS}")?;
        }
        Ok(())
    }
}
