//! Statistics of whole programs, with the figures of their parts ([`FIGURES`](crate::FIGURES)).

use agx_isa::decode::decode;
use agx_isa::inst::Inst;
use agx_isa::table::Opcode;

use super::LinkedProgram;
use crate::stats::Statistics;
use crate::{CompiledShader, emit};

impl LinkedProgram {
    /// The cost of the program, including prolog and epilog; `main` is the shader that its main part comes
    /// from. Spills are those of the main part, and preamble instructions those of its preamble. A loop over
    /// samples counts as a loop.
    pub fn statistics(&self, main: &CompiledShader) -> Statistics {
        let insts = instructions(&self.code);
        Statistics {
            code_bytes: self.code.len() as u32,
            uniform_halves: self.uniform_halves.into(),
            scratch_bytes: self.scratch_bytes,
            loops: main.stats.loops + u32::from(self.sample_loop),
            spills: main.stats.spills,
            fills: main.stats.fills,
            preamble_instructions: main.stats.preamble_instructions,
            ..emit::count(&insts, self.gpr_halves)
        }
    }
}

/// The instructions of a program up to its end, without the traps that follow.
fn instructions(code: &[u8]) -> Vec<Inst> {
    let mut insts = Vec::new();
    let mut rest = code;
    while let Ok((inst, size)) = decode(rest) {
        insts.push(inst);
        if inst.op == Opcode::Stop {
            break;
        }
        rest = rest.get(size..).unwrap_or_default();
    }
    insts
}
