//! The descriptors of a SPIR-V module, and conversion of a module to a single set.

use crate::spirv_scan::{
    ImageVariable, Texel, constant, decoration, decorations, definition, images, instructions, op,
};

/// Number of bindings reserved for each original set in the single set.
const BINDINGS_OF_SET: u32 = 64;
/// Longer arrays are represented by this number of descriptors.
const ARRAY_LIMIT: u32 = 8;

/// The kind of a descriptor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer.
    Buffer,
    /// A sampler.
    Sampler,
    /// An image with a separate sampler.
    Texture(ImageVariable),
    /// An image and its sampler.
    Sampled(ImageVariable),
    /// A storage image.
    Image(ImageVariable),
}

/// Contents of the buffers and images of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contents {
    /// Zeros.
    Zeros,
    /// Buffers hold identity matrices of four rows, one after the other; images hold texels without a pattern.
    Identity,
}

impl Contents {
    /// The client's word for the contents of buffers.
    fn of_buffers(self) -> &'static str {
        match self {
            Contents::Zeros => "zero",
            Contents::Identity => "identity",
        }
    }

    /// The client's word for the contents of images.
    fn of_images(self) -> &'static str {
        match self {
            Contents::Zeros => "zero",
            Contents::Identity => "random",
        }
    }
}

/// A variable that descriptors are bound to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binding {
    /// Its number in the single set.
    pub number: u32,
    /// Number of descriptors of an array, 1 if it is not an array.
    pub count: u32,
    /// Kind of the descriptors.
    pub kind: Kind,
}

/// SPIR-V's number of the storage class of storage buffers.
const STORAGE_BUFFER: u32 = 12;

fn number(set: u32, binding: u32) -> u32 {
    set * BINDINGS_OF_SET + binding
}

/// The bindings of a module, in the order of declaration.
///
/// # Errors
/// The first variable of a kind that is not listed in [`Kind`].
pub fn bindings(module: &[u8]) -> Result<Vec<Binding>, String> {
    let (instructions, images) = (instructions(module), images(module));
    let value = |id: u32, wanted: u32| decoration(&instructions, id, wanted)?.first().copied();
    let definition = |id: u32| definition(&instructions, id);
    let mut found = Vec::new();
    for (_, operands) in instructions.iter().filter(|(opcode, _)| *opcode == op::VARIABLE) {
        let [pointer, id, class, ..] = *operands.as_slice() else { continue };
        let (Some(set), Some(binding)) = (value(id, decorations::SET), value(id, decorations::BINDING))
        else {
            continue;
        };
        let image = images.iter().find(|image| (image.set, image.binding) == (set, binding)).copied();
        let mut ty = definition(pointer).and_then(|(_, operands)| operands.get(2).copied());
        let mut count = 1_u32;
        let kind = loop {
            let Some((opcode, operands)) = ty.and_then(definition) else { break None };
            match (*opcode, image) {
                (op::TYPE_ARRAY, _) => {
                    let length = operands.get(2).and_then(|id| constant(&instructions, *id));
                    count = count.saturating_mul(length.unwrap_or(1));
                }
                (op::TYPE_RUNTIME_ARRAY, _) => {}
                (op::TYPE_SAMPLER, _) => break Some(Kind::Sampler),
                (op::TYPE_SAMPLED_IMAGE, Some(image)) => break Some(Kind::Sampled(image)),
                (op::TYPE_IMAGE, Some(image)) if image.storage => break Some(Kind::Image(image)),
                (op::TYPE_IMAGE, Some(image)) => break Some(Kind::Texture(image)),
                (op::TYPE_STRUCT, _) => {
                    let block = operands.first().is_some_and(|id| {
                        decoration(&instructions, *id, decorations::BUFFER_BLOCK).is_some()
                    });
                    break Some(if class == STORAGE_BUFFER || block { Kind::Buffer } else { Kind::Uniform });
                }
                _ => break None,
            }
            ty = operands.get(1).copied();
        };
        let kind = kind.ok_or_else(|| format!("set {set} binding {binding} is of another kind"))?;
        found.push(Binding { number: number(set, binding), count: count.clamp(1, ARRAY_LIMIT), kind });
    }
    Ok(found)
}

/// The module with all descriptors in set 0, with the numbers of [`bindings`].
pub fn in_one_set(module: &[u8]) -> Vec<u8> {
    let mut words: Vec<u32> =
        module.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let decorated = instructions(module).into_iter().filter(|(opcode, _)| *opcode == op::DECORATE);
    let sets: Vec<(u32, u32)> = decorated
        .filter(|(_, operands)| operands.get(1) == Some(&decorations::SET))
        .filter_map(|(_, operands)| Some((*operands.first()?, *operands.get(2)?)))
        .collect();
    let mut at = 5;
    while let Some(first) = words.get(at).copied() {
        let length = (first >> 16).max(1) as usize;
        if first & 0xffff == op::DECORATE
            && let Some([_, id, wanted, value]) = words.get_mut(at..at + 4)
        {
            let set = sets.iter().find(|(known, _)| *known == *id).map_or(0, |(_, set)| *set);
            match *wanted {
                decorations::SET => *value = 0,
                decorations::BINDING => *value = number(set, *value),
                _ => {}
            }
        }
        at += length;
    }
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

impl Binding {
    /// The lines of a request that bind it.
    ///
    /// # Errors
    /// Images that requests do not support.
    pub fn lines(&self, contents: Contents) -> Result<Vec<String>, String> {
        let number = self.number;
        let buffer = contents.of_buffers();
        let image_line = |key: &str, image: &ImageVariable| {
            Ok::<_, String>(format!("{key} {number} {} {}", shape(image)?, contents.of_images()))
        };
        let line = match self.kind {
            Kind::Uniform => format!("uniform {number} 16384 {buffer}"),
            Kind::Buffer => format!("buffer {number} 16384 {buffer}"),
            Kind::Sampler => format!("sampler {number} nearest"),
            Kind::Texture(image) => image_line("texture", &image)?,
            Kind::Sampled(image) => {
                let texture = image_line("texture", &image)?;
                let sampler = format!("sampler {number} nearest");
                return Ok([vec![texture; self.count as usize], vec![sampler; self.count as usize]].concat());
            }
            Kind::Image(image) => image_line("image", &image)?,
        };
        Ok(vec![line; self.count as usize])
    }
}

/// Format, size, layers, levels and kind of an image, in the notation of requests.
fn shape(image: &ImageVariable) -> Result<String, String> {
    let (layers, kind) = match (image.dim, image.arrayed, image.multisampled) {
        (0, false, false) => (1, "1d"),
        (1, false, false) => (1, "2d"),
        (1, true, false) => (2, "2d-array"),
        (2, false, false) => (2, "3d"),
        (3, false, false) => (6, "cube"),
        (3, true, false) => (6, "cube-array"),
        (5, ..) => return Err("a texel buffer".into()),
        (6, ..) => return Err("an input attachment".into()),
        _ => return Err("an image with samples, or a row of layers".into()),
    };
    let [one, two, four] = match image.texel {
        Texel::Float => ["r32f", "rg32f", "rgba8"],
        Texel::Signed => ["r32i", "rg32i", "rgba8i"],
        Texel::Unsigned => ["r32ui", "rg32ui", "rgba8ui"],
    };
    // A storage image has the components of its declared format: others are undefined.
    let format = match image.components {
        1 if image.storage => one,
        2 if image.storage => two,
        _ => four,
    };
    let height = if kind == "1d" { 1 } else { 4 };
    Ok(format!("{format} 4 {height} {layers} 1 {kind}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pointer to an array of three blocks at set 1, binding 2.
    fn module() -> Vec<u8> {
        let words = [
            [0x0723_0203, 0x1_0000, 0, 20, 0].as_slice(),
            &[4 << 16 | op::DECORATE, 9, decorations::SET, 1],
            &[4 << 16 | op::DECORATE, 9, decorations::BINDING, 2],
            &[4 << 16 | 21, 1, 32, 0],
            &[4 << 16 | op::CONSTANT, 1, 2, 3],
            &[3 << 16 | op::TYPE_STRUCT, 3, 1],
            &[4 << 16 | op::TYPE_ARRAY, 4, 3, 2],
            &[4 << 16 | op::TYPE_POINTER, 5, 2, 4],
            &[4 << 16 | op::VARIABLE, 5, 9, 2],
        ];
        words.concat().into_iter().flat_map(u32::to_le_bytes).collect()
    }

    #[test]
    fn arrays_of_blocks_are_found_and_moved_to_the_first_set() {
        let expected = Binding { number: 66, count: 3, kind: Kind::Uniform };
        assert_eq!(bindings(&module()), Ok(vec![expected]));
        let moved = in_one_set(&module());
        assert_eq!(moved.len(), module().len());
        assert_eq!(bindings(&moved), Ok(vec![Binding { number: 66, ..expected }]));
        assert_eq!(expected.lines(Contents::Zeros).map(|lines| lines.len()), Ok(3));
    }
}
