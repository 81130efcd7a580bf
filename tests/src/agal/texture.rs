//! Textures of one level: what the machine binds, and what the interpreter samples.

use agx_agal::interpret::{Textures, Vector};
use agx_agal::{Dimension, Filter, TextureUse, Wrap};
use agx_emulator::launch::BufferBinding;
use agx_emulator::launch::textures::{Dimension as Bound, Format, Shape, TextureResource};

/// A texture of one level.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Kind.
    pub dimension: Dimension,
    /// Width, height, and depth; a cube's faces count as depth.
    pub size: [u32; 3],
    /// Texels, x fastest, then y, then depth or faces +x −x +y −y +z −z.
    pub texels: Vec<Vector>,
}

impl Texture {
    /// The texture as the machine binds it for a sampler register.
    pub fn resource(&self, register: u32) -> TextureResource {
        let [width, height, depth] = self.size;
        let (dimension, depth) = match self.dimension {
            Dimension::D2 => (Bound::Plane, 1),
            Dimension::Cube => (Bound::Cube, 1),
            Dimension::D3 => (Bound::Volume, depth),
        };
        let bytes = self.texels.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        let set = agx_abi::agal::TEXTURE_SET;
        TextureResource {
            buffer: BufferBinding { set, binding: register, element: 0, bytes, writable: false },
            shape: Shape::new(dimension, Format::RGBA32F, [width, height, depth]),
            storage: false,
        }
    }

    fn texel(&self, place: [i64; 3], wraps: [Wrap; 3]) -> Vector {
        let at: [usize; 3] = std::array::from_fn(|axis| {
            let size = i64::from(self.size[axis]);
            let wrapped = if repeats(wraps[axis], axis) {
                place[axis].rem_euclid(size)
            } else {
                place[axis].clamp(0, size - 1)
            };
            wrapped as usize
        });
        let [width, height, _] = self.size.map(|size| size as usize);
        self.texels.get(at[0] + width * (at[1] + height * at[2])).copied().unwrap_or_default()
    }

    /// The texel at coordinates of which the first `axes` are filtered; the others are numbers of texels.
    fn at(&self, coordinates: [f64; 3], axes: usize, linear: bool, wraps: [Wrap; 3]) -> Vector {
        let scaled: [f64; 3] = std::array::from_fn(|axis| match axis < axes {
            true => coordinates[axis] * f64::from(self.size[axis]),
            false => coordinates[axis],
        });
        if !linear {
            return self.texel(scaled.map(|at| at.floor() as i64), wraps);
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
            let texel = self.texel(place, wraps);
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

/// The textures of a draw, by sampler register.
pub struct Bindings<'t>(pub &'t [Texture]);

impl Textures for Bindings<'_> {
    fn sample(&self, texture: &TextureUse, coordinates: &[Vector; 4]) -> [Vector; 4] {
        let Some(bound) = self.0.get(usize::from(texture.register)) else { return [[0.0; 4]; 4] };
        let settings = &texture.settings;
        let linear = settings.ignored || settings.filter != Filter::Nearest;
        let wrap = if settings.ignored { Wrap::Repeat } else { settings.wrap };
        coordinates.map(|[x, y, z, _]| {
            let at = [x, y, z].map(f64::from);
            match bound.dimension {
                Dimension::D2 => bound.at([at[0], at[1], 0.0], 2, linear, [wrap; 3]),
                Dimension::D3 => bound.at(at, 3, linear, [wrap; 3]),
                Dimension::Cube => bound.at(face(at), 2, linear, [Wrap::Clamp; 3]),
            }
        })
    }
}
