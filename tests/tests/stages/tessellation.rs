//! Tessellation shaders: control shaders run as compute shaders and store a record for each patch, evaluation shaders load
//! their domain point and its record.

use agx_abi::tessellation::{
    Domain, IS_TRIANGLE, PATCH_NUMBER, PatchLayout, Row, Rows, Spacing, TessellationInfo,
};
use agx_abi::vertex::{Output, RunsAs};
use agx_abi::{PartRole, Stage, UniformSource};
use agx_compiler::{CompileKey, CompiledShader, Input};
use agx_emulator::{Access, Memory};
use agx_tests::driver::compile;
use agx_tests::launched::{launch, uniforms};

use super::{as_compute, compiled};

const PATCHES: usize = 3;
const INSTANCES: usize = 2;
const INPUT_VERTICES: usize = 3;
const OUTPUT_VERTICES: usize = 4;
/// Words of an input vertex: the position, and three locations.
const INPUT_WORDS: usize = 16;
/// Words of a record: the header, two locations, four vertices of five rows.
const RECORD_WORDS: usize = 8 + 2 * 4 + OUTPUT_VERTICES * 20;
const INPUTS: u64 = 0x1_0000;
const RECORDS: u64 = 0x2_0000;
const POINTS: u64 = 0x4_0000;
const OUTPUTS: u64 = 0x5_0000;
/// Contents of words that nothing stores.
const UNTOUCHED: u32 = 0xaaaa_aaaa;

fn control() -> CompiledShader {
    let mut key = CompileKey::default();
    (key.validate, key.stage) = (true, Some(Stage::Compute));
    key.tessellation = Some(PatchLayout::default());
    compiled("patches.tesc", &key)
}

fn rows(all: &[Row]) -> Rows {
    let mut rows = Rows::default();
    all.iter().for_each(|row| rows.insert(*row));
    rows
}

fn record() -> PatchLayout {
    let locations = [0, 2, 3, 4].map(Row::Location);
    PatchLayout {
        patch: rows(&[Row::Location(8), Row::Location(9)]),
        vertex: rows(&[&[Row::Position], locations.as_slice()].concat()),
        vertices: OUTPUT_VERTICES as u32,
    }
}

/// The word of an input vertex, counted through all instances.
fn input(vertex: usize, word: usize) -> f32 {
    (vertex * 16 + word) as f32
}

fn words(memory: &Memory, address: u64, count: usize) -> Vec<u32> {
    let bytes = memory.bytes(address, 4 * count).expect("mapped");
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn map(memory: &mut Memory, address: u64, words: &[u32]) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.map(address, bytes, Access::READ | Access::WRITE).expect("maps");
}

/// The record of a patch after `patches.tesc`, by its meaning.
fn expected(number: usize) -> Vec<u32> {
    let patch = number % PATCHES;
    let vertex = |id: usize| number * INPUT_VERTICES + id % INPUT_VERTICES;
    let position = |id: usize, word: usize| input(vertex(id), word) + patch as f32;
    let mut record = [10.0, 11.0, 12.0, 13.0, 20.0, 21.0_f32].map(f32::to_bits).to_vec();
    record.extend([patch as u32, 0]);
    for id in 0..OUTPUT_VERTICES {
        let next = (id + 1) % OUTPUT_VERTICES;
        let sum = (next * next) as f32 + position(next, 3);
        record.extend([input(vertex(next), 4), sum].map(f32::to_bits));
    }
    for id in 0..OUTPUT_VERTICES {
        let f = if id % 2 == 0 { [id as f32, -1.0] } else { [-1.0, id as f32] };
        let word = |value: f32| value.to_bits();
        record.extend([0, 1, 2, 3].map(|at| word(position(id, at))));
        let b = [input(vertex(id), 4), input(vertex(id), 5), input(vertex(id + 1), 13)];
        record.extend(b.map(word).into_iter().chain([UNTOUCHED]));
        for value in [word(f[0]), word(f[1]), (id * id) as u32] {
            record.extend([value, UNTOUCHED, UNTOUCHED, UNTOUCHED]);
        }
    }
    record
}

#[test]
fn a_control_shader_stores_a_record_for_each_patch() {
    let shader = control();
    let mut memory = Memory::new();
    let vertices = PATCHES * INSTANCES * INPUT_VERTICES;
    let inputs = (0..vertices).flat_map(|at| (0..INPUT_WORDS).map(move |word| input(at, word).to_bits()));
    map(&mut memory, INPUTS, &inputs.collect::<Vec<u32>>());
    let count = PATCHES * INSTANCES * RECORD_WORDS;
    map(&mut memory, RECORDS, &vec![UNTOUCHED; count]);
    let uniforms = uniforms(&shader.info, |source| match source {
        UniformSource::VertexOutputs => INPUTS,
        UniformSource::PatchOutputs => RECORDS,
        UniformSource::PatchVertices => INPUT_VERTICES as u64,
        UniformSource::VertexCount => (PATCHES * OUTPUT_VERTICES) as u64,
        source => panic!("unexpected uniform {source}"),
    });
    let code = shader.part(PartRole::Main).expect("a main part");
    let size = [(PATCHES * OUTPUT_VERTICES) as u32, INSTANCES as u32];
    launch(&shader, code, &mut memory, &uniforms, size);
    let found = words(&memory, RECORDS, count);
    for (number, found) in found.chunks(RECORD_WORDS).enumerate() {
        assert_eq!(found, expected(number), "patch {number}");
    }
}

#[test]
fn an_evaluation_shader_loads_its_domain_point_and_record() {
    let mut key = CompileKey::default();
    (key.validate, key.stage, key.vertex_as_compute) = (true, Some(Stage::Vertex), true);
    key.tessellation = Some(record());
    let shader = compiled("patches.tese", &key);
    assert_eq!(shader.info.runs_as, RunsAs::Compute);
    let program = as_compute::program(&shader);
    let points = [(0.0_f32, 0.25_f32, 1_u32), (1.0, 0.5, 0), (0.5, 1.0, 4), (0.7, 0.0, 5)];
    let mut memory = Memory::new();
    let list: Vec<u32> = points.iter().flat_map(|(u, v, patch)| [u.to_bits(), v.to_bits(), *patch]).collect();
    map(&mut memory, POINTS, &list);
    let records: Vec<u32> = (0..PATCHES * INSTANCES).flat_map(expected).collect();
    map(&mut memory, RECORDS, &records);
    map(&mut memory, OUTPUTS, &[UNTOUCHED; 13 * 4]);
    let uniforms = uniforms(&shader.info, |source| match source {
        UniformSource::PatchOutputs => RECORDS,
        UniformSource::DomainPoints => POINTS,
        UniformSource::VertexOutputs => OUTPUTS,
        UniformSource::VertexCount => points.len() as u64,
        UniformSource::Interface(_) => 0,
        source => panic!("unexpected uniform {source}"),
    });
    launch(&shader, &program.code, &mut memory, &uniforms, [points.len() as u32, 1]);
    let outputs = words(&memory, OUTPUTS, 13 * points.len());
    let number = shader.info.varyings.iter().find(|varying| varying.output == Output::PrimitiveId);
    let number = number.map(|varying| usize::from(varying.slot)).expect("the number of the patch");
    for ((u, v, patch), found) in points.iter().zip(outputs.chunks(13)) {
        assert_eq!(found[number] as usize, *patch as usize % PATCHES, "number of the patch");
        let found = [&found[..number], &found[number + 1..]].concat();
        let k = (u * 3.0) as usize;
        let record = expected(*patch as usize);
        let vertex = |id: usize, word: usize| f32::from_bits(record[16 + 20 * id + word]);
        let number = (*patch as usize % PATCHES + OUTPUT_VERTICES) as f32;
        let position = [0, 1, 2, 3].map(|word| vertex(k, word));
        let c = [vertex(k, 6), vertex(k, 12), vertex(3, 16).to_bits() as f32, f32::from_bits(record[15])];
        let d = [*v, 12.0, 21.0, number];
        let wanted = [position, c, d].concat();
        let found: Vec<f32> = found.iter().map(|word| f32::from_bits(*word)).collect();
        assert_eq!(found, wanted, "point {u}, {v} of patch {patch}");
    }
}

#[test]
fn the_third_coordinate_depends_on_the_domain_that_either_shader_declares() {
    assert_eq!(IS_TRIANGLE, PATCH_NUMBER + 4);
    let declared = super::spirv("coordinate.tese");
    let undeclared = without_modes(&declared);
    let cases = [(&declared, 0, 0.25), (&undeclared, 1, 0.25), (&undeclared, 0, 0.0_f32)];
    for (at, (module, word, expected)) in cases.into_iter().enumerate() {
        assert_eq!(third_coordinate(module, word).to_bits(), expected.to_bits(), "case {at}");
    }
}

#[test]
fn a_coordinate_decorated_as_one_of_the_patch_is_not_in_the_record() {
    let module = super::spirv("coordinate.tese");
    let mut words = words_of(&module);
    let starts = |at: &usize| words[*at] == DECORATE_BUILT_IN && words[at + 2..at + 4] == TESS_COORD;
    let at = (5..words.len() - 3).find(starts).expect("a decoration");
    words.splice(at..at, [DECORATE, words[at + 1], PATCH]);
    let module: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    assert_eq!(third_coordinate(&module, 0), 0.25);
}

/// First word of a decoration without operands, and with one.
const DECORATE: u32 = 3 << 16 | 71;
const DECORATE_BUILT_IN: u32 = 4 << 16 | 71;
/// The decoration as the tessellation coordinate.
const TESS_COORD: [u32; 2] = [11, 13];
/// The decoration as a variable of the patch.
const PATCH: u32 = 15;

/// The opcode of execution modes.
const EXECUTION_MODE: u32 = 16;

/// The words of a module.
fn words_of(module: &[u8]) -> Vec<u32> {
    module.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// A module without its execution modes.
fn without_modes(module: &[u8]) -> Vec<u8> {
    let mut words = words_of(module);
    let mut at = 5;
    while let Some(word) = words.get(at).copied() {
        let (op, count) = (word & 0xffff, (word >> 16) as usize);
        match op == EXECUTION_MODE {
            true => drop(words.drain(at..at + count)),
            false => at += count,
        }
    }
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// The third coordinate of a point at 1/2, 1/4 in a record with this word.
fn third_coordinate(module: &[u8], word: u32) -> f32 {
    let mut key = CompileKey::default();
    (key.validate, key.stage, key.vertex_as_compute) = (true, Some(Stage::Vertex), true);
    key.tessellation = Some(PatchLayout { vertices: 1, ..PatchLayout::default() });
    let shader = compile(Input::spirv(module), &key).expect("compiles");
    let program = as_compute::program(&shader);
    let mut memory = Memory::new();
    map(&mut memory, POINTS, &[0.5_f32.to_bits(), 0.25_f32.to_bits(), 0]);
    map(&mut memory, RECORDS, &[0, 0, 0, 0, 0, 0, 0, word]);
    map(&mut memory, OUTPUTS, &[UNTOUCHED; 5]);
    let uniforms = uniforms(&shader.info, |source| match source {
        UniformSource::PatchOutputs => RECORDS,
        UniformSource::DomainPoints => POINTS,
        UniformSource::VertexOutputs => OUTPUTS,
        UniformSource::VertexCount => 1,
        _ => 0,
    });
    launch(&shader, &program.code, &mut memory, &uniforms, [1, 1]);
    f32::from_bits(words(&memory, OUTPUTS, 3)[2])
}

#[test]
fn resources_in_the_interface_are_not_in_the_record() {
    let module = with_resources(&super::spirv("resources.tesc"));
    let mut key = CompileKey::default();
    (key.validate, key.stage) = (true, Some(Stage::Compute));
    key.tessellation = Some(PatchLayout::default());
    let shader = compile(Input::spirv(&module), &key).expect("compiles");
    let record = PatchLayout { vertices: 1, ..PatchLayout::default() };
    assert_eq!(shader.info.tessellation, Some(TessellationInfo { record, ..TessellationInfo::default() }));
}

/// A module whose entry point has all variables in its interface, as in SPIR-V 1.4.
fn with_resources(module: &[u8]) -> Vec<u8> {
    const ENTRY_POINT: u32 = 15;
    const VARIABLE: u32 = 59;
    let (words, _) = module.as_chunks::<4>();
    let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let mut instructions = Vec::new();
    let mut rest = &words[5..];
    while let Some(word) = rest.first() {
        let (instruction, after) = rest.split_at((word >> 16) as usize);
        instructions.push(instruction.to_vec());
        rest = after;
    }
    let of = |op: u32| move |inst: &&Vec<u32>| inst[0] & 0xffff == op;
    let variables: Vec<u32> = instructions.iter().filter(of(VARIABLE)).map(|inst| inst[2]).collect();
    let mut all = words[..5].to_vec();
    for mut instruction in instructions {
        if instruction[0] & 0xffff == ENTRY_POINT {
            let missing = variables.iter().filter(|id| !instruction[4..].contains(id)).copied();
            let missing: Vec<u32> = missing.collect();
            assert!(!missing.is_empty());
            instruction.extend(&missing);
            instruction[0] += (missing.len() as u32) << 16;
        }
        all.extend(instruction);
    }
    all.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[test]
fn modes_and_rows_are_reported() {
    let inputs = rows(&[Row::Position, Row::Location(0), Row::Location(1), Row::Location(2)]);
    let info = control().info;
    assert_eq!((info.stage, info.workgroup_size), (Stage::Compute, [32, 1, 1]));
    let wanted = TessellationInfo { inputs, record: record(), ..TessellationInfo::default() };
    assert_eq!(info.tessellation, Some(wanted));
    let mut key = CompileKey::default();
    (key.stage, key.tessellation) = (Some(Stage::Vertex), Some(record()));
    let wanted = TessellationInfo {
        record: record(),
        domain: Some(Domain::Quads),
        spacing: Some(Spacing::FractionalOdd),
        clockwise: Some(true),
        points: true,
        ..TessellationInfo::default()
    };
    assert_eq!(compiled("patches.tese", &key).info.tessellation, Some(wanted));
}

#[test]
fn a_vertex_shader_stores_the_rows_that_a_control_shader_reads() {
    let mut key = CompileKey::default();
    (key.validate, key.stage, key.vertex_as_compute) = (true, Some(Stage::Vertex), true);
    key.stored_rows = Some(rows(&[Row::Position, Row::PointSize, Row::Location(1)]));
    let info = compiled("screen.vert", &key).info;
    let slots: Vec<(u16, Output)> =
        info.varyings.iter().map(|varying| (varying.slot, varying.output)).collect();
    let position = (0..4).map(|at| (at, Output::Position(at.into())));
    let user = Output::User { location: 1, component: 0 };
    assert_eq!(slots, position.chain([(8, user)]).collect::<Vec<_>>());
}
