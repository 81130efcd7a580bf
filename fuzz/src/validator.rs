//! The validators: that of machine code accepts or rejects any bytes; that of the IR accepts or rejects any
//! text that parses, at every stage, and accepted text compiles.

use agx_compiler::Input;
use agx_compiler::internal::ir::{self, Stage};
use bumpalo::Bump;

use crate::compile::compile;
use crate::text::any_text;
use agx_random::Entropy;

/// Tests `data` as machine code, and as choices for a text.
pub fn validator(data: &[u8]) {
    let _ = agx_isa::validate::validate(data, agx_isa::validate::Limits::MACHINE);
    let text = any_text(&mut Entropy::new(data));
    let bump = Bump::new();
    let Ok(functions) = ir::parse(&bump, &text) else { return };
    for function in &functions {
        for (_, stage) in Stage::ALL {
            // Only the result for the function's own stage is meaningful; for other stages the validator must
            // not panic.
            let _ = ir::validate(function, stage);
        }
    }
    let Some(first) = functions.first() else { return };
    if first.stage == Stage::Source && ir::validate(first, Stage::Source).is_ok() {
        compile(Input::ir(&text));
    }
}
