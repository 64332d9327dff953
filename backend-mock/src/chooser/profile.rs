//! How hostile a seeded device is.

use super::Site;

/// Where a read of the read index finds it. It never goes back and never passes what is published.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReadIndexHabit {
    /// Behind the last packet that is complete with all before it.
    Exact,
    /// Where it was: it stands still.
    Still,
    /// At the last multiple of 8 that completion has passed (gfx1250,
    /// <https://github.com/ROCm/rocm-systems/issues/9249>).
    StepsOfEight,
    /// Behind the last packet that has started: ahead of completion (HSA 2.8.3).
    Started,
    /// Behind the last published packet: as far ahead as can be.
    Published,
}
impl ReadIndexHabit {
    /// All, the tamest first: the answers at [`Site::ReadIndex`].
    pub const ALL: [Self; 5] =
        [Self::Exact, Self::Still, Self::StepsOfEight, Self::Started, Self::Published];
}

/// A probability in 1/256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Chance(u8);
impl Chance {
    /// It never happens.
    pub const NEVER: Self = Self(0);
    /// `of_256` in 256 times.
    pub const fn new(of_256: u8) -> Self {
        Self(of_256)
    }
    pub(super) const fn of_256(self) -> u64 {
        self.0 as u64
    }
}

/// At most so many moves are made before one host call, unless everything that is due is done.
pub const MAX_MOVES: u32 = 4;

/// How likely a seeded chooser is to answer other than 0, place by place.
///
/// ```
/// use ringfence_mock::chooser::{Chance, Odds, Profile, Seeded};
/// let deaf = Odds { lost_interrupt: Chance::new(128), ..Profile::Tame.odds() }; // every other one
/// let chooser = Seeded::new(1, deaf);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Odds {
    /// That the device makes only some of its moves before a host call.
    pub slow: Chance,
    /// That another lane or packet than the first or oldest is taken.
    pub reorder: Chance,
    /// That creation brings fewer signals than asked for.
    pub partial_batch: Chance,
    /// That a short wait ends before the device does anything.
    pub short_wait: Chance,
    /// That an interrupt is lost.
    pub lost_interrupt: Chance,
    /// That a handler fires late.
    pub late_handler: Chance,
    /// That a completion writes timestamps of no use.
    pub bad_stamps: Chance,
    /// What the read index does; `None` picks anew at each read.
    pub read_index: Option<ReadIndexHabit>,
}
impl Odds {
    pub(super) fn chance(&self, at: Site) -> Chance {
        match at {
            Site::Moves => self.slow,
            Site::Lane | Site::Which => self.reorder,
            Site::Batch => self.partial_batch,
            Site::Patience => self.short_wait,
            Site::Interrupt => self.lost_interrupt,
            Site::Handler => self.late_handler,
            Site::Stamps => self.bad_stamps,
            Site::ReadIndex => Chance(u8::MAX),
        }
    }
}

/// Odds that are used often, by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Profile {
    /// Prompt and in order; the read index tells the truth.
    Tame,
    /// Healthy hardware at full load: in no order, not prompt, a read index that leads or lags.
    Busy,
    /// Everything that may go wrong without a fault of the host, often.
    Hostile,
}
impl Profile {
    /// All, the tamest first.
    pub const ALL: [Self; 3] = [Self::Tame, Self::Busy, Self::Hostile];
    /// The odds behind the name.
    pub const fn odds(self) -> Odds {
        match self {
            Self::Tame => Odds {
                slow: Chance::NEVER,
                reorder: Chance::NEVER,
                partial_batch: Chance::NEVER,
                short_wait: Chance::NEVER,
                lost_interrupt: Chance::NEVER,
                late_handler: Chance::NEVER,
                bad_stamps: Chance::NEVER,
                read_index: Some(ReadIndexHabit::Exact),
            },
            Self::Busy => Odds {
                slow: Chance::new(255),
                reorder: Chance::new(128),
                partial_batch: Chance::NEVER,
                short_wait: Chance::new(32),
                lost_interrupt: Chance::NEVER,
                late_handler: Chance::new(32),
                bad_stamps: Chance::NEVER,
                read_index: None,
            },
            Self::Hostile => Odds {
                slow: Chance::new(255),
                reorder: Chance::new(224),
                partial_batch: Chance::new(64),
                short_wait: Chance::new(96),
                lost_interrupt: Chance::new(32),
                late_handler: Chance::new(128),
                bad_stamps: Chance::new(24),
                read_index: None,
            },
        }
    }
}
