//! Statistics of a compiled shader, with the names and the cycle model of Mesa's AGX compiler so that both
//! can be compared.

/// The bottleneck of a core full of SIMD-groups of one shader.
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
    /// Latency, with too few SIMD-groups to hide it because of register use.
    Registers,
    /// Latency, although the core is fully occupied.
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

/// Statistics of a main part, or of a linked program.
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
    /// Values written to scratch for lack of registers.
    pub spills: u32,
    /// Values read back from scratch.
    pub fills: u32,
    /// Instructions of the preamble.
    pub preamble_instructions: u32,
    /// Wait instructions.
    pub waits: u32,
    /// Cycles that a SIMD-group with a core to itself takes to pass through the code once.
    pub cycles: u32,
    /// Of these, cycles spent in waits.
    pub stalled_cycles: u32,
    /// Cycles of a core's memory port for one SIMD-group, threadgroup and stack memory included.
    pub memory_cycles: u32,
    /// Cycles of a core's texture units for one SIMD-group.
    pub texture_cycles: u32,
    /// Cycles of jumps.
    pub control_cycles: u32,
    /// The bottleneck of a core that runs nothing else.
    pub binds: Binding,
}

/// One figure of the statistics: what a driver shows as an executable's statistic (VK_KHR_pipeline_executable_properties).
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Name in text.
    pub title: &'static str,
    /// Name in JSON, CSV and options.
    pub key: &'static str,
    /// Its meaning, in one sentence.
    pub description: &'static str,
    /// Whether higher values are better; for most figures lower ones are.
    pub higher_is_better: bool,
    /// Reads it from the statistics.
    pub value: fn(&Statistics) -> u32,
}

const fn cost(
    title: &'static str,
    key: &'static str,
    value: fn(&Statistics) -> u32,
    description: &'static str,
) -> Figure {
    Figure { title, key, description, higher_is_better: false, value }
}

/// Every figure, in display order.
pub static FIGURES: &[Figure] = &[
    cost("Instrs", "instructions", |s| s.instructions, "Instructions, without the preamble."),
    cost("ALU", "alu", |s| s.alu, "Estimated cycles of the ALU: the larger of FSCIB and IC."),
    cost(
        "FSCIB",
        "fscib",
        |s| s.fscib,
        "Estimated cycles of the pipes for floats, selections, comparisons and integers.",
    ),
    cost(
        "IC",
        "ic",
        |s| s.ic,
        "Estimated cycles of the pipe for integer products, shifts and complex operations.",
    ),
    cost("Code size", "code_bytes", |s| s.code_bytes, "Bytes of code, without the preamble."),
    cost("GPRs", "gpr_halves", |s| s.gpr_halves, "Half registers that a thread allocates."),
    cost("Uniforms", "uniform_halves", |s| s.uniform_halves, "Half-words of the uniform file in use."),
    cost("Scratch", "scratch_bytes", |s| s.scratch_bytes, "Bytes of stack memory of a thread."),
    Figure {
        title: "Threads",
        key: "threads",
        description: "Threads that a core holds, by the half-registers.",
        higher_is_better: true,
        value: |s| s.threads,
    },
    cost("Loops", "loops", |s| s.loops, "Loops in the code."),
    cost("Spills", "spills", |s| s.spills, "Values stored to stack memory for lack of registers."),
    cost("Fills", "fills", |s| s.fills, "Values loaded back from stack memory."),
    cost(
        "Preamble instrs",
        "preamble_instructions",
        |s| s.preamble_instructions,
        "Instructions that run once before all invocations.",
    ),
    cost("Waits", "waits", |s| s.waits, "Instructions that wait for results."),
    cost("Cycles", "cycles", |s| s.cycles, "Cycles that a SIMD-group with a core to itself takes."),
    cost("Stalled", "stalled_cycles", |s| s.stalled_cycles, "Cycles spent in waits, part of Cycles."),
    cost("Memory", "memory_cycles", |s| s.memory_cycles, "Cycles of the memory port for a SIMD-group."),
    cost("Texture", "texture_cycles", |s| s.texture_cycles, "Cycles of the texture units for a SIMD-group."),
    cost("Control", "control_cycles", |s| s.control_cycles, "Cycles of jumps for a SIMD-group."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_unique_names_and_sentences() {
        for (at, figure) in FIGURES.iter().enumerate() {
            assert!(figure.description.ends_with('.'), "{}", figure.key);
            let same = |other: &&Figure| other.key == figure.key || other.title == figure.title;
            assert!(!FIGURES[..at].iter().any(|other| same(&other)), "{}", figure.key);
        }
        let statistics = Statistics { fills: 7, ..Statistics::default() };
        let found: Vec<&str> = FIGURES
            .iter()
            .filter(|figure| (figure.value)(&statistics) != 0)
            .map(|figure| figure.key)
            .collect();
        assert_eq!(found, ["fills"]);
    }
}
