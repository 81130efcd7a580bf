//! A scene as the interpreter's environment.

use agx_tgsi::interpret::{Address, At, Lookup, Resource, World};
use agx_tgsi::{Detail, File, MemoryKind, Shader};

use super::scene::{BUFFERS, CONSTANTS, COUNTERS};
use super::{Scene, Vector, lookup};

/// Inputs of invocations, and memory.
pub struct Stage<'s> {
    /// The program.
    pub shader: &'s Shader,
    /// The resources.
    pub scene: &'s mut Scene,
    /// Shared memory.
    pub shared: Vec<u8>,
    /// Inputs, by invocation and register, optionally at another position.
    pub input: &'s dyn Fn(usize, u32, Option<At>) -> Vector,
    /// System values, by invocation and register.
    pub system: &'s dyn Fn(usize, u32) -> Vector,
    /// The colour of the targets.
    pub colour: Vector,
}

impl Stage<'_> {
    /// The bytes of a resource that is not an image.
    fn bytes(&mut self, resource: Resource) -> Option<&mut Vec<u8>> {
        let place = match resource.file {
            File::Buffer => (BUFFERS, resource.number),
            File::HwAtomic => (COUNTERS, resource.buffer),
            File::Memory => {
                let declaration = self.shader.memory(resource.number)?;
                if declaration.detail == Detail::Memory(MemoryKind::Shared) {
                    return Some(&mut self.shared);
                }
                (5, resource.number.max(declaration.range.first))
            }
            _ => return None,
        };
        self.scene.buffers.get_mut(&place).map(|(bytes, _)| bytes)
    }

    fn word(&mut self, at: Address, word: u32) -> Option<&mut [u8]> {
        let start = at.at[0].checked_add(4 * word)? as usize;
        self.bytes(at.resource)?.get_mut(start..start + 4)
    }

    /// The index of an image's texel.
    fn texel(&self, at: Address) -> Option<usize> {
        let image = self.scene.images.get(&at.resource.number)?;
        let axes = usize::from(image.target.dimensions());
        let mut place = [0; 3];
        for (axis, part) in place.iter_mut().enumerate().take(axes) {
            *part = i64::from(at.at[axis]);
        }
        if image.target.is_array() {
            place[2] = i64::from(at.at[axes]);
        }
        image.index(place, 0)
    }
}

fn read(word: &[u8]) -> u32 {
    u32::from_le_bytes([word[0], word[1], word[2], word[3]])
}

impl World for Stage<'_> {
    fn constant(&self, buffer: u32, register: i64) -> Vector {
        let bytes = self.scene.buffers.get(&(CONSTANTS, buffer)).map(|(bytes, _)| bytes.as_slice());
        let start = usize::try_from(register).ok().and_then(|register| register.checked_mul(16));
        let vector = start.and_then(|start| bytes.unwrap_or_default().get(start..start + 16));
        vector.map_or([0; 4], |bytes| [0, 4, 8, 12].map(|at| read(&bytes[at..at + 4])))
    }

    fn input(&self, invocation: usize, register: u32) -> Vector {
        (self.input)(invocation, register, None)
    }

    fn system(&self, invocation: usize, register: u32) -> Vector {
        (self.system)(invocation, register)
    }

    fn interpolate(&self, invocation: usize, register: u32, at: At) -> Vector {
        (self.input)(invocation, register, Some(at))
    }

    fn texture(&mut self, _: usize, wanted: &Lookup) -> Vector {
        self.scene.textures.get(&wanted.view).map_or([0; 4], |texture| lookup::look_up(texture, wanted))
    }

    fn load(&mut self, _: usize, at: Address) -> Vector {
        if at.resource.file == File::Image {
            let image = self.scene.images.get(&at.resource.number);
            let axes = image.map_or(0, |image| usize::from(image.target.dimensions()));
            let mut place = [0, 1, 2].map(|axis| if axis < axes { i64::from(at.at[axis]) } else { 0 });
            if image.is_some_and(|image| image.target.is_array()) {
                place[2] = i64::from(at.at[axes]);
            }
            return image.map_or([0; 4], |image| image.texel(place, 0));
        }
        [0, 1, 2, 3].map(|word| self.word(at, word).map_or(0, |word| read(word)))
    }

    fn store(&mut self, _: usize, at: Address, mask: u8, value: Vector) {
        if at.resource.file == File::Image {
            let place = self.texel(at);
            let image = self.scene.images.get_mut(&at.resource.number);
            if let (Some(place), Some(image)) = (place, image) {
                image.texels[place] = value;
            }
            return;
        }
        for component in (0..4).filter(|component| mask & 1 << component != 0) {
            if let Some(word) = self.word(at, component as u32) {
                word.copy_from_slice(&value[component].to_le_bytes());
            }
        }
    }

    fn atomic(&mut self, _: usize, at: Address, update: &dyn Fn(u32) -> u32) -> u32 {
        if at.resource.file == File::Image {
            let place = self.texel(at);
            let image = self.scene.images.get_mut(&at.resource.number);
            let Some(texel) = place.zip(image).and_then(|(place, image)| image.texels.get_mut(place)) else {
                return 0;
            };
            let old = texel[0];
            texel[0] = update(old);
            return old;
        }
        let Some(word) = self.word(at, 0) else { return 0 };
        let old = read(word);
        word.copy_from_slice(&update(old).to_le_bytes());
        old
    }

    fn size(&mut self, resource: Resource) -> Vector {
        if resource.file == File::Image {
            return self.scene.images.get(&resource.number).map_or([0; 4], |image| {
                let [width, height, depth] = image.shape.size;
                let height = if image.target.dimensions() == 1 { 0 } else { height };
                let is_deep = image.target.is_array() || image.target == agx_tgsi::Target::Three;
                [width, height, if is_deep { depth } else { 0 }, image.shape.samples]
            });
        }
        [self.bytes(resource).map_or(0, |bytes| bytes.len() as u32), 0, 0, 0]
    }

    fn framebuffer(&self, _: usize, _: u32) -> Vector {
        self.colour
    }
}
