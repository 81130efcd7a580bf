//! AGAL programs: assembly, byte code, compilation.

use crate::harness::{Folder, fails, out, out_with};

/// A vertex program that transforms its position, in the assembler's syntax.
const TRANSFORM: &[u8] = b".agal 1 vertex\nm44 op, va0, vc0\nmov v0, va1\n";

#[test]
fn assembly_becomes_byte_code_and_comes_back() {
    let folder = Folder::new("agal-asm");
    let source = folder.file("transform.agal", TRANSFORM);
    let code = folder.path("transform.bin");
    out(&["asm", "-x", "agal", &source, "-o", &code]);
    let bytes = std::fs::read(&code).unwrap();
    assert_eq!((bytes.len(), &bytes[..7]), (7 + 2 * 24, &[0xa0, 1, 0, 0, 0, 0xa1, 0][..]));
    let text = out(&["disasm", "-x", "agal", &code]);
    assert!(text.contains("m44 op, va0, vc0"), "{text}");
    let again = folder.file("again.agal", text.as_bytes());
    let second = folder.path("again.bin");
    out(&["asm", "-x", "agal", &again, "-o", &second]);
    assert_eq!(bytes, std::fs::read(&second).unwrap());
    fails(&["disasm", "-x", "agal", &code, "--shader", "1"], b"", 1, "the file has one, with number 0");
}

#[test]
fn byte_code_and_text_compile_to_the_same_code() {
    let folder = Folder::new("agal-compile");
    let source = folder.file("transform.agal", TRANSFORM);
    let code = folder.path("transform.bin");
    out(&["asm", "-x", "agal", &source, "-o", &code]);
    let [from_text, from_code] = [&source, &code].map(|path| out(&["compile", "-x", "agal", path]));
    assert_eq!(from_text.replace("transform.agal", ""), from_code.replace("transform.bin", ""));
    assert!(out(&["stats", &source]).contains("Instrs:"));
    let broken = folder.file("broken.agal", b".agal 1 vertex\nmov op, qq0\n");
    fails(&["compile", &broken], b"", 1, "broken.agal:2:");
}

#[test]
fn a_vertex_runs_with_its_registers() {
    let folder = Folder::new("agal-run");
    let source = folder.file("scaled.agal", b".agal 1 vertex\nmul vt0, va0, vc4\nmov op, vt0\nmov v1, va1\n");
    let run = ["run", &source, "--register", "va0=1,2,3", "--register", "vc4=2,2,2,1", "--register", "va1=5"];
    assert_eq!(out(&run), "position: 2.0, 4.0, 6.0, 1.0\nlocation 1: 5.0, 0.0, 0.0, 1.0\n");
    fails(&["run", &source, "--register", "fc0=1"], b"", 2, "expected va0=\u{2026} or vc0=\u{2026}");
}

#[test]
fn text_with_the_directive_is_recognised_without_extension() {
    let text = b"// a copy\n.agal 2 fragment\nmov oc, v0\n";
    assert!(out_with(&["stats", "-"], text).contains("Instrs: "));
    let folder = Folder::new("agal-stats");
    let source = folder.file("copy.txt", text);
    assert!(out(&["compile", &source]).contains("fragment shader"));
    assert_eq!(
        out(&["disasm", "-x", "agal", &{
            let code = folder.path("copy.bin");
            out(&["asm", "-x", "agal", &source, "-o", &code]);
            code
        }]),
        ".agal 2 fragment\nmov oc, v0\n"
    );
}
