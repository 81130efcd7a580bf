//! The interpreter: runs a shader for four lanes, one instruction after the other, as the document specifies.
//!
//! The four lanes of a fragment program are a quad: lane 0 top left, 1 top right, 2 bottom left, 3 bottom
//! right. Those of a vertex program are four independent vertices.
//!
//! Denormal operands and results of arithmetic are flushed to zero of their sign, as in Direct3D 10. A
//! discarded fragment continues, because its neighbours need it for derivatives, but its outputs are ignored.
//! Derivatives and texture coordinates use the registers of all four lanes, active or not.

mod lanes;

use lanes::Lanes;

use crate::opcode::{Axis, Opcode, Semantics};
use crate::shader::{Instruction, Shader, TextureUse};

/// A register.
pub type Vector = [f32; 4];

/// Textures that a shader samples.
pub trait Textures {
    /// The texels at the coordinates of the four lanes.
    fn sample(&self, texture: &TextureUse, coordinates: &[Vector; 4]) -> [Vector; 4];
}

/// A world without textures: every texel is zero.
pub struct NoTextures;

impl Textures for NoTextures {
    fn sample(&self, _: &TextureUse, _: &[Vector; 4]) -> [Vector; 4] {
        [[0.0; 4]; 4]
    }
}

/// Inputs of a lane besides the constants.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Inputs {
    /// Attributes of a vertex.
    pub attributes: [Vector; 16],
    /// Varyings of a fragment.
    pub varyings: [Vector; 16],
    /// Number of the instance, in all components.
    pub instance: f32,
}

/// Outputs of a lane.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Outputs {
    /// The position of a vertex, or the colours of a fragment.
    pub outputs: [Vector; 4],
    /// Varyings of a vertex.
    pub varyings: [Vector; 16],
    /// Depth of a fragment, if the program writes it.
    pub depth: f32,
    /// The fragment is discarded.
    pub killed: bool,
}

/// Replaces results of arithmetic, including those within an instruction: takes opcode, first operand and
/// result.
pub type Rounding<'r> = dyn FnMut(Opcode, f32, f32) -> f32 + 'r;

/// Runs a shader. Constants beyond the end of `constants` are zero.
pub fn run(
    shader: &Shader,
    constants: &[Vector],
    inputs: &[Inputs; 4],
    textures: &dyn Textures,
) -> [Outputs; 4] {
    run_rounded(shader, constants, inputs, textures, &mut |_, _, result| result)
}

/// Runs a shader with results replaced by `rounding`, for tests that measure how outputs depend on rounding.
pub fn run_rounded(
    shader: &Shader,
    constants: &[Vector],
    inputs: &[Inputs; 4],
    textures: &dyn Textures,
    rounding: &mut Rounding<'_>,
) -> [Outputs; 4] {
    let lanes = Lanes::new(shader, constants, inputs);
    let mut machine = Machine { lanes, textures, blocks: Vec::new(), rounding };
    for instruction in &shader.instructions {
        machine.step(instruction);
    }
    machine.lanes.outputs()
}

/// A mask of lanes, one bit each.
type Mask = u8;

const ALL: Mask = 15;

/// An open block.
#[derive(Clone, Copy)]
struct Block {
    /// Lanes that reached it.
    outer: Mask,
    /// Lanes for which its condition holds.
    taken: Mask,
}

struct Machine<'s, 'r> {
    lanes: Lanes<'s>,
    textures: &'s dyn Textures,
    blocks: Vec<Block>,
    rounding: &'s mut Rounding<'r>,
}

impl Machine<'_, '_> {
    fn step(&mut self, instruction: &Instruction) {
        let row = instruction.opcode.row();
        match row.semantics {
            Semantics::If(holds) => self.open(instruction, holds),
            Semantics::Else => {
                if let Some(block) = self.blocks.last().copied() {
                    self.lanes.active = block.outer & !block.taken;
                }
            }
            Semantics::EndIf => {
                if let Some(block) = self.blocks.pop() {
                    self.lanes.active = block.outer;
                }
            }
            Semantics::Kill => {
                let source = self.lanes.read(&instruction.sources[0]);
                self.lanes.kill(|lane| source[lane][0] < 0.0);
            }
            semantics => {
                let result = self.result(instruction, semantics);
                self.lanes.write(&instruction.write, &result);
            }
        }
    }

    fn open(&mut self, instruction: &Instruction, holds: fn(f32, f32) -> bool) {
        let [a, b] = instruction.sources.each_ref().map(|source| self.lanes.read(source));
        let lane_holds = |lane: usize| a[lane].iter().zip(&b[lane]).all(|(a, b)| holds(*a, *b));
        let taken = (0..4).filter(|lane| lane_holds(*lane)).fold(0, |mask, lane| mask | 1 << lane);
        let outer = self.lanes.active;
        self.blocks.push(Block { outer, taken });
        self.lanes.active = outer & taken;
    }

    /// The result of an instruction in each lane.
    fn result(&mut self, instruction: &Instruction, semantics: Semantics) -> [Vector; 4] {
        let [first, second] = &instruction.sources;
        let a = self.lanes.read(first);
        let b = match semantics {
            Semantics::Zip(_) | Semantics::Dot(_) | Semantics::Cross => self.lanes.read(second),
            _ => a,
        };
        let rounding = &mut *self.rounding;
        let mut round =
            |operand: f32, result: f32| flushed(rounding(instruction.opcode, operand, flushed(result)));
        match semantics {
            Semantics::Map(function) => a.map(|vector| vector.map(|x| round(x, function(x)))),
            Semantics::Zip(function) => {
                each(|lane| std::array::from_fn(|at| round(a[lane][at], function(a[lane][at], b[lane][at]))))
            }
            Semantics::Dot(count) => each(|lane| [dot(&a[lane], &b[lane], count, &mut round); 4]),
            Semantics::Cross => each(|lane| cross(&a[lane], &b[lane], &mut round)),
            Semantics::Normalize => each(|lane| normalized(&a[lane], &mut round)),
            Semantics::Matrix { rows, columns } => {
                let mut result = [[0.0; 4]; 4];
                for row in 0..rows {
                    let b = self.lanes.read(&second.row(row.into()));
                    for lane in 0..4 {
                        result[lane][usize::from(row)] = dot(&a[lane], &b[lane], columns, &mut round);
                    }
                }
                result
            }
            Semantics::Derivative(axis) => each(|lane| derivative(&a, lane, axis)),
            Semantics::Texture => {
                let texels = self.textures.sample(&instruction.texture, &a);
                // Divides by the largest coordinate.
                let farthest = a.map(|[x, y, z, _]| x.abs().max(y.abs()).max(z.abs()));
                each(|lane| texels[lane].map(|component| round(farthest[lane], component)))
            }
            Semantics::If(_) | Semantics::Else | Semantics::EndIf | Semantics::Kill => a,
        }
    }
}

fn each(lane: impl FnMut(usize) -> Vector) -> [Vector; 4] {
    std::array::from_fn(lane)
}

/// Flushes a denormal to zero.
fn flushed(number: f32) -> f32 {
    if number.is_subnormal() { 0.0f32.copysign(number) } else { number }
}

/// The sum of the first `count` products; each product and sum is rounded.
fn dot(a: &Vector, b: &Vector, count: u8, round: &mut impl FnMut(f32, f32) -> f32) -> f32 {
    let mut sum = None;
    for (a, b) in a.iter().zip(b).take(count.into()) {
        let product = round(*a, a * b);
        sum = Some(sum.map_or(product, |sum| round(*a, sum + product)));
    }
    sum.unwrap_or(0.0)
}

fn cross(a: &Vector, b: &Vector, round: &mut impl FnMut(f32, f32) -> f32) -> Vector {
    let mut minor = |i: usize, j: usize| {
        let [plus, minus] = [round(a[i], a[i] * b[j]), round(a[j], a[j] * b[i])];
        round(a[i], plus - minus)
    };
    [minor(1, 2), minor(2, 0), minor(0, 1), 0.0]
}

fn normalized(a: &Vector, round: &mut impl FnMut(f32, f32) -> f32) -> Vector {
    let length = libm::sqrtf(dot(a, a, 3, round));
    a.map(|component| round(component, component / length))
}

/// The difference to the neighbour in the same row or column of the quad.
fn derivative(values: &[Vector; 4], lane: usize, axis: Axis) -> Vector {
    let (from, to) = match axis {
        Axis::X => (lane & 2, lane | 1),
        Axis::Y => (lane & 1, lane | 2),
    };
    std::array::from_fn(|at| flushed(values[to][at] - values[from][at]))
}
