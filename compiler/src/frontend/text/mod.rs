//! Languages that naga parses: the module is completed and validated, its overrides are set, it is written as SPIR-V
//! with line information, and the SPIR-V front end reads it.

mod blocks;
#[cfg(feature = "glsl")]
pub mod glsl_errors;
mod lines;
mod named;
pub mod nesting;
mod operands;
mod pointers;
mod returns;
mod sizes;
mod specialize;
pub mod stack;
#[cfg(feature = "wgsl")]
pub mod wgsl_errors;

use bumpalo::Bump;
use naga::back::pipeline_constants::process_overrides;
use naga::back::{PipelineConstants, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, FunctionError, ModuleInfo, ValidationError, ValidationFlags, Validator};
use naga::{ImageClass, Module, Scalar, ScalarKind, ShaderStage, TypeInner, WithSpan};

use self::lines::Positions;
use self::nesting::Nesting;
use super::{Shader, wgsl_discard};
use crate::CompileKey;
use crate::error::{CompileError, Location, ModuleError, NagaError};

/// The name of a text in line tables, since it has no file name.
pub const WGSL: &str = "wgsl";
/// The same for GLSL.
pub const GLSL: &str = "glsl";

/// Differences between languages after parsing.
pub struct Language {
    /// The name of the text in line tables.
    pub name: &'static str,
    /// The source language in the module.
    pub language: spv::SourceLanguage,
    /// Whether indices out of bounds and large shift amounts are defined, and workgroup memory starts zeroed.
    pub is_defined_everywhere: bool,
    /// Whether a discard demotes the invocation to a helper, which then executes the next statement.
    pub is_discard_demotion: bool,
}

/// A text and what was measured of it.
#[derive(Clone, Copy)]
pub struct Text<'t> {
    /// The text, for locations.
    pub text: &'t str,
    /// Its nesting.
    pub nesting: &'t Nesting,
}

/// Reads a text, which `parse` parses.
///
/// # Errors
/// naga's errors, with line and column, and the errors of the SPIR-V front end.
pub fn read<'a>(
    bump: &'a Bump,
    language: &Language,
    text: Text<'_>,
    key: &CompileKey,
    parse: impl FnOnce() -> Result<Module, CompileError>,
) -> Result<Shader<'a>, CompileError> {
    let words = stack::run(text.nesting, || {
        let module = parse()?;
        let has_entry = !module.entry_points.is_empty();
        let words = to_spirv(language, module, text.text, key)?;
        // naga writes a module without entry points as a library, whose capability the SPIR-V front end would reject.
        let missing = || ModuleError::NoEntry { wanted: String::new(), found: "none".to_owned() }.into();
        has_entry.then_some(words).ok_or_else(missing)
    })?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let dialect = super::spirv::Dialect { masks_shifts: language.is_defined_everywhere };
    super::spirv::read(bump, &bytes, key, dialect).map_err(in_text)
}

/// Drops SPIR-V word offsets from an error, because they mean nothing to the author of the text.
pub fn in_text(error: CompileError) -> CompileError {
    super::in_text(error).relocate(|location| match location {
        Location::Word { .. } => Location::Whole,
        location => location,
    })
}

/// Translates a parsed module to SPIR-V. The specialization constants of `key` set overrides by id. To be called within
/// [`stack::run`].
///
/// # Errors
/// naga's errors, with line and column.
pub fn to_spirv(
    language: &Language,
    mut module: Module,
    text: &str,
    key: &CompileKey,
) -> Result<Vec<u32>, CompileError> {
    if language.is_defined_everywhere {
        returns::complete(&mut module);
    }
    specialize::specialize(&mut module);
    pointers::replace_parts(&mut module);
    let info = validate(&module, text)?;
    let (processed, info) = process_overrides(&module, &info, None, &overrides(&module, key))
        .map_err(|error| override_error(chain(&error)))?;
    let mut module = processed.into_owned();
    if module.types.iter().any(|(_, ty)| is_external(&ty.inner)) {
        return Err(NagaError::Inexpressible { what: "texture_external is not supported".into() }.into());
    }
    sizes::check(&mut module)?;
    let demotes = language.is_discard_demotion
        && module.entry_points.iter().any(|entry| entry.stage == ShaderStage::Fragment);
    if demotes {
        wgsl_discard::mark(&mut module);
    }
    let mut info = std::borrow::Cow::Borrowed(&*info);
    if key.tracks_variables {
        named::to_variables(&mut module, &info);
        info = std::borrow::Cow::Owned(validate(&module, text)?);
    }
    let positions = Positions::take(&mut module);
    let digits = lines::digits();
    let mut words = spv::write_vec(&module, &info, &options(language, &digits), None)
        .map_err(|error| CompileError::from(NagaError::Inexpressible { what: chain(&error) }))?;
    positions.restore(&mut words, text);
    if demotes {
        wgsl_discard::demote(&mut words);
    }
    Ok(words)
}

/// Validates a module by the rules of its language.
fn validate(module: &Module, text: &str) -> Result<ModuleInfo, CompileError> {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.validate(module).map_err(|error| {
        let location = error.location(text).map_or(Location::Whole, at);
        CompileError::from(rule(&error)).at(location)
    })
}

/// A rule that a module breaks, or that naga has beyond those of the language.
fn rule(error: &WithSpan<ValidationError>) -> NagaError {
    if let ValidationError::Function { source, .. } = error.as_inner()
        && let FunctionError::InvalidArgumentPointerSpace { name, .. } = source
    {
        return NagaError::Pointers { name: name.clone(), most: specialize::MAX_VERSIONS };
    }
    NagaError::Rule { what: chain(error.as_inner()) }
}

/// An override has no valid value, or naga cannot compute it.
fn override_error(what: String) -> CompileError {
    match what.contains("Not implemented as constant expression") {
        #[cfg(feature = "wgsl")]
        true => NagaError::ConstantBuiltIn { what: wgsl_errors::built_in(&what) }.into(),
        _ => NagaError::Override { what }.into(),
    }
}

/// Whether a type is a texture provided by a browser, on which naga's SPIR-V writer panics.
fn is_external(inner: &TypeInner) -> bool {
    matches!(inner, TypeInner::Image { class: ImageClass::External, .. })
}

/// The values `key` gives to the overrides of a module.
fn overrides(module: &Module, key: &CompileKey) -> PipelineConstants {
    let mut constants = PipelineConstants::default();
    for (index, (_, constant)) in module.overrides.iter().enumerate() {
        let id = override_number(index, constant);
        let chosen = key.spec_constants.iter().find(|(known, _)| *known == id);
        let TypeInner::Scalar(scalar) = module.types[constant.ty].inner else { continue };
        if let Some((_, bits)) = chosen {
            let name = constant.id.map(|id| id.to_string()).or(constant.name.clone()).unwrap_or_default();
            constants.insert(name, number(scalar, *bits));
        }
    }
    constants
}

/// Numbers of overrides without `@id` start here, beyond the range of `@id`.
const FIRST_UNNUMBERED: u32 = 1 << 16;

/// The number of an override in a key: its `@id`, or 65536 plus its index among the module's overrides.
fn override_number(index: usize, constant: &naga::Override) -> u32 {
    constant.id.map_or(FIRST_UNNUMBERED.saturating_add(index as u32), u32::from)
}

/// An override that a key can set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OverrideName {
    /// Its number in [`CompileKey::spec_constants`].
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Width in bits if it is a float.
    pub float_bits: Option<u32>,
}

/// The overrides of a parsed module, in its order.
pub fn override_names(module: &Module) -> Vec<OverrideName> {
    let row = |(index, (_, constant)): (usize, (_, &naga::Override))| {
        let float_bits = match module.types[constant.ty].inner {
            TypeInner::Scalar(Scalar { kind: ScalarKind::Float, width }) => Some(8 * u32::from(width)),
            _ => None,
        };
        let name = constant.name.clone().unwrap_or_default();
        OverrideName { id: override_number(index, constant), name, float_bits }
    };
    module.overrides.iter().enumerate().map(row).collect()
}

/// The number that `bits` represents as a scalar of this kind.
fn number(scalar: Scalar, bits: u64) -> f64 {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 2) => agx_isa::half::Half::from_bits(bits as u16).to_f64(),
        (ScalarKind::Float, 8) => f64::from_bits(bits),
        (ScalarKind::Float, _) => f64::from(f32::from_bits(bits as u32)),
        (ScalarKind::Sint, _) => f64::from(bits as i32),
        _ => f64::from(bits as u32),
    }
}

/// Options of naga's SPIR-V writer; `digits` takes the place of the text.
fn options<'t>(language: &Language, digits: &'t str) -> spv::Options<'t> {
    let (bounds, zero) = match language.is_defined_everywhere {
        true => (BoundsCheckPolicy::Restrict, spv::ZeroInitializeWorkgroupMemoryMode::Native),
        false => (BoundsCheckPolicy::Unchecked, spv::ZeroInitializeWorkgroupMemoryMode::None),
    };
    let policies = BoundsCheckPolicies {
        index: bounds,
        buffer: bounds,
        image_load: bounds,
        binding_array: BoundsCheckPolicy::Unchecked,
    };
    spv::Options {
        lang_version: (1, 4),
        flags: spv::WriterFlags::DEBUG,
        debug_info: Some(spv::DebugInfo {
            source_code: digits,
            file_name: language.name,
            language: language.language,
        }),
        bounds_check_policies: policies,
        zero_initialize_workgroup_memory: zero,
        force_loop_bounding: false,
        ..spv::Options::default()
    }
}

/// The place of a byte of `text`.
pub fn location(text: &str, offset: usize) -> Location {
    let offset = u32::try_from(offset).unwrap_or_default();
    at(naga::Span::new(offset, offset).location(text))
}

/// A location in the text.
pub fn at(location: naga::SourceLocation) -> Location {
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
