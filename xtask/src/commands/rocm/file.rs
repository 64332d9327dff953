//! Files and folders, with errors that name them.

use std::{fs, io, path::Path};

use crate::step::Failure;

/// Makes a folder and those above it.
pub(super) fn make(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|source| failure(path, source))
}
/// Writes a file.
pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|source| failure(path, source))
}
/// Removes a folder with all that is in it, if it is there.
pub(super) fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_dir_all(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(failure(path, source)),
        _ => Ok(()),
    }
}
/// Gives a folder its final name.
pub(super) fn rename(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::rename(from, to).map_err(|source| failure(to, source))
}

fn failure(path: &Path, source: io::Error) -> Failure {
    Failure::File { path: path.to_owned(), source }
}
