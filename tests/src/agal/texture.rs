//! Textures for the machine and for the interpreter.

use agx_abi::{SamplerBinding, agal};
use agx_agal::interpret::{Textures, Vector};
use agx_agal::{Dimension, Filter, Mip, SamplerSettings, Stage, TextureUse, Wrap};
use agx_compiler::CompiledShader;
use agx_emulator::launch::BufferBinding;
use agx_emulator::launch::textures::{
    Dimension as Bound, Format, SamplerResource, SamplerState, Shape, TextureResource,
};

/// A texture.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Kind.
    pub dimension: Dimension,
    /// Width, height, and depth of the first level; a cube's faces count as depth.
    pub size: [u32; 3],
    /// Texels, x fastest, then y, then depth or faces +x −x +y −y +z −z, then smaller levels.
    pub texels: Vec<Vector>,
}

impl Texture {
    /// Width, height and depth of a level.
    pub fn extent(&self, level: u32) -> [u32; 3] {
        let [width, height, depth] = self.size;
        let halved = |side: u32| (side >> level).max(1);
        let depth = if self.dimension == Dimension::D3 { halved(depth) } else { depth };
        [halved(width), halved(height), depth]
    }

    /// Texels of the first `levels` levels.
    pub fn count(&self, levels: u32) -> usize {
        (0..levels).map(|level| self.extent(level).iter().product::<u32>() as usize).sum()
    }

    /// Number of levels for which there are texels, at least one.
    pub fn levels(&self) -> u32 {
        let longest = self.size.into_iter().max().unwrap_or(1).max(1);
        (2..=longest.ilog2() + 1)
            .take_while(|levels| self.count(*levels) <= self.texels.len())
            .last()
            .unwrap_or(1)
    }

    /// The texture as a resource of the machine for a sampler register, in the set of a stage.
    pub fn resource(&self, set: u32, register: u32) -> TextureResource {
        let [width, height, depth] = self.size;
        let (dimension, depth) = match self.dimension {
            Dimension::D2 => (Bound::Plane, 1),
            Dimension::Cube => (Bound::Cube, 1),
            Dimension::D3 => (Bound::Volume, depth),
        };
        let bytes = self.texels.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        TextureResource {
            buffer: BufferBinding { set, binding: register, element: 0, bytes, writable: false },
            shape: Shape {
                levels: self.levels(),
                ..Shape::new(dimension, Format::RGBA32F, [width, height, depth])
            },
            storage: false,
        }
    }

    fn texel(&self, level: u32, place: [i64; 3], wraps: [Wrap; 3]) -> Vector {
        let extent = self.extent(level);
        let place = if self.dimension == Dimension::Cube { across(extent[0], place) } else { place };
        let at: [usize; 3] = std::array::from_fn(|axis| {
            let size = i64::from(extent[axis]);
            let wrapped = if repeats(wraps[axis], axis) {
                place[axis].rem_euclid(size)
            } else {
                place[axis].clamp(0, size - 1)
            };
            wrapped as usize
        });
        let [width, height, _] = extent.map(|size| size as usize);
        let within = at[0] + width * (at[1] + height * at[2]);
        self.texels.get(self.count(level) + within).copied().unwrap_or_default()
    }

    /// The texel of a level at coordinates. The first `axes` are filtered; the others are texel numbers.
    fn at(&self, level: u32, coordinates: [f64; 3], axes: usize, linear: bool, wraps: [Wrap; 3]) -> Vector {
        let extent = self.extent(level);
        let scaled: [f64; 3] = std::array::from_fn(|axis| match axis < axes {
            true => coordinates[axis] * f64::from(extent[axis]),
            false => coordinates[axis],
        });
        if !linear {
            return self.texel(level, scaled.map(|at| at.floor() as i64), wraps);
        }
        let mut sum = [0.0; 4];
        for corner in 0..1 << axes {
            let mut weight = 1.0;
            let place = std::array::from_fn(|axis| {
                if axis >= axes {
                    return scaled[axis] as i64;
                }
                let low = (scaled[axis] - 0.5).floor();
                let fraction = scaled[axis] - 0.5 - low;
                let high = corner >> axis & 1 == 1;
                weight *= if high { fraction } else { 1.0 - fraction };
                low as i64 + i64::from(high)
            });
            let texel = self.texel(level, place, wraps);
            sum.iter_mut().zip(texel).for_each(|(sum, texel)| *sum += weight * f64::from(texel));
        }
        sum.map(|component| component as f32)
    }
}

fn repeats(wrap: Wrap, axis: usize) -> bool {
    match wrap {
        Wrap::Clamp => false,
        Wrap::Repeat => true,
        Wrap::ClampRepeat => axis != 0,
        Wrap::RepeatClamp => axis == 0,
    }
}

/// Face, and position on it from 0 to 1, of a direction.
fn face([x, y, z]: [f64; 3]) -> [f64; 3] {
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, s, t, major) = if az >= ax && az >= ay {
        (if z < 0.0 { 5.0 } else { 4.0 }, if z < 0.0 { -x } else { x }, -y, az)
    } else if ay >= ax {
        (if y < 0.0 { 3.0 } else { 2.0 }, x, if y < 0.0 { -z } else { z }, ay)
    } else {
        (if x < 0.0 { 1.0 } else { 0.0 }, if x < 0.0 { z } else { -z }, -y, ax)
    };
    [(s / major + 1.0) / 2.0, (t / major + 1.0) / 2.0, face]
}

/// A texel of a cube for a filter; beyond the edge of a face, it is on the adjacent face.
fn across(side: u32, place: [i64; 3]) -> [i64; 3] {
    let [x, y, number] = place;
    if [x, y].iter().all(|at| (0..i64::from(side)).contains(at)) {
        return place;
    }
    let [s, t] = [x, y].map(|at| (2 * at + 1) as f64 / f64::from(side) - 1.0);
    let direction = match number {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    };
    let [s, t, number] = face(direction);
    let inside = |at: f64| ((at * f64::from(side)) as i64).clamp(0, i64::from(side) - 1);
    [inside(s), inside(t), number as i64]
}

/// The samplers of a shader; those that the application sets are linear and repeat.
pub fn samplers(shader: &CompiledShader) -> Vec<SamplerResource> {
    let bound = |sampler: &SamplerBinding| match *sampler {
        SamplerBinding::Bound { set, binding, element } => {
            let state = agal::SamplerState::from_element(element).and_then(SamplerState::of_agal);
            let repeated = agal::SamplerState::Token { filter: 1, mip: 0, wrap: 1 };
            let state = state.or(SamplerState::of_agal(repeated)).unwrap_or_default();
            Some(SamplerResource { set, binding, element, state })
        }
        SamplerBinding::Paired { .. } | SamplerBinding::Loads => None,
    };
    shader.info.samplers.iter().filter_map(bound).collect()
}

/// The textures of a stage.
pub struct Bindings<'t> {
    /// By sampler register.
    pub textures: &'t [Texture],
    /// The stage of the program that samples.
    pub stage: Stage,
}

impl Textures for Bindings<'_> {
    fn sample(&self, texture: &TextureUse, coordinates: &[Vector; 4]) -> [Vector; 4] {
        let Some(bound) = self.textures.get(usize::from(texture.register)) else { return [[0.0; 4]; 4] };
        let settings = &texture.settings;
        let linear = settings.ignored || settings.filter != Filter::Nearest;
        let wrap = if settings.ignored { Wrap::Repeat } else { settings.wrap };
        let at = |level: u32, [x, y, z, _]: Vector| {
            let at = [x, y, z].map(f64::from);
            match bound.dimension {
                Dimension::D2 => bound.at(level, [at[0], at[1], 0.0], 2, linear, [wrap; 3]),
                Dimension::D3 => bound.at(level, at, 3, linear, [wrap; 3]),
                Dimension::Cube => bound.at(level, face(at), 2, linear, [Wrap::Clamp; 3]),
            }
        };
        std::array::from_fn(|lane| {
            let longest = match self.stage {
                // Vertices have no neighbours.
                Stage::Vertex => 1.0,
                Stage::Fragment => longest(bound, settings, coordinates, lane),
            };
            let level = level(bound, settings, longest);
            let near = at(level.floor() as u32, coordinates[lane]);
            if level.fract() == 0.0 {
                return near;
            }
            let far = at(level.ceil() as u32, coordinates[lane]);
            let part = level.fract() as f32;
            std::array::from_fn(|component| near[component] * (1.0 - part) + far[component] * part)
        })
    }
}

/// The distance in texels of the first level between a lane and its neighbours.
fn longest(bound: &Texture, settings: &SamplerSettings, coordinates: &[Vector; 4], lane: usize) -> f64 {
    let axes = settings.dimension.coordinates();
    let moved = |other: usize| -> f64 {
        let along = |axis: usize| {
            let difference = f64::from(coordinates[other][axis]) - f64::from(coordinates[lane][axis]);
            difference * f64::from(bound.size[axis])
        };
        (0..axes).map(|axis| along(axis).powi(2)).sum::<f64>().sqrt()
    };
    moved(lane ^ 1).max(moved(lane ^ 2))
}

/// The level of detail: the binary logarithm of a distance in texels, plus the bias, clamped to the existing levels, and
/// rounded unless two levels are mixed.
fn level(bound: &Texture, settings: &SamplerSettings, longest: f64) -> f64 {
    if settings.ignored || settings.mip == Mip::None {
        return 0.0;
    }
    let last = f64::from(bound.levels() - 1);
    let level = (longest.log2() + f64::from(settings.bias())).max(0.0).min(last);
    if settings.mip == Mip::Nearest { (level + 0.5).floor() } else { level }
}
