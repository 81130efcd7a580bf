//! The words that describe the program.

use agx_abi::record as r;

use super::{Assembler, Stage};
use crate::gpu::SHADER_BASE;
use crate::program::Program;
use crate::record::Writer;
use crate::scratch;

impl Assembler<'_> {
    /// Local memory, the program, its registers and its preamble.
    pub(super) fn program(&mut self, program: &Program, stage: Stage) {
        let shared = Writer::new(&r::usc_shared::RECORD);
        let shared = match stage {
            Stage::Compute(bytes) => shared
                .flag(&r::usc_shared::USED, bytes > 0)
                .set(&r::usc_shared::LAYOUT, 0x24)
                .set(&r::usc_shared::BYTES, u64::from(bytes).max(1)),
            Stage::Vertex => shared.set(&r::usc_shared::LAYOUT, 0x24).set(&r::usc_shared::BYTES, 65536),
            Stage::Fragment { samples, sample_bytes } => shared
                .set(&r::usc_shared::USED, 1)
                .set(&r::usc_shared::LAYOUT, 0x2f)
                .set(&r::usc_shared::SAMPLES, samples.into())
                .set(&r::usc_shared::SAMPLE_STRIDE, sample_bytes.max(8).into())
                .set(&r::usc_shared::BYTES, 65536),
        };
        self.bytes.extend(shared.bytes());
        let is_fragment = matches!(stage, Stage::Fragment { .. });
        let reads = is_fragment && !program.info.fragment.coefficients.is_empty();
        let shader = Writer::new(&r::usc_shader::RECORD)
            .flag(&r::usc_shader::READS_VARYINGS, reads)
            .set(&r::usc_shader::BITS_10_15, 3)
            .set(&r::usc_shader::CODE, program.code() - SHADER_BASE);
        self.bytes.extend(shader.bytes());
        let registers = Writer::new(&r::usc_registers::RECORD)
            .set(&r::usc_registers::COUNT, program.gpr_halves.into())
            .flag(&r::usc_registers::BIT_13, is_fragment)
            .set(&r::usc_registers::SPILL, scratch::size_code(program.scratch_bytes))
            .set(&r::usc_registers::BITS_24_31, 1);
        self.bytes.extend(registers.bytes());
        if is_fragment {
            let word = Writer::new(&r::usc_fragment::RECORD)
                .flag(&r::usc_fragment::EARLY_TESTS, !program.info.fragment.late_tests)
                .set(&r::usc_fragment::BIT_9, 1)
                .set(&r::usc_fragment::BITS_12_15, 15)
                .set(&r::usc_fragment::BITS_24_31, 1);
            self.bytes.extend(word.bytes());
        }
        let end = match program.preamble() {
            Some(address) => Writer::new(&r::usc_preamble::RECORD)
                .set(&r::usc_preamble::CODE, address - SHADER_BASE)
                .bytes(),
            None => Writer::new(&r::usc_no_preamble::RECORD).bytes(),
        };
        self.bytes.extend(end);
    }
}
