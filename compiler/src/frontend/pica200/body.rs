//! Builds the instructions of a graph's nodes. Registers are variables.

use agx_pica200::register::{Address, Combine, Condition, Dest, Source};
use agx_pica200::{Inst, Opcode, Place, Program};

use super::alu::{self, Vector};
use super::expand::{LOOPS, test};
use super::flow::{Exit, Flow, Op, Test};
use super::geometry::Geometry;
use super::interface::Interface;
use super::numbers::Numbers;
use super::stacks::Stacks;
use super::uniforms;
use crate::error::CompileError;
use crate::frontend::four;
use crate::frontend::kit::control::{Body, Node};
use crate::frontend::kit::vertex::VertexOutput;
use crate::frontend::kit::{Kit, lines, vertex};
use crate::ir::build::alu::{IntCond, float};
use crate::ir::{Arithmetic, Src};
use crate::ssa::Variable;

/// The name of the text in the list of source files: the language's name denotes the input itself.
const FILE: &str = "pica200";

/// Words of a file of sixteen vectors.
const FILE_WORDS: usize = 64;

/// The variables of the program.
pub(super) struct Registers {
    temporaries: Variable,
    outputs: Variable,
    /// a0.x, a0.y and aL.
    address: Variable,
    /// Remaining iterations of loops, and the counters to restore after them, by depth.
    codes: Variable,
    /// Iterations to come of loops, and the counters around them, by depth.
    remaining: Variable,
    around: Variable,
}

impl Registers {
    /// Variables, all zero.
    pub fn new(kit: &mut Kit<'_, '_>) -> Registers {
        Registers {
            temporaries: kit.vars.add(&[32; FILE_WORDS]),
            outputs: kit.vars.add(&[32; FILE_WORDS]),
            address: kit.vars.add(&[32; 3]),
            codes: kit.vars.add(&[1; 2]),
            remaining: kit.vars.add(&[32; LOOPS]),
            around: kit.vars.add(&[32; LOOPS]),
        }
    }

    /// A component of an output register.
    pub fn output(&self, register: usize, component: usize) -> Variable {
        self.outputs.at((register as u32) << 2).at(component as u32)
    }

    fn temporary(&self, register: usize, component: usize) -> Variable {
        self.temporaries.at((register as u32) << 2).at(component as u32)
    }

    fn counter(&self) -> Variable {
        self.address.at(Address::Loop as u32)
    }

    fn remaining(&self, depth: usize) -> Variable {
        self.remaining.at(depth as u32)
    }

    fn around(&self, depth: usize) -> Variable {
        self.around.at(depth as u32)
    }
}

/// A translation in progress.
pub(super) struct Translation<'p> {
    pub program: &'p Program,
    /// The place of each word in the assembly, if the program was assembled.
    places: &'p [Place],
    pub flow: &'p Flow,
    pub numbers: Numbers,
    pub registers: Registers,
    pub interface: Interface,
    pub geometry: Option<Geometry>,
    /// First of the consecutive selectors of dispatch nodes.
    selectors: Option<Variable>,
    stacks: Option<Stacks>,
}

impl<'p> Translation<'p> {
    /// The translation of a program whose graph is `flow`.
    pub fn new(
        (program, places): (&'p Program, &'p [Place]),
        flow: &'p Flow,
        numbers: Numbers,
        registers: Registers,
        interface: Interface,
    ) -> Self {
        let (selectors, stacks, geometry) = (None, None, None);
        Translation { program, places, flow, numbers, registers, interface, geometry, selectors, stacks }
    }

    /// Adds the variables that only some graphs need.
    pub fn add_control_variables(&mut self, kit: &mut Kit<'_, '_>) {
        if self.flow.selectors > 0 {
            self.selectors = Some(kit.vars.add(&vec![32; self.flow.selectors]));
        }
        if self.flow.has_stacks {
            self.stacks = Some(Stacks::new(kit));
        }
    }

    /// Builds the start of a vertex shader.
    ///
    /// # Errors
    /// Too many attributes.
    pub fn begin_vertex(&mut self, kit: &mut Kit<'_, '_>) -> Result<(), CompileError> {
        vertex::begin(kit, self.interface.inputs.iter().copied())?;
        self.add_control_variables(kit);
        Ok(())
    }

    /// Stores the outputs of a vertex shader.
    ///
    /// # Errors
    /// Too many outputs.
    pub fn end_vertex(&mut self, kit: &mut Kit<'_, '_>) -> Result<(), CompileError> {
        let words = self.output_words(kit);
        vertex::end(kit, &words)
    }

    /// The contents of output registers, and their destinations.
    pub fn output_words(&mut self, kit: &mut Kit<'_, '_>) -> Vec<(VertexOutput, Src)> {
        let places = &self.interface.outputs;
        let read = |(register, component, place): &(usize, usize, VertexOutput)| {
            (*place, kit.vars.read(&mut kit.b, self.registers.output(*register, *component)))
        };
        places.iter().map(read).collect()
    }

    /// Sets the source position to that of the instruction at an address.
    fn locate(&self, kit: &mut Kit<'_, '_>, address: u32) {
        if let Some(place) = self.places.get(address as usize) {
            lines::set(kit, FILE, place.line as u32, place.column as u32);
        }
    }

    fn selector(&self, selector: usize) -> Result<Variable, CompileError> {
        let first = self.selectors.ok_or_else(|| CompileError::internal("a selector without a variable"))?;
        Ok(first.at(selector as u32))
    }

    fn stacks(&self) -> Result<&Stacks, CompileError> {
        self.stacks.as_ref().ok_or_else(|| CompileError::internal("stacks without variables"))
    }

    /// The register that a source names, before swizzle and sign.
    fn register(&mut self, kit: &mut Kit<'_, '_>, inst: &Inst, number: usize) -> Vector {
        match inst.source(number) {
            None => [float(0.0, 32); 4],
            Some(Source::Input(register)) => self.input(kit, register),
            Some(Source::Temporary(register)) => [0, 1, 2, 3].map(|component| {
                let variable = self.registers.temporary(register.into(), component);
                kit.vars.read(&mut kit.b, variable)
            }),
            Some(Source::Uniform(base)) => {
                let index = inst.address(number).map(|address| {
                    let variable = self.registers.address.at(address as u32);
                    let offset = kit.vars.read(&mut kit.b, variable);
                    uniforms::relative(kit, base, offset)
                });
                match (self.geometry.as_ref().filter(|geometry| geometry.replaces_uniforms()), index) {
                    (None, None) => uniforms::vector(kit, base),
                    (None, Some(index)) => uniforms::vector_at(kit, index),
                    (Some(geometry), index) => {
                        let constant = (Src::imm32(base.into()), Src::imm(1, 1));
                        geometry.uniform(kit, index.unwrap_or(constant))
                    }
                }
            }
        }
    }

    fn input(&mut self, kit: &mut Kit<'_, '_>, register: u8) -> Vector {
        if let Some(geometry) = &self.geometry {
            return geometry.input(kit, register);
        }
        [0, 1, 2, 3]
            .map(|component| vertex::attribute(kit, register.into(), component).unwrap_or(float(0.0, 32)))
    }

    /// A source with its modifiers applied.
    fn source(&mut self, kit: &mut Kit<'_, '_>, inst: &Inst, number: usize) -> Vector {
        let register = self.register(kit, inst, number);
        let descriptor = self.program.descriptor(inst);
        let selected = descriptor.selector(number).map(|index| four::of(register, index));
        if descriptor.negates(number) { selected.map(|value| kit.b.fneg(value)) } else { selected }
    }

    /// Executes an arithmetic instruction.
    fn compute(&mut self, kit: &mut Kit<'_, '_>, inst: &Inst) {
        let sources = [1, 2, 3].map(|number| self.source(kit, inst, number));
        let descriptor = self.program.descriptor(inst);
        let written = [0, 1, 2, 3].map(|component| descriptor.writes(component));
        match inst.opcode {
            Opcode::Cmp => {
                for (index, compare) in inst.comparisons().into_iter().enumerate() {
                    let holds = alu::compare(
                        &mut kit.b,
                        compare,
                        four::of(sources[0], index),
                        four::of(sources[1], index),
                    );
                    kit.vars.write(&kit.b, self.registers.codes.at(index as u32), holds);
                }
            }
            Opcode::Mova => {
                for index in (0..2usize).filter(|index| four::of(written, *index)) {
                    let whole = kit.b.float_to_int(four::of(sources[0], index), true, 32);
                    kit.vars.write(&kit.b, self.registers.address.at(index as u32), whole);
                }
            }
            _ => {
                let opcode = inst.opcode.effective();
                let result = alu::compute(&mut kit.b, self.numbers, opcode, sources, written);
                for component in (0..4usize).filter(|component| four::of(written, *component)) {
                    let variable = match inst.dest() {
                        Some(Dest::Output(register)) => self.registers.output(register.into(), component),
                        Some(Dest::Temporary(register)) => {
                            self.registers.temporary(register.into(), component)
                        }
                        None => continue,
                    };
                    kit.vars.write(&kit.b, variable, four::of(result, component));
                }
            }
        }
    }

    /// Evaluates a condition on the comparison codes.
    fn condition_holds(&self, kit: &mut Kit<'_, '_>, condition: Condition) -> Src {
        let [x, y] = [(0, condition.x), (1, condition.y)].map(|(index, expected)| {
            let code = kit.vars.read(&mut kit.b, self.registers.codes.at(index));
            if expected { code } else { kit.b.not(code) }
        });
        match condition.combine {
            Combine::Or => kit.b.or(x, y),
            Combine::And => kit.b.and(x, y),
            Combine::X => x,
            Combine::Y => y,
        }
    }

    fn holds(&self, kit: &mut Kit<'_, '_>, test: Test) -> Result<Src, CompileError> {
        Ok(match test {
            Test::Condition(condition) => self.condition_holds(kit, condition),
            Test::Bool { uniform, expected } => uniforms::is_bool(kit, uniform, expected),
            Test::Iterations { depth } => {
                let remaining = kit.vars.read(&mut kit.b, self.registers.remaining(depth));
                kit.b.icmp(IntCond::NE, remaining, Src::imm32(0))
            }
            Test::Below { selector, value } => {
                let variable = self.selector(selector)?;
                let selected = kit.vars.read(&mut kit.b, variable);
                kit.b.icmp(IntCond::ULT, selected, Src::imm32(value))
            }
            Test::AddressBelow(limit) => self.stacks()?.is_below(kit, limit),
        })
    }

    /// Executes the instruction at an address if it does not transfer control.
    fn execute(&mut self, kit: &mut Kit<'_, '_>, address: u32) {
        let Some(inst) = self.program.inst(address) else { return };
        match inst.opcode {
            Opcode::Emit => self.emit(kit),
            Opcode::Setemit => {
                if let Some(geometry) = &self.geometry {
                    geometry.set_emission(kit, &inst);
                }
            }
            opcode if opcode.desc().format.has_descriptor() => self.compute(kit, &inst),
            _ => {}
        }
    }

    fn enter_loop(&self, kit: &mut Kit<'_, '_>, depth: usize, int: usize) {
        let counter = self.registers.counter();
        let around = kit.vars.read(&mut kit.b, counter);
        let around = kit.b.and(around, Src::imm32(0xff));
        kit.vars.write(&kit.b, self.registers.around(depth), around);
        let count = uniforms::int(kit, int, 0);
        kit.vars.write(&kit.b, self.registers.remaining(depth), count);
        let first = uniforms::int(kit, int, 1);
        kit.vars.write(&kit.b, counter, first);
    }

    fn copy(kit: &mut Kit<'_, '_>, from: Variable, to: Variable) {
        let value = kit.vars.read(&mut kit.b, from);
        kit.vars.write(&kit.b, to, value);
    }

    fn op(&mut self, kit: &mut Kit<'_, '_>, op: Op) -> Result<(), CompileError> {
        let counter = self.registers.counter();
        match op {
            Op::Inst(address) => {
                self.locate(kit, address);
                self.execute(kit, address);
            }
            Op::At(address) => self.locate(kit, address),
            Op::EnterLoop { depth, int } => self.enter_loop(kit, depth, int),
            Op::ForgetLoop => {
                for (outer, depth) in (1..LOOPS).enumerate() {
                    let (remaining, around) = (self.registers.remaining(depth), self.registers.around(depth));
                    Self::copy(kit, remaining, self.registers.remaining(outer));
                    Self::copy(kit, around, self.registers.around(outer));
                }
            }
            Op::StepLoop { int } => {
                let step = uniforms::int(kit, int, 2);
                let value = kit.vars.read(&mut kit.b, counter);
                let value = kit.b.iadd(value, step);
                kit.vars.write(&kit.b, counter, value);
            }
            Op::Repeat { depth } => {
                let variable = self.registers.remaining(depth);
                let value = kit.vars.read(&mut kit.b, variable);
                let value = kit.b.isub(value, Src::imm32(1));
                kit.vars.write(&kit.b, variable, value);
            }
            Op::Restore { depth } => Self::copy(kit, self.registers.around(depth), counter),
            Op::Select { selector, value } => {
                let variable = self.selector(selector)?;
                kit.vars.write(&kit.b, variable, Src::imm32(value));
            }
            Op::Control(address) => {
                self.locate(kit, address);
                let Some(inst) = self.program.inst(address) else { return Ok(()) };
                let acts = match test(&inst) {
                    Some(test) => self.holds(kit, test)?,
                    None => Src::imm(1, 1),
                };
                self.stacks()?.control(kit, (&inst, address), acts, counter);
            }
            Op::Fall(address) => self.stacks()?.fall(kit, address),
            Op::Pop => self.stacks()?.pop(kit, counter),
        }
        Ok(())
    }
}

impl<'f, 'a> Body<'f, 'a> for Translation<'_> {
    fn block(&mut self, kit: &mut Kit<'f, 'a>, node: Node) -> Result<(), CompileError> {
        let flow = self.flow;
        let Some(block) = flow.blocks.row(node) else { return Ok(()) };
        block.ops.iter().try_for_each(|op| self.op(kit, *op))
    }

    fn condition(&mut self, kit: &mut Kit<'f, 'a>, node: Node) -> Result<Src, CompileError> {
        match self.flow.blocks.row(node).map(|block| block.exit) {
            Some(Exit::Branch(test, ..)) => self.holds(kit, test),
            _ => Err(CompileError::internal("a condition on a node that does not branch")),
        }
    }
}
