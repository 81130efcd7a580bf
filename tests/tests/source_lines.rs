//! Source lines are preserved from the text through every pass to the code, and errors name them.

use agx_compiler::{CompileError, CompileKey, Compiler, ErrorKind, Input, Location, Scratch};
use agx_isa::disasm::{Piece, disassemble};
use agx_tests::driver::compile;

/// The comment of each line names an opcode that only this line can generate.
const TEXT: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> counter: atomic<u32>;
@group(0) @binding(2) var<uniform> scale: f32;
var<workgroup> shared_words: array<u32, 64>;

fn root(x: f32) -> f32 {
    return sqrt(x); // rsqrts
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    let reversed = reverseBits(lane); // bitrev
    shared_words[lane ^ 1u] = reversed; // lstore
    workgroupBarrier(); // barrier
    var x = data[lane];
    x = root(x);
    for (var i = 0u; i < countOneBits(lane); i++) { // popcnt
        x = log2( // log2
            x);
        if x > 3.0 {
            x = exp2(x * x); // exp2
        }
    }
    let old = atomicAdd(&counter, // atomic
        1u);
    x = 1.0 / x; // rcp
    data[lane] = x * scale + f32(shared_words[lane] + old);
}
";

/// Opcodes in comments, with their lines.
fn expected() -> Vec<(&'static str, u32)> {
    let lines = TEXT.lines().zip(1..);
    lines.filter_map(|(line, number)| Some((line.split_once("// ")?.1, number))).collect()
}

fn check(key: &CompileKey) {
    let shader = compile(Input::wgsl(TEXT), key).expect("compiles");
    let mut found = Vec::new();
    for part in &shader.parts {
        let mut with_line = 0;
        let lines = disassemble(&part.code);
        for line in &lines {
            let Piece::Inst(inst) = &line.piece else { panic!("every byte is an instruction") };
            let position = part.position_at(line.pc).and_then(|number| shader.sources.get(number));
            with_line += usize::from(position.is_some());
            if let Some(position) = position {
                assert!(
                    position.line >= 2 && (position.line as usize) < TEXT.lines().count(),
                    "{position:?}"
                );
                found.push((inst.op.desc().name, position.line));
            }
        }
        // The code before the first line clears workgroup memory.
        assert!(with_line * 10 > lines.len() * 6, "{with_line} of {} instructions have a line", lines.len());
    }
    for (name, line) in expected() {
        let of_name: Vec<u32> =
            found.iter().filter(|(found, _)| *found == name).map(|(_, line)| *line).collect();
        assert!(!of_name.is_empty(), "no {name} among {found:?}");
        assert!(of_name.iter().all(|found| *found == line), "{name} of line {line} is at {of_name:?}");
    }
}

#[test]
fn machine_instructions_keep_their_lines() {
    check(&CompileKey::default());
    let mut without = CompileKey::default();
    without.disabled_passes = agx_compiler::internal::pipeline::PASSES
        .iter()
        .filter(|pass| pass.optional)
        .map(|pass| pass.name.to_owned())
        .collect();
    check(&without);
    let mut tight = CompileKey::default();
    tight.max_gpr_halves = Some(20);
    check(&tight);
}

#[test]
fn line_tables_begin_at_instructions_and_ascend() {
    let shader = compile(Input::wgsl(TEXT), &CompileKey::default()).expect("compiles");
    for part in &shader.parts {
        let starts: Vec<u32> = disassemble(&part.code).iter().map(|line| line.pc as u32).collect();
        assert!(!part.lines.is_empty());
        assert!(part.lines.is_sorted_by(|a, b| a.offset < b.offset && a.position != b.position));
        assert!(part.lines.iter().all(|row| starts.binary_search(&row.offset).is_ok()));
    }
}

#[test]
fn refusals_of_accepted_text_name_its_line() {
    let text = "@group(0) @binding(0) var<storage, read_write> word: atomic<u64>;\n\
        @compute @workgroup_size(1)\nfn main() {\n    let one = 1lu;\n    atomicMax(&word, one);\n}\n";
    let error = Compiler::default()
        .compile(&mut Scratch::default(), Input::wgsl(text), &CompileKey::default())
        .expect_err("the machine has no such atomics");
    assert!(matches!(error.location, Location::Text { line: 5, column: 5 }), "{error}");
}

/// Compiles a fragment shader that is rejected.
fn refused(text: &str, key: &CompileKey) -> CompileError {
    let compiled = Compiler::default().compile(&mut Scratch::default(), Input::wgsl(text), key);
    compiled.map(|_| ()).expect_err("the shader is refused")
}

#[test]
fn limits_of_register_allocation_name_the_line_of_the_instruction() {
    let text = "@group(0) @binding(0) var<storage, read_write> data: array<vec4<f32>>;\n\
        @compute @workgroup_size(1)\nfn main(@builtin(global_invocation_id) at: vec3<u32>) {\n\
        let i = at.x;\n    let four = data[i];\n    data[i + 1u] = four.wzyx;\n}\n";
    for halves in [6, 8] {
        let mut key = CompileKey::default();
        key.max_gpr_halves = Some(halves);
        let error = refused(text, &key);
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        assert!(matches!(error.location, Location::Text { line: 5 | 6, .. }), "{halves} halves: {error}");
    }
}

#[test]
fn registers_beyond_a_limit_name_the_line_of_the_output() {
    let text = "struct Out { @location(0) a: vec4<f32>, @location(3) b: vec4<f32> }\n\
        @fragment\nfn main(@location(0) x: f32) -> Out {\n    var out: Out;\n\
        out.a = vec4(x);\n    out.b = vec4(x * 3.0);\n    return out;\n}\n";
    let mut key = CompileKey::default();
    key.max_gpr_halves = Some(24);
    let error = refused(text, &key);
    assert!(error.message().contains("leaves outputs in"), "{error}");
    assert_eq!(error.kind(), ErrorKind::Limit);
    assert!(matches!(error.location, Location::Text { line: 6, .. }), "{error}");
}
