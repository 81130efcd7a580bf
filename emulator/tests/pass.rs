//! Render passes: tile memory, the order of tiles, tiles without primitives.

mod support;

use agx_emulator::{
    Binned, FindingKind, Geometry, PassShape, Program, Shading, Visit, geometry, render_tiles,
};
use agx_isa::table::Opcode;
use support::*;

/// A pass without draws.
fn visit(shape: PassShape, programs: [&Program; 2], seed: u64, empty_tiles: bool) -> Tiles {
    let tiles = Tiles::default();
    let [background, end] = programs.map(|program| stage(program, &[]));
    let mut options = options();
    options.seed = seed;
    let visit = Visit { shape, background, draws: &[], end, empty_tiles, depth: &tiles, options };
    let visited = render_tiles(&mut memory(1), &visit);
    for report in [visited.background, visited.end] {
        assert_eq!(report.expect("runs").findings, []);
    }
    assert_eq!(visited.fault, None);
    tiles
}

/// Writes the position of each pixel.
fn places() -> Program {
    store_tile(Code::new().special(h(2), 80).special(h(3), 81), r(1)).stop()
}

#[test]
fn every_pixel_is_in_one_tile() {
    let (background, end) = (places(), Code::new().stop());
    for tile in [[32, 32], [32, 16], [16, 16]] {
        let shape = PassShape { tile, ..shape([70, 35], 2) };
        let tiles = visit(shape, [&background, &end], 0, true);
        let expected = (0..2)
            .flat_map(|layer| (0..70).flat_map(move |x| (0..35).map(move |y| ([layer, x, y], x | y << 16))));
        assert!(tiles.pixels().into_iter().eq(expected), "{tile:?}");
        for (_, memory) in &*tiles.0.lock().expect("no user panics") {
            let [left, top, right, bottom] = memory.rectangle();
            assert_eq!([left % tile[0], top % tile[1]], [0; 2]);
            assert!(right - left <= tile[0] && bottom - top <= tile[1]);
        }
    }
}

#[test]
fn the_seed_selects_the_order_of_tiles() {
    let (background, end) = (places(), Code::new().stop());
    let order = |seed| visit(shape([96, 64], 1), [&background, &end], seed, true).order();
    let rows = [[0, 0, 0], [0, 32, 0], [0, 64, 0], [0, 0, 32], [0, 32, 32], [0, 64, 32]];
    assert_eq!(order(0), rows);
    let mut other = order(3);
    assert_ne!(other, rows);
    other.sort_unstable_by_key(|[_, x, y]| [*y, *x]);
    assert_eq!(other, rows);
}

#[test]
fn tiles_without_primitives_are_left_out() {
    let (background, end) = (places(), Code::new().stop());
    assert_eq!(visit(shape([96, 64], 1), [&background, &end], 0, false).order(), [[0; 3]; 0]);
}

#[test]
fn tile_memory_has_any_contents_and_only_those_of_its_tile() {
    let (nothing, end) = (Code::new().stop(), Code::new().stop());
    let left = |seed| visit(shape([64, 32], 1), [&nothing, &end], seed, true).pixels();
    assert_ne!(left(1)[&[0, 0, 0]], left(2)[&[0, 0, 0]]);
    assert_ne!(left(1)[&[0, 0, 0]], left(1)[&[0, 32, 0]]);
    // The pixel at the left is in another tile, or undefined: it reads as 0.
    let neighbour = Code::new()
        .special(h(2), 80)
        .special(h(3), 81)
        .op(Opcode::Iadd, &[("dst", h(2)), ("a", h(2)), ("b", i(32))])
        .op(Opcode::LdTile, &[("dst", r(5)), ("samples", i(1)), ("coords", h(2))])
        .wait();
    let program = store_tile(neighbour, r(5)).stop();
    let pixels = visit(shape([64, 32], 1), [&program, &end], 1, true).pixels();
    assert!(pixels.values().all(|word| *word == 0));
}

/// The findings of a draw that covers the screen twice, after one that stores four bytes of each sample.
fn covered_by(program: &Program, shading: Shading) -> Vec<FindingKind> {
    let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]].map(|[x, y]: [f32; 2]| [x, y, 0.5, 1.0]);
    let words = corners.iter().flat_map(|corner| corner.map(f32::to_bits).into_iter().chain([0, 0]));
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let mut memory = memory(3 * 6);
    memory.write(BUFFER, &bytes).expect("mapped");
    let (vertex, first, nothing) = (pass_through(), places(), Code::new().stop());
    let uniforms = uniforms();
    let draws = [(&first, Shading::Opaque), (program, shading)].map(|(fragment, shading)| {
        let mut draw = over_screen(stage(&vertex, &uniforms), stage(fragment, &uniforms), &[0, 1, 2]);
        draw.more.shading = shading;
        let mut primitives = Geometry::default();
        geometry(&mut memory, &draw, ([70, 35], 1), &mut primitives).expect("runs");
        (draw, primitives)
    });
    let draws = draws.each_ref().map(|(draw, geometry)| Binned { draw: draw.clone(), geometry });
    let tiles = Tiles::default();
    let [background, end] = [stage(&nothing, &[]); 2];
    let (shape, options) = (shape([70, 35], 1), options());
    let visit = Visit { shape, background, draws: &draws, end, empty_tiles: true, depth: &tiles, options };
    let visited = render_tiles(&mut memory, &visit);
    let reports = visited.draws.into_iter().map(|(report, _)| report.expect("runs"));
    reports.flat_map(|report| report.findings).map(|finding| finding.kind).collect()
}

#[test]
fn an_opaque_fragment_stores_what_it_hides() {
    let format = |format, mask| {
        let data = [("data", r(1)), ("samples", i(255)), ("format", i(format)), ("mask", i(mask))];
        Code::new()
            .constant(1, 0)
            .constant(2, 0)
            .op(Opcode::Pixwait, &[("a", i(12))])
            .op(Opcode::StTile, &data)
    };
    let (bytes, whole) = (format(4, 0b0011).stop(), places());
    assert_eq!(covered_by(&whole, Shading::Opaque), []);
    assert_eq!(covered_by(&bytes, Shading::Each), []);
    assert_eq!(covered_by(&bytes, Shading::Opaque), [FindingKind::HiddenStore]);
    let nothing = Code::new().stop();
    assert_eq!(covered_by(&nothing, Shading::Opaque), [FindingKind::HiddenStore]);
}
