//! Which planted faults a search finds.
