//! Background and end-of-tile programs of a render pass: the first initialise the tile before the first draw,
//! the second store it after the last one.
//!
//! Both are generated from small keys, like prologs and epilogs, but are separate programs: [`agx_abi::pass`]
//! defines the uniforms and state registers that they read. A pass that resolves has no draws: its background
//! program loads all samples of an image and combines them, and its end-of-tile program stores the result.

use agx_abi::fragment::MAX_TARGETS;
use agx_abi::{DescriptorKind, SamplerBinding, ShaderInfo, Stage, pass};

use super::pass_targets::{BackgroundOp, PassTargets};
use super::{background, end_of_tile};
use crate::context::{Context, Facts};
use crate::error::CompileError;
use crate::ir::Function;
use crate::{CompileKey, CompiledShader, Compiler, Input, Scratch};

/// Everything that affects a background program: equal keys give equal bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BackgroundKey {
    /// The targets of the pass.
    pub targets: PassTargets,
    /// The operation on each target; `None` leaves its contents undefined.
    pub operations: [Option<BackgroundOp>; MAX_TARGETS as usize],
}

/// Everything that affects an end-of-tile program: equal keys give equal bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EndOfTileKey {
    /// The targets of the pass.
    pub targets: PassTargets,
    /// Targets that are stored, bit 0 the first. Spilled ones are already in memory.
    pub stored: u8,
}

/// A background or end-of-tile program.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TileProgram {
    /// The program: a main part that ends with `stop`, optionally a preamble, and their driver information.
    pub shader: CompiledShader,
    /// Targets whose descriptors it needs in state registers ([`pass::state_register`]), bit 0 the first.
    pub bound: u8,
    /// The kind of those descriptors.
    pub kind: DescriptorKind,
}

impl Compiler {
    /// The program that initialises the targets of a pass.
    ///
    /// # Errors
    /// Operations on targets that the pass lacks, averages of integers, resolves in multisampled passes.
    pub fn background_program(
        &self,
        scratch: &mut Scratch,
        key: &BackgroundKey,
        options: &CompileKey,
    ) -> Result<TileProgram, CompileError> {
        scratch.bump.reset();
        let mut f = Function::new(&scratch.bump, "background");
        let operations = key.targets.chosen(&key.operations)?;
        let used = background::build(&mut f, &key.targets, &operations)?;
        let uniforms = pass::background_uniforms(used.cleared, used.cleared & used.spilled != 0);
        let info = ShaderInfo {
            stage: Stage::Fragment,
            uniforms,
            samplers: if used.loaded == 0 { Vec::new() } else { vec![SamplerBinding::Loads] },
            writes_memory: used.spilled != 0,
            ..tile_info("background")
        };
        let shader = self.finish_tile(f, info, options)?;
        Ok(TileProgram { shader, bound: used.loaded, kind: DescriptorKind::Texture })
    }

    /// The program that stores targets of a pass to their images.
    ///
    /// # Errors
    /// Stores of targets that the pass lacks.
    pub fn end_of_tile_program(
        &self,
        scratch: &mut Scratch,
        key: &EndOfTileKey,
        options: &CompileKey,
    ) -> Result<TileProgram, CompileError> {
        scratch.bump.reset();
        let mut f = Function::new(&scratch.bump, "end_of_tile");
        let mut wanted = [None; MAX_TARGETS as usize];
        (0..).zip(&mut wanted).for_each(|(at, wanted)| *wanted = (key.stored >> at & 1 != 0).then_some(()));
        let stored = key.targets.chosen(&wanted)?;
        let bound = end_of_tile::build(
            &mut f,
            &key.targets,
            stored.iter().map(|(target, format, ())| (*target, *format)),
        );
        let info = ShaderInfo {
            stage: Stage::Compute,
            workgroup_size: [1; 3],
            writes_memory: bound != 0,
            ..tile_info("end_of_tile")
        };
        let shader = self.finish_tile(f, info, options)?;
        Ok(TileProgram { shader, bound, kind: DescriptorKind::Image })
    }

    fn finish_tile(
        &self,
        f: Function<'_>,
        info: ShaderInfo,
        options: &CompileKey,
    ) -> Result<CompiledShader, CompileError> {
        let info = ShaderInfo { uniform_halves: info.filled_halves(), ..info };
        let context = Context::from(Facts { info, ..Facts::new(self.target(), options) });
        self.finish(f, context, Input::ir(""), None)
    }
}

/// The info of a tile program, which is complete: no part precedes or follows it.
fn tile_info(name: &str) -> ShaderInfo {
    ShaderInfo { entry_point: name.to_owned(), whole: true, ..ShaderInfo::default() }
}
