//! What a texture unit computes: wrapping, filtering, levels, cube faces.
//!
//! Filter weights are not quantised, anisotropy is taken as 1, and faces of a cube are filtered each on its own with
//! edges clamped: assumptions, all inside what the graphics APIs allow.

use crate::textures::{Sampler, Texture, Wrap};

/// Reads texels of one lane: level, x, y, slice. `None` stands for a texel outside the texture.
pub(crate) trait Texels<E> {
    /// The four channels after the swizzle.
    fn fetch(&mut self, level: u32, place: Option<[u32; 3]>) -> Result<[u32; 4], E>;
}

/// Where and how to sample.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lookup {
    /// Coordinates, as floats.
    pub(crate) at: [f32; 3],
    /// Layer, already an integer.
    pub(crate) layer: u32,
    /// Texel offsets.
    pub(crate) offset: [i32; 3],
    /// Level of detail relative to the first level, unclamped.
    pub(crate) lod: f32,
    /// Reference of a shadow lookup.
    pub(crate) reference: Option<f32>,
    /// Gather this channel instead of filtering.
    pub(crate) gather: Option<usize>,
}

/// A position on a level: slice is fixed for everything but 3D textures.
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

/// Samples with the sampler's filters.
pub(crate) fn sample<E>(
    texture: &Texture,
    sampler: &Sampler,
    lookup: &Lookup,
    texels: &mut impl Texels<E>,
) -> Result<[u32; 4], E> {
    let position = project(texture, lookup);
    let lod = lookup.lod.max(sampler.min_lod).min(sampler.max_lod);
    let linear = if lod > 0.0 { sampler.linear_minify } else { sampler.linear_magnify };
    let level = clamped_lod(texture, sampler, lookup.lod);
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

/// Coordinates in the texture's own axes, and the slice.
fn project(texture: &Texture, lookup: &Lookup) -> Position {
    let last = texture.depth - 1;
    if texture.dimension.cube {
        let (face, s, t) = cube_face(lookup.at);
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

/// Face and position on it, 0 to 1, of a direction: the rules of the graphics APIs, faces +x −x +y −y +z −z.
pub(crate) fn cube_face([x, y, z]: [f32; 3]) -> (u32, f32, f32) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, sc, tc, major) = if az >= ax && az >= ay {
        if z < 0.0 { (5, -x, -y, az) } else { (4, x, -y, az) }
    } else if ay >= ax {
        if y < 0.0 { (3, x, -z, ay) } else { (2, x, z, ay) }
    } else if x < 0.0 {
        (1, z, -y, ax)
    } else {
        (0, -z, -y, ax)
    };
    (face, (sc / major + 1.0) / 2.0, (tc / major + 1.0) / 2.0)
}

/// Axes that a filter moves along.
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
    let mut corner = |step: [i64; 3]| {
        let place = std::array::from_fn(|axis| start[axis] + step[axis]);
        let texel = texels.fetch(level, wrapped(texture, sampler, extent, place, position.slice))?;
        Ok(match lookup.reference {
            Some(reference) => {
                let held = sampler.compare.holds(reference, f32::from_bits(texel[0]));
                [f32::to_bits(if held { 1.0 } else { 0.0 }); 4]
            }
            None => texel,
        })
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

/// The weighted sum of the corners around a point, or the nearest texel.
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

/// The texel that coordinates stand for after wrapping; `None` is the border.
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

/// The level of detail of a footprint: derivatives in texels along each axis, x then y.
pub(crate) fn footprint(texture: &Texture, sampler: &Sampler, dx: [f32; 3], dy: [f32; 3]) -> f32 {
    let extent = texture.extent(texture.first_level);
    let length = |derivative: [f32; 3]| {
        let axes = texture.dimension.axes;
        let scale = |axis: usize| match () {
            () if sampler.pixel_coordinates => 1.0,
            // A face spans two units of a direction.
            () if texture.dimension.cube => extent[0] as f32 / 2.0,
            () => extent[axis] as f32,
        };
        (0..axes).map(|axis| derivative[axis] * scale(axis)).map(|texels| texels * texels).sum::<f32>()
    };
    let longest = length(dx).max(length(dy));
    // Half the logarithm of the square; no footprint at all is the finest level.
    if longest > 0.0 { libm::log2f(longest) / 2.0 } else { -126.0 }
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

    #[test]
    fn cube_directions_hit_their_face() {
        let cases = [
            ([1.0, 0.0, 0.0], 0),
            ([-1.0, 0.0, 0.0], 1),
            ([0.0, 1.0, 0.0], 2),
            ([0.0, -1.0, 0.0], 3),
            ([0.0, 0.0, 1.0], 4),
            ([0.0, 0.0, -1.0], 5),
        ];
        for (direction, face) in cases {
            assert_eq!(cube_face(direction), (face, 0.5, 0.5), "{direction:?}");
        }
        // On +x, larger z runs to the left and larger y runs up.
        assert_eq!(cube_face([1.0, 0.5, 0.5]), (0, 0.25, 0.25));
    }
}
