//! `imgwblk`: stores a block of the tile buffer to an image.
//!
//! End-of-tile programs store their own tile. Compute programs give the position of the block in the image. The tile has the data that `st_tile` wrote, with a memory format for each
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
    /// Position of the block in the image; `None` if it is that of the tile.
    corner: Option<[u32; 2]>,
    layer: u32,
    offset: usize,
}

/// Pixels along each axis to whose multiples an area is extended so that it has whole subtiles.
const WHOLE: u32 = 16;

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
            let explicit = self.coordinates.filter(|_| self.explicit);
            let corner = explicit.map(|coordinates| coordinates.corner(group, lane));
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
        let [left, top, right, bottom] = frame.buffer.rectangle();
        let corner = block.corner.unwrap_or([left, top]);
        let area = [corner, [corner[0] + (right - left), corner[1] + (bottom - top)]];
        let mut outcome = expand(core, image, (block.layer, area), lane);
        for (x, y) in (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y))) {
            let place = [x - left + corner[0], y - top + corner[1], block.layer];
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
        outcome
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

/// Makes the subtiles of an area of a layer uncompressed: those that consist of one texel are expanded.
fn expand(
    core: &mut Core<'_>,
    image: &Texture,
    (layer, [first, end]): (u32, [[u32; 2]; 2]),
    lane: usize,
) -> Result<(), Observation> {
    let level = image.first_level;
    if image.metadata.is_none() {
        return Ok(());
    }
    let extent = image.extent(level);
    let side = image.subtile_pixels();
    let along = |axis: usize| {
        let end = end[axis].next_multiple_of(WHOLE).min(extent[axis]);
        (first[axis] / WHOLE * WHOLE..end).step_by(side[axis] as usize)
    };
    let corners: Vec<_> = along(1).flat_map(|y| along(0).map(move |x| [x, y])).collect();
    // All are read first: the texel of a subtile may be among those of another.
    let mut texels = Vec::new();
    for corner in corners {
        let Some(subtile) = image.subtile(level, [corner[0], corner[1], layer], 0) else { continue };
        let code = core.load_stored(subtile.metadata, 1, lane)?;
        if code == u32::from(image.solid_code()) {
            texels.push((corner, solid(core, image, subtile.texel, lane)?));
        }
        if code != u32::from(image.plain_code()) {
            core.store(TEXELS, subtile.metadata, 1, image.plain_code().into(), lane)?;
        }
    }
    for (corner, texel) in texels {
        let end = [0, 1].map(|axis| (corner[axis] + side[axis]).min(extent[axis]));
        for (x, y) in (corner[1]..end[1]).flat_map(|y| (corner[0]..end[0]).map(move |x| (x, y))) {
            for sample in 0..image.samples {
                put(core, image, (level, [x, y, layer], sample), texel, lane)?;
            }
        }
    }
    Ok(())
}

/// The texel of a subtile of one texel.
fn solid(core: &mut Core<'_>, image: &Texture, address: u64, lane: usize) -> Result<u128, Observation> {
    let mut texel = 0_u128;
    for at in (0..image.format.bytes()).step_by(4) {
        let bytes = (image.format.bytes() - at).min(4);
        let word = core.load_stored(address + u64::from(at), bytes, lane)?;
        texel |= u128::from(word) << (8 * at);
    }
    Ok(texel)
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
