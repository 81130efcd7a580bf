//! The text of the IR: text that parses prints as text that parses to the same function.

use agx_compiler::internal::ir::parse_with_registers;
use bumpalo::Bump;

use crate::text::any_text;
use agx_random::Entropy;

/// Tests `data` as choices for a text.
pub fn ir_text(data: &[u8]) {
    let text = any_text(&mut Entropy::new(data));
    if let Some(first) = reprint(&text) {
        let second = reprint(&first).unwrap_or_else(|| panic!("printed, but does not parse:\n{first}"));
        assert_eq!(first, second);
    }
}

/// Parses `text` and prints it again, if it parses.
fn reprint(text: &str) -> Option<String> {
    let bump = Bump::new();
    let functions = parse_with_registers(&bump, text).ok()?;
    Some(
        functions
            .iter()
            .map(|(function, registers)| function.with_registers(registers).to_string())
            .collect(),
    )
}
