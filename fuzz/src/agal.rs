//! AGAL: bytes are read or rejected; what can be read survives the round trip through text; what is valid can
//! be run.

use agx_agal::interpret::{Inputs, NoTextures, run};
use agx_agal::{AssembleOptions, Mode, OPCODES, OpcodeRow, Program, Semantics, Stage, assemble, disassemble};

use agx_random::Entropy;

/// Tests `data` as a program, and as choices for a program that is more likely to be valid.
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

/// Opcodes and register files of the stage, and balanced blocks, with occasional exceptions.
fn likely(entropy: &mut Entropy<'_>) -> Vec<u8> {
    let version = 1 + entropy.below(4) as u8;
    let stage = if entropy.flip() { Stage::Fragment } else { Stage::Vertex };
    let mut bytes = vec![0xa0, version, 0, 0, 0, 0xa1, u8::from(stage == Stage::Fragment)];
    let mut open = 0;
    while !entropy.is_empty() && bytes.len() < 2000 {
        let row = &OPCODES[entropy.below(OPCODES.len())];
        let fits = row.stages.contains(stage) && (open > 0 || !matches!(row.semantics, Semantics::EndIf));
        if !fits && entropy.below(16) != 0 {
            continue;
        }
        match row.semantics {
            Semantics::If(_) => open += 1,
            Semantics::EndIf => open -= 1,
            _ => {}
        }
        token(row, stage, entropy, &mut bytes);
    }
    let close = [0x21].into_iter().chain([0; 23]);
    bytes.extend((0..open).flat_map(|_| close.clone()));
    bytes
}

/// Appends a token.
fn token(row: &OpcodeRow, stage: Stage, entropy: &mut Entropy<'_>, bytes: &mut Vec<u8>) {
    let operands = row.operands();
    let written: &[u32] = if stage == Stage::Vertex { &[2, 2, 3, 4] } else { &[2, 2, 3, 6] };
    bytes.extend(row.code.to_le_bytes());
    let mask = [15, 7, 1, 2, 8, 15, 3, 0][entropy.below(8)] << 16;
    let destination = if operands.destination { register(written, entropy) | mask } else { 0 };
    bytes.extend(destination.to_le_bytes());
    for source in 0..operands.sources {
        let sampler = source == 1 && matches!(row.semantics, Semantics::Texture);
        let word = if sampler {
            u64::from(entropy.word() & 0x0003_0007) | 5 << 32
        } else {
            any_source(stage, entropy)
        };
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(std::iter::repeat_n(0, 8 * usize::from(2 - operands.sources)));
}

/// A register number and, from bit 24 on, one of `files` or an arbitrary file.
fn register(files: &[u32], entropy: &mut Entropy<'_>) -> u32 {
    let file = match entropy.below(32) {
        0 => entropy.below(9) as u32,
        choice => files[choice % files.len()],
    };
    let count = if matches!(file, 3 | 6) { 1 } else { 6 };
    entropy.below(count) as u32 | file << 24
}

fn any_source(stage: Stage, entropy: &mut Entropy<'_>) -> u64 {
    let read: &[u32] = if stage == Stage::Vertex { &[0, 1, 2] } else { &[4, 1, 2] };
    let register = register(read, entropy);
    let swizzle = [0xe4, 0x00, 0x55, 0x1b, 0xa4, 0xff][entropy.below(6)];
    let direct = u64::from(register & 0xffff) | swizzle << 24;
    match entropy.below(8) {
        0 => direct | 1 << 32 | 2 << 40 | 1 << 63,
        _ => direct | u64::from(register >> 24) << 32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agx_random::Random;

    /// The target is only useful if some programs are valid.
    #[test]
    fn some_programs_are_valid() {
        let mut random = Random::new(11);
        let valid = |_: &u32| {
            let data = random.bytes(24);
            let program = Program::read(&likely(&mut Entropy::new(&data)));
            program.is_ok_and(|program| program.check(Mode::Tolerant).is_ok())
        };
        let count = (0..2000).filter(valid).count();
        assert!(count > 400, "{count} of 2000");
    }
}
