//! The compile key, from options and JSON and to JSON.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_abi::fragment::CoefficientSource;
use agx_abi::tile::{ColourFormat, TilePass};
use agx_abi::{MeshKind, Stage, Target};
use agx_compiler::internal::pipeline;
use agx_compiler::{ColourModel, CompileKey, Conversion};
use clap::ArgMatches;
use serde::{Deserialize, Serialize};

use crate::coefficient::CoefficientFile;
use crate::commands;
use crate::diagnostic::Failure;
use crate::draw::{Draw, DrawFile, unknown_format};
use crate::input::{self, File};
use crate::json;
use crate::kernel;
use crate::layout::{self, RobustnessFile, SetFile};
use crate::linking::{MovedFile, VertexOutputsFile};
use crate::modules::{self, Scalar, SpecConstant};
use crate::patch::{PatchFile, RowsFile};
use crate::varying::GeometryFile;

/// The key as JSON, printed by `--print-key` and read by `--key`. Absent fields have their defaults.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct KeyFile {
    target: Option<String>,
    entry_point: Option<String>,
    stage: Option<String>,
    spec_constants: Vec<(u32, u64)>,
    options: Vec<(String, u64)>,
    disabled_passes: Vec<String>,
    max_gpr_halves: Option<u16>,
    vertex_as_compute: bool,
    captures_outputs: bool,
    geometry: Option<GeometryFile>,
    stored_rows: Option<RowsFile>,
    tessellation: Option<PatchFile>,
    mesh: Option<String>,
    fragment_inputs: Option<Vec<CoefficientFile>>,
    moved: Vec<MovedFile>,
    vertex_outputs: Option<VertexOutputsFile>,
    sample_shading: bool,
    sampler_bias: bool,
    pairs_samplers: bool,
    texel_triples: bool,
    conversions: Vec<ConversionFile>,
    workgroup_base: bool,
    workgroup_size: Option<[u32; 3]>,
    tile: Option<TileFile>,
    robustness: RobustnessFile,
    layout: Option<Vec<SetFile>>,
    draw: Option<DrawFile>,
    spill_everything: bool,
    schedule_seed: Option<u64>,
    validate: bool,
}

/// How a combined image sampler converts colours, as JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConversionFile {
    set: u32,
    binding: u32,
    #[serde(default)]
    element: u32,
    planes: u8,
    model: String,
    #[serde(default)]
    narrow: bool,
    bits: u8,
    #[serde(default)]
    cosited: [bool; 2],
    swizzle: [u8; 4],
}

/// Models of colours by name.
const MODELS: [(&str, ColourModel); 5] = [
    ("rgb", ColourModel::Rgb),
    ("ycbcr", ColourModel::Ycbcr),
    ("bt709", ColourModel::Bt709),
    ("bt601", ColourModel::Bt601),
    ("bt2020", ColourModel::Bt2020),
];

impl ConversionFile {
    fn read(&self) -> Result<Conversion, String> {
        let ConversionFile { set, binding, element, planes, narrow, bits, cosited, swizzle, .. } = *self;
        let known = MODELS.iter().find(|(name, _)| *name == self.model);
        let names = || MODELS.map(|(name, _)| name).join(", ");
        let unknown = || format!("conversions: unknown model `{}`; expected one of {}", self.model, names());
        let (_, model) = *known.ok_or_else(unknown)?;
        Ok(Conversion { set, binding, element, planes, model, narrow, bits, cosited, swizzle })
    }

    fn of(conversion: &Conversion) -> ConversionFile {
        let Conversion { set, binding, element, planes, model, narrow, bits, cosited, swizzle } = *conversion;
        let name = MODELS.iter().find(|(_, known)| *known == model).map_or("rgb", |(name, _)| name);
        ConversionFile {
            set,
            binding,
            element,
            planes,
            model: name.to_owned(),
            narrow,
            bits,
            cosited,
            swizzle,
        }
    }
}

/// The render pass as JSON: formats of the targets by Vulkan's names, `null` for none.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TileFile {
    formats: Vec<Option<String>>,
    samples: u8,
    #[serde(default)]
    input_attachments: Vec<(u32, u32)>,
}

const STAGES: [Stage; 3] = [Stage::Vertex, Stage::Fragment, Stage::Compute];

/// The contents of the file of an option; defaults if the option is absent.
#[derive(Default)]
struct Given {
    target: Option<Target>,
    key: CompileKey,
    draw: Option<DrawFile>,
    /// The state of the draw compiles, so that its errors name the file.
    draws: Option<Draw>,
}

/// The contents of the file that the option `name` names.
fn given(options: &ArgMatches, name: &str) -> Result<Given, Failure> {
    match options.get_one::<String>(name) {
        Some(path) => from_json(&input::read_bytes(path)?, path, is_whole(options)),
        None => Ok(Given::default()),
    }
}

/// Target, key and draw from the JSON text `bytes` of the file called `path`.
///
/// # Errors
/// Another form, and unknown names in it.
pub fn from_text(bytes: &[u8], path: &str) -> Result<(Target, CompileKey, Option<Draw>), Failure> {
    let Given { target, key, draws, .. } = from_json(bytes, path, false)?;
    Ok((target.unwrap_or_default(), key, draws))
}

fn from_json(bytes: &[u8], path: &str, whole: bool) -> Result<Given, Failure> {
    let file: KeyFile = json::read(bytes, path)?;
    let read = |file: KeyFile| {
        Ok(Given {
            target: file.target.as_deref().map(target_called).transpose()?,
            draws: file.draw.as_ref().map(|draw| Draw::new(draw, whole)).transpose()?,
            draw: file.draw.clone(),
            key: key(file)?,
        })
    };
    read(file).map_err(|why: String| json::wrong(path, why))
}

/// Whether shader and state of a draw are compiled as one program.
fn is_whole(options: &ArgMatches) -> bool {
    options.try_get_one::<bool>("whole").ok().flatten().is_some_and(|whole| *whole)
}

/// Target and key from the options: first the file of the option `name`, then the other options.
fn from_options(options: &ArgMatches, name: &str) -> Result<(Target, CompileKey), Failure> {
    let Given { target, mut key, .. } = given(options, name)?;
    let text = |name: &str| options.get_one::<String>(name);
    if let Some(entry) = text("entry") {
        key.entry_point = Some(entry.clone());
    }
    if let Some(name) = text("stage") {
        key.stage = Some(stage(name).map_err(Failure::usage)?);
    }
    for pass in options.get_many::<String>("disable-pass").into_iter().flatten() {
        optional_pass(pass).map_err(Failure::usage)?;
        key.disabled_passes.push(pass.clone());
    }
    for setting in options.get_many::<String>("option").into_iter().flatten() {
        key.options.push(language_option(setting)?);
    }
    if let Some(text) = text("max-registers") {
        let halves = text.parse().map_err(|_| {
            Failure::usage(format!("--max-registers: expected a number of half-registers, found `{text}`"))
        })?;
        key.max_gpr_halves = Some(halves);
    }
    let global = options.try_get_one::<String>("global-size").ok().flatten();
    match (text("local-size"), global) {
        (Some(text), _) => key.workgroup_size = Some(kernel::numbers("local-size", text, 1)?),
        (None, Some(text)) => {
            key.workgroup_size = Some(kernel::workgroup(kernel::numbers("global-size", text, 1)?))
        }
        (None, None) => {}
    }
    key.spill_everything |= options.get_flag("spill-everything");
    key.validate |= options.get_flag("check");
    let chip = text("target").map(|name| target_called(name)).transpose().map_err(Failure::usage)?;
    Ok((chip.or(target).unwrap_or_default(), key))
}

/// The state of a draw in the file of `--key`.
pub fn draw(options: &ArgMatches) -> Result<Option<Draw>, Failure> {
    draw_of(options, "key")
}

fn draw_of(options: &ArgMatches, name: &str) -> Result<Option<Draw>, Failure> {
    match given(options, name)?.draws {
        None if is_whole(options) => {
            Err(Failure::usage(format!("--whole needs the state of a draw: `draw` in the file of --{name}")))
        }
        draw => Ok(draw),
    }
}

/// Checks the options without a file.
///
/// # Errors
/// A value is wrong, or the file of `--key` cannot be read.
pub fn check(options: &ArgMatches) -> Result<(), Failure> {
    from_options(options, "key")?;
    draw(options).map(|_| ())
}

/// Target and key for the input `file`: as the options give them, but specialization constants may have the names of
/// the module, and numbers for float constants are converted to floats.
pub fn for_file(file: &File, options: &ArgMatches) -> Result<(Target, CompileKey), Failure> {
    with_constants(file, options, from_options(options, "key")?)
}

/// Target, key and draw of the second shader of a comparison: those of the first, except for what `--to-key` and
/// `--to-target` give.
pub fn second(file: &File, options: &ArgMatches) -> Result<(Target, CompileKey, Option<Draw>), Failure> {
    let name = if options.contains_id("to-key") { "to-key" } else { "key" };
    let (chip, key) = with_constants(file, options, from_options(options, name)?)?;
    // The chip of the second key counts more than that of the command line, which is that of the first shader.
    let own = if name == "to-key" { given(options, name)?.target } else { None };
    let to = options.get_one::<String>("to-target").map(|name| target_called(name)).transpose();
    let to = to.map_err(Failure::usage)?;
    Ok((to.or(own).unwrap_or(chip), key, draw_of(options, name)?))
}

/// `chip` and `key` with the specialization constants that the options set.
fn with_constants(
    file: &File,
    options: &ArgMatches,
    (chip, mut key): (Target, CompileKey),
) -> Result<(Target, CompileKey), Failure> {
    let settings = options.get_many::<String>("spec").into_iter().flatten();
    set_constants(file, &mut key, settings.map(String::as_str))?;
    Ok((chip, key))
}

/// Sets specialization constants of the module in `file`, each as NUMBER=VALUE or NAME=VALUE.
///
/// # Errors
/// The module has no such constant, or its type does not have the value.
pub fn set_constants<'s>(
    file: &File,
    key: &mut CompileKey,
    settings: impl Iterator<Item = &'s str>,
) -> Result<(), Failure> {
    let mut settings = settings.peekable();
    if settings.peek().is_none() {
        return Ok(());
    }
    let declared = modules::declarations(file, key)?;
    for setting in settings {
        let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
        let id = name.parse().ok();
        let mut constants = declared.spec_constants.iter();
        let found = constants.find(|known| Some(known.id) == id || (id.is_none() && known.name == name));
        let (id, bits) = match (found, id) {
            (Some(constant), _) => (constant.id, bits(setting, value, Some(constant.scalar))?),
            // The compiler reports the errors of an invalid module.
            (None, Some(id)) if !declared.is_complete => (id, bits(setting, value, None)?),
            (None, _) => return Err(unknown_constant(name, &declared.spec_constants)),
        };
        set(key, id, bits);
    }
    Ok(())
}

/// The key from the options alone as JSON, for `--print-key`: specialization constants by number, as raw bits.
pub fn printable(options: &ArgMatches) -> Result<String, Failure> {
    let (target, mut key) = from_options(options, "key")?;
    for setting in options.get_many::<String>("spec").into_iter().flatten() {
        let (id, value) = setting.split_once('=').unwrap_or((setting, ""));
        let id = id.parse().map_err(|_| {
            Failure::usage(format!("--spec `{setting}`: --print-key takes numbers of constants, not names"))
        })?;
        set(&mut key, id, bits(setting, value, None)?);
    }
    draw(options)?;
    Ok(to_json(target, &key, given(options, "key")?.draw))
}

/// An option of the input language: NAME=VALUE, or NAME for 1.
fn language_option(setting: &str) -> Result<(String, u64), Failure> {
    let (name, value) = setting.split_once('=').unwrap_or((setting, "1"));
    let value = value.parse().map_err(|_| {
        Failure::usage(format!("--option `{setting}`: expected NAME or NAME=VALUE with a number"))
    })?;
    Ok((name.to_owned(), value))
}

/// Sets the value of a specialization constant, replacing an earlier one.
fn set(key: &mut CompileKey, id: u32, bits: u64) {
    key.spec_constants.retain(|(known, _)| *known != id);
    key.spec_constants.push((id, bits));
}

fn unknown_constant(name: &str, declared: &[SpecConstant]) -> Failure {
    let known: Vec<String> = declared
        .iter()
        .map(|constant| match constant.name.as_str() {
            "" => constant.id.to_string(),
            name => format!("{name} ({})", constant.id),
        })
        .collect();
    Failure::usage(match known.is_empty() {
        true => format!("unknown specialization constant `{name}`; the module has none"),
        false => format!("unknown specialization constant `{name}`; the module has {}", known.join(", ")),
    })
}

/// The target called `name`; the default one when absent.
pub fn target(name: Option<&str>) -> Result<Target, Failure> {
    name.map_or(Ok(Target::default()), |name| target_called(name).map_err(Failure::usage))
}

fn target_called(name: &str) -> Result<Target, String> {
    Target::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = Target::ALL.iter().map(|(name, _)| *name).collect();
        format!("unknown target `{name}`; expected one of {}", known.join(", "))
    })
}

/// Checks that the pass called `name` can be disabled.
fn optional_pass(name: &str) -> Result<(), String> {
    match pipeline::find_pass(name) {
        None => Err(commands::unknown_pass(name)),
        Some(pass) if !pass.optional => Err(format!("pass `{name}` is required and cannot be disabled")),
        Some(_) => Ok(()),
    }
}

fn key(file: KeyFile) -> Result<CompileKey, String> {
    file.disabled_passes.iter().try_for_each(|pass| optional_pass(pass))?;
    let mut key = CompileKey::default();
    key.entry_point = file.entry_point;
    key.stage = file.stage.as_deref().map(stage).transpose()?;
    key.spec_constants = file.spec_constants;
    key.options = file.options;
    key.disabled_passes = file.disabled_passes;
    key.max_gpr_halves = file.max_gpr_halves;
    key.vertex_as_compute = file.vertex_as_compute;
    key.captures_outputs = file.captures_outputs;
    key.geometry = file.geometry.map(GeometryFile::read);
    key.stored_rows = file.stored_rows.map(RowsFile::read);
    key.tessellation = file.tessellation.map(PatchFile::read);
    key.mesh = file.mesh.as_deref().map(mesh).transpose()?;
    key.fragment_inputs = file.fragment_inputs.as_deref().map(fragment_inputs).transpose()?;
    key.moved = file.moved.into_iter().map(MovedFile::into).collect();
    key.vertex_outputs = file.vertex_outputs.map(VertexOutputsFile::into);
    key.sample_shading = file.sample_shading;
    key.sampler_bias = file.sampler_bias;
    key.pairs_samplers = file.pairs_samplers;
    key.texel_triples = file.texel_triples;
    key.conversions = file.conversions.iter().map(ConversionFile::read).collect::<Result<_, _>>()?;
    key.workgroup_base = file.workgroup_base;
    key.workgroup_size = file.workgroup_size;
    key.tile = file.tile.map(tile).transpose()?;
    key.robustness = file.robustness.read()?;
    key.layout = file.layout.as_deref().map(layout::read).transpose()?;
    key.spill_everything = file.spill_everything;
    key.schedule_seed = file.schedule_seed;
    key.validate = file.validate;
    Ok(key)
}

fn fragment_inputs(inputs: &[CoefficientFile]) -> Result<Vec<CoefficientSource>, String> {
    let read = |(at, input): (usize, &CoefficientFile)| {
        input.read().map_err(|reason| format!("fragment_inputs[{at}]: {reason}"))
    };
    inputs.iter().enumerate().map(read).collect()
}

fn tile(file: TileFile) -> Result<TilePass, String> {
    let mut pass =
        TilePass { formats: [None; 8], samples: file.samples, input_attachments: file.input_attachments };
    if file.formats.len() > pass.formats.len() {
        let most = pass.formats.len();
        let found = file.formats.len();
        return Err(format!("tile.formats: expected at most {most} render targets, found {found}"));
    }
    for (at, (format, name)) in pass.formats.iter_mut().zip(file.formats).enumerate() {
        let Some(name) = name else { continue };
        let found = ColourFormat::from_name(&name);
        *format = Some(found.ok_or_else(|| format!("tile.formats[{at}]: {}", unknown_format(&name)))?);
    }
    Ok(pass)
}

fn stage(name: &str) -> Result<Stage, String> {
    let found = STAGES.into_iter().find(|stage| stage.name() == name);
    found.ok_or_else(|| format!("unknown stage `{name}`; expected vertex, fragment or compute"))
}

/// The bits of the value of `setting` for a constant of type `scalar`: `true`, `false`, an integer, or a float with a
/// point or exponent; for a float constant, any number. Hexadecimal digits are the bits of any type.
fn bits(setting: &str, value: &str, scalar: Option<Scalar>) -> Result<u64, Failure> {
    let number = || value.parse::<f64>().ok();
    // `inf` and `nan` are not finite; digits that exceed the type are a mistake.
    let is_word = !value.contains(|letter: char| letter.is_ascii_digit());
    let (bits, expected) = match scalar {
        None => (number_bits(value), "a number, true or false".to_owned()),
        Some(Scalar::Bool) => (integer_bits(value, 32), "true or false".to_owned()),
        Some(Scalar::Int(width)) => {
            (integer_bits(value, width), format!("an integer of {width} bits, true or false"))
        }
        Some(Scalar::Float(width)) => {
            let bits = match (value.strip_prefix("0x"), width) {
                (Some(_), _) => integer_bits(value, width),
                (None, 16) => {
                    let number = number().map(half::f16::from_f64);
                    number
                        .filter(|number| number.is_finite() || is_word)
                        .map(|number| number.to_bits().into())
                }
                (None, 32) => {
                    let number = number().map(|number| number as f32);
                    number
                        .filter(|number| number.is_finite() || is_word)
                        .map(|number| number.to_bits().into())
                }
                (None, _) => number().filter(|number| number.is_finite() || is_word).map(f64::to_bits),
            };
            (bits, format!("a float of {width} bits"))
        }
    };
    bits.ok_or_else(|| {
        Failure::usage(format!(
            "specialization constant `{setting}`: expected ID=VALUE or NAME=VALUE with {expected}"
        ))
    })
}

/// The bits of an integer of `width` bits, signed or unsigned. Negative ones of at most 32 bits are words.
fn integer_bits(text: &str, width: u32) -> Option<u64> {
    let most = u64::MAX >> 64u32.saturating_sub(width.clamp(1, 64));
    let positive = match (text, text.strip_prefix("0x")) {
        ("true", _) => Some(1),
        ("false", _) => Some(0),
        (_, Some(digits)) => u64::from_str_radix(digits, 16).ok(),
        (_, None) => text.parse().ok(),
    };
    match positive {
        Some(value) => Some(value).filter(|value| *value <= most),
        None => {
            let value = text
                .parse::<i64>()
                .ok()
                .filter(|value| value.unsigned_abs().saturating_sub(1) <= most / 2)?;
            Some(if width <= 32 { u64::from(value as u32) } else { value as u64 })
        }
    }
}

/// Raw bits of a number of an unknown type: 32-bit patterns for negative integers that fit and for floats.
fn number_bits(text: &str) -> Option<u64> {
    let is_float = text.contains(['.', 'e', 'E', 'n', 'N']) && !text.starts_with("0x");
    let word = integer_bits(text, 32).or_else(|| integer_bits(text, 64));
    word.or_else(|| text.parse::<f32>().ok().filter(|_| is_float).map(|value| value.to_bits().into()))
}

/// The key of a compilation as JSON text, with the draw of the file of `--key`.
pub fn text(options: &ArgMatches, target: Target, key: &CompileKey) -> Result<String, Failure> {
    Ok(to_json(target, key, given(options, "key")?.draw))
}

/// Which of the shaders of a mesh pipeline a name is.
fn mesh(name: &str) -> Result<MeshKind, String> {
    let kinds = [MeshKind::Task, MeshKind::Mesh];
    let known = kinds.into_iter().find(|kind| kind.name() == name);
    known.ok_or_else(|| format!("unknown kind `{name}` of mesh shader; expected `task` or `mesh`"))
}

/// The key as JSON text.
pub fn to_json(target: Target, key: &CompileKey, draw: Option<DrawFile>) -> String {
    let file = KeyFile {
        target: Some(target.name().to_owned()),
        entry_point: key.entry_point.clone(),
        stage: key.stage.map(|stage| stage.name().to_owned()),
        spec_constants: key.spec_constants.clone(),
        options: key.options.clone(),
        disabled_passes: key.disabled_passes.clone(),
        max_gpr_halves: key.max_gpr_halves,
        vertex_as_compute: key.vertex_as_compute,
        captures_outputs: key.captures_outputs,
        geometry: key.geometry.as_ref().map(GeometryFile::of),
        stored_rows: key.stored_rows.map(RowsFile::from),
        tessellation: key.tessellation.map(PatchFile::from),
        mesh: key.mesh.map(|kind| kind.name().to_owned()),
        fragment_inputs: key
            .fragment_inputs
            .as_ref()
            .map(|inputs| inputs.iter().copied().map(CoefficientFile::from).collect()),
        moved: key.moved.iter().map(MovedFile::from).collect(),
        vertex_outputs: key.vertex_outputs.as_ref().map(VertexOutputsFile::from),
        sample_shading: key.sample_shading,
        sampler_bias: key.sampler_bias,
        pairs_samplers: key.pairs_samplers,
        texel_triples: key.texel_triples,
        conversions: key.conversions.iter().map(ConversionFile::of).collect(),
        workgroup_base: key.workgroup_base,
        workgroup_size: key.workgroup_size,
        tile: key.tile.as_ref().map(|pass| TileFile {
            formats: pass
                .formats
                .iter()
                .map(|format| format.map(|format| format.desc().name.to_owned()))
                .collect(),
            samples: pass.samples,
            input_attachments: pass.input_attachments.clone(),
        }),
        robustness: RobustnessFile::of(key.robustness),
        layout: key.layout.as_ref().map(layout::write),
        draw,
        spill_everything: key.spill_everything,
        schedule_seed: key.schedule_seed,
        validate: key.validate,
    };
    let text = serde_json::to_string_pretty(&file).expect("invariant: the key has only plain fields");
    text + "\n"
}

#[cfg(test)]
mod tests {
    use agx_abi::pipeline::{DescriptorForm, PipelineLayout, SetLayout};
    use agx_compiler::{Bounds, GeometryKey};

    use super::*;

    #[test]
    fn specialization_constants_are_raw_bits() {
        let (float, half) = (Some(Scalar::Float(32)), Some(Scalar::Float(16)));
        let cases = [
            ("7", None, Some(7)),
            ("true", None, Some(1)),
            ("-1", None, Some(0xffff_ffff)),
            ("1.0", None, Some(0x3f80_0000)),
            ("0x10", None, Some(16)),
            ("99999999999999999999", None, None),
            ("18446744073709551615", None, Some(u64::MAX)),
            ("1", float, Some(0x3f80_0000)),
            ("0x3f800000", float, Some(0x3f80_0000)),
            ("inf", float, Some(0x7f80_0000)),
            ("1e999", float, None),
            ("1e39", float, None),
            ("true", float, None),
            ("1", half, Some(0x3c00)),
            ("0x10000", half, None),
            ("", None, None),
            ("a", float, None),
            ("4294967295", Some(Scalar::Int(32)), Some(0xffff_ffff)),
            ("4294967296", Some(Scalar::Int(32)), None),
            ("-2147483648", Some(Scalar::Int(32)), Some(0x8000_0000)),
            ("-2147483649", Some(Scalar::Int(32)), None),
            ("-1", Some(Scalar::Int(64)), Some(u64::MAX)),
            ("1.5", Some(Scalar::Int(32)), None),
            ("true", Some(Scalar::Bool), Some(1)),
            ("maybe", Some(Scalar::Bool), None),
        ];
        for (value, scalar, expected) in cases {
            assert_eq!(bits("c", value, scalar).ok(), expected, "{value} {scalar:?}");
        }
    }

    #[test]
    fn a_key_survives_its_json() {
        let mut wanted = CompileKey::default();
        wanted.entry_point = Some("main".to_owned());
        wanted.stage = Some(Stage::Compute);
        wanted.spec_constants = vec![(4, u64::MAX)];
        wanted.disabled_passes = vec!["opt_cse".to_owned()];
        wanted.max_gpr_halves = Some(64);
        wanted.vertex_as_compute = true;
        wanted.captures_outputs = true;
        let output = agx_abi::vertex::Output::PrimitiveId;
        let inputs = vec![agx_abi::vertex::Varying { slot: 3, output }];
        wanted.geometry = Some(GeometryKey { inputs, last_provokes: true, stream: 3 });
        let interpolation = agx_abi::fragment::Interpolation::Flat;
        wanted.fragment_inputs =
            Some(vec![CoefficientSource::User { location: 2, component: 1, interpolation }]);
        let value = agx_abi::linking::DrawWord::PushConstant { offset: 4 };
        let known = vec![agx_abi::linking::KnownOutput { output, value }];
        wanted.moved =
            vec![agx_abi::linking::MovedSteps { output, steps: vec![agx_abi::linking::Step::Scale(value)] }];
        wanted.vertex_outputs = Some(agx_abi::linking::VertexOutputs { written: vec![output], known });
        wanted.mesh = Some(MeshKind::Task);
        wanted.sample_shading = true;
        wanted.sampler_bias = true;
        wanted.pairs_samplers = true;
        wanted.texel_triples = true;
        let (planes, model, swizzle) = (3, ColourModel::Bt601, [2, 1, 0, 4]);
        wanted.conversions = vec![Conversion {
            set: 1,
            binding: 2,
            element: 1,
            planes,
            model,
            narrow: true,
            bits: 8,
            cosited: [false, true],
            swizzle,
        }];
        wanted.workgroup_base = true;
        wanted.workgroup_size = Some([8, 4, 2]);
        let mut pass = TilePass { formats: [None; 8], samples: 4, input_attachments: vec![(2, 1)] };
        pass.formats[1] = Some(ColourFormat::Rgba8Srgb);
        wanted.tile = Some(pass);
        wanted.robustness.storage = Bounds::Exact;
        wanted.robustness.image = Bounds::Clamped;
        let mut set = SetLayout::of_descriptors(3, [(1, 4), (7, 1)]);
        set.bindings[0] = set.bindings[0].constant();
        set.bindings[1].form = DescriptorForm::Inline;
        set.bindings[1].dynamic_offset = Some(2);
        wanted.layout = Some(PipelineLayout { sets: vec![set] });
        wanted.spill_everything = true;
        wanted.schedule_seed = Some(3);
        wanted.validate = true;
        let text = to_json(Target::G14G, &wanted, None);
        let read: KeyFile = json::read(text.as_bytes(), "key.json").unwrap();
        assert_eq!(read.target.as_deref(), Some("g14g"));
        assert_eq!(key(read).unwrap(), wanted);
        assert!(json::read::<KeyFile>(b"{\"colour\": 1}", "key.json").is_err());
    }
}
