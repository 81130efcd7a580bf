//! TGSI programs: every command that takes shaders, on sloppy texts.

use crate::harness::{Folder, fails, out, out_with};

const DOUBLED: &str = "COMP\nPROPERTY CS_FIXED_BLOCK_WIDTH 4\nDCL SV[0], THREAD_ID\nDCL BUFFER[0]\nDCL TEMP[0..1], LOCAL\n\
    IMM[0] UINT32 {4, 2, 0, 0}\n  0: UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\n  1: LOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx\n\
    2: UMUL TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy\n  3: STORE BUFFER[0].x, TEMP[0].xxxx, TEMP[1].xxxx\n  4: END\n";

const SCALED: &str = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL OUT[1], GENERIC[3]\nDCL CONST[0..4]\n\
    MUL OUT[0], IN[0], CONST[4]\nMOV OUT[1].xy, IN[0].yxxx\nEND\n";

/// The text as it comes from logs and hands.
fn sloppy(text: &str) -> String {
    format!("\r\n; from a log\r\n/* of a\n game */   {}", text.to_lowercase().replace('\n', "  // end\r\n"))
}

#[test]
fn compute_programs_run() {
    let folder = Folder::new("tgsi-run");
    for (name, text) in [("doubled.tgsi", DOUBLED.to_owned()), ("sloppy.txt", sloppy(DOUBLED))] {
        let file = folder.file(name, text.as_bytes());
        let run = ["run", &file, "--buffer", "3.0=u32:1,2,3,4", "--expect", "3.0=u32:2,4,6,8"];
        out(&run);
    }
}

#[test]
fn a_vertex_runs_with_its_registers() {
    let folder = Folder::new("tgsi-vertex");
    let file = folder.file("scaled.tgsi", SCALED.as_bytes());
    let run = ["run", &file, "--register", "in0=1,2,3", "--register", "const4=2,2,2,1"];
    assert_eq!(out(&run), "position: 2.0, 4.0, 6.0, 1.0\nlocation 3: 2.0, 1.0\n");
}

#[test]
fn texts_are_recognised_and_compiled_by_every_command() {
    let text = sloppy(SCALED);
    assert!(out_with(&["compile", "-"], text.as_bytes()).contains("vertex shader"));
    assert!(out_with(&["stats", "-"], text.as_bytes()).contains("Instrs: "));
    out_with(&["validate", "-"], text.as_bytes());
    out_with(
        &["stats", "-"],
        b"FRAG1.1 DCL IN[0], COLOR, LINEAR DCL OUT[0], COLOR 0:MOV OUT[0], IN[0] 1:END",
    );
}

#[test]
fn errors_name_the_line() {
    let folder = Folder::new("tgsi-errors");
    let file = folder.file("wrong.tgsi", b"FRAG\nDCL OUT[0], COLOR\n  0: MOV OUT[0], TEMP[3]\n  1: END\n");
    fails(&["compile", &file], b"", 1, "wrong.tgsi:3:");
    let file = folder.file("geometry.tgsi", b"GEOM\nDCL OUT[0], POSITION\nEND\n");
    fails(&["compile", &file], b"", 4, "GEOM programs");
}

#[test]
fn failing_programs_are_reduced() {
    let folder = Folder::new("tgsi-reduce");
    let text = DOUBLED.replace("4: END", "4: MOV TEMP[0], TEMP[7]\n  5: END");
    let file = folder.file("wrong.tgsi", text.as_bytes());
    let small = folder.path("small.tgsi");
    out(&["reduce", &file, "-o", &small, "--message", "TEMP[7] is not declared"]);
    let left = std::fs::read_to_string(&small).unwrap();
    assert!(left.contains("TEMP[7]") && left.lines().count() <= 4, "{left}");
}
