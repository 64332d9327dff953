//! What is in hand while somebody else's code runs, and goes back where it came from should that panic.

use super::Shared;

/// Something in hand, with no lock held.
pub(super) struct Kept<'p, A, T> {
    shared: &'p Shared<A>,
    what: Option<T>,
    back: fn(&Shared<A>, T),
}
impl<'p, A, T> Kept<'p, A, T> {
    /// `what`, which `back` puts back unless it is taken.
    #[inline]
    pub(super) fn of(shared: &'p Shared<A>, what: T, back: fn(&Shared<A>, T)) -> Self {
        Self { shared, what: Some(what), back }
    }
    /// To look at.
    #[inline]
    pub(super) fn get(&self) -> &T {
        self.what.as_ref().expect("only `take` takes it")
    }
    /// To work on.
    pub(super) fn get_mut(&mut self) -> &mut T {
        self.what.as_mut().expect("only `take` takes it")
    }
    /// For good: what becomes of it is known.
    #[inline]
    pub(super) fn take(mut self) -> T {
        self.what.take().expect("only this takes it")
    }
}
impl<A, T> Drop for Kept<'_, A, T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(what) = self.what.take() {
            (self.back)(self.shared, what);
        }
    }
}
