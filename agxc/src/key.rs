//! The compile key from options and from JSON, and back.

use agx_abi::tile::{ColourFormat, TilePass};
use agx_abi::{Stage, Target};
use agx_compiler::CompileKey;
use clap::ArgMatches;
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Failure};
use crate::input;

/// The key as JSON: what `--print-key` prints and `--key` reads. Absent fields take their defaults.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct KeyFile {
    target: Option<String>,
    entry_point: Option<String>,
    stage: Option<String>,
    spec_constants: Vec<(u32, u64)>,
    disabled_passes: Vec<String>,
    max_gpr_halves: Option<u16>,
    vertex_as_compute: bool,
    sample_shading: bool,
    tile: Option<TileFile>,
    spill_everything: bool,
    schedule_seed: Option<u64>,
    validate: bool,
}

/// The pass as JSON: formats of the targets by Vulkan's names, `null` where there is none.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TileFile {
    formats: Vec<Option<String>>,
    samples: u8,
    #[serde(default)]
    input_attachments: Vec<(u32, u32)>,
}

const STAGES: [Stage; 3] = [Stage::Vertex, Stage::Fragment, Stage::Compute];

/// Target and key from the options: the file of `--key` first, then whatever else is given.
pub fn from_options(options: &ArgMatches) -> Result<(Target, CompileKey), Failure> {
    let mut file = match options.get_one::<String>("key") {
        Some(path) => parse(path, &input::read_bytes(path)?)?,
        None => KeyFile::default(),
    };
    let text = |name: &str| options.get_one::<String>(name).cloned();
    file.target = text("target").or(file.target);
    file.entry_point = text("entry").or(file.entry_point);
    file.stage = text("stage").or(file.stage);
    for setting in options.get_many::<String>("spec").into_iter().flatten() {
        file.spec_constants.push(spec_constant(setting)?);
    }
    for pass in options.get_many::<String>("disable-pass").into_iter().flatten() {
        file.disabled_passes.push(pass.clone());
    }
    if let Some(text) = options.get_one::<String>("max-registers") {
        let halves = text.parse().map_err(|_| {
            Failure::usage(format!("--max-registers wants a number of half registers, not `{text}`"))
        })?;
        file.max_gpr_halves = Some(halves);
    }
    file.spill_everything |= options.get_flag("spill-everything");
    file.validate |= options.get_flag("check");
    let target = target(file.target.as_deref())?;
    Ok((target, key(file)?))
}

fn parse(path: &str, bytes: &[u8]) -> Result<KeyFile, Failure> {
    serde_json::from_slice(bytes)
        .map_err(|error| Diagnostic::new(104, error.to_string()).in_file(path).into())
}

/// The target called `name`; the default one when absent.
pub fn target(name: Option<&str>) -> Result<Target, Failure> {
    let Some(name) = name else { return Ok(Target::default()) };
    Target::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = Target::ALL.iter().map(|(name, _)| *name).collect();
        Failure::usage(format!("`{name}` is no target: {}", known.join(", ")))
    })
}

fn key(file: KeyFile) -> Result<CompileKey, Failure> {
    let mut key = CompileKey::default();
    key.entry_point = file.entry_point;
    key.stage = file.stage.as_deref().map(stage).transpose()?;
    key.spec_constants = file.spec_constants;
    key.disabled_passes = file.disabled_passes;
    key.max_gpr_halves = file.max_gpr_halves;
    key.vertex_as_compute = file.vertex_as_compute;
    key.sample_shading = file.sample_shading;
    key.tile = file.tile.map(tile).transpose()?;
    key.spill_everything = file.spill_everything;
    key.schedule_seed = file.schedule_seed;
    key.validate = file.validate;
    Ok(key)
}

fn tile(file: TileFile) -> Result<TilePass, Failure> {
    let mut pass =
        TilePass { formats: [None; 8], samples: file.samples, input_attachments: file.input_attachments };
    if file.formats.len() > pass.formats.len() {
        return Err(Failure::usage(format!("there are at most {} render targets", pass.formats.len())));
    }
    for (format, name) in pass.formats.iter_mut().zip(file.formats) {
        let Some(name) = name else { continue };
        let found = ColourFormat::from_name(&name);
        *format = Some(found.ok_or_else(|| Failure::usage(format!("`{name}` is no colour format")))?);
    }
    Ok(pass)
}

fn stage(name: &str) -> Result<Stage, Failure> {
    let found = STAGES.into_iter().find(|stage| stage.name() == name);
    found.ok_or_else(|| Failure::usage(format!("`{name}` is no stage: vertex, fragment, compute")))
}

/// `ID=VALUE`, where the value is an integer, a float with a point or exponent, `true` or `false`.
fn spec_constant(setting: &str) -> Result<(u32, u64), Failure> {
    let wrong = || Failure::usage(format!("--spec wants ID=VALUE, not `{setting}`"));
    let (id, value) = setting.split_once('=').ok_or_else(wrong)?;
    let id = id.parse().map_err(|_| wrong())?;
    let bits = match value {
        "true" => 1,
        "false" => 0,
        _ => number_bits(value).ok_or_else(wrong)?,
    };
    Ok((id, bits))
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
pub fn to_json(target: Target, key: &CompileKey) -> String {
    let file = KeyFile {
        target: Some(target.name().to_owned()),
        entry_point: key.entry_point.clone(),
        stage: key.stage.map(|stage| stage.name().to_owned()),
        spec_constants: key.spec_constants.clone(),
        disabled_passes: key.disabled_passes.clone(),
        max_gpr_halves: key.max_gpr_halves,
        vertex_as_compute: key.vertex_as_compute,
        sample_shading: key.sample_shading,
        tile: key.tile.as_ref().map(|pass| TileFile {
            formats: pass
                .formats
                .iter()
                .map(|format| format.map(|format| format.desc().name.to_owned()))
                .collect(),
            samples: pass.samples,
            input_attachments: pass.input_attachments.clone(),
        }),
        spill_everything: key.spill_everything,
        schedule_seed: key.schedule_seed,
        validate: key.validate,
    };
    let text = serde_json::to_string_pretty(&file).expect("invariant: the key has only plain fields");
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specialization_constants_are_raw_bits() {
        let cases = [("3=7", Some((3, 7))), ("0=true", Some((0, 1))), ("1=-1", Some((1, 0xffff_ffff)))];
        let more = [("2=1.0", Some((2, 0x3f80_0000))), ("2=0x10", Some((2, 16))), ("2", None), ("a=1", None)];
        for (text, wanted) in cases.into_iter().chain(more) {
            assert_eq!(spec_constant(text).ok(), wanted, "{text}");
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
        wanted.sample_shading = true;
        let mut pass = TilePass { formats: [None; 8], samples: 4, input_attachments: vec![(2, 1)] };
        pass.formats[1] = Some(ColourFormat::Rgba8Srgb);
        wanted.tile = Some(pass);
        wanted.spill_everything = true;
        wanted.schedule_seed = Some(3);
        wanted.validate = true;
        let text = to_json(Target::G14G, &wanted);
        let read = parse("key.json", text.as_bytes()).unwrap();
        assert_eq!(read.target.as_deref(), Some("g14g"));
        assert_eq!(key(read).unwrap(), wanted);
        assert!(parse("key.json", b"{\"colour\": 1}").is_err());
    }
}
