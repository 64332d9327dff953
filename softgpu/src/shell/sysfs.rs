//! The topology's files, in a folder of this process.

use std::{
    env,
    ffi::OsString,
    fs, io,
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::MetadataExt,
    },
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

    /// Writes the files into a new folder that only this user may enter, after removing those of processes
    /// that did not end well.
    pub(super) fn write(files: &[File]) -> io::Result<Self> {
        let (place, owner) = (env::temp_dir(), process::id());
        sweep(&place);
        let name = format!("{}{}-{owner}-XXXXXX", Self::PREFIX, namespace());
        let folder = make_folder(&place.join(name))?;
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

/// A new folder whose name ends in six letters in the place of as many `X`.
fn make_folder(template: &Path) -> io::Result<PathBuf> {
    let mut name = template.as_os_str().as_bytes().to_vec();
    name.push(0);
    // SAFETY: the name ends with 0 and may be written.
    let made = unsafe { libc::mkdtemp(name.as_mut_ptr().cast()) };
    if made.is_null() {
        return Err(io::Error::last_os_error());
    }
    name.pop();
    Ok(OsString::from_vec(name).into())
}
/// Which processes a process id is one of: containers may share a folder of temporary files.
fn namespace() -> String {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    link.to_string_lossy().chars().filter(char::is_ascii_digit).collect()
}

fn sweep(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    // SAFETY: a system call without arguments.
    let user = unsafe { libc::geteuid() };
    let own = format!("{}{}-", Sysfs::PREFIX, namespace());
    for entry in entries.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(&own)?.split('-').next());
        let is_dead =
            |owner: &str| owner.parse::<u32>().is_ok() && !Path::new("/proc").join(owner).exists();
        let is_ours = || entry.metadata().is_ok_and(|facts| facts.uid() == user && facts.is_dir());
        if owner.is_some_and(is_dead) && is_ours() {
            // What cannot be removed now is swept by another process.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
