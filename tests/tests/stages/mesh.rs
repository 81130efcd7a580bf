//! Task and mesh shaders that run as compute shaders: the records of task workgroups, the vertices of mesh workgroups, and
//! the indices of their primitives; primitives that are not set or culled have restart indices.

use agx_abi::geometry::RESTART;
use agx_abi::mesh::{PAYLOAD, TABLE_ENTRY_BYTES, TABLE_HEADER_BYTES};
use agx_abi::vertex::Output;
use agx_abi::{MeshInfo, MeshKind, PartRole, Stage, UniformSource};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};
use agx_emulator::{Access, Dispatch, Memory, Options, Program, States, dispatch};
use agx_tests::launched;

use super::spirv;

const TABLE: u64 = 0x1_0000;
const RECORDS: u64 = 0x2_0000;
const TASKS: u64 = 0x4_0000;
const VERTICES: u64 = 0x8_0000;
const INDICES: u64 = 0x10_0000;
/// Contents of words that nothing stores.
const UNTOUCHED: u32 = 0xaaaa_aaaa;

fn compiled(name: &str, kind: MeshKind) -> CompiledShader {
    let mut key = CompileKey::default();
    (key.validate, key.stage, key.mesh) = (true, Some(Stage::Compute), Some(kind));
    let bytes = spirv(name);
    Compiler::default().compile(&mut Scratch::default(), Input::spirv(&bytes), &key).expect("compiles")
}

/// Workgroups in x, y and z.
type Size = [u32; 3];

fn count(size: Size) -> u32 {
    size.iter().product()
}

/// The table for these workgroups, from number `first` on, of draw 1; records of task workgroups have `bytes`.
fn table(sizes: &[Size], first: u32, bytes: u32) -> Vec<u32> {
    let mut words = vec![sizes.len() as u32, first, bytes, 1];
    let mut before = 0;
    for size in sizes {
        words.extend([before, size[0], size[1], size[2]]);
        before += count(*size);
    }
    assert_eq!(words.len() as u32 * 4, TABLE_HEADER_BYTES + TABLE_ENTRY_BYTES * sizes.len() as u32);
    words
}

/// Memory with untouched words for the results of some workgroups.
fn memory(info: MeshInfo, groups: u32, table: &[u32]) -> Memory {
    let mut memory = Memory::new();
    let bytes = table.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.map(TABLE, bytes, Access::READ).expect("maps");
    let sizes =
        [(RECORDS, info.record_bytes()), (VERTICES, info.vertex_bytes()), (INDICES, info.index_bytes())];
    for (address, bytes) in sizes {
        let bytes = UNTOUCHED.to_le_bytes().repeat((groups * bytes / 4) as usize);
        memory.map(address, bytes, Access::READ | Access::WRITE).expect("maps");
    }
    memory
}

fn words(memory: &Memory, address: u64, bytes: u32) -> Vec<u32> {
    let bytes = memory.bytes(address, bytes as usize).expect("mapped");
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Launches workgroups in strict mode, with several orders of the SIMD-groups.
fn launch(shader: &CompiledShader, memory: &mut Memory, groups: u32) {
    let uniforms = launched::uniforms(&shader.info, |source| match source {
        UniformSource::WorkgroupTable => TABLE,
        UniformSource::TaskRecords => TASKS,
        UniformSource::VertexOutputs => RECORDS,
        UniformSource::GeometryVertices => VERTICES,
        UniformSource::GeometryIndices => INDICES,
        source => panic!("unexpected uniform {source}"),
    });
    let preamble = shader.part(PartRole::Preamble).map(Program::new);
    let launch = Dispatch {
        program: &Program::new(shader.part(PartRole::Main).expect("a main part")),
        preamble: preamble.as_ref(),
        uniforms: &uniforms,
        states: States::default(),
        workgroups: [groups, 1, 1],
        workgroup_size: shader.info.workgroup_size,
        threads: None,
        tile: None,
        local_bytes: shader.info.local_bytes,
        scratch_bytes: shader.info.scratch_bytes,
        options: Options { strict: true, ..Options::default() },
    };
    assert_eq!(dispatch(memory, &launch).expect("runs").findings, []);
}

/// Workgroups of a task workgroup without any among them.
const SIZES: [Size; 5] = [[2, 1, 1], [0, 1, 1], [1, 2, 1], [3, 0, 1], [1, 1, 1]];

/// The task workgroup and the position of a workgroup of the draw.
fn position(mut number: u32) -> (usize, Size) {
    for (task, size) in SIZES.iter().enumerate() {
        if number < count(*size) {
            return (task, [number % size[0], number / size[0] % size[1], number / size[0] / size[1]]);
        }
        number -= count(*size);
    }
    panic!("a workgroup that no task workgroup emits")
}

#[test]
fn primitives_share_the_vertices_of_their_workgroup() {
    let shader = compiled("shared_vertices.mesh", MeshKind::Mesh);
    let info = shader.info.mesh.expect("a mesh shader");
    let sizes = MeshInfo {
        kind: MeshKind::Mesh,
        corners: 3,
        vertices: 8,
        primitives: 50,
        vertex_words: 6,
        payload_bytes: 20,
        ..MeshInfo::default()
    };
    assert_eq!(info, sizes);
    assert_eq!(shader.info.workgroup_size, [20, 2, 1]);
    // The launch begins with the second workgroup.
    let (first, groups) = (1, 4);
    let mut memory = memory(info, groups, &table(&SIZES, first, info.task_bytes()));
    let payload = |task: usize| {
        let values = [0, 1, 2, 3].map(|at| (10 * task + at) as f32).map(f32::to_bits);
        [[0; 4].as_slice(), &[task as u32], &values, &[0; 3]].concat()
    };
    assert_eq!(PAYLOAD, 16);
    let payloads: Vec<u8> = (0..SIZES.len()).flat_map(payload).flat_map(u32::to_le_bytes).collect();
    memory.map(TASKS, payloads, Access::READ).expect("maps");
    launch(&shader, &mut memory, groups);
    let vertices = words(&memory, VERTICES, groups * info.vertex_bytes());
    let indices = words(&memory, INDICES, groups * info.index_bytes());
    for group in 0..groups {
        let (task, [x, y, _]) = position(first + group);
        let count = if y == 1 { 0 } else { 5 + x };
        for at in 0..info.vertices {
            let vertex = &vertices[6 * (group * info.vertices + at) as usize..][..6];
            let expected = [at, x, y, SIZES[task][0], 10 * task as u32 + at % 4, task as u32];
            let expected = expected.map(|value| (value as f32).to_bits());
            assert_eq!(vertex, if at < count { expected } else { [UNTOUCHED; 6] }, "vertex {at} of {group}");
        }
        for at in 0..info.primitives {
            let primitive = &indices[3 * (group * info.primitives + at) as usize..][..3];
            let index = |index: u32| group * info.vertices + index.min(count - 1);
            let expected = match at < 46 && count > 0 {
                true => [at % 5, (at + 1) % 5, at].map(index),
                false => [RESTART; 3],
            };
            assert_eq!(primitive, expected, "primitive {at} of {group}");
        }
    }
}

#[test]
fn primitives_with_outputs_have_vertices_of_their_own() {
    let shader = compiled("own_vertices.mesh", MeshKind::Mesh);
    let info = shader.info.mesh.expect("a mesh shader");
    assert_eq!([info.vertex_words, info.primitive_words, info.drawn_words], [5, 5, 9]);
    let position = [0, 1, 2, 3].map(Output::Position);
    let user = |location, component| Output::User { location, component };
    let rest = [Output::LayerAndViewport, Output::PrimitiveId, user(0, 0), user(2, 0), user(2, 1)];
    let outputs: Vec<Output> = shader.info.varyings.iter().map(|varying| varying.output).collect();
    assert_eq!(outputs, [&position[..], &rest].concat());
    let groups = 3;
    let mut memory = memory(info, groups, &table(&[[3, 1, 1]], 0, 16));
    launch(&shader, &mut memory, groups);
    let vertices = words(&memory, VERTICES, groups * info.vertex_bytes());
    let indices = words(&memory, INDICES, groups * info.index_bytes());
    for (group, at) in (0..groups).flat_map(|group| (0..7).map(move |at| (group, at))) {
        let is_drawn = at < 5 && at % 3 != 2;
        for (corner, of) in [(0, at % 4), (1, 3 - at % 4)] {
            let number = (group * 7 + at) * 2 + corner;
            let place = (of as f32).to_bits();
            let shade = (of as f32 + 0.5).to_bits();
            let expected = match is_drawn {
                true => [place, place, place, place, at, 4 * group + at % 4 + 100, shade, at, group],
                false => [UNTOUCHED; 9],
            };
            let vertex = &vertices[9 * number as usize..][..9];
            assert_eq!(vertex, expected, "corner {corner} of {at} of {group}");
            assert_eq!(indices[number as usize], if is_drawn { number } else { RESTART });
        }
    }
}

#[test]
fn task_workgroups_store_what_they_emit_and_their_payload() {
    let shader = compiled("emits.task", MeshKind::Task);
    let info = shader.info.mesh.expect("a task shader");
    let bytes = info.task_bytes();
    assert_eq!((info.kind, info.payload_bytes, bytes), (MeshKind::Task, 24, 48));
    let size = [2, 3, 2];
    let mut memory = memory(info, 0, &table(&[size], 0, bytes));
    let untouched = UNTOUCHED.to_le_bytes().repeat((count(size) * bytes / 4) as usize);
    memory.map(TASKS, untouched, Access::READ | Access::WRITE).expect("maps");
    launch(&shader, &mut memory, count(size));
    let records = words(&memory, TASKS, count(size) * bytes);
    for (number, record) in records.chunks(bytes as usize / 4).enumerate() {
        let [x, y, z] = [number % 2, number / 2 % 3, number / 6].map(|at| at as u32);
        let emitted = if z == 1 { [0; 3] } else { [x + 1, y, 3] };
        assert_eq!(record[..3], emitted, "{number}");
        let values = [0.25f32, 1.25, 2.25, 3.25].map(f32::to_bits);
        assert_eq!(record[4], (0..64).sum::<u32>());
        assert_eq!((&record[5..9], record[9]), (values.as_slice(), 64), "{number}");
    }
}

#[test]
fn the_key_tells_which_shader_is_wanted() {
    let bytes = spirv("emits.task");
    for (wanted, found) in [(None, false), (Some(MeshKind::Mesh), false), (Some(MeshKind::Task), true)] {
        let mut key = CompileKey::default();
        (key.stage, key.mesh) = (Some(Stage::Compute), wanted);
        let result = Compiler::default().compile(&mut Scratch::default(), Input::spirv(&bytes), &key);
        assert_eq!(result.is_ok(), found, "{wanted:?}");
    }
}

#[test]
fn drawn_vertices_are_loaded_by_a_vertex_shader_with_the_same_outputs() {
    let draws = |name, kind| {
        let shader = compiled(name, kind);
        Compiler::default().emitted_vertex(&mut Scratch::default(), &shader.info, &CompileKey::default())
    };
    let mut found: Vec<Output> = draws("own_vertices.mesh", MeshKind::Mesh)
        .expect("compiles")
        .shader
        .info
        .varyings
        .iter()
        .map(|varying| varying.output)
        .collect();
    found.sort_unstable();
    let mut wanted: Vec<Output> =
        compiled("own_vertices.mesh", MeshKind::Mesh).info.varyings.iter().map(|v| v.output).collect();
    wanted.push(Output::Viewport);
    wanted.sort_unstable();
    assert_eq!(found, wanted);
    assert!(draws("emits.task", MeshKind::Task).is_err());
}
