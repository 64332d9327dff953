//! The instruction set of a GPU, by name.

use std::ffi::{CStr, c_void};

use ringfence::id::DeviceId;

use crate::{error::HipError, runtime::Hip};

/// Where `gcnArchName` begins in the properties that HIP writes since 6.0 (`hipDeviceProp_tR0600`, 1,472 bytes), and in those of
/// the older symbol, which kept its layout (<https://github.com/ROCm/rocm-systems/tree/develop/projects/hip/include/hip>).
pub(crate) const SINCE_6: usize = 1160;
const BEFORE_6: usize = 396;
/// Bytes of the name.
const LENGTH: usize = 256;
/// Much more than any version writes.
const ROOM: usize = 16 * 1024;

/// Zeroed room for the properties, aligned for any field.
#[repr(C, align(64))]
struct Properties([u8; ROOM]);

impl Hip {
    /// The instruction set of a GPU with its settings, as the compiler wants it: `gfx90a:sramecc+:xnack-`. The part before the
    /// first `:` is the name alone.
    ///
    /// # Errors
    /// [`HipError::NoSuchDevice`]; [`HipError::Missing`] where it cannot be told; what HIP says.
    pub fn gfx(self, device: DeviceId) -> Result<String, HipError> {
        let ordinal = self.ordinal(device)?;
        let functions = self.functions();
        let newer = functions.hipGetDevicePropertiesR0600.map(|ask| (ask, SINCE_6));
        let older = functions.hipGetDeviceProperties.map(|ask| (ask, BEFORE_6));
        let unknown = HipError::Missing {
            version: self.version(),
            what: "name of this GPU's instruction set that is known how to read",
            remedy: "name it yourself; `rocminfo` prints it",
        };
        let Some((ask, at)) = newer.or(older) else { return Err(unknown) };
        let mut properties = Box::new(Properties([0; ROOM]));
        let place: *mut c_void = (&raw mut *properties).cast();
        // SAFETY: the room is aligned for every field and larger than what any version writes.
        self.ok("hipGetDeviceProperties", unsafe { ask(place, ordinal) })?;
        named(&properties.0[at..at + LENGTH]).ok_or(unknown)
    }
}

/// The name in these bytes, if it is one: with a layout that is not known there is something else.
fn named(bytes: &[u8]) -> Option<String> {
    let name = CStr::from_bytes_until_nul(bytes).ok()?.to_str().ok()?;
    let of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || b":+-".contains(&byte);
    let digits = name.strip_prefix("gfx")?;
    (!digits.is_empty() && digits.bytes().all(of_a_name)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests;
