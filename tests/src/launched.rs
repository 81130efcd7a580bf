//! Launches of compiled code for tests that check single words: the uniform file, and a strict run with one workgroup
//! per row.

use agx_abi::{PartRole, ShaderInfo, UniformSource};
use agx_compiler::CompiledShader;
use agx_emulator::{Dispatch, Memory, Options, Program, States, dispatch};

/// The uniform file of a shader in half-words: its constants, and the result of `value` for all other uniforms.
#[must_use]
pub fn uniforms(info: &ShaderInfo, value: impl Fn(UniformSource) -> u64) -> Vec<u16> {
    let mut uniforms = vec![0; info.filled_halves().into()];
    for range in &info.uniforms {
        if let UniformSource::Promoted { offset } = range.source {
            let constants = info.promoted[offset as usize..].chunks(2);
            for (half, bytes) in uniforms[range.start.into()..].iter_mut().zip(constants) {
                *half = u16::from_le_bytes(bytes.try_into().expect("whole half-words"));
            }
            continue;
        }
        let value = value(range.source);
        for half in 0..range.halves.min(4) {
            uniforms[usize::from(range.start + half)] = (value >> (16 * half)) as u16;
        }
    }
    uniforms
}

/// Runs `code`, the main part of a shader or a linked program, in strict mode, with this number of lanes and of
/// workgroups along y.
///
/// # Panics
/// The run ends early or has findings.
pub fn launch(shader: &CompiledShader, code: &[u8], memory: &mut Memory, uniforms: &[u16], count: [u32; 2]) {
    let preamble = shader.part(PartRole::Preamble).map(Program::new);
    let [lanes, workgroups] = count;
    let launch = Dispatch {
        program: &Program::new(code),
        preamble: preamble.as_ref(),
        uniforms,
        states: States::default(),
        workgroups: [1, workgroups, 1],
        workgroup_size: [lanes, 1, 1],
        threads: None,
        tile: None,
        local_bytes: 0,
        scratch_bytes: 0,
        options: Options { strict: true, ..Options::default() },
    };
    assert_eq!(dispatch(memory, &launch).expect("runs").findings, []);
}
