//! Cached shaders: any change to the compiler's bytes is rejected.

use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};

use agx_random::Entropy;

/// A kernel whose compiled form is damaged.
const KERNEL: &str = "kernel @square(%0:32) stage source {\nb0:\n    %1:32 = fmul %0, %0\n    keep %1\n}\n";

/// Tests `data` as a cached shader, and as positions of damage in a valid one.
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
        assert!(CompiledShader::from_bytes(&damaged).is_err(), "a damaged shader was accepted");
    }
    // Bypasses the checksum: any bytes give a value or an error.
    let _ = agx_abi::stored::from_bytes::<CompiledShader>(data);
    let _ = agx_abi::stored::from_bytes::<CompileKey>(data);
}
