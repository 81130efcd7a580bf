//! WGSL: naga parses and checks it and writes SPIR-V, which goes through the SPIR-V front end.

use bumpalo::Bump;
use naga::back::pipeline_constants::process_overrides;
use naga::back::{PipelineConstants, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{Module, Scalar, ScalarKind, TypeInner};

use super::Shader;
use crate::CompileKey;
use crate::error::{CompileError, Location};

/// Reads a WGSL module.
///
/// # Errors
/// What naga says of the text, with line and column, and what the SPIR-V front end reports.
pub fn read<'a>(bump: &'a Bump, text: &str, key: &CompileKey) -> Result<Shader<'a>, CompileError> {
    let words = to_spirv(text, key)?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    super::spirv::read(bump, &bytes, key, super::spirv::Dialect { masks_shifts: true })
}

/// Translates a WGSL module to SPIR-V. Specialization constants of `key` are the values of overrides by id.
///
/// # Errors
/// What naga says of the text, with line and column.
pub fn to_spirv(text: &str, key: &CompileKey) -> Result<Vec<u32>, CompileError> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| {
        let location = error.location(text).map_or(Location::Whole, at);
        CompileError::invalid(error.message()).at(location)
    })?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| {
        let location = error.location(text).map_or(Location::Whole, at);
        CompileError::invalid(chain(error.as_inner())).at(location)
    })?;
    let (module, info) = process_overrides(&module, &info, None, &overrides(&module, key))
        .map_err(|error| CompileError::invalid(chain(&error)))?;
    let options = options();
    spv::write_vec(&module, &info, &options, None).map_err(|error| CompileError::unsupported(chain(&error)))
}

/// The values `key` gives to the overrides of a module.
fn overrides(module: &Module, key: &CompileKey) -> PipelineConstants {
    let mut constants = PipelineConstants::default();
    for (_, constant) in module.overrides.iter() {
        let Some(id) = constant.id else { continue };
        let chosen = key.spec_constants.iter().find(|(known, _)| *known == u32::from(id));
        let TypeInner::Scalar(scalar) = module.types[constant.ty].inner else { continue };
        if let Some((_, bits)) = chosen {
            constants.insert(id.to_string(), number(scalar, *bits));
        }
    }
    constants
}

/// The number whose representation as a scalar of this kind is `bits`.
fn number(scalar: Scalar, bits: u64) -> f64 {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 2) => half::f16::from_bits(bits as u16).to_f64(),
        (ScalarKind::Float, 8) => f64::from_bits(bits),
        (ScalarKind::Float, _) => f64::from(f32::from_bits(bits as u32)),
        (ScalarKind::Sint, _) => f64::from(bits as i32),
        _ => f64::from(bits as u32),
    }
}

/// How naga writes SPIR-V: WGSL wants indices kept within bounds and workgroup memory zeroed.
fn options() -> spv::Options<'static> {
    let policies = BoundsCheckPolicies {
        index: BoundsCheckPolicy::Restrict,
        buffer: BoundsCheckPolicy::Restrict,
        image_load: BoundsCheckPolicy::Restrict,
        binding_array: BoundsCheckPolicy::Unchecked,
    };
    spv::Options {
        lang_version: (1, 4),
        flags: spv::WriterFlags::empty(),
        bounds_check_policies: policies,
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::Polyfill,
        force_loop_bounding: false,
        ..spv::Options::default()
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn ir(text: &str, key: &CompileKey) -> Result<String, CompileError> {
        read(&Bump::new(), text, key).map(|(f, _)| f.to_string())
    }

    #[test]
    fn errors_name_line_and_column() {
        let text = "@compute @workgroup_size(1)\nfn main() { let x: u32 = 1.5; }";
        let error = ir(text, &CompileKey::default()).expect_err("the types differ");
        assert_eq!(error.kind, ErrorKind::Invalid);
        assert!(matches!(error.location, Location::Text { line: 2, column: 17.. }), "{error}");
    }

    #[test]
    fn overrides_take_the_values_of_the_key() {
        let text = "@id(7) override n: i32 = 3;\n@group(0) @binding(0) var<storage, read_write> out: array<i32, 1>;\n\
                    @compute @workgroup_size(1) fn main() { out[0] = n * 5; }";
        assert!(ir(text, &CompileKey::default()).is_ok_and(|text| text.contains("store_global #15")));
        let key = CompileKey { spec_constants: vec![(7, 9)], ..CompileKey::default() };
        assert!(ir(text, &key).is_ok_and(|text| text.contains("store_global #45")));
    }

    #[test]
    fn shift_amounts_are_taken_modulo_the_width() {
        let text = "@group(0) @binding(0) var<storage, read_write> data: array<u32, 2>;\n\
                    @compute @workgroup_size(1) fn main() { data[0] = 1u << data[1]; }";
        let text = ir(text, &CompileKey::default()).expect("the text compiles");
        assert!(text.contains("bitop") && text.contains("#31"), "{text}");
    }
}
