//! The kernels that subdivide patches, run on the device. What they should write follows from the specification: edges have
//! segments of two lengths, the triangles of a patch cover its domain once, and neighbours share whole edges.

use std::collections::{BTreeMap, BTreeSet};

use agx_abi::tessellation::{Domain, Spacing};
use agx_random::Random;

use super::*;
use crate::command::{CommandBuffer, Level};
use crate::device::Device;
use crate::memory::Place;
use crate::queue::Submission;
use crate::render::results::{INDIRECT, Later, MOST_OWN};
use crate::results_memory::MOST_SHARED;

/// Coordinates have 16 fractional bits.
const ONE: i64 = 1 << 16;
const RECORD_WORDS: usize = 8;

/// The points and primitives of patches.
struct Mesh {
    /// Coordinates and patch.
    points: Vec<([i64; 2], usize)>,
    /// Numbers of points.
    primitives: Vec<Vec<usize>>,
}

impl Mesh {
    /// The coordinates of the points of a patch.
    fn of_patch(&self, patch: usize) -> Vec<[i64; 2]> {
        self.points.iter().filter(|point| point.1 == patch).map(|point| point.0).collect()
    }

    /// The primitives of a patch.
    fn primitives_of(&self, patch: usize) -> Vec<&[usize]> {
        let is_own = |list: &&Vec<usize>| list.iter().all(|point| self.points[*point].1 == patch);
        self.primitives.iter().filter(is_own).map(Vec::as_slice).collect()
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// All patches of a draw.
const ALL: Batch = Batch { first: 0, most: u32::MAX, own: None, claimed: 0, later: 0 };

/// Subdivides patches with these outer and inner levels, in memory of this size.
fn subdivide_in(room_bytes: u32, modes: Modes, is_reversed: bool, levels: &[[f32; 6]]) -> Mesh {
    subdivide_batches(&[ALL], room_bytes, modes, is_reversed, levels)
}

/// Subdivides batches of patches one after another in the same memory; returns the last one.
fn subdivide_batches(
    batches: &[Batch],
    room_bytes: u32,
    modes: Modes,
    is_reversed: bool,
    levels: &[[f32; 6]],
) -> Mesh {
    let device = Device::in_test();
    let count = levels.len() as u32;
    let records = device.space.allocate(64 * u64::from(count.max(1)), Place::High).expect("memory");
    let header = |levels: &[f32; 6]| [levels.map(f32::to_bits).as_slice(), &[0, 0]].concat();
    records.write(0, &bytes(&levels.iter().flat_map(header).collect::<Vec<u32>>()));
    let mut launches = vec![0; LAUNCHES_BYTES / 4];
    launches[72..78].copy_from_slice(&[count, 1, 1, 64, 1, 1]);
    launches[104..107].copy_from_slice(&[count, 0, RECORD_WORDS as u32 * count]);
    let launch_memory = device.space.allocate(LAUNCHES_BYTES as u64, Place::High).expect("memory");
    launch_memory.write(0, &bytes(&launches));
    let room_memory = device.space.allocate(u64::from(room_bytes) + 4, Place::High).expect("memory");
    let memory = |address, bytes| Memory {
        address,
        bytes,
        used: room_memory.address + u64::from(room_bytes),
        is_fresh: true,
    };
    let patches = Patches {
        launches: launch_memory.address,
        memory: memory(records.address, 64 * count.max(1)),
        record_bytes: 4 * RECORD_WORDS as u32,
    };
    let room = memory(room_memory.address, room_bytes);
    let mut commands = CommandBuffer::new(device.clone(), Level::Primary);
    commands.begin();
    for batch in batches {
        let batch = *batch;
        commands.record(move |recorder| {
            recorder.fill_memory(room.used, 4, 0)?;
            super::subdivide(recorder, room, &patches, &batch, modes, is_reversed)
        });
    }
    commands.end().expect("records");
    let submission = Submission { commands: vec![commands.commands()], ..Submission::default() };
    device.queue.submit(vec![submission]).expect("runs");
    device.queue.wait_idle().expect("ends");
    let read = |from: &crate::memory::Allocation, count: usize| {
        let mut bytes = vec![0; count];
        from.read(0, &mut bytes);
        words(&bytes)
    };
    mesh(&read(&launch_memory, LAUNCHES_BYTES), &read(&room_memory, room_bytes as usize), modes)
}

/// The mesh that launches and room describe.
fn mesh(launches: &[u32], room: &[u32], modes: Modes) -> Mesh {
    let at = |byte: u64| launches[byte as usize / 4] as usize;
    let [count, instances, first, base, first_instance] = [0, 4, 8, 12, 16].map(|byte| at(DRAW + byte));
    assert_eq!([instances, base, first_instance], [1, 0, 0]);
    let points = &room[launches[107] as usize..];
    let fixed = |word: u32| {
        let scaled = f64::from(f32::from_bits(word)) * ONE as f64;
        assert_eq!(scaled.fract().to_bits(), 0.0_f64.to_bits(), "{scaled} has 16 fractional bits");
        scaled as i64
    };
    let point = |list: &[u32]| ([fixed(list[0]), fixed(list[1])], list[2] as usize);
    let points = points.chunks(3).take(at(POINTS)).map(point).collect();
    let indices = room[first..first + count].chunks(modes.corners() as usize);
    let primitives = indices.map(|list| list.iter().map(|index| *index as usize).collect()).collect();
    Mesh { points, primitives }
}

fn subdivide(modes: Modes, levels: &[[f32; 6]]) -> Mesh {
    subdivide_in(1 << 24, modes, false, levels)
}

const SPACINGS: [Spacing; 3] = [Spacing::Equal, Spacing::FractionalEven, Spacing::FractionalOdd];

fn modes(domain: Domain, spacing: Spacing) -> Modes {
    Modes { domain, spacing, clockwise: true, points: false }
}

/// Levels of every kind: below and above the range, whole numbers, and between.
fn various(count: usize) -> Vec<[f32; 6]> {
    let known = [1.0, 1.000_01, 1.5, 2.0, 3.0, 4.25, 5.0, 7.0, 8.0, 11.3, 16.0, 33.0, 63.4, 64.0, 90.0, 0.25];
    let mut random = Random::new(7);
    let mut level = |_| match random.below(3) {
        0 => random.below(1000) as f32 / 100.0 + 0.5,
        _ => known[random.below(known.len())],
    };
    let mut levels = vec![[1.0; 6], [2.0; 6], [3.0; 6], [64.0; 6], [1.0, 1.0, 1.0, 1.0, 5.0, 1.0]];
    levels.extend((levels.len()..count).map(|_| [0; 6].map(&mut level)));
    levels
}

/// Number of segments of an edge, and the level that they have, by section "Tessellation" of the specification.
fn segments(spacing: Spacing, level: f32) -> (usize, f64) {
    let (low, high) = match spacing {
        Spacing::Equal => (1.0, 64.0),
        Spacing::FractionalEven => (2.0, 64.0),
        Spacing::FractionalOdd => (1.0, 63.0),
    };
    let level = f64::from(level.clamp(low, high));
    match spacing {
        Spacing::Equal => (level.ceil() as usize, level.ceil()),
        Spacing::FractionalEven => (2 * (level / 2.0).ceil() as usize, level),
        Spacing::FractionalOdd => (2 * ((level - 1.0) / 2.0).ceil() as usize + 1, level),
    }
}

/// Lengths of the segments of an edge, ascending: all but two have the same length, and the two shorter ones vanish as the level
/// approaches the next lower number of segments.
fn lengths(spacing: Spacing, level: f32) -> Vec<f64> {
    let (count, level) = segments(spacing, level);
    if count == 1 {
        return vec![1.0];
    }
    let whole = count as f64;
    let share = (level - (whole - 2.0)) / 2.0;
    let (short, long) = match spacing {
        Spacing::Equal => (1.0 / whole, 1.0 / whole),
        _ if count == 2 => (0.5, 0.5),
        _ => (share / whole, share / whole + (1.0 - share) / (whole - 2.0)),
    };
    [vec![short; 2], vec![long; count - 2]].concat()
}

/// Ascending coordinates of points along an edge of a domain. Edges are numbered like outer levels.
fn on_edge(domain: Domain, points: &[[i64; 2]], edge: usize) -> Vec<i64> {
    let coordinates = |[u, v]: &[i64; 2]| match (domain, edge) {
        (_, 0) => (*u, *v),
        (_, 1) => (*v, *u),
        (Domain::Triangles, _) => (ONE - u - v, *u),
        (_, 2) => (ONE - u, *v),
        _ => (ONE - v, *u),
    };
    assert!(
        points.iter().all(|point| coordinates(point).0 == 0),
        "{domain:?}: a point is not on edge {edge}"
    );
    let mut along: Vec<i64> = points.iter().map(|point| coordinates(point).1).collect();
    along.sort_unstable();
    along
}

fn edges(domain: Domain) -> usize {
    if domain == Domain::Triangles { 3 } else { 4 }
}

/// Twice the area of a triangle, positive if it is clockwise with v pointing down.
fn area(points: &[([i64; 2], usize)], triangle: &[usize]) -> i64 {
    let [a, b, c] = [0, 1, 2].map(|corner| points[triangle[corner]].0);
    (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
}

#[test]
fn triangles_cover_a_domain_once_and_share_their_edges() {
    let levels = various(40);
    for (domain, spacing) in SPACINGS.into_iter().flat_map(|s| [(Domain::Triangles, s), (Domain::Quads, s)]) {
        let mesh = subdivide(modes(domain, spacing), &levels);
        for (patch, of) in levels.iter().enumerate() {
            let triangles = mesh.primitives_of(patch);
            let name = format!("{domain:?} {spacing:?} {of:?}");
            let areas: Vec<i64> = triangles.iter().map(|triangle| area(&mesh.points, triangle)).collect();
            assert!(areas.iter().all(|area| *area >= 0), "{name}: a triangle is counterclockwise");
            let whole = if domain == Domain::Triangles { ONE * ONE } else { 2 * ONE * ONE };
            assert_eq!(areas.iter().sum::<i64>(), whole, "{name}: area");
            let borders = check_edges(&name, &triangles);
            let outline: usize = (0..edges(domain)).map(|edge| segments(spacing, of[edge]).0).sum();
            assert_eq!(borders, outline, "{name}: segments of the outline");
            check_count(&name, mesh.of_patch(patch).len(), &triangles);
        }
    }
}

/// No directed edge occurs twice; returns the number of those that are not shared by two triangles.
fn check_edges(name: &str, triangles: &[&[usize]]) -> usize {
    let mut found = BTreeSet::new();
    for triangle in triangles {
        for (from, to) in [(0, 1), (1, 2), (2, 0)] {
            assert!(found.insert((triangle[from], triangle[to])), "{name}: an edge occurs twice");
        }
    }
    found.iter().filter(|(from, to)| !found.contains(&(*to, *from))).count()
}

/// Euler's formula: a disc has one point more than edges without triangles.
fn check_count(name: &str, points: usize, triangles: &[&[usize]]) {
    let edge = |from: usize, to: usize| (from.min(to), from.max(to));
    let corners = triangles.iter().flat_map(|t| [edge(t[0], t[1]), edge(t[1], t[2]), edge(t[2], t[0])]);
    let edges: BTreeSet<(usize, usize)> = corners.collect();
    assert_eq!(points + triangles.len(), edges.len() + 1, "{name}: points");
}

#[test]
fn the_points_of_an_edge_depend_on_its_level_alone_and_are_symmetric() {
    let levels = various(60);
    for (domain, spacing) in SPACINGS.into_iter().flat_map(|s| [(Domain::Triangles, s), (Domain::Quads, s)]) {
        let mesh = subdivide(modes(domain, spacing), &levels);
        let mut known: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
        for (patch, of) in levels.iter().enumerate() {
            let mut points = mesh.of_patch(patch);
            if points.len() == 4 {
                // A square that is not divided begins at another corner.
                points.rotate_right(1);
            }
            let counts: Vec<usize> = (0..edges(domain)).map(|edge| segments(spacing, of[edge]).0).collect();
            let outline: usize = counts.iter().sum();
            let mut first = 0;
            for (edge, level) in of.iter().enumerate().take(edges(domain)) {
                // The outline comes first, edge by edge; the last edge ends at the first point.
                let end = first + counts[edge];
                let own = [&points[first..end], &points[end % outline..][..1]].concat();
                first = end;
                let along = on_edge(domain, &own, edge);
                let name = format!("{domain:?} {spacing:?} {level} edge {edge}");
                let mirrored: Vec<i64> = along.iter().rev().map(|at| ONE - at).collect();
                assert_eq!(along, mirrored, "{name}: symmetry");
                assert_eq!(*known.entry(level.to_bits()).or_insert(along.clone()), along, "{name}");
                check_lengths(&name, &along, &lengths(spacing, *level));
            }
        }
    }
}

fn check_lengths(name: &str, along: &[i64], expected: &[f64]) {
    let mut found: Vec<i64> = along.windows(2).map(|pair| pair[1] - pair[0]).collect();
    found.sort_unstable();
    let expected = expected.iter().map(|length| length * ONE as f64);
    assert_eq!(found.len(), expected.len(), "{name}: segments");
    for (found, expected) in found.into_iter().zip(expected) {
        // Lengths of up to 32 segments are multiplied after they were rounded.
        assert!((found as f64 - expected).abs() <= 17.0, "{name}: {found} instead of {expected}");
    }
}

#[test]
fn isolines_are_parallel_and_end_before_the_last_edge() {
    let levels = [[1.0, 1.0], [3.2, 5.0], [64.0, 64.0], [2.0, 2.5], [90.0, 0.5]];
    let levels = levels.map(|[lines, parts]| [lines, parts, 0.0, 0.0, 0.0, 0.0]);
    for spacing in SPACINGS {
        let mesh = subdivide(modes(Domain::Isolines, spacing), &levels);
        for (patch, [lines, parts, ..]) in levels.iter().enumerate() {
            let lines = segments(Spacing::Equal, *lines).0;
            let (count, _) = segments(spacing, *parts);
            let points = mesh.of_patch(patch);
            assert_eq!(points.len(), lines * (count + 1));
            for (number, line) in points.chunks(count + 1).enumerate() {
                let wanted = ONE as f64 * number as f64 / lines as f64;
                assert!(line.iter().all(|[_, v]| *v == line[0][1] && (*v as f64 - wanted).abs() <= 17.0));
                let along: Vec<i64> = line.iter().map(|[u, _]| *u).collect();
                check_lengths(&format!("{spacing:?} {parts}"), &along, &lengths(spacing, *parts));
            }
            let primitives = mesh.primitives_of(patch);
            assert_eq!(primitives.len(), lines * count);
            let are_neighbours = |pair: &&[usize]| {
                let [from, to] = [pair[0], pair[1]].map(|point| mesh.points[point].0);
                pair[1] == pair[0] + 1 && from[1] == to[1] && from[0] < to[0]
            };
            assert!(primitives.iter().all(are_neighbours));
        }
    }
}

#[test]
fn in_point_mode_each_point_is_drawn_once() {
    let levels = various(12);
    for domain in [Domain::Triangles, Domain::Quads, Domain::Isolines] {
        let modes = modes(domain, Spacing::Equal);
        let [mesh, points] = [false, true].map(|points| subdivide(Modes { points, ..modes }, &levels));
        assert_eq!(points.points, mesh.points);
        let order: Vec<Vec<usize>> = (0..mesh.points.len()).map(|point| vec![point]).collect();
        assert_eq!(points.primitives, order);
        let distinct: BTreeSet<(usize, [i64; 2])> =
            mesh.points.iter().map(|(at, patch)| (*patch, *at)).collect();
        assert_eq!(distinct.len(), mesh.points.len());
    }
}

#[test]
fn patches_with_an_outer_level_that_is_not_positive_are_culled() {
    let with = |edge: usize, level: f32| {
        let mut levels = [3.0; 6];
        levels[edge] = level;
        levels
    };
    let bad = [0.0, -0.0, -1.0, f32::NAN, f32::NEG_INFINITY];
    let levels: Vec<[f32; 6]> = (0..6).flat_map(|edge| bad.map(|level| with(edge, level))).collect();
    for (domain, relevant) in [(Domain::Triangles, 3), (Domain::Quads, 4), (Domain::Isolines, 2)] {
        let mesh = subdivide(modes(domain, Spacing::FractionalEven), &levels);
        let kept: BTreeSet<usize> = mesh.points.iter().map(|point| point.1).collect();
        assert_eq!(kept, (bad.len() * relevant..levels.len()).collect(), "{domain:?}");
    }
}

#[test]
fn primitives_are_in_the_order_of_patches_and_those_without_room_are_omitted() {
    let levels = [[4.0; 6], [0.0; 6], [1.0; 6], [7.0; 6], [2.0; 6], [64.0; 6], [3.0; 6]];
    let modes = modes(Domain::Quads, Spacing::Equal);
    let all = subdivide(modes, &levels);
    let patch_of = |mesh: &Mesh| -> Vec<usize> {
        mesh.primitives.iter().map(|primitive| mesh.points[primitive[0]].1).collect()
    };
    assert!(patch_of(&all).is_sorted());
    // Points and indices of the patches before the large one, which alone would not fit.
    let points = all.points.iter().filter(|point| point.1 < 5).count();
    let triangles = patch_of(&all).iter().filter(|patch| **patch < 5).count();
    let needed = 12 * (points + triangles) as u32;
    for (room, kept) in [(needed, 5), (needed + 60_000, 5), (needed - 4, 4), (0, 0)] {
        let mesh = subdivide_in(room, modes, false, &levels);
        let expected: Vec<_> = all.points.iter().filter(|point| point.1 < kept).copied().collect();
        assert_eq!(mesh.points, expected, "{room} bytes");
        assert_eq!(mesh.primitives, all.primitives[..mesh.primitives.len()]);
        let count = patch_of(&all).iter().filter(|patch| **patch < kept).count();
        assert_eq!(mesh.primitives.len(), count);
    }
}

#[test]
fn reversed_triangles_have_the_same_first_corner() {
    let levels = various(8);
    let modes = modes(Domain::Triangles, Spacing::FractionalOdd);
    let [forward, reversed] =
        [false, true].map(|is_reversed| subdivide_in(1 << 24, modes, is_reversed, &levels));
    let swapped: Vec<Vec<usize>> =
        forward.primitives.iter().map(|corners| vec![corners[0], corners[2], corners[1]]).collect();
    assert_eq!(reversed.primitives, swapped);
}

#[test]
fn many_patches_have_the_points_of_each_alone() {
    let levels: Vec<[f32; 6]> = (0..300_u16).map(|number| [f32::from(number % 7); 6]).collect();
    let modes = modes(Domain::Triangles, Spacing::Equal);
    let mesh = subdivide(modes, &levels);
    let single: Vec<Mesh> = (0..7_u16).map(|level| subdivide(modes, &[[f32::from(level); 6]])).collect();
    let mut first = 0;
    for (patch, of) in levels.iter().enumerate() {
        let single = &single[of[0] as usize];
        assert_eq!(mesh.of_patch(patch), single.of_patch(0), "patch {patch}");
        let moved = |corners: &Vec<usize>| corners.iter().map(|corner| first + corner).collect();
        let expected: Vec<Vec<usize>> = single.primitives.iter().map(moved).collect();
        assert_eq!(mesh.primitives_of(patch), expected, "patch {patch}");
        first += single.points.len();
    }
}

#[test]
fn batches_are_parts_of_the_whole_draw() {
    let levels = various(70);
    for modes in [Domain::Triangles, Domain::Isolines].map(|domain| modes(domain, Spacing::FractionalEven)) {
        let all = subdivide(modes, &levels);
        // The last batch begins after the last patch.
        let batch = |first| Batch { first, most: 33, ..ALL };
        let list = [0, 33, 66, 99].map(batch);
        let (mut points, mut primitives) = (Vec::new(), Vec::new());
        for number in 0..list.len() {
            let part = subdivide_batches(&list[..=number], 1 << 24, modes, false, &levels);
            let moved = |corners: Vec<usize>| corners.iter().map(|corner| points.len() + corner).collect();
            primitives.extend(part.primitives.into_iter().map(moved).collect::<Vec<Vec<usize>>>());
            points.extend(part.points);
        }
        assert_eq!(points, all.points);
        assert_eq!(primitives, all.primitives);
    }
}

#[test]
fn batches_have_all_patches_and_memory_for_the_largest() {
    let largest = most_bytes(modes(Domain::Quads, Spacing::Equal));
    for later in [Later::NONE, Later::UNKNOWN, Later { bytes: 1 << 27, parts: 700 }] {
        let more = later.bytes;
        for most in [0, 1, MOST_OWN / largest, MOST_OWN / largest + 1, 1300, 1800, 1801, 5000, 1 << 20] {
            let mut next = 0;
            for batch in batches(Some(most), largest, later) {
                assert_eq!(u64::from(batch.first), next, "{most} patches");
                let count = u64::from(batch.most).min(most - next);
                let results = batch.own.unwrap_or(batch.claimed - more);
                assert!(count * largest <= results && batch.claimed <= MOST_SHARED);
                assert!(batch.later == more && count <= later.parts);
                assert!(batch.own.is_some() || batch.claimed > 0);
                next += count;
            }
            assert_eq!(next, most);
        }
        let indirect: Vec<Batch> = batches(None, largest, later).collect();
        assert_eq!(indirect, [Batch { claimed: INDIRECT + more, later: more, ..ALL }]);
    }
}

#[test]
fn no_patches_draw_nothing() {
    let mesh = subdivide(modes(Domain::Quads, Spacing::Equal), &[]);
    assert!(mesh.points.is_empty() && mesh.primitives.is_empty());
}
