//! Statistics of a compiled shader, under the names and the cycle model of Mesa's AGX compiler so that both can be
//! compared.

/// Statistics of one part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Instructions.
    pub instructions: u32,
    /// Estimated ALU cycles: the larger of `fscib` and `ic`.
    pub alu: u32,
    /// Estimated cycles of the float and select/compare/integer/bitwise pipes.
    pub fscib: u32,
    /// Estimated cycles of the integer-multiply/shift/complex pipe.
    pub ic: u32,
    /// Code size in bytes.
    pub code_bytes: u32,
    /// Half registers.
    pub gpr_halves: u32,
    /// Uniform half-words.
    pub uniform_halves: u32,
    /// Scratch bytes per lane.
    pub scratch_bytes: u32,
    /// Threads a core can hold.
    pub threads: u32,
    /// Loops.
    pub loops: u32,
    /// Values written to scratch for want of registers.
    pub spills: u32,
    /// Values read back from scratch.
    pub fills: u32,
    /// Instructions of the preamble.
    pub preamble_instructions: u32,
    /// Wait instructions.
    pub waits: u32,
}
