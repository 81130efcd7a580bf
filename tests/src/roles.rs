//! The roles of vertex and fragment shaders in draws: part of a linked program, whole program, vertex shader as compute
//! shader, and fragment shader with sample shading.

use agx_abi::tile::ColourFormat;
use agx_abi::vertex_format::VertexFormat;
use agx_abi::{Stage, Target};
use agx_compiler::link::{AttributeKey, FragmentState, Target as RenderTarget};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Input, Scratch};

use crate::corpus::Item;
use crate::driver::validate_program;
use crate::outcome::Outcome;

/// Format of every attribute: its components are the bits that shaders of all types read.
const ATTRIBUTE: &str = "R32G32B32A32_UINT";
/// Format of every render target.
const TARGET: &str = "R16G16B16A16_SFLOAT";

/// Compiles an entry point of the corpus in all its roles, and checks the programs.
///
/// # Errors
/// The first outcome that is not a pass.
pub fn every_role(item: &Item, base: &CompileKey) -> Result<(), Outcome> {
    match item.entry.stage {
        Some(Stage::Vertex) => vertex(&item.module, &item.key(base)),
        Some(Stage::Fragment) => fragment(&item.module, &item.key(base)),
        _ => item.compile(base).map(|_| ()),
    }
}

fn vertex(module: &[u8], key: &CompileKey) -> Result<(), Outcome> {
    let (compiler, mut scratch) = (Compiler::new(Target::default()), Scratch::default());
    let attribute = |location| {
        let format = VertexFormat::from_name(ATTRIBUTE)?;
        Some(AttributeKey { alignment: 16, ..AttributeKey::new(location, format, 16) })
    };
    for vertex_as_compute in [false, true] {
        let mut key = key.clone();
        key.vertex_as_compute = vertex_as_compute;
        let shader = compiler.compile(&mut scratch, Input::spirv(module), &key)?;
        validate_program(&compiler.vertex_program(&mut scratch, &shader, attribute, &key)?)?;
        let whole = compiler.whole_vertex(&mut scratch, Input::spirv(module), &key, attribute)?;
        validate_program(&whole.program)?;
    }
    Ok(())
}

fn fragment(module: &[u8], key: &CompileKey) -> Result<(), Outcome> {
    let (compiler, mut scratch) = (Compiler::new(Target::default()), Scratch::default());
    for sample_shading in [false, true] {
        let mut key = key.clone();
        key.sample_shading = sample_shading;
        let shader = compiler.compile(&mut scratch, Input::spirv(module), &key)?;
        let state = state_for(&shader, if sample_shading { 4 } else { 1 });
        validate_program(&compiler.fragment_program(&mut scratch, &shader, &state, &key)?)?;
        let whole = compiler.whole_fragment(&mut scratch, Input::spirv(module), &key, &state)?;
        validate_program(&whole.program)?;
    }
    Ok(())
}

/// A draw to all targets that the shader writes.
fn state_for(shader: &CompiledShader, samples: u8) -> FragmentState {
    let mut state = FragmentState::new([None; 8], samples);
    let written = shader.info.fragment.targets();
    for (target, place) in state.targets.iter_mut().enumerate() {
        let format = ColourFormat::from_name(TARGET).filter(|_| written >> target & 1 != 0);
        *place = format.map(RenderTarget::new);
    }
    state
}
