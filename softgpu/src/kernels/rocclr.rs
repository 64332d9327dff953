//! HIP's own kernels, `__amd_rocclr_*`, with their arguments as HIP 5.2.3, 5.7.1 and 6.4.3 have them.
//!
//! The last changed two under their old names. Their arguments tell which it is:
//! <https://github.com/ROCm/clr/blob/amd-staging/rocclr/device/blitcl.cpp>.

use super::{
    Ran,
    arguments::{Arguments, aligned, until},
};
use crate::{
    address::Address,
    bus::{Bus, Fault},
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rocclr {
    Fill,
    Fill2d,
    Copy,
    CopyAligned,
    CopyRect,
    CopyRectAligned,
    StreamWrite,
    StreamWait,
}
impl Rocclr {
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("__amd_rocclr_")? {
            "fillBufferAligned" => Self::Fill,
            "fillBufferAligned2D" => Self::Fill2d,
            "copyBuffer" => Self::Copy,
            "copyBufferAligned" => Self::CopyAligned,
            "copyBufferRect" => Self::CopyRect,
            "copyBufferRectAligned" => Self::CopyRectAligned,
            "streamOpsWrite" => Self::StreamWrite,
            "streamOpsWait" => Self::StreamWait,
            _ => return None,
        })
    }
    pub(super) fn run<B: Bus>(self, arguments: &Arguments<'_, B>) -> Result<Ran, Fault> {
        match self {
            Self::Fill => fill(arguments)?,
            Self::Fill2d => fill_2d(arguments)?,
            Self::Copy => copy(arguments)?,
            Self::CopyAligned => copy_aligned(arguments)?,
            Self::CopyRect => copy_rect(arguments, 1)?,
            Self::CopyRectAligned => copy_rect(arguments, element(arguments.u64(120)?))?,
            Self::StreamWrite => stream_write(arguments)?,
            Self::StreamWait => return stream_wait(arguments),
        }
        Ok(Ran::Done)
    }
}

/// Elements of aligned copies have 16 bytes or 4.
const fn element(alignment: u64) -> u64 {
    if alignment == 16 { 16 } else { 4 }
}

/// One of four pointers, to elements of 1, 2, 4 or 8 bytes, is not null: it and its elements' size.
fn typed<B: Bus>(arguments: &Arguments<'_, B>) -> Result<Option<(Address, u64)>, Fault> {
    for log in (0..4).rev() {
        let buffer = arguments.address(log * 8)?;
        if !buffer.is_null() {
            return Ok(Some((buffer, 1 << log)));
        }
    }
    Ok(None)
}

/// (uchar*, ushort*, uint*, ulong*, pattern, uint elements of it, offset, repetitions) up to HIP 6.1;
/// then (buffer, pattern, uint elements of it, uint bytes of one, end, uint stride): two pointers.
fn fill<B: Bus>(arguments: &Arguments<'_, B>) -> Result<(), Fault> {
    let (first, second) = (arguments.address(0)?, arguments.address(8)?);
    let (to, pattern, repeated, bytes);
    if first.is_null() || second.is_null() {
        let Some((buffer, size)) = typed(arguments)? else { return Ok(()) };
        to = buffer.plus(arguments.u64(48)?.wrapping_mul(size));
        repeated = u64::from(arguments.u32(40)?) * size;
        pattern = arguments.address(32)?;
        bytes = repeated.saturating_mul(arguments.u64(56)?);
    } else {
        let (elements, size) = (arguments.u32(16)?, arguments.u32(20)?);
        let size = if matches!(size, 2 | 4 | 8 | 16) { size } else { 1 };
        (to, pattern, repeated) = (first, second, u64::from(elements) * u64::from(size));
        // Work-items write whole patterns, also where the last begins just before the end.
        let length = until(to, arguments.address(24)?);
        bytes = length.checked_next_multiple_of(repeated.max(1)).unwrap_or(length);
    }
    if repeated == 0 || bytes == 0 {
        return Ok(());
    }
    arguments.bus.fill(to, &arguments.pointed(pattern, repeated)?, bytes)
}

/// (uchar*, ushort*, uint*, ulong*, pattern, uint elements of it, offset, width, height, pitch). Each
/// work-item writes a whole pattern at its own element; HIP's patterns have one.
fn fill_2d<B: Bus>(arguments: &Arguments<'_, B>) -> Result<(), Fault> {
    let Some((buffer, size)) = typed(arguments)? else { return Ok(()) };
    let bytes = u64::from(arguments.u32(40)?) * size;
    let [x, y, _] = arguments.grid();
    let (columns, rows) = (arguments.u64(56)?.min(x), arguments.u64(64)?.min(y));
    if bytes == 0 || columns == 0 || rows == 0 {
        return Ok(());
    }
    let pattern = arguments.pointed(arguments.address(32)?, bytes)?;
    let (offset, pitch) = (arguments.u64(48)?, arguments.u64(72)?);
    for row in 0..rows {
        let start = offset.wrapping_add(row.wrapping_mul(pitch)).wrapping_mul(size);
        let to = buffer.plus(start);
        arguments.bus.fill(to, &pattern[..size as usize], columns * size)?;
        arguments.bus.write(to.plus((columns - 1) * size), &pattern)?;
    }
    Ok(())
}

/// (from, to, from offset, to offset, dwords + 1, uint bytes after them) up to HIP 6.1; then (from, to,
/// bytes, uint bytes after the elements, uint bytes of one, end of the elements, uint stride). The end
/// lies within the destination, where the older form has a count, far below any address.
fn copy<B: Bus>(arguments: &Arguments<'_, B>) -> Result<(), Fault> {
    let (from, to) = (arguments.address(0)?, arguments.address(8)?);
    let (third, fifth) = (arguments.u64(16)?, arguments.u64(32)?);
    let body = Address::new(fifth).since(to).filter(|&body| body <= third);
    let (from, to, bytes) = match body {
        // The elements and the bytes after them meet: together they are all.
        Some(_) => (from, to, third),
        None => {
            const BYTE_BY_BYTE: u32 = 8;
            let bytes = match arguments.u32(40)? {
                BYTE_BY_BYTE => fifth,
                after => fifth.saturating_sub(1).saturating_mul(4).saturating_add(after.into()),
            };
            (from.plus(third), to.plus(arguments.u64(24)?), bytes)
        }
    };
    if bytes == 0 { Ok(()) } else { arguments.bus.copy(to, from, bytes) }
}

/// (from, to, from offset, to offset, elements, uint bytes of one): offsets in elements.
fn copy_aligned<B: Bus>(arguments: &Arguments<'_, B>) -> Result<(), Fault> {
    let size = element(arguments.u32(40)?.into());
    let from = arguments.address(0)?.plus(arguments.u64(16)?.wrapping_mul(size));
    let to = arguments.address(8)?.plus(arguments.u64(24)?.wrapping_mul(size));
    match arguments.u64(32)? {
        0 => Ok(()),
        elements => arguments.bus.copy(to, from, elements.saturating_mul(size)),
    }
}

/// (from, to, [row pitch, slice pitch, start] of each, [columns, rows, slices, bytes of an element]), all
/// in elements; vectors of four are aligned to 32.
fn copy_rect<B: Bus>(arguments: &Arguments<'_, B>, size: u64) -> Result<(), Fault> {
    let (from, to) = (arguments.address(0)?, arguments.address(8)?);
    let (source, target) = (arguments.quad(32)?, arguments.quad(64)?);
    let place = |[pitch, slice, start, _]: [u64; 4], y: u64, z: u64| {
        let row = y.wrapping_mul(pitch).wrapping_add(z.wrapping_mul(slice));
        start.wrapping_add(row).wrapping_mul(size)
    };
    let ([columns, rows, slices, _], [x, y, z]) = (arguments.quad(96)?, arguments.grid());
    let width = columns.min(x) * size;
    if width == 0 {
        return Ok(());
    }
    for slice in 0..slices.min(z) {
        for row in 0..rows.min(y) {
            let (from, to) =
                (from.plus(place(source, row, slice)), to.plus(place(target, row, slice)));
            arguments.bus.copy(to, from, width)?;
        }
    }
    Ok(())
}

/// (uint*, ulong*, value): one of the pointers is null. A fourth argument of HIP 5 says nothing more.
fn stream_write<B: Bus>(arguments: &Arguments<'_, B>) -> Result<(), Fault> {
    let (narrow, value) = (arguments.address(0)?, arguments.u64(16)?);
    if narrow.is_null() {
        arguments.bus.store_u64(aligned(arguments.address(8)?, 8)?, value)
    } else {
        arguments.bus.store_u32(aligned(narrow, 4)?, value as u32)
    }
}

/// (uint*, ulong*, value, comparison, mask): one of the pointers is null. Unsigned; the last comparison
/// holds while a bit of the mask is in neither.
fn stream_wait<B: Bus>(arguments: &Arguments<'_, B>) -> Result<Ran, Fault> {
    let narrow = arguments.address(0)?;
    let (memory, all) = if narrow.is_null() {
        (arguments.bus.load_u64(aligned(arguments.address(8)?, 8)?)?, u64::MAX)
    } else {
        (arguments.bus.load_u32(aligned(narrow, 4)?)?.into(), u32::MAX.into())
    };
    let (value, mask) = (arguments.u64(16)? & all, arguments.u64(32)? & all);
    let holds = match arguments.u32(24)? {
        0 => memory & mask >= value,
        1 => memory & mask == value,
        2 => memory & mask & value != 0,
        3 => (memory | value) & mask != mask,
        _ => true,
    };
    Ok(if holds { Ran::Done } else { Ran::Waiting })
}
