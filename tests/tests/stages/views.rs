//! Shaders that read the view index: the driver runs them once per view.

use agx_abi::UniformSource;
use agx_compiler::{CompiledShader, Input};
use agx_emulator::Framebuffer;

use super::{SIDE, Scene, colour, compiled, fragment_programs, spirv, vertex_programs};

/// `shader` for one view. The launch does not provide the view index, so a promoted constant replaces it.
fn for_view(shader: &CompiledShader, view: u32) -> CompiledShader {
    let mut shader = shader.clone();
    let offset = shader.info.promoted.len() as u32;
    shader.info.promoted.extend(view.to_le_bytes());
    let mut ranges = shader.info.uniforms.iter_mut();
    let range = ranges.find(|range| range.source == UniformSource::ViewIndex).expect("reads the view");
    assert_eq!(range.halves, 2, "a word");
    range.source = UniformSource::Promoted { offset };
    shader
}

#[test]
fn each_view_is_drawn_with_its_number() {
    let scene = Scene { vertex: "views", ..Scene::new("views") };
    let mut key = agx_compiler::CompileKey::default();
    (key.validate, key.stage) = (true, Some(agx_abi::Stage::Fragment));
    let vertices = vertex_programs("views", |_| None);
    let fragments = fragment_programs(Input::spirv(&spirv("views.frag")), &key, &scene.state());
    // Linked from parts and as wholes, both stages.
    for (vertex, fragment) in vertices.iter().zip(&fragments) {
        for view in [0, 1, 5] {
            let vertex = (for_view(&vertex.0, view), vertex.1.clone());
            let fragment = (for_view(&fragment.0, view), fragment.1.clone());
            let (framebuffer, _) = scene.draw_programs(&vertex, &fragment);
            check(&framebuffer, view);
        }
    }
}

/// View n is shifted n pixels to the right.
fn check(framebuffer: &Framebuffer, view: u32) {
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        let expected =
            if x < view { [0.0; 4] } else { [view as f32, 10.0 + view as f32, (x - view) as f32 + 0.5, 1.0] };
        assert_eq!(colour(framebuffer, x, y, 0), expected, "view {view} at {x}, {y}");
    }
}

#[test]
fn shaders_that_do_not_read_the_view_need_no_number() {
    let shader = compiled("screen.vert", &agx_compiler::CompileKey::default());
    assert!(shader.info.uniforms.iter().all(|range| range.source != UniformSource::ViewIndex));
}
