//! Draws: coverage, interpolation, tests, the tile buffer.

mod support;

use agx_emulator::{
    Binding, Capture, Coefficient, Comparison, Cull, Draw, FindingKind, Framebuffer, Memory, More, Options,
    Plane, Program, SampleOutcome, Stepper, Tests, Topology, Viewport, Watch, draw, shade,
};
use agx_isa::inst::{Operand, Tag};
use agx_isa::table::Opcode;
use support::*;

fn coefficient(number: u32) -> Operand {
    Operand { tag: Tag::Coefficient, value: number, ..Operand::imm(0) }
}

/// The first word of a sample.
fn word(framebuffer: &Framebuffer, x: u32, y: u32, sample: u32) -> u32 {
    let bytes = framebuffer.colour(x, y, sample).expect("inside");
    u32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))
}

#[test]
fn pixels_know_their_place() {
    let code = Code::new().special(h(2), 80).special(h(3), 81);
    let program = store_tile(code, r(1)).stop();
    let mut framebuffer = Framebuffer::new(70, 35, 1, 4);
    let report =
        shade(&mut Memory::new(), &mut framebuffer, &rectangle(stage(&program, &[]), [3, 1, 69, 35]))
            .expect("runs");
    assert_eq!(report.findings, []);
    for y in 0..35 {
        for x in 0..70 {
            let inside = (3..69).contains(&x) && y >= 1;
            let expected = if inside { x | y << 16 } else { 0 };
            assert_eq!(word(&framebuffer, x, y, 0), expected, "{x}, {y}");
        }
    }
    assert_eq!(framebuffer.passed, 66 * 34);
}

#[test]
fn tile_formats_and_offsets() {
    let u8norm = 4;
    let code = Code::new().constant(1, 1.0_f32.to_bits()).constant(2, 0.5_f32.to_bits()).constant(3, 0);
    let program = code
        .op(
            Opcode::StTile,
            &[
                ("data", r(1)),
                ("samples", i(255)),
                ("format", i(u8norm)),
                ("mask", i(0b1011)),
                ("offset", i(4)),
            ],
        )
        .op(
            Opcode::LdTile,
            &[
                ("dst", r(5)),
                ("samples", i(255)),
                ("format", i(u8norm)),
                ("mask", i(0b0010)),
                ("offset", i(4)),
            ],
        )
        .op(Opcode::StTile, &[("data", r(5)), ("samples", i(255)), ("format", i(2))])
        .stop();
    let mut framebuffer = Framebuffer::new(2, 2, 1, 8);
    framebuffer.clear(&[0xee; 8], 1.0, 0);
    shade(&mut Memory::new(), &mut framebuffer, &rectangle(stage(&program, &[]), [0, 0, 2, 2]))
        .expect("runs");
    assert_eq!(framebuffer.colour(1, 1, 0).expect("inside")[4..], [255, 128, 0xee, 0]);
    assert_eq!(word(&framebuffer, 1, 1, 0), (128.0_f32 / 255.0).to_bits());
}

#[test]
fn coefficients_are_planes() {
    let planes = [
        Coefficient::Flat(0xdead_beef),
        Coefficient::Linear(Plane { a: 2.0, b: -1.0, c: 0.25 }),
        Coefficient::Linear(Plane { a: 0.0, b: 0.0, c: 0.5 }),
    ];
    // cf1 at the centre; cf0 flat; C of cf1 relative to the tile.
    let base = || Code::new().op(Opcode::Iter, &[("dst", r(1)), ("a", coefficient(1)), ("count", i(1))]);
    let flat = Code::new().op(Opcode::Ldcf, &[("dst", r(1)), ("a", coefficient(0))]);
    let vector = Code::new().op(Opcode::Ldcf, &[("dst", r(1)), ("a", coefficient(1))]);
    let projected = Code::new().op(
        Opcode::Iterproj,
        &[("dst", r(1)), ("a", coefficient(1)), ("w", coefficient(2)), ("count", i(1))],
    );
    type Value = fn(f32, f32) -> u32;
    let cases: [(Program, Value); 4] = [
        (store_tile(projected, r(1)).stop(), |x, y| (4.0 * (x + 0.5) - 2.0 * (y + 0.5) + 0.5).to_bits()),
        (store_tile(base(), r(1)).stop(), |x, y| (2.0 * (x + 0.5) - (y + 0.5) + 0.25).to_bits()),
        (store_tile(flat, r(3)).stop(), |_, _| 0xdead_beef),
        (store_tile(vector, r(3)).stop(), |x, _| (if x < 32.0 { 0.25 } else { 64.25_f32 }).to_bits()),
    ];
    for (program, expected) in &cases {
        let mut framebuffer = Framebuffer::new(40, 2, 1, 4);
        let mut rectangle = rectangle(stage(program, &[]), [0, 0, 40, 2]);
        rectangle.coefficients = &planes;
        let report =
            shade(&mut Memory::new(), &mut framebuffer, &rectangle).unwrap_or_else(|stop| panic!("{stop}"));
        assert_eq!(report.findings, []);
        for x in [0, 31, 32, 39] {
            assert_eq!(word(&framebuffer, x, 1, 0), expected(x as f32, 1.0), "{x}");
        }
    }
}

fn vertex_memory(vertices: &[[f32; 6]]) -> Memory {
    let mut memory = memory(vertices.len() * 6);
    let bytes: Vec<u8> = vertices.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
    memory.write(BUFFER, &bytes).expect("mapped");
    memory
}

fn base_draw<'a>(
    vertex: &'a Program,
    fragment: &'a Program,
    uniforms: &'a [u16],
    vertices: &'a [u32],
) -> Draw<'a> {
    Draw {
        vertex: stage(vertex, uniforms),
        fragment: stage(fragment, &[]),
        topology: Topology::Triangles,
        vertices,
        instances: 1,
        position_slot: 0,
        point_size_slot: None,
        coefficients: &[Binding::Perspective(4), Binding::OneOverW, Binding::Linear(4), Binding::Flat(5)],
        viewport: Viewport { x: 0.0, y: 0.0, width: 16.0, height: 16.0, min_depth: 0.0, max_depth: 1.0 },
        scissor: None,
        line_width: 1.0,
        front_counter_clockwise: false,
        cull: Cull::None,
        provoking_last: false,
        tests: Tests::default(),
        late_tests: false,
        more: More::default(),
        options: options(),
    }
}

/// From left to right, the first varying of a screen-filling quad changes from 0 (w = 1) to 1 (w = 3).
const QUAD: [[f32; 6]; 4] = [
    [-1.0, -1.0, 0.25, 1.0, 0.0, 7.0],
    [3.0, -3.0, 0.75, 3.0, 1.0, 8.0],
    [-1.0, 1.0, 0.25, 1.0, 0.0, 9.0],
    [3.0, 3.0, 0.75, 3.0, 1.0, 10.0],
];

#[test]
fn triangles_interpolate() {
    let vertex = pass_through();
    let iter =
        |number| Code::new().op(Opcode::Iter, &[("dst", r(1)), ("a", coefficient(number)), ("count", i(1))]);
    let perspective = Code::new().op(
        Opcode::Iterproj,
        &[("dst", r(1)), ("a", coefficient(0)), ("w", coefficient(1)), ("count", i(1))],
    );
    type Value = fn(f64) -> f64;
    // At screen fraction s the perspective value is (s/3) / ((1 − s) + s/3).
    let cases: [(Code, Value); 3] = [
        (perspective, |s| s / 3.0 / (1.0 - s + s / 3.0)),
        (iter(2), |s| s),
        (iter(1), |s| 1.0 - s + s / 3.0),
    ];
    for (at, (code, value)) in cases.into_iter().enumerate() {
        let program = store_tile(code, r(1)).stop();
        let uniforms = uniforms();
        let draw_call = base_draw(&vertex, &program, &uniforms, &[0, 1, 2, 2, 1, 3]);
        let mut framebuffer = Framebuffer::new(16, 16, 1, 4);
        let report = draw(&mut vertex_memory(&QUAD), &mut framebuffer, &draw_call)
            .unwrap_or_else(|stop| panic!("{stop}"));
        assert_eq!(report.findings, []);
        assert_eq!(framebuffer.passed, 256, "the two triangles share no pixel");
        for (x, y) in [(0, 0), (5, 9), (15, 15), (8, 3)] {
            let found = f64::from(f32::from_bits(word(&framebuffer, x, y, 0)));
            let expected = value((f64::from(x) + 0.5) / 16.0);
            assert!(
                (found - expected).abs() < 1e-6,
                "case {at}, pixel {x}, {y}: {found} instead of {expected}"
            );
        }
    }
}

#[test]
fn faces_lines_points_and_flat_values() {
    let vertex = pass_through();
    let flat = Code::new().op(Opcode::Ldcf, &[("dst", r(1)), ("a", coefficient(3))]);
    let program = store_tile(flat, r(3)).stop();
    let uniforms = uniforms();
    let seven = 7.0_f32.to_bits();
    let count = |change: &dyn Fn(&mut Draw<'_>), vertices: &[[f32; 6]], numbers: &[u32]| {
        let mut draw_call = base_draw(&vertex, &program, &uniforms, numbers);
        change(&mut draw_call);
        let mut framebuffer = Framebuffer::new(16, 16, 1, 4);
        draw(&mut vertex_memory(vertices), &mut framebuffer, &draw_call)
            .unwrap_or_else(|stop| panic!("{stop}"));
        let pixels = (0..256).filter(|at| word(&framebuffer, at % 16, at / 16, 0) == seven).count();
        assert_eq!(pixels as u64, framebuffer.passed, "every pixel has the provoking vertex's value");
        pixels
    };
    // 0, 1, 2 runs clockwise on the screen: a front face.
    let triangle = [0, 1, 2];
    let all = count(&|_| (), &QUAD, &triangle);
    assert!((120..=136).contains(&all), "half of 256, not {all}");
    assert_eq!(count(&|draw| draw.cull = Cull::Back, &QUAD, &triangle), all);
    assert_eq!(count(&|draw| draw.cull = Cull::Front, &QUAD, &triangle), 0);
    assert_eq!(count(&|draw| draw.scissor = Some([0, 0, 2, 2]), &QUAD, &triangle), 4);
    let line = [[-1.0, 0.06, 0.5, 1.0, 0.0, 7.0], [1.0, 0.06, 0.5, 1.0, 1.0, 8.0]];
    assert_eq!(count(&|draw| draw.topology = Topology::Lines, &line, &[0, 1]), 16);
    let point = [[0.0, 0.0, 0.5, 1.0, 4.0, 7.0]];
    let sized = |draw: &mut Draw<'_>| {
        draw.topology = Topology::Points;
        draw.point_size_slot = Some(4);
    };
    assert_eq!(count(&sized, &point, &[0]), 16);
}

#[test]
fn depth_hides_what_lies_behind() {
    let vertex = pass_through();
    let flat = Code::new().op(Opcode::Ldcf, &[("dst", r(1)), ("a", coefficient(3))]);
    let program = store_tile(flat, r(3)).stop();
    let uniforms = uniforms();
    let full = |z: f32, value: f32| {
        [[-1.0, -1.0, z, 1.0, 0.0, value], [3.0, -1.0, z, 1.0, 0.0, value], [-1.0, 3.0, z, 1.0, 0.0, value]]
    };
    let mut framebuffer = Framebuffer::new(16, 16, 1, 4);
    for (z, value) in [(0.5, 1.0), (0.75, 2.0), (0.25, 3.0), (0.25, 4.0)] {
        let mut draw_call = base_draw(&vertex, &program, &uniforms, &[0, 1, 2]);
        draw_call.tests = Tests { depth: Comparison::Less, depth_write: true, ..Tests::default() };
        draw(&mut vertex_memory(&full(z, value)), &mut framebuffer, &draw_call).expect("runs");
    }
    assert_eq!(word(&framebuffer, 7, 7, 0), 3.0_f32.to_bits());
    assert_eq!(framebuffer.depth_stencil(7, 7, 0), Some((0.25, 0)));
    assert_eq!(framebuffer.passed, 512, "what lies behind fails, and what lies at the same depth");
}

#[test]
fn killed_samples_keep_the_tile() {
    // Odd columns are discarded, the others tested.
    let code = |tail: &dyn Fn(Code) -> Code| {
        let kill = Code::new()
            .special(r(1), 80)
            .op(Opcode::Bitop, &[("dst", h(4)), ("a", h(2)), ("b", i(1)), ("table", i(8))])
            .op(Opcode::Isub, &[("dst", h(4)), ("a", h(4)), ("b", i(1))])
            .op(Opcode::SampleMask, &[("target", i(255)), ("live", h(4))]);
        tail(store_tile(kill.constant(3, 5), r(3))).stop()
    };
    let run = |program: &Program| {
        let mut framebuffer = Framebuffer::new(4, 2, 4, 4);
        let mut rectangle = rectangle(stage(program, &[]), [0, 0, 4, 2]);
        rectangle.late_tests = true;
        let report = shade(&mut Memory::new(), &mut framebuffer, &rectangle).expect("runs");
        let row: Vec<u32> = (0..4).map(|x| word(&framebuffer, x, 1, 3)).collect();
        (row, report.findings.into_iter().map(|finding| finding.kind).collect::<Vec<_>>())
    };
    assert_eq!(run(&code(&|code| code)), (vec![5, 0, 5, 0], vec![]));
    let again = code(&|code| code.op(Opcode::SampleMask, &[("target", i(255)), ("live", i(255))]));
    assert_eq!(run(&again).1, [FindingKind::SampleTestedTwice]);
    let kill = |code: Code| code.op(Opcode::SampleMask, &[("target", i(255)), ("live", i(0))]);
    assert_eq!(run(&code(&kill)).1, [FindingKind::SampleKilledAfterTest]);
    let killed_twice = kill(kill(Code::new()).constant(3, 5));
    assert_eq!(run(&store_tile(killed_twice, r(3)).stop()), (vec![0; 4], vec![]));
    let untested = store_tile(Code::new().constant(3, 5), r(3)).stop();
    assert_eq!(run(&untested).1, [FindingKind::TileStoreBeforeTest]);
}

#[test]
fn emitted_depth_is_tested() {
    // Depth 0.1 in column 0, 0.9 elsewhere, against 0.5.
    let program = store_tile(
        Code::new()
            .special(h(2), 80)
            .constant(4, 0.1_f32.to_bits())
            .constant(5, 0.9_f32.to_bits())
            .op(Opcode::Icsel, &[("dst", r(6)), ("a", h(2)), ("b", i(0)), ("x", r(4)), ("y", r(5))])
            .op(Opcode::ZsEmit, &[("samples", i(255)), ("data", r(6)), ("z", i(1))])
            .constant(3, 5),
        r(3),
    )
    .stop();
    let mut framebuffer = Framebuffer::new(2, 1, 1, 4);
    framebuffer.clear(&[], 0.5, 0);
    let mut rectangle = rectangle(stage(&program, &[]), [0, 0, 2, 1]);
    rectangle.late_tests = true;
    rectangle.tests = Tests { depth: Comparison::Less, depth_write: true, ..Tests::default() };
    let report =
        shade(&mut Memory::new(), &mut framebuffer, &rectangle).unwrap_or_else(|stop| panic!("{stop}"));
    assert_eq!(report.findings, []);
    assert_eq!([word(&framebuffer, 0, 0, 0), word(&framebuffer, 1, 0, 0)], [5, 0]);
    assert_eq!(framebuffer.depth_stencil(0, 0, 0), Some((0.1, 0)));
}

#[test]
fn derivatives_and_helpers() {
    // dfdx and dfdy of x + 16 y; helper lanes take part without being drawn.
    for (op, expected) in [(Opcode::Dfdx, 1.0_f32), (Opcode::Dfdy, 16.0)] {
        let program = store_tile(
            Code::new()
                .special(h(2), 80)
                .special(h(3), 81)
                .op(Opcode::Iadd, &[("dst", r(2)), ("a", h(2)), ("b", h(3)), ("shift", i(4))])
                .op(Opcode::U32ToF, &[("dst", r(2)), ("a", r(2)), ("round", i(1))])
                .op(op, &[("dst", r(3)), ("a", r(2))]),
            r(3),
        )
        .stop();
        let mut framebuffer = Framebuffer::new(3, 3, 1, 4);
        let rectangle = rectangle(stage(&program, &[]), [1, 1, 2, 3]);
        let report = shade(&mut Memory::new(), &mut framebuffer, &rectangle).expect("runs");
        assert_eq!(report.findings, []);
        assert_eq!(word(&framebuffer, 1, 2, 0), expected.to_bits());
        assert_eq!(word(&framebuffer, 0, 1, 0), 0, "a helper lane draws nothing");
    }
}

#[test]
fn the_history_of_a_pixel_has_every_fragment() {
    let vertex = pass_through();
    let flat = Code::new().op(Opcode::Ldcf, &[("dst", r(1)), ("a", coefficient(3))]);
    let program = store_tile(flat, r(3)).stop();
    let uniforms = uniforms();
    // Four triangles over the whole framebuffer: nearer, farther, outside of the pixel, nearer and clockwise or not.
    let mut vertices = Vec::new();
    for (z, value, x) in [(0.5, 1.0, 0.0), (0.75, 2.0, 0.0), (0.25, 3.0, 20.0), (0.25, 4.0, 0.0)] {
        let corner = |dx: f32, dy: f32| [x + dx, dy, z, 1.0, 0.0, value];
        vertices.extend([corner(-1.0, -1.0), corner(3.0, -1.0), corner(-1.0, 3.0)]);
    }
    let order = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 10];
    let mut draw_call = base_draw(&vertex, &program, &uniforms, &order);
    draw_call.tests = Tests { depth: Comparison::Less, depth_write: true, ..Tests::default() };
    draw_call.options = Options { watch: Watch { history: Some([7, 9]), ..Watch::default() }, ..options() };
    let mut framebuffer = Framebuffer::new(16, 16, 1, 4);
    let report = draw(&mut vertex_memory(&vertices), &mut framebuffer, &draw_call).expect("runs");
    let found: Vec<_> = report
        .history
        .iter()
        .map(|touch| {
            let value = |colour: &[u8]| f32::from_le_bytes(colour.try_into().expect("four bytes"));
            let [before, after] =
                [&touch.before, &touch.after].map(|samples| (value(&samples[0].colour), samples[0].depth));
            (touch.primitive, touch.outcomes[0], touch.depths[0], before, after)
        })
        .collect();
    let (passed, failed) = (SampleOutcome::Passed, SampleOutcome::DepthFailed);
    let expected = [
        (0, passed, Some(0.5), (0.0, 1.0), (1.0, 0.5)),
        (1, failed, Some(0.75), (1.0, 0.5), (1.0, 0.5)),
        (3, passed, Some(0.25), (1.0, 0.5), (4.0, 0.25)),
    ];
    assert_eq!(found, expected);
    assert_ne!(report.history[0].back, report.history[2].back, "the last runs the other way");
}

#[test]
fn killed_samples_are_in_the_history() {
    // Column 1 is discarded, column 0 tested.
    let kill = Code::new()
        .special(h(2), 80)
        .op(Opcode::Isub, &[("dst", h(4)), ("a", h(2)), ("b", i(1))])
        .op(Opcode::SampleMask, &[("target", i(255)), ("live", h(4))]);
    let program = store_tile(kill.constant(3, 5), r(3)).stop();
    for (pixel, outcome) in [([0, 0], SampleOutcome::Passed), ([1, 0], SampleOutcome::Killed)] {
        let mut framebuffer = Framebuffer::new(2, 1, 2, 4);
        let mut rectangle = rectangle(stage(&program, &[]), [0, 0, 2, 1]);
        rectangle.late_tests = true;
        rectangle.options.watch.history = Some(pixel);
        let report = shade(&mut Memory::new(), &mut framebuffer, &rectangle).expect("runs");
        assert_eq!(report.history.len(), 1);
        assert_eq!(report.history[0].outcomes, [outcome; 2], "{pixel:?}");
    }
}

#[test]
fn a_captured_fragment_runs_as_in_the_draw() {
    let vertex = pass_through();
    let code = Code::new().special(h(2), 80).special(h(3), 81);
    let program = store_tile(code, r(1)).stop();
    let uniforms = uniforms();
    let mut draw_call = base_draw(&vertex, &program, &uniforms, &[0, 1, 2, 2, 1, 3]);
    let mut kept = |capture| {
        draw_call.options.watch.capture = Some(capture);
        let mut framebuffer = Framebuffer::new(16, 16, 1, 4);
        draw(&mut vertex_memory(&QUAD), &mut framebuffer, &draw_call).expect("runs").captured
    };
    let captured = kept(Capture::Fragment { pixel: [5, 9], number: Some(0) }).expect("is covered");
    let mut stepper = Stepper::of_captured(&captured);
    let group = stepper.current().expect("has begun");
    assert_eq!((group.pc(), group.pixel(captured.lane).map(|pixel| pixel.position)), (0, Some([5, 9])));
    assert_eq!(stepper.colour([5, 9], 0), Some(&[0; 4][..]));
    while !stepper.is_finished() {
        stepper.step().expect("runs");
    }
    assert_eq!(stepper.colour([5, 9], 0), Some(&[5, 0, 9, 0][..]));
    assert!(kept(Capture::Fragment { pixel: [5, 9], number: Some(1) }).is_none(), "one triangle covers it");
    let captured = kept(Capture::Vertex { vertex: 3, instance: 0 }).expect("is drawn");
    let stepper = Stepper::of_captured(&captured);
    let group = stepper.current().expect("has begun");
    assert_eq!((captured.lane, group.half(10, captured.lane), group.pixel(0)), (5, 3, None));
}
