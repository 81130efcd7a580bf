//! Values and operations that a vertex shader and the fragment shader after it leave to each other.

use agx_abi::linking::{DrawWord, Step};
use agx_abi::vertex::Output;
use arrayvec::ArrayVec;

use super::{Kit, uniforms};
use crate::ir::vocabulary::Input;
use crate::ir::{Access, Arithmetic, Build, IrOp, Src, Type};

/// A property of each of the inputs that are read together.
type Vector<T> = ArrayVec<T, 16>;

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

/// An input of a fragment shader that is known from the vertex shader.
#[derive(Clone, Copy)]
enum Known {
    /// No shader writes it.
    Undefined,
    /// It is the same in every invocation of a draw.
    Word(DrawWord),
}

fn known_input(kit: &Kit<'_, '_>, input: Input) -> Option<Known> {
    let (before, output) = (kit.fragment.before.as_ref()?, input.user_output()?);
    if !before.written.contains(&output) {
        return Some(Known::Undefined);
    }
    let known = before.known.iter().find(|known| known.output == output)?;
    Some(Known::Word(known.value))
}

/// The values of the inputs of a fragment shader that are read together, 32 bits each, where they are known from the vertex
/// shader. A word in memory costs every draw the address of its buffer and a preamble, so that it is read only if no other
/// of the inputs has to be interpolated.
pub(super) fn known_inputs(
    kit: &mut Kit<'_, '_>,
    inputs: impl Iterator<Item = Input>,
) -> Vector<Option<Src>> {
    let known: Vector<Option<Known>> = inputs.map(|input| known_input(kit, input)).collect();
    let are_all = known.iter().all(Option::is_some);
    let mut value = |known: Known| match known {
        Known::Undefined => Some(uniforms::undefined(32)),
        Known::Word(DrawWord::Memory { .. }) if !are_all => None,
        Known::Word(word) => Some(draw_word(kit, word)),
    };
    known.into_iter().map(|known| known.and_then(&mut value)).collect()
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
