//! The working tree: its root and its files.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::step::Failure;

/// Directories that hold nothing that anybody wrote.
const NOT_SOURCE: [&str; 3] = ["target", ".git", "artifacts"];

/// The repository, by its root directory.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    root: PathBuf,
}
impl Tree {
    /// The repository that `cargo xtask` was typed in.
    pub(crate) fn of_this_package() -> Result<Self, Failure> {
        let package = std::env::var_os("CARGO_MANIFEST_DIR")
            .ok_or_else(|| Failure::Found("start this program as `cargo xtask`".to_owned()))?;
        let package = PathBuf::from(package);
        let root = package.parent().unwrap_or(&package).to_owned();
        Ok(Self { root })
    }
    /// The root directory.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }
    /// The place of `relative`, which is a path from the root.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }
    /// The place of `relative` in the directory that cargo builds in.
    pub(crate) fn target(&self, relative: impl AsRef<Path>) -> PathBuf {
        let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        self.root.join(target).join(relative)
    }
    /// The text of a file, by its path from the root.
    pub(crate) fn read(&self, relative: impl AsRef<Path>) -> Result<String, Failure> {
        let path = self.path(relative);
        fs::read_to_string(&path).map_err(|source| Failure::File { path, source })
    }
    /// Every file below `directory` with the extension, as paths from the root, in the order of
    /// their names. Empty when there is no such directory.
    pub(crate) fn files(&self, directory: &str, extension: &str) -> Result<Vec<PathBuf>, Failure> {
        let mut found = Vec::new();
        let start = self.path(directory);
        if start.is_dir() {
            walk(&start, &mut found).map_err(|source| Failure::File { path: start, source })?;
        }
        let mut files: Vec<PathBuf> = found
            .iter()
            .filter(|path| path.extension().is_some_and(|own| own == extension))
            .filter_map(|path| path.strip_prefix(&self.root).ok().map(Path::to_owned))
            .collect();
        files.sort();
        Ok(files)
    }
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        if !entry.file_type()?.is_dir() {
            found.push(path);
        } else if !NOT_SOURCE.iter().any(|name| entry.file_name() == *name) {
            walk(&path, found)?;
        }
    }
    Ok(())
}
