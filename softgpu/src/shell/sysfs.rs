//! The topology's files, in a folder of this process.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process,
};

use crate::topology::File;

/// The folder.
pub(super) struct Sysfs {
    folder: PathBuf,
    owner: u32,
}
impl Sysfs {
    const PREFIX: &str = "ringfence-softgpu-";

    /// Writes the files, after removing the folders of processes that did not end well.
    pub(super) fn write(files: &[File]) -> io::Result<Self> {
        let (place, owner) = (env::temp_dir(), process::id());
        sweep(&place);
        let folder = place.join(format!("{}{owner}", Self::PREFIX));
        for file in files {
            let path = folder.join(&file.path);
            fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            fs::write(path, &file.contents)?;
        }
        Ok(Self { folder, owner })
    }
    /// Where a file or folder of the kernel's is, if it is one of the driver's.
    pub(super) fn find(&self, path: &Path) -> Option<PathBuf> {
        path.strip_prefix(ROOT).ok().map(|rest| self.folder.join(rest))
    }
    /// Removes all. A child of the process leaves its parent's alone.
    pub(super) fn remove(&self) {
        if process::id() == self.owner {
            // What cannot be removed is swept by the next process.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// The driver's folder.
pub(super) const ROOT: &str = "/sys/devices/virtual/kfd/kfd";

fn sweep(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(Sysfs::PREFIX));
        let gone = |owner: &str| !Path::new("/proc").join(owner).exists();
        if owner.is_some_and(|owner| owner.parse::<u32>().is_ok() && gone(owner)) {
            // Another user's folder stays: it is theirs to remove.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
