//! Runs shaders as the document specifies.
//!
//! A group of invocations runs together: the four fragments of a quad or several quads, a batch of vertices,
//! a workgroup. Each has its own position in the program. Of the unfinished invocations, those with the
//! deepest calls execute first, and among these those at the lowest position, so that invocations reconverge
//! after conditionals and loops. Differences between fragments, votes and barriers use the registers of all.
//!
//! Where the first edition of the document and later ones differ, the interpreter follows the later ones, as
//! do the released drivers and the dumps: SHL has a count for each component, DSEQ and DSLT return ~0 or 0 in
//! one component, DFRACEXP and DLDEXP have integer exponents, TXB has its bias in w, and NRM and NRM4 divide
//! by the length.

mod alu;
mod empty;
mod flow;
mod memory;
mod operands;
mod texture;
mod wide;

pub use empty::Empty;

use crate::error::ValidateError;
use crate::flow::Flow;
use crate::model::Shader;
use crate::names::{File, Processor, Target};
use crate::opcode::Opcode;
use crate::validate::validate;

/// A register's bits.
pub type Vector = [u32; 4];

/// Number of invocations of a subgroup.
pub const SUBGROUP: usize = 32;

/// Maximum number of registers of all invocations together.
const MAX_REGISTERS: usize = 1 << 22;

/// The environment of a program: its inputs, resources and outputs. Invocations are numbered from 0 in their
/// group.
pub trait World {
    /// A constant of a constant buffer; zeros if it does not exist.
    fn constant(&self, buffer: u32, register: i64) -> Vector;

    /// An input register.
    fn input(&self, invocation: usize, register: u32) -> Vector;

    /// A system value register.
    fn system(&self, invocation: usize, register: u32) -> Vector;

    /// An input register, interpolated at another place than in its declaration.
    fn interpolate(&self, invocation: usize, register: u32, at: At) -> Vector;

    /// Executes a texture operation.
    fn texture(&mut self, invocation: usize, lookup: &Lookup) -> Vector;

    /// Loads from a resource: four words of a buffer or memory, or a texel.
    fn load(&mut self, invocation: usize, at: Address) -> Vector;

    /// Writes the components of `mask` to a resource.
    fn store(&mut self, invocation: usize, at: Address, mask: u8, value: Vector);

    /// Replaces a word of a resource by the result of `update`; returns the old word.
    fn atomic(&mut self, invocation: usize, at: Address, update: &dyn Fn(u32) -> u32) -> u32;

    /// Size of a resource: bytes in x for a buffer; width, height, depth or layers, and samples for an image.
    fn size(&mut self, resource: Resource) -> Vector;

    /// The colour of a target at the fragment's position.
    fn framebuffer(&self, invocation: usize, output: u32) -> Vector;
}

/// A place at which an input is interpolated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum At {
    /// The centroid of the covered samples.
    Centroid,
    /// A sample.
    Sample(u32),
    /// An offset from the centre in pixels.
    Offset(f32, f32),
}

/// A buffer, image or memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resource {
    /// Its file.
    pub file: File,
    /// First number of a two-dimensional file, otherwise 0.
    pub buffer: u32,
    /// Its number.
    pub number: u32,
}

/// A place in a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    /// The resource.
    pub resource: Resource,
    /// Bytes in x for a buffer, memory or counter; coordinates of an image, with its layer after them.
    pub at: [u32; 4],
}

/// Kind of a texture operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// A filtered sample.
    Sample,
    /// A texel; coordinates are integers.
    Fetch,
    /// One component of the four texels of a bilinear lookup.
    Gather(u8),
    /// The level of detail, clamped and unclamped.
    LevelOfDetail,
    /// The size of a level.
    Size,
    /// The number of samples.
    Samples,
}

/// The level of detail of a lookup.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Level {
    /// Computed from these derivatives of the coordinates, plus a bias.
    Derivatives {
        /// By column.
        x: [f32; 3],
        /// By row.
        y: [f32; 3],
        /// Bias.
        bias: f32,
    },
    /// An explicit level of detail.
    Explicit(f32),
    /// An explicit level or sample, for operations with integer coordinates.
    Number(u32),
}

/// A texture operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lookup {
    /// Its kind.
    pub operation: Operation,
    /// The kind of texture.
    pub target: Target,
    /// Number of the sampler view.
    pub view: u32,
    /// Number of the sampler.
    pub sampler: u32,
    /// Coordinates: floats, or integers for [`Operation::Fetch`]; an array's layer follows the others.
    pub coordinates: Vector,
    /// The reference value of a shadow lookup.
    pub reference: Option<f32>,
    /// The level of detail.
    pub level: Level,
    /// Added to the coordinates, in texels.
    pub offset: [i32; 3],
}

/// An error of a run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RunError {
    /// The shader is invalid.
    #[error(transparent)]
    Invalid(#[from] ValidateError),
    /// The kind of program needs vertices of primitives.
    #[error("{0} programs are not supported")]
    Stage(&'static str),
    /// More steps than allowed.
    #[error("more than {0} steps")]
    Steps(u64),
    /// More registers than allowed.
    #[error("more registers than {MAX_REGISTERS} in all")]
    Registers,
}

/// Final state of an invocation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Output registers.
    pub outputs: Vec<Vector>,
    /// Whether the fragment was discarded.
    pub is_discarded: bool,
}

/// Replaces the results of float arithmetic: takes the opcode, an operand and the exact result rounded once.
/// Products inside an operation are separate results, except those of DP2, DP3, DP4, DP2A and DPH: there,
/// only the sum is replaced, with its largest term as the operand. Results of precise operations are not
/// replaced.
pub type Rounding<'r> = dyn FnMut(Opcode, f32, f32) -> f32 + 'r;

/// Parameters of a group of invocations.
pub struct Group<'g> {
    /// Number of invocations.
    pub count: usize,
    /// Whether an invocation is a helper, without effects on the world.
    pub is_helper: &'g dyn Fn(usize) -> bool,
    /// Maximum number of steps.
    pub steps: u64,
}

/// Runs a shader with `count` invocations and at most `steps` steps. Invocations for which `is_helper` is
/// true do not affect the world.
///
/// # Errors
///
/// An invalid shader, or one that needs too many steps or registers.
pub fn run(
    shader: &Shader,
    count: usize,
    is_helper: &dyn Fn(usize) -> bool,
    world: &mut dyn World,
    steps: u64,
) -> Result<Vec<Outcome>, RunError> {
    run_rounded(shader, &Group { count, is_helper, steps }, world, &mut |_, _, result| result)
}

/// Runs a shader with float results replaced by `rounding`, for tests that measure how outputs depend on
/// rounding.
///
/// # Errors
///
/// Those of [`run`].
pub fn run_rounded(
    shader: &Shader,
    group: &Group<'_>,
    world: &mut dyn World,
    rounding: &mut Rounding<'_>,
) -> Result<Vec<Outcome>, RunError> {
    let Group { count, is_helper, steps } = *group;
    let flow = validate(shader)?;
    if !matches!(shader.processor, Processor::Vertex | Processor::Fragment | Processor::Compute) {
        return Err(RunError::Stage(shader.processor.name()));
    }
    let registers = [File::Temporary, File::TemporaryArray, File::HalfTemporary, File::Output, File::Address];
    let each: usize = registers.map(|file| shader.size_of(file) as usize).iter().sum();
    if each.saturating_mul(count) > MAX_REGISTERS {
        return Err(RunError::Registers);
    }
    let lanes = (0..count).map(|lane| Lane::new(shader, is_helper(lane))).collect();
    let zero_wins = shader.zero_wins();
    let mut machine = Machine { shader, flow, lanes, world, time: 0, zero_wins, rounding };
    machine.run(steps)?;
    let outcome = |lane: Lane| Outcome { outputs: lane.outputs, is_discarded: lane.is_discarded };
    Ok(machine.lanes.into_iter().map(outcome).collect())
}

/// An invocation.
struct Lane {
    /// The next instruction; `None` at the end.
    next: Option<usize>,
    /// Return addresses.
    calls: Vec<usize>,
    temporaries: [Vec<Vector>; 3],
    outputs: Vec<Vector>,
    addresses: Vec<Vector>,
    predicates: Vec<Vector>,
    stack: Vec<u32>,
    /// It is outside of the primitive or discarded, so it does not affect the world.
    is_helper: bool,
    is_discarded: bool,
}

impl Lane {
    fn new(shader: &Shader, is_helper: bool) -> Lane {
        let file = |file| vec![[0; 4]; shader.size_of(file) as usize];
        Lane {
            next: Some(0),
            calls: Vec::new(),
            temporaries: [file(File::Temporary), file(File::HalfTemporary), file(File::TemporaryArray)],
            outputs: file(File::Output),
            addresses: file(File::Address),
            predicates: file(File::Predicate),
            stack: Vec::new(),
            is_helper,
            is_discarded: false,
        }
    }
}

/// A group of invocations.
struct Machine<'a, 'r> {
    shader: &'a Shader,
    flow: Flow,
    lanes: Vec<Lane>,
    world: &'a mut dyn World,
    /// Number of steps.
    time: u64,
    zero_wins: bool,
    rounding: &'a mut Rounding<'r>,
}

impl Machine<'_, '_> {
    fn run(&mut self, limit: u64) -> Result<(), RunError> {
        while let Some((at, active)) = self.furthest_behind() {
            self.time += 1;
            if self.time > limit {
                return Err(RunError::Steps(limit));
            }
            self.step(at, &active);
        }
        Ok(())
    }

    /// The invocations that execute next, and their position.
    fn furthest_behind(&self) -> Option<(usize, Vec<usize>)> {
        let key = |lane: &Lane| lane.next.map(|next| (usize::MAX - lane.calls.len(), next));
        let first = self.lanes.iter().filter_map(key).min()?;
        let active = (0..self.lanes.len()).filter(|lane| key(&self.lanes[*lane]) == Some(first)).collect();
        Some((first.1, active))
    }

    fn step(&mut self, at: usize, active: &[usize]) {
        let shader = self.shader;
        let Some(instruction) = shader.instructions.get(at) else {
            active.iter().for_each(|lane| self.lanes[*lane].next = None);
            return;
        };
        for lane in active {
            self.lanes[*lane].next = Some(at + 1);
        }
        use crate::opcode::Class::*;
        match instruction.opcode.info().class {
            Component | Scalar | Vector => self.compute(instruction, active),
            Pair | PairCount | PairFlag | Widen | Narrow | Split => self.compute_wide(instruction, active),
            Address => self.address(instruction, active),
            Texture | View => self.texture(instruction, active),
            Load | Store | Atomic | Query | Handle => self.access(instruction, active),
            Derivative => self.derivative(instruction, active),
            Interpolate | Framebuffer => self.interpolate(instruction, active),
            Lanes => self.exchange(instruction, active),
            Discard => self.discard(instruction, active),
            Flow => self.control(at, instruction, active),
            Barrier | Geometry | Nothing => {}
        }
    }

    /// Turns fragments into helpers.
    fn discard(&mut self, instruction: &crate::model::Instruction, active: &[usize]) {
        for lane in active {
            let is_hit = match instruction.opcode {
                Opcode::Kil | Opcode::KillIf => {
                    self.fetch(*lane, instruction, 0).iter().any(|word| f32::from_bits(*word) < 0.0)
                }
                _ => true,
            };
            if is_hit {
                self.lanes[*lane].is_helper = true;
                self.lanes[*lane].is_discarded = true;
            }
        }
    }
}
