//! Texture lookups of the interpreter: the nearest texel of a texture with one level, coordinates clamped to the edge.

use agx_tgsi::Target;
use agx_tgsi::interpret::{Level, Lookup, Operation};

use super::{Texture, Vector};

/// Performs a lookup.
pub fn look_up(texture: &Texture, lookup: &Lookup) -> Vector {
    match lookup.operation {
        Operation::Size => size(texture),
        Operation::Samples => [texture.shape.samples, 0, 0, 0],
        Operation::Fetch => fetch(texture, lookup),
        Operation::LevelOfDetail => level(texture, lookup),
        Operation::Sample | Operation::Gather(_) => sample(texture, lookup),
    }
}

fn size(texture: &Texture) -> Vector {
    let [width, height, depth] = texture.shape.size;
    let target = texture.target;
    let has_levels = !matches!(target, Target::Buffer | Target::Rect | Target::ShadowRect);
    let levels = u32::from(has_levels && !target.is_multisampled());
    match (target.dimensions(), target.is_array()) {
        (1, false) => [width, 0, 0, levels],
        (1, true) => [width, depth, 0, levels],
        (3, _) if !target.is_cube() => [width, height, depth, levels],
        (_, true) => [width, height, depth, levels],
        _ => [width, height, 0, levels],
    }
}

/// The index of the layer among the coordinates.
fn layer_at(target: Target) -> usize {
    usize::from(target.dimensions())
}

fn fetch(texture: &Texture, lookup: &Lookup) -> Vector {
    let target = texture.target;
    let axes = usize::from(target.dimensions());
    let word = |at: usize| i64::from(lookup.coordinates[at] as i32);
    let mut place = [0; 3];
    for (axis, part) in place.iter_mut().enumerate().take(axes) {
        *part = word(axis) + i64::from(lookup.offset[axis]);
    }
    if target.is_array() {
        place[2] = word(axes);
    }
    let number = match lookup.level {
        Level::Number(number) => number,
        _ => 0,
    };
    if target.is_multisampled() {
        return texture.texel(place, number);
    }
    if number == 0 { texture.texel(place, 0) } else { [0; 4] }
}

/// Level of detail of a texture that has one level.
fn level(texture: &Texture, lookup: &Lookup) -> Vector {
    let Level::Derivatives { x, y, bias } = lookup.level else { return [0; 4] };
    let axes = usize::from(texture.target.dimensions());
    let length = |slope: [f32; 3]| {
        let parts = slope.iter().zip(texture.shape.size).take(axes);
        parts.map(|(slope, size)| (slope * size as f32).powi(2)).sum::<f32>().sqrt()
    };
    let lambda = length(x).max(length(y)).log2() + bias;
    [0f32.to_bits(), lambda.to_bits(), 0, 0]
}

/// Coordinates in texels, and the layer.
fn place(texture: &Texture, lookup: &Lookup) -> ([f32; 3], i64) {
    let target = texture.target;
    let at = lookup.coordinates.map(f32::from_bits);
    let layer =
        |axis: usize| (at[axis].round_ties_even() as i64).clamp(0, i64::from(texture.shape.size[2]) - 1);
    if target.is_cube() {
        let (face, s, t) = face([at[0], at[1], at[2]]);
        let cube = if target.is_array() { layer(3) } else { 0 };
        let side = texture.shape.size[0] as f32;
        return ([s * side, t * side, 0.0], 6 * cube + face);
    }
    let mut texels = [0.0; 3];
    for axis in 0..usize::from(target.dimensions()) {
        let scale = if target.is_rect() { 1.0 } else { texture.shape.size[axis] as f32 };
        texels[axis] = at[axis] * scale;
    }
    (texels, if target.is_array() { layer(layer_at(target)) } else { 0 })
}

/// The face of a cube in a direction, and the position on it.
fn face([x, y, z]: [f32; 3]) -> (i64, f32, f32) {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, s, t, major) = if az >= ax && az >= ay {
        if z >= 0.0 { (4, x, -y, az) } else { (5, -x, -y, az) }
    } else if ay >= ax {
        if y >= 0.0 { (2, x, z, ay) } else { (3, x, -z, ay) }
    } else if x >= 0.0 {
        (0, -z, -y, ax)
    } else {
        (1, z, -y, ax)
    };
    (face, (s / major + 1.0) / 2.0, (t / major + 1.0) / 2.0)
}

fn sample(texture: &Texture, lookup: &Lookup) -> Vector {
    let (at, layer) = place(texture, lookup);
    let is_volume = texture.target == Target::Three;
    let clamp = |axis: usize, texel: f32| {
        let moved = texel as i64 + i64::from(lookup.offset[axis]);
        moved.clamp(0, i64::from(texture.shape.size[axis]) - 1)
    };
    let texel = |shift: [f32; 2]| {
        let (x, y) = (clamp(0, (at[0] + shift[0]).floor()), clamp(1, (at[1] + shift[1]).floor()));
        let z = if is_volume { clamp(2, at[2].floor()) } else { layer };
        let texel = texture.texel([x, y, z], 0);
        lookup.reference.map_or(texel, |reference| compared(reference, texel))
    };
    match lookup.operation {
        Operation::Gather(component) => {
            let each = [[-0.5, 0.5], [0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]];
            each.map(|shift| texel(shift)[usize::from(component)])
        }
        _ => texel([0.0, 0.0]),
    }
}

/// 1 if the reference is at most the texel, extended as a depth.
fn compared(reference: f32, texel: Vector) -> Vector {
    let held = u32::from(reference <= f32::from_bits(texel[0])) * 1f32.to_bits();
    [held, held, held, 1f32.to_bits()]
}
