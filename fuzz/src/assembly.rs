//! The assembler: text is assembled or rejected, and assembled code survives disassembly.

use agx_isa::asm::assemble;
use agx_isa::disasm::listing;

use crate::packer;
use agx_random::Entropy;

/// Tests `data` as text, and as machine code whose listing is mutated.
pub fn assembly(data: &[u8]) {
    text(&String::from_utf8_lossy(data));
    let mut entropy = Entropy::new(data);
    text(&changed(&mut entropy));
}

fn text(text: &str) {
    let Ok(code) = assemble(text) else { return };
    let again = assemble(&listing(&code, false));
    assert_eq!(again.as_ref(), Ok(&code), "{text}");
}

/// The listing of the instructions that decode, with a few bytes changed.
fn changed(entropy: &mut Entropy<'_>) -> String {
    let changes: Vec<(usize, u8)> =
        (0..entropy.below(3)).map(|_| (entropy.below(1 << 12), entropy.byte())).collect();
    let mut bytes = listing(&packer::code(entropy.rest()), false).into_bytes();
    let len = bytes.len().max(1);
    for (at, byte) in changes {
        if let Some(place) = bytes.get_mut(at % len) {
            *place = byte;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
