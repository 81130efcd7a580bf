//! SPIR-V.
//!
//! `read` scans the module once (`module`), then walks the entry point's body: control flow is structured
//! from the graph ([`crate::frontend::kit::control`]), calls are inlined (`translate`), composites are lists
//! of scalars (`types`, `eval`), variables private to an invocation become SSA values
//! ([`crate::ssa`]), and other memory is accessed through pointer descriptions (`pointers`,
//! `memory`).

mod acceleration;
mod arith;
mod capability;
mod cfg;
mod chunks;
mod composite;
mod constant_tables;
mod conversions;
mod cooperative;
mod copies;
mod debug;
mod decorations;
mod demotion;
mod derivatives;
mod eval;
mod execution_modes;
mod float_controls;
mod fragment;
mod geometry;
mod geometry_modes;
mod globals;
mod glsl;
mod glsl_math;
mod images;
mod index;
mod instructions;
mod interface;
mod kernel;
mod lanes;
mod large;
mod matrix;
mod memory;
mod mesh;
mod mesh_modes;
mod module;
mod names;
mod numbers;
mod opcodes;
mod opencl;
mod owners;
mod partition;
mod pointer;
mod pointers;
mod prologue;
mod pure;
mod ray_query;
mod relaxed;
mod resource;
mod resources;
mod sampling;
mod scan;
mod simd;
mod spec;
mod stage;
mod stage_memory;
#[cfg(all(test, feature = "wgsl"))]
mod stage_tests;
mod sync;
mod tessellation;
mod tessellation_modes;
#[cfg(test)]
mod tests;
mod tile_image;
mod translate;
mod types;
mod uncopied;
mod usage;
mod usage_scan;
mod values;
mod variables;
mod vertex;
mod walk;
mod words;
mod written;

use bumpalo::Bump;

use super::kit::Kit;
use super::{FrontEnd, Input, Shader};
use crate::CompileKey;
use crate::error::CompileError;
use crate::ir::function::with_room;
use crate::ssa::NamedVariables;

/// Guarantees of a source language beyond SPIR-V.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Dialect {
    /// Shift amounts are taken modulo the width of the shifted operand.
    pub masks_shifts: bool,
}

/// SPIR-V leaves too large amounts undefined. Mesa's compiler masks them, and programs rely on it: naga omits
/// the mask that WGSL requires.
const SPIRV: Dialect = Dialect { masks_shifts: true };

/// The front end of SPIR-V.
pub struct SpirV;

impl FrontEnd for SpirV {
    fn read<'a>(
        &self,
        bump: &'a Bump,
        input: Input<'_>,
        key: &CompileKey,
    ) -> Result<Shader<'a>, CompileError> {
        read(bump, input.bytes, key, SPIRV)
    }
}

/// Typical size of a module per instruction that its function has at the end of the compilation.
const BYTES_PER_INST: usize = 8;

/// Reads the entry point selected by `key` from a module in either byte order.
///
/// # Errors
/// Invalid modules, unsupported instructions and exceeded limits, with the word offset.
pub fn read<'a>(
    bump: &'a Bump,
    bytes: &[u8],
    key: &CompileKey,
    dialect: Dialect,
) -> Result<Shader<'a>, CompileError> {
    let (module, usage) = module::Module::scan(bump, bytes, key)?;
    let entry = module.entry(key)?;
    // Types, names and decorations make up half of most modules.
    let mut function = with_room(bump, &entry.name, bytes.len() / BYTES_PER_INST);
    let floats = float_controls::FloatControls::read(&module, entry.id)?;
    // Disables simplifications that change the sign of a zero or a NaN.
    function.contract = !floats.zeros;
    function.signed_zeros = floats.zeros;
    function.special_values = floats.special_values;
    if module.types.is_kernel {
        opencl::set_float_rules(&mut function, &module, entry.id);
    }
    let mut kit = Kit::start(&mut function, entry.stage, key);
    if key.tracks_variables {
        kit.vars.named = Some(Box::new(NamedVariables::new(names::labels(module.words))));
    }
    kit.compute.workgroup_size = entry.workgroup_size;
    kit.compute.quads = entry.quads;
    let mut translator = translate::Translator::new(kit, bump, &module);
    translator.values.masks_shifts = dialect.masks_shifts;
    translator.values.floats = floats;
    translator.memory.usage = usage;
    (translator.io.interface, translator.io.feedback) = (entry.interface, entry.feedback);
    let translate::Translator { values, memory, io, .. } = &mut translator;
    stage::stage_inputs(io, memory, values, (&entry, key))?;
    prologue::prologue(memory, values)?;
    if module.types.is_kernel {
        opencl::begin(&mut translator, &entry)?;
    }
    translator.run(entry.function)?;
    let translate::Translator { mut values, mut io, memory, .. } = translator;
    stage::stage_outputs(&mut io, &mut values)?;
    let mut info = values.kit.finish(&entry.name)?;
    info.kernel = memory.kernel.map(|kernel| *kernel);
    Ok((function, info))
}
