//! PICA200 programs: assembly, containers, runs.

use crate::harness::{Folder, agxc, fails, out, stderr};

const SCALE: &[u8] =
    b".fvec scale\n.constf half(0.5, 0.5, 0.5, 0.5)\n.in value\n.out pos position\n.out tex texcoord0.xy\n\
    .proc main\n    mul pos, scale, value\n    mul tex, half, value\n    end\n.end\n";

const POINT: &[u8] = b".gsh point c0\n.out pos position\n.proc main\n    mov pos, v0\n    setemit 0\n    emit\n    setemit 1\n\
    emit\n    mov pos, v1\n    setemit 2, prim inv\n    emit\n    end\n.end\n";

#[test]
fn assembly_becomes_a_container_and_comes_back() {
    let folder = Folder::new("pica-asm");
    let source = folder.file("scale.pica", SCALE);
    let container = folder.path("scale.shbin");
    out(&["asm", &source, "-o", &container]);
    assert!(std::fs::read(&container).unwrap().starts_with(b"DVLB"));
    let text = out(&["disasm", &container]);
    assert!(text.contains("mul o0, c0, v0"), "{text}");
    let again = folder.file("again.pica", text.as_bytes());
    let second = folder.path("again.shbin");
    out(&["asm", &again, "-o", &second]);
    assert_eq!(std::fs::read(&container).unwrap(), std::fs::read(&second).unwrap());
    fails(&["disasm", &container, "--shader", "3"], b"", 1, "the container has no shader 3");
}

#[test]
fn a_vertex_runs_with_its_registers() {
    let folder = Folder::new("pica-run");
    let source = folder.file("scale.pica", SCALE);
    let run = ["run", &source, "--register", "v0=1,2,3,4", "--register", "c0=10,10,10,1"];
    assert_eq!(out(&run), "position: 10.0, 20.0, 30.0, 4.0\nlocation 2: 0.5, 1.0\n");
    let raw = [&run[..], &["--option", "raw_outputs"]].concat();
    assert_eq!(out(&raw), "position: 10.0, 20.0, 30.0, 4.0\nlocation 1: 0.5, 1.0, 1.5, 2.0\n");
    fails(&["run", &source, "--register", "q1=2"], b"", 2, "expected v0");
    fails(&["compile", &source, "--option", "colour"], b"", 1, "unknown option `colour` of pica200");
}

#[test]
fn a_primitive_runs_with_its_registers() {
    let folder = Folder::new("pica-geometry");
    let source = folder.file("point.pica", POINT);
    let text = out(&["run", &source, "--register", "v0=1,2,3,4", "--register", "v1=5,6,7,8"]);
    assert!(
        text.starts_with("1 primitive\nprimitive 0, inverted\n  vertex 0 position: 1.0, 2.0, 3.0, 4.0\n"),
        "{text}"
    );
    assert!(text.ends_with("  vertex 2 position: 5.0, 6.0, 7.0, 8.0\n"), "{text}");
}

#[test]
fn raw_words_are_assembly() {
    let words = b".opdesc 0x0006c36f\n.word 0x00000080 0x88000000\n";
    let folder = Folder::new("pica-words");
    let source = folder.file("words.pica", words);
    let run = ["run", &source, "--register", "v0=1,2,3,4", "--register", "v1=10,20,30,40"];
    assert_eq!(out(&run), "position: 11.0, 22.0, 33.0, 44.0\n");
}

#[test]
fn errors_name_the_line() {
    let folder = Folder::new("pica-errors");
    let source = folder.file("wrong.pica", b".proc main\n    mov r0, v99\n.end\n");
    fails(&["asm", &source], b"", 1, "wrong.pica:2:13: error[AGX0200]: unknown register `v99`");
    fails(&["compile", &source], b"", 1, "wrong.pica:2:13: error[AGX2401]: unknown register `v99`");
}

#[test]
fn outputs_have_two_banks() {
    let folder = Folder::new("pica-banks");
    let text =
        b".out pos position\nsetemit 0\nmov pos, v0\nemit\nsetemit 1\nmov pos.yzw, v0\nmov pos.x, v1\nemit\n\
        setemit 2, prim\nmov pos.y, v1\nemit\nend\n";
    let source = folder.file("banks.pica", text);
    let run = ["run", &source, "--register", "v0=1,2,3,1", "--register", "v1=10,20,30,1"];
    let expected = "1 primitive\nprimitive 0\n  vertex 0 position: 1.0, 2.0, 3.0, 1.0\n  \
                    vertex 1 position: 10.0, 2.0, 3.0, 1.0\n  vertex 2 position: 1.0, 20.0, 3.0, 1.0\n";
    assert_eq!(out(&run), expected);
    let with_stacks = [&run[..], &["--option", "stacks"]].concat();
    assert_eq!(out(&with_stacks), expected);
}

#[test]
fn likely_mistakes_are_warnings() {
    let folder = Folder::new("pica-warnings");
    let text = b".out pos position\n.proc main\n  mov r0.yx, v0\n  add pos, v0, v1\n  emit\n  end\n.end\n";
    let source = folder.file("odd.pica", text);
    let output = agxc(&["compile", &source]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for message in [
        "odd.pica:3:7: warning[AGX0507]: the order of components in a destination has no effect: `r0.yx` names a mask",
        "odd.pica:4:3: warning[AGX0507]: sources name different input registers, which is unreliable",
        "odd.pica:5:3: warning[AGX0507]: `emit` has no effect in a vertex shader",
    ] {
        assert!(text.contains(message), "{text}");
    }
    let container = folder.path("odd.shbin");
    out(&["asm", &source, "-o", &container]);
    let text = stderr(&agxc(&["stats", &container]));
    assert!(text.contains("odd.shbin: word 2: warning[AGX0507]: `emit` has no effect"), "{text}");
    fails(&["compile", "--deny", "507", &source], b"", 1, "odd.pica:3:7: error[AGX0507]");
    out(&["compile", "-q", &source]);
}

#[test]
fn costs_have_source_lines() {
    let folder = Folder::new("pica-lines");
    let source = folder.file("scale.pica", SCALE);
    let text = out(&["compile", "--emit", "lines", &source]);
    assert!(text.contains("scale.pica:7  mul pos, scale, value"), "{text}");
}
