//! Programs of a draw: the parts that its state asks for, generated and linked.
//!
//! A driver that keeps parts in caches makes keys and calls [`link`](super::link) itself; this is what it does without any.

use agx_abi::fragment::{CoefficientSource, MAX_TARGETS};
use agx_abi::tile::TileLayout;
use agx_abi::{PartRole, ShaderInfo};

use super::{
    Appended, AttributeKey, EpilogKey, FragmentPrologKey, LinkError, LinkedProgram, LogicOp, Parts, Target,
    VertexPrologKey, link,
};
use crate::error::{CompileError, PartError};
use crate::{CompileKey, CompiledShader, Compiler, Scratch};

/// The state of a draw that its fragment program depends on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FragmentState {
    /// Targets of the pass.
    pub targets: [Option<Target>; MAX_TARGETS as usize],
    /// Samples of a pixel: 1, 2 or 4.
    pub samples: u8,
    /// Replaces blending, except on floats and sRGB.
    pub logic_op: Option<LogicOp>,
    /// The alpha of target 0 becomes coverage.
    pub alpha_to_coverage: bool,
    /// Alpha is 1 from then on.
    pub alpha_to_one: bool,
    /// Samples that the API lets through, bit 0 the first.
    pub sample_mask: u8,
    /// Pixels are discarded by the pattern that the root descriptor names.
    pub stipple: bool,
    /// Fragments are counted where the root descriptor says.
    pub counts: bool,
    /// Values that are 0 across a primitive that is to be discarded, one for each cull distance of the vertex shader:
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
    /// Where the targets lie in the tile.
    pub fn layout(&self) -> TileLayout {
        TileLayout::new(&self.targets.map(|target| target.map(|target| target.format)), self.samples.into())
    }

    /// The keys of the parts around a main part, and what they need beyond it.
    ///
    /// # Errors
    /// A main part that leaves no room for it.
    pub fn keys(&self, info: &ShaderInfo) -> Result<FragmentKeys, CompileError> {
        let fragment = &info.fragment;
        let prolog = FragmentPrologKey {
            sample_mask: self.sample_mask,
            stipple: self.stipple,
            counts: self.counts,
            sample_shading: fragment.sample_shading,
            early_tests: fragment.early_tests,
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

/// What stands around a main part under a draw's state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FragmentKeys {
    /// What comes before it, if it is needed.
    pub prolog: FragmentPrologKey,
    /// What comes after it.
    pub epilog: EpilogKey,
    /// What the program needs beyond its main part.
    pub appended: Appended,
}

impl Compiler {
    /// The program of a vertex shader whose attributes come from where `source` says, by location.
    ///
    /// # Errors
    /// As [`Compiler::vertex_prolog`].
    pub fn vertex_program(
        &self,
        scratch: &mut Scratch,
        shader: &CompiledShader,
        source: impl Fn(u32) -> Option<AttributeKey>,
        options: &CompileKey,
    ) -> Result<LinkedProgram, CompileError> {
        let prolog = match shader.info.attributes.is_empty() {
            true => None,
            false => {
                let key = VertexPrologKey::new(&shader.info, source);
                Some(self.vertex_prolog(scratch, &key, options)?)
            }
        };
        let parts = Parts { prolog: prolog.as_ref(), ..Parts::new(shader) };
        link(&parts).map_err(refused)
    }

    /// The program of a fragment shader under a draw's state. What its parts need beyond the main part is in
    /// [`LinkedProgram::appended`].
    ///
    /// # Errors
    /// State that the API forbids, and shaders that leave no room for what it needs.
    pub fn fragment_program(
        &self,
        scratch: &mut Scratch,
        shader: &CompiledShader,
        state: &FragmentState,
        options: &CompileKey,
    ) -> Result<LinkedProgram, CompileError> {
        let keys = state.keys(&shader.info)?;
        let epilog = self.fragment_epilog(scratch, &keys.epilog, options)?;
        let prolog = match keys.prolog.is_needed() {
            true => Some(self.fragment_prolog(scratch, &keys.prolog, options)?),
            false => None,
        };
        let sample_loop = shader.info.fragment.sample_shading.then_some(state.samples);
        let parts =
            Parts { prolog: prolog.as_ref(), epilog: Some(&epilog), sample_loop, ..Parts::new(shader) };
        let program = link(&parts).map_err(refused)?;
        Ok(LinkedProgram { appended: keys.appended, ..program })
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

/// Parts that were made for each other and do not fit.
fn refused(error: LinkError) -> CompileError {
    CompileError::from(PartError::Parts { error: error.to_string() })
}
