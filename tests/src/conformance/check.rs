//! How a test of the suite ends.

/// Why a test did not pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The backend does not keep its contract: what was seen.
    Failed(String),
    /// There is nothing to test: what the machine does not have. The subject has to list it.
    Lacking(&'static str),
}

/// What a test, or a part of one, answers.
pub type Checked<T = ()> = Result<T, Stop>;

/// Fails the test, in words, unless a condition holds.
macro_rules! check {
    ($holds:expr, $($words:tt)+) => {
        if !$holds {
            return Err($crate::conformance::Stop::Failed(format!($($words)+)));
        }
    };
}
pub(super) use check;

/// Two values are the same, or the test fails with both.
pub(super) fn same<T: PartialEq + std::fmt::Debug>(what: &str, is: T, expected: T) -> Checked {
    check!(is == expected, "{what}: {is:?}, and not {expected:?}");
    Ok(())
}
/// Something that the machine has, or there is nothing to test.
pub(super) fn has(it: bool, what: &'static str) -> Checked {
    if it { Ok(()) } else { Err(Stop::Lacking(what)) }
}
