//! Looking for a library that is loaded at run time.

use std::{
    error::Error,
    fmt,
    path::{Path, PathBuf},
};

/// A path that was tried, and why it could not be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// As it was given to the dynamic loader.
    pub path: PathBuf,
    /// What that said.
    pub reason: String,
}

/// The first of `paths` that can be loaded; a path without `/` is for the dynamic loader to find.
///
/// # Errors
/// All that was tried, in that order.
///
/// # Safety
/// The initialisers of what lies at a path may run.
///
/// ```
/// use ringfence_backend_shared::loading::{Lines, first_of};
/// // SAFETY: there is no such library, so that nothing is initialised.
/// let attempts = unsafe { first_of(["libnone-of-this-name.so"]) }.expect_err("it is not there");
/// let message = format!("tried:{}", Lines(&attempts));
/// assert!(message.starts_with("tried:\n  libnone-of-this-name.so: "));
/// ```
pub unsafe fn first_of(
    paths: impl IntoIterator<Item = impl AsRef<Path>>,
) -> Result<(PathBuf, libloading::Library), Vec<Attempt>> {
    let mut attempts = Vec::new();
    for path in paths {
        let path = path.as_ref();
        // SAFETY: the caller vouches for the initialisers of what lies there.
        match unsafe { libloading::Library::new(path) } {
            Ok(library) => return Ok((path.into(), library)),
            Err(error) => attempts.push(Attempt { path: path.into(), reason: reason(&error) }),
        }
    }
    Err(attempts)
}

/// All that `error` says: what the dynamic loader itself said is its source.
fn reason(error: &(dyn Error + 'static)) -> String {
    std::iter::successors(Some(error), |&error| error.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

/// One attempt a line.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a>(pub &'a [Attempt]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Attempt { path, reason } in self.0 {
            write!(f, "\n  {}: {reason}", path.display())?;
        }
        Ok(())
    }
}
