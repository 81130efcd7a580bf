//! SPIR-V.
//!
//! `read` scans the module once (`module`), then walks the entry point's body: control flow is structured from the
//! graph (`cfg`, `structurize`), calls are inlined (`translate`), composites are lists of scalars (`types`,
//! `eval`), variables that only one invocation sees become SSA values ([`crate::frontend::ssa`]), and other memory is
//! reached through descriptions of pointers (`pointers`, `memory`).

mod arith;
mod capability;
mod cfg;
mod composite;
mod coverage;
mod debug;
mod decorations;
mod derivatives;
mod eval;
mod float_controls;
mod fragment;
mod globals;
mod glsl;
mod glsl_math;
mod images;
mod instructions;
mod interface;
mod lanes;
mod matrix;
mod memory;
mod module;
mod opcode;
mod partition;
mod pointers;
mod reconverge;
mod relaxed;
mod resources;
mod sampling;
mod scan;
mod spec;
mod stage;
#[cfg(all(test, feature = "wgsl"))]
mod stage_tests;
mod structurize;
mod sync;
#[cfg(test)]
mod tests;
mod tile_image;
mod translate;
mod types;
mod usage;
mod variables;
mod vertex;
mod words;

use agx_abi::{ShaderInfo, Stage};
use bumpalo::Bump;

use super::Shader;
use crate::CompileKey;
use crate::error::CompileError;
use crate::ir::Function;
use crate::ir::builder::Builder;

/// Most bytes of push constants that are read directly.
pub const MAX_PUSH_CONSTANT_BYTES: u32 = 256;

/// Most bytes of stack memory for local arrays.
pub const MAX_SCRATCH_BYTES: u32 = 64 << 10;

/// What a source language promises beyond SPIR-V.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dialect {
    /// Shift amounts are taken modulo the width of what is shifted.
    pub masks_shifts: bool,
}

/// Reads the entry point that `key` wants from a module in either byte order.
///
/// # Errors
/// Invalid modules, unsupported instructions and exceeded limits, with the word where they stand.
pub fn read<'a>(
    bump: &'a Bump,
    bytes: &[u8],
    key: &CompileKey,
    dialect: Dialect,
) -> Result<Shader<'a>, CompileError> {
    let module = module::Module::scan(bump, bytes, key)?;
    let entry = module.entry(key)?;
    let mut function = Function::new(bump, &entry.name);
    function.workgroup_size = (entry.stage == Stage::Compute).then_some(entry.workgroup_size);
    let floats = float_controls::FloatControls::read(&module, entry.id)?;
    // Simplifications that are right but for the sign of a zero or a NaN are then left out.
    function.contract = !floats.preserves_anything();
    function.signed_zeros = floats.preserves_anything();
    let mut translator =
        translate::Translator::new(Builder::start(&mut function), bump, &module, entry.workgroup_size);
    translator.masks_shifts = dialect.masks_shifts;
    translator.floats = floats;
    translator.usage = usage::Usage::scan(&module)?;
    translator.io = stage::StageIo::new(&entry, key);
    translator.stage_inputs()?;
    translator.prologue()?;
    translator.run(entry.function)?;
    translator.stage_outputs()?;
    let placement = translator.uniforms.place()?;
    let info = ShaderInfo {
        stage: entry.stage,
        runs_as: translator.io.runs_as,
        attributes: std::mem::take(&mut translator.io.attributes),
        varyings: std::mem::take(&mut translator.io.varyings),
        fragment: std::mem::take(&mut translator.io.fragment),
        entry_point: entry.name,
        uniform_halves: placement.halves(),
        uniforms: placement.ranges.clone(),
        textures: std::mem::take(&mut translator.states.textures),
        samplers: std::mem::take(&mut translator.states.samplers),
        workgroup_size: entry.workgroup_size,
        local_bytes: translator.local_bytes,
        scratch_bytes: translator.scratch_bytes,
        constants: std::mem::take(&mut translator.constants.bytes),
        writes_memory: translator.writes_memory,
        uses_barrier: translator.uses_barrier,
        ..ShaderInfo::default()
    };
    let translate::Translator { b, vars, .. } = translator;
    b.finish();
    vars.finish(&mut function, |src| placement.map(src));
    Ok((function, info))
}
