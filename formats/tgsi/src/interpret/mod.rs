//! Runs shaders, as the document says what opcodes do.
//!
//! A group of invocations runs together: the four fragments of a quad or several quads, a batch of vertices, a workgroup.
//! Each has its own position in the program; of those that are not done, the ones deepest in calls and of these the ones
//! furthest behind take the next step, so that invocations meet again after conditionals and loops. Differences between
//! fragments, votes and barriers see the registers of all.
//!
//! Where the first edition of the document and later ones differ, the later ones hold, because the released drivers and
//! the dumps follow them: SHL takes a count for each component, DSEQ and DSLT give ~0 or 0 in one component, DFRACEXP and
//! DLDEXP have integer exponents, TXB takes its bias from w, NRM and NRM4 divide by the length.

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

/// Greatest number of registers of all invocations together.
const MAX_REGISTERS: usize = 1 << 22;

/// What is outside of a program: what it reads and writes. Invocations are counted from 0 in their group.
pub trait World {
    /// A constant of a constant buffer; zeros where there is none.
    fn constant(&self, buffer: u32, register: i64) -> Vector;

    /// An input register.
    fn input(&self, invocation: usize, register: u32) -> Vector;

    /// A system value register.
    fn system(&self, invocation: usize, register: u32) -> Vector;

    /// An input register, interpolated at another place than its declaration says.
    fn interpolate(&self, invocation: usize, register: u32, at: At) -> Vector;

    /// A texture operation.
    fn texture(&mut self, invocation: usize, lookup: &Lookup) -> Vector;

    /// What a resource has at an address: four words of a buffer or memory, or a texel.
    fn load(&mut self, invocation: usize, at: Address) -> Vector;

    /// Writes the components of `mask` to a resource.
    fn store(&mut self, invocation: usize, at: Address, mask: u8, value: Vector);

    /// Writes a word to a resource, computed by `update` from the word there, which is returned.
    fn atomic(&mut self, invocation: usize, at: Address, update: &dyn Fn(u32) -> u32) -> u32;

    /// Size of a resource: bytes in x for a buffer; width, height, depth or layers, and samples for an image.
    fn size(&mut self, resource: Resource) -> Vector;

    /// The colour that a target has where a fragment is.
    fn framebuffer(&self, invocation: usize, output: u32) -> Vector;
}

/// Another place to interpolate an input at.
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

/// What a texture operation asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// A filtered sample.
    Sample,
    /// A texel; coordinates are integers.
    Fetch,
    /// A component of the four texels of a bilinear lookup.
    Gather(u8),
    /// The level of detail, clamped and not clamped.
    LevelOfDetail,
    /// The size of a level.
    Size,
    /// The number of samples.
    Samples,
}

/// Which level of detail a lookup uses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Level {
    /// The one that follows from these derivatives of the coordinates, plus a bias.
    Derivatives {
        /// By column.
        x: [f32; 3],
        /// By row.
        y: [f32; 3],
        /// Added to it.
        bias: f32,
    },
    /// This one.
    Explicit(f32),
    /// This level or sample, for operations whose coordinates are integers.
    Number(u32),
}

/// A texture operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lookup {
    /// What it asks for.
    pub operation: Operation,
    /// The kind of texture.
    pub target: Target,
    /// Number of the sampler view.
    pub view: u32,
    /// Number of the sampler.
    pub sampler: u32,
    /// Coordinates: floats, or integers for [`Operation::Fetch`]; an array's layer follows the others.
    pub coordinates: Vector,
    /// What a shadow lookup compares with.
    pub reference: Option<f32>,
    /// The level of detail.
    pub level: Level,
    /// Added to the coordinates, in texels.
    pub offset: [i32; 3],
}

/// Why a run ended early.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RunError {
    /// The shader breaks a rule.
    #[error(transparent)]
    Invalid(#[from] ValidateError),
    /// The kind of program needs vertices of primitives.
    #[error("{0} programs are not run")]
    Stage(&'static str),
    /// More steps than allowed.
    #[error("more than {0} steps")]
    Steps(u64),
    /// More registers than allowed.
    #[error("more registers than {MAX_REGISTERS} in all")]
    Registers,
}

/// What an invocation leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Output registers.
    pub outputs: Vec<Vector>,
    /// Whether the fragment was discarded.
    pub is_discarded: bool,
}

/// Replaces the results of float arithmetic: by opcode, an operand and the exact result rounded once. Products inside an
/// operation are results of their own, except those of DP2, DP3, DP4, DP2A and DPH: of these the sum is asked about once, with
/// its largest term as the operand. Operations marked precise are not asked about.
pub type Rounding<'r> = dyn FnMut(Opcode, f32, f32) -> f32 + 'r;

/// The invocations of a run.
pub struct Group<'g> {
    /// How many there are.
    pub count: usize,
    /// Those that have no effect outside.
    pub is_helper: &'g dyn Fn(usize) -> bool,
    /// Greatest number of steps.
    pub steps: u64,
}

/// Runs a shader with `count` invocations, of which those that `is_helper` names have no effect outside, and at most
/// `steps` steps.
///
/// # Errors
///
/// A shader that breaks a rule, or asks for too many steps or registers.
pub fn run(
    shader: &Shader,
    count: usize,
    is_helper: &dyn Fn(usize) -> bool,
    world: &mut dyn World,
    steps: u64,
) -> Result<Vec<Outcome>, RunError> {
    run_rounded(shader, &Group { count, is_helper, steps }, world, &mut |_, _, result| result)
}

/// Runs a shader whose float results are `rounding`'s, for tests that ask how far outputs depend on rounding.
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
    /// The next instruction; none when it is done.
    next: Option<usize>,
    /// Where calls return to.
    calls: Vec<usize>,
    temporaries: [Vec<Vector>; 3],
    outputs: Vec<Vector>,
    addresses: Vec<Vector>,
    predicates: Vec<Vector>,
    stack: Vec<u32>,
    /// It has no effect outside, because it is outside of the primitive or was discarded.
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
    /// Steps so far.
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

    /// The invocations that take the next step, and where they are.
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

    /// Makes fragments helpers.
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
