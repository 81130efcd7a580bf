//! The bundled scenes against colours computed here, on the points of a grid away from edges.

mod floor;
mod history;
mod mirror;

use agx_abi::Target;
use agx_compiler::Location;

use super::{BUNDLED, Files, Scene, read, render};
use crate::context::Context;
use crate::diagnostic::Failure;

type Colour = [f64; 3];

fn scene(name: &str) -> Scene {
    let bundled = BUNDLED.iter().find(|bundled| bundled.name == name).expect("bundled");
    read(bundled.scene.as_bytes(), name).expect("a scene")
}

fn draw(name: &str, scene: &Scene) -> Vec<u8> {
    let bundled = BUNDLED.iter().find(|bundled| bundled.name == name).expect("bundled");
    render(scene, &Files::Bundled(bundled), Target::default(), &mut Context::new()).expect("draws").rgba
}

/// Compares one pixel in `step` along each axis, if it has an expectation. Returns the number of pixels of each kind.
fn compare(
    name: &str,
    rgba: &[u8],
    ([width, height], step): ([u32; 2], usize),
    tolerance: f64,
    wanted: impl Fn(f64, f64) -> Option<(usize, Colour)>,
) -> [u32; 8] {
    let mut seen = [0; 8];
    for (x, y) in (0..height).step_by(step).flat_map(|y| (0..width).step_by(step).map(move |x| (x, y))) {
        let Some((kind, colour)) = wanted(f64::from(x) + 0.5, f64::from(y) + 0.5) else { continue };
        let at = 4 * (y as usize * width as usize + x as usize);
        for (component, wanted) in colour.into_iter().enumerate() {
            let found = f64::from(rgba[at + component]);
            let difference = (found - 255.0 * wanted).abs();
            assert!(difference <= tolerance, "{name} at {x}, {y}: {found}, not {}", 255.0 * wanted);
        }
        seen[kind] += 1;
    }
    seen
}

/// The error message for a scene with one field changed.
fn refused(pointer: &str, value: serde_json::Value) -> String {
    let bundled = BUNDLED.iter().find(|bundled| bundled.name == "plasma").expect("bundled");
    let mut json: serde_json::Value = serde_json::from_str(bundled.scene).expect("JSON");
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    json.pointer_mut(parent)
        .and_then(|parent| parent.as_object_mut())
        .expect("an object")
        .insert(name.into(), value);
    let scene = read(json.to_string().as_bytes(), "scene.json").expect("a scene");
    match render(&scene, &Files::Bundled(bundled), Target::default(), &mut Context::new()) {
        Err(Failure::Problems(problems)) => problems[0].message.clone(),
        _ => String::new(),
    }
}

#[test]
fn what_is_too_large_is_named() {
    use serde_json::json;
    for (pointer, value, message) in [
        (
            "/draws/0/vertices",
            json!(100_000_000),
            "draws[0].vertices: expected at most 1048576, found 100000000",
        ),
        (
            "/draws/0/instances",
            json!(u32::MAX),
            "draws[0].instances: expected at most 1048576 vertices in all instances, found 4294967295 instances",
        ),
        ("/size", json!([65536, 65536]), "size: expected sides from 1 to "),
        (
            "/textures",
            json!([{"binding": 0, "checker": {"size": [u32::MAX, 1], "squares": 2, "colours": [[0,0,0,0],[0,0,0,0]]}}]),
            "textures[0]: checker.size: expected sides from 1 to ",
        ),
    ] {
        let found = refused(pointer, value);
        assert!(found.contains(message), "{pointer}: {found}");
    }
}

fn plasma(x: f64, y: f64) -> Colour {
    let (time, scale) = (0.8_f64, 9.0);
    let (px, py) = ((x / 256.0 - 0.5) * scale, (y / 192.0 - 0.5) * scale);
    let ring = (px + 0.5 * time.sin()).hypot(py + 0.4 * time.cos());
    let v = (px + time).sin() + (py * 1.3 - time).sin() + (3.0 * ring).sin() + (px * py).sin();
    [v + 0.5, v * 1.2 + 2.5, v * 0.8 + 4.5].map(|angle| 0.5 + 0.5 * angle.cos())
}

#[test]
fn plasma_is_what_its_formula_says() {
    let scene = scene("plasma");
    let rgba = draw("plasma", &scene);
    let seen = compare("plasma", &rgba, (scene.size, 8), 1.5, |x, y| Some((0, plasma(x, y))));
    assert_eq!(seen[0], 32 * 24);
}

/// Centre x, y, z and radius, and colour.
const SPHERES: [([f64; 4], Colour); 3] = [
    ([-1.6, -0.1, -5.0, 0.9], [230.0, 60.0, 40.0]),
    ([0.2, 0.1, -4.0, 1.1], [240.0, 190.0, 60.0]),
    ([1.9, 0.3, -6.5, 1.3], [60.0, 110.0, 220.0]),
];
const SKY: Colour = [0.6, 0.75, 0.9];
const LIGHT: [f64; 3] = [0.48, 0.64, 0.6];

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// What the ray of a pixel hits first: 0 to 2 a sphere, 3 the plain, 4 the sky; with the colour there.
fn trace(x: f64, y: f64, [width, height]: [f64; 2]) -> (usize, Colour) {
    let ray = [(2.0 * x / width - 1.0) * (4.0 / 3.0) / 1.5, -(2.0 * y / height - 1.0) / 1.5, -1.0];
    let mut nearest = f64::INFINITY;
    let mut found = (4, SKY);
    let mut hit = |t: f64, kind: usize, colour: Colour, normal: [f64; 3]| {
        if t > 0.1 && t < nearest {
            nearest = t;
            let light = 0.2 + 0.8 * dot(normal, LIGHT).max(0.0);
            let haze = 1.0 - (-0.05 * t).exp2();
            found = (kind, [0, 1, 2].map(|at| colour[at] * light * (1.0 - haze) + SKY[at] * haze));
        }
    };
    for (kind, ([cx, cy, cz, r], colour)) in SPHERES.into_iter().enumerate() {
        let centre = [cx, cy, cz];
        let (a, b, c) = (dot(ray, ray), dot(ray, centre), dot(centre, centre) - r * r);
        if b * b > a * c {
            let t = (b - (b * b - a * c).sqrt()) / a;
            let normal = [0, 1, 2].map(|at| (t * ray[at] - centre[at]) / r);
            hit(t, kind, colour.map(|component| component / 255.0), normal);
        }
    }
    let t = -1.0 / ray[1];
    if ray[1] < 0.0 && t < 60.0 && (t * ray[0]).abs() < 30.0 {
        hit(t, 3, [0.35, 0.4, 0.3], [0.0, 1.0, 0.0]);
    }
    found
}

#[test]
fn spheres_are_where_rays_hit_them_and_lit_as_they_should_be() {
    let scene = scene("spheres");
    let rgba = draw("spheres", &scene);
    let size = scene.size.map(f64::from);
    // Spheres are made of triangles: near outlines they may end a little early.
    let seen = compare("spheres", &rgba, (scene.size, 8), 5.0, |x, y| {
        let (kind, colour) = trace(x, y, size);
        let around = [[-3.0, 0.0], [3.0, 0.0], [0.0, -3.0], [0.0, 3.0]];
        let inside = around.iter().all(|[dx, dy]| trace(x + dx, y + dy, size).0 == kind);
        inside.then_some((kind, colour))
    });
    assert!(seen[..5].iter().all(|count| *count >= 10), "{seen:?}");
}

/// Place x, y, cosine and sine times size; red, green, blue, alpha.
const PANES: [([f64; 4], [f64; 4]); 5] = [
    ([-0.3, -0.3, 0.9, 0.3], [220.0, 30.0, 40.0, 140.0]),
    ([0.25, -0.25, 0.8, -0.5], [40.0, 160.0, 60.0, 120.0]),
    ([0.3, 0.35, 0.6, 0.7], [40.0, 70.0, 210.0, 150.0]),
    ([-0.35, 0.3, 0.95, -0.15], [240.0, 200.0, 30.0, 110.0]),
    ([0.0, 0.0, 0.5, 0.45], [120.0, 30.0, 160.0, 170.0]),
];

/// Panes over the pixel and the colour through them; `None` within two pixels of an edge.
fn through_glass(x: f64, y: f64) -> Option<(usize, Colour)> {
    let (px, py) = (x / 128.0 - 1.0, y / 128.0 - 1.0);
    let mut colour = [1.0; 3];
    let mut panes = 0;
    for ([cx, cy, cos, sin], pane) in PANES {
        let (dx, dy, square) = (px - cx, py - cy, cos * cos + sin * sin);
        let (u, v) = ((dx * cos + dy * sin) / square, (dy * cos - dx * sin) / square);
        let outside = (u.abs() - 0.5).max(v.abs() - 0.5);
        if outside.abs() * square.sqrt() * 128.0 < 2.0 {
            return None;
        }
        if outside < 0.0 {
            panes += 1;
            let alpha = pane[3] / 255.0;
            colour = [0, 1, 2].map(|at| pane[at] / 255.0 * alpha + colour[at] * (1.0 - alpha));
        }
    }
    Some((panes, colour))
}

#[test]
fn glass_mixes_its_colours_in_order_and_has_smooth_edges() {
    let mut scene = scene("glass");
    let smooth = draw("glass", &scene);
    let seen = compare("glass", &smooth, (scene.size, 8), 2.5, through_glass);
    assert!(seen[..4].iter().all(|count| *count >= 10), "{seen:?}");
    scene.samples = 1;
    let hard = draw("glass", &scene);
    let mut softened = 0;
    for (at, (a, b)) in smooth.chunks(4).zip(hard.chunks(4)).enumerate() {
        if a != b {
            softened += 1;
            let (x, y) = (at % 256, at / 256);
            assert_eq!(through_glass(x as f64 + 0.5, y as f64 + 0.5), None, "{x}, {y} is at no edge");
        }
    }
    assert!(softened > 500, "{softened} pixels");
}

/// A scene of one draw of the plasma's shaders, and what is around the draws.
fn scene_text(more: &str, draw: &str) -> String {
    format!(
        r#"{{"size":[8,8]{more},"draws":[{{"vertex":{{"file":"plasma.wgsl"}},"fragment":{{"file":"plasma.wgsl"}},"vertices":3{draw}}}]}}"#
    )
}

/// The message with which a scene is refused.
fn refusal(text: &str) -> String {
    let bundled = BUNDLED.iter().find(|bundled| bundled.name == "plasma").expect("bundled");
    let scene = read(text.as_bytes(), "scene.json").expect("a scene");
    match render(&scene, &Files::Bundled(bundled), Target::default(), &mut Context::new()) {
        Err(Failure::Problems(problems)) => problems.into_iter().map(|problem| problem.message).collect(),
        _ => String::new(),
    }
}

#[test]
fn what_a_scene_asks_for_must_exist() {
    for (draw, wanted) in [
        (
            r#","topology":"fans""#,
            "draws[0].topology: unknown topology `fans`; expected one of triangles, lines, points",
        ),
        (r#","cull":"sideways""#, "draws[0].cull: unknown cull mode `sideways`"),
        (r#","write_mask":"rgx""#, "draws[0].write_mask: unknown component `x`"),
        (r#","depth":{"compare":"lesser"}"#, "draws[0].depth.compare: unknown comparison `lesser`"),
        (r#","stencil":{"pass":"count"}"#, "draws[0].stencil.pass: unknown stencil operation `count`"),
        (r#","blend":{"colour":{"source":"one","destination":"two"}}"#, "draws[0].blend.colour.destination"),
        (
            r#","blend":{"advanced":{"op":"blur"}}"#,
            "draws[0].blend.advanced.op: unknown advanced blend operation `blur`",
        ),
        (r#","blend":{}"#, "draws[0].blend: expected `colour` or `advanced`"),
        (
            r#","vertex_buffers":[{"stride":4,"attributes":[{"location":0,"format":"R9_UNORM"}]}]"#,
            "draws[0].vertex_buffers[0].attributes[0]: unknown vertex attribute format `R9_UNORM`",
        ),
        ("", "the shader uses set 0, binding 0"),
    ] {
        let message = refusal(&scene_text("", draw));
        assert!(message.contains(wanted), "{draw}: {message}");
    }
    for (more, wanted) in [
        (r#","samples":3"#, "samples: expected 1, 2 or 4, found 3"),
        (r#","format":"R8_UNORM""#, "unknown"),
        (
            r#","textures":[{"binding":0,"size":[2,2],"u8":[1]}]"#,
            "textures[0]: 2 × 2 texels of rgba8 are 16 bytes",
        ),
        (r#","textures":[{"binding":0}]"#, "textures[0]: expected one of"),
        (
            r#","textures":[{"binding":0,"size":[1,1],"f32":[1],"format":"rgb"}]"#,
            "textures[0]: unknown texel format `rgb`",
        ),
        (
            r#","samplers":[{"binding":0,"state":["sharp"]}]"#,
            "samplers[0].state: unknown sampler setting `sharp`",
        ),
    ] {
        let message = refusal(&scene_text(more, ""));
        assert!(message.contains(wanted), "{more}: {message}");
    }
}

#[test]
fn a_malformed_scene_is_reported_with_its_place() {
    for (text, wanted, place) in [
        (scene_text("", "\n,\"colour\":1"), "unknown field `colour`", [2, 9]),
        (scene_text(",\n\"buffers\":[{\"binding\":0,\"f64\":[1]}]", ""), "unknown field `f64`", [2, 29]),
        (scene_text(",\"samples\":\"two\"", ""), "invalid type: string \"two\", expected u8", [1, 29]),
        ("{".to_owned(), "EOF", [1, 1]),
    ] {
        let Err(Failure::Problems(wrong)) = read(text.as_bytes(), "scene.json") else { panic!("{text}") };
        assert!(wrong[0].message.contains(wanted), "{text}: {wrong:?}");
        assert_eq!(wrong[0].location, Location::Text { line: place[0], column: place[1] }, "{text}");
    }
}
