//! Vertex prologs: every format, compared with a decoder in this test.

use agx_abi::vertex::{self, Attribute, RunsAs};
use agx_abi::vertex_format::{VertexFormat, VertexNumeric, names};
use agx_abi::{InterfaceUniform, PartRole, ShaderInfo, Stage, Target, UniformSource};
use agx_compiler::link::{
    Assembly, AttributeKey, EpilogKey, IndexSize, LinkedProgram, Parts, Primitives, Target as RenderTarget,
    VertexPrologKey, link,
};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_emulator::launch::{AttributeData, DrawLaunch, StageProgram};
use agx_emulator::{
    Access, Cull, Dispatch, Framebuffer, Memory, Options, Program, States, Tests, Topology, Viewport,
    dispatch,
};
use agx_isa::inst::{Operand, Size};
use agx_isa::table::Opcode;
use agx_isa::validate::{Limits, validate};
use half::f16;

use super::support::{Code, Numbers};

/// Vertices per row, and rows of instances; each writes its attribute to a separate pixel.
const SIZE: [u32; 2] = [16, 4];

/// The location that the shader reads.
const LOCATION: u32 = 3;

const SHADERS: &str = "
struct Varyings { @builtin(position) position: vec4<f32>, @location(0) @interpolate(flat) value: vec4<u32> }

@vertex fn vertex(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32, @location(3) value: vec4<u32>) -> Varyings {
    let place = (vec2<f32>(f32(v % 16u), f32(i % 4u)) + 0.5) / vec2<f32>(16.0, 4.0);
    return Varyings(vec4<f32>(place * 2.0 - 1.0, 0.0, 1.0), value);
}

@fragment fn fragment(in: Varyings) -> @location(0) vec4<u32> { return in.value; }
";

struct Shaders {
    vertex: CompiledShader,
    fragment: CompiledShader,
    program: LinkedProgram,
}

fn compile(stage: Stage) -> CompiledShader {
    let mut key = CompileKey::default();
    key.stage = Some(stage);
    Compiler::default().compile(&mut Scratch::default(), Input::wgsl(SHADERS), &key).expect("compiles")
}

fn main_part(shader: &CompiledShader) -> &[u8] {
    shader.part(PartRole::Main).expect("a main part")
}

impl Shaders {
    fn new() -> Shaders {
        let (vertex, fragment) = (compile(Stage::Vertex), compile(Stage::Fragment));
        let mut key = EpilogKey::new(&fragment.info.fragment);
        let format = agx_abi::tile::ColourFormat::Rgba32Uint;
        key.targets[0] = Some(RenderTarget::new(format));
        let epilog = Compiler::new(Target::default())
            .fragment_epilog(&mut Scratch::default(), &key, &CompileKey::default())
            .expect("an epilog");
        let parts = Parts {
            main: main_part(&fragment),
            info: &fragment.info,
            prolog: None,
            epilog: Some(&epilog),
            sample_loop: None,
            outputs: None,
        };
        let program = link(&parts).expect("parts fit");
        Shaders { vertex, fragment, program }
    }

    /// The attribute in the shader, for each vertex and instance.
    fn run(&self, source: Option<AttributeKey>, data: &[u8], offset: usize, base: [u32; 2]) -> Vec<[u32; 4]> {
        let key = VertexPrologKey::new(&self.vertex.info, |location| source.filter(|_| location == LOCATION));
        let program = prologued(main_part(&self.vertex), &self.vertex.info, &key);
        let mut framebuffer = Framebuffer::new(SIZE[0], SIZE[1], 1, 16);
        let vertices: Vec<u32> = (0..SIZE[0]).map(|vertex| vertex + base[0]).collect();
        let element_bytes = source.map_or(4, |source| source.format.bytes.into());
        let stride = source.map_or(0, |source| source.stride as usize);
        let launch = DrawLaunch {
            vertex: stage_of(&program, &self.vertex.info),
            fragment: stage_of(&self.program, &self.fragment.info),
            buffers: &mut [],
            textures: &mut [],
            samplers: &[],
            attributes: &[AttributeData { bytes: data, offset, stride, element_bytes }],
            targets: &mut [],
            blend_constant: [0.0; 4],
            stipple: None,
            base,
            topology: Topology::Points,
            vertices: &vertices,
            instances: SIZE[1],
            viewport: Viewport {
                x: 0.0,
                y: 0.0,
                width: SIZE[0] as f32,
                height: SIZE[1] as f32,
                min_depth: 0.0,
                max_depth: 1.0,
            },
            scissor: None,
            front_counter_clockwise: false,
            cull: Cull::None,
            tests: Tests::default(),
            late_tests: self.program.late_tests,
            options: Options::default(),
        };
        let report = launch.run(&mut framebuffer).expect("runs");
        assert_eq!(report.findings, []);
        let words = |x, y| {
            let bytes = framebuffer.colour(x, y, 0).expect("inside");
            [0, 4, 8, 12].map(|at| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four")))
        };
        // The y axis of the window is opposite to that of clip space.
        let places = (0..SIZE[1]).flat_map(|i| (0..SIZE[0]).map(move |v| (v, i)));
        places.map(|(v, i)| words((v + base[0]) % SIZE[0], (i + base[1]) % SIZE[1])).collect()
    }
}

fn stage_of<'a>(program: &'a LinkedProgram, info: &'a ShaderInfo) -> StageProgram<'a> {
    StageProgram {
        code: &program.code,
        preamble: None,
        info,
        scratch_bytes: program.scratch_bytes,
        push_constants: &[],
    }
}

/// Links a prolog with a main part, validates the program, and checks that it needs no more registers than the main
/// part.
fn prologued(main: &[u8], info: &ShaderInfo, key: &VertexPrologKey) -> LinkedProgram {
    let mut options = CompileKey::default();
    options.validate = true;
    let prolog = Compiler::default()
        .vertex_prolog(&mut Scratch::default(), key, &options)
        .unwrap_or_else(|error| panic!("{error}: {key:?}"));
    let program =
        link(&Parts { main, info, prolog: Some(&prolog), epilog: None, sample_loop: None, outputs: None })
            .expect("parts fit");
    assert_eq!(program.gpr_halves, info.gpr_halves);
    assert_eq!(program.scratch_bytes, 0, "nothing is spilled: {key:?}");
    let limits = Limits {
        register_halves: program.gpr_halves,
        uniform_halves: program.uniform_halves,
        ..Limits::MACHINE
    };
    assert_eq!(validate(&program.code, limits), [], "{key:?}");
    program
}

/// A component in the shader: bits of an integer, or a float that may differ in the last place.
fn component(format: VertexFormat, at: usize, element: &[u8]) -> Result<u32, f64> {
    let field = format.fields[at];
    if field.bits == 0 {
        let one = if format.is_integer() { 1 } else { 1.0_f32.to_bits() };
        return Ok(if at == 3 { one } else { 0 });
    }
    let mut bytes = [0_u8; 16];
    bytes[..element.len()].copy_from_slice(element);
    let raw = (u128::from_le_bytes(bytes) >> field.bit) as u32 & u32::MAX >> (32 - field.bits);
    let signed = ((raw << (32 - field.bits)) as i32) >> (32 - field.bits);
    let steps = f64::from(u32::MAX >> (32 - field.bits));
    match (format.numeric, field.bits) {
        (VertexNumeric::Shared, _) => {
            let exponent = i32::from(element[3] >> 3);
            Err(f64::from(raw) * 2.0_f64.powi(exponent - 15 - 9))
        }
        (VertexNumeric::Uint, _) => Ok(raw),
        (VertexNumeric::Sint, _) => Ok(signed.cast_unsigned()),
        (VertexNumeric::Uscaled, _) => Err(f64::from(raw)),
        (VertexNumeric::Sscaled, _) => Err(f64::from(signed)),
        (VertexNumeric::Unorm, _) => Err(f64::from(raw) / steps),
        (VertexNumeric::Snorm, _) => Err((f64::from(signed) / ((steps - 1.0) / 2.0)).max(-1.0)),
        (_, 32) => Ok(raw),
        (_, 16) => Err(f16::from_bits(raw as u16).to_f64()),
        (_, bits) => {
            let mantissa = bits - 5;
            let fraction = f64::from(raw & ((1 << mantissa) - 1)) / f64::from(1 << mantissa);
            let exponent = (raw >> mantissa) as i32;
            Err(match exponent {
                0 => fraction * 2.0_f64.powi(-14),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                _ => (1.0 + fraction) * 2.0_f64.powi(exponent - 15),
            })
        }
    }
}

fn check(format: VertexFormat, element: &[u8], found: [u32; 4], what: &str) {
    for (at, bits) in found.into_iter().enumerate() {
        match component(format, at, element) {
            Ok(wanted) => assert_eq!(bits, wanted, "{what}, component {at} of {element:x?}"),
            Err(wanted) => {
                let value = f64::from(f32::from_bits(bits));
                let same = value == wanted || (value.is_nan() && wanted.is_nan());
                let near = (value - wanted).abs() <= wanted.abs() * 2.0_f64.powi(-22);
                let ends = wanted.abs() != 1.0 && near;
                assert!(same || ends, "{what}, component {at} of {element:x?}: {value}, not {wanted}");
            }
        }
    }
}

fn random(count: usize, numbers: &mut Numbers) -> Vec<u8> {
    (0..count).map(|_| [0, 0xff, 0x80, 0x7f, numbers.below(256) as u8][numbers.below(5) as usize]).collect()
}

#[test]
fn every_format_is_fetched_aligned_and_not() {
    let shaders = Shaders::new();
    let mut numbers = Numbers::new(11);
    for name in names() {
        let format = VertexFormat::from_name(&name).expect("a format");
        let bytes = usize::from(format.bytes);
        let tight = bytes.next_multiple_of(usize::from(format.unit_bits() / 8));
        for (stride, offset, alignment) in [(tight, 0, 16), (tight + 8, 8, 8), (bytes + 1, 3, 1)] {
            let data = random(offset + stride * SIZE[0] as usize, &mut numbers);
            for location in 0..format.locations() {
                // The shader reads the second location of a wide attribute at the previous one.
                let key = AttributeKey::new(LOCATION - location, format, stride as u32);
                let source = AttributeKey { alignment, ..key };
                let found = shaders.run(Some(source), &data, offset, [0, 0]);
                for (vertex, found) in found.into_iter().enumerate() {
                    let start = offset + stride * (vertex % SIZE[0] as usize);
                    let element = &data[start..start + bytes];
                    let what = format!("{name}, stride {stride}");
                    match name.contains("64") {
                        true => check_wide(&element[16 * location as usize..], found, &what),
                        false => check(format, element, found, &what),
                    }
                }
            }
        }
    }
}

/// Components of 64 bits are words, which continue in the next location.
fn check_wide(rest: &[u8], found: [u32; 4], what: &str) {
    for (word, found) in rest.chunks_exact(4).zip(found) {
        assert_eq!(found, u32::from_le_bytes(word.try_into().expect("four")), "{what}");
    }
}

#[test]
fn a_wide_attribute_goes_on_in_the_location_after_its_own() {
    let shaders = Shaders::new();
    let of = |name| VertexFormat::from_name(name).expect("a format");
    let found = |location, name| {
        let key = AttributeKey::new(location, of(name), 32);
        let all = VertexPrologKey::new(&shaders.vertex.info, |at| Some(key).filter(|_| at == location));
        let [fetch] = all.attributes[..] else { panic!("one attribute: {all:?}") };
        assert_eq!(fetch.attribute, Attribute { location: LOCATION, components: 0xf });
        fetch.source.map(|source| (source.location, source == key))
    };
    assert_eq!(found(LOCATION - 1, "R64G64B64_SFLOAT"), Some((LOCATION - 1, true)));
    assert_eq!(found(LOCATION - 1, "R64G64_SFLOAT"), None);
    assert_eq!(found(LOCATION, "R64G64B64_SFLOAT"), Some((LOCATION, true)));
}

#[test]
fn instances_step_by_the_divisor_from_the_base() {
    let shaders = Shaders::new();
    let format = VertexFormat::from_name("R32G32B32A32_UINT").expect("a format");
    let data: Vec<u8> = (0..64_u32).flat_map(u32::to_le_bytes).collect();
    for (divisor, base) in [(1, [0, 0]), (2, [0, 0]), (3, [5, 1]), (0, [2, 3])] {
        let source =
            AttributeKey { divisor: Some(divisor), alignment: 16, ..AttributeKey::new(LOCATION, format, 16) };
        let found = shaders.run(Some(source), &data, 0, base);
        for (at, found) in found.into_iter().enumerate() {
            let instance = at as u32 / SIZE[0];
            let element = base[1] + instance.checked_div(divisor).unwrap_or(0);
            assert_eq!(found[0], 4 * element, "instance {instance}, divisor {divisor}, base {base:?}");
        }
    }
}

#[test]
fn elements_outside_the_buffer_are_not_fetched() {
    let shaders = Shaders::new();
    let format = VertexFormat::from_name("R32_UINT").expect("a format");
    let source = AttributeKey::new(LOCATION, format, 4);
    let data: Vec<u8> = (10..15_u32).flat_map(u32::to_le_bytes).collect();
    let found = shaders.run(Some(source), &data, 0, [0, 0]);
    for (vertex, found) in found[..16].iter().enumerate() {
        assert_eq!(*found, [10 + vertex.min(4) as u32, 0, 0, 1]);
    }
    let exact = AttributeKey { exact: true, ..source };
    let found = shaders.run(Some(exact), &data, 0, [0, 0]);
    for (vertex, found) in found[..16].iter().enumerate() {
        assert_eq!(*found, [if vertex < 5 { 10 + vertex as u32 } else { 0 }, 0, 0, 1]);
    }
    // Neither bytes nor instances past the last element.
    let bytes = AttributeKey { alignment: 1, ..source };
    let found = shaders.run(Some(bytes), &[&[7], data.as_slice()].concat(), 1, [0, 0]);
    assert_eq!([3, 4, 5, 15].map(|at: usize| found[at][0]), [13, 14, 14, 14]);
    let instances = AttributeKey { divisor: Some(1), ..source };
    let found = shaders.run(Some(instances), &data, 0, [0, 3]);
    assert_eq!([0, 16, 32, 48].map(|at: usize| found[at][0]), [13, 14, 14, 14]);
    let one = AttributeKey { stride: 0, ..source };
    assert!(
        shaders.run(Some(one), &data, 0, [0, 0]).iter().all(|found| found[0] == 10),
        "every vertex the same"
    );
    assert_eq!(shaders.run(Some(source), &data[..3], 0, [0, 0])[5], [0, 0, 0, 1], "nothing inside");
    assert_eq!(shaders.run(None, &[], 0, [0, 0])[5], [0, 0, 0, 1.0_f32.to_bits()], "no buffer");
}

#[test]
fn thirty_attributes_fit_into_the_registers_of_a_main_part_that_reads_them() {
    let format = VertexFormat::from_name("A2R10G10B10_SNORM_PACK32").expect("a format");
    let source = |location| {
        Some(AttributeKey { divisor: Some(3), alignment: 1, ..AttributeKey::new(location, format, 5) })
    };
    let attributes = (0..30).map(|location| Attribute { location, components: 0xf }).collect();
    let info = ShaderInfo {
        stage: Stage::Vertex,
        attributes,
        gpr_halves: 256,
        uniform_halves: 185,
        ..ShaderInfo::default()
    };
    let key = VertexPrologKey::new(&info, source);
    prologued(&[], &info, &key);
}

#[test]
fn a_compute_prolog_fetches_indices() {
    let indices: [(IndexSize, &[u8]); 3] = [
        (IndexSize::B8, &[9, 8, 200]),
        (IndexSize::B16, &[9, 0, 8, 0, 200, 0]),
        (IndexSize::B32, &[9, 0, 0, 0, 8, 0, 0, 0, 200, 0, 0, 0]),
    ];
    let format = VertexFormat::from_name("R16_UINT").expect("a format");
    let attribute = AttributeKey::new(LOCATION, format, 2);
    for (size, bytes) in indices {
        let index = Assembly { index: Some(size), primitives: Primitives::List };
        // Indices 9, 8, 200; past their end 0; all relative to the base vertex 100.
        assert_eq!(compute(index, bytes, None), [109, 0, 108, 0, 300, 0, 100, 0, 100, 0], "{index:?}");
        // The elements are 1000 and up; the last is that of vertex 250.
        let wanted = [109, 1109, 108, 1108, 300, 1250, 100, 1100, 100, 1100];
        assert_eq!(compute(index, bytes, Some(attribute)), wanted, "{index:?}");
    }
}

/// Each primitive's vertices in the order of Vulkan's tables of primitive topologies.
#[test]
fn a_compute_prolog_takes_strips_and_fans_apart() {
    let bytes: Vec<u8> = (0..8).collect();
    let cases = [
        (Primitives::LineStrip, vec![0, 1, 1, 2, 2, 3]),
        (Primitives::TriangleStrip { last_provokes: false }, vec![0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4]),
        (Primitives::TriangleStrip { last_provokes: true }, vec![0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5]),
        (Primitives::TriangleFan { last_provokes: false }, vec![1, 2, 0, 2, 3, 0, 3, 4, 0]),
        (Primitives::TriangleFan { last_provokes: true }, vec![0, 1, 2, 0, 2, 3, 0, 3, 4]),
    ];
    for (primitives, expected) in cases {
        let assembly = Assembly { index: Some(IndexSize::B8), primitives };
        let found = run_compute(&with_stores(None, assembly), &bytes, [8, expected.len() as u32], false);
        let numbers: Vec<u32> = found.chunks(2).map(|pair| pair[0] - 100).collect();
        assert_eq!(numbers, expected, "{primitives:?}");
    }
}

fn compute(assembly: Assembly, indices: &[u8], attribute: Option<AttributeKey>) -> Vec<u32> {
    run_compute(&with_stores(attribute, assembly), indices, [3, 5], attribute.is_some())
}

/// A compute prolog and a main part that stores r5 and r6, or the attribute instead of r6.
fn with_stores(attribute: Option<AttributeKey>, assembly: Assembly) -> LinkedProgram {
    let read = attribute.map(|_| Attribute { location: LOCATION, components: 1 });
    let reserved = vertex::reserved_halves(read.into_iter().len() as u32, RunsAs::Compute) as u16;
    // Two words at the buffer whose address follows the prolog's uniforms: r5 and the attribute, or r5 and r6.
    let grid = Operand::reg(4, Size::B32);
    let mut code = Code::default().op(Opcode::Mfsr, &[("dst", grid), ("sr", Operand::imm(80))]);
    if attribute.is_some() {
        let [from, to] = [16, 12].map(|half| Operand::reg(half, Size::B32));
        code = code.op(Opcode::Iadd, &[("dst", to), ("a", from), ("b", Operand::imm(0))]);
    }
    let code = code.op(
        Opcode::Store,
        &[
            ("data", Operand::reg(10, Size::B32)),
            ("base", Operand::uniform(reserved.next_multiple_of(4), Size::B64)),
            ("index", grid),
            ("mask", Operand::imm(3)),
            ("shift", Operand::imm(1)),
        ],
    );
    let uniform_halves = reserved.next_multiple_of(4) + 4;
    let info = ShaderInfo {
        stage: Stage::Vertex,
        runs_as: RunsAs::Compute,
        attributes: read.into_iter().collect(),
        gpr_halves: 24,
        uniform_halves,
        ..ShaderInfo::default()
    };
    let mut key = VertexPrologKey::new(&info, |_| attribute);
    key.assembly = assembly;
    prologued(&code.0, &info, &key)
}

/// Runs this number of lanes with this number of indices and base vertex 100; returns two words of each.
fn run_compute(
    program: &LinkedProgram,
    indices: &[u8],
    [count, lanes]: [u32; 2],
    attribute: bool,
) -> Vec<u32> {
    let mut memory = Memory::new();
    let (assembly, list, out, data) = (0x1_0000_u64, 0x2_0000_u64, 0x3_0000_u64, 0x4_0000_u64);
    let state: Vec<u8> = [list.to_le_bytes(), u64::from(count).to_le_bytes()].concat();
    let elements = (1000..=1250_u16).flat_map(u16::to_le_bytes).collect();
    memory.map(assembly, state, Access::READ).expect("maps");
    memory.map(list, indices.to_vec(), Access::READ).expect("maps");
    memory.map(data, elements, Access::READ).expect("maps");
    let bytes = 8 * lanes as usize;
    memory.map(out, vec![0; bytes], Access::READ | Access::WRITE).expect("maps");
    let halves = |address: u64| [0, 16, 32, 48].map(|shift| (address >> shift) as u16);
    let mut uniforms = Vec::new();
    for range in vertex::uniforms(u32::from(attribute), RunsAs::Compute) {
        uniforms.resize(range.start.into(), 0);
        uniforms.extend(match range.source {
            UniformSource::Interface(InterfaceUniform::AttributeBase { .. }) => halves(data).to_vec(),
            UniformSource::Interface(InterfaceUniform::AttributeClamp { .. }) => vec![250, 0],
            UniformSource::Interface(InterfaceUniform::BaseVertexAndInstance) => vec![100, 0, 0, 0],
            UniformSource::Interface(InterfaceUniform::DrawNumber) => vec![0],
            _ => halves(assembly).to_vec(),
        });
    }
    uniforms.resize(uniforms.len().next_multiple_of(4), 0);
    uniforms.extend(halves(out));
    let report = dispatch(
        &mut memory,
        &Dispatch {
            program: &Program::new(&program.code),
            preamble: None,
            uniforms: &uniforms,
            states: States::default(),
            workgroups: [1, 1, 1],
            workgroup_size: [lanes, 1, 1],
            threads: None,
            tile: None,
            local_bytes: 0,
            scratch_bytes: 0,
            options: Options::default(),
        },
    )
    .expect("runs");
    assert_eq!(report.findings, []);
    let bytes = memory.bytes(out, bytes).expect("mapped");
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("4"))).collect()
}

/// The hardware writes the vertex number, whether or not the program reads it.
#[test]
fn a_vertex_program_has_the_register_of_the_vertex_number() {
    let input = Input::glsl("#version 450\nvoid main() { gl_Position = vec4(0.0); }", Stage::Vertex);
    let compiler = Compiler::new(Target::default());
    let main = compiler.compile(&mut Scratch::default(), input, &CompileKey::default()).expect("compiles");
    assert_eq!(main.info.gpr_halves, 12);
}
