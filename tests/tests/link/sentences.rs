//! Rules of the ABI for parts from different sources: main parts from the compiler between handwritten parts.

use agx_abi::fragment::SAMPLES;
use agx_abi::tile::ColourFormat;
use agx_abi::vertex::{self, Attribute, RunsAs};
use agx_abi::vertex_format::{VertexFormat, names};
use agx_abi::{ShaderInfo, Stage};
use agx_compiler::link::{
    Assembly, AttributeKey, EpilogKey, FragmentPrologKey, IndexSize, LinkPart, PartKey, Parts, Target,
    VertexPrologKey,
};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_emulator::{Framebuffer, Tests};
use agx_isa::disasm::{Piece, disassemble};
use agx_isa::inst::{Operand, Size, Tag};
use agx_isa::table::Opcode;

use super::support::{Code, checked, epilog, shade};

/// Half registers of a lane.
const ALL_HALVES: u16 = 256;

/// A fragment shader with branches and a loop; no two pixels have the same colour.
const SHADER: &str = "
@fragment fn main(@builtin(position) place: vec4<f32>) -> @location(0) vec4<u32> {
    let x = u32(place.x);
    let y = u32(place.y);
    var sum = 100u * y;
    for (var i = 0u; i < x; i++) {
        if (i & 1u) == y { sum += 3u; } else { sum += 5u; }
    }
    return vec4<u32>(sum, x, y, 7u);
}";

fn compiled(sample_shading: bool) -> CompiledShader {
    let mut key = CompileKey::default();
    (key.stage, key.sample_shading) = (Some(Stage::Fragment), sample_shading);
    Compiler::default().compile(&mut Scratch::default(), Input::wgsl(SHADER), &key).expect("compiles")
}

fn key(shader: &CompiledShader) -> EpilogKey {
    let mut key = EpilogKey::new(&shader.info.fragment);
    key.targets[0] = Some(Target::new(ColourFormat::Rgba32Uint));
    key
}

/// The resulting samples of a program.
fn picture(parts: &Parts<'_>, samples: u32) -> Vec<[u32; 4]> {
    let mut framebuffer = Framebuffer::new(8, 4, samples, 16);
    shade(&checked(parts), parts.info, &mut framebuffer, [0.0; 4], 0.5, Tests::default());
    let places = (0..4).flat_map(|y| (0..8).map(move |x| (x, y)));
    let all = places.flat_map(|(x, y)| (0..samples).map(move |sample| (x, y, sample)));
    all.map(|(x, y, sample)| {
        let bytes = framebuffer.colour(x, y, sample).expect("inside");
        [0, 4, 8, 12].map(|at| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four")))
    })
    .collect()
}

#[test]
fn when_sample_shading_is_disabled_the_prolog_may_clobber_whatever_registers_it_pleases() {
    let shader = compiled(false);
    let epilog = epilog(&key(&shader));
    let code = (1..ALL_HALVES).fold(Code::default(), |code, half| code.half(half as u8, 0xdead)).0;
    let key = PartKey::FragmentProlog(FragmentPrologKey::default());
    let mut prolog = LinkPart::new(key, shader.info.target);
    (prolog.code, prolog.gpr_halves) = (code, ALL_HALVES);
    let plain = Parts { epilog: Some(&epilog), ..Parts::new(&shader) };
    let wanted: Vec<[u32; 4]> = picture(&plain, 1);
    assert_eq!(wanted[8 + 3], [100 + 5 + 3 + 5, 3, 1, 7], "pixel 3, 1");
    assert_eq!(picture(&Parts { prolog: Some(&prolog), ..plain }, 1), wanted);
}

#[test]
fn at_the_end_r0l_is_0_and_r0h_preserved_if_sample_shading_is_enabled() {
    let shader = compiled(true);
    assert!(shader.info.fragment.sample_shading);
    let mut key = key(&shader);
    key.samples = 4;
    // The contents of r0h replace a component. A lane with a nonzero r0l would be inactive.
    let register = agx_abi::fragment::colour_register(0, 1).expect("a register");
    let operands = [
        ("dst", Operand::reg(register, Size::B32)),
        ("a", Operand::reg(SAMPLES, Size::B16)),
        ("b", Operand::imm(0)),
    ];
    let seen = Code::default().op(Opcode::Iadd, &operands);
    let mut epilog = epilog(&key);
    epilog.code = [seen.0, epilog.code].concat();
    let parts = Parts { epilog: Some(&epilog), sample_loop: Some(4), ..Parts::new(&shader) };
    for (at, found) in picture(&parts, 4).into_iter().enumerate() {
        assert_eq!([found[1], found[3]], [1 << (at % 4), 7], "sample {at}");
    }
}

#[test]
fn vertex_prologs_have_no_uniforms_for_preambles_or_constants() {
    for (index, name) in names().into_iter().enumerate() {
        let format = VertexFormat::from_name(&name).expect("a format");
        let source = |location| {
            Some(AttributeKey { divisor: Some(3), alignment: 1, ..AttributeKey::new(location, format, 37) })
        };
        let compute = index % 2 == 1;
        let runs_as = if compute { RunsAs::Compute } else { RunsAs::Vertex };
        let attributes = [0, 1].map(|location| Attribute { location, components: 0xf }).to_vec();
        let info = ShaderInfo { stage: Stage::Vertex, attributes, runs_as, ..ShaderInfo::default() };
        let mut key = VertexPrologKey::new(&info, source);
        key.assembly = Assembly { index: compute.then_some(IndexSize::B16), ..Assembly::default() };
        key.gpr_halves = ALL_HALVES;
        let prolog = Compiler::default().vertex_prolog(&mut Scratch::default(), &key, &CompileKey::default());
        let lines = disassemble(&prolog.expect("a prolog").code);
        let reserved = vertex::reserved_halves(2, runs_as);
        let mut read = 0;
        for line in &lines {
            let Piece::Inst(inst) = line.piece else { panic!("{name}: {line:?}") };
            assert_ne!(inst.op, Opcode::UniformStore, "{name}");
            for operand in inst.op.desc().operands.iter().filter_map(|operand| inst.operand(operand.name)) {
                if operand.tag == Tag::Uniform {
                    read += 1;
                    let end = u32::from(operand.size.halves()) + operand.value;
                    assert!(end <= reserved, "{name} reads u{}", operand.value);
                }
            }
        }
        assert!(read >= 4, "{name}: bases and clamps are read");
    }
}
