//! Finding and loading HIP.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock, PoisonError},
};

use ringfence_backend_shared::loading::{self, Attempt, Lines};

use super::{CompilerFunctions, Functions};

/// What the library is called: HIP 7, 6 and 5, then whatever a development package links.
const NAMES: [&str; 4] =
    ["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"];
/// What has the run-time compiler, where it is a library of its own.
const COMPILERS: [&str; 3] = ["libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so"];
/// Where AMD's packages install, if `ROCM_PATH` does not say.
const ROCM: &str = "/opt/rocm";
/// Names a library that is to be taken, and no other.
const OVERRIDE: &str = "RINGFENCE_HIP_LIBRARY";

/// AMD's HIP runtime, loaded and never unloaded: its threads run until the process ends.
///
/// ```
/// use ringfence_hip::sys::Library;
/// for path in Library::paths() {
///     println!("{}", path.display()); // what `load` tries; RINGFENCE_HIP_LIBRARY replaces all of it
/// }
/// ```
#[derive(Debug)]
pub struct Library {
    path: PathBuf,
    functions: Functions,
    library: libloading::Library,
    compiler: OnceLock<Option<CompilerFunctions>>,
}

impl Library {
    /// The HIP of this process, which the first successful call loads: by name as the dynamic loader finds it, or from
    /// `$ROCM_PATH/lib` (`/opt/rocm/lib` if that is not set). `RINGFENCE_HIP_LIBRARY` names another, which is taken alone.
    ///
    /// # Errors
    /// [`LoadError`], with all that was tried; the next call tries again.
    pub fn load() -> Result<&'static Self, LoadError> {
        static LOADED: Mutex<Option<&'static Library>> = Mutex::new(None);
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(library) = *loaded {
            return Ok(library);
        }
        // SAFETY: the default names are AMD's library alone, and who sets `RINGFENCE_HIP_LIBRARY` or `ROCM_PATH`
        // vouches for what lies there, as with `LD_LIBRARY_PATH`.
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

    /// The HIP at the first of `paths` that can be loaded; a path without `/` is for the dynamic loader to find. What was
    /// loaded stays.
    ///
    /// # Errors
    /// [`LoadError::NotFound`] if none can be loaded, [`LoadError::MissingSymbols`] if the first that can is no HIP, or one
    /// older than 5.2.
    ///
    /// # Safety
    /// What lies at a path is HIP, or its initialisers may run and its functions of HIP's names have HIP's types.
    pub unsafe fn load_from(
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> Result<&'static Self, LoadError> {
        // SAFETY: the caller vouches for the initialisers of what lies there.
        let loaded = unsafe { loading::first_of(paths) };
        let (path, library) = loaded.map_err(|attempts| LoadError::NotFound { attempts })?;
        // SAFETY: the caller vouches for the types; the library goes into what is leaked, or is leaked below.
        match unsafe { Functions::find(&library) } {
            Ok(functions) => {
                let compiler = OnceLock::new();
                Ok(Box::leak(Box::new(Self { path, functions, library, compiler })))
            }
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

    /// HIP's functions.
    #[must_use]
    pub fn functions(&self) -> &Functions {
        &self.functions
    }

    /// The run-time compiler's functions: of HIP's own library up to 5.7, of `libhiprtc` since.
    #[must_use]
    pub fn compiler(&self) -> Option<&CompilerFunctions> {
        self.compiler.get_or_init(|| self.find_compiler()).as_ref()
    }

    fn find_compiler(&self) -> Option<CompilerFunctions> {
        let beside = |name: &&str| self.path.parent().map(|folder| folder.join(name));
        let named = COMPILERS.iter().map(PathBuf::from);
        // A HIP that was named by its path has its compiler beside it.
        let paths = COMPILERS.iter().filter_map(beside).chain(named);
        for path in paths {
            // SAFETY: these names are AMD's library, where the dynamic loader finds HIP itself.
            let Ok(library) = (unsafe { libloading::Library::new(path) }) else { continue };
            let library = Box::leak(Box::new(library));
            // SAFETY: its functions have the types of HIP's headers, and it is never closed.
            if let Ok(functions) = unsafe { CompilerFunctions::find(library) } {
                return Some(functions);
            }
        }
        // SAFETY: as above; `self` is leaked.
        unsafe { CompilerFunctions::find(&self.library) }.ok()
    }
}

/// Why there is no HIP.
///
/// ```no_run
/// use ringfence_hip::sys::{Library, LoadError};
/// match Library::load() {
///     Ok(library) => println!("{}", library.path().display()),
///     Err(LoadError::MissingSymbols { path, symbols }) => {
///         eprintln!("{} is older than 5.2: {}", path.display(), symbols.join(", "));
///     }
///     Err(error) => eprintln!("{error}"), // all that was tried
/// }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Nothing could be loaded.
    #[error("HIP could not be loaded; tried:{}", Lines(attempts))]
    NotFound {
        /// What was tried, in that order.
        attempts: Vec<Attempt>,
    },
    /// Something was loaded that is no HIP, or too old.
    #[error("{} lacks what HIP has since 5.2: {}", path.display(), symbols.join(", "))]
    MissingSymbols {
        /// What was loaded.
        path: PathBuf,
        /// All that it lacks.
        symbols: Vec<&'static str>,
    },
}
