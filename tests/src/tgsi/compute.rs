//! Compute programs on the machine and in the interpreter.

use agx_compiler::CompileKey;
use agx_tgsi::interpret::{Group, Rounding, run_rounded};
use agx_tgsi::{File, PropertyName, SemanticName, Shader};

use super::world::Stage;
use super::{Scene, Vector, compile};
use crate::driver::{Resources, launch_with};
use crate::outcome::Outcome;

/// Maximum number of steps of the interpreter.
pub(super) const STEPS: u64 = 1 << 20;

/// Bytes of shared memory in the interpreter.
const SHARED_BYTES: usize = 32 << 10;

/// Runs a program on the machine; its results are stored in the scene's buffers and images.
///
/// # Errors
/// The outcome that is not a pass.
pub fn on_machine(
    text: &str,
    scene: &Scene,
    workgroups: [u32; 3],
    key: &CompileKey,
    seed: u64,
) -> Result<
    (Vec<agx_emulator::launch::BufferBinding>, Vec<agx_emulator::launch::textures::TextureResource>),
    Outcome,
> {
    let shader = compile(text, key)?;
    let (mut buffers, mut textures, samplers) = (scene.bindings(), scene.resources(), scene.samplers());
    let resources = Resources {
        buffers: &mut buffers,
        textures: &mut textures,
        samplers: &samplers,
        push_constants: &[],
    };
    launch_with(&shader, resources, workgroups, seed)?;
    Ok((buffers, textures))
}

/// Runs a program in the interpreter; its results are stored in the scene.
///
/// # Errors
/// The interpreter's error.
pub fn in_interpreter(
    shader: &Shader,
    scene: &mut Scene,
    workgroups: [u32; 3],
    rounding: &mut Rounding<'_>,
) -> Result<(), Outcome> {
    let size = workgroup_size(shader);
    let threads = size.iter().product::<u32>();
    let [columns, rows, _] = workgroups;
    for group in 0..workgroups.iter().product() {
        let block = [group % columns, group / columns % rows, group / (columns * rows)];
        let system = |thread: usize, register: u32| {
            let thread = thread as u32;
            let place = [thread % size[0], thread / size[0] % size[1], thread / (size[0] * size[1])];
            let name = shader.declaration(File::SystemValue, None, register).and_then(|found| found.semantic);
            name.map_or([0; 4], |semantic| value(semantic.name, [workgroups, block, size, place], thread))
        };
        let input = |_: usize, _: u32, _| [0; 4];
        let shared = vec![0; SHARED_BYTES];
        let mut stage = Stage { shader, scene, shared, input: &input, system: &system, colour: [0; 4] };
        let threads = Group { count: threads as usize, is_helper: &|_| false, steps: STEPS };
        let outcome = run_rounded(shader, &threads, &mut stage, rounding);
        outcome.map_err(|error| Outcome::Fail(format!("interpreter: {error}")))?;
    }
    Ok(())
}

/// Threads of a workgroup along each axis.
pub fn workgroup_size(shader: &Shader) -> [u32; 3] {
    let size = |name| shader.property(name).unwrap_or(1).max(1);
    [
        size(PropertyName::CsFixedBlockWidth),
        size(PropertyName::CsFixedBlockHeight),
        size(PropertyName::CsFixedBlockDepth),
    ]
}

/// A system value of a thread.
fn value(name: SemanticName, [grid, block, size, place]: [[u32; 3]; 4], thread: u32) -> Vector {
    let of = |[x, y, z]: [u32; 3]| [x, y, z, 0];
    let lane = thread % 32;
    let mask = |bits: u64| [bits as u32, 0, 0, 0];
    let (equal, less) = (1u64 << lane, (1u64 << lane) - 1);
    match name {
        SemanticName::GridSize => of(grid),
        SemanticName::BlockId => of(block),
        SemanticName::BlockSize => of(size),
        SemanticName::ThreadId => of(place),
        SemanticName::WorkDim => [3, 0, 0, 0],
        SemanticName::SubgroupSize => [32, 0, 0, 0],
        SemanticName::SubgroupInvocation => [lane, 0, 0, 0],
        SemanticName::SubgroupEqMask => mask(equal),
        SemanticName::SubgroupGeMask => mask(!less),
        SemanticName::SubgroupGtMask => mask(!(less | equal)),
        SemanticName::SubgroupLeMask => mask(less | equal),
        SemanticName::SubgroupLtMask => mask(less),
        _ => [0; 4],
    }
}
