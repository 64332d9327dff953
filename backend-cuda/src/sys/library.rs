//! Finding and loading the driver's library.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use ringfence_backend_shared::loading::{self, Attempt, Lines};

use super::Functions;

/// What the library is called, and where NVIDIA's container images put it.
const PATHS: [&str; 4] = [
    "libcuda.so.1",
    "libcuda.so",
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
];
/// Names a library that is to be taken, and no other.
const OVERRIDE: &str = "RINGFENCE_CUDA_LIBRARY";

/// NVIDIA's driver library, loaded and never unloaded: its threads run until the process ends.
///
/// ```
/// use ringfence_cuda::sys::Library;
/// for path in Library::paths() {
///     println!("{}", path.display()); // what `load` tries; RINGFENCE_CUDA_LIBRARY replaces all of it
/// }
/// ```
#[derive(Debug)]
pub struct Library {
    path: PathBuf,
    functions: Functions,
    _library: libloading::Library,
}

impl Library {
    /// The driver library of this process, which the first successful call loads: as the dynamic loader finds it, or where
    /// containers have it. `RINGFENCE_CUDA_LIBRARY` names another, which is taken alone.
    ///
    /// # Errors
    /// [`LoadError`], with all that was tried; the next call tries again.
    pub fn load() -> Result<&'static Self, LoadError> {
        static LOADED: Mutex<Option<&'static Library>> = Mutex::new(None);
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = *loaded {
            return Ok(library);
        }
        // SAFETY: the default names are NVIDIA's library alone, and who sets `RINGFENCE_CUDA_LIBRARY` vouches for what lies there,
        // as with `LD_LIBRARY_PATH`.
        let library = unsafe { Self::load_from(Self::paths()) }?;
        *loaded = Some(library);
        Ok(library)
    }

    /// What [`load`](Self::load) tries, in that order.
    #[must_use]
    pub fn paths() -> Vec<PathBuf> {
        match std::env::var_os(OVERRIDE).filter(|path| !path.is_empty()) {
            Some(path) => vec![path.into()],
            None => PATHS.iter().map(PathBuf::from).collect(),
        }
    }

    /// The library at the first of `paths` that can be loaded; a path without `/` is for the dynamic loader to find. What was loaded
    /// stays.
    ///
    /// # Errors
    /// [`LoadError::NotFound`] if none can be loaded, [`LoadError::MissingSymbols`] if the first that can is no CUDA driver, or one
    /// older than 11.7.
    ///
    /// # Safety
    /// What lies at a path is the driver's library, or its initialisers may run and its functions of the driver's names have the
    /// driver's types.
    pub unsafe fn load_from(
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> Result<&'static Self, LoadError> {
        // SAFETY: the caller vouches for the initialisers of what lies there.
        let loaded = unsafe { loading::first_of(paths) };
        let (path, library) = loaded.map_err(|attempts| LoadError::NotFound { attempts })?;
        // SAFETY: the caller vouches for the types; the library goes into what is leaked, or is leaked below.
        match unsafe { Functions::find(&library) } {
            Ok(functions) => Ok(Box::leak(Box::new(Self { path, functions, _library: library }))),
            Err(symbols) => {
                std::mem::forget(library);
                Err(LoadError::MissingSymbols { path, symbols })
            }
        }
    }

    /// What was loaded, as it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The driver's functions.
    #[must_use]
    pub fn functions(&self) -> &Functions {
        &self.functions
    }
}

/// Why there is no CUDA driver.
///
/// ```no_run
/// use ringfence_cuda::sys::{Library, LoadError};
/// match Library::load() {
///     Ok(library) => println!("{}", library.path().display()),
///     Err(LoadError::MissingSymbols { path, symbols }) => {
///         eprintln!("{} is too old: {}", path.display(), symbols.join(", "));
///     }
///     Err(error) => eprintln!("{error}"), // all that was tried
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Nothing could be loaded.
    #[error("the CUDA driver could not be loaded; tried:{}", Lines(attempts))]
    NotFound {
        /// What was tried, in that order.
        attempts: Vec<Attempt>,
    },
    /// Something was loaded that is no CUDA driver, or too old.
    #[error("{} lacks what the driver has since CUDA 11.7: {}", path.display(), symbols.join(", "))]
    MissingSymbols {
        /// What was loaded.
        path: PathBuf,
        /// All that it lacks.
        symbols: Vec<&'static str>,
    },
}
