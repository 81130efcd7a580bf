//! AGAL: bytes are read or refused, what can be read survives the way through text, and what is valid can be run.

use agx_agal::interpret::{Inputs, NoTextures, run};
use agx_agal::{AssembleOptions, Mode, OPCODES, Program, assemble, disassemble};

use crate::entropy::Entropy;

/// Treats `data` as a program, then as choices for one with tokens that make sense more often.
pub fn agal(data: &[u8]) {
    bytes(data);
    bytes(&likely(&mut Entropy::new(data)));
}

/// Reads, writes, checks and runs.
fn bytes(data: &[u8]) {
    let Ok(program) = Program::read(data) else { return };
    assert_eq!(program.write(), data);
    let again = assemble(&disassemble(&program), AssembleOptions::default());
    let again = again.unwrap_or_else(|error| panic!("its own text: {error}"));
    assert_eq!(again, program);
    let strict = program.check(Mode::Strict);
    match program.check(Mode::Tolerant) {
        Ok(shader) => {
            assert_eq!(strict.is_ok(), shader.violations.is_empty());
            run(&shader, &[[0.5; 4]; 32], &[Inputs::default(); 4], &NoTextures);
        }
        Err(violation) => assert!(strict.is_err(), "{violation}"),
    }
}

/// Opcodes that exist, and fields whose bits are few.
fn likely(entropy: &mut Entropy<'_>) -> Vec<u8> {
    let version = 1 + entropy.below(3) as u8;
    let mut bytes = vec![0xa0, version, 0, 0, 0, 0xa1, entropy.below(2) as u8];
    while !entropy.is_empty() && bytes.len() < 2000 {
        let opcode = OPCODES[entropy.below(OPCODES.len())];
        let operands = opcode.operands();
        bytes.extend(opcode.code.to_le_bytes());
        let destination = if operands.destination { register(entropy) | any_mask(entropy) << 16 } else { 0 };
        bytes.extend(destination.to_le_bytes());
        for source in 0..2 {
            let word = if source < operands.sources { any_source(entropy) } else { 0 };
            bytes.extend(word.to_le_bytes());
        }
    }
    bytes
}

/// A register number and, from bit 24 on, a file.
fn register(entropy: &mut Entropy<'_>) -> u32 {
    let files = [0u32, 1, 2, 2, 3, 4, 4, 5, 6, 7];
    entropy.below(9) as u32 | files[entropy.below(files.len())] << 24
}

fn any_mask(entropy: &mut Entropy<'_>) -> u32 {
    [15, 7, 1, 2, 8, 15, 3, 0][entropy.below(8)]
}

fn any_source(entropy: &mut Entropy<'_>) -> u64 {
    let register = register(entropy);
    let swizzle = [0xe4, 0x00, 0x55, 0x1b, 0xa4, 0xff][entropy.below(6)];
    let direct = u64::from(register & 0xffff) | swizzle << 24 | u64::from(register >> 24) << 32;
    if entropy.below(8) == 0 { direct | 1 << 63 | 2 << 40 } else { direct }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::Generator;

    /// The target is worth something only if programs are valid now and then.
    #[test]
    fn some_programs_are_valid() {
        let mut generator = Generator::new(11);
        let valid = |_: &u32| {
            let data = generator.bytes(24);
            let program = Program::read(&likely(&mut Entropy::new(&data)));
            program.is_ok_and(|program| program.check(Mode::Tolerant).is_ok())
        };
        let count = (0..2000).filter(valid).count();
        assert!(count > 20, "{count} of 2000");
    }
}
