//! How much memory the process takes.

use std::{fs, io};

use ringfence::id::Bytes;

use super::problem::Problem;

/// Memory of this process that is resident: `VmRSS` of `/proc/self/status`, which is the second number of `/proc/self/statm` in a
/// unit that does not depend on the size of a page.
pub(super) fn resident() -> Result<Bytes, Problem> {
    let status = fs::read_to_string("/proc/self/status").map_err(Problem::Memory)?;
    of(&status).ok_or_else(|| Problem::Memory(io::Error::other("no VmRSS")))
}

fn of(status: &str) -> Option<Bytes> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(Bytes::new(kib * 1024))
}

/// In units of 2^20 bytes.
pub(super) fn mib(bytes: Bytes) -> f64 {
    bytes.as_u64() as f64 / f64::from(1 << 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found() {
        let status = "Name:\tx\nVmHWM:\t  9 kB\nVmRSS:\t   1234 kB\nThreads:\t1\n";
        assert_eq!(of(status), Some(Bytes::new(1234 * 1024)));
        assert_eq!(of("VmHWM: 9 kB\n"), None);
        assert_eq!(of("VmRSS: nine kB\n"), None);
    }

    #[test]
    fn memory_that_is_touched_counts() {
        let before = resident().expect("Linux").as_u64();
        let touched = std::hint::black_box(vec![1_u8; 64 << 20]);
        assert!(resident().expect("Linux").as_u64() > before + (48 << 20));
        drop(touched);
    }
}
