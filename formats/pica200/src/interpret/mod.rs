//! Executes programs, one vertex or primitive at a time; an oracle for compilers.
//!
//! Control flow follows 3dbrew's description of the hardware. There are three stacks, four deep for calls and
//! loops and eight for ifs, and each is compared with the address of the next instruction after every
//! instruction. A push onto a full stack loses the oldest entry. The call stack may pop up to four entries at
//! once, the fourth without a return; an if and a loop pop one each. The order of precedence is loop, if,
//! call, jump.

mod alu;
mod flow;

use thiserror::Error;

use crate::opcode::{Field, Opcode};
use crate::program::{Program, Stage};
use crate::register::{
    Address, BOOL_UNIFORMS, Dest, FLOAT_UNIFORMS, INT_UNIFORMS, Source, VECTOR_REGISTERS, relative_uniform,
};
use crate::{Inst, f24};
use flow::Stacks;

/// A vector register.
pub type Vector = [f32; 4];

/// Number format of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// Whether 0 · ∞ is 0, as in the hardware, and not NaN.
    pub exact: bool,
    /// Whether results are rounded to 24-bit floats.
    pub round24: bool,
}

impl Default for Numbers {
    fn default() -> Self {
        Numbers { exact: true, round24: false }
    }
}

/// Values of the uniforms.
#[derive(Clone, PartialEq, Debug)]
pub struct Uniforms {
    /// c0 to c95.
    pub float: [Vector; FLOAT_UNIFORMS],
    /// i0 to i3: x is the number of iterations minus one, y the first value of aL, z the step.
    pub int: [[u8; 4]; INT_UNIFORMS],
    /// b0 to b15.
    pub bool: [bool; BOOL_UNIFORMS],
}

impl Default for Uniforms {
    fn default() -> Self {
        Uniforms {
            float: [[0.0; 4]; FLOAT_UNIFORMS],
            int: [[0; 4]; INT_UNIFORMS],
            bool: [false; BOOL_UNIFORMS],
        }
    }
}

impl Uniforms {
    /// Sets the constants of a shader.
    pub fn apply(&mut self, constants: &[crate::program::Constant]) {
        use crate::program::Constant;
        for constant in constants {
            match *constant {
                Constant::Bool { register, value } => {
                    if let Some(slot) = self.bool.get_mut(usize::from(register)) {
                        *slot = value;
                    }
                }
                Constant::Int { register, value } => {
                    if let Some(slot) = self.int.get_mut(usize::from(register)) {
                        *slot = value;
                    }
                }
                Constant::Float { register, value } => {
                    if let Some(slot) = self.float.get_mut(usize::from(register)) {
                        *slot = value.map(f24::to_f32);
                    }
                }
            }
        }
    }
}

/// A completed primitive of a geometry program: the vertex buffer at that time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Primitive {
    /// Outputs o0 to o15 of the three vertices.
    pub vertices: [[Vector; VECTOR_REGISTERS]; 3],
    /// Whether the winding is inverted.
    pub inverted: bool,
}

/// Final state of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// o0 to o15, in a geometry program those of the current bank; unwritten outputs are 0.
    pub outputs: [Vector; VECTOR_REGISTERS],
    /// r0 to r15.
    pub temporaries: [Vector; VECTOR_REGISTERS],
    /// a0.x, a0.y and aL.
    pub address: [i32; 3],
    /// cmp.x and cmp.y.
    pub codes: [bool; 2],
    /// Completed primitives of a geometry program.
    pub primitives: Vec<Primitive>,
    /// Number of instructions executed.
    pub steps: usize,
}

/// An error of a run.
#[derive(Clone, PartialEq, Eq, Error, Debug)]
pub enum RunError {
    /// The instruction limit is reached.
    #[error("the program did not end within {limit} instructions; the next address is {address}")]
    Steps {
        /// The limit.
        limit: usize,
        /// The next instruction.
        address: u32,
    },
    /// An unknown opcode.
    #[error("the word {word:#010x} at address {address} has no known opcode")]
    Opcode {
        /// The word.
        word: u32,
        /// Its address.
        address: u32,
    },
}

/// Parameters of a run.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The program.
    pub program: &'a Program,
    /// The stage: only geometry programs emit.
    pub stage: Stage,
    /// The first instruction.
    pub entry: u32,
    /// Values of the uniforms.
    pub uniforms: &'a Uniforms,
    /// v0 to v15.
    pub inputs: [Vector; VECTOR_REGISTERS],
    /// How numbers behave.
    pub numbers: Numbers,
    /// Maximum number of executed instructions.
    pub limit: usize,
}

impl Run<'_> {
    /// Executes the program from its entry to its end.
    ///
    /// # Errors
    /// [`RunError`] if the program does not end within the limit or has an unknown opcode.
    pub fn execute(&self) -> Result<Outcome, RunError> {
        let mut machine = Machine {
            run: self,
            state: Outcome {
                outputs: [[0.0; 4]; VECTOR_REGISTERS],
                temporaries: [[0.0; 4]; VECTOR_REGISTERS],
                address: [0; 3],
                codes: [false; 2],
                primitives: Vec::new(),
                steps: 0,
            },
            stacks: Stacks::default(),
            other_outputs: [[0.0; 4]; VECTOR_REGISTERS],
            vertices: [[[0.0; 4]; VECTOR_REGISTERS]; 3],
            emission: Inst::new(Opcode::Setemit),
        };
        let mut address = self.entry;
        while let Some(word) = self.program.code.get(address as usize) {
            if machine.state.steps == self.limit {
                return Err(RunError::Steps { limit: self.limit, address });
            }
            machine.state.steps += 1;
            let inst = Inst::decode(*word).ok_or(RunError::Opcode { word: *word, address })?;
            if inst.opcode == Opcode::End {
                break;
            }
            address = machine.step(&inst, address);
        }
        Ok(machine.state)
    }
}

/// State of a run.
struct Machine<'a> {
    run: &'a Run<'a>,
    state: Outcome,
    stacks: Stacks,
    /// The bank of outputs that instructions do not write at present.
    other_outputs: [Vector; VECTOR_REGISTERS],
    /// The vertex buffer.
    vertices: [[Vector; VECTOR_REGISTERS]; 3],
    /// The last `setemit`.
    emission: Inst,
}

impl Machine<'_> {
    /// The value of a source register, before selector and sign.
    fn register(&self, inst: &Inst, number: usize) -> Vector {
        let at = |registers: &[Vector], index: u8| registers.get(usize::from(index)).copied();
        let found = match inst.source(number) {
            Some(Source::Input(index)) => at(&self.run.inputs, index),
            Some(Source::Temporary(index)) => at(&self.state.temporaries, index),
            Some(Source::Uniform(index)) => {
                let index = match inst.address(number) {
                    None => Some(index),
                    Some(address) => relative_uniform(index, self.state.address[address as usize]),
                };
                index.map_or(Some([1.0; 4]), |index| at(&self.run.uniforms.float, index))
            }
            None => None,
        };
        found.unwrap_or([0.0; 4])
    }

    /// The value of a source after selector and sign.
    fn source(&self, inst: &Inst, number: usize) -> Vector {
        let register = self.register(inst, number);
        let descriptor = self.run.program.descriptor(inst);
        let selected = descriptor.selector(number).map(|index| register[usize::from(index & 3)]);
        if descriptor.negates(number) { selected.map(|value| -value) } else { selected }
    }

    /// Executes an arithmetic instruction.
    fn compute(&mut self, inst: &Inst) {
        let sources = [1, 2, 3].map(|number| self.source(inst, number));
        let descriptor = self.run.program.descriptor(inst);
        match inst.opcode {
            Opcode::Cmp => {
                for (index, compare) in inst.comparisons().into_iter().enumerate() {
                    self.state.codes[index] = alu::compare(compare, sources[0][index], sources[1][index]);
                }
            }
            Opcode::Mova => {
                for index in (0..2).filter(|index| descriptor.writes(*index)) {
                    self.state.address[index] = sources[0][index] as i32;
                }
            }
            _ => {
                let result = alu::compute(inst.opcode.effective(), sources, self.run.numbers);
                let target = match inst.dest() {
                    Some(Dest::Output(index)) => self.state.outputs.get_mut(usize::from(index)),
                    Some(Dest::Temporary(index)) => self.state.temporaries.get_mut(usize::from(index)),
                    None => None,
                };
                let Some(target) = target else { return };
                for index in (0..4).filter(|index| descriptor.writes(*index)) {
                    target[index] = result[index];
                }
            }
        }
    }

    /// Stores the outputs as a vertex; completes a primitive if the last `setemit` says so. The outputs have
    /// two banks, which `emit` switches.
    fn emit(&mut self) {
        let place = usize::from(self.emission.get(Field::Vertex));
        if let Some(vertex) = self.vertices.get_mut(place) {
            *vertex = self.state.outputs;
        }
        if self.emission.get(Field::Primitive) != 0 {
            let inverted = self.emission.get(Field::Winding) != 0;
            self.state.primitives.push(Primitive { vertices: self.vertices, inverted });
        }
        std::mem::swap(&mut self.state.outputs, &mut self.other_outputs);
    }

    /// Whether the condition of an instruction holds.
    fn holds(&self, inst: &Inst) -> bool {
        match inst.opcode {
            Opcode::Callc | Opcode::Ifc | Opcode::Jmpc | Opcode::Breakc => {
                inst.condition().holds(self.state.codes[0], self.state.codes[1])
            }
            Opcode::Callu | Opcode::Ifu | Opcode::Jmpu => {
                self.run.uniforms.bool[inst.bool_uniform() & 0xf] == inst.expected_bool()
            }
            _ => true,
        }
    }

    /// Executes an instruction; returns the next address.
    fn step(&mut self, inst: &Inst, address: u32) -> u32 {
        let mut next = address + 1;
        let mut breaks = false;
        let holds = self.holds(inst);
        match inst.opcode {
            Opcode::Nop | Opcode::End => {}
            Opcode::Setemit => self.emission = *inst,
            Opcode::Emit if self.run.stage == Stage::Geometry => self.emit(),
            Opcode::Emit => {}
            Opcode::Break | Opcode::Breakc => breaks = holds,
            Opcode::Jmpc | Opcode::Jmpu => {
                if holds {
                    next = inst.target();
                }
            }
            Opcode::Call | Opcode::Callc | Opcode::Callu => {
                if holds {
                    next = inst.target();
                    self.stacks.call(inst.range_end(), address + 1);
                }
            }
            Opcode::Ifu | Opcode::Ifc => {
                if holds {
                    self.stacks.branch(inst.target(), inst.range_end());
                } else {
                    next = inst.target();
                }
            }
            Opcode::Loop => {
                let [count, first, step, _] = self.run.uniforms.int[inst.int_uniform() & 3];
                let counter = &mut self.state.address[Address::Loop as usize];
                self.stacks.enter_loop(flow::Loop {
                    body: address + 1,
                    end: inst.target() + 1,
                    remaining: count,
                    step,
                    outer: i32::from(*counter as u8),
                });
                *counter = i32::from(first);
            }
            _ => self.compute(inst),
        }
        let counter = &mut self.state.address[Address::Loop as usize];
        self.stacks.next(address + 1, next, breaks, counter)
    }
}
