//! Source lines.

use bumpalo::Bump;

use super::super::{Dialect, read};
use super::{assemble, with_body};
use crate::CompileKey;
use crate::error::Location;
use crate::ir::{IrOp, Op};

/// File, line and column of every store to the buffer.
fn stores(declarations: &str, body: &str) -> Vec<(String, u32, u32)> {
    let bump = Bump::new();
    let module = assemble(&with_body(declarations, body));
    let (f, _) = read(&bump, &module, &CompileKey::default(), Dialect::default()).expect("valid");
    let blocks = f.blocks_in_order().flat_map(|block| f.block(block).insts.clone());
    blocks
        .filter(|inst| f.insts[*inst].op == Op::Ir(IrOp::StoreGlobal))
        .map(|inst| match f.sources.get(f.insts[inst].line) {
            Some(position) => (f.sources.file(position).to_owned(), position.line, position.column),
            None => (String::new(), 0, 0),
        })
        .collect()
}

fn at(file: &str, line: u32, column: u32) -> (String, u32, u32) {
    (file.to_owned(), line, column)
}

#[test]
fn lines_hold_until_the_next_or_the_end_of_the_block() {
    let body = "
        AccessChain %ptr %p %data #0 #0
        Store %p #1
        Line %file 7 3
        Store %p #2
        Line %other 9 1
        Store %p #3
        NoLine
        Store %p #4
        Line %file 8 1
        Branch %next
        Label %next
        Store %p #5
        Return";
    let found = stores("String %file 'a.comp'\nString %other 'b.glsl'", body);
    assert_eq!(found, [at("", 0, 0), at("a.comp", 7, 3), at("b.glsl", 9, 1), at("", 0, 0), at("", 0, 0)]);
}

#[test]
fn non_semantic_lines_and_calls() {
    let declarations = "
        ExtInstImport %debug 'NonSemantic.Shader.DebugInfo.100'
        String %file 'a.comp'
        ExtInst %void %source %debug 35 %file
        Function %void %callee 0 %thunk
        Label %inner
        ExtInst %void %d0 %debug 103 %source #20 #20 #4 #9
        AccessChain %ptr %q %data #0 #1
        Store %q #1
        Return
        FunctionEnd";
    let body = "
        AccessChain %ptr %p %data #0 #0
        ExtInst %void %d1 %debug 103 %source #5 #6 #0 #0
        FunctionCall %void %r %callee
        Store %p #2
        ExtInst %void %d2 %debug 104
        Store %p #3
        Return";
    let found = stores(declarations, body);
    assert_eq!(found, [at("a.comp", 20, 4), at("a.comp", 5, 0), at("", 0, 0)]);
}

#[test]
fn errors_name_the_line_rather_than_the_word() {
    let module = assemble(&with_body("String %file 'a.comp'", "Line %file 7 3\nEmitVertex\nReturn"));
    let error = read(&Bump::new(), &module, &CompileKey::default(), Dialect::default()).err();
    let location = error.expect("compute shaders emit no vertices").location;
    assert_eq!(location, Location::Source { file: "a.comp".into(), line: 7, column: 3 });
}
