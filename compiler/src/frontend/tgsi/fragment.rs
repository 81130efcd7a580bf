//! Fragment programs: inputs by semantic and interpolation, discards, derivatives, outputs by semantic.

use agx_abi::fragment::{DepthLayout, MAX_TARGETS};
use agx_tgsi::{
    Declaration, File, Instruction, Interpolation, Location, Opcode, PropertyName, Semantic, SemanticName,
    Shader,
};

use super::operands::written;
use super::program::{Inputs, Program, Words, option};
use super::reads::{Reads, refused};
use super::registers::{Component, Number};
use super::semantics::location;
use super::values;
use crate::CompileKey;
use crate::error::{CompileError, TgsiError};
use crate::frontend::four;
use crate::frontend::kit::derivatives::{Axis, derivative};
use crate::frontend::kit::fragment::{self, FragmentInput, FragmentModes, FragmentOutput, Varying};
use crate::frontend::kit::{Kit, buffers, coverage};
use crate::ir::vocabulary::{Input, Mode, Place};
use crate::ir::{Arithmetic, Src, Type};

/// The buffer that contains the height of the render target.
const HEIGHT: (u32, u32) = (7, 0);

/// Begins a fragment program and reads its inputs.
///
/// # Errors
/// Semantics that fragment programs do not support.
pub(super) fn begin(
    kit: &mut Kit<'_, '_>,
    shader: &Shader,
    key: &CompileKey,
    reads: &Reads,
    inputs: &mut Inputs,
) -> Result<(), CompileError> {
    fragment::begin(kit, modes(shader));
    for declaration in shader.of_file(File::Input) {
        for (number, index) in (declaration.range.first..=declaration.range.last).zip(0..) {
            let read = written(reads.mask(File::Input, number));
            let declared = read.filter(|component| shader.declares(declaration, number, *component));
            let mask = declared.fold(0, |mask, component| mask | 1 << component);
            let words = input(kit, shader, key, declaration, index, mask)?;
            let known = inputs.entry((File::Input, number)).or_default();
            for (known, word) in known.iter_mut().zip(words) {
                *known = known.or(word);
            }
        }
    }
    Ok(())
}

fn modes(shader: &Shader) -> FragmentModes {
    let is_set = |name| shader.property(name).is_some_and(|value| value != 0);
    let by_sample = |declaration: &Declaration| {
        let at_sample =
            declaration.interpolate.is_some_and(|interpolate| interpolate.location == Location::Sample);
        let name = declaration.semantic.map(|semantic| semantic.name);
        at_sample || matches!(name, Some(SemanticName::SampleId | SemanticName::SamplePosition))
    };
    FragmentModes {
        early_tests: is_set(PropertyName::FsEarlyDepthStencil),
        depth_layout: match shader.property(PropertyName::FsDepthLayout) {
            Some(2) => DepthLayout::Greater,
            Some(3) => DepthLayout::Less,
            Some(4) => DepthLayout::Unchanged,
            _ => DepthLayout::Any,
        },
        sample_shading: shader.declarations.iter().any(by_sample),
        has_loops: shader.instructions.iter().any(|instruction| instruction.opcode == Opcode::Bgnloop),
        helpers_take_part: false,
        reads_addresses: false,
    }
}

/// The interpolation mode of an input passed on from the vertices.
fn mode(declaration: &Declaration, key: &CompileKey) -> Mode {
    match declaration.interpolate.map(|interpolate| interpolate.mode) {
        Some(Interpolation::Constant) => Mode::Flat,
        Some(Interpolation::Linear) => Mode::Linear,
        Some(Interpolation::Color) if option(key, "flatshade").is_some_and(|value| value != 0) => Mode::Flat,
        _ => Mode::Perspective,
    }
}

fn is_centroid(declaration: &Declaration) -> bool {
    declaration.interpolate.is_some_and(|interpolate| interpolate.location == Location::Centroid)
}

/// The components in `mask` of an input.
fn input(
    kit: &mut Kit<'_, '_>,
    shader: &Shader,
    key: &CompileKey,
    declaration: &Declaration,
    index: u32,
    mask: u8,
) -> Result<Words, CompileError> {
    let mut words = [None; 4];
    let Some(semantic) = declaration.semantic else { return Ok(words) };
    let semantic = Semantic { index: semantic.index.wrapping_add(index), ..semantic };
    let is_passed = location(semantic).filter(|_| !is_built_in(semantic.name));
    let Some(location) = is_passed else {
        for component in written(mask) {
            let word = built_in(kit, shader, semantic, u32::from(component))?;
            four::set(&mut words, component, Some(word));
        }
        return Ok(words);
    };
    let (mode, centroid) = (mode(declaration, key), is_centroid(declaration));
    // Consecutive components are read together.
    let mut component = 0u8;
    while component < 4 {
        let count = (component..4).take_while(|at| mask & 1 << at != 0).count() as u8;
        if count > 0 {
            let input = Input::user(location, u32::from(component));
            let read = fragment::varying(kit, Varying { input, mode, centroid, count, bits: 32 });
            for (word, at) in read.into_iter().zip(component..4) {
                four::set(&mut words, at, Some(word));
            }
        }
        component = component.saturating_add(count.max(1));
    }
    Ok(words)
}

/// Whether an input does not come from the vertices.
fn is_built_in(name: SemanticName) -> bool {
    matches!(name, SemanticName::Face | SemanticName::PrimitiveId | SemanticName::PointCoord)
}

/// A component of an input that does not come from the vertices.
fn built_in(
    kit: &mut Kit<'_, '_>,
    shader: &Shader,
    semantic: Semantic,
    component: u32,
) -> Result<Src, CompileError> {
    // The components of `(F, 0, 0, 1)`.
    let padding = Src::f32(if component == 3 { 1.0 } else { 0.0 });
    let input = match semantic.name {
        SemanticName::Position => return Ok(position(kit, shader, component)),
        SemanticName::Face if component > 0 => return Ok(padding),
        SemanticName::Face => {
            let is_front = read(kit, FragmentInput::FrontFacing);
            return Ok(kit.b.select(is_front, Src::f32(1.0), Src::f32(-1.0)));
        }
        SemanticName::PointCoord if component > 1 => return Ok(padding),
        SemanticName::PointCoord => FragmentInput::PointCoord(component),
        SemanticName::ClipDistance => {
            FragmentInput::ClipDistance(semantic.index.wrapping_mul(4).wrapping_add(component))
        }
        _ if component > 0 => return Ok(Src::imm32(0)),
        SemanticName::PrimitiveId => FragmentInput::PrimitiveId,
        SemanticName::Layer => FragmentInput::Layer,
        SemanticName::ViewportIndex => FragmentInput::Viewport,
        other => return Err(refused(other, "fragment")),
    };
    Ok(read(kit, input))
}

/// An input; 0 if it does not exist.
fn read(kit: &mut Kit<'_, '_>, input: FragmentInput) -> Src {
    fragment::input(kit, input).unwrap_or(Src::imm32(0))
}

/// A component of the screen position, in the convention selected by the program's properties.
fn position(kit: &mut Kit<'_, '_>, shader: &Shader, component: u32) -> Src {
    let mut word = read(kit, FragmentInput::FragCoord(component));
    let is_set = |name| shader.property(name).is_some_and(|value| value != 0);
    if component == 1 && is_set(PropertyName::FsCoordOrigin) {
        let buffer = buffers::Buffer::uniform(kit, HEIGHT.0, HEIGHT.1);
        let height = buffers::load_word(kit, buffer, Src::imm32(0));
        word = kit.b.fsub(height, word);
    }
    if component < 2 && is_set(PropertyName::FsCoordPixelCenter) {
        word = kit.b.fadd(word, Src::f32(-0.5));
    }
    word
}

/// A component of a system value.
///
/// # Errors
/// Semantics that fragment programs do not support.
pub(super) fn system_value(
    kit: &mut Kit<'_, '_>,
    shader: &Shader,
    name: SemanticName,
    component: u32,
) -> Result<Src, CompileError> {
    let input = match name {
        SemanticName::Position => return Ok(position(kit, shader, component)),
        SemanticName::SamplePosition if component < 2 => FragmentInput::SamplePosition(component),
        SemanticName::PointCoord if component < 2 => FragmentInput::PointCoord(component),
        _ if component > 0 => return Ok(Src::imm32(0)),
        SemanticName::Face | SemanticName::HelperInvocation => {
            let is_face = name == SemanticName::Face;
            let input = if is_face { FragmentInput::FrontFacing } else { FragmentInput::HelperInvocation };
            let truth = read(kit, input);
            return Ok(values::truth(kit, truth));
        }
        SemanticName::SampleId => FragmentInput::SampleId,
        SemanticName::SampleMask => FragmentInput::SampleMask,
        SemanticName::PrimitiveId => FragmentInput::PrimitiveId,
        SemanticName::Layer => FragmentInput::Layer,
        SemanticName::ViewportIndex => FragmentInput::Viewport,
        other => return Err(refused(other, "fragment")),
    };
    Ok(read(kit, input))
}

/// Exports the outputs that the program writes.
///
/// # Errors
/// Semantics that fragment programs do not support, and nonexistent targets.
pub(super) fn end(kit: &mut Kit<'_, '_>, program: &Program<'_>) -> Result<(), CompileError> {
    let shader = program.shader;
    let to_all = shader.property(PropertyName::FsColor0WritesAllCbufs).is_some_and(|value| value != 0);
    let targets = option(program.key, "targets").map_or(MAX_TARGETS, |count| count.min(8) as u32);
    let mut outputs = Vec::new();
    let Some(registers) = program.file(File::Output) else { return fragment::end(kit, &outputs) };
    for declaration in shader.of_file(File::Output) {
        for (number, index) in (declaration.range.first..=declaration.range.last).zip(0..) {
            let Some(semantic) = declaration.semantic else { continue };
            for component in 0..4 {
                let is_here = shader.declares(declaration, number, component);
                if !is_here || !registers.is_written(kit, number, component) {
                    continue;
                }
                let Some(output) = output(semantic, index, u32::from(component))? else { continue };
                let word = registers.read(kit, Component { number: Number::Fixed(number), component });
                outputs.push((output, word));
                if let (FragmentOutput::Colour { target: 0, component }, true) = (output, to_all) {
                    let others = (1..targets).map(|target| FragmentOutput::Colour { target, component });
                    outputs.extend(others.map(|output| (output, word)));
                }
            }
        }
    }
    fragment::end(kit, &outputs)
}

/// The meaning of an output component; `None` for those without effect.
fn output(semantic: Semantic, index: u32, component: u32) -> Result<Option<FragmentOutput>, CompileError> {
    let only = |wanted: u32, output: FragmentOutput| Ok((component == wanted).then_some(output));
    match semantic.name {
        SemanticName::Color => {
            let target = semantic.index.wrapping_add(index);
            Ok(Some(FragmentOutput::Colour { target, component }))
        }
        SemanticName::Position => only(2, FragmentOutput::Depth),
        SemanticName::Stencil => only(1, FragmentOutput::Stencil),
        SemanticName::SampleMask => only(0, FragmentOutput::SampleMask),
        other => Err(refused(other, "fragment")),
    }
}

impl Program<'_> {
    /// KILL, KILL_IF, KIL, KILP, DEMOTE.
    ///
    /// # Errors
    /// Outside fragment programs.
    pub fn discard(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Result<(), CompileError> {
        use crate::ir::build::alu::FloatCond;
        match instruction.opcode {
            Opcode::Kil | Opcode::KillIf => {}
            Opcode::Demote => return coverage::discard(kit),
            _ => return coverage::kill(kit),
        }
        let Some(src) = instruction.srcs.first() else { return Ok(()) };
        let mut any: Option<Src> = None;
        for component in 0..4u8 {
            let same = |earlier: u8| four::of(src.swizzle, earlier) == four::of(src.swizzle, component);
            if (0..component).any(same) {
                continue;
            }
            let word = self.fetch(kit, instruction, 0, component);
            let below = kit.b.fcmp(FloatCond::LT, word, Src::f32(0.0));
            any = Some(any.map_or(below, |any| kit.b.or(any, below)));
        }
        let Some(any) = any else { return Ok(()) };
        kit.b.begin_if(any);
        coverage::kill(kit)?;
        kit.b.begin_else();
        kit.b.end_if();
        Ok(())
    }

    /// DDX, DDY and their fine variants.
    ///
    /// # Errors
    /// Vertex programs, which have no quads.
    pub fn derivative(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Result<(), CompileError> {
        let axis = match instruction.opcode {
            Opcode::Ddx | Opcode::DdxFine => Axis::X,
            _ => Axis::Y,
        };
        let Some(dst) = instruction.dsts.first() else { return Ok(()) };
        let mut value = [None; 4];
        for component in written(dst.mask) {
            let word = self.fetch(kit, instruction, 0, component);
            four::set(&mut value, component, Some(derivative(kit, axis, word)));
        }
        self.store(kit, instruction, value);
        Ok(())
    }

    /// INTERP_CENTROID, INTERP_SAMPLE, INTERP_OFFSET. For inputs with a computed number, each candidate is
    /// interpolated and the right one selected.
    ///
    /// # Errors
    /// An input that does not come from the vertices.
    pub fn interpolate(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Result<(), CompileError> {
        let Some(src) = instruction.srcs.first() else { return Ok(()) };
        let (place, at) = match instruction.opcode {
            Opcode::InterpCentroid => (Place::Centroid, Vec::new()),
            Opcode::InterpSample => {
                let sample = self.fetch(kit, instruction, 1, 0);
                (Place::Sample, vec![kit.b.uconv(sample, 16)])
            }
            _ => (Place::Offset, [0, 1].map(|axis| self.fetch(kit, instruction, 1, axis)).to_vec()),
        };
        let number = self.register_number(kit, src.file, src.index);
        let mut chosen: Words = [None; 4];
        for (number, is_here) in self.choices(kit, number, self.shader.size_of(File::Input)) {
            let value = self.interpolated(kit, instruction, number, (place, &at))?;
            chosen = std::array::from_fn(|at| match (four::of(value, at), four::of(chosen, at), is_here) {
                (Some(word), Some(before), Some(is_here)) => Some(kit.b.select(is_here, word, before)),
                (word, before, _) => word.or(before),
            });
        }
        self.store(kit, instruction, chosen);
        Ok(())
    }

    /// The components of an input at a position, in the destination's layout; `None` for undeclared
    /// registers.
    fn interpolated(
        &self,
        kit: &mut Kit<'_, '_>,
        instruction: &Instruction,
        number: u32,
        (place, at): (Place, &[Src]),
    ) -> Result<Words, CompileError> {
        let mut value = [None; 4];
        let (Some(src), Some(dst)) = (instruction.srcs.first(), instruction.dsts.first()) else {
            return Ok(value);
        };
        let declaration = self.shader.declaration(File::Input, None, number);
        let semantic = declaration.and_then(|declaration| declaration.semantic);
        let (Some(declaration), Some(semantic)) = (declaration, semantic) else { return Ok(value) };
        let semantic = Semantic {
            index: semantic.index.wrapping_add(number).wrapping_sub(declaration.range.first),
            ..semantic
        };
        let Some(location) = location(semantic).filter(|_| !is_built_in(semantic.name)) else {
            return Err(refused(semantic.name, "fragment"));
        };
        let mode = mode(declaration, self.key);
        for component in written(dst.mask) {
            let from = u32::from(four::of(src.swizzle, component));
            let input = Input::user(location, from);
            let word = fragment::interpolate_one(kit, input, mode, (place, at), Type::B32);
            let word = if src.absolute { kit.b.fabs(word) } else { word };
            let word = if src.negate { kit.b.fneg(word) } else { word };
            four::set(&mut value, component, Some(word));
        }
        Ok(value)
    }

    /// FBFETCH.
    ///
    /// # Errors
    /// The key does not specify the target's format.
    pub fn framebuffer(&self, kit: &mut Kit<'_, '_>, instruction: &Instruction) -> Result<(), CompileError> {
        let Some(src) = instruction.srcs.first() else { return Ok(()) };
        let number = u32::try_from(src.index.offset).unwrap_or(0);
        let declaration = self.shader.declaration(File::Output, None, number);
        let semantic = declaration.and_then(|declaration| declaration.semantic);
        let Some(semantic) = semantic.filter(|semantic| semantic.name == SemanticName::Color) else {
            return Err(TgsiError::Fetch { output: number }.into());
        };
        let colour = fragment::read_target(kit, semantic.index, None)?;
        self.store(kit, instruction, src.swizzle.map(|component| Some(four::of(colour, component))));
        Ok(())
    }
}
