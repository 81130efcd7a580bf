//! Whole shaders: prolog, main part and epilog as one function, for drivers that know the draw state when
//! they compile.
//!
//! The parts are built as for linking and concatenated as IR, connecting the registers that each exports with
//! those that the next one reads. The whole function then runs through the pipeline, which removes
//! computations that the other parts do not need, and values are not confined to the ABI's registers.
//! Uniforms are those of the main part.
//!
//! The requirements of a fragment shader on its epilog are known once its discards, depths and sample masks
//! are lowered; so the main part is optimised and these are lowered before the other parts are added.

use agx_abi::{PartRole, Stage};

use super::graphics::expect_stage;
use super::{
    Assembly, AttributeKey, FragmentKeys, FragmentState, LinkedProgram, Parts, VertexPrologKey, epilog,
    fragment_prolog, link, vertex_prolog,
};
use crate::context::{Context, Facts};
use crate::emit::End;
use crate::error::CompileError;
use crate::frontend;
use crate::ir::families::Operations;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Block, Function, InstList, IrOp, Op, Segment, Src, Type, Value};
use crate::pipeline::{self, Options, Phase, Stop};
use crate::{CompileKey, CompiledShader, Compiler, Input, Scratch, options};

/// A whole shader.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct WholeShader {
    /// The shader, as a single main part.
    pub shader: CompiledShader,
    /// The program, with a loop over samples if needed.
    pub program: LinkedProgram,
}

impl Compiler {
    /// A vertex shader including the fetch of its attributes, given by `source` for each location.
    ///
    /// # Errors
    /// Same as [`Compiler::compile`] and [`Compiler::vertex_prolog`].
    pub fn whole_vertex(
        &self,
        scratch: &mut Scratch,
        input: Input<'_>,
        key: &CompileKey,
        source: impl Fn(u32) -> Option<AttributeKey>,
    ) -> Result<WholeShader, CompileError> {
        self.whole_vertex_of(scratch, input, key, Assembly::default(), source)
    }

    /// Like [`Compiler::whole_vertex`], with the vertex numbers given by `assembly`: for a vertex shader that
    /// runs as a compute shader.
    ///
    /// # Errors
    /// Same as [`Compiler::whole_vertex`].
    pub fn whole_vertex_of(
        &self,
        scratch: &mut Scratch,
        input: Input<'_>,
        key: &CompileKey,
        assembly: Assembly,
        source: impl Fn(u32) -> Option<AttributeKey>,
    ) -> Result<WholeShader, CompileError> {
        scratch.bump.reset();
        let (mut f, mut info) = frontend::read(&scratch.bump, input, key)?;
        expect_stage(&info, Stage::Vertex)?;
        info.whole = true;
        let mut prolog = VertexPrologKey::new(&info, source);
        prolog.assembly = assembly;
        prolog.frame_bytes = prolog.stack_attribute_bytes();
        prepend(&mut f, |f| vertex_prolog::build(f, &prolog))?;
        let facts = Facts { info, ..Facts::new(self.target(), key) };
        self.finish_whole(f, facts.into(), input, Whole::default())
    }

    /// A fragment shader with its prolog and epilog for a draw's state.
    ///
    /// # Errors
    /// Same as [`Compiler::compile`] and [`Compiler::fragment_program`].
    pub fn whole_fragment(
        &self,
        scratch: &mut Scratch,
        input: Input<'_>,
        key: &CompileKey,
        state: &FragmentState,
    ) -> Result<WholeShader, CompileError> {
        scratch.bump.reset();
        let (mut f, info) = frontend::read(&scratch.bump, input, key)?;
        expect_stage(&info, Stage::Fragment)?;
        let mut context = Context::from(Facts { info, ..Facts::new(self.target(), key) });
        improve(&mut f, &mut context).map_err(|error| frontend::located(input, error))?;
        let info = &mut context.facts.info;
        let FragmentKeys { prolog: before, epilog: after, appended } = state.keys(info)?;
        info.fragment.coefficients.extend(appended.coefficients);
        info.samplers.extend(appended.samplers);
        let effects = append(&mut f, |f| epilog::build(f, &after))?;
        if before.is_needed() {
            info.fragment.late_tests |= prepend(&mut f, |f| fragment_prolog::build(f, &before))?;
        }
        info.fragment.late_tests |= effects.late_tests;
        info.writes_memory |= effects.writes_memory || before.counts;
        info.fragment.reads_targets |= effects.reads_targets;
        info.fragment.stores_targets = effects.stores_targets;
        info.whole = true;
        let sample_loop = info.fragment.sample_shading.then_some(state.samples);
        // The linker appends the loop over samples.
        context.facts.end = End::of(&context.facts.info, PartRole::Main);
        // Skips unrolling: loops that were unrolled would be unrolled again, and inner ones for the first
        // time.
        let whole = Whole { from: Phase::Improve.next(), sample_loop };
        self.finish_whole(f, context, input, whole)
    }

    pub(super) fn finish_whole(
        &self,
        f: Function<'_>,
        context: Context<'_>,
        input: Input<'_>,
        whole: Whole,
    ) -> Result<WholeShader, CompileError> {
        let shader = self.finish(f, context, input, whole.from)?;
        let program = link(&Parts { sample_loop: whole.sample_loop, ..Parts::new(&shader) })
            .map_err(|error| CompileError::internal(format!("a whole shader: {error}")))?;
        Ok(WholeShader { shader, program })
    }
}

/// How to finish a whole shader.
#[derive(Clone, Copy, Default)]
pub(super) struct Whole {
    /// The phase to begin with.
    from: Option<Phase>,
    /// The number of samples of the loop over samples, if any.
    sample_loop: Option<u8>,
}

/// Optimises a main part and lowers its sample operations.
fn improve(f: &mut Function<'_>, context: &mut Context<'_>) -> Result<(), CompileError> {
    let options = options(context.facts.key);
    pipeline::run(f, context, Options { stop: Stop::AfterPhase(Phase::Improve), ..options })?;
    let coverage = Stop::AfterPhase(Phase::Coverage);
    pipeline::run(f, context, Options { from: Some(Phase::Coverage), stop: coverage, ..options })?;
    // The added parts contain operations that were already lowered in the main part; the pipeline lowers
    // them.
    f.removed = Operations::NONE;
    Ok(())
}

/// Inserts a part without control flow at the start of `f`.
fn prepend<'a, T>(
    f: &mut Function<'a>,
    build: impl FnOnce(&mut Function<'a>) -> Result<T, CompileError>,
) -> Result<T, CompileError> {
    let entry = f.entry();
    let main = std::mem::take(&mut f.layout);
    let built = build(f)?;
    debug_assert_eq!(f.layout.len(), 1, "prologs have no control flow");
    let part = f.entry();
    f.layout = main;
    let mut insts = f.take_insts(part);
    let place = insts.len();
    insts.append(&mut f.block_mut(entry).insts);
    f.block_mut(entry).insts = insts;
    connect(f, entry, place);
    f.compute_cfg();
    Ok(built)
}

/// Appends a part to `f`.
fn append<'a, T>(
    f: &mut Function<'a>,
    build: impl FnOnce(&mut Function<'a>) -> Result<T, CompileError>,
) -> Result<T, CompileError> {
    let main = std::mem::take(&mut f.layout);
    let built = build(f)?;
    let (Some((exit, main)), Some((part, rest))) = (main.split_last(), f.layout.split_first()) else {
        return Err(CompileError::internal("a shader without blocks"));
    };
    let block = exit.block;
    // The first block of the part continues the last block of the shader, which must have no terminator.
    f.set_layout(&[main, &[Segment { block, seam: part.seam }], rest].concat());
    if f.terminator(block).is_some() {
        f.block_mut(block).insts.pop();
    }
    let place = f.block(block).insts.len();
    let mut insts = f.take_insts(part.block);
    f.block_mut(block).insts.append(&mut insts);
    connect(f, block, place);
    f.compute_cfg();
    Ok(built)
}

/// Connects the exports of the instructions before `place` to the preloads after it. Registers that are not
/// exported are undefined.
fn connect(f: &mut Function<'_>, block: Block, place: usize) {
    let insts = f.take_insts(block);
    let mut left: Vec<(u32, Src)> = Vec::new();
    let mut connected = f.inst_list();
    for (at, inst) in insts.into_iter().enumerate() {
        let data = f.insts[inst];
        match (data.op, data.srcs, data.dsts) {
            (Op::Ir(IrOp::Export), [src], _) if at < place => left.push((data.get(key::REG), *src)),
            (Op::Ir(IrOp::Preload), _, [dst]) if at >= place => {
                found(f, *dst, data.get(key::REG), &left, &mut connected);
            }
            _ => connected.push(inst),
        }
    }
    f.block_mut(block).insts = connected;
}

/// Defines `dst` from the exports to the register `half`, with as many words as it has.
fn found(f: &mut Function<'_>, dst: Value, half: u32, left: &[(u32, Src)], insts: &mut InstList<'_>) {
    let ty = f.ty(dst);
    let scalar = Type::scalar(ty.bits);
    let mut words = Vec::with_capacity(ty.comps.into());
    for at in 0..u32::from(ty.comps) {
        let wanted = half + at * u32::from(ty.bits) / 16;
        let src =
            left.iter().find(|(known, _)| *known == wanted).map_or(Src::imm(0, ty.bits), |(_, src)| *src);
        if f.width(src) == ty.bits {
            words.push(src);
            continue;
        }
        // A half register read as a word, whose upper half is undefined.
        let narrowed =
            f.def(src).filter(|def| def.op == Op::Ir(IrOp::Uconv)).and_then(|def| def.srcs.first());
        if let Some(wide) = narrowed.copied().filter(|wide| f.width(*wide) == ty.bits) {
            words.push(wide);
            continue;
        }
        let word = f.add_value(scalar);
        insts.push(f.make_inst(IrOp::Uconv, &[word], &[src], &mods(IrOp::Uconv), 0));
        words.push(Src::value(word));
    }
    let op = if words.len() == 1 { IrOp::Mov } else { IrOp::Collect };
    insts.push(f.make_inst(op, &[dst], &words, &[], 0));
}
