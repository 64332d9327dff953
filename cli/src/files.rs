//! Which files are meant.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The files themselves, and those that lie directly in a folder, by name.
pub(crate) fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let mut files = Vec::new();
    for path in paths {
        let found = if path.is_dir() { in_folder(path) } else { Ok(vec![path.clone()]) };
        files.extend(found.map_err(|error| (path.clone(), error))?);
    }
    Ok(files)
}

fn in_folder(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() && path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_the_files_that_lie_directly_in_it() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenarios");
        let files = find(std::slice::from_ref(&corpus)).expect("the corpus is there");
        assert!(files.len() >= 50);
        assert!(files.iter().all(|file| file.parent() == Some(corpus.as_path())));
        assert!(files.is_sorted());
    }
    #[test]
    fn a_missing_folder_is_named() {
        let missing = PathBuf::from("no such folder");
        let file = find(std::slice::from_ref(&missing))
            .expect("taken for a file, which reading will deny");
        assert_eq!(file, [missing]);
    }
}
