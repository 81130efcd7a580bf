//! Linking of parts to programs.
//!
//! A vertex or fragment shader is compiled once, as a *main part*. Separate parts implement the state of a
//! draw: a vertex prolog fetches attributes, a fragment prolog performs the API's discards, a fragment epilog
//! tests, blends and stores. Prologs and epilogs are generated from small keys, built as IR and compiled like
//! any shader; [`link`] concatenates parts, which is cheap enough for draw time.
//!
//! Drivers that know a draw's state when a shader is compiled can build whole shaders instead
//! ([`Compiler::whole_fragment`]): the same parts as one function, which the optimiser sees as a whole.
//!
//! *Architecture invariant:* parts communicate only through the registers and uniforms that
//! `agx_abi::{vertex, fragment}` define.

mod advanced_blend;
mod background;
mod blend;
mod check;
mod emitted_vertex;
mod end_of_tile;
mod epilog;
mod fragment_prolog;
mod graphics;
mod pass_targets;
mod program;
mod statistics;
mod tile_programs;
mod vertex_prolog;
mod whole;

use agx_abi::layout::{InterfaceReads, UNIFORM_HALVES};
use agx_abi::{PartRole, ShaderInfo, Stage, UniformRange, fragment, vertex};

pub use crate::error::LinkError;
pub use advanced_blend::{AdvancedBlend, AdvancedOp, Overlap};
pub use blend::{Blend, BlendOp, Blending, Equation, Factor, LogicOp};
pub use epilog::{ColourSource, EpilogKey, Target};
pub use fragment_prolog::FragmentPrologKey;
pub use graphics::{FragmentKeys, FragmentState};
pub use pass_targets::{BackgroundOp, PassTargets, ResolveMode};
pub use program::{Appended, LinkedProgram, Parts, link, place_outputs};
pub use tile_programs::{BackgroundKey, EndOfTileKey, TileProgram};
pub use vertex_prolog::{
    Assembly, AttributeFetch, AttributeKey, DYNAMIC_STRIDE, IndexSize, Primitives, VertexPrologKey,
};
pub use whole::WholeShader;

use crate::context::{Context, Facts};
use crate::emit::{Code, End};
use crate::error::CompileError;
use crate::ir::Function;
use crate::lower::Frame;
use crate::{CompileKey, Compiler, Scratch, run_and_emit};

/// The key that a part was generated from: it determines the main parts that the part fits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PartKey {
    /// That of a vertex prolog.
    VertexProlog(VertexPrologKey),
    /// That of a fragment prolog.
    FragmentProlog(FragmentPrologKey),
    /// That of a fragment epilog.
    FragmentEpilog(Box<EpilogKey>),
}

impl PartKey {
    /// The role of the part within the program.
    pub fn role(&self) -> PartRole {
        match self {
            PartKey::VertexProlog(_) | PartKey::FragmentProlog(_) => PartRole::Prolog,
            PartKey::FragmentEpilog(_) => PartRole::Epilog,
        }
    }

    /// The stage of the shaders that have such a part.
    pub fn stage(&self) -> Stage {
        match self {
            PartKey::VertexProlog(_) => Stage::Vertex,
            PartKey::FragmentProlog(_) | PartKey::FragmentEpilog(_) => Stage::Fragment,
        }
    }
}

/// A prolog or an epilog for linking.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LinkPart {
    /// The key that it was generated from.
    pub key: PartKey,
    /// The chip that it was generated for.
    pub target: agx_abi::Target,
    /// The code.
    pub code: Vec<u8>,
    /// Highest half register used, plus one.
    pub gpr_halves: u16,
    /// Stack memory per lane in bytes.
    pub scratch_bytes: u32,
    /// The part tests samples, so that tests before the program would be too early.
    pub late_tests: bool,
    /// The part writes device memory.
    pub writes_memory: bool,
    /// Render targets that the part reads or leaves as they are, bit 0 the first.
    pub reads_targets: u8,
    /// The part stores to render targets in the tile.
    pub stores_targets: bool,
    /// The uniforms with a fixed place that the part reads.
    pub reads: InterfaceReads,
}

impl LinkPart {
    /// A part without code.
    pub fn new(key: PartKey, target: agx_abi::Target) -> LinkPart {
        LinkPart {
            key,
            target,
            code: Vec::new(),
            gpr_halves: 0,
            scratch_bytes: 0,
            late_tests: false,
            writes_memory: false,
            reads_targets: 0,
            stores_targets: false,
            reads: InterfaceReads::default(),
        }
    }

    /// Its role within the program.
    pub fn role(&self) -> PartRole {
        self.key.role()
    }
}

/// The uniforms with a fixed place that code reads, given these uniform ranges.
pub(crate) fn reads(code: &Code, uniforms: &[UniformRange]) -> InterfaceReads {
    let has = |range: &UniformRange| code.uniforms.has_any(range.start..range.start + range.halves);
    InterfaceReads::new(uniforms, has)
}

impl Compiler {
    /// The epilog for `key`.
    ///
    /// # Errors
    /// State that the API forbids.
    pub fn fragment_epilog(
        &self,
        scratch: &mut Scratch,
        key: &EpilogKey,
        options: &CompileKey,
    ) -> Result<LinkPart, CompileError> {
        scratch.bump.reset();
        let mut f = Function::new(&scratch.bump, "epilog");
        let effects = epilog::build(&mut f, key)?;
        let key = PartKey::FragmentEpilog(Box::new(key.clone()));
        let part = finish_part(f, key, &mut self.part_facts(options).into())?;
        Ok(LinkPart {
            late_tests: effects.late_tests,
            writes_memory: effects.writes_memory,
            reads_targets: effects.reads_targets,
            stores_targets: effects.stores_targets,
            ..part
        })
    }

    /// The fragment prolog for `key`.
    ///
    /// # Errors
    /// Same as [`Compiler::compile`].
    pub fn fragment_prolog(
        &self,
        scratch: &mut Scratch,
        key: &FragmentPrologKey,
        options: &CompileKey,
    ) -> Result<LinkPart, CompileError> {
        scratch.bump.reset();
        let mut f = Function::new(&scratch.bump, "prolog");
        let late_tests = fragment_prolog::build(&mut f, key)?;
        let writes_memory = key.counts;
        let key = PartKey::FragmentProlog(key.clone());
        let part = finish_part(f, key, &mut self.part_facts(options).into())?;
        Ok(LinkPart { late_tests, writes_memory, ..part })
    }

    /// The vertex prolog for `key`. It uses no register beyond those of the main part and of the attributes.
    ///
    /// # Errors
    /// Main parts with too few registers, and more attributes than there are registers.
    pub fn vertex_prolog(
        &self,
        scratch: &mut Scratch,
        key: &VertexPrologKey,
        options: &CompileKey,
    ) -> Result<LinkPart, CompileError> {
        scratch.bump.reset();
        let mut f = Function::new(&scratch.bump, "prolog");
        vertex_prolog::build(&mut f, key)?;
        let mut options = options.clone();
        options.max_gpr_halves = Some(key.gpr_halves);
        let uniforms = vertex::uniforms(key.attributes.len() as u32, key.runs_as);
        let info = ShaderInfo { scratch_bytes: key.stack_attribute_bytes(), uniforms, ..part_info() };
        let frame = if key.frame_bytes == 0 { Frame::Own } else { Frame::Shared(key.frame_bytes) };
        let mut context = Context::from(Facts { info, frame, ..self.part_facts(&options) });
        finish_part(f, PartKey::VertexProlog(key.clone()), &mut context)
    }

    /// Facts for compiling a part, which has no uniform registers besides those of the interface.
    fn part_facts<'k>(&self, options: &'k CompileKey) -> Facts<'k> {
        Facts { info: part_info(), is_beside_main: true, ..Facts::new(self.target(), options) }
    }
}

fn part_info() -> ShaderInfo {
    ShaderInfo {
        stage: Stage::Fragment,
        uniform_halves: UNIFORM_HALVES,
        uniforms: fragment::UNIFORMS.to_vec(),
        ..ShaderInfo::default()
    }
}

/// Compiles a part.
fn finish_part(
    mut f: Function<'_>,
    key: PartKey,
    context: &mut Context<'_>,
) -> Result<LinkPart, CompileError> {
    context.facts.end = if key.role() == PartRole::Prolog { End::Prolog } else { End::Epilog };
    let code = run_and_emit(&mut f, context, None)?;
    let facts = &context.facts;
    Ok(LinkPart {
        reads: reads(&code, &facts.info.uniforms),
        code: code.bytes,
        gpr_halves: facts.info.gpr_halves,
        scratch_bytes: facts.frame.opened_bytes(facts.info.scratch_bytes),
        ..LinkPart::new(key, facts.target)
    })
}
