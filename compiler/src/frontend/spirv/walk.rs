//! Translation of function bodies: a walk over the plan of each function, with calls inlined by an explicit
//! stack.

use agx_abi::{MeshKind, Stage};
use spirv::Op;

use super::cfg::Terminator;
use super::large::{self, Operand};
use super::module::{BlockBody, Def};
use super::opcodes::{self, Handler, Needs, Pointers, Row};
use super::owners::Frame;
use super::pointer::Held;
use super::translate::Translator;
use super::values::Values;
use super::words::{Inst, Instructions};
use super::{debug, instructions, mesh, opencl};
use crate::error::{CompileError, FlowError, ModuleError, StageError, TypeError, ValueError};
use crate::frontend::kit::control::{Node, Step};
use crate::frontend::kit::coverage;
use crate::frontend::kit::derivatives::has_quads;
use crate::ir::Arithmetic;
use crate::ir::build::alu::IntCond;
use crate::ir::src::Src;

impl<'a> Translator<'_, 'a> {
    /// Translates the entry point, function `entry`.
    pub fn run(&mut self, entry: usize) -> Result<(), CompileError> {
        self.enter(entry, 0)?;
        while let Some(frame) = self.bodies.frames.last_mut() {
            if let Some((rest, end)) = frame.rest.take() {
                self.rest_of_block(rest, end)?;
                continue;
            }
            match frame.walk.next(&frame.body.plan) {
                Some(step) => self.step(step)?,
                None => self.leave()?,
            }
        }
        Ok(())
    }

    /// Translates the rest of a block, which ends at word `end`, up to its first call.
    fn rest_of_block(&mut self, mut rest: Instructions<'a>, end: usize) -> Result<(), CompileError> {
        let calls = self.bodies.calls;
        while rest.offset() < end {
            let inst = rest.next().ok_or(FlowError::Truncated)??;
            self.counted_instruction(&inst).map_err(|error| debug::locate(&self.values, &inst, error))?;
            if self.bodies.calls != calls {
                // The walk comes back here after the call.
                if let [.., frame, _] = self.bodies.frames.as_mut_slice() {
                    frame.rest = Some((rest, end));
                }
                break;
            }
        }
        Ok(())
    }

    /// Translates an instruction within the limits.
    fn counted_instruction(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        self.bodies.budget.count()?;
        let kit = &self.values.kit;
        kit.limits.check_sometimes(&mut self.bodies.checked, kit.b.f)?;
        self.instruction(inst)
    }

    /// Translates an instruction with a single lookup of its row.
    pub(super) fn instruction(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        self.values.float_mode(inst);
        self.values.relaxed.first_new = self.values.kit.b.f.values.len();
        let row = opcodes::find(inst.op).ok_or_else(|| opcodes::missing_row_error(inst.op))?;
        check_needs(&self.values, row)?;
        if self.values.types.is_kernel && opencl::conversions::special(&mut self.values, inst)? {
            return Ok(());
        }
        if !self.values.has_stored || large::takes_large(&self.values, inst) {
            return self.handle(row, inst);
        }
        let hidden = large::show_scalars(&mut self.values, inst.operands)?;
        let result = self.handle(row, inst);
        large::hide_scalars(&mut self.values, hidden);
        result
    }

    fn handle(&mut self, row: Row, inst: &Inst<'a>) -> Result<(), CompileError> {
        match row.handler {
            Handler::Nothing => Ok(()),
            Handler::Values(build) => build(&mut self.values, inst),
            Handler::Memory(build) => build(&mut self.memory, &mut self.values, inst),
            Handler::Stage(build) => build(&mut self.io, &mut self.memory, &mut self.values, inst),
            Handler::Control(build) => build(self, inst),
            Handler::Pure(compute) => {
                let pointers = if row.pointers == Pointers::Values { inst.rest(2) } else { &[] };
                instructions::pure(&mut self.memory, &mut self.values, inst, compute, pointers)
            }
            Handler::Declaration => Err(ModuleError::Misplaced { op: inst.op }.into()),
        }
    }

    fn step(&mut self, step: Step) -> Result<(), CompileError> {
        let condition = match step {
            Step::Block(node) => {
                self.begin_block(node);
                return Ok(());
            }
            Step::Edge(from, to) => {
                return self.at_terminator(from, |t, terminator| t.edge(terminator, from, to));
            }
            Step::If(node) => self.at_terminator(node, |t, terminator| match terminator {
                Terminator::Conditional(cond, ..) => condition(&mut t.values, cond),
                _ => Err(CompileError::internal("an if without a condition")),
            })?,
            Step::Case(node, to) => self.at_terminator(node, |t, terminator| t.case(terminator, node, to))?,
            step => {
                let Frame { walk, body, .. } =
                    self.bodies.frames.last_mut().expect("invariant: a function is being translated");
                walk.apply(&mut self.values.kit, &body.plan, step, &mut self.bodies.budget)?;
                if let Step::Loop { header, .. } = step {
                    self.note_unroll_hint(header);
                }
                return Ok(());
            }
        };
        let frame = self.bodies.frames.last_mut().expect("invariant: a function is being translated");
        frame.walk.begin_if(&mut self.values.kit, &frame.body.plan, condition, &mut self.bodies.budget)
    }

    /// Records whether to unroll the loop that was opened at `node`.
    fn note_unroll_hint(&mut self, node: Node) {
        let hint = self.block_body(node).and_then(|block| block.unroll_hint);
        if let (Some(header), Some(_)) = (self.frame().walk.header(node), hint) {
            self.values.kit.b.f.declared.unroll_hints[header] = hint;
        }
    }

    fn block_body(&mut self, node: Node) -> Option<BlockBody> {
        let function = self.frame().function;
        self.values.module.functions.get(function)?.blocks.get(node).copied()
    }

    /// Moves to a block of the innermost open call.
    fn move_to(&mut self, node: Node) {
        let here = self.values.here.as_mut().expect("invariant: a function is being translated");
        here.place.node = node as u32;
    }

    fn begin_block(&mut self, node: Node) {
        if let Some(block) = self.block_body(node) {
            let rest = self.values.module.words.instructions_from(block.start);
            self.frame().rest = Some((rest, block.end));
            self.move_to(node);
            let kit = &mut self.values.kit;
            kit.b.line = 0;
            // A kill before may continue here without a jump.
            kit.vars.remember(kit.b.block());
            let entered = self.bodies.entered.0;
            self.bodies.entered = (Some(kit.b.block()), entered != Some(kit.b.block()));
        }
    }

    /// Runs `act` on a block's terminator and attaches its location to errors.
    fn at_terminator<T>(
        &mut self,
        node: Node,
        act: impl FnOnce(&mut Self, Terminator<'a>) -> Result<T, CompileError>,
    ) -> Result<T, CompileError> {
        self.move_to(node);
        let terminator = self.frame().body.cfg.terminators.get(node).copied();
        let terminator = terminator.ok_or_else(|| CompileError::internal("a block without a terminator"))?;
        let end = self.block_body(node).map_or(0, |block| block.end);
        let result = act(self, terminator);
        result.map_err(|error| match self.values.module.words.instructions_from(end).next() {
            Some(Ok(inst)) => debug::locate(&self.values, &inst, error),
            _ => error,
        })
    }

    /// Whether the selector of a switch is one of the literals that lead to `to`.
    fn case(&mut self, terminator: Terminator<'a>, node: Node, to: Node) -> Result<Src, CompileError> {
        let Terminator::Switch { selector, cases, .. } = terminator else {
            return Err(CompileError::internal("a case without a switch"));
        };
        let selector = self.values.eval().scalar(selector)?;
        let bits = self.values.kit.b.f.width(selector);
        if (bits == 64) != cases.wide {
            return Err(FlowError::SwitchWidth { bits }.into());
        }
        let mut hit = None;
        let body = self.frame().body.clone();
        for literal in body.cfg.literals(node, to) {
            let equal = self.values.kit.b.icmp(IntCond::EQ, selector, Src::imm(literal, bits));
            hit = Some(hit.map_or(equal, |before| self.values.kit.b.or(before, equal)));
        }
        hit.ok_or_else(|| CompileError::internal("a case without literals"))
    }

    /// Control passes from one block to another: sets the values of the phis there.
    fn edge(&mut self, terminator: Terminator<'a>, from: Node, to: Node) -> Result<(), CompileError> {
        let Some(target) = self.block_body(to) else {
            return match terminator {
                Terminator::Return(id) if id != 0 => self.return_value(id),
                Terminator::Kill => coverage::kill(&mut self.values.kit),
                Terminator::EmitMeshTasks(counts) => mesh::emit_tasks(&mut self.values, counts),
                _ => Ok(()),
            };
        };
        if matches!(terminator, Terminator::Kill) {
            coverage::kill(&mut self.values.kit)?;
            // Other blocks of the module may be in the same one.
            let kit = &mut self.values.kit;
            let is_own = self.bodies.entered == (Some(kit.b.block()), true);
            coverage::bypass(kit, is_own);
            return Ok(());
        }
        let label = self.block_body(from).map_or(0, |block| block.label);
        let mut moves = Vec::new();
        let mut large_moves = Vec::new();
        for inst in self.values.module.words.instructions_from(target.start) {
            let inst = inst?;
            match inst.op {
                Op::Phi => {
                    let place = self.phi_place(&inst).map_err(|error| inst.locate(error))?;
                    let id = self.incoming(&inst, label).map_err(|error| inst.locate(error))?;
                    let value = large::operand(&mut self.memory, &mut self.values, id)
                        .map_err(|error| inst.locate(error))?;
                    let ty = self.values.eval().ty(inst.word(0)?)?;
                    let next = self.bodies.phis.get(inst.word(1)? as usize).and_then(|phi| phi.next);
                    if let Some(next @ Held::Memory(from)) = next {
                        next.set(&mut self.memory, &mut self.values, ty, value)
                            .map_err(|error| inst.locate(error))?;
                        large_moves.push((place, ty, Operand::Memory(from)));
                    } else {
                        moves.push((place, ty, value));
                    }
                }
                Op::Line | Op::NoLine => {}
                _ => break,
            }
        }
        for (place, ty, value) in moves.into_iter().chain(large_moves) {
            place.set(&mut self.memory, &mut self.values, ty, value)?;
        }
        Ok(())
    }

    /// The id of a phi's value from block `label`. Edges tend to come in the order of the phi's operands, so
    /// the search continues where the last one ended.
    fn incoming(&mut self, inst: &Inst<'a>, label: u32) -> Result<u32, CompileError> {
        let (pairs, _) = inst.rest(2).as_chunks::<2>();
        let id = inst.word(1)?;
        let bound = self.bodies.phis.len() as u32;
        let Some(phi) = self.bodies.phis.get_mut(id as usize) else {
            return Err(TypeError::OutOfBound { id, bound }.into());
        };
        let start = (phi.cursor as usize).min(pairs.len());
        let mut positions = (start..pairs.len()).chain(0..start);
        let found = positions
            .find_map(|at| pairs.get(at).filter(|[_, from]| *from == label).map(|[value, _]| (at, *value)));
        if let Some((position, value)) = found {
            phi.cursor = (position as u32).wrapping_add(1);
            return Ok(value);
        }
        Err(FlowError::PhiSource { block: label }.into())
    }

    fn return_value(&mut self, id: u32) -> Result<(), CompileError> {
        let value = large::operand(&mut self.memory, &mut self.values, id)?;
        let (function, result) = (self.frame().function, self.frame().result);
        let ty = self.values.module.function(function)?.result;
        result.set(&mut self.memory, &mut self.values, ty, value)
    }

    /// The value of a phi, which its incoming edges set.
    pub(super) fn phi(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let place = self.phi_place(inst)?;
        let ty = self.values.eval().ty(inst.word(0)?)?;
        let value = place.get(&mut self.values, ty)?;
        self.values.define(inst.word(1)?, value)
    }

    /// A call: its arguments become the parameters, and the walk continues in the callee.
    pub(super) fn call(&mut self, inst: &Inst<'a>) -> Result<(), CompileError> {
        let Some(Def::Function(function)) = self.values.defs.get(inst.word(2)? as usize).copied() else {
            return Err(FlowError::NotAFunction { id: inst.word(2)? }.into());
        };
        let module = self.values.module;
        let callee = module.function(function as usize)?;
        let arguments = inst.rest(3);
        if arguments.len() != callee.params.len() {
            return Err(FlowError::Arguments {
                callee: callee.id,
                expected: callee.params.len(),
                found: arguments.len(),
            }
            .into());
        }
        for argument in arguments {
            self.values.eval().check_visible(*argument)?;
        }
        if callee.blocks.is_empty() && module.types.is_kernel {
            return opencl::call_imported(&mut self.memory, &mut self.values, inst, callee.id);
        }
        self.enter(function as usize, inst.word(1)?)?;
        for (param, argument) in callee.params.iter().zip(arguments) {
            let def = match self.values.defs.get(*argument as usize).copied() {
                Some(
                    def @ (Def::Value(..)
                    | Def::Stored(..)
                    | Def::Pointer(_)
                    | Def::Resource(_)
                    | Def::Global(_)),
                ) => def,
                _ => return Err(FlowError::Argument { id: *argument }.into()),
            };
            self.values.define(*param, def)?;
        }
        Ok(())
    }
}

/// Rejects an instruction with requirements that the stage or the hardware does not meet.
fn check_needs(v: &Values<'_, '_>, row: Row) -> Result<(), CompileError> {
    match row.needs {
        Needs::Nothing => Ok(()),
        Needs::Fragment if v.kit.stage == Stage::Fragment => Ok(()),
        Needs::Fragment => Err(StageError::NotFragment { what: format!("Op{:?}", row.op) }.into()),
        Needs::Geometry if v.kit.software.geometry.is_some() => Ok(()),
        Needs::Geometry => Err(StageError::NotGeometry { op: row.op }.into()),
        Needs::Mesh if mesh::is_kind(&v.kit, MeshKind::Mesh) => Ok(()),
        Needs::Mesh => Err(StageError::NotMesh { op: row.op }.into()),
        Needs::Quads if has_quads(&v.kit) => Ok(()),
        Needs::Quads => Err(StageError::NoQuads.into()),
        Needs::Missing(reason) => Err(ModuleError::Refused { op: row.op, reason }.into()),
    }
}

fn condition(v: &mut Values<'_, '_>, id: u32) -> Result<Src, CompileError> {
    let cond = v.eval().scalar(id)?;
    match v.kit.b.f.width(cond) {
        1 => Ok(cond),
        _ => Err(ValueError::NotABoolean { id }.into()),
    }
}
