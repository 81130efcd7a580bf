//! `imgwblk`: stores a block of the tile buffer to an image.
//!
//! End-of-tile programs store their own tile; here that is the whole framebuffer at once. Compute programs give the
//! position of the block in the image. The tile has the data that `st_tile` wrote, with a memory format for each
//! component, which is converted to the image's format (Mesa 25.0; `st_tile` already applied sRGB, so it is not applied
//! again).

use agx_isa::inst::{Inst, Size, Tag};
use agx_isa::key;

use crate::core::Core;
use crate::exec::fields::Fields;
use crate::exec::texture::{Binding, Coordinates};
use crate::findings::{FindingKind, Observation};
use crate::formats::Format;
use crate::group::Group;
use crate::order::Path;
use crate::registers::lanes_of;
use crate::textures::Texture;

/// The path of block stores to memory.
const TEXELS: (Path, Option<u8>) = (Path::Texels, None);

/// A block store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockStore {
    binding: Binding,
    coordinates: Option<Coordinates>,
    /// Half register with the offset within a sample; `None` for an immediate.
    offset: Option<u8>,
    immediate: u32,
    format: Format,
    explicit: bool,
}

/// Destination of a block.
struct Block<'b> {
    image: &'b Texture,
    corner: [u32; 2],
    layer: u32,
    offset: usize,
}

impl BlockStore {
    /// Resolves a block store; `None` for unknown formats.
    pub(crate) fn new(inst: &Inst) -> Option<BlockStore> {
        let fields = Fields::new(inst);
        let offset = fields.get(key::OFFSET);
        Some(BlockStore {
            binding: Binding::new(inst),
            coordinates: Coordinates::new(inst),
            offset: (offset.tag == Tag::Reg).then_some(offset.value as u8),
            immediate: offset.value,
            format: Format::from_code(fields.number(key::FORMAT))?,
            explicit: fields.flag(key::EXPLICIT),
        })
    }

    /// Stores the block of each active lane.
    pub(crate) fn run(&self, group: &Group, core: &mut Core<'_>) -> Result<(), Observation> {
        for lane in lanes_of(group.exec) {
            let bytes = self.binding.descriptor(group, core, lane)?;
            let image =
                Texture::image(&bytes).map_err(|what| FindingKind::Unsupported(what).in_lane(lane))?;
            let layer =
                self.coordinates.map_or(0, |coordinates| coordinates.layer(group, lane, self.explicit));
            let corner = match self.coordinates.filter(|_| self.explicit) {
                Some(coordinates) => coordinates.corner(group, lane),
                None => [0; 2],
            };
            let offset = match self.offset {
                Some(half) => group.read(half, Size::B16, lane) as usize,
                None => self.immediate as usize,
            };
            self.store(&Block { image: &image, corner, layer, offset }, core, lane)?;
        }
        Ok(())
    }

    fn store(&self, block: &Block<'_>, core: &mut Core<'_>, lane: usize) -> Result<(), Observation> {
        let no_tile = FindingKind::Unsupported("a block store without a tile");
        let frame = core.frame.take().ok_or(no_tile)?;
        let image = block.image;
        let level = image.first_level;
        let extent = image.extent(level);
        let [width, height] = frame.buffer.size();
        let mut outcome = expand(core, image, block.layer, lane);
        for number in 0..width * height {
            let (x, y) = (number % width, number / width);
            let place = [x + block.corner[0], y + block.corner[1], block.layer];
            if (0..3).any(|axis| place[axis] >= extent[axis]) {
                continue;
            }
            for sample in 0..image.samples.min(frame.buffer.samples()) {
                let Some(bytes) = frame.buffer.colour(x, y, sample) else { continue };
                let texel = self.texel(image, bytes.get(block.offset..).unwrap_or(&[]));
                outcome = outcome.and_then(|()| put(core, image, (level, place, sample), texel, lane));
            }
        }
        core.frame = Some(frame);
        outcome?;
        mark_plain(core, image, block.layer, lane)
    }

    /// The format of the tile's components. The instruction has only their size. 16-bit components for normalised
    /// channels of another width are floats, as in Mesa's driver for RGB565.
    fn component_format(&self, image: &Texture) -> Format {
        match self.format {
            Format::I16 if !image.format.is_integer() => Format::F16,
            format => format,
        }
    }

    /// The image's texel for the bytes of a sample: the same bits if the components have the same width, as for all
    /// renderable formats.
    fn texel(&self, image: &Texture, bytes: &[u8]) -> u128 {
        let word = |at: usize, len: usize| {
            let bytes = bytes.get(at..).unwrap_or(&[]);
            bytes.iter().take(len).rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
        };
        let size = self.format.bytes() as usize;
        let packed = self.format.packed_components().is_some();
        let mut raw = [0; 4];
        for (component, place) in raw.iter_mut().enumerate() {
            *place = if packed { word(0, 4) } else { word(component * size, size) };
        }
        let source = [0, 1, 2, 3].map(|channel| image.source_of(channel));
        let known = image.format.channel_count();
        if packed && source.iter().take(known).enumerate().all(|(channel, from)| *from == channel) {
            return raw[0].into();
        }
        let moved = source.map(|component| raw[component]);
        if !packed && let Some(texel) = image.format.assemble(8 * size as u32, moved) {
            return texel;
        }
        let format = self.component_format(image);
        let decoded = [0, 1, 2, 3].map(|at| format.decode(raw[at], at as u32, true));
        let channels = source.map(|component| decoded[component]);
        image.format.without_curve().encode(channels, false)
    }
}

/// Expands subtiles that consist of one texel, so that the whole level is uncompressed.
fn expand(core: &mut Core<'_>, image: &Texture, layer: u32, lane: usize) -> Result<(), Observation> {
    let level = image.first_level;
    let Some((first, bytes)) = image.metadata_range(level, layer) else { return Ok(()) };
    let solid = u32::from(image.solid_code());
    let mut any = false;
    for at in (0..bytes).step_by(4) {
        let word = core.load(Path::Texels, first + at, 4, lane)?;
        any |= word.to_le_bytes().iter().any(|byte| u32::from(*byte) == solid);
    }
    let [width, height, _] = image.extent(level);
    let places = (0..height).flat_map(|y| (0..width).map(move |x| [x, y, layer]));
    let mut texels = Vec::new();
    for place in places.filter(|_| any) {
        for sample in 0..image.samples {
            let Some(subtile) = image.subtile(level, place, sample) else { continue };
            if core.load(Path::Texels, subtile.metadata, 1, lane)? != solid {
                continue;
            }
            let mut texel = 0_u128;
            for at in (0..image.format.bytes()).step_by(4) {
                let bytes = (image.format.bytes() - at).min(4);
                let word = core.load(Path::Texels, subtile.texel + u64::from(at), bytes, lane)?;
                texel |= u128::from(word) << (8 * at);
            }
            texels.push((place, sample, texel));
        }
    }
    texels
        .into_iter()
        .try_for_each(|(place, sample, texel)| put(core, image, (level, place, sample), texel, lane))
}

/// Marks all subtiles of a level as uncompressed in its metadata.
fn mark_plain(core: &mut Core<'_>, image: &Texture, layer: u32, lane: usize) -> Result<(), Observation> {
    let Some((first, bytes)) = image.metadata_range(image.first_level, layer) else { return Ok(()) };
    let word = u32::from_le_bytes([image.plain_code(); 4]);
    (0..bytes).step_by(4).try_for_each(|at| core.store(TEXELS, first + at, 4, word, lane))
}

fn put(
    core: &mut Core<'_>,
    image: &Texture,
    (level, place, sample): (u32, [u32; 3], u32),
    texel: u128,
    lane: usize,
) -> Result<(), Observation> {
    let address = image.texel(level, place, sample);
    for at in (0..image.format.bytes()).step_by(4) {
        let bytes = (image.format.bytes() - at).min(4);
        core.store(TEXELS, address.wrapping_add(u64::from(at)), bytes, (texel >> (8 * at)) as u32, lane)?;
    }
    Ok(())
}
