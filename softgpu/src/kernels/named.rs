//! Kernels of tests and experiments, known by their names (declare them `extern "C"`).
//!
//! Each is written so that a plain kernel of the same name does the same on a GPU: one work-item an
//! element, none beyond the grid. Arguments in the order of declaration, each at its natural alignment.
//!
//! | kernel | computes |
//! |---|---|
//! | `fill_u32(u32 *out, u32 value, u32 count)` | `out[i] = value` |
//! | `iota(u32 *out, u32 start, u32 count)` | `out[i] = start + i`, modulo 2^32 |
//! | `saxpy(f32 a, f32 *x, f32 *y, i32 count)` | `y[i] = a * x[i] + y[i]`; the product is rounded |
//! | `reduce_sum(u32 *in, u64 *out, u32 count)` | adds the sum of `in` to `*out`, atomically |
//! | `stencil(f32 *in, f32 *out, u32 width, u32 height, u32 x, u32 y, u32 columns, u32 rows)` | below |
//!
//! `stencil` computes `columns` by `rows` cells from (x, y) on, of a surface of `width` by `height`:
//! a quarter of the cells above, below, left and right, added in this order; cells at the edge of the
//! surface are copied. Chunks of one surface, and surfaces with a halo of their own, are both such.

use super::arguments::{Arguments, aligned};
use crate::{
    address::Address,
    bus::{Bus, Fault},
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Named {
    FillU32,
    Iota,
    Saxpy,
    ReduceSum,
    Stencil,
}
impl Named {
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "fill_u32" => Self::FillU32,
            "iota" => Self::Iota,
            "saxpy" => Self::Saxpy,
            "reduce_sum" => Self::ReduceSum,
            "stencil" => Self::Stencil,
            _ => return None,
        })
    }
    pub(super) fn run<B: Bus>(self, arguments: &Arguments<'_, B>) -> Result<(), Fault> {
        match self {
            Self::FillU32 => {
                let (out, value) = (arguments.address(0)?, arguments.u32(8)?);
                match items(arguments, arguments.u32(12)?) {
                    0 => Ok(()),
                    count => arguments.bus.fill(out, &value.to_le_bytes(), count * 4),
                }
            }
            Self::Iota => {
                let (out, start) = (arguments.address(0)?, arguments.u32(8)?);
                blocks(items(arguments, arguments.u32(12)?), |first, count| {
                    let first_value = start.wrapping_add(first as u32);
                    let values = (0..count as u32).map(|i| first_value.wrapping_add(i));
                    store(arguments.bus, out.plus(first * 4), values)
                })
            }
            Self::Saxpy => saxpy(arguments),
            Self::ReduceSum => {
                let (input, out) = (arguments.address(0)?, aligned(arguments.address(8)?, 8)?);
                let mut sum = 0_u64;
                blocks(items(arguments, arguments.u32(16)?), |first, count| {
                    let values = load(arguments.bus, input.plus(first * 4), count)?;
                    sum += values.map(u64::from).sum::<u64>(); // 2^32 of 32 bits at most
                    Ok(())
                })?;
                arguments.bus.add_u64(out, sum).map(|_| ())
            }
            Self::Stencil => stencil(arguments),
        }
    }
}

fn saxpy<B: Bus>(arguments: &Arguments<'_, B>) -> Result<(), Fault> {
    let a = f32::from_bits(arguments.u32(0)?);
    let (x, y) = (arguments.address(8)?, arguments.address(16)?);
    let count = u32::try_from(arguments.u32(24)?.cast_signed()).unwrap_or(0);
    blocks(items(arguments, count), |first, count| {
        let load = |at: Address| load(arguments.bus, at.plus(first * 4), count);
        let sums = load(x)?.zip(load(y)?);
        let sums = sums.map(|(x, y)| a * f32::from_bits(x) + f32::from_bits(y));
        store(arguments.bus, y.plus(first * 4), sums.map(f32::to_bits))
    })
}

fn stencil<B: Bus>(arguments: &Arguments<'_, B>) -> Result<(), Fault> {
    let bus = arguments.bus;
    let (input, out) = (arguments.address(0)?, arguments.address(8)?);
    let word = |index: u64| arguments.u32(16 + index * 4).map(u64::from);
    let (width, height, x0, y0) = (word(0)?, word(1)?, word(2)?, word(3)?);
    let [grid_x, grid_y, _] = arguments.grid();
    let columns = word(4)?.min(grid_x).min(width.saturating_sub(x0));
    let rows = word(5)?.min(grid_y).min(height.saturating_sub(y0));
    let offset = |x: u64, y: u64| (y * width + x).wrapping_mul(4);
    let cells = |x: u64, y: u64, count: usize| -> Result<Vec<f32>, Fault> {
        Ok(load(bus, input.plus(offset(x, y)), count)?.map(f32::from_bits).collect())
    };
    for y in y0..y0 + rows {
        blocks(columns, |first, count| {
            let x = x0 + first;
            let left = x.saturating_sub(1);
            let right = (x + count as u64 + 1).min(width);
            let row = cells(left, y, (right - left) as usize)?;
            let own = (x - left) as usize;
            let mut new = row[own..own + count].to_vec();
            if y > 0 && y + 1 < height {
                let (above, below) = (cells(x, y - 1, count)?, cells(x, y + 1, count)?);
                for (i, new) in new.iter_mut().enumerate() {
                    let at = own + i;
                    if at > 0 && at + 1 < row.len() {
                        *new = 0.25 * (above[i] + below[i] + row[at - 1] + row[at + 1]);
                    }
                }
            }
            store(bus, out.plus(offset(x, y)), new.into_iter().map(f32::to_bits))
        })?;
    }
    Ok(())
}

/// Work-items that find an element.
fn items<B: Bus>(arguments: &Arguments<'_, B>, count: u32) -> u64 {
    u64::from(count).min(arguments.grid()[0])
}
/// Does `count` elements in blocks of what is worth holding at once: the first of each, and how many.
fn blocks(count: u64, mut act: impl FnMut(u64, usize) -> Result<(), Fault>) -> Result<(), Fault> {
    const BLOCK: u64 = 16 * 1024;
    for first in (0..count).step_by(BLOCK as usize) {
        act(first, (count - first).min(BLOCK) as usize)?;
    }
    Ok(())
}
fn load<B: Bus>(
    bus: &B,
    at: Address,
    count: usize,
) -> Result<impl Iterator<Item = u32> + use<B>, Fault> {
    let mut bytes = vec![0; count * 4];
    bus.read(at, &mut bytes)?;
    Ok((0..count).map(move |i| {
        u32::from_le_bytes([bytes[i * 4], bytes[i * 4 + 1], bytes[i * 4 + 2], bytes[i * 4 + 3]])
    }))
}
fn store(bus: &impl Bus, at: Address, words: impl Iterator<Item = u32>) -> Result<(), Fault> {
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    bus.write(at, &bytes)
}
