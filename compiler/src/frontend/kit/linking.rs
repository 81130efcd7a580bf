//! Values and operations that a vertex shader and the fragment shader after it leave to each other.

use agx_abi::linking::{DrawWord, Step};
use agx_abi::vertex::Output;

use super::{Kit, uniforms};
use crate::ir::vocabulary::Input;
use crate::ir::{Access, Arithmetic, Build, IrOp, Src, Type};

/// A word that is the same in every invocation of a draw.
fn draw_word(kit: &mut Kit<'_, '_>, word: DrawWord) -> Src {
    match word {
        DrawWord::Constant(bits) => Src::imm32(bits),
        DrawWord::PushConstant { offset } => kit.uniforms.push_constant(offset, 32),
        DrawWord::Memory { base, pointer, offset } => {
            let base = kit.uniforms.get(base.into(), 0, 64);
            let base = match pointer {
                Some(at) => {
                    let words = load(kit, base, at, Type::vector(32, 2));
                    kit.b.collect(Type::B64, &[words])
                }
                None => base,
            };
            load(kit, base, offset, Type::B32)
        }
    }
}

/// Loads from memory that no shader writes and that every invocation may read.
fn load(kit: &mut Kit<'_, '_>, base: Src, offset: u32, ty: Type) -> Src {
    let access = Access::READONLY | Access::SPECULATABLE;
    let align = if ty.comps > 1 && offset.is_multiple_of(8) { 8 } else { 4 };
    let mods = [access.bits(), align];
    Src::value(kit.b.value(IrOp::LoadGlobal, ty, &[base, Src::imm32(offset)], &mods))
}

/// The value of an input of a fragment shader, 32 bits, if it is known from the vertex shader.
pub(super) fn known_input(kit: &mut Kit<'_, '_>, input: Input) -> Option<Src> {
    let (before, output) = (kit.fragment.before.as_ref()?, input.user_output()?);
    if !before.written.contains(&output) {
        return Some(uniforms::undefined(32));
    }
    let value = before.known.iter().find(|known| known.output == output)?.value;
    Some(draw_word(kit, value))
}

/// Executes the operations on outputs that the fragment shader leaves to the vertex shader.
pub(super) fn execute_moved(kit: &mut Kit<'_, '_>, words: &mut [(Output, Src)]) {
    for moved in std::mem::take(&mut kit.vertex.moved) {
        for (_, word) in words.iter_mut().filter(|(output, _)| *output == moved.output) {
            for step in &moved.steps {
                *word = match *step {
                    Step::Scale(factor) => {
                        let factor = draw_word(kit, factor);
                        kit.b.fmul(*word, factor)
                    }
                    Step::Offset(addend) => {
                        let addend = draw_word(kit, addend);
                        kit.b.fadd(*word, addend)
                    }
                };
            }
        }
    }
}
