//! The compile key, from options and JSON and to JSON.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_abi::fragment::CoefficientSource;
use agx_abi::tile::{ColourFormat, TilePass};
use agx_abi::{Stage, Target};
use agx_compiler::{ColourModel, CompileKey, Conversion};
use clap::ArgMatches;
use serde::{Deserialize, Serialize};

use crate::coefficient::CoefficientFile;
use crate::commands;
use crate::diagnostic::{Diagnostic, Failure};
use crate::draw::{Draw, DrawFile};
use crate::input::{self, File};
use crate::layout::{self, RobustnessFile, SetFile};
use crate::linking::{MovedFile, VertexOutputsFile};
use crate::modules::{self, SpecConstant};
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
    fragment_inputs: Option<Vec<CoefficientFile>>,
    moved: Vec<MovedFile>,
    vertex_outputs: Option<VertexOutputsFile>,
    sample_shading: bool,
    sampler_bias: bool,
    pairs_samplers: bool,
    texel_triples: bool,
    conversions: Vec<ConversionFile>,
    workgroup_base: bool,
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
    planes: u8,
    model: String,
    #[serde(default)]
    narrow: bool,
    bits: u8,
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
    fn read(&self) -> Result<Conversion, Failure> {
        let ConversionFile { set, binding, planes, narrow, bits, swizzle, .. } = *self;
        let known = MODELS.iter().find(|(name, _)| *name == self.model);
        let names = || MODELS.map(|(name, _)| name).join(", ");
        let unknown =
            || Failure::usage(format!("unknown model `{}`; expected one of {}", self.model, names()));
        let (_, model) = *known.ok_or_else(unknown)?;
        Ok(Conversion { set, binding, planes, model, narrow, bits, swizzle })
    }

    fn of(conversion: &Conversion) -> ConversionFile {
        let Conversion { set, binding, planes, model, narrow, bits, swizzle } = *conversion;
        let name = MODELS.iter().find(|(_, known)| *known == model).map_or("rgb", |(name, _)| name);
        ConversionFile { set, binding, planes, model: name.to_owned(), narrow, bits, swizzle }
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

/// Target and key from the options: first the file of `--key`, then the other options.
pub fn from_options(options: &ArgMatches) -> Result<(Target, CompileKey), Failure> {
    let mut file = file(options)?;
    let text = |name: &str| options.get_one::<String>(name).cloned();
    file.target = text("target").or(file.target);
    file.entry_point = text("entry").or(file.entry_point);
    file.stage = text("stage").or(file.stage);
    for pass in options.get_many::<String>("disable-pass").into_iter().flatten() {
        file.disabled_passes.push(pass.clone());
    }
    for setting in options.get_many::<String>("option").into_iter().flatten() {
        file.options.push(language_option(setting)?);
    }
    if let Some(text) = options.get_one::<String>("max-registers") {
        let halves = text.parse().map_err(|_| {
            Failure::usage(format!("--max-registers: expected a number of half-registers, found `{text}`"))
        })?;
        file.max_gpr_halves = Some(halves);
    }
    file.spill_everything |= options.get_flag("spill-everything");
    file.validate |= options.get_flag("check");
    for pass in &file.disabled_passes {
        let found = commands::find_pass(pass)?;
        if !found.optional {
            return Err(Failure::usage(format!("pass `{pass}` is required and cannot be disabled")));
        }
    }
    let target = target(file.target.as_deref())?;
    Ok((target, key(file)?))
}

/// The file of `--key`; empty if the option is absent.
fn file(options: &ArgMatches) -> Result<KeyFile, Failure> {
    match options.get_one::<String>("key") {
        Some(path) => parse(path, &input::read_bytes(path)?),
        None => Ok(KeyFile::default()),
    }
}

/// The state of a draw in the file of `--key`.
pub fn draw(options: &ArgMatches) -> Result<Option<Draw>, Failure> {
    let whole = options.try_get_one::<bool>("whole").ok().flatten().is_some_and(|whole| *whole);
    match file(options)?.draw {
        Some(file) => Draw::new(&file, whole).map(Some),
        None if whole => {
            Err(Failure::usage("--whole needs the state of a draw: `draw` in the file of --key"))
        }
        None => Ok(None),
    }
}

/// Target and key for the input `file`: as [`from_options`], but specialization constants may have the names of the
/// module, and numbers for float constants are converted to floats.
pub fn for_file(file: &File, options: &ArgMatches) -> Result<(Target, CompileKey), Failure> {
    let (target, mut key) = from_options(options)?;
    let settings: Vec<&String> = options.get_many::<String>("spec").into_iter().flatten().collect();
    if settings.is_empty() {
        return Ok((target, key));
    }
    let declared = modules::declarations(file, &key)?.spec_constants;
    for setting in settings {
        let (name, value) = setting.split_once('=').unwrap_or((setting, ""));
        let id = name.parse().ok();
        let found =
            declared.iter().find(|known| Some(known.id) == id || (id.is_none() && known.name == name));
        let (id, bits) = match (found, id) {
            (Some(constant), _) => (constant.id, bits(setting, value, constant.float_bits)?),
            // Vulkan ignores values of constants that the module does not have.
            (None, Some(id)) => (id, bits(setting, value, None)?),
            (None, None) => return Err(unknown_constant(name, &declared)),
        };
        set(&mut key, id, bits);
    }
    Ok((target, key))
}

/// The key from the options alone as JSON, for `--print-key`: specialization constants by number, as raw bits.
pub fn printable(options: &ArgMatches) -> Result<String, Failure> {
    let (target, mut key) = from_options(options)?;
    for setting in options.get_many::<String>("spec").into_iter().flatten() {
        let (id, value) = setting.split_once('=').unwrap_or((setting, ""));
        let id = id.parse().map_err(|_| {
            Failure::usage(format!("--spec `{setting}`: --print-key takes numbers of constants, not names"))
        })?;
        set(&mut key, id, bits(setting, value, None)?);
    }
    draw(options)?;
    Ok(to_json(target, &key, file(options)?.draw))
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
    let named = declared.iter().map(|known| match known.name.as_str() {
        "" => known.id.to_string(),
        name => format!("{name} ({})", known.id),
    });
    let known: Vec<String> = named.collect();
    Failure::usage(match known.is_empty() {
        true => format!("unknown specialization constant `{name}`; the module has none"),
        false => format!("unknown specialization constant `{name}`; the module has {}", known.join(", ")),
    })
}

/// Target and key from a JSON file alone.
pub fn from_file(path: &str) -> Result<(Target, CompileKey), Failure> {
    let file = parse(path, &input::read_bytes(path)?)?;
    Ok((target(file.target.as_deref())?, key(file)?))
}

fn parse(path: &str, bytes: &[u8]) -> Result<KeyFile, Failure> {
    serde_json::from_slice(bytes).map_err(|error| Diagnostic::from_json(&error, path).into())
}

/// The target called `name`; the default one when absent.
pub fn target(name: Option<&str>) -> Result<Target, Failure> {
    let Some(name) = name else { return Ok(Target::default()) };
    Target::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = Target::ALL.iter().map(|(name, _)| *name).collect();
        Failure::usage(format!("unknown target `{name}`; expected one of {}", known.join(", ")))
    })
}

fn key(file: KeyFile) -> Result<CompileKey, Failure> {
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
    key.fragment_inputs = file.fragment_inputs.as_deref().map(fragment_inputs).transpose()?;
    key.moved = file.moved.into_iter().map(MovedFile::into).collect();
    key.vertex_outputs = file.vertex_outputs.map(VertexOutputsFile::into);
    key.sample_shading = file.sample_shading;
    key.sampler_bias = file.sampler_bias;
    key.pairs_samplers = file.pairs_samplers;
    key.texel_triples = file.texel_triples;
    key.conversions = file.conversions.iter().map(ConversionFile::read).collect::<Result<_, _>>()?;
    key.workgroup_base = file.workgroup_base;
    key.tile = file.tile.map(tile).transpose()?;
    key.robustness = file.robustness.read()?;
    key.layout = file.layout.as_deref().map(layout::read).transpose()?;
    key.spill_everything = file.spill_everything;
    key.schedule_seed = file.schedule_seed;
    key.validate = file.validate;
    Ok(key)
}

fn fragment_inputs(inputs: &[CoefficientFile]) -> Result<Vec<CoefficientSource>, Failure> {
    let read = |(at, input): (usize, &CoefficientFile)| {
        input.read().map_err(|reason| Failure::usage(format!("fragment_inputs[{at}]: {reason}")))
    };
    inputs.iter().enumerate().map(read).collect()
}

fn tile(file: TileFile) -> Result<TilePass, Failure> {
    let mut pass =
        TilePass { formats: [None; 8], samples: file.samples, input_attachments: file.input_attachments };
    if file.formats.len() > pass.formats.len() {
        let most = pass.formats.len();
        let found = file.formats.len();
        return Err(Failure::usage(format!(
            "tile.formats: expected at most {most} render targets, found {found}"
        )));
    }
    for (at, (format, name)) in pass.formats.iter_mut().zip(file.formats).enumerate() {
        let Some(name) = name else { continue };
        let found = ColourFormat::from_name(&name);
        *format =
            Some(found.ok_or_else(|| {
                Failure::usage(format!("tile.formats[{at}]: unknown colour format `{name}`"))
            })?);
    }
    Ok(pass)
}

fn stage(name: &str) -> Result<Stage, Failure> {
    let found = STAGES.into_iter().find(|stage| stage.name() == name);
    found.ok_or_else(|| {
        Failure::usage(format!("unknown stage `{name}`; expected vertex, fragment or compute"))
    })
}

/// The bits of the value of `setting`: an integer, a float with a point or exponent, `true` or `false`; for a float
/// constant of `float_bits` bits, any number.
fn bits(setting: &str, value: &str, float_bits: Option<u32>) -> Result<u64, Failure> {
    let number = value.parse::<f64>().ok();
    let bits = match (value, float_bits) {
        ("true", _) => Some(1),
        ("false", _) => Some(0),
        (_, Some(16)) => number.map(|number| half::f16::from_f64(number).to_bits().into()),
        (_, Some(32)) => number.map(|number| (number as f32).to_bits().into()),
        (_, Some(64)) => number.map(f64::to_bits),
        _ => None,
    };
    bits.or_else(|| number_bits(value)).ok_or_else(|| {
        Failure::usage(format!(
            "--spec `{setting}`: expected ID=VALUE or NAME=VALUE with a number, true or false"
        ))
    })
}

/// Raw bits of a number: 32-bit patterns for negative integers that fit and for floats.
fn number_bits(text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    if let Ok(value) = text.parse::<u64>() {
        return Some(value);
    }
    if let Ok(value) = text.parse::<i64>() {
        return Some(i32::try_from(value).map_or(value as u64, |narrow| u64::from(narrow as u32)));
    }
    text.parse::<f32>().ok().map(|value| u64::from(value.to_bits()))
}

/// The key as JSON text.
fn to_json(target: Target, key: &CompileKey, draw: Option<DrawFile>) -> String {
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
        let cases = [
            ("7", None, Some(7)),
            ("true", None, Some(1)),
            ("-1", None, Some(0xffff_ffff)),
            ("1.0", None, Some(0x3f80_0000)),
            ("0x10", None, Some(16)),
            ("1", Some(32), Some(0x3f80_0000)),
            ("0x3f800000", Some(32), Some(0x3f80_0000)),
            ("1", Some(16), Some(0x3c00)),
            ("", None, None),
            ("a", Some(32), None),
        ];
        for (value, float_bits, expected) in cases {
            assert_eq!(bits("c", value, float_bits).ok(), expected, "{value}");
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
        wanted.geometry = Some(GeometryKey { inputs, last_provokes: true });
        let interpolation = agx_abi::fragment::Interpolation::Flat;
        wanted.fragment_inputs =
            Some(vec![CoefficientSource::User { location: 2, component: 1, interpolation }]);
        let value = agx_abi::linking::DrawWord::PushConstant { offset: 4 };
        let known = vec![agx_abi::linking::KnownOutput { output, value }];
        wanted.moved =
            vec![agx_abi::linking::MovedSteps { output, steps: vec![agx_abi::linking::Step::Scale(value)] }];
        wanted.vertex_outputs = Some(agx_abi::linking::VertexOutputs { written: vec![output], known });
        wanted.sample_shading = true;
        wanted.sampler_bias = true;
        wanted.pairs_samplers = true;
        wanted.texel_triples = true;
        let (planes, model, swizzle) = (3, ColourModel::Bt601, [2, 1, 0, 4]);
        wanted.conversions =
            vec![Conversion { set: 1, binding: 2, planes, model, narrow: true, bits: 8, swizzle }];
        wanted.workgroup_base = true;
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
        let read = parse("key.json", text.as_bytes()).unwrap();
        assert_eq!(read.target.as_deref(), Some("g14g"));
        assert_eq!(key(read).unwrap(), wanted);
        assert!(parse("key.json", b"{\"colour\": 1}").is_err());
    }
}
