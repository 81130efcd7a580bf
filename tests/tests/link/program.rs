//! The linker.

use agx_abi::tile::ColourFormat;
use agx_abi::{PartRole, ShaderInfo, Stage};
use agx_compiler::link::{
    EpilogKey, FragmentPrologKey, LinkError, LinkPart, PartKey, Parts, Target, VertexPrologKey, link,
};
use agx_compiler::{CompileKey, Compiler, FIGURES, Input, Scratch};
use agx_emulator::{Framebuffer, Tests};
use agx_isa::inst::{Inst, Operand, Size};
use agx_isa::table::Opcode;

use super::support::{Code, info, linked, shade};

#[test]
fn the_loop_runs_all_parts_for_each_sample() {
    let info = info(1);
    let mut key = EpilogKey::new(&info.fragment);
    (key.samples, key.sample_shading) = (4, true);
    key.targets[0] = Some(Target::new(ColourFormat::R32Uint));
    // The colour is the mask of the sample being shaded.
    let mask = Operand::reg(agx_abi::fragment::SAMPLES, Size::B16);
    let code = Code::default()
        .colour(0, [0; 4])
        .op(Opcode::Iadd, &[("dst", Operand::reg(8, Size::B32)), ("a", mask), ("b", Operand::imm(0x10))]);
    let program = linked(&code, &info, &key, Some(4));
    let mut framebuffer = Framebuffer::new(4, 4, 4, 8);
    shade(&program, &info, &mut framebuffer, [0.0; 4], 0.5, Tests::default());
    for (x, y) in (0..4).flat_map(|y| (0..4).map(move |x| (x, y))) {
        let found = [0, 1, 2, 3].map(|at| framebuffer.colour(x, y, at).expect("inside")[0]);
        assert_eq!(found, [0x11, 0x12, 0x14, 0x18]);
    }
}

fn part(key: PartKey, gpr_halves: u16) -> LinkPart {
    let mut part = LinkPart::new(key, Default::default());
    (part.code, part.gpr_halves) = (Code::default().half(10, 3).0, gpr_halves);
    part
}

/// A fragment prolog and an epilog for the main part that `info` describes.
fn around(info: &ShaderInfo, gpr_halves: [u16; 2]) -> [LinkPart; 2] {
    let prolog = PartKey::FragmentProlog(FragmentPrologKey::default());
    let epilog = PartKey::FragmentEpilog(Box::new(EpilogKey::new(&info.fragment)));
    [part(prolog, gpr_halves[0]), part(epilog, gpr_halves[1])]
}

#[test]
fn a_program_is_its_parts_and_one_end() {
    let main = Code::default().half(8, 1);
    let mut whole = main.0.clone();
    let stop = [Opcode::Stop].into_iter().chain([Opcode::Trap; 8]);
    let end: Vec<u8> =
        stop.flat_map(|op| agx_isa::encode(&Inst::new(op)).expect("encodes").to_vec()).collect();
    whole.extend_from_slice(&end);
    let info = info(0);
    let [prolog, epilog] = around(&info, [12, 90]);
    for main in [&main.0, &whole] {
        let parts = Parts {
            main,
            info: &info,
            prolog: Some(&prolog),
            epilog: Some(&epilog),
            sample_loop: None,
            outputs: None,
        };
        let program = link(&parts).expect("parts fit");
        let expected = [prolog.code.as_slice(), &main[..prolog.code.len()], &epilog.code, &end].concat();
        assert_eq!(program.code, expected);
        assert_eq!((program.gpr_halves, program.uniform_halves), (90, 16));
    }
}

const COMPUTE: &str = "
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3u) {
    var sum = words[id.x];
    for (var i = 0u; i < words[0]; i++) { sum = sum * 3u + words[i]; }
    words[id.x] = sum;
}";

const FRAGMENT: &str = "
@group(0) @binding(0) var<uniform> tint: vec4f;
@fragment fn main(@location(0) colour: vec4f) -> @location(0) vec4f { return colour * tint; }";

#[test]
fn statistics_of_a_program_are_those_of_all_its_parts() {
    let (compiler, mut scratch, key) = (Compiler::default(), Scratch::default(), CompileKey::default());
    let compute = compiler.compile(&mut scratch, Input::wgsl(COMPUTE), &key).expect("compiles");
    let program = link(&Parts::new(&compute)).expect("links");
    assert_eq!(program.statistics(&compute), compute.stats, "there is nothing else in it");
    let main = compiler.compile(&mut scratch, Input::wgsl(FRAGMENT), &key).expect("compiles");
    let mut epilog = EpilogKey::new(&main.info.fragment);
    (epilog.targets[0], epilog.samples) = (Some(Target::new(ColourFormat::Rgba8Unorm)), 4);
    let mut epilog = compiler.fragment_epilog(&mut scratch, &epilog, &key).expect("an epilog");
    let mut stats = |sample_loop: Option<u8>| {
        // The same parts, said to run for each sample.
        let mut main = main.clone();
        main.info.fragment.sample_shading = sample_loop.is_some();
        let PartKey::FragmentEpilog(key) = &mut epilog.key else { panic!("an epilog") };
        key.sample_shading = sample_loop.is_some();
        let parts = Parts { epilog: Some(&epilog), sample_loop, ..Parts::new(&main) };
        link(&parts).expect("links").statistics(&main)
    };
    let (once, looped) = (stats(None), stats(Some(4)));
    let count = |code: &[u8]| agx_isa::disasm::listing(code, false).lines().count() as u32;
    // Including its final `stop`.
    assert_eq!(once.instructions, main.stats.instructions + count(&epilog.code) + 1);
    assert_eq!(looped.instructions - once.instructions, 8, "two set up, six continue or leave");
    assert_eq!((once.loops, looped.loops), (0, 1));
    assert_eq!(once.preamble_instructions, main.stats.preamble_instructions);
    let value =
        |key: &str| FIGURES.iter().find(|figure| figure.key == key).map(|figure| (figure.value)(&once));
    assert!(value("code_bytes") > Some(main.stats.code_bytes + epilog.code.len() as u32));
    assert!(value("cycles") > Some(main.stats.cycles));
}

#[test]
fn a_vertex_prolog_never_raises_the_registers_of_the_main_part() {
    let info = ShaderInfo { stage: Stage::Vertex, gpr_halves: 24, ..ShaderInfo::default() };
    let linked = |halves| {
        let prolog = part(PartKey::VertexProlog(VertexPrologKey::new(&info, |_| None)), halves);
        link(&Parts {
            main: &[],
            info: &info,
            prolog: Some(&prolog),
            epilog: None,
            sample_loop: None,
            outputs: None,
        })
        .map(|program| program.gpr_halves)
    };
    assert_eq!(linked(24), Ok(24));
    assert_eq!(linked(25), Err(LinkError::PrologRaisesRegisters { prolog: 25, main: 24 }));
}

#[test]
fn parts_stand_where_they_belong() {
    let [prolog, epilog] = around(&info(0), [1, 1]);
    let of = |stage, prolog, epilog, sample_loop| {
        let info = ShaderInfo { stage, gpr_halves: 8, ..ShaderInfo::default() };
        link(&Parts { main: &[], info: &info, prolog, epilog, sample_loop, outputs: None }).err()
    };
    let role = |wanted, found| Some(LinkError::Role { wanted, found });
    let no = |stage, role| Some(LinkError::Stage { stage, role });
    let (first, last) = (PartRole::Prolog, PartRole::Epilog);
    assert_eq!(of(Stage::Fragment, Some(&epilog), None, None), role(first, last));
    assert_eq!(of(Stage::Fragment, None, Some(&prolog), None), role(last, first));
    assert_eq!(of(Stage::Vertex, None, Some(&epilog), None), no(Stage::Vertex, last));
    assert_eq!(of(Stage::Compute, Some(&prolog), None, None), no(Stage::Compute, first));
    assert_eq!(of(Stage::Fragment, None, None, Some(3)), Some(LinkError::Samples { samples: 3 }));
}
