//! Programs of a draw: generates and links the parts that its state requires.
//!
//! A driver that caches parts builds keys and calls [`link`](super::link) itself; this module does the same
//! without a cache.

use agx_abi::fragment::{CoefficientSource, MAX_TARGETS};
use agx_abi::tile::TileLayout;
use agx_abi::{PartRole, ShaderInfo, Stage};

use super::{
    Appended, AttributeKey, EpilogKey, FragmentPrologKey, LinkError, LinkedProgram, LogicOp, Parts, Target,
    VertexPrologKey, link,
};
use crate::error::CompileError;
use crate::{CompileKey, CompiledShader, Compiler, Scratch};

/// The draw state that a fragment program depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct FragmentState {
    /// Targets of the pass.
    pub targets: [Option<Target>; MAX_TARGETS as usize],
    /// Samples of a pixel: 1, 2 or 4.
    pub samples: u8,
    /// Replaces blending, except on floats and sRGB.
    pub logic_op: Option<LogicOp>,
    /// The alpha of target 0 becomes coverage.
    pub alpha_to_coverage: bool,
    /// Alpha is replaced by 1 afterwards.
    pub alpha_to_one: bool,
    /// Samples that the API's sample mask keeps, bit 0 the first.
    pub sample_mask: u8,
    /// Discard pixels by the stipple pattern that the root descriptor names.
    pub stipple: bool,
    /// Count fragments at the address in the root descriptor.
    pub counts: bool,
    /// Flags that are 0 across a primitive to be culled, one for each cull distance of the vertex shader:
    /// [`agx_abi::fragment::cull_flags`].
    pub culled: Vec<CoefficientSource>,
}

impl Default for FragmentState {
    /// One sample, no targets, nothing discarded.
    fn default() -> Self {
        FragmentState {
            targets: [None; MAX_TARGETS as usize],
            samples: 1,
            logic_op: None,
            alpha_to_coverage: false,
            alpha_to_one: false,
            sample_mask: 0xff,
            stipple: false,
            counts: false,
            culled: Vec::new(),
        }
    }
}

impl FragmentState {
    /// The state of a draw to these targets, with this number of samples of a pixel.
    pub fn new(targets: [Option<Target>; MAX_TARGETS as usize], samples: u8) -> FragmentState {
        FragmentState { targets, samples, ..FragmentState::default() }
    }

    /// The positions of the targets in the tile.
    pub fn layout(&self) -> TileLayout {
        TileLayout::new(&self.targets.map(|target| target.map(|target| target.format)), self.samples.into())
    }

    /// The keys of the parts around a main part, and the resources they need in addition.
    ///
    /// # Errors
    /// A main part that leaves no room for the additional resources.
    pub fn keys(&self, info: &ShaderInfo) -> Result<FragmentKeys, CompileError> {
        let fragment = &info.fragment;
        let prolog = FragmentPrologKey {
            sample_mask: self.sample_mask,
            stipple: self.stipple,
            counts: self.counts,
            sample_shading: fragment.sample_shading,
            early_tests: fragment.early_tests,
            writes_memory: info.writes_memory,
            ..FragmentPrologKey::default()
        };
        let mut epilog = EpilogKey::new(fragment);
        let (mut coefficients, mut samplers) = (fragment.coefficients.clone(), info.samplers.clone());
        let prolog = prolog.with_cull_distances(&mut coefficients, self.culled.iter().copied());
        epilog.targets = self.targets;
        epilog.samples = self.samples;
        epilog.logic_op = self.logic_op;
        epilog.alpha_to_coverage = self.alpha_to_coverage;
        epilog.alpha_to_one = self.alpha_to_one;
        epilog.tested &= !prolog.discards();
        let epilog = epilog.with_load_sampler(&mut samplers)?;
        let appended = Appended {
            coefficients: coefficients.split_off(fragment.coefficients.len()),
            samplers: samplers.split_off(info.samplers.len()),
        };
        Ok(FragmentKeys { prolog, epilog, appended })
    }
}

/// The parts around a main part for a draw's state.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FragmentKeys {
    /// The prolog, if it is needed.
    pub prolog: FragmentPrologKey,
    /// The epilog.
    pub epilog: EpilogKey,
    /// Resources that the program needs in addition to its main part's.
    pub appended: Appended,
}

impl Compiler {
    /// The program of a vertex shader, with the attributes given by `source` for each location.
    ///
    /// # Errors
    /// Same as [`Compiler::vertex_prolog`] and [`link`]; shaders of other stages.
    pub fn vertex_program(
        &self,
        scratch: &mut Scratch,
        shader: &CompiledShader,
        source: impl Fn(u32) -> Option<AttributeKey>,
        options: &CompileKey,
    ) -> Result<LinkedProgram, CompileError> {
        expect_stage(&shader.info, Stage::Vertex)?;
        let key = VertexPrologKey::new(&shader.info, source);
        let prolog = match key.is_needed() && !shader.info.whole {
            true => Some(self.vertex_prolog(scratch, &key, options)?),
            false => None,
        };
        let parts = Parts { prolog: prolog.as_ref(), ..Parts::new(shader) };
        Ok(link(&parts)?)
    }

    /// The program of a fragment shader for a draw's state. [`LinkedProgram::appended`] lists the resources
    /// that its parts need in addition to the main part's.
    ///
    /// # Errors
    /// State that the API forbids, and shaders that leave no room for the required resources.
    pub fn fragment_program(
        &self,
        scratch: &mut Scratch,
        shader: &CompiledShader,
        state: &FragmentState,
        options: &CompileKey,
    ) -> Result<LinkedProgram, CompileError> {
        expect_stage(&shader.info, Stage::Fragment)?;
        let keys = state.keys(&shader.info)?;
        let epilog = self.fragment_epilog(scratch, &keys.epilog, options)?;
        let prolog = match keys.prolog.is_needed() {
            true => Some(self.fragment_prolog(scratch, &keys.prolog, options)?),
            false => None,
        };
        let sample_loop = shader.info.fragment.sample_shading.then_some(state.samples);
        let parts =
            Parts { prolog: prolog.as_ref(), epilog: Some(&epilog), sample_loop, ..Parts::new(shader) };
        let program = link(&parts)?;
        Ok(LinkedProgram { appended: keys.appended, ..program })
    }
}

/// Checks the stage of a shader.
pub(super) fn expect_stage(info: &ShaderInfo, wanted: Stage) -> Result<(), LinkError> {
    match info.stage == wanted {
        true => Ok(()),
        false => Err(LinkError::Shader { wanted, found: info.stage }),
    }
}

impl<'p> Parts<'p> {
    /// A shader's main part alone.
    pub fn new(shader: &'p CompiledShader) -> Parts<'p> {
        Parts {
            main: shader.part(PartRole::Main).unwrap_or_default(),
            info: &shader.info,
            prolog: None,
            epilog: None,
            sample_loop: None,
            outputs: None,
        }
    }
}
