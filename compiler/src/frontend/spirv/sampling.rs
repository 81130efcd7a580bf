//! Sampling: textures at float coordinates, with their variants.

use agx_abi::Stage;
use agx_abi::textures::DescriptorKind;
use agx_isa::table::Opcode;
use spirv::{Dim, ImageOperands, Op};

use super::derivatives::Axis;
use super::module::Def;
use super::resources::{Handle, Resource};
use super::translate::Translator;
use super::types::{ImageType, Kind, Ty};
use super::words::Inst;
use crate::error::CompileError;
use crate::ir::op::{IrOp, Op as IrOperation};
use crate::ir::src::Src;
use crate::ir::types::Type;
use crate::ir::vocabulary::LodMode;

/// What a sampling instruction does beside sampling.
#[derive(Clone, Copy, Default)]
struct Form {
    /// The level comes from the quad.
    implicit: bool,
    /// Compares with a reference.
    compares: bool,
    /// Divides the coordinates.
    projects: bool,
    /// Gives a channel of four texels.
    gathers: bool,
}

const PLAIN: Form = Form { implicit: false, compares: false, projects: false, gathers: false };
const IMPLICIT: Form = Form { implicit: true, ..PLAIN };

const FORMS: &[(Op, Form)] = &[
    (Op::ImageSampleImplicitLod, IMPLICIT),
    (Op::ImageSampleExplicitLod, PLAIN),
    (Op::ImageSampleDrefImplicitLod, Form { compares: true, ..IMPLICIT }),
    (Op::ImageSampleDrefExplicitLod, Form { compares: true, ..PLAIN }),
    (Op::ImageSampleProjImplicitLod, Form { projects: true, ..IMPLICIT }),
    (Op::ImageSampleProjExplicitLod, Form { projects: true, ..PLAIN }),
    (Op::ImageSampleProjDrefImplicitLod, Form { compares: true, projects: true, ..IMPLICIT }),
    (Op::ImageSampleProjDrefExplicitLod, Form { compares: true, projects: true, ..PLAIN }),
    (Op::ImageGather, Form { gathers: true, ..PLAIN }),
    (Op::ImageDrefGather, Form { gathers: true, compares: true, ..PLAIN }),
];

/// Image operands: ids by kind.
#[derive(Clone, Copy, Default)]
pub(super) struct Operands {
    pub bias: Option<u32>,
    pub lod: Option<u32>,
    pub gradients: Option<(u32, u32)>,
    /// Constant or computed offset.
    pub offset: Option<u32>,
    /// One offset for each texel of a gather.
    pub offsets: Option<u32>,
    pub sample: Option<u32>,
    pub min_lod: Option<u32>,
}

impl Operands {
    /// Reads what stands behind the fixed operands of an image instruction.
    pub fn read(words: &[u32]) -> Result<Operands, CompileError> {
        let mut operands = Operands::default();
        let Some((mask, ids)) = words.split_first() else { return Ok(operands) };
        let mask = ImageOperands::from_bits(*mask)
            .ok_or_else(|| CompileError::invalid(format!("unknown image operands {mask:#x}")))?;
        let mut ids = ids.iter().copied();
        for operand in mask.iter() {
            let mut id = || ids.next().ok_or_else(|| CompileError::invalid("an image operand is missing"));
            match operand {
                ImageOperands::BIAS => operands.bias = Some(id()?),
                ImageOperands::LOD => operands.lod = Some(id()?),
                ImageOperands::GRAD => operands.gradients = Some((id()?, id()?)),
                ImageOperands::CONST_OFFSET | ImageOperands::OFFSET => operands.offset = Some(id()?),
                ImageOperands::CONST_OFFSETS | ImageOperands::OFFSETS => operands.offsets = Some(id()?),
                ImageOperands::SAMPLE => operands.sample = Some(id()?),
                ImageOperands::MIN_LOD => operands.min_lod = Some(id()?),
                ImageOperands::MAKE_TEXEL_AVAILABLE | ImageOperands::MAKE_TEXEL_VISIBLE => {
                    id()?;
                }
                // Signedness is the texel format's, and the rest is about memory order or caching.
                _ => {}
            }
        }
        Ok(operands)
    }
}

/// Coordinates that say where in a texture, the layer not among them.
pub(super) fn axes(image: &ImageType) -> usize {
    match image.dim {
        Dim::Dim1D | Dim::DimBuffer => 1,
        Dim::Dim3D | Dim::DimCube => 3,
        _ => 2,
    }
}

/// The hardware's code of a texture's dimension, as sampling sees it.
pub(super) fn dimension(image: &ImageType) -> Result<u32, CompileError> {
    Ok(match (image.dim, image.arrayed, image.multisampled) {
        (Dim::Dim1D, false, false) => 0,
        (Dim::Dim1D, true, false) => 1,
        (Dim::Dim2D | Dim::DimBuffer, false, false) => 2,
        (Dim::Dim2D, true, false) | (Dim::DimSubpassData, _, false) => 3,
        (Dim::Dim2D, false, true) => 4,
        (Dim::Dim2D, true, true) | (Dim::DimSubpassData, _, true) => 8,
        (Dim::Dim3D, false, false) => 5,
        (Dim::DimCube, false, false) => 6,
        (Dim::DimCube, true, false) => 7,
        (dim, ..) => return Err(CompileError::unsupported(format!("images of dimension {dim:?} like this"))),
    })
}

/// A sample under construction.
struct Sample {
    ty: Type,
    coords: Vec<Src>,
    /// Layer and the number of the last one.
    layer: Option<(Src, Src)>,
    mode: LodMode,
    lod: Src,
    min_lod: Src,
    reference: Src,
    offset: Src,
    /// The hardware's code.
    gather: u32,
    query: bool,
}

impl<'a> Translator<'_, 'a> {
    /// Translates sampling; false for other instructions.
    pub(super) fn sampling(&mut self, inst: &Inst<'a>) -> Result<bool, CompileError> {
        if inst.op == Op::ImageQueryLod {
            self.query_lod(inst)?;
            return Ok(true);
        }
        let Some((_, form)) = FORMS.iter().find(|(op, _)| *op == inst.op) else { return Ok(false) };
        let form = *form;
        let (resource, handle, image) = self.image(inst.word(2)?)?;
        let given = form.compares || form.gathers;
        let operands = Operands::read(inst.rest(if given { 5 } else { 4 }))?;
        let mut sample = self.sample_at(inst, handle, &image)?;
        if form.projects {
            self.project(inst, &image, &mut sample)?;
        }
        if form.compares {
            let reference = self.eval().scalar(inst.word(4)?)?;
            sample.reference = if form.projects { self.divide(inst, &image, reference)? } else { reference };
        }
        self.choose_level(form, &image, &operands, &mut sample)?;
        if form.gathers {
            let channel = if form.compares { 0 } else { self.constant(inst.word(4)?)? };
            sample.gather = 2 * channel.min(3) + 1;
        }
        let texels = self.with_offsets(&operands, resource, &image, sample)?;
        self.define_texel(inst, &texels)?;
        Ok(true)
    }

    /// Coordinates and layer of a sampling instruction.
    fn sample_at(
        &mut self,
        inst: &Inst<'a>,
        handle: Handle,
        image: &ImageType,
    ) -> Result<Sample, CompileError> {
        let (ty, leaves) = self.eval().value(inst.word(3)?)?;
        self.eval().check_float(ty)?;
        if image.multisampled || matches!(image.dim, Dim::DimBuffer | Dim::DimSubpassData) {
            return Err(CompileError::invalid("an image that is only loaded from is sampled"));
        }
        let axes = axes(image);
        if leaves.len() < axes + usize::from(image.arrayed) {
            return Err(CompileError::invalid("the coordinate has too few components"));
        }
        let coords = leaves[..axes].iter().map(|leaf| self.b.fconv(*leaf, 32)).collect();
        let is_query = inst.op == Op::ImageQueryLod;
        let layer = match image.arrayed && !is_query {
            true => Some((leaves[axes], self.last_layer(handle))),
            false => None,
        };
        Ok(Sample {
            ty: Type::vector(self.texel_bits(image)?, 4),
            coords,
            layer,
            mode: LodMode::Auto,
            lod: Src::NONE,
            min_lod: Src::NONE,
            reference: Src::NONE,
            offset: Src::NONE,
            gather: 0,
            query: is_query,
        })
    }

    /// Width of a component of a texel.
    pub(super) fn texel_bits(&self, image: &ImageType) -> Result<u8, CompileError> {
        match self.types.kind(image.texel) {
            Kind::Float { bits: bits @ (16 | 32) } => Ok(bits),
            Kind::Int { bits: 32 } => Ok(32),
            _ => Err(CompileError::unsupported(
                "images with texels other than 16-bit floats and 32-bit numbers",
            )),
        }
    }

    /// The divisor of a projective coordinate: the component behind those that are used.
    fn divide(&mut self, inst: &Inst<'a>, image: &ImageType, value: Src) -> Result<Src, CompileError> {
        let (_, leaves) = self.eval().value(inst.word(3)?)?;
        let divisor = leaves
            .get(axes(image))
            .copied()
            .ok_or_else(|| CompileError::invalid("a projective coordinate without its divisor"))?;
        let divisor = self.b.fconv(divisor, 32);
        let mods = IrOperation::Hw(Opcode::Rcp).default_mods();
        let reciprocal = self.b.alu(Opcode::Rcp, 32, &[divisor], &mods);
        Ok(self.b.fmul(value, reciprocal))
    }

    fn project(
        &mut self,
        inst: &Inst<'a>,
        image: &ImageType,
        sample: &mut Sample,
    ) -> Result<(), CompileError> {
        for at in 0..sample.coords.len() {
            sample.coords[at] = self.divide(inst, image, sample.coords[at])?;
        }
        Ok(())
    }

    /// Where the level of detail comes from. Outside fragment shaders there are no quads to take it from, and a gather
    /// reads the first level.
    fn choose_level(
        &mut self,
        form: Form,
        image: &ImageType,
        operands: &Operands,
        sample: &mut Sample,
    ) -> Result<(), CompileError> {
        let from_quad = form.implicit && self.io.stage == Stage::Fragment;
        (sample.mode, sample.lod) = if let Some(id) = operands.lod {
            let (ty, _) = self.eval().value(id)?;
            self.eval().check_float(ty)?;
            (LodMode::Explicit, self.eval().scalar(id)?)
        } else if let Some((dx, dy)) = operands.gradients {
            (LodMode::Gradients, self.gradients(image, dx, dy)?)
        } else {
            let bias = operands.bias.map(|id| self.eval().scalar(id)).transpose()?;
            if form.implicit && self.io.stage == Stage::Compute && self.has_quads() {
                sample.lod = self.gradients_in_quad(&sample.coords.clone(), bias);
                sample.mode = LodMode::Gradients;
                return self.limit_level(operands, sample);
            }
            match (from_quad, bias) {
                (true, None) => (LodMode::Auto, Src::NONE),
                (true, Some(bias)) => (LodMode::Bias, bias),
                (false, bias) => (LodMode::Explicit, bias.unwrap_or(Src::f32(0.0))),
            }
        };
        self.limit_level(operands, sample)
    }

    fn limit_level(&mut self, operands: &Operands, sample: &mut Sample) -> Result<(), CompileError> {
        if let Some(id) = operands.min_lod {
            sample.min_lod = self.eval().scalar(id)?;
        }
        self.io.fragment.needs_helpers |= matches!(sample.mode, LodMode::Auto | LodMode::Bias);
        Ok(())
    }

    /// The gradients of coordinates in the quad, scaled by what a bias adds to the level.
    fn gradients_in_quad(&mut self, coords: &[Src], bias: Option<Src>) -> Src {
        let scale = bias.map(|bias| {
            let bias = self.b.fconv(bias, 32);
            let mods = IrOperation::Hw(Opcode::Exp2).default_mods();
            self.b.alu(Opcode::Exp2, 32, &[bias], &mods)
        });
        let mut words = Vec::with_capacity(2 * coords.len());
        for coord in coords {
            for axis in [Axis::X, Axis::Y] {
                let slope = self.derivative(axis, *coord);
                words.push(scale.map_or(slope, |scale| self.b.fmul(slope, scale)));
            }
        }
        self.b.collect(Type::vector(32, words.len() as u8), &words)
    }

    /// The gradients as the hardware takes them: of each coordinate that across, then that down.
    fn gradients(&mut self, image: &ImageType, dx: u32, dy: u32) -> Result<Src, CompileError> {
        let (_, dx) = self.eval().value(dx)?;
        let (_, dy) = self.eval().value(dy)?;
        let axes = axes(image);
        if dx.len() < axes || dy.len() < axes {
            return Err(CompileError::invalid("a gradient has too few components"));
        }
        let mut words = Vec::with_capacity(2 * axes);
        for (dx, dy) in dx[..axes].iter().zip(&dy[..axes]) {
            words.extend([self.b.fconv(*dx, 32), self.b.fconv(*dy, 32)]);
        }
        Ok(self.b.collect(Type::vector(32, words.len() as u8), &words))
    }

    /// Samples with the offset; once for each texel where a gather has as many offsets.
    fn with_offsets(
        &mut self,
        operands: &Operands,
        resource: Resource,
        image: &ImageType,
        mut sample: Sample,
    ) -> Result<Vec<Src>, CompileError> {
        let Some(offsets) = operands.offsets else {
            if let Some(id) = operands.offset {
                let (_, offset) = self.eval().value(id)?;
                sample.offset = self.packed_offset(offset);
            }
            return self.sample(resource, image, &sample);
        };
        let (_, leaves) = self.eval().value(offsets)?;
        if sample.gather == 0 || leaves.len() != 8 {
            return Err(CompileError::invalid("four offsets are for gathers of two dimensions"));
        }
        // Of each gather the texel at the offset itself, which comes last.
        let mut texels = Vec::with_capacity(4);
        for offset in leaves.chunks(2) {
            sample.offset = self.packed_offset(offset);
            texels.push(self.sample(resource, image, &sample)?[3]);
        }
        Ok(texels)
    }

    /// Offsets of four bits each.
    fn packed_offset(&mut self, offset: &[Src]) -> Src {
        let mut packed = Src::imm32(0);
        for (at, offset) in (0..3).zip(offset) {
            let word = self.b.sconv(*offset, 32);
            let nibble = self.b.and(word, Src::imm32(0xf));
            let placed = self.b.shl(nibble, Src::imm32(4 * at));
            packed = if at == 0 { placed } else { self.b.or(packed, placed) };
        }
        packed
    }

    /// The four components of a sample.
    fn sample(
        &mut self,
        resource: Resource,
        image: &ImageType,
        sample: &Sample,
    ) -> Result<Vec<Src>, CompileError> {
        let (Some(handle), Some(sampler)) = (resource.image, resource.sampler) else {
            return Err(CompileError::invalid("sampling without a sampler"));
        };
        let texture = self.descriptor(handle, DescriptorKind::Texture);
        let sampler = self.sampler(sampler)?;
        let coords = self.b.collect(Type::vector(32, sample.coords.len() as u8), &sample.coords);
        let (layer, last_layer) = sample.layer.unwrap_or((Src::NONE, Src::NONE));
        let srcs = [
            texture.texture,
            texture.heap,
            sampler,
            coords,
            layer,
            last_layer,
            sample.lod,
            sample.min_lod,
            sample.reference,
            sample.offset,
        ];
        let mods = [dimension(image)?, sample.mode as u32, sample.gather, u32::from(sample.query)];
        let vector = self.b.value(IrOp::Sample, sample.ty, &srcs, &mods);
        Ok(self.b.split(Src::value(vector), Type::scalar(sample.ty.bits), 4).to_vec())
    }

    /// The level a sample would take, and that before clamping.
    fn query_lod(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let (resource, handle, image) = self.image(inst.word(2)?)?;
        let mut sample = self.sample_at(inst, handle, &image)?;
        sample.ty = Type::vector(32, 4);
        self.choose_level(IMPLICIT, &image, &Operands::default(), &mut sample)?;
        let levels = self.sample(resource, &image, &sample)?;
        self.define_texel(inst, &levels)
    }

    /// Gives the result of an image instruction as many of the components as its type has.
    pub(super) fn define_texel(&mut self, inst: &Inst<'a>, texel: &[Src]) -> Result<(), CompileError> {
        let ty: Ty = self.eval().ty(inst.word(0)?)?;
        let count = self.types.leaf_count(ty)?;
        let leaves = texel.get(..count).ok_or_else(|| {
            CompileError::invalid("the result of an image instruction has more than four components")
        })?;
        let leaves = self.bump.alloc_slice_copy(leaves);
        let leaves = self.eval().checked(ty, leaves)?;
        self.define(inst.word(1)?, Def::Value(ty, leaves))
    }
}
