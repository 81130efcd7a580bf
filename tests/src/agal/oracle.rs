//! Compares machine and interpreter for random and edge inputs.

use agx_agal::{Dimension, Program, Shader, Stage};
use agx_compiler::CompileKey;

use super::compare::{Agreement, Oracle};
use super::inputs::{Kind, Numbers};
use super::texture::{Bindings, Texture};
use super::{fragments, shader, vertices};
use crate::outcome::Outcome;

/// Compares the results of a program for inputs of a kind.
///
/// # Errors
/// The first difference, or the reason why the program could not run.
pub fn compare(program: &Program, kind: Kind, seed: u64, key: &CompileKey) -> Result<Agreement, Outcome> {
    let bytes = program.write();
    let mut numbers = Numbers::new(kind, seed);
    let constants: Vec<_> = (0..256).map(|_| numbers.vector()).collect();
    match program.stage {
        Stage::Vertex => vertex(&bytes, &constants, &mut numbers, key),
        Stage::Fragment => fragment(&bytes, &constants, &mut numbers, key),
    }
}

fn vertex(
    bytes: &[u8],
    constants: &[[f32; 4]],
    numbers: &mut Numbers,
    key: &CompileKey,
) -> Result<Agreement, Outcome> {
    let checked = shader(bytes)?;
    let vertices: Vec<_> = (0..16).map(|_| numbers.registers()).collect();
    let textures = textures(&checked, numbers);
    let run =
        vertices::Run { program: bytes, constants, vertices: &vertices, textures: &textures, instances: 2 };
    let (inputs, found) = (run.inputs(), run.outputs(key)?);
    let bindings = Bindings { textures: &textures, stage: Stage::Vertex };
    let oracle = Oracle { shader: &checked, constants, textures: &bindings };
    let mut agreement = Agreement::default();
    for (number, (inputs, found)) in
        inputs.as_chunks::<4>().0.iter().zip(found.as_chunks::<4>().0).enumerate()
    {
        let agreed = oracle.agrees(inputs, found);
        agreement
            .add(agreed.map_err(|reason| Outcome::Fail(format!("vertices from {}: {reason}", 4 * number)))?);
    }
    Ok(agreement)
}

fn fragment(
    bytes: &[u8],
    constants: &[[f32; 4]],
    numbers: &mut Numbers,
    key: &CompileKey,
) -> Result<Agreement, Outcome> {
    let checked = shader(bytes)?;
    let corners = [numbers.registers(), numbers.registers(), numbers.registers()];
    let textures = textures(&checked, numbers);
    let run = fragments::Run { program: bytes, constants, corners: &corners, textures: &textures, side: 4 };
    let bindings = Bindings { textures: &textures, stage: Stage::Fragment };
    let oracle = Oracle { shader: &checked, constants, textures: &bindings };
    let mut agreement = Agreement::default();
    for (number, (inputs, found)) in run.quads(key)?.iter().enumerate() {
        let agreed = oracle.agrees(inputs, found);
        agreement.add(agreed.map_err(|reason| Outcome::Fail(format!("quad {number}: {reason}")))?);
    }
    Ok(agreement)
}

/// Random textures for a shader's sampler registers.
fn textures(shader: &Shader, numbers: &mut Numbers) -> Vec<Texture> {
    let dimension = |register: usize| {
        let mut uses = shader.interface.textures.iter();
        let used = uses.find(|used| usize::from(used.register) == register);
        used.map_or(Dimension::D2, |used| used.settings.dimension)
    };
    (0..8).map(|register| numbers.texture(dimension(register))).collect()
}
