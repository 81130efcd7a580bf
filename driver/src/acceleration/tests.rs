//! Structures that the device builds, and rays through them, compared with a test of every triangle on the processor.

use agx_abi::acceleration::{HEADER_BYTES, INNER, LEAF_BYTES, nodes};
use agx_compiler::{CompileKey, Input, Scratch};
use agx_random::Random;
use ash::vk;

use super::*;
use crate::command::{CommandBuffer, Level};
use crate::device::Device;
use crate::memory::{Allocation, Place};
use crate::program::Program;
use crate::queue::Submission;
use crate::words::{Direct, Use};

/// A shader that starts a query for each ray, with further enabled features and the generic arguments of its types, and executes
/// statements that store `hits[id.x]`.
fn tracing(enabled: &str, arguments: &str, statements: &str) -> String {
    format!(
        "enable wgpu_ray_query;
        {enabled}
        @group(0) @binding(0) var scene: acceleration_structure{arguments};
        @group(0) @binding(1) var<storage, read_write> hits: array<vec4<f32>, 64>;
        @group(0) @binding(2) var<storage, read> rays: array<vec4<f32>, 128>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            var query: ray_query{arguments};
            let along = rays[2u * id.x + 1u].xyz;
            rayQueryInitialize(&query, scene, RayDesc(0u, 0xffu, 0.0, 100.0, rays[2u * id.x].xyz, along));
            {statements}
        }}"
    )
}

/// Stores distance, triangle, instance and the number of the application; a distance of -1 without a hit.
fn hits() -> String {
    tracing(
        "",
        "",
        "while (rayQueryProceed(&query)) {}
        let hit = rayQueryGetCommittedIntersection(&query);
        var result = vec4<f32>(-1.0, 0.0, 0.0, 0.0);
        if (hit.kind == RAY_QUERY_INTERSECTION_TRIANGLE) {
            result = vec4<f32>(hit.t, f32(hit.primitive_index), f32(hit.instance_index), f32(hit.instance_custom_data));
        }
        hits[id.x] = result;",
    )
}

/// Stores coordinates of the vertices, and the triangle.
fn vertices() -> String {
    tracing(
        "enable wgpu_ray_query_vertex_return;",
        "<vertex_return>",
        "while (rayQueryProceed(&query)) {}
        let hit = rayQueryGetCommittedIntersection(&query);
        let corners = getCommittedHitVertexPositions(&query);
        hits[id.x] = vec4<f32>(corners[0].x, corners[1].y, corners[2].z, f32(hit.primitive_index));",
    )
}

/// Generates an intersection at a distance of 6 for each box, and stores the kind of the hit, whether there was a box, and the distance.
fn generated() -> String {
    tracing(
        "",
        "",
        "var met = 0.0;
        while (rayQueryProceed(&query)) {
            if (rayQueryGetCandidateIntersection(&query).kind == RAY_QUERY_INTERSECTION_AABB) {
                met = 1.0;
                rayQueryGenerateIntersection(&query, 6.0);
            }
        }
        let hit = rayQueryGetCommittedIntersection(&query);
        hits[id.x] = vec4<f32>(f32(hit.kind), met, hit.t, 0.0);",
    )
}

type Point = [f32; 3];
type Triangle = [Point; 3];

/// Rays of a test.
const RAYS: usize = 64;

fn point(random: &mut Random, size: f32) -> Point {
    std::array::from_fn(|_| (random.below(2001) as f32 / 1000.0 - 1.0) * size)
}

fn triangles(random: &mut Random, count: usize) -> Vec<Triangle> {
    let triangle = |_| {
        let centre = point(random, 1.0);
        std::array::from_fn(|_| {
            let off = point(random, 0.6);
            std::array::from_fn(|axis| centre[axis] + off[axis])
        })
    };
    (0..count).map(triangle).collect()
}

/// Memory with these floats.
fn floats(device: &Device, list: &[f32]) -> Allocation {
    let memory = device.space.allocate(4 * list.len().max(1) as u64, Place::High).expect("memory");
    memory.write(0, &list.iter().flat_map(|float| float.to_le_bytes()).collect::<Vec<u8>>());
    memory
}

fn run(device: &Arc<Device>, step: impl Fn(&mut Recorder) -> Result<(), Error> + Send + Sync + 'static) {
    let mut commands = CommandBuffer::new(device.clone(), Level::Primary);
    commands.begin();
    commands.record(step);
    commands.end().expect("records");
    let submission = Submission { commands: vec![commands.commands()], ..Submission::default() };
    device.queue.submit(vec![submission]).expect("runs");
    device.queue.wait_idle().expect("ends");
}

/// A structure of one geometry.
fn built(device: &Arc<Device>, shape: Shape, count: usize) -> Allocation {
    let count = count as u32;
    let [bytes, scratch] = sizes(shape.kind(), count);
    let structure = device.space.allocate(bytes, Place::High).expect("memory");
    let scratch = device.space.allocate(scratch, Place::High).expect("memory");
    let geometry = Geometry { shape, count, is_opaque: true };
    let build = Build {
        kind: shape.kind(),
        structure: structure.address,
        scratch: scratch.address,
        geometries: vec![geometry],
    };
    run(device, move |recorder| super::build(recorder, &build));
    structure
}

fn of_triangles(device: &Arc<Device>, list: &[Triangle]) -> Allocation {
    let vertices = floats(device, list.as_flattened().as_flattened());
    let format = VertexFormat::find(vk::Format::R32G32B32_SFLOAT).expect("a format of vertices");
    let of = Triangles { vertices: vertices.address, stride: 12, format, indices: None, transform: 0 };
    built(device, Shape::Triangles(of), list.len())
}

/// The bits of an instance that is moved by a vector.
fn instance(structure: u64, custom: u32, [x, y, z]: Point) -> [f32; 16] {
    let word = |bits: u32| f32::from_bits(bits);
    let halves = [structure as u32, (structure >> 32) as u32].map(word);
    let rest = [word(custom | 0xff << 24), 0.0, halves[0], halves[1]];
    let rows = [1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, y, 0.0, 0.0, 1.0, z];
    std::array::from_fn(|at| if at < 12 { rows[at] } else { rest[at - 12] })
}

/// What a shader stores for each ray.
fn trace(device: &Arc<Device>, source: &str, top: &Allocation, rays: &[[Point; 2]]) -> Vec<[f32; 4]> {
    let padded = |[x, y, z]: Point| [x, y, z, 0.0];
    let data: Vec<f32> = rays.iter().flatten().flat_map(|part| padded(*part)).collect();
    let (data, hits) = (floats(device, &data), floats(device, &vec![0.0; 4 * rays.len()]));
    let input = Input::wgsl(source);
    let shader = device.compiler.compile(&mut Scratch::default(), input, &CompileKey::default());
    let shader = shader.expect("the shader compiles");
    let program = Program::used(&device.code, shader, Use::Direct);
    let program = program.expect("a program");
    let count = rays.len() as u32;
    let bytes = u64::from(count) * 16;
    let places = [(top.address, 64), (hits.address, bytes), (data.address, 2 * bytes)];
    let descriptors = places.map(|(address, bytes)| Direct::Buffer(address, bytes));
    run(device, move |recorder| crate::command::run_program(recorder, &program, &descriptors, [count, 1, 1]));
    let found = words(&hits, bytes);
    found.as_chunks().0.iter().map(|hit: &[u32; 4]| hit.map(f32::from_bits)).collect()
}

fn words(memory: &Allocation, bytes: u64) -> Vec<u32> {
    let mut found = vec![0; bytes as usize];
    memory.read(0, &mut found);
    found.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The distance at which a ray hits a triangle.
fn distance(triangle: &Triangle, from: Point, along: Point) -> Option<f64> {
    let wide = |point: Point| point.map(f64::from);
    let minus = |a: [f64; 3], b: [f64; 3]| std::array::from_fn::<f64, 3, _>(|at| a[at] - b[at]);
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let [a, b, c] = triangle.map(wide);
    let (from, along) = (wide(from), wide(along));
    let (first, second, to) = (minus(b, a), minus(c, a), minus(from, a));
    let normal = cross(along, second);
    let scale = dot(first, normal);
    let u = dot(to, normal) / scale;
    let across = cross(to, first);
    let v = dot(along, across) / scale;
    let t = dot(second, across) / scale;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=100.0).contains(&t)).then_some(t)
}

/// Every leaf is in the boxes above it, and a node is followed by its children and then by its successor.
#[test]
fn boxes_contain_their_leaves() {
    let mut random = Random::new(7);
    for count in [1, 2, 3, 5, 8, 33] {
        let device = Device::in_test();
        let list = triangles(&mut random, count);
        let structure = of_triangles(&device, &list);
        let found = words(&structure, sizes(StructureKind::Triangles, count as u32)[0]);
        let all = nodes(count as u32);
        assert_eq!(found[..3], [all, count as u32, StructureKind::Triangles as u32]);
        let mut open: Vec<(u32, [Point; 2])> = Vec::new();
        let mut seen = vec![false; count];
        for node in 0..all {
            let at = (HEADER_BYTES + node * NODE_BYTES) as usize / 4;
            let corner =
                |first: usize| -> Point { std::array::from_fn(|axis| f32::from_bits(found[first + axis])) };
            let (low, high, next, leaf) = (corner(at), corner(at + 4), found[at + 3], found[at + 7]);
            open.retain(|(end, _)| *end > node);
            assert!(next > node && next <= open.last().map_or(all, |(end, _)| *end), "{count} {node}");
            let is_within = |[outer, end]: &[Point; 2]| {
                (0..3).all(|axis| outer[axis] <= low[axis] && high[axis] <= end[axis])
            };
            assert!(open.iter().all(|(_, outer)| is_within(outer)), "{count} {node}");
            if leaf == INNER {
                open.push((next, [low, high]));
                continue;
            }
            let record = (HEADER_BYTES + all * NODE_BYTES + leaf * LEAF_BYTES) as usize / 4;
            let primitive = found[record + 7] as usize;
            let vertices: Triangle = [0, 4, 8].map(|word| corner(record + word));
            assert_eq!(vertices, list[primitive]);
            assert!(!std::mem::replace(&mut seen[primitive], true), "a leaf is there once");
            assert!(
                vertices
                    .iter()
                    .all(|vertex| (0..3).all(|axis| low[axis] <= vertex[axis] && vertex[axis] <= high[axis]))
            );
        }
        assert!(seen.iter().all(|seen| *seen), "{count}");
    }
}

#[test]
fn rays_hit_the_nearest_triangle_of_all_instances() {
    let mut random = Random::new(11);
    let device = Device::in_test();
    let mut list = triangles(&mut random, 40);
    // Most rays hit something.
    list.extend([
        [[-1.5, -1.6, 1.4], [1.6, -1.5, 1.3], [1.5, 1.6, 1.5]],
        [[1.5, 1.6, 1.5], [-1.6, 1.5, 1.2], [-1.5, -1.6, 1.4]],
    ]);
    let bottom = of_triangles(&device, &list);
    let moves = [[5.0, 0.0, 0.0], [7.4, -0.4, -1.5], [2.6, 0.9, 1.25]];
    let instances: Vec<f32> =
        moves.iter().zip(20..).flat_map(|(to, custom)| instance(bottom.address, custom, *to)).collect();
    let data = floats(&device, &instances);
    let shape = Shape::Instances { data: data.address, has_addresses: false };
    let top = built(&device, shape, moves.len());
    let rays: Vec<[Point; 2]> = (0..RAYS)
        .map(|_| {
            let [x, y, _] = point(&mut random, 0.9);
            let [dx, dy, _] = point(&mut random, 0.1);
            [[5.0 + 3.0 * x, y, -5.0], [dx, dy, 1.0]]
        })
        .collect();
    let found = trace(&device, &hits(), &top, &rays);
    let corners = trace(&device, &vertices(), &top, &rays);
    for ([t, primitive, ..], [x, y, z, of]) in found.iter().zip(&corners).filter(|(found, _)| found[0] >= 0.0)
    {
        let [first, second, third] = list[*primitive as usize];
        assert_eq!([*x, *y, *z, *of], [first[0], second[1], third[2], *primitive], "at {t}");
    }
    let mut count = 0;
    for ([from, along], [t, primitive, number, custom]) in rays.iter().zip(found) {
        let of = |(number, to): (usize, &Point)| {
            let from = std::array::from_fn(|axis| from[axis] - to[axis]);
            list.iter()
                .enumerate()
                .filter_map(move |(primitive, triangle)| {
                    Some((distance(triangle, from, *along)?, primitive, number))
                })
                .collect::<Vec<_>>()
        };
        let nearest = moves.iter().enumerate().flat_map(of).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((expected, triangle, instance)) = nearest else {
            assert!(t < 0.0, "{from:?} {along:?}: {t}");
            continue;
        };
        assert!((f64::from(t) - expected).abs() < 1e-4, "{from:?} {along:?}: {t}, expected {expected}");
        assert_eq!(
            [primitive, number, custom].map(|float| float as usize),
            [triangle, instance, 20 + instance]
        );
        count += 1;
    }
    assert!(count > RAYS / 2, "{count} rays hit something");
}

/// Two triangles of a square: every ray to a place on their common edge hits one of them.
#[test]
fn no_ray_passes_between_two_triangles() {
    let device = Device::in_test();
    let square: [Triangle; 2] = [
        [[-0.9, -0.7, 0.31], [0.83, -0.77, 0.29], [0.79, 0.81, 0.41]],
        [[0.79, 0.81, 0.41], [-0.87, 0.73, 0.37], [-0.9, -0.7, 0.31]],
    ];
    let bottom = of_triangles(&device, &square);
    let data = floats(&device, &instance(bottom.address, 0, [0.0; 3]));
    let top = built(&device, Shape::Instances { data: data.address, has_addresses: false }, 1);
    let [a, b] = [square[0][0], square[0][2]];
    let from = [0.13_f32, -0.21, -2.7];
    let ray = |at: usize| {
        let part = (at as f32 + 0.5) / RAYS as f32;
        let along: Point = std::array::from_fn(|axis| a[axis] + (b[axis] - a[axis]) * part - from[axis]);
        [from, along]
    };
    let found = trace(&device, &hits(), &top, &(0..RAYS).map(ray).collect::<Vec<_>>());
    let missed = found.iter().filter(|[t, ..]| *t < 0.0).count();
    assert_eq!(missed, 0, "rays that pass the square");
}

/// Rays in the plane between two boxes meet one of them, and an object behind a triangle is not hit.
#[test]
fn rays_along_the_sides_of_boxes_meet_them() {
    let device = Device::in_test();
    let boxes = floats(&device, &[0.0, 0.0, 0.0, 2.0, 4.0, 1.0, 2.0, 0.0, 0.0, 4.0, 4.0, 1.0]);
    let boxes = built(&device, Shape::Boxes(boxes.address, 24), 2);
    let height = |at: usize| (at as f32 + 0.5) / RAYS as f32 * 4.0;
    let rays: Vec<[Point; 2]> = (0..RAYS).map(|at| [[2.0, height(at), -1.0], [0.0, 0.0, 1.0]]).collect();
    // A triangle in the boxes where y is less than 2, before and after them in the order of the traversal.
    for [left, right] in [[-30.0, 9.0], [-5.0, 60.0]] {
        let triangle = of_triangles(&device, &[[[left, 2.0, 0.5], [right, 2.0, 0.5], [2.0, -9.0, 0.5]]]);
        let instances: Vec<f32> =
            [&boxes, &triangle].iter().flat_map(|of| instance(of.address, 0, [0.0; 3])).collect();
        let data = floats(&device, &instances);
        let top = built(&device, Shape::Instances { data: data.address, has_addresses: false }, 2);
        for (at, found) in trace(&device, &generated(), &top, &rays).into_iter().enumerate() {
            let expected = if height(at) < 2.0 { [1.0, 1.0, 1.5, 0.0] } else { [2.0, 1.0, 6.0, 0.0] };
            assert_eq!(found, expected, "ray {at}");
        }
    }
}
