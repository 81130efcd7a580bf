//! The interpreter: results computed by hand.

use crate::support::program;
use agx_agal::interpret::{Inputs, NoTextures, Outputs, Textures, Vector, run};
use agx_agal::{Mode, TextureUse};

const CONSTANTS: [Vector; 4] =
    [[0.0, 1.0, 2.0, 0.5], [10.0, 20.0, 30.0, 40.0], [-1.0, -2.0, -3.0, -4.0], [0.25, 0.5, 0.75, 1.0]];

fn lanes(text: &str, inputs: &[Inputs; 4], textures: &dyn Textures) -> [Outputs; 4] {
    let shader = program(text).check(Mode::Tolerant).unwrap_or_else(|violation| panic!("{violation}"));
    run(&shader, &CONSTANTS, inputs, textures)
}

/// The first output of lane 0; `first` is the first attribute or varying.
fn output(text: &str, first: Vector) -> Vector {
    let mut inputs = Inputs::default();
    inputs.attributes[0] = first;
    inputs.varyings[0] = first;
    lanes(text, &[inputs; 4], &NoTextures)[0].outputs[0]
}

#[test]
fn operations_follow_the_document() {
    let input = [1.0, -2.0, 3.0, 0.5];
    let cases: &[(&str, Vector)] = &[
        ("mov op, va0.wzyx", [0.5, 3.0, -2.0, 1.0]),
        ("add op, va0, vc1", [11.0, 18.0, 33.0, 40.5]),
        ("sub op, va0, vc1", [-9.0, -22.0, -27.0, -39.5]),
        ("mul op, va0, vc1", [10.0, -40.0, 90.0, 20.0]),
        ("div op, vc1, va0", [10.0, -10.0, 10.0, 80.0]),
        ("rcp op, va0", [1.0, -0.5, 1.0 / 3.0, 2.0]),
        ("min op, va0, vc0", [0.0, -2.0, 2.0, 0.5]),
        ("max op, va0, vc0", [1.0, 1.0, 3.0, 0.5]),
        ("frc op, vc2.x", [0.0; 4]),
        ("frc op, va0.w", [0.5; 4]),
        ("sqt op, vc3.x", [0.5; 4]),
        ("rsq op, vc3.x", [2.0; 4]),
        ("pow op, vc1, vc0.z", [100.0, 400.0, 900.0, 1600.0]),
        ("log op, vc3.x", [-2.0; 4]),
        ("exp op, va0", [2.0, 0.25, 8.0, 2.0f32.sqrt()]),
        ("crs op.xyz, va0, vc1", [-2.0 * 30.0 - 3.0 * 20.0, 3.0 * 10.0 - 30.0, 20.0 + 2.0 * 10.0, 0.0]),
        ("dp3 op, va0, vc1", [10.0 - 40.0 + 90.0; 4]),
        ("dp4 op, va0, vc1", [10.0 - 40.0 + 90.0 + 20.0; 4]),
        ("abs op, va0", [1.0, 2.0, 3.0, 0.5]),
        ("neg op, va0", [-1.0, 2.0, -3.0, -0.5]),
        ("sat op, va0", [1.0, 0.0, 1.0, 0.5]),
        ("sgn op, va0", [1.0, -1.0, 1.0, 1.0]),
        ("m44 op, va0, vc0", [4.25, 80.0, -8.0, 2.0]),
        ("m34 op.xyz, va0, vc1", [80.0, -8.0, 2.0, 0.0]),
        ("m33 op.xyz, va0, vc1", [60.0, -6.0, 1.5, 0.0]),
        ("sge op, va0, vc0", [1.0, 0.0, 1.0, 1.0]),
        ("slt op, va0, vc0", [0.0, 1.0, 0.0, 0.0]),
        ("seq op, va0, vc0", [0.0, 0.0, 0.0, 1.0]),
        ("sne op, va0, vc0", [1.0, 1.0, 1.0, 0.0]),
        ("mov op.xz, va0.w", [0.5, 0.0, 0.5, 0.0]),
    ];
    for (text, expected) in cases {
        assert_eq!(output(text, input), *expected, "{text}");
    }
    let [x, y, z, _] = output("nrm op.xyz, va0", [3.0, 0.0, 4.0, 9.0]);
    assert_eq!([x, y, z], [0.6, 0.0, 0.8]);
    assert_eq!(output("sin op, va0", [0.0; 4]), [0.0; 4]);
    assert_eq!(output("cos op, va0", [0.0; 4]), [1.0; 4]);
}

#[test]
fn edge_cases_have_documented_results() {
    let infinity = f32::INFINITY;
    let input = [0.0, -0.0, infinity, -1.0];
    assert_eq!(output("rcp op, va0", input), [infinity, -infinity, 0.0, -1.0]);
    assert_eq!(output("sat op, va0", [f32::NAN, infinity, -infinity, -0.0]), [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(output("min op, va0, vc0.x", [f32::NAN; 4]), [0.0; 4]);
    assert_eq!(output("max op, vc0.y, va0", [f32::NAN; 4]), [1.0; 4]);
    assert_eq!(output("pow op, va0, vc0.x", input), [1.0; 4]);
    let [zero, minus, large, negative] = output("rsq op, va0", input);
    assert!(zero == infinity && minus == -infinity && large == 0.0 && negative.is_nan());
    let [zero, minus, large, negative] = output("log op, va0", input);
    assert!(zero == -infinity && minus == -infinity && large == infinity && negative.is_nan());
    let [zero, _, large, negative] = output("pow op, va0, vc0.z", input);
    assert!(zero == 0.0 && large == infinity && negative.is_nan());
    assert!(output("mul op, va0, vc0.x", [infinity; 4])[0].is_nan());
    assert_eq!(output("mul op, va0, vc1", [f32::from_bits(1); 4]), [0.0; 4]);
    assert_eq!(output("sne op, va0, va0", [f32::NAN; 4]), [1.0; 4]);
}

#[test]
fn blocks_run_where_their_condition_holds() {
    let text = "mov vt0, vc0.x\nifg va0.x, vc0.y\nmov vt0, vc1\nifl va0.y, vc0.x\nmov vt0.x, vc2\nels\n\
                mov vt0.y, vc2\neif\nels\nmov vt0.w, vc3\neif\nmov op, vt0";
    assert_eq!(output(text, [1.0, -1.0, 0.0, 0.0]), [-1.0, 20.0, 30.0, 40.0]);
    assert_eq!(output(text, [2.0, 1.0, 0.0, 0.0]), [10.0, -2.0, 30.0, 40.0]);
    assert_eq!(output(text, [0.5, 1.0, 0.0, 0.0]), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(output("ife va0.x, vc0.w\nmov op, vc1\neif", [0.5; 4]), CONSTANTS[1]);
    assert_eq!(output("ine va0.x, vc0.w\nmov op, vc1\neif", [0.5; 4]), [0.0; 4]);
}

#[test]
fn indices_are_truncated_and_bounded() {
    let text = "mov op, vc[va0.x+1]";
    assert_eq!(output(text, [1.9, 0.0, 0.0, 0.0]), CONSTANTS[2]);
    assert_eq!(output(text, [-1.0, 0.0, 0.0, 0.0]), CONSTANTS[0]);
    assert_eq!(output(text, [-1.9, 0.0, 0.0, 0.0]), CONSTANTS[0]);
    assert_eq!(output(text, [-2.0, 0.0, 0.0, 0.0]), [0.0; 4]);
    assert_eq!(output(text, [f32::INFINITY, 0.0, 0.0, 0.0]), [0.0; 4]);
    assert_eq!(output(text, [f32::NAN, 0.0, 0.0, 0.0]), CONSTANTS[1]);
}

/// A texture whose texels are their coordinates.
struct Coordinates;

impl Textures for Coordinates {
    fn sample(&self, _: &TextureUse, coordinates: &[Vector; 4]) -> [Vector; 4] {
        *coordinates
    }
}

#[test]
fn quads_access_their_neighbours() {
    let mut quad = [Inputs::default(); 4];
    for (lane, value) in [1.0, 3.0, 6.0, 10.0].into_iter().enumerate() {
        quad[lane].varyings[0] = [value, lane as f32, 0.0, 0.0];
    }
    let first = |text: &str| lanes(text, &quad, &Coordinates).map(|lane| lane.outputs[0][0]);
    assert_eq!(first("ddx oc, v0"), [2.0, 2.0, 4.0, 4.0]);
    assert_eq!(first("ddy oc, v0"), [5.0, 7.0, 5.0, 7.0]);
    assert_eq!(first("tex oc, v0.y, fs0 <2d>"), [0.0, 1.0, 2.0, 3.0]);
    let killed =
        lanes("sub ft0, v0, fc0.z\nkil ft0.x\nmov oc, v0", &quad, &Coordinates).map(|lane| lane.killed);
    assert_eq!(killed, [true, false, false, false]);
    let depth = lanes("mov od.x, v0.x\nmov oc, v0", &quad, &Coordinates).map(|lane| lane.depth);
    assert_eq!(depth, [1.0, 3.0, 6.0, 10.0]);
}
