//! The computations of a texture unit: wrapping, filtering, levels.
//!
//! Assumptions: filter weights are not quantised, and an anisotropic filter averages evenly spaced samples along the
//! longer axis of the footprint. The graphics APIs allow both.

use crate::cube;
use crate::footprint::Footprint;
use crate::textures::{Sampler, Texture, Wrap};

/// Reads texels of one lane: level, x, y, slice. `None` denotes a texel outside the texture.
pub(crate) trait Texels<E> {
    /// The four channels after the swizzle.
    fn fetch(&mut self, level: u32, place: Option<[u32; 3]>) -> Result<[u32; 4], E>;
}

/// Parameters of a lookup.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lookup {
    /// Coordinates, as floats.
    pub(crate) at: [f32; 3],
    /// Layer, already an integer.
    pub(crate) layer: u32,
    /// Texel offsets.
    pub(crate) offset: [i32; 3],
    /// Level of detail relative to the first level, unclamped, and the extent of the footprint.
    pub(crate) footprint: Footprint,
    /// Reference of a shadow lookup.
    pub(crate) reference: Option<f32>,
    /// Gather this channel instead of filtering.
    pub(crate) gather: Option<usize>,
}

/// A position on a level; the slice is constant for all but 3D textures.
#[derive(Clone, Copy, Debug)]
struct Position {
    at: [f32; 3],
    slice: Option<u32>,
}

/// Levels of detail: as computed, and clamped to sampler and texture.
pub(crate) fn clamped_lod(texture: &Texture, sampler: &Sampler, lod: f32) -> f32 {
    let levels = (texture.last_level - texture.first_level) as f32;
    let limited = lod.max(sampler.min_lod).min(sampler.max_lod);
    if sampler.linear_mip.is_none() { 0.0 } else { limited.clamp(0.0, levels) }
}

/// Samples with the sampler's filters: once, or along the longer axis of the footprint.
pub(crate) fn sample<E>(
    texture: &Texture,
    sampler: &Sampler,
    lookup: &Lookup,
    texels: &mut impl Texels<E>,
) -> Result<[u32; 4], E> {
    let Footprint { taps, along, .. } = lookup.footprint;
    if taps < 2 || lookup.gather.is_some() || texture.format.is_integer() {
        return sample_once(texture, sampler, lookup, texels);
    }
    let mut sum = [0.0_f32; 4];
    for tap in 0..taps {
        let part = (tap as f32 + 0.5) / taps as f32 - 0.5;
        let at = std::array::from_fn(|axis| lookup.at[axis] + along[axis] * part);
        let texel = sample_once(texture, sampler, &Lookup { at, ..*lookup }, texels)?;
        for (sum, value) in sum.iter_mut().zip(texel) {
            *sum += f32::from_bits(value) / taps as f32;
        }
    }
    Ok(sum.map(f32::to_bits))
}

/// Samples at one point.
fn sample_once<E>(
    texture: &Texture,
    sampler: &Sampler,
    lookup: &Lookup,
    texels: &mut impl Texels<E>,
) -> Result<[u32; 4], E> {
    let position = project(texture, lookup);
    let lod = lookup.footprint.lod.max(sampler.min_lod).min(sampler.max_lod);
    let linear = if lod > 0.0 { sampler.linear_minify } else { sampler.linear_magnify };
    let level = clamped_lod(texture, sampler, lookup.footprint.lod);
    let mut one = |level: u32| {
        let level = texture.first_level + level;
        filter(texture, sampler, lookup, &position, level, linear, texels)
    };
    let nearest = if sampler.linear_mip == Some(false) { libm::floorf(level + 0.5) } else { level };
    let (base, fraction) = (libm::floorf(nearest) as u32, nearest - libm::floorf(nearest));
    if fraction == 0.0 || lookup.gather.is_some() || texture.format.is_integer() {
        return one(base);
    }
    let (near, far) = (one(base)?, one(base + 1)?);
    Ok(std::array::from_fn(|at| mix(near[at], far[at], fraction)))
}

fn mix(a: u32, b: u32, t: f32) -> u32 {
    (f32::from_bits(a) * (1.0 - t) + f32::from_bits(b) * t).to_bits()
}

/// Coordinates along the texture's axes, and the slice.
fn project(texture: &Texture, lookup: &Lookup) -> Position {
    let last = texture.depth - 1;
    if texture.dimension.cube {
        let (face, s, t) = cube::face(lookup.at);
        let layer = if texture.dimension.array { lookup.layer.min(last) } else { 0 };
        return Position { at: [s, t, 0.0], slice: Some(6 * layer + face) };
    }
    let slice = match (texture.dimension.array, texture.dimension.axes) {
        (true, _) => Some(lookup.layer.min(last)),
        (false, 3) => None,
        (false, _) => Some(0),
    };
    Position { at: lookup.at, slice }
}

/// Number of axes that are filtered.
fn filtered_axes(texture: &Texture) -> usize {
    if texture.dimension.cube { 2 } else { texture.dimension.axes }
}

/// One level: nearest, linear or gather.
fn filter<E>(
    texture: &Texture,
    sampler: &Sampler,
    lookup: &Lookup,
    position: &Position,
    level: u32,
    linear: bool,
    texels: &mut impl Texels<E>,
) -> Result<[u32; 4], E> {
    let axes = filtered_axes(texture);
    let extent = texture.extent(level);
    let linear =
        (linear || lookup.gather.is_some()) && !(texture.format.is_integer() && lookup.gather.is_none());
    let mut start = [0_i64; 3];
    let mut fraction = [0.0_f32; 3];
    for axis in 0..axes {
        let size = if sampler.pixel_coordinates { 1.0 } else { extent[axis] as f32 };
        let shift = if linear { 0.5 } else { 0.0 };
        let at = position.at[axis] * size - shift;
        let whole = libm::floorf(at);
        start[axis] = whole as i64 + i64::from(lookup.offset[axis]);
        fraction[axis] = if linear { at - whole } else { 0.0 };
    }
    let mut texel = |place: Option<[u32; 3]>| {
        let texel = texels.fetch(level, place)?;
        Ok(match lookup.reference {
            Some(reference) => {
                let held = sampler.compare.holds(reference, f32::from_bits(texel[0]));
                [f32::to_bits(if held { 1.0 } else { 0.0 }); 4]
            }
            None => texel,
        })
    };
    let seamless = texture.dimension.cube && linear && !sampler.seams;
    let mut corner = |step: [i64; 3]| {
        let place = std::array::from_fn(|axis| start[axis] + step[axis]);
        match position.slice.filter(|_| seamless) {
            Some(slice) => across_edges(extent[0], [place[0], place[1]], slice, &mut texel),
            None => texel(wrapped(texture, sampler, extent, place, position.slice)),
        }
    };
    if let Some(channel) = lookup.gather {
        // Counter-clockwise from the lower left, as the graphics APIs number them.
        let steps = [[0, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 0]];
        let mut gathered = [0; 4];
        for (value, step) in gathered.iter_mut().zip(steps) {
            *value = corner(step)?[channel];
        }
        return Ok(gathered);
    }
    weighted(axes, linear, fraction, corner)
}

/// A texel of a cube; beyond an edge of its face it is on the neighbouring face. Beyond a corner it is the mean of the
/// three texels around the corner.
fn across_edges<E>(
    size: u32,
    place: [i64; 2],
    slice: u32,
    texel: &mut impl FnMut(Option<[u32; 3]>) -> Result<[u32; 4], E>,
) -> Result<[u32; 4], E> {
    let (cube, face) = (slice / 6 * 6, slice % 6);
    let mut one = |place: [i64; 2]| {
        let ([x, y], face) = cube::neighbour(size, place, face);
        texel(Some([x, y, cube + face]))
    };
    let inner = place.map(|at| at.clamp(0, i64::from(size) - 1));
    if place[0] == inner[0] || place[1] == inner[1] {
        return one(place);
    }
    let around = [one(inner)?, one([place[0], inner[1]])?, one([inner[0], place[1]])?];
    Ok(std::array::from_fn(|channel| {
        let sum: f32 = around.iter().map(|texel| f32::from_bits(texel[channel])).sum();
        (sum / 3.0).to_bits()
    }))
}

/// The weighted sum of the texels around a point, or the nearest texel.
fn weighted<E>(
    axes: usize,
    linear: bool,
    fraction: [f32; 3],
    mut corner: impl FnMut([i64; 3]) -> Result<[u32; 4], E>,
) -> Result<[u32; 4], E> {
    if !linear {
        return corner([0; 3]);
    }
    let mut sum = [0.0_f32; 4];
    for number in 0..1_usize << axes {
        let step: [i64; 3] = std::array::from_fn(|axis| (number >> axis & 1) as i64);
        let weight: f32 = (0..axes)
            .map(|axis| if step[axis] == 1 { fraction[axis] } else { 1.0 - fraction[axis] })
            .product();
        if weight == 0.0 {
            continue;
        }
        let texel = corner(step)?;
        for (sum, value) in sum.iter_mut().zip(texel) {
            *sum += weight * f32::from_bits(value);
        }
    }
    Ok(sum.map(f32::to_bits))
}

/// The texel for coordinates after wrapping; `None` is the border.
fn wrapped(
    texture: &Texture,
    sampler: &Sampler,
    extent: [u32; 3],
    place: [i64; 3],
    slice: Option<u32>,
) -> Option<[u32; 3]> {
    let mut texel = [0; 3];
    for axis in 0..filtered_axes(texture) {
        let mode = if texture.dimension.cube { Wrap::ClampToEdge } else { sampler.wrap[axis] };
        texel[axis] = wrap(mode, place[axis], i64::from(extent[axis]))?;
    }
    if let Some(slice) = slice {
        texel[2] = slice;
    }
    Some(texel)
}

fn wrap(mode: Wrap, at: i64, size: i64) -> Option<u32> {
    let mirrored = |at: i64| if at < 0 { -1 - at } else { at };
    let wrapped = match mode {
        Wrap::ClampToEdge => at.clamp(0, size - 1),
        Wrap::Repeat => at.rem_euclid(size),
        Wrap::MirroredRepeat => {
            let turn = at.rem_euclid(2 * size);
            if turn < size { turn } else { 2 * size - 1 - turn }
        }
        Wrap::ClampToBorder => Some(at).filter(|at| (0..size).contains(at))?,
        Wrap::MirroredClampToEdge => mirrored(at).clamp(0, size - 1),
    };
    Some(wrapped as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping() {
        use Wrap::*;
        let cases = [
            (ClampToEdge, [0, 0, 0, 1, 2, 3, 3, 3]),
            (Repeat, [2, 3, 0, 1, 2, 3, 0, 1]),
            (MirroredRepeat, [1, 0, 0, 1, 2, 3, 3, 2]),
            (MirroredClampToEdge, [1, 0, 0, 1, 2, 3, 3, 3]),
        ];
        for (mode, expected) in cases {
            let found: Vec<u32> = (-2..6).map(|at| wrap(mode, at, 4).expect("no border")).collect();
            assert_eq!(found, expected, "{mode:?}");
        }
        assert_eq!(wrap(ClampToBorder, -1, 4), None);
        assert_eq!(wrap(ClampToBorder, 3, 4), Some(3));
    }
}
