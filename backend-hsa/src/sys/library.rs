//! Finding and loading the runtime.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{Functions, SignalCreateV2, symbols};

/// What the runtime's library is called, newest habit last; the dynamic loader searches its own folders for it.
const NAMES: [&str; 2] = ["libhsa-runtime64.so.1", "libhsa-runtime64.so"];
/// Where AMD's packages install, if `ROCM_PATH` does not say.
const ROCM: &str = "/opt/rocm";
/// Names a library that is to be taken, and no other.
const OVERRIDE: &str = "RINGFENCE_HSA_LIBRARY";

/// AMD's HSA runtime, loaded and never unloaded: its threads outlive `hsa_shut_down`, and so may callers on other threads.
///
/// ```
/// use ringfence_hsa::sys::Library;
/// for path in Library::paths() {
///     println!("{}", path.display()); // what `load` tries; RINGFENCE_HSA_LIBRARY replaces all of it
/// }
/// ```
#[derive(Debug)]
pub struct Library {
    path: PathBuf,
    functions: Functions,
    signal_create_v2: Option<SignalCreateV2>,
}

impl Library {
    /// The runtime of this process, which the first successful call loads: by name as the dynamic loader finds it, or from
    /// `$ROCM_PATH/lib` (`/opt/rocm/lib` if that is not set). `RINGFENCE_HSA_LIBRARY` names another, which is taken alone.
    ///
    /// # Errors
    /// [`LoadError`], with all that was tried; the next call tries again.
    pub fn load() -> Result<&'static Self, LoadError> {
        static LOADED: Mutex<Option<&'static Library>> = Mutex::new(None);
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = *loaded {
            return Ok(library);
        }
        // SAFETY: the names are those of AMD's runtime, unless whoever runs the program names another, and vouches for it.
        let library = unsafe { Self::load_from(Self::paths()) }?;
        *loaded = Some(library);
        Ok(library)
    }

    /// What [`load`](Self::load) tries, in that order.
    #[must_use]
    pub fn paths() -> Vec<PathBuf> {
        if let Some(path) = std::env::var_os(OVERRIDE).filter(|path| !path.is_empty()) {
            return vec![path.into()];
        }
        let rocm = std::env::var_os("ROCM_PATH").map_or_else(|| ROCM.into(), PathBuf::from);
        let installed = NAMES.iter().map(|name| rocm.join("lib").join(name));
        NAMES.iter().map(PathBuf::from).chain(installed).collect()
    }

    /// The runtime at the first of `paths` that can be loaded; a path without `/` is for the dynamic loader to find. Each call
    /// loads anew, and what it loaded stays.
    ///
    /// ```compile_fail,E0133
    /// let library = ringfence_hsa::sys::Library::load_from(["./libhsa-runtime64.so.1"]);
    /// ```
    ///
    /// # Errors
    /// [`LoadError::NotFound`] if none can be loaded, [`LoadError::MissingSymbols`] if the first that can is no HSA runtime, or
    /// one older than 5.2.
    ///
    /// # Safety
    /// The libraries at these paths, and those that they need, may be loaded: their initialisers run. What has the functions of
    /// an HSA runtime has them as the headers declare them.
    pub unsafe fn load_from(
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> Result<&'static Self, LoadError> {
        let mut attempts = Vec::new();
        for path in paths {
            let path = path.as_ref();
            // SAFETY: loading runs the library's initialisers, for which the caller vouches.
            match unsafe { libloading::Library::new(path) } {
                // SAFETY: the caller's promise.
                Ok(library) => return unsafe { Self::resolve(path, library) },
                Err(error) => {
                    attempts.push(Attempt { path: path.into(), reason: reason(&error) });
                }
            }
        }
        Err(LoadError::NotFound { attempts })
    }

    /// # Safety
    /// As [`load_from`](Self::load_from), for what was loaded.
    unsafe fn resolve(
        path: &Path,
        library: libloading::Library,
    ) -> Result<&'static Self, LoadError> {
        let not_found = |error: libloading::Error| LoadError::NotFound {
            attempts: vec![Attempt { path: path.into(), reason: reason(&error) }],
        };
        // SAFETY: the type is that of the symbol's declaration, which is the caller's promise, and `library` is never closed: it goes into the leaked value, or
        // is forgotten below.
        let v2 = unsafe { library.get::<SignalCreateV2>(b"hsa_amd_signal_create_v2\0") };
        let signal_create_v2 = v2.ok().map(|symbol| *symbol);
        // SAFETY: the bindings' types are the headers', which ROCr keeps from version to version; that it is one is the caller's
        // promise.
        let functions = unsafe { Functions::from_library(library) }.map_err(not_found)?;
        let symbols = symbols::missing(&functions);
        if symbols.is_empty() {
            let path = path.into();
            return Ok(Box::leak(Box::new(Self { path, functions, signal_create_v2 })));
        }
        std::mem::forget(functions);
        Err(LoadError::MissingSymbols { path: path.into(), symbols })
    }

    /// What was loaded, as it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The runtime's functions. Those that ROCr 5.2 has are there, so their methods do not panic; of a newer one the field says
    /// whether this runtime has it: `functions().hsa_amd_signal_wait_all.as_ref().ok()`.
    #[must_use]
    pub fn functions(&self) -> &Functions {
        &self.functions
    }

    /// `hsa_amd_signal_create_v2`, where this runtime has it.
    #[must_use]
    pub fn signal_create_v2(&self) -> Option<SignalCreateV2> {
        self.signal_create_v2
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Functions").finish_non_exhaustive()
    }
}

/// Why there is no runtime.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Nothing could be loaded.
    #[error("no HSA runtime could be loaded; tried:{}", Lines(attempts))]
    NotFound {
        /// What was tried, in that order.
        attempts: Vec<Attempt>,
    },
    /// Something was loaded that is no HSA runtime, or too old.
    #[error("{} lacks what ROCr has since 5.2: {}", path.display(), symbols.join(", "))]
    MissingSymbols {
        /// What was loaded.
        path: PathBuf,
        /// All that it lacks.
        symbols: Vec<&'static str>,
    },
}

/// A path that was tried, and why it could not be loaded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// As it was given to the dynamic loader.
    pub path: PathBuf,
    /// What that said.
    pub reason: String,
}

/// All that `error` says: what the dynamic loader itself said is its source.
fn reason(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

/// One attempt a line.
struct Lines<'a>(&'a [Attempt]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Attempt { path, reason } in self.0 {
            write!(f, "\n  {}: {reason}", path.display())?;
        }
        Ok(())
    }
}
