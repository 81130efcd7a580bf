//! Translation of function bodies: a walk over the plan of each function, calls inlined, with an explicit stack.

use std::rc::Rc;

use bumpalo::Bump;
use spirv::Op;

use super::cfg::{Cfg, Terminator};
use super::eval::{Eval, Place, Site};
use super::float_controls::FloatControls;
use super::module::{BlockBody, Def, Module};
use super::pointers::Pointer;
use super::relaxed::Relaxed;
use super::stage::StageIo;
use super::types::{Ty, Types};
use super::usage::Usage;
use super::variables::Constants;
use super::words::{Inst, Instructions};
use crate::error::CompileError;
use crate::frontend::kit::Kit;
use crate::frontend::kit::control::{Node, Plan, Step, Walk, structurize};
use crate::frontend::kit::coverage;
use crate::frontend::kit::limits::{Budget, MAX_CALL_DEPTH};
use crate::frontend::ssa::Variable;
use crate::ir::build::alu::IntCond;
use crate::ir::src::Src;

/// A function's graph and structure, shared by all calls of it.
struct Body<'a> {
    cfg: Cfg<'a>,
    plan: Plan,
}

/// A function being translated.
struct Frame<'a> {
    function: usize,
    body: Rc<Body<'a>>,
    /// Which call this is, and the block being translated.
    place: Place,
    /// Rest of the block being translated, and where it ends.
    rest: Option<(Instructions<'a>, usize)>,
    /// Where in the plan it is, and what is open.
    walk: Walk,
    /// Variables of the result.
    result: Variable,
    /// Id that the result is given in the caller.
    call: u32,
    /// Source line of the call.
    line: u32,
}

/// The function under construction and everything known while it is built.
pub(super) struct Translator<'t, 'a> {
    pub kit: Kit<'t, 'a>,
    pub bump: &'a Bump,
    pub module: &'t Module<'a>,
    pub types: &'t Types<'a>,
    pub defs: Vec<Def<'a>>,
    /// Where each id is defined.
    places: Vec<Place>,
    /// Calls so far.
    calls: u32,
    pub usage: Usage<'a>,
    pub floats: FloatControls,
    /// See [`Translator::relax`].
    pub relaxed: Relaxed,
    pub constants: Constants<'a>,
    pub io: StageIo<'a>,
    /// What each module-scope variable turned into.
    pub globals: Vec<Option<Pointer<'a>>>,
    /// Variables for the scalars of a phi with its type, by its id.
    phis: Vec<Option<(Variable, Ty)>>,
    /// By id of a phi, the operand after the one that was looked up last.
    phi_cursors: Vec<u32>,
    bodies: Vec<Option<Rc<Body<'a>>>>,
    frames: Vec<Frame<'a>>,
    budget: Budget,
    /// See [`Eval::masks_shifts`].
    pub masks_shifts: bool,
}

impl<'t, 'a> Translator<'t, 'a> {
    /// A translator of `module` into the function of `kit`.
    pub fn new(kit: Kit<'t, 'a>, bump: &'a Bump, module: &'t Module<'a>) -> Self {
        Translator {
            kit,
            bump,
            module,
            types: &module.types,
            defs: module.defs.clone(),
            places: vec![Place::default(); module.defs.len()],
            calls: 0,
            usage: Usage::default(),
            floats: FloatControls::default(),
            relaxed: Relaxed::of(module),
            constants: Constants::default(),
            io: StageIo::default(),
            globals: vec![None; module.globals.len()],
            phis: vec![None; module.defs.len()],
            phi_cursors: vec![0; module.defs.len()],
            bodies: module.functions.iter().map(|_| None).collect(),
            frames: Vec::new(),
            budget: Budget::default(),
            masks_shifts: false,
        }
    }

    /// Evaluates pure instructions.
    pub fn eval(&mut self) -> Eval<'_, 't, 'a> {
        let site = self.frames.last().map(|frame| Site {
            places: &self.places,
            here: frame.place,
            graph: &frame.body.cfg.graph,
        });
        let (bump, types, masks_shifts) = (self.bump, self.types, self.masks_shifts);
        Eval { b: &mut self.kit.b, bump, types, defs: &self.defs, site, masks_shifts }
    }

    /// Translates the entry point, function `entry`.
    pub fn run(&mut self, entry: usize) -> Result<(), CompileError> {
        self.enter(entry, 0)?;
        while let Some(frame) = self.frames.last_mut() {
            if let Some((rest, end)) = &mut frame.rest {
                if rest.offset() >= *end {
                    frame.rest = None;
                    continue;
                }
                let inst =
                    rest.next().ok_or_else(|| CompileError::invalid("the module ends within a block"))??;
                self.budget
                    .count()
                    .and_then(|()| self.instruction(&inst))
                    .map_err(|error| self.locate(&inst, error))?;
                continue;
            }
            match frame.walk.next(&frame.body.plan) {
                Some(step) => self.step(step)?,
                None => self.leave()?,
            }
        }
        Ok(())
    }

    fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("invariant: a function is being translated")
    }

    fn body(&mut self, function: usize) -> Result<Rc<Body<'a>>, CompileError> {
        if let Some(body) = &self.bodies[function] {
            return Ok(body.clone());
        }
        let cfg = Cfg::read(self.module, &self.module.functions[function])?;
        let plan = structurize(&cfg.graph);
        let body = Rc::new(Body { cfg, plan });
        self.bodies[function] = Some(body.clone());
        Ok(body)
    }

    /// Begins to translate a function whose result is to be called `call`.
    pub(super) fn enter(&mut self, function: usize, call: u32) -> Result<(), CompileError> {
        if self.frames.iter().any(|frame| frame.function == function) {
            return Err(CompileError::invalid("a function calls itself"));
        }
        if self.frames.len() >= MAX_CALL_DEPTH {
            return Err(CompileError::limit(format!("calls nest deeper than {MAX_CALL_DEPTH}")));
        }
        let body = self.body(function)?;
        let ty = self.module.functions[function].result;
        let result = self.kit.vars.add(self.types.leaves(ty)?);
        self.relax_variable(call, result, ty);
        let walk = Walk::new(&body.cfg.graph);
        self.calls += 1;
        let place = Place { call: self.calls, node: 0 };
        self.frames.push(Frame {
            function,
            body,
            place,
            rest: None,
            walk,
            result,
            call,
            line: self.kit.b.line,
        });
        Ok(())
    }

    /// Ends a function: its result becomes a value of the caller.
    fn leave(&mut self) -> Result<(), CompileError> {
        let frame = self.frames.pop().expect("invariant: a function is being translated");
        let ty = self.module.functions[frame.function].result;
        self.kit.b.line = frame.line;
        if frame.call != 0 {
            let leaves = self.read_all(frame.result, ty)?;
            self.define(frame.call, Def::Value(ty, leaves))?;
        }
        Ok(())
    }

    pub(super) fn read_all(&mut self, first: Variable, ty: Ty) -> Result<&'a [Src], CompileError> {
        let count = self.types.leaf_count(ty)? as u32;
        let leaves: Vec<Src> =
            (0..count).map(|leaf| self.kit.vars.read(&mut self.kit.b, Variable(first.0 + leaf))).collect();
        Ok(self.bump.alloc_slice_copy(&leaves))
    }

    fn write_all(&mut self, first: Variable, leaves: &[Src]) {
        for (leaf, src) in leaves.iter().enumerate() {
            self.kit.vars.write(&self.kit.b, Variable(first.0 + leaf as u32), *src);
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
                Terminator::Conditional(cond, ..) => t.condition(cond),
                _ => Err(CompileError::internal("an if without a condition")),
            })?,
            Step::Case(node, to) => self.at_terminator(node, |t, terminator| t.case(terminator, node, to))?,
            step => {
                let Frame { walk, body, .. } =
                    self.frames.last_mut().expect("invariant: a function is being translated");
                return walk.apply(&mut self.kit, &body.plan, step, &mut self.budget);
            }
        };
        let frame = self.frames.last_mut().expect("invariant: a function is being translated");
        frame.walk.begin_if(&mut self.kit, &frame.body.plan, condition, &mut self.budget)
    }

    fn block_body(&mut self, node: Node) -> Option<BlockBody> {
        let function = self.frame().function;
        self.module.functions[function].blocks.get(node).copied()
    }

    fn begin_block(&mut self, node: Node) {
        if let Some(block) = self.block_body(node) {
            let rest = self.module.words.instructions_from(block.start);
            let frame = self.frame();
            frame.rest = Some((rest, block.end));
            frame.place.node = node as u32;
            self.kit.b.line = 0;
        }
    }

    /// Runs `act` on a block's terminator and gives errors its place.
    fn at_terminator<T>(
        &mut self,
        node: Node,
        act: impl FnOnce(&mut Self, Terminator<'a>) -> Result<T, CompileError>,
    ) -> Result<T, CompileError> {
        self.frame().place.node = node as u32;
        let terminator = self.frame().body.cfg.terminators[node];
        let end = self.block_body(node).map_or(0, |block| block.end);
        let result = act(self, terminator);
        result.map_err(|error| match self.module.words.instructions_from(end).next() {
            Some(Ok(inst)) => self.locate(&inst, error),
            _ => error,
        })
    }

    fn condition(&mut self, id: u32) -> Result<Src, CompileError> {
        let cond = self.eval().scalar(id)?;
        match self.kit.b.f.width(cond) {
            1 => Ok(cond),
            _ => Err(CompileError::invalid("the condition is not a boolean")),
        }
    }

    /// Whether the selector of a switch is one of the literals that lead to `to`.
    fn case(&mut self, terminator: Terminator<'a>, node: Node, to: Node) -> Result<Src, CompileError> {
        let Terminator::Switch { selector, cases, .. } = terminator else {
            return Err(CompileError::internal("a case without a switch"));
        };
        let selector = self.eval().scalar(selector)?;
        let bits = self.kit.b.f.width(selector);
        if (bits == 64) != cases.wide {
            return Err(CompileError::invalid("the literals do not have the width of the selector"));
        }
        let mut hit = None;
        let body = self.frame().body.clone();
        for literal in body.cfg.literals(node, to) {
            let equal = self.kit.b.icmp(IntCond::EQ, selector, Src::imm(literal, bits));
            hit = Some(hit.map_or(equal, |before| self.kit.b.or(before, equal)));
        }
        hit.ok_or_else(|| CompileError::internal("a case without literals"))
    }

    /// Control passes from one block to another: sets the values of the phis there.
    fn edge(&mut self, terminator: Terminator<'a>, from: Node, to: Node) -> Result<(), CompileError> {
        let Some(target) = self.block_body(to) else {
            return match terminator {
                Terminator::Return(id) if id != 0 => self.return_value(id),
                Terminator::Kill => coverage::discard(&mut self.kit),
                _ => Ok(()),
            };
        };
        let label = self.block_body(from).map_or(0, |block| block.label);
        let mut moves = Vec::new();
        for inst in self.module.words.instructions_from(target.start) {
            let inst = inst?;
            match inst.op {
                Op::Phi => {
                    let variable = self.phi_variable(&inst).map_err(|error| inst.locate(error))?;
                    let id = self.incoming(&inst, label).map_err(|error| inst.locate(error))?;
                    let (_, leaves) = self
                        .with_pointers_as_values(&[id], |t| t.eval().value(id))
                        .map_err(|error| inst.locate(error))?;
                    let ty = self.eval().ty(inst.word(0)?)?;
                    let leaves = self.eval().checked(ty, leaves).map_err(|error| inst.locate(error))?;
                    moves.push((variable, leaves));
                }
                Op::Line | Op::NoLine => {}
                _ => break,
            }
        }
        for (variable, leaves) in moves {
            self.write_all(variable, leaves);
        }
        Ok(())
    }

    /// The id whose value a phi takes from block `label`. Edges tend to come in the order of the phi's operands, so
    /// the search goes on where the last one ended.
    fn incoming(&mut self, inst: &Inst<'a>, label: u32) -> Result<u32, CompileError> {
        let pairs = inst.rest(2);
        let cursor = &mut self.phi_cursors[inst.word(1)? as usize];
        let count = pairs.len() / 2;
        for step in 0..count {
            let position = (*cursor as usize + step) % count;
            if pairs[2 * position + 1] == label {
                *cursor = position as u32 + 1;
                return Ok(pairs[2 * position]);
            }
        }
        Err(CompileError::invalid(format!("no value comes from block {label}")))
    }

    fn return_value(&mut self, id: u32) -> Result<(), CompileError> {
        let (_, leaves) = self.with_pointers_as_values(&[id], |t| t.eval().value(id))?;
        let (function, result) = (self.frame().function, self.frame().result);
        let ty = self.module.functions[function].result;
        let leaves = self.eval().checked(ty, leaves)?;
        self.write_all(result, leaves);
        Ok(())
    }

    pub(super) fn phi_variable(&mut self, inst: &Inst<'a>) -> Result<Variable, CompileError> {
        let (ty, id) = (self.eval().ty(inst.word(0)?)?, inst.word(1)? as usize);
        match self.phis.get(id).copied() {
            Some(Some((variable, known))) if known == ty => Ok(variable),
            Some(Some(_)) => {
                Err(CompileError::invalid(format!("id {id} is defined twice, by phis of two types")))
            }
            Some(None) => {
                let variable = self.kit.vars.add(self.types.leaves(ty)?);
                self.relax_variable(id as u32, variable, ty);
                self.phis[id] = Some((variable, ty));
                Ok(variable)
            }
            None => Err(CompileError::invalid(format!("id {id} is not within the bound"))),
        }
    }

    /// Says what an id stands for. Bodies of functions called twice define their ids twice.
    pub fn define(&mut self, id: u32, def: Def<'a>) -> Result<(), CompileError> {
        self.relax(id, &def);
        match self.defs.get_mut(id as usize) {
            Some(
                slot @ (Def::None | Def::Value(..) | Def::Pointer(_) | Def::Resource(_) | Def::Global(_)),
            ) => {
                *slot = def;
                self.places[id as usize] = self.frames.last().map(|frame| frame.place).unwrap_or_default();
                Ok(())
            }
            _ => Err(CompileError::invalid(format!("id {id} cannot be a result"))),
        }
    }
}
