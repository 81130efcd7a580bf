//! Compiled shaders from a cache: bytes that are not what the compiler wrote are refused, whatever they are.

use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};

use agx_random::Entropy;

/// A kernel whose shader is damaged.
const KERNEL: &str = "kernel @square(%0:32) stage source {\nb0:\n    %1:32 = fmul %0, %0\n    keep %1\n}\n";

/// Treats `data` as a cached shader, then as places where one is damaged.
pub fn cache(data: &[u8]) {
    let _ = CompiledShader::from_bytes(data);
    let compiled =
        Compiler::default().compile(&mut Scratch::default(), Input::ir(KERNEL), &CompileKey::default());
    let Ok(shader) = compiled else { return };
    let bytes = shader.to_bytes();
    assert_eq!(CompiledShader::from_bytes(&bytes).as_ref(), Ok(&shader), "what was written is read");
    let mut damaged = bytes.clone();
    let mut entropy = Entropy::new(data);
    for _ in 0..1 + entropy.below(8) {
        let at = entropy.below(damaged.len());
        damaged[at] = entropy.byte();
    }
    let cut = entropy.below(damaged.len() + 1);
    if entropy.below(4) == 0 {
        damaged.truncate(cut);
    }
    if damaged != bytes {
        assert!(CompiledShader::from_bytes(&damaged).is_err(), "a damaged shader is accepted");
    }
    // Without the checksum in the way: any bytes give a value or an error.
    let _ = agx_abi::stored::from_bytes::<CompiledShader>(data);
    let _ = agx_abi::stored::from_bytes::<CompileKey>(data);
}
