//! The oracle: random and edge inputs for every bundled program.

use std::path::Path;

use agx_agal::interpret::NoTextures;
use agx_agal::{AssembleOptions, Program, Stage, assemble};
use agx_compiler::CompileKey;
use agx_tests::agal::compare::{Agreement, Oracle};
use agx_tests::agal::inputs::{Kind, Numbers};
use agx_tests::agal::texture::{Bindings, Texture};
use agx_tests::agal::{fragments, shader, vertices};
use agx_tests::outcome::Outcome;

/// A bundled program.
pub struct Bundled {
    /// Name of its file without extension.
    pub name: String,
    /// What it assembles to.
    pub program: Program,
}

/// Every bundled program, by name.
pub fn bundled() -> Vec<Bundled> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/agal/programs");
    let entries = std::fs::read_dir(folder).expect("the folder of programs");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let read = |path: &Path| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path).expect("UTF-8");
        let program = assemble(&text, AssembleOptions::default());
        Bundled { program: program.unwrap_or_else(|error| panic!("{name}: {error}")), name }
    };
    paths.iter().map(|path| read(path)).collect()
}

/// Compares a program over inputs of a kind.
///
/// # Errors
/// The first difference, or what keeps the program from running.
pub fn compare(program: &Program, kind: Kind, seed: u64) -> Result<Agreement, Outcome> {
    let bytes = program.write();
    let mut numbers = Numbers::new(kind, seed);
    let constants: Vec<_> = (0..256).map(|_| numbers.vector()).collect();
    match program.stage {
        Stage::Vertex => vertex(&bytes, &constants, &mut numbers),
        Stage::Fragment => fragment(&bytes, &constants, &mut numbers),
    }
}

fn vertex(bytes: &[u8], constants: &[[f32; 4]], numbers: &mut Numbers) -> Result<Agreement, Outcome> {
    let checked = shader(bytes)?;
    let vertices: Vec<_> = (0..16).map(|_| numbers.registers()).collect();
    let run = vertices::Run { program: bytes, constants, vertices: &vertices, instances: 2 };
    let (inputs, found) = (run.inputs(), run.outputs(&CompileKey::default())?);
    let oracle = Oracle { shader: &checked, constants, textures: &NoTextures };
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

fn fragment(bytes: &[u8], constants: &[[f32; 4]], numbers: &mut Numbers) -> Result<Agreement, Outcome> {
    let checked = shader(bytes)?;
    let corners = [numbers.registers(), numbers.registers(), numbers.registers()];
    let uses = &checked.interface.textures;
    let dimension = |register: usize| {
        let used = uses.iter().find(|used| usize::from(used.register) == register);
        used.map_or(agx_agal::Dimension::D2, |used| used.settings.dimension)
    };
    let textures: Vec<Texture> = (0..8).map(|register| numbers.texture(dimension(register))).collect();
    let run = fragments::Run { program: bytes, constants, corners: &corners, textures: &textures, side: 4 };
    let oracle = Oracle { shader: &checked, constants, textures: &Bindings(&textures) };
    let mut agreement = Agreement::default();
    for (number, (inputs, found)) in run.quads(&CompileKey::default())?.iter().enumerate() {
        let agreed = oracle.agrees(inputs, found);
        agreement.add(agreed.map_err(|reason| Outcome::Fail(format!("quad {number}: {reason}")))?);
    }
    Ok(agreement)
}
