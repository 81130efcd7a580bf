//! WGSL: naga parses and checks it and writes SPIR-V, which goes through the SPIR-V front end.

use bumpalo::Bump;
use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

use super::Shader;
use crate::CompileKey;
use crate::error::{CompileError, Location};

/// Reads a WGSL module.
///
/// # Errors
/// What naga says of the text, with line and column, and what the SPIR-V front end reports.
pub fn read<'a>(bump: &'a Bump, text: &str, key: &CompileKey) -> Result<Shader<'a>, CompileError> {
    let words = to_spirv(text)?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    super::spirv::read(bump, &bytes, key, super::spirv::Dialect { masks_shifts: true })
}

/// Translates a WGSL module to SPIR-V.
///
/// # Errors
/// What naga says of the text, with line and column.
pub fn to_spirv(text: &str) -> Result<Vec<u32>, CompileError> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| {
        let location = error.location(text).map_or(Location::Whole, at);
        CompileError::invalid(error.message()).at(location)
    })?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| {
        let location = error.location(text).map_or(Location::Whole, at);
        CompileError::invalid(chain(error.as_inner())).at(location)
    })?;
    let policies = BoundsCheckPolicies {
        index: BoundsCheckPolicy::Restrict,
        buffer: BoundsCheckPolicy::Restrict,
        image_load: BoundsCheckPolicy::Restrict,
        binding_array: BoundsCheckPolicy::Unchecked,
    };
    let options = spv::Options {
        lang_version: (1, 4),
        flags: spv::WriterFlags::empty(),
        bounds_check_policies: policies,
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::Polyfill,
        force_loop_bounding: false,
        ..spv::Options::default()
    };
    spv::write_vec(&module, &info, &options, None).map_err(|error| CompileError::unsupported(chain(&error)))
}

fn at(location: naga::SourceLocation) -> Location {
    Location::Text { line: location.line_number, column: location.line_position }
}

/// An error with its causes in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        message.push_str(": ");
        message.push_str(&cause.to_string());
        next = cause.source();
    }
    message
}
