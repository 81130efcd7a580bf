//! Executes a function on concrete inputs, one lane or a quad of fragments, at any stage up to Machine.
//!
//! Pure operations compute the same results as the constant folder and the reference machine; memory, special
//! registers and registers set before the program starts come from an [`InterpreterMemory`]. The results of a
//! test kernel before and after a pass must therefore agree. Operations that read other lanes are errors, except
//! derivatives in a `quad`; barriers and waits do nothing.

mod access;
mod memory;
mod quad;
#[cfg(test)]
mod tests;

use agx_isa::desc::{Effects, OrderClass};
use agx_isa::semantics::{PureArgs, Source, width_mask};
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;
use arrayvec::ArrayVec;
use thiserror::Error;

use self::access::Access;
pub use self::memory::{FlatMemory, InterpreterMemory, MemoryFault, Space};
pub use self::quad::{Fragment, quad};
use super::entity::{Block, Entity, Inst, Value};
use super::function::{Function, InstData};
use super::key;
use super::op::{IrOp, Op};
use super::src::{Src, SrcKind};
use super::types::{Stage, Type};

/// Maximum number of components of a value.
const MAX_COMPONENTS: usize = 16;

/// Maximum number of sources of a pure operation.
const MAX_PURE_SOURCES: usize = 4;

/// Components of a value, each zero-extended.
type Components = ArrayVec<u64, MAX_COMPONENTS>;

/// Limits of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Maximum number of executed instructions.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 1_000_000 }
    }
}

/// The results of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Sources of the `keep`s executed, in order, component by component, zero-extended.
    pub kept: Vec<u64>,
    /// Number of executed instructions.
    pub steps: u64,
    /// Whether a fragment was a helper at the end: its samples were not covered, or were discarded.
    pub is_helper: bool,
}

/// Why a run stopped early.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum InterpretError {
    /// The function is past the last stage that can be interpreted.
    #[error("a function of stage {} cannot be interpreted: its values are in registers", .0.name())]
    Stage(Stage),
    /// Wrong number of arguments.
    #[error("expected {expected} arguments, found {given}")]
    Arguments {
        /// Number of parameters.
        expected: usize,
        /// Number of arguments.
        given: usize,
    },
    /// A parameter that is not scalar.
    #[error("parameter {0} is a vector")]
    VectorParameter(Value),
    /// The step limit.
    #[error("stopped after {0} instructions")]
    Steps(u64),
    /// A value read before it is defined.
    #[error("`{inst}` reads {value} before it is defined")]
    Undefined {
        /// The reader.
        inst: String,
        /// The value.
        value: Value,
    },
    /// A uniform register past those given.
    #[error("`{inst}` reads a uniform register that has no value")]
    Uniform {
        /// The reader.
        inst: String,
    },
    /// An access to unmapped memory.
    #[error("`{inst}`: {fault}")]
    Memory {
        /// The access.
        inst: String,
        /// The fault.
        fault: MemoryFault,
    },
    /// An operation that reads other lanes or needs hardware that is not interpreted.
    #[error("`{0}` cannot be interpreted")]
    Unsupported(String),
    /// An instruction that the validator would reject.
    #[error("`{0}` is malformed")]
    Malformed(String),
}

/// Runs `f`, after its preamble if it has one, with one argument per parameter. `uniforms` are the half-words
/// of the uniform file, from 0.
///
/// # Errors
/// See [`InterpretError`]. The edges of `f` must be up to date.
pub fn interpret(
    f: &Function<'_>,
    args: &[u64],
    uniforms: &[u16],
    memory: &mut dyn InterpreterMemory,
    limits: Limits,
) -> Result<Outcome, InterpretError> {
    if f.stage > Stage::Machine {
        return Err(InterpretError::Stage(f.stage));
    }
    let mut uniforms = uniforms.to_vec();
    if let Some(preamble) = &f.preamble {
        let mut lane = Lane::new(preamble, &uniforms, memory);
        lane.resume(limits)?;
        uniforms = lane.uniforms;
    }
    let mut lane = Lane::new(f, &uniforms, memory);
    lane.set_params(args)?;
    lane.resume(limits)?;
    Ok(lane.outcome)
}

/// Where control goes after an instruction.
enum Flow {
    /// To the next instruction.
    Next,
    /// To a successor of the block: 0 is the then-arm or the only one.
    Leave(usize),
    /// To the next instruction, after an exchange with the other lanes of the quad.
    Exchange,
    /// The invocation ends.
    Halt,
}

/// Where a lane goes on.
#[derive(Clone, Copy)]
struct Place {
    block: Block,
    /// The block before it.
    from: Option<Block>,
    /// The position in the block.
    at: usize,
}

/// An executing lane.
struct Lane<'r, 'a> {
    f: &'r Function<'a>,
    uniforms: Vec<u16>,
    memory: &'r mut dyn InterpreterMemory,
    /// Components of all values, concatenated.
    cells: Vec<u64>,
    /// First cell of each value, and whether the value has been defined.
    places: Vec<(usize, bool)>,
    /// Whether the lane is a fragment of a quad.
    is_fragment: bool,
    /// Where it goes on; `None` after its end.
    next: Option<Place>,
    outcome: Outcome,
}

impl<'r, 'a> Lane<'r, 'a> {
    fn new(f: &'r Function<'a>, uniforms: &[u16], memory: &'r mut dyn InterpreterMemory) -> Self {
        let mut places = Vec::with_capacity(f.values.len());
        let mut cells = 0;
        for value in f.values.keys() {
            places.push((cells, false));
            cells += usize::from(f.ty(value).comps);
        }
        let cells = vec![0; cells];
        let entry = || Place { block: f.entry(), from: None, at: 0 };
        let next = (!f.layout.is_empty()).then(entry);
        let (uniforms, outcome) = (uniforms.to_vec(), Outcome::default());
        Lane { f, uniforms, memory, cells, places, is_fragment: false, next, outcome }
    }

    fn set_params(&mut self, args: &[u64]) -> Result<(), InterpretError> {
        let params = &self.f.params;
        if params.len() != args.len() {
            return Err(InterpretError::Arguments { expected: params.len(), given: args.len() });
        }
        for (param, arg) in params.iter().zip(args) {
            if self.f.ty(*param).comps != 1 {
                return Err(InterpretError::VectorParameter(*param));
            }
            self.define(*param, &[*arg]);
        }
        Ok(())
    }

    /// Runs to the end, or up to an exchange, which is returned: only fragments of a quad have any.
    fn resume(&mut self, limits: Limits) -> Result<Option<Inst>, InterpretError> {
        while let Some(place) = self.next {
            let exchange = self.run_block(place, limits)?;
            if exchange.is_some() {
                return Ok(exchange);
            }
        }
        Ok(None)
    }

    /// Runs a block from a place on, up to its end or an exchange within the quad, which is returned.
    fn run_block(&mut self, place: Place, limits: Limits) -> Result<Option<Inst>, InterpretError> {
        let Place { block, from, at } = place;
        if at == 0 {
            self.run_phis(block, from)?;
            // A block counts as a step even without instructions, so that an empty loop ends at the limit.
            self.outcome.steps += 1;
        }
        let mut arm = Some(0);
        for (index, inst) in self.f.block(block).insts.iter().enumerate().skip(at) {
            self.outcome.steps += 1;
            if self.outcome.steps > limits.steps {
                return Err(InterpretError::Steps(limits.steps));
            }
            match self.step(*inst)? {
                Flow::Next => continue,
                Flow::Exchange => {
                    self.next = Some(Place { at: index + 1, ..place });
                    return Ok(Some(*inst));
                }
                Flow::Leave(taken) => arm = Some(taken),
                Flow::Halt => arm = None,
            }
            break;
        }
        if self.outcome.steps > limits.steps {
            return Err(InterpretError::Steps(limits.steps));
        }
        let to = arm.and_then(|arm| self.f.block(block).succs.get(arm).copied());
        self.next = to.map(|to| Place { block: to, from: Some(block), at: 0 });
        Ok(None)
    }

    /// Reads the sources of all phis before writing any.
    fn run_phis(&mut self, block: Block, from: Option<Block>) -> Result<(), InterpretError> {
        let mut results: Vec<(Value, Components)> = Vec::new();
        for inst in self.f.block(block).insts.iter().take(self.f.phi_count(block)) {
            let data = self.f.insts[*inst];
            let source = data.phi_inputs().find(|(pred, _)| Some(*pred) == from);
            match (data.dst(), source) {
                (Some(dst), Some((_, src))) => results.push((dst, self.read(*inst, src)?)),
                _ => return Err(self.malformed(*inst)),
            }
        }
        for (dst, components) in results {
            self.define(dst, &components);
        }
        Ok(())
    }

    fn step(&mut self, inst: Inst) -> Result<Flow, InterpretError> {
        let data = self.f.insts[inst];
        if let Some(pure) = data.op.pure_fn() {
            let dst = data.dst().ok_or_else(|| self.malformed(inst))?;
            let sources = self.pure_sources(inst, &data)?;
            let args = PureArgs { dst_width: self.f.ty(dst).bits, sources: &sources, mods: data.mods };
            let result = pure(&args);
            self.define(dst, &[result]);
            return Ok(Flow::Next);
        }
        if let Some(access) = Access::of(self.f, &data) {
            self.access(inst, &data, access)?;
            return Ok(Flow::Next);
        }
        match data.op {
            Op::Ir(op) => self.step_ir(inst, op, &data),
            Op::Hw(opcode) => self.step_hw(inst, opcode, &data),
        }
    }

    fn pure_sources(
        &self,
        inst: Inst,
        data: &InstData<'_>,
    ) -> Result<ArrayVec<Source, MAX_PURE_SOURCES>, InterpretError> {
        let mut sources = ArrayVec::new();
        for src in data.srcs {
            let source =
                Source { bits: self.read_scalar(inst, *src)?, width: self.f.width(*src), flags: src.flags };
            sources.try_push(source).map_err(|_| self.malformed(inst))?;
        }
        Ok(sources)
    }

    fn step_ir(&mut self, inst: Inst, op: IrOp, data: &InstData<'_>) -> Result<Flow, InterpretError> {
        match op {
            // The phis of a block were executed on entry.
            IrOp::Phi => Ok(Flow::Next),
            IrOp::Collect | IrOp::Split | IrOp::Copy => self.shuffle(inst, op, data),
            IrOp::Keep => {
                for src in data.srcs {
                    let components = self.read(inst, *src)?;
                    self.outcome.kept.extend(components);
                }
                Ok(Flow::Next)
            }
            IrOp::Preload => {
                let dst = data.dst().ok_or_else(|| self.malformed(inst))?;
                let half = data.get(key::REG);
                let ty = self.f.ty(dst);
                let halves = u32::from(ty.halves()) / u32::from(ty.comps.max(1));
                let registers = (0..u32::from(ty.comps)).map(|component| half + component * halves);
                let components: Option<Vec<u64>> =
                    registers.map(|half| self.memory.preloaded(half, ty.bits)).collect();
                let components = components.ok_or_else(|| self.unsupported(inst))?;
                self.define(dst, &components);
                Ok(Flow::Next)
            }
            IrOp::If => {
                let src = data.srcs.first().ok_or_else(|| self.malformed(inst))?;
                let truth = self.read_scalar(inst, *src)? & 1 != 0;
                Ok(Flow::Leave(usize::from(!truth)))
            }
            IrOp::Jump => Ok(Flow::Leave(0)),
            IrOp::Halt => Ok(Flow::Halt),
            IrOp::ControlBarrier | IrOp::FenceMemory => Ok(Flow::Next),
            op if self.is_fragment => self.step_fragment(inst, op, data),
            _ => Err(self.unsupported(inst)),
        }
    }

    /// Executes an operation of fragment shaders.
    fn step_fragment(&mut self, inst: Inst, op: IrOp, data: &InstData<'_>) -> Result<Flow, InterpretError> {
        match op {
            IrOp::Interpolate => {
                let dst = data.dst().ok_or_else(|| self.malformed(inst))?;
                let (first, ty) = (data.mods.first().copied().unwrap_or(0), self.f.ty(dst));
                let inputs = (0..u32::from(ty.comps)).map(|at| self.memory.interpolated(first + at));
                let components: Option<Vec<u64>> = inputs.map(|word| word.map(u64::from)).collect();
                let components = components.ok_or_else(|| self.unsupported(inst))?;
                self.define(dst, &components);
                Ok(Flow::Next)
            }
            IrOp::Discard | IrOp::KillSamples => {
                let src = data.srcs.first().ok_or_else(|| self.malformed(inst))?;
                self.outcome.is_helper |= self.read_scalar(inst, *src)? != 0;
                Ok(Flow::Next)
            }
            // What a lane leaves to the tests and to the next part is not interpreted.
            IrOp::Retire | IrOp::WriteDepth | IrOp::WriteStencil | IrOp::Export => Ok(Flow::Next),
            _ => Err(self.unsupported(inst)),
        }
    }

    /// `collect`, `split` and `copy` move bits: all sources are read, then distributed over the results in
    /// order.
    fn shuffle(&mut self, inst: Inst, op: IrOp, data: &InstData<'_>) -> Result<Flow, InterpretError> {
        if op == IrOp::Copy {
            let components: Result<Vec<Components>, _> =
                data.srcs.iter().map(|src| self.read(inst, *src)).collect();
            for (dst, components) in data.dsts.iter().zip(components?) {
                self.define(*dst, &components);
            }
            return Ok(Flow::Next);
        }
        let mut bits = BitString::default();
        for src in data.srcs {
            let width = self.f.width(*src);
            for component in self.read(inst, *src)? {
                bits.push(component, width);
            }
        }
        for dst in data.dsts {
            let ty = self.f.ty(*dst);
            let components: Vec<u64> = (0..ty.comps).map(|_| bits.take(ty.bits)).collect();
            self.define(*dst, &components);
        }
        Ok(Flow::Next)
    }

    fn step_hw(&mut self, inst: Inst, opcode: Opcode, data: &InstData<'_>) -> Result<Flow, InterpretError> {
        match opcode {
            Opcode::IfIcmp | Opcode::IfFcmp => {
                let compare = if opcode == Opcode::IfIcmp { IrOp::Icmp } else { IrOp::Fcmp };
                let compare = compare.desc().pure.ok_or_else(|| self.malformed(inst))?;
                let sources = self.pure_sources(inst, data)?;
                let mods = [data.get(key::COND), u32::from(data.get(key::INV))];
                let truth = compare(&PureArgs { dst_width: 1, sources: &sources, mods: &mods });
                Ok(Flow::Leave(usize::from(truth == 0)))
            }
            Opcode::Dfdx | Opcode::Dfdy if self.is_fragment => Ok(Flow::Exchange),
            Opcode::Mfsr => {
                let dst = data.dst().ok_or_else(|| self.malformed(inst))?;
                let number = match data.get(key::SR) {
                    Sr::IS_ACTIVE if self.is_fragment => Some(u32::from(!self.outcome.is_helper)),
                    register => self.memory.special_register(register.0.into()),
                };
                let number = number.ok_or_else(|| self.unsupported(inst))?;
                self.define(dst, &[u64::from(number)]);
                Ok(Flow::Next)
            }
            Opcode::UniformStore => self.store_uniform(inst, data),
            _ => {
                let desc = opcode.desc();
                let is_wait = desc.effects == Effects::BARRIER && data.dsts.is_empty();
                let is_order = desc.order == OrderClass::Barrier || opcode == Opcode::Wait;
                if is_wait && is_order { Ok(Flow::Next) } else { Err(self.unsupported(inst)) }
            }
        }
    }

    /// Stores 16-bit elements to consecutive half-words.
    fn store_uniform(&mut self, inst: Inst, data: &InstData<'_>) -> Result<Flow, InterpretError> {
        let [source, index] = data.srcs else { return Err(self.malformed(inst)) };
        let Some(start) = index.as_uniform().filter(|_| self.f.width(*source) == 16) else {
            return Err(self.unsupported(inst));
        };
        for (offset, half) in self.read(inst, *source)?.into_iter().enumerate() {
            let at = usize::from(start) + offset;
            if at >= self.uniforms.len() {
                self.uniforms.resize(at + 1, 0);
            }
            self.uniforms[at] = half as u16;
        }
        Ok(Flow::Next)
    }

    fn define(&mut self, value: Value, components: &[u64]) {
        let ty = self.f.ty(value);
        let (start, defined) = &mut self.places[value.index()];
        *defined = true;
        let cells = &mut self.cells[*start..*start + usize::from(ty.comps)];
        for (cell, component) in cells.iter_mut().zip(components) {
            *cell = component & width_mask(ty.bits);
        }
    }

    fn read_scalar(&self, inst: Inst, src: Src) -> Result<u64, InterpretError> {
        let components = self.read(inst, src)?;
        match components.as_slice() {
            [scalar] => Ok(*scalar),
            _ => Err(self.malformed(inst)),
        }
    }

    /// The components of a source, without its modifiers. An absent source is 0.
    fn read(&self, inst: Inst, src: Src) -> Result<Components, InterpretError> {
        match src.kind {
            SrcKind::None => Ok([0].into_iter().collect()),
            SrcKind::Imm => Ok([src.payload].into_iter().collect()),
            SrcKind::Uniform => {
                let halves = usize::from(Type::scalar(src.bits).halves());
                let start = src.payload as usize;
                let halves = self.uniforms.get(start..start + halves);
                let halves = halves.ok_or_else(|| InterpretError::Uniform { inst: self.text(inst) })?;
                let bits = halves.iter().rev().fold(0, |bits, half| bits << 16 | u64::from(*half));
                Ok([bits & width_mask(src.bits)].into_iter().collect())
            }
            SrcKind::Value => {
                let value = Value(src.payload as u32);
                let place = self.places.get(value.index()).filter(|(_, defined)| *defined);
                let (start, _) =
                    *place.ok_or_else(|| InterpretError::Undefined { inst: self.text(inst), value })?;
                let components = &self.cells[start..start + usize::from(self.f.ty(value).comps)];
                Ok(components.iter().copied().take(MAX_COMPONENTS).collect())
            }
        }
    }

    fn text(&self, inst: Inst) -> String {
        self.f.inst_text(inst).to_string()
    }

    fn unsupported(&self, inst: Inst) -> InterpretError {
        InterpretError::Unsupported(self.text(inst))
    }

    fn malformed(&self, inst: Inst) -> InterpretError {
        InterpretError::Malformed(self.text(inst))
    }
}

/// A sequence of bits, lowest first.
#[derive(Default)]
struct BitString {
    bits: Vec<bool>,
    taken: usize,
}

impl BitString {
    fn push(&mut self, component: u64, width: u8) {
        self.bits.extend((0..width.min(64)).map(|bit| component >> bit & 1 != 0));
    }

    /// The next `width` bits; zeros past the end.
    fn take(&mut self, width: u8) -> u64 {
        let width = usize::from(width.min(64));
        let bits = self.bits.iter().skip(self.taken).take(width).enumerate();
        let component = bits.fold(0, |component, (bit, set)| component | u64::from(*set) << bit);
        self.taken += width;
        component
    }
}
