//! Who decides what hardware is free to decide.

mod course;
mod profile;
mod scripted;
mod seeded;

#[cfg(test)]
mod tests;

pub use course::{Act, Course, Look, Point};
pub use profile::{Chance, MAX_MOVES, Odds, Profile, ReadIndexHabit};
pub use scripted::Scripted;
pub use seeded::Seeded;

/// A place where the device, the runtime or the callback thread has a choice. In each, 0 is the
/// tamest: a chooser that always answers 0 is a prompt, healthy, orderly device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Site {
    /// Before a host call: 0 = the device does everything that is due; `k` = it makes `k - 1` moves.
    Moves,
    /// Which queue, engine or buffered store moves: 0 = the first.
    Lane,
    /// Which of the lane's possible moves: 0 = the oldest packet's.
    Which,
    /// Where the host finds the read index: a [`ReadIndexHabit`].
    ReadIndex,
    /// How much of a batch of creations is left out: 0 = nothing.
    Batch,
    /// Whether a short wait ends before the device does anything: 0 = no.
    Patience,
    /// Whether an interrupt is lost: 0 = no.
    Interrupt,
    /// Whether the callback thread passes a handler that could fire: 0 = no.
    Handler,
    /// What a completion writes as its timestamps: a position in [`Stamping::ALL`](crate::stamps::Stamping::ALL).
    Stamps,
}

/// Decides. Deterministic: the same answers in the same order give the same run.
///
/// ```
/// use ringfence_mock::{chooser::{Chooser, Site}, system::{MockSystem, Settings}};
/// /// A healthy device, but that every third interrupt is lost.
/// struct Deaf(u32);
/// impl Chooser for Deaf {
///     fn choose(&mut self, at: Site, n: u32) -> u32 {
///         if at != Site::Interrupt {
///             return 0;
///         }
///         self.0 += 1;
///         u32::from(self.0 % 3 == 0).min(n - 1)
///     }
/// }
/// let system = MockSystem::new(Deaf(0), Settings::default());
/// ```
pub trait Chooser {
    /// One of `0..n`; `n` is at least 1, and 0 is the tamest.
    fn choose(&mut self, at: Site, n: u32) -> u32;
}
impl<T: Chooser + ?Sized> Chooser for Box<T> {
    fn choose(&mut self, at: Site, n: u32) -> u32 {
        (**self).choose(at, n)
    }
}
