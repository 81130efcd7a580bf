//! Statistics of a compiled shader, under the names and the cycle model of Mesa's AGX compiler so that both can be
//! compared.

/// What a core full of SIMD-groups of one shader waits for most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Binding {
    /// Arithmetic.
    #[default]
    Alu,
    /// The memory port, stack memory included.
    Memory,
    /// The texture units.
    Texture,
    /// Jumps.
    Control,
    /// Results that come late, and too few SIMD-groups to do something else meanwhile because of their registers.
    Registers,
    /// Results that come late, although the core is full.
    Latency,
}

impl Binding {
    /// Its name in statistics.
    pub fn name(self) -> &'static str {
        match self {
            Binding::Alu => "alu",
            Binding::Memory => "memory",
            Binding::Texture => "texture",
            Binding::Control => "control flow",
            Binding::Registers => "registers",
            Binding::Latency => "latency",
        }
    }
}

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
    /// Cycles a SIMD-group that has a core to itself takes to go through the code once.
    pub cycles: u32,
    /// Cycles of these spent in waits.
    pub stalled_cycles: u32,
    /// Cycles of a core's memory port for one SIMD-group, threadgroup and stack memory included.
    pub memory_cycles: u32,
    /// Cycles of a core's texture units for one SIMD-group.
    pub texture_cycles: u32,
    /// Cycles of jumps.
    pub control_cycles: u32,
    /// What limits a core that runs nothing else.
    pub binds: Binding,
}
