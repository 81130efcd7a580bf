//! Operations: hardware operations, described by the instruction table, and IR-only operations, described by
//! rows of the same shape.

use agx_isa::desc::{Effects, OrderClass, Results, Role};
use agx_isa::inst::MAX_OPERANDS;
use agx_isa::semantics::PureFn;
use agx_isa::table::{INSTS, Opcode};
use arrayvec::ArrayVec;
use bitflags::bitflags;
use std::ops::{Deref, DerefMut};

use super::semantics as sem;
use super::signature::{Signature, signature};
use super::types::Stage;

/// The operation of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Op {
    /// A hardware operation. Destinations, sources and modifiers are the operands of those roles in row order.
    Hw(Opcode),
    /// An operation that exists only in the IR.
    Ir(IrOp),
}

pub use super::signature::Count;

/// Description of an IR-only operation.
#[derive(Clone, Copy, Debug)]
pub struct IrDesc {
    /// Name in the text.
    pub name: &'static str,
    /// Its meaning.
    pub doc: &'static str,
    /// Destinations and sources with their types.
    pub signature: Signature,
    /// Names of the modifiers. `phi` and `jump` have blocks instead: see their descriptions.
    pub mods: &'static [&'static str],
    /// Effects other than the destinations.
    pub effects: Effects,
    /// The order chain it belongs to.
    pub order: OrderClass,
    /// Its semantics, if the sources alone determine the result.
    pub pure: Option<PureFn>,
    /// The last stage it may appear in.
    pub last: Stage,
    /// Approximate number of cycles that its lowered form takes.
    pub cycles: u8,
}

macro_rules! ir_ops {
    ($($variant:ident $name:literal $signature:literal [$($modifier:literal)*] $($effects:ident)|+ $order:ident $pure:expr, $last:ident $($cycles:literal cycles)? : $doc:literal;)*) => {
        /// An operation that exists only in the IR.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum IrOp {
            $(#[doc = $doc] $variant,)*
        }

        impl IrOp {
            /// Every IR-only operation.
            pub const ALL: &'static [IrOp] = &[$(IrOp::$variant),*];
        }

        static IR_OPS: &[IrDesc] = &[$(IrDesc {
            name: $name,
            doc: $doc,
            signature: signature!($signature),
            mods: &[$($modifier),*],
            effects: ir_ops!(@effects $($effects)|+),
            order: OrderClass::$order,
            pure: $pure,
            last: Stage::$last,
            cycles: ir_ops!(@cycles $($cycles)?),
        }),*];
    };
    (@cycles) => { 1 };
    (@cycles $cycles:literal) => { $cycles };
    (@effects PURE) => { Effects::empty() };
    (@effects $first:ident $(| $more:ident)*) => { Effects::$first$(.union(Effects::$more))* };
}

// name, "destinations <- sources" (see `Signature`), [modifiers], effects, order, semantics, last stage, cycles where not 1: meaning
#[rustfmt::skip]
ir_ops! {
    Phi "phi" "T <- T*" [] PURE None None, Machine 0 cycles:
        "Joins values at the head of a block. Source i comes from predecessor block `mods[i]`.";
    Collect "collect" "v <- parts:v*" [] PURE None None, Machine 0 cycles:
        "Concatenates sources, lowest first, into a vector or a wider scalar of the same total size.";
    Split "split" "parts:v* <- v" [] PURE None None, Machine 0 cycles:
        "Divides a vector or wide scalar into parts, lowest first; the parts' total size is that of the source.";
    Copy "copy" "v* <- v*" [] PURE None None, Allocated:
        "Parallel copy: every source is read before any destination is written.";
    Mov "mov" "T <- T" [] PURE None Some(sem::mov), Lowered 0 cycles:
        "The source.";
    Exact "exact" "T <- T" [] PURE None Some(sem::mov), Lowered 0 cycles:
        "The source, computed exactly as written, including zeros, infinities and rounding; it is not fused with its users.";
    Invariant "invariant" "T <- T" [] PURE None Some(sem::mov), Source 0 cycles:
        "The source, to the same bits in every shader that computes it by the same expressions.";
    Preload "preload" "v <-" ["reg"] PURE None None, Final:
        "A register that holds a value when the program starts; `reg` is its half index. Entry block only, first.";
    Keep "keep" "<- v*" [] STATE Control None, Machine:
        "Uses its sources without other effects: results of test kernels.";

    If "if" "<- cond:b" [] JUMP Control None, Lowered:
        "Ends the block before an if construct; the boolean source chooses the arm. Becomes `if_icmp` or `if_fcmp`.";
    Jump "jump" "<-" ["target"] JUMP Control None, Allocated:
        "Jumps to block `target`: the header of an enclosing loop (continue) or the block after an enclosing loop or scope (break).";
    Halt "halt" "<-" [] STOP Control None, Allocated:
        "Ends the invocation.";

    Icmp "icmp" "b <- I I" ["cond" "inv"] PURE None Some(sem::icmp), Lowered:
        "Boolean: integer comparison with the hardware's condition codes; `inv` gives the complement.";
    Fcmp "fcmp" "b <- F F" ["cond" "inv"] PURE None Some(sem::fcmp), Lowered:
        "Boolean: float comparison with the hardware's condition codes; `inv` gives the unordered complement.";
    Select "select" "T <- cond:b T T" [] PURE None Some(sem::select), Lowered:
        "The second source where the boolean first source is true, else the third.";
    Uconv "uconv" "i <- s" [] PURE None Some(sem::uconv), Lowered:
        "Zero-extends or truncates to the destination's width; from a boolean: 0 or 1.";
    Sconv "sconv" "i <- s" [] PURE None Some(sem::sconv), Lowered:
        "Sign-extends or truncates to the destination's width; from a boolean: 0 or -1.";
    Fconv "fconv" "f <- f" [] PURE None Some(sem::fconv), Lowered:
        "Float of the destination's width nearest to the source, ties to even.";

    Fneg "fneg" "F <- F" [] PURE None Some(sem::fneg), Lowered:
        "Flips the sign bit.";
    Fabs "fabs" "F <- F" [] PURE None Some(sem::fabs), Lowered:
        "Clears the sign bit.";
    Fsat "fsat" "F <- F" [] PURE None Some(sem::fsat), Lowered:
        "Clamps to 0…1; NaN gives 0.";
    Fmin "fmin" "F <- F F" [] PURE None Some(sem::fmin), Lowered:
        "The smaller float; if one is NaN, the other.";
    Fmax "fmax" "F <- F F" [] PURE None Some(sem::fmax), Lowered:
        "The larger float; if one is NaN, the other.";
    Fdiv "fdiv" "F <- F F" [] PURE None Some(sem::fdiv), Source 5 cycles:
        "Float division, within 2.5 units in the last place.";
    Fsqrt "fsqrt" "F <- F" [] PURE None Some(sem::fsqrt), Source 5 cycles:
        "Square root.";
    Fsin "fsin" "F <- F" [] PURE None Some(sem::fsin), Source 10 cycles:
        "Sine of an angle in radians.";
    Fcos "fcos" "F <- F" [] PURE None Some(sem::fcos), Source 10 cycles:
        "Cosine of an angle in radians.";

    Fadd64 "fadd64" "q <- q q" [] PURE None Some(sem::fadd64), Source:
        "Sum of 64-bit floats, correctly rounded, denormals preserved.";
    Fmul64 "fmul64" "q <- q q" [] PURE None Some(sem::fmul64), Source:
        "Product of 64-bit floats, correctly rounded, denormals preserved.";
    Ffma64 "ffma64" "q <- q q q" [] PURE None Some(sem::ffma64), Source:
        "Product of 64-bit floats plus a third, rounded once, denormals preserved.";
    Fround64 "fround64" "q <- q" ["round"] PURE None Some(sem::fround64), Source:
        "Rounds a 64-bit float to an integral value. `round`: 0 toward zero, 1 nearest with ties to even, 2 down, 3 up.";
    IntToFloat "int_to_float" "f <- i" ["signed"] PURE None Some(sem::int_to_float), Source:
        "Integer to float, ties to even, if either has 64 bits.";
    FloatToInt "float_to_int" "i <- f" ["signed"] PURE None Some(sem::float_to_int), Source:
        "Float to integer, toward zero, if either has 64 bits; undefined if out of range.";

    Imin "imin" "I <- I I" [] PURE None Some(sem::imin), Lowered:
        "The smaller signed integer.";
    Imax "imax" "I <- I I" [] PURE None Some(sem::imax), Lowered:
        "The larger signed integer.";
    Umin "umin" "I <- I I" [] PURE None Some(sem::umin), Lowered:
        "The smaller unsigned integer.";
    Umax "umax" "I <- I I" [] PURE None Some(sem::umax), Lowered:
        "The larger unsigned integer.";
    Udiv "udiv" "I <- I I" [] PURE None Some(sem::udiv), Source 24 cycles:
        "Unsigned quotient; undefined if the divisor is zero.";
    Umod "umod" "I <- I I" [] PURE None Some(sem::umod), Source 24 cycles:
        "Unsigned remainder; undefined if the divisor is zero.";
    Sdiv "sdiv" "I <- I I" [] PURE None Some(sem::sdiv), Source 24 cycles:
        "Signed quotient, rounded to zero; undefined on division by zero or overflow.";
    Srem "srem" "I <- I I" [] PURE None Some(sem::srem), Source 24 cycles:
        "Signed remainder with the sign of the dividend; undefined if the divisor is zero.";
    Smod "smod" "I <- I I" [] PURE None Some(sem::smod), Source 24 cycles:
        "Signed remainder with the sign of the divisor; undefined if the divisor is zero.";
    Umulh "umulh" "I <- I I" [] PURE None Some(sem::umulh), Source 4 cycles:
        "High half of the unsigned product.";
    Smulh "smulh" "I <- I I" [] PURE None Some(sem::smulh), Source 4 cycles:
        "High half of the signed product.";
    Imul "imul" "I <- I I" [] PURE None Some(sem::imul), Lowered:
        "Low half of the product.";
    Shl "shl" "I <- I amount:i" [] PURE None Some(sem::shl), Lowered:
        "Left shift by the low 7 bits of the second source; 0 if the amount is the width or more.";
    Ushr "ushr" "I <- I amount:i" [] PURE None Some(sem::ushr), Lowered:
        "Logical right shift by the low 7 bits of the second source; 0 if the amount is the width or more.";
    Sshr "sshr" "I <- I amount:i" [] PURE None Some(sem::sshr), Lowered:
        "Arithmetic right shift by the low 7 bits of the second source; the sign if the amount is the width or more.";

    StoreVarying "store_varying" "<- data:w slot:i" [] STATE Control None, Source:
        "Stores a word to an output slot of a vertex program.";
    StoreCull "store_cull" "<- distance:w slot:i" [] STATE Control None, Source:
        "Stores to an output slot of a vertex program whether a cull distance keeps the primitive: 0 if it is negative, else 1.";
    Interpolate "interpolate" "v <- at:s*" ["input" "mode" "place"] PURE None None, Source:
        "Components of a fragment input, consecutive from `input` on: 4 × location + component, or a built-in (`ir::vocabulary::Input`). `mode`: 0 flat, 1 linear, 2 perspective, 3 to 5 the value of the first, second or last vertex; `place`: 0 the pixel's centre, 1 a sample it covers where it does not cover the centre, 2 the sample whose number is the source, 3 the two sources to the right of and below the centre, in pixels.";
    Discard "discard" "<- cond:b" [] WRITES_COVERAGE Coverage None, Source:
        "If the source is true, kills the samples that the lane shades; the lane continues as a helper.";
    Retire "retire" "<- cond:b" [] STATE Control None, Source:
        "If the source is true, the program has ended the lane, which goes on as a helper: it leaves loops in which only such lanes are left.";
    KillSamples "kill_samples" "<- dead:i" [] WRITES_COVERAGE Coverage None, Source:
        "Kills the samples of the pixel that are in the mask `dead`.";
    WriteDepth "write_depth" "<- depth:w" [] STATE Control None, Source:
        "Sets the depth with which the lane's samples are tested. Only in the last block.";
    WriteStencil "write_stencil" "<- reference:i" [] STATE Control None, Source:
        "Sets the stencil reference of the lane's samples. Only in the last block.";
    Export "export" "<- v" ["reg"] STATE Control None, Final:
        "Passes the source to the next part of the program in the register with half index `reg`. At the end of the last block.";

    Ballot "ballot" "w <- b" [] CROSS_LANE None None, Lowered:
        "Bit i is set if lane i is active and its source is true.";
    Broadcast "broadcast" "T <- T lane:w" [] CROSS_LANE None None, Source:
        "The first source of lane `lane`, which must be active; `lane` must be equal in all active lanes.";
    ReadLane "read_lane" "T <- T lane:w" [] CROSS_LANE None None, Source:
        "The first source of lane `lane`, which may be divergent; undefined if that lane is inactive.";
    ReadLaneXor "read_lane_xor" "T <- T mask:w" [] CROSS_LANE None None, Source:
        "The first source of lane `self ^ mask`.";
    ReadLaneUp "read_lane_up" "T <- T delta:w" [] CROSS_LANE None None, Source:
        "The first source of lane `self - delta`.";
    ReadLaneDown "read_lane_down" "T <- T delta:w" [] CROSS_LANE None None, Source:
        "The first source of lane `self + delta`.";
    QuadBroadcast "quad_broadcast" "T <- T lane:w" [] CROSS_LANE None None, Source:
        "The first source of lane `lane`, 0 to 3, of the quad; `lane` must be equal in all active lanes of the quad.";
    Reduce "reduce" "T <- T" ["op" "cluster"] CROSS_LANE None None, Source:
        "Combines the sources of the active lanes in each cluster of `cluster` consecutive lanes, a power of two. `op` is the hardware's code of a reduction, or 32 for integer products.";
    Scan "scan" "T <- T" ["op" "inclusive"] CROSS_LANE None None, Source:
        "Combines the sources of the active lanes below this one, and with `inclusive` of this lane; `op` as in `reduce`.";

    LoadGlobal "load_global" "v <- base:q offset:w" ["access" "align"] READS_MEMORY Memory None, Source:
        "Vector from device memory at base (64 bits) + offset (32 bits, unsigned, bytes). `access`: see `Access`; `align`: bytes, a power of two.";
    StoreGlobal "store_global" "<- data:v base:q offset:w" ["access" "align"] WRITES_MEMORY | READS_COVERAGE Memory None, Source:
        "Stores the vector `data` to device memory at base + offset; operands and modifiers as in `load_global`.";
    AtomicGlobal "atomic_global" "old:w? <- base:q offset:w data:v" ["op"] WRITES_MEMORY | READS_COVERAGE Memory None, Source:
        "Atomic on a 32-bit word at base + offset; the old value is optional. `op` is the hardware's code. `data` is 32 bits wide; for `cmpxchg` a vector of two, the new value and the comparand.";
    LoadScratch "load_scratch" "v <- offset:w" [] READS_MEMORY Memory None, Source:
        "Vector from the lane's stack memory at a byte offset.";
    StoreScratch "store_scratch" "<- data:v offset:w" [] WRITES_MEMORY Memory None, Source:
        "Stores the vector `data` to the lane's stack memory at a byte offset.";
    LoadLocal "load_local" "v <- offset:w" ["align"] READS_MEMORY Memory None, Source:
        "Vector from threadgroup memory at a byte offset.";
    StoreLocal "store_local" "<- data:v offset:w" ["align"] WRITES_MEMORY Memory None, Source:
        "Stores the vector `data` to threadgroup memory at a byte offset.";
    AtomicLocal "atomic_local" "old:w? <- offset:w data:v" ["op"] WRITES_MEMORY Memory None, Source:
        "Atomic on a 32-bit word of threadgroup memory; otherwise as `atomic_global`.";
    Sample "sample" "v <- texture:i heap:q_ sampler:i coords:v layer:f_ last_layer:w_ lod:v_ min_lod:f_ reference:f_ offset:w_" ["dim" "lod_mode" "gather" "query" "sparse"] CROSS_LANE None None, Source:
        "Four components of a texture at float coordinates. `texture`: number of a state register; with `heap`, the address of a table, a byte offset into it. `layer` is rounded and clamped to `last_layer`. `lod_mode`: 0 from the quad's coordinates, 5 with `lod` as bias, 6 `lod` itself, 4 from the gradients `lod`: across, then down, of each coordinate. `min_lod` limits the level below. `reference` makes it a shadow lookup. `offset`: signed texel offsets of four bits each. `gather` takes a channel of four texels; `query` gives level and unclamped level. `sparse` adds a fifth component, which is 0 if all texels have memory.";
    LoadTexture "load_texture" "v <- texture:i heap:q_ sampler:i coords:v layer:w_ last_layer:w_ lod:w_ last_lod:w_ sample:w_" ["access" "dim" "sparse"] READS_MEMORY Memory None, Source:
        "Four components of a texel at integer coordinates; `texture` and `heap` as in `sample`. Outside the texture, `last_layer` or `last_lod` all are 0. `access`: see `Access`; with `image`, what shaders stored is seen. `sparse` as in `sample`.";
    StoreImage "store_image" "<- data:v texture:i heap:q_ coords:v layer:w_" ["dim"] WRITES_MEMORY | READS_COVERAGE Memory None, Source:
        "Stores the four components `data` to a texel of an image; stores outside the image are dropped. `texture` and `heap` as in `sample`.";
    FenceTexels "fence_texels" "<-" ["from_memory"] BARRIER Barrier None, Source:
        "Makes the invocation's earlier image stores visible to its later texel loads; with `from_memory`, its texel accesses in memory.";
    ControlBarrier "control_barrier" "<-" ["memory"] BARRIER Barrier None, Source:
        "Waits for all invocations of the workgroup; `memory`: see `Access`.";
    FenceMemory "fence_memory" "<-" ["memory"] BARRIER Barrier None, Source:
        "Orders the invocation's memory accesses.";
}

/// Modifiers of an instruction under construction.
#[derive(Clone, Debug)]
pub struct Mods {
    pub(super) op: Op,
    pub(super) values: ArrayVec<u32, MAX_OPERANDS>,
}

impl Deref for Mods {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.values
    }
}

impl DerefMut for Mods {
    fn deref_mut(&mut self) -> &mut [u32] {
        &mut self.values
    }
}

/// Modifiers that are all 0, shared by the instructions that have them.
pub(super) static ZERO_MODS: [u32; MAX_OPERANDS] = [0; MAX_OPERANDS];

/// The default modifiers of this row.
pub fn mods(op: impl Into<Op>) -> Mods {
    op.into().default_mods()
}

bitflags! {
    /// Properties that passes query for every instruction, computed from the rows.
    #[derive(Clone, Copy)]
    struct Traits: u8 {
        /// See [`Op::is_pure`].
        const PURE = 1 << 0;
        /// See [`Op::is_cross_lane`].
        const CROSS_LANE = 1 << 1;
        /// See [`Op::is_terminator`].
        const TERMINATOR = 1 << 2;
        /// Whether an instruction is pure depends on its modifiers.
        const DEPENDS = 1 << 3;
        /// See [`Op::is_computed`].
        const COMPUTED = 1 << 4;
        /// See [`Op::keeps_apart`].
        const APART = 1 << 5;
    }
}

impl Traits {
    const fn of(op: Op) -> Traits {
        let (effects, order, has_semantics) = match op {
            Op::Hw(op) => {
                (INSTS[op as usize].effects, INSTS[op as usize].order, INSTS[op as usize].pure.is_some())
            }
            Op::Ir(op) => {
                (IR_OPS[op as usize].effects, IR_OPS[op as usize].order, IR_OPS[op as usize].pure.is_some())
            }
        };
        let mut traits = Traits::empty();
        if matches!(order, OrderClass::None) {
            if effects.is_empty() && !matches!(op, Op::Ir(IrOp::Preload)) {
                traits = if has_semantics { Traits::PURE.union(Traits::COMPUTED) } else { Traits::PURE };
            } else if effects.bits() == Effects::CROSS_LANE.bits() {
                traits = Traits::CROSS_LANE;
            }
        }
        match op {
            Op::Ir(IrOp::If | IrOp::Jump | IrOp::Halt) | Op::Hw(Opcode::IfIcmp | Opcode::IfFcmp) => {
                traits.union(Traits::TERMINATOR)
            }
            Op::Ir(IrOp::LoadGlobal | IrOp::LoadTexture) | Op::Hw(Opcode::Mfsr) => {
                traits.union(Traits::DEPENDS)
            }
            Op::Hw(op) if INSTS[op as usize].results.contains(Results::APART) => traits.union(Traits::APART),
            _ => traits,
        }
    }
}

/// The traits of every operation, by [`Op::index`].
static TRAITS: [Traits; Op::COUNT] = {
    let mut traits = [Traits::empty(); Op::COUNT];
    let mut at = 0;
    while at < IrOp::ALL.len() {
        let op = Op::Ir(IrOp::ALL[at]);
        traits[op.index()] = Traits::of(op);
        at += 1;
    }
    at = 0;
    while at < Opcode::ALL.len() {
        let op = Op::Hw(Opcode::ALL[at]);
        traits[op.index()] = Traits::of(op);
        at += 1;
    }
    traits
};

/// The position of a modifier that the operation lacks.
pub(super) const NOWHERE: u8 = u8::MAX;

/// The position of the modifier `name` in the list of each operation, by [`Op::index`].
pub(super) const fn mod_places(name: &str) -> [u8; Op::COUNT] {
    let mut places = [NOWHERE; Op::COUNT];
    let mut at = 0;
    while at < IrOp::ALL.len() {
        let op = IrOp::ALL[at];
        let mods = IR_OPS[op as usize].mods;
        let mut place = mods.len();
        while place > 0 {
            place -= 1;
            if is_same(mods[place], name) {
                places[Op::Ir(op).index()] = place as u8;
            }
        }
        at += 1;
    }
    at = 0;
    while at < Opcode::ALL.len() {
        let op = Opcode::ALL[at];
        let row = &INSTS[op as usize];
        let (first, mut place) = row.role_bounds(Role::Mod);
        while place > first {
            place -= 1;
            if is_same(row.operands[place].name, name) {
                places[Op::Hw(op).index()] = (place - first) as u8;
            }
        }
        at += 1;
    }
    places
}

/// The position of the modifier `name` in the list of `op`.
pub(crate) const fn mod_place(op: Op, name: &str) -> Option<usize> {
    let place = mod_places(name)[op.index()];
    if place == NOWHERE { None } else { Some(place as usize) }
}

/// Compares two names at compile time.
pub(crate) const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

impl IrOp {
    /// The row.
    pub fn desc(self) -> &'static IrDesc {
        &IR_OPS[self as usize]
    }
}

impl Op {
    /// Name in the text.
    pub fn name(self) -> &'static str {
        match self {
            Op::Hw(op) => op.desc().name,
            Op::Ir(op) => op.desc().name,
        }
    }

    /// The operation with this name; IR-only names take precedence over hardware names.
    pub fn from_name(name: &str) -> Option<Op> {
        let ir = IrOp::ALL.iter().find(|op| op.desc().name == name);
        ir.map(|op| Op::Ir(*op)).or_else(|| Opcode::from_name(name).map(Op::Hw))
    }

    /// Effects other than the destinations.
    pub fn effects(self) -> Effects {
        match self {
            Op::Hw(op) => op.desc().effects,
            Op::Ir(op) => op.desc().effects,
        }
    }

    /// The order chain it belongs to.
    pub fn order(self) -> OrderClass {
        match self {
            Op::Hw(op) => op.desc().order,
            Op::Ir(op) => op.desc().order,
        }
    }

    /// Its semantics, if the sources alone determine the result.
    pub fn pure_fn(self) -> Option<PureFn> {
        match self {
            Op::Hw(op) => op.desc().pure.map(|pure| pure.one),
            Op::Ir(op) => op.desc().pure,
        }
    }

    /// How the hardware writes the result; unspecified for IR-only operations.
    pub fn results(self) -> Results {
        match self {
            Op::Hw(op) => op.desc().results,
            Op::Ir(_) => Results::empty(),
        }
    }

    /// Approximate number of cycles that a lane is busy, from the table; at least one for hardware
    /// operations.
    pub fn cycles(self) -> u32 {
        match self {
            Op::Hw(op) => u32::from(op.desc().throughput).max(1),
            Op::Ir(op) => u32::from(op.desc().cycles),
        }
    }

    /// The last stage it may appear in.
    pub fn last_stage(self) -> Stage {
        match self {
            Op::Hw(_) => Stage::Final,
            Op::Ir(op) => op.desc().last,
        }
    }

    /// Number of operations.
    pub const COUNT: usize = IrOp::ALL.len() + Opcode::ALL.len();

    /// Index among all operations: first those of the IR, then those of the hardware.
    #[inline]
    pub const fn index(self) -> usize {
        match self {
            Op::Ir(op) => op as usize,
            Op::Hw(op) => IrOp::ALL.len() + op as usize,
        }
    }

    /// Whether every instruction with this operation is pure ([`InstData::is_pure`](super::InstData::is_pure)); passes ask
    /// the instruction, because for some operations it depends on modifiers.
    #[inline]
    pub(super) fn is_pure(self) -> bool {
        TRAITS[self.index()].contains(Traits::PURE)
    }

    /// Pure, and with semantics by which a result can be computed.
    #[inline]
    pub fn is_computed(self) -> bool {
        TRAITS[self.index()].contains(Traits::COMPUTED)
    }

    /// Whether an instruction is pure depends on its modifiers.
    #[inline]
    pub(super) fn purity_depends(self) -> bool {
        TRAITS[self.index()].contains(Traits::DEPENDS)
    }

    /// Depends on which lanes are active and on their values: may be removed if its results are unused and
    /// merged with an identical one in the same block, but must not move between blocks.
    #[inline]
    pub fn is_cross_lane(self) -> bool {
        TRAITS[self.index()].contains(Traits::CROSS_LANE)
    }

    /// Whether the results must share no register with the first two sources.
    #[inline]
    pub fn keeps_apart(self) -> bool {
        TRAITS[self.index()].contains(Traits::APART)
    }

    /// Ends a block.
    #[inline]
    pub fn is_terminator(self) -> bool {
        TRAITS[self.index()].contains(Traits::TERMINATOR)
    }

    /// Number of destinations.
    pub fn dst_count(self) -> Count {
        match self {
            Op::Hw(op) => Count::Fixed(op.desc().with_role(Role::Dst).count() as u8),
            Op::Ir(op) => op.desc().signature.dst_count(),
        }
    }

    /// Number of sources.
    pub fn src_count(self) -> Count {
        match self {
            Op::Hw(op) => Count::Fixed(op.desc().with_role(Role::Src).count() as u8),
            Op::Ir(op) => op.desc().signature.src_count(),
        }
    }

    /// Names of the modifiers, in order.
    pub fn mod_names(self) -> impl Iterator<Item = &'static str> {
        let (hw, ir) = match self {
            Op::Hw(op) => (Some(op.desc().with_role(Role::Mod).map(|(_, operand)| operand.name)), None),
            Op::Ir(op) => (None, Some(op.desc().mods.iter().copied())),
        };
        hw.into_iter().flatten().chain(ir.into_iter().flatten())
    }

    /// The default modifiers, if all of them are 0.
    #[inline]
    pub fn zero_mods(self) -> Option<&'static [u32]> {
        let count = match self {
            Op::Hw(op) if !op.desc().zero_defaults => return None,
            Op::Hw(op) => op.desc().with_role(Role::Mod).len(),
            Op::Ir(op) => op.desc().mods.len(),
        };
        ZERO_MODS.get(..count)
    }

    /// The default modifiers; 0 for those of IR-only operations.
    pub fn default_mods(self) -> Mods {
        let mut values = ArrayVec::new();
        match self {
            Op::Hw(op) => {
                for (_, operand) in op.desc().with_role(Role::Mod) {
                    values.push(operand.default.value);
                }
            }
            Op::Ir(op) => op.desc().mods.iter().for_each(|_| values.push(0)),
        }
        Mods { op: self, values }
    }

    /// Position of the modifier called `name`.
    pub fn mod_index(self, name: &str) -> Option<usize> {
        match self {
            Op::Hw(op) => op.desc().with_role(Role::Mod).position(|(_, operand)| operand.name == name),
            Op::Ir(op) => op.desc().mods.iter().position(|known| *known == name),
        }
    }
}

impl From<Opcode> for Op {
    fn from(op: Opcode) -> Op {
        Op::Hw(op)
    }
}

impl From<IrOp> for Op {
    fn from(op: IrOp) -> Op {
        Op::Ir(op)
    }
}
