//! Texture sampling and loading, image stores.

use agx_abi::page_table;
use agx_isa::inst::{Inst, Operand, Size, Tag};
use agx_isa::key;
use half::f16;

use crate::core::Core;
use crate::exec::fields::Fields;
use crate::findings::{FindingKind, Observation};
use crate::footprint::Footprint;
use crate::group::{Group, LANES, PerLane};
use crate::order::Path;
use crate::registers::{Dst, Src, lanes_of};
use crate::sampling::{Lookup, Texels, clamped_lod, sample};
use crate::textures::{Dimension, SAMPLER_BYTES, Sampler, TEXTURE_BYTES, Texture};

/// The source of a descriptor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Binding {
    texture: Operand,
    heap: Src,
}

impl Binding {
    pub(crate) fn new(inst: &Inst) -> Binding {
        let fields = Fields::new(inst);
        Binding { texture: fields.get(key::TEXTURE), heap: fields.source(key::HEAP).sized(Size::B64) }
    }

    /// The descriptor a lane uses: a state register by number, by a 16-bit register, or 24 bytes at an offset from the
    /// heap base.
    pub(crate) fn descriptor(
        &self,
        group: &Group,
        core: &mut Core<'_>,
        lane: usize,
    ) -> Result<[u8; TEXTURE_BYTES], Observation> {
        let half = self.texture.value as u8;
        if self.texture.tag == Tag::Reg && self.texture.size == Size::B32 {
            let base = group.gather(core.uniforms, &self.heap)[lane];
            let address = base.wrapping_add(group.read(half, Size::B32, lane));
            let mut bytes = [0; TEXTURE_BYTES];
            for (at, chunk) in bytes.chunks_exact_mut(4).enumerate() {
                let word = core.load(Path::Device, address.wrapping_add(4 * at as u64), 4, lane)?;
                chunk.copy_from_slice(&word.to_le_bytes());
            }
            return Ok(bytes);
        }
        let number = match self.texture.tag {
            Tag::Reg => group.read(half, Size::B16, lane) as u32,
            _ => self.texture.value,
        };
        let unset = FindingKind::Unsupported("an empty texture state register");
        core.states.texture(number).ok_or_else(|| unset.in_lane(lane))
    }
}

/// Coordinate registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coordinates {
    first: Dst,
    dimension: Dimension,
}

impl Coordinates {
    /// Resolves coordinates of 32 or 16 bits.
    pub(crate) fn new(inst: &Inst) -> Option<Coordinates> {
        let fields = Fields::new(inst);
        let first = Dst::new(fields.get(key::COORDS))?;
        Some(Coordinates { first, dimension: Dimension::from_code(fields.number(key::DIM))? })
    }

    /// The coordinates of a lane as bits.
    fn read(&self, group: &Group, lane: usize) -> [u32; 3] {
        let axis = |at: usize| {
            let register = self.first.following(at as u32);
            if at < self.dimension.axes { group.read(register.half, register.size, lane) as u32 } else { 0 }
        };
        std::array::from_fn(axis)
    }

    /// The coordinates of a lane as bits of 32-bit floats.
    fn read_floats(&self, group: &Group, lane: usize) -> [u32; 3] {
        let bits = self.read(group, lane);
        match self.first.size {
            Size::B16 => bits.map(|bits| f16::from_bits(bits as u16).to_f32().to_bits()),
            _ => bits,
        }
    }

    /// The layer of a block store: after explicit coordinates, in their place otherwise.
    pub(crate) fn layer(&self, group: &Group, lane: usize, explicit: bool) -> u32 {
        let skipped = if explicit { 4 } else { 0 };
        let behind_sample = u8::from(self.dimension.multisampled);
        let half = self.first.half.wrapping_add(skipped + behind_sample);
        if self.dimension.array { group.read(half, Size::B16, lane) as u32 } else { 0 }
    }

    /// The corner of a block store.
    pub(crate) fn corner(&self, group: &Group, lane: usize) -> [u32; 2] {
        [0, 2].map(|at| group.read(self.first.half.wrapping_add(at), Size::B32, lane) as u32)
    }

    /// Layer and sample, from the slot after the coordinates: the layer is in the high half when there are samples.
    fn layer_and_sample(&self, group: &Group, lane: usize) -> (u32, u32) {
        let register = self.first.following(self.dimension.axes as u32);
        let half = |at: u8| group.read(register.half.wrapping_add(at), Size::B16, lane) as u32;
        match (self.dimension.array, self.dimension.multisampled) {
            (false, false) => (0, 0),
            (true, false) => (half(0), 0),
            (false, true) => (0, half(0)),
            (true, true) => (half(1), half(0)),
        }
    }
}

/// How the level of detail is given, by the instruction's mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LodMode {
    Auto,
    Bias,
    Explicit,
    Gradient,
    GradientMin,
    BiasMin,
}

impl LodMode {
    fn from_code(code: u32) -> Option<LodMode> {
        Some(match code {
            0 => LodMode::Auto,
            1 | 5 => LodMode::Bias,
            2 | 6 => LodMode::Explicit,
            4 => LodMode::Gradient,
            9 | 13 => LodMode::BiasMin,
            12 => LodMode::GradientMin,
            _ => return None,
        })
    }
}

/// `smpf` and `smpi`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    dst: Dst,
    mask: u32,
    binding: Binding,
    coordinates: Coordinates,
    sampler: Operand,
    lod_mode: LodMode,
    lod: Src,
    /// Shadow reference, then packed offsets.
    extra: Operand,
    compare: bool,
    offset: bool,
    gather: Option<usize>,
    query: bool,
    /// The word after four components tells whether all texels are resident.
    residency: bool,
    integer: bool,
}

/// Components of a lookup, and whether some texel is in a page that is not resident.
type Found = ([u32; 4], bool);

impl Sample {
    /// Resolves a sample (`integer`: load) instruction; `None` for forms nobody has seen, such as residency after fewer
    /// than four components.
    pub(crate) fn new(inst: &Inst, integer: bool) -> Option<Sample> {
        let fields = Fields::new(inst);
        let gather = match fields.number(key::GATHER) {
            0 => None,
            code @ (1 | 3 | 5 | 7) => Some(code as usize / 2),
            _ => return None,
        };
        let (mask, residency) = (fields.number(key::MASK), fields.flag(key::SPARSE));
        (!residency || mask & 0xf == 0xf).then_some(Sample {
            dst: Dst::new(fields.get(key::DST))?,
            mask,
            binding: Binding::new(inst),
            coordinates: Coordinates::new(inst)?,
            sampler: fields.get(key::SAMPLER),
            lod_mode: LodMode::from_code(fields.number(key::LOD_MODE))?,
            lod: fields.source(key::LOD),
            extra: fields.get(key::EXTRA),
            compare: fields.flag(key::COMPARE),
            offset: fields.flag(key::OFFSET),
            gather,
            query: fields.flag(key::QUERY),
            residency,
            integer,
        })
    }

    /// Samples or loads in the active lanes; the four destination registers are overwritten whatever the mask.
    pub(crate) fn run(&self, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let derivatives = self.derivatives(group);
        let mut results: [Found; LANES] = [([0; 4], false); LANES];
        let mut integers = 0_u32;
        for lane in lanes_of(group.exec) {
            let bytes = self.binding.descriptor(group, core, lane)?;
            let texture =
                Texture::new(&bytes).map_err(|what| FindingKind::Unsupported(what).in_lane(lane))?;
            integers |= u32::from(texture.format.is_integer()) << lane;
            results[lane] = if self.integer {
                self.load(&texture, group, core, lane)?
            } else {
                self.sample(&texture, group, core, lane, derivatives[lane])?
            };
        }
        for lane in lanes_of(group.exec) {
            let (values, missing) = results[lane];
            self.write(group, lane, values, integers >> lane & 1 != 0);
            if self.residency {
                group.write(self.dst.following(4), u64::from(missing), lane);
            }
        }
        Ok(())
    }

    /// Components of the mask in consecutive registers; the registers after them hold garbage.
    fn write(&self, group: &mut Group, lane: usize, values: [u32; 4], integer: bool) {
        let mut kept = lanes_of(self.mask & 0xf);
        for at in 0..4 {
            let bits = match kept.next() {
                Some(component) => values[component],
                None => 0x7fc0_dead,
            };
            let narrow = self.dst.size == Size::B16 && !integer;
            let value = if narrow { u32::from(f16::from_f32(f32::from_bits(bits)).to_bits()) } else { bits };
            group.write(self.dst.following(at), u64::from(value), lane);
        }
    }

    fn load(
        &self,
        texture: &Texture,
        group: &Group,
        core: &mut Core<'_>,
        lane: usize,
    ) -> Result<Found, Observation> {
        let at = self.coordinates.read(group, lane);
        let (layer, sample) = self.coordinates.layer_and_sample(group, lane);
        let lod = match self.lod_mode {
            LodMode::Explicit => group.gather(core.uniforms, &self.lod.sized(Size::B16))[lane] as u32,
            _ => 0,
        };
        // Out-of-range levels and layers do not give zero on hardware (Mesa 25.0 patches them): they are clamped here.
        let level = (texture.first_level + lod).min(texture.last_level);
        let extent = texture.extent(level);
        let slice = if self.coordinates.dimension.array || self.coordinates.dimension.cube {
            layer.min(extent[2] - 1)
        } else {
            at[2]
        };
        let [x, y] = [at[0].wrapping_add(self.offsets(group, lane)[0] as u32), at[1]];
        let place = [x, y.wrapping_add(self.offsets(group, lane)[1] as u32), slice];
        let inside = (0..3).all(|axis| place[axis] < extent[axis]) && sample < texture.samples;
        // Outside, channels that a format lacks are still what the swizzle says.
        let outside = texture.swizzle.map(|from| if from == 4 { texture.format.one() } else { 0 });
        let mut source = Source { texture, core, lane, sample, border: Ok(outside), missing: false };
        let values = source.fetch(level, inside.then_some(place))?;
        Ok((values, source.missing))
    }

    fn sample(
        &self,
        texture: &Texture,
        group: &Group,
        core: &mut Core<'_>,
        lane: usize,
        [dx, dy]: [[f32; 3]; 2],
    ) -> Result<Found, Observation> {
        let sampler = self.sampler(group, core, lane)?;
        let footprint = self.footprint(texture, &sampler, group, core, lane, [dx, dy]);
        if self.query {
            let clamped = clamped_lod(texture, &sampler, footprint.lod);
            return Ok(([clamped.to_bits(), footprint.lod.to_bits(), 0, 0], false));
        }
        let reference = self.compare.then(|| f32::from_bits(self.extra_word(group, lane)));
        let lookup = Lookup {
            at: self.coordinates.read_floats(group, lane).map(f32::from_bits),
            layer: self.coordinates.layer_and_sample(group, lane).0,
            offset: self.offsets(group, lane),
            footprint,
            reference,
            gather: self.gather,
        };
        let border = sampler.border.values(texture);
        let mut source = Source { texture, core, lane, sample: 0, border, missing: false };
        let values = sample(texture, &sampler, &lookup, &mut source)?;
        Ok((values, source.missing))
    }

    fn sampler(&self, group: &Group, core: &mut Core<'_>, lane: usize) -> Result<Sampler, Observation> {
        let number = match self.sampler.tag {
            Tag::Reg => group.read(self.sampler.value as u8, Size::B16, lane) as u32,
            _ => self.sampler.value,
        };
        let in_heap = (self.sampler.tag == Tag::Reg).then(|| core.states.heap_sampler(number)).flatten();
        if let Some(address) = in_heap {
            let address = address.map_err(|what| FindingKind::Unsupported(what).in_lane(lane))?;
            let mut bytes = [0; SAMPLER_BYTES];
            for (at, chunk) in bytes.chunks_exact_mut(4).enumerate() {
                let word = core.load(Path::Device, address.wrapping_add(4 * at as u64), 4, lane)?;
                chunk.copy_from_slice(&word.to_le_bytes());
            }
            return Ok(Sampler::from_bytes(bytes));
        }
        let unset = FindingKind::Unsupported("an empty sampler state register");
        core.states.sampler(number).ok_or_else(|| unset.in_lane(lane))
    }

    fn extra_word(&self, group: &Group, lane: usize) -> u32 {
        group.read(self.extra.value as u8, Size::B32, lane) as u32
    }

    /// Signed four-bit texel offsets, packed in a half register after the shadow reference.
    fn offsets(&self, group: &Group, lane: usize) -> [i32; 3] {
        if !self.offset {
            return [0; 3];
        }
        let behind = if self.compare { 2 } else { 0 };
        let packed = group.read((self.extra.value as u8).wrapping_add(behind), Size::B16, lane) as i32;
        [0, 4, 8].map(|shift| packed << (28 - shift) >> 28)
    }

    /// Differences of the coordinates across the quad, x then y.
    fn derivatives(&self, group: &Group) -> PerLane<[[f32; 3]; 2]> {
        let mut derivatives = [[[0.0; 3]; 2]; LANES];
        if self.integer || !matches!(self.lod_mode, LodMode::Auto | LodMode::Bias | LodMode::BiasMin) {
            return derivatives;
        }
        for lane in lanes_of(group.exec) {
            let read = |lane: usize| self.coordinates.read_floats(group, lane).map(f32::from_bits);
            let difference = |bit: usize| {
                let (near, far) = (read(lane & !bit), read(lane | bit));
                std::array::from_fn(|axis| far[axis] - near[axis])
            };
            // In a compute program the quad's lanes hold unrelated coordinates: the finest level.
            derivatives[lane] =
                if group.pixels.is_some() { [difference(1), difference(2)] } else { derivatives[lane] };
        }
        derivatives
    }

    fn footprint(
        &self,
        texture: &Texture,
        sampler: &Sampler,
        group: &Group,
        core: &Core<'_>,
        lane: usize,
        [dx, dy]: [[f32; 3]; 2],
    ) -> Footprint {
        let half = |at: u32| {
            let src = match self.lod.place {
                crate::registers::Place::Register(half) => {
                    Src { place: crate::registers::Place::Register(half.wrapping_add(at as u8)), ..self.lod }
                }
                crate::registers::Place::Uniform(half) => {
                    Src { place: crate::registers::Place::Uniform(half + at as u16), ..self.lod }
                }
                crate::registers::Place::Immediate(_) => self.lod,
            };
            f16::from_bits(group.gather(core.uniforms, &src.sized(Size::B16))[lane] as u16).to_f32()
        };
        let automatic = || Footprint::new(texture, sampler, dx, dy);
        let with = |footprint: Footprint, lod: f32| Footprint { lod, ..footprint };
        match self.lod_mode {
            // Gathers read the base level.
            LodMode::Auto if self.gather.is_some() => Footprint::at_level(0.0),
            LodMode::Auto => automatic(),
            LodMode::Bias => with(automatic(), automatic().lod + half(0)),
            LodMode::BiasMin => with(automatic(), (automatic().lod + half(0)).max(half(1))),
            LodMode::Explicit => Footprint::at_level(half(0)),
            LodMode::Gradient | LodMode::GradientMin => {
                let axes = self.coordinates.dimension.axes;
                let first = self.lod.register().unwrap_or(0);
                let word = |at: usize| {
                    f32::from_bits(group.read(first.wrapping_add(2 * at as u8), Size::B32, lane) as u32)
                };
                let along = |side: usize| {
                    std::array::from_fn(|axis| if axis < axes { word(2 * axis + side) } else { 0.0 })
                };
                let footprint = Footprint::new(texture, sampler, along(0), along(1));
                let least =
                    if self.lod_mode == LodMode::GradientMin { half(4 * axes as u32) } else { f32::MIN };
                with(footprint, footprint.lod.max(least))
            }
        }
    }
}

/// Fetches a lane's texels from memory.
struct Source<'s, 'c, 'm> {
    texture: &'s Texture,
    core: &'c mut Core<'m>,
    lane: usize,
    sample: u32,
    /// The border colour; the error names a colour that is not known.
    border: Result<[u32; 4], &'static str>,
    /// Whether a texel so far is in a page that is not resident.
    missing: bool,
}

impl Source<'_, '_, '_> {
    /// The address of a texel; `None` in a page that is not resident. A subtile of equal texels of a compressed texture
    /// has only one.
    fn address(&mut self, level: u32, place: [u32; 3]) -> Result<Option<u64>, Observation> {
        if let Some(subtile) = self.texture.subtile(level, place, self.sample) {
            let code = self.core.load(Path::Texels, subtile.metadata, 1, self.lane)?;
            if code == u32::from(self.texture.solid_code()) {
                return Ok(Some(subtile.texel));
            }
        }
        let Some((entry, offset)) = self.texture.page(level, place, self.sample) else {
            return Ok(Some(self.texture.texel(level, place, self.sample)));
        };
        let entry = self.core.load(Path::Texels, entry, 4, self.lane)?;
        let page = page_table::page(entry);
        self.missing |= page.is_none();
        Ok(page.map(|page| page + offset))
    }
}

impl Texels<Observation> for Source<'_, '_, '_> {
    fn fetch(&mut self, level: u32, place: Option<[u32; 3]>) -> Result<[u32; 4], Observation> {
        let Some(place) = place else {
            return self.border.map_err(|what| FindingKind::Unsupported(what).in_lane(self.lane));
        };
        let address = self.address(level, place)?;
        let texels = |at: u32| address.map(|address| address.wrapping_add(at.into()));
        let bytes = self.texture.format.bytes();
        let [across, down] = self.texture.format.block();
        let mut texel = 0_u128;
        for at in (0..bytes).step_by(4) {
            // Texels of other pages read as zero.
            let Some(address) = texels(at) else { break };
            let word = self.core.load(Path::Texels, address, (bytes - at).min(4), self.lane)?;
            texel |= u128::from(word) << (8 * at);
        }
        let channels = self.texture.format.decode_block(texel, [place[0] % across, place[1] % down]);
        Ok(self.texture.swizzled(channels))
    }
}

/// `imgw`: one texel from four registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageStore {
    data: Dst,
    binding: Binding,
    coordinates: Coordinates,
    toward_zero: bool,
}

impl ImageStore {
    /// Resolves an image store; `None` for forms nobody has seen.
    pub(crate) fn new(inst: &Inst) -> Option<ImageStore> {
        let fields = Fields::new(inst);
        Some(ImageStore {
            data: Dst::new(fields.get(key::DATA))?,
            binding: Binding::new(inst),
            coordinates: Coordinates::new(inst)?,
            toward_zero: fields.flag(key::RTZ),
        })
    }

    /// Stores from the active lanes that are not helpers; texels outside the image are dropped.
    pub(crate) fn run(&self, group: &Group, core: &mut Core<'_>) -> Result<(), Observation> {
        for lane in lanes_of(group.storing()) {
            let bytes = self.binding.descriptor(group, core, lane)?;
            let image =
                Texture::image(&bytes).map_err(|what| FindingKind::Unsupported(what).in_lane(lane))?;
            let at = self.coordinates.read(group, lane);
            let (layer, sample) = self.coordinates.layer_and_sample(group, lane);
            let level = image.first_level;
            let extent = image.extent(level);
            let slice = if self.coordinates.dimension.array { layer } else { at[2] };
            let place = [at[0], at[1], slice];
            if (0..3).any(|axis| place[axis] >= extent[axis]) || sample >= image.samples {
                continue;
            }
            let texel = image.format.encode(self.values(&image, group, lane), self.toward_zero);
            let address = image.texel(level, place, sample);
            for at in (0..image.format.bytes()).step_by(4) {
                let bytes = (image.format.bytes() - at).min(4);
                let address = address.wrapping_add(u64::from(at));
                core.store((Path::Texels, None), address, bytes, (texel >> (8 * at)) as u32, lane)?;
            }
        }
        Ok(())
    }

    /// The channels to store: floats widened, then swizzled into place.
    fn values(&self, image: &Texture, group: &Group, lane: usize) -> [u32; 4] {
        let component = |at: usize| {
            let register = self.data.following(at as u32);
            let bits = group.read(register.half, register.size, lane) as u32;
            let widen = register.size == Size::B16 && !image.format.is_integer();
            if widen { f16::from_bits(bits as u16).to_f32().to_bits() } else { bits }
        };
        [0, 1, 2, 3].map(|channel| component(image.source_of(channel)))
    }
}
