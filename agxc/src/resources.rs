//! The resources of a run in the notation of the command line: buffers, textures, images, samplers and push constants.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_emulator::launch::BufferBinding;
use agx_emulator::launch::textures::{Dimension, Format, SamplerResource, Shape, TextureResource};
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Failure};
use crate::input::Reader;
use crate::texture::{self, Pixels};
use crate::values::{self, Slot};

/// What a shader reads and writes, apart from its attributes.
#[derive(Default)]
pub struct Bindings {
    /// Buffers.
    pub buffers: Vec<BufferBinding>,
    /// Textures and images.
    pub textures: Vec<TextureResource>,
    /// Samplers.
    pub samplers: Vec<SamplerResource>,
    /// Push constants.
    pub push_constants: Vec<u8>,
}

/// The resources of a run as text.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Specs {
    /// Values of `--buffer`.
    pub buffers: Vec<String>,
    /// Values of `--texture`.
    pub textures: Vec<String>,
    /// Values of `--image`.
    pub images: Vec<String>,
    /// Values of `--sampler`.
    pub samplers: Vec<String>,
    /// The value of `--push`.
    pub push: Option<String>,
}

impl Specs {
    /// The resources, with the contents of files from `read`.
    ///
    /// # Errors
    /// An invalid specification, two resources of a kind in one place, or a file that cannot be read.
    pub fn read(&self, read: &Reader) -> Result<Bindings, Failure> {
        let kinds = [
            ("buffer", &self.buffers),
            ("texture", &self.textures),
            ("image", &self.images),
            ("sampler", &self.samplers),
        ];
        kinds.iter().try_for_each(|(name, specs)| check_places(name, specs))?;
        let textures = self.textures.iter().map(|spec| texture(spec, false, read));
        let images = self.images.iter().map(|spec| texture(spec, true, read));
        let push = self.push.as_ref().map(|spec| values::contents(spec, read)).transpose()?;
        Ok(Bindings {
            textures: textures.chain(images).collect::<Result<_, _>>()?,
            samplers: self.samplers.iter().map(|spec| sampler(spec)).collect::<Result<_, _>>()?,
            buffers: self.buffers.iter().map(|spec| buffer(spec, read)).collect::<Result<_, _>>()?,
            push_constants: push.map_or(Vec::new(), |values| values.bytes),
        })
    }
}

/// Rejects two resources of the option `name` with the same set, binding and element.
fn check_places(name: &str, specs: &[String]) -> Result<(), Failure> {
    let mut places: Vec<Slot> = Vec::new();
    for spec in specs {
        let (slot, _) = bound(spec, "SPEC")?;
        if places.contains(&slot) {
            return Err(Failure::usage(format!("--{name} `{spec}`: another {name} is already bound there")));
        }
        places.push(slot);
    }
    Ok(())
}

/// `SET.BINDING=SPEC`.
fn buffer(spec: &str, read: &Reader) -> Result<BufferBinding, Failure> {
    let (slot, values) = values::binding(spec, read)?;
    let Slot { set, binding, element } = slot;
    Ok(BufferBinding { set, binding, element, bytes: values.bytes, writable: true })
}

/// The slot and the rest of `SET.BINDING=REST`.
fn bound<'s>(spec: &'s str, rest: &str) -> Result<(Slot, &'s str), Failure> {
    let (place, found) = spec
        .split_once('=')
        .ok_or_else(|| Failure::usage(format!("expected SET.BINDING={rest}, found `{spec}`")))?;
    Ok((values::slot(place)?, found))
}

/// `SET.BINDING=png:PATH` or `SET.BINDING=FORMAT:[KIND:]SIZE:SPEC`.
fn texture(spec: &str, storage: bool, read: &Reader) -> Result<TextureResource, Failure> {
    let (slot, contents) = bound(spec, "SPEC")?;
    let wrong = |why: String| Failure::usage(format!("`{spec}`: {why}"));
    let (shape, texels) = match contents.strip_prefix("png:") {
        Some(path) => {
            let pixels = Pixels::from_png(&read(path)?);
            let pixels = pixels.map_err(|why| Diagnostic::new(107, why).in_file(path))?;
            let [width, height] = pixels.size;
            (Shape::new(Dimension::Plane, Format::RGBA8, [width, height, 1]), pixels.rgba)
        }
        None => {
            let (shape, needed, texels) = listed(contents).map_err(wrong)?;
            let bytes = values::contents(texels, read)?.bytes;
            if bytes.len() as u64 != needed {
                return Err(wrong(format!("expected {needed} bytes of texels, got {}", bytes.len())));
            }
            (shape, bytes)
        }
    };
    Ok(if storage { texture::storage(slot, shape, &texels) } else { texture::resource(slot, shape, texels) })
}

/// The shape of `FORMAT:[KIND:]SIZE:SPEC`, the bytes of its texels, and the specification.
fn listed(contents: &str) -> Result<(Shape, u64, &str), String> {
    let expected = || "expected png:PATH or FORMAT:[KIND:]SIZE:SPEC".to_owned();
    let (name, rest) = contents.split_once(':').ok_or_else(expected)?;
    let (first, more) = rest.split_once(':').ok_or_else(expected)?;
    let is_size = first.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x');
    let (kind, (size, texels)) = match is_size {
        true => (None, (first, more)),
        false => (Some(first), more.split_once(':').ok_or_else(expected)?),
    };
    let (format, texel_bytes) = texture::format(name)?;
    let (dimension, size) = texture::extent(kind, size)?;
    let sides = size.into_iter().map(u64::from).chain([texture::faces(dimension)]);
    let needed = sides.fold(texel_bytes as u64, u64::saturating_mul);
    Ok((Shape::new(dimension, format, size), needed, texels))
}

/// `SET.BINDING=WORD,WORD`.
fn sampler(spec: &str) -> Result<SamplerResource, Failure> {
    let (slot, words) = bound(spec, "WORDS")?;
    let words = words.split(',').filter(|word| !word.is_empty());
    texture::sampler(slot, words).map_err(|why| Failure::usage(format!("`{spec}`: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::read_bytes;

    #[test]
    fn textures_and_samplers() {
        let texture = |spec: &str, storage| texture(spec, storage, &read_bytes);
        let texels = texture("0.1=r32f:2x1:f32:1,2", true).ok().unwrap();
        assert_eq!((texels.shape.size, texels.buffer.bytes.len(), texels.storage), ([2, 1, 1], 8, true));
        let texels = texture("0.1=rg8:cube_array:1x1x2:zero:24", false).ok().unwrap();
        assert_eq!((texels.shape.dimension, texels.shape.size), (Dimension::CubeArray, [1, 1, 2]));
        for wrong in [
            "0.1=r32f:2x1:f32:1",
            "0.1=r32f:2:f32:1,2",
            "0.1=r33f:1x1:u8:1",
            "0.1=r32f:0x1:u8:",
            "0.1=r32f:buffer:2x1:f32:1,2",
            "0.1=r32f:sphere:2x1:f32:1,2",
            "0.1=r8:cube_array:1x1x342:zero:2052",
            "0.1",
        ] {
            assert!(texture(wrong, false).is_err(), "{wrong}");
        }
        assert!(sampler("0.2=linear,repeat").is_ok() && sampler("0.2=sharp").is_err());
    }

    #[test]
    fn files_come_from_the_reader() {
        let read = |name: &str| match name {
            "a" => Ok(vec![1, 2]),
            _ => Err(Failure::usage("absent")),
        };
        let of = |spec: &str| Specs { buffers: vec![spec.to_owned()], ..Specs::default() }.read(&read);
        assert_eq!(of("1.2=file:a").ok().unwrap().buffers[0].bytes, [1, 2]);
        assert!(of("1.2=file:b").is_err());
    }
}
