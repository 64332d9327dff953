//! Traces for somebody who did not write the scenario.

use super::World;
use crate::scenario::Name;

/// How many lines of trace a failure carries.
const TRACE_LINES: usize = 24;

impl World {
    /// The last lines of a trace, without the runner's own statements, and with the scenario's names.
    pub(super) fn readable(&self, trace: &[String]) -> Vec<String> {
        let recorded =
            self.events.iter().filter_map(|(name, slot)| Some((name, slot.meant.as_ref()?.of)));
        let named = self.uses.iter().map(|(name, used)| (name, used.of));
        let mut names: Vec<(String, &Name)> =
            recorded.chain(named).map(|(name, of)| (of.to_string(), name)).collect();
        // The longest first: `#12` is not `#1`.
        names.sort_by_key(|(of, _)| std::cmp::Reverse(of.len()));
        let from = trace.iter().rposition(|line| line.contains("  (Limits")).unwrap_or(0);
        let calls: Vec<&String> =
            trace[from..].iter().filter(|line| !line.contains("  (")).collect();
        let last = &calls[calls.len().saturating_sub(TRACE_LINES)..];
        last.iter().map(|line| annotate(line, &names)).collect()
    }
}

/// The line, with `(name)` behind the first use in it that has one.
fn annotate(line: &str, names: &[(String, &Name)]) -> String {
    for (of, name) in names {
        let ends = line.match_indices(of.as_str()).map(|(at, found)| at + found.len());
        let whole = |end: &usize| !line[*end..].starts_with(|next: char| next.is_ascii_digit());
        if let Some(end) = ends.into_iter().find(whole) {
            return format!("{} ({name}){}", &line[..end], &line[end..]);
        }
    }
    line.to_owned()
}
