//! The options of `agxc run`, parsed.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_emulator::Options;
use clap::ArgMatches;

use super::is_profiled;
use crate::diagnostic::{Diagnostic, Failure};
use crate::resources::{Bindings, Specs};
use crate::values::{self, Element, Expectation, Slot, Values};
use crate::{input, machine};

/// The parsed options.
pub struct Plan {
    /// What the shader gets.
    pub inputs: Inputs,
    /// Actions on the buffers after the run.
    pub after: After,
}

/// The inputs of a run.
pub struct Inputs {
    /// Buffers, textures, samplers and push constants.
    pub bindings: Bindings,
    /// Arguments of a test kernel.
    pub arguments: Vec<u64>,
    /// Number and type of the results of a test kernel.
    pub results: (usize, Element),
    /// Number of workgroups.
    pub workgroups: [u32; 3],
    /// Options of the machine.
    pub machine: Options,
}

/// Actions after a run.
pub struct After {
    /// Expected contents of buffers.
    pub expectations: Vec<Expectation>,
    /// Allowed difference of floats.
    pub tolerance: f64,
    /// Buffers to print.
    pub dumps: Vec<(Slot, Element)>,
    /// Buffers to write, and where.
    pub saves: Vec<(Slot, Element, String)>,
    /// A buffer to write as a picture: width, height, path.
    pub picture: Option<(Slot, u32, u32, String)>,
}

impl Plan {
    /// Reads the options.
    ///
    /// # Errors
    /// An invalid option, or a file that cannot be read.
    pub fn from_options(options: &ArgMatches) -> Result<Plan, Failure> {
        let mut inputs = Inputs::from_options(options)?;
        inputs.machine.trace = options.get_flag("trace");
        inputs.machine.profile = options.get_flag("profile") || is_profiled(options);
        inputs.machine.races = options.get_flag("races");
        Ok(Plan { inputs, after: After::from_options(options)? })
    }
}

impl Inputs {
    /// Reads the options for inputs.
    ///
    /// # Errors
    /// An invalid option, or a file that cannot be read.
    pub fn from_options(options: &ArgMatches) -> Result<Inputs, Failure> {
        let text = |name: &str| options.get_one::<String>(name).map(String::as_str);
        let many = |name: &str| options.get_many::<String>(name).into_iter().flatten();
        let mut machine = Options { budget: machine::BUDGET, ..Options::default() };
        if let Some(seed) = text("seed") {
            machine.seed = number("seed", seed)?;
        }
        if let Some(budget) = text("budget") {
            machine.budget = number("budget", budget)?;
        }
        let specs = |name: &str| -> Vec<String> { many(name).cloned().collect() };
        let bound = Specs {
            buffers: specs("buffer"),
            textures: specs("texture"),
            images: specs("image"),
            samplers: specs("sampler"),
            push: text("push").map(str::to_owned),
        };
        let bindings = bound.read(&input::read_bytes)?;
        let workgroups = text("groups").map_or(Ok([1; 3]), groups)?;
        if text("budget").is_none() {
            check_workgroups(workgroups)?;
        }
        let arguments = text("args").map(contents).transpose()?.map_or(Vec::new(), |v| v.words());
        let results = text("results").map_or(Ok((0, Element::U32)), results)?;
        Ok(Inputs { bindings, arguments, results, workgroups, machine })
    }
}

impl After {
    fn from_options(options: &ArgMatches) -> Result<After, Failure> {
        let text = |name: &str| options.get_one::<String>(name).map(String::as_str);
        let many = |name: &str| options.get_many::<String>(name).into_iter().flatten();
        let saves: Vec<_> = many("save").map(|spec| save(spec)).collect::<Result<_, _>>()?;
        let picture = text("png").map(|spec| picture_spec(spec, text("output"))).transpose()?;
        let saved = saves.iter().map(|(.., path)| path);
        check_paths(saved.chain(picture.iter().map(|(.., path)| path)))?;
        Ok(After {
            expectations: many("expect")
                .map(|spec| values::expectation(spec, &input::read_bytes))
                .collect::<Result<_, _>>()?,
            tolerance: text("tolerance").map_or(Ok(0.0), tolerance)?,
            dumps: many("dump").map(|spec| dump(spec, Element::U32)).collect::<Result<_, _>>()?,
            saves,
            picture,
        })
    }
}

/// A difference of floats.
fn tolerance(text: &str) -> Result<f64, Failure> {
    let difference = number::<f64>("tolerance", text)?;
    match difference.is_finite() && difference >= 0.0 {
        true => Ok(difference),
        false => Err(Failure::usage(format!("--tolerance: expected a number of at least 0, found `{text}`"))),
    }
}

/// Rejects more workgroups than the default limit.
pub fn check_workgroups(counts: [u32; 3]) -> Result<(), Failure> {
    let total = counts.into_iter().fold(1u128, |total, count| total.saturating_mul(count.into()));
    let most = machine::MOST_WORKGROUPS;
    if total <= most.into() {
        return Ok(());
    }
    let message = format!(
        "--groups: {total} workgroups take too long; the limit is {most} unless --budget sets a limit of instructions"
    );
    Err(Diagnostic::new(403, message).into())
}

/// Rejects two outputs in one file.
fn check_paths<'p>(paths: impl Iterator<Item = &'p String>) -> Result<(), Failure> {
    let mut known: Vec<&String> = Vec::new();
    for path in paths {
        if known.contains(&path) {
            return Err(Failure::usage(format!("two outputs would be written to `{path}`")));
        }
        known.push(path);
    }
    Ok(())
}

/// A number in the value of the option `name`.
fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, Failure> {
    text.parse().map_err(|_| Failure::usage(format!("--{name}: expected a number in range, found `{text}`")))
}

/// The contents that a specification denotes.
fn contents(spec: &str) -> Result<Values, Failure> {
    values::contents(spec, &input::read_bytes)
}

/// `X`, `X,Y` or `X,Y,Z`; absent counts are one.
pub fn groups(text: &str) -> Result<[u32; 3], Failure> {
    let mut counts = [1; 3];
    let words: Vec<&str> = text.split(',').collect();
    if words.len() > counts.len() {
        return Err(Failure::usage(format!("--groups: expected at most three numbers, found `{text}`")));
    }
    for (count, word) in counts.iter_mut().zip(words) {
        *count = number("groups", word)?;
    }
    if counts.contains(&0) {
        return Err(Failure::usage(format!("--groups: expected numbers of at least 1, found `{text}`")));
    }
    Ok(counts)
}

/// `COUNT` or `COUNT:TYPE`.
fn results(spec: &str) -> Result<(usize, Element), Failure> {
    let (count, name) = spec.split_once(':').unwrap_or((spec, "u32"));
    // A kernel has few results; an 8-bit number limits the allocation after a typing mistake.
    Ok((number::<u8>("results", count)?.into(), values::element(name)?))
}

/// `SET.BINDING` or `SET.BINDING:TYPE`.
fn dump(spec: &str, default: Element) -> Result<(Slot, Element), Failure> {
    match spec.split_once(':') {
        Some((place, name)) => Ok((values::slot(place)?, values::element(name)?)),
        None => Ok((values::slot(spec)?, default)),
    }
}

/// `SET.BINDING=PATH` or `SET.BINDING:TYPE=PATH`.
fn save(spec: &str) -> Result<(Slot, Element, String), Failure> {
    let (place, path) = spec
        .split_once('=')
        .ok_or_else(|| Failure::usage(format!("expected SET.BINDING[:TYPE]=PATH, found `{spec}`")))?;
    let (slot, element) = dump(place, Element::U8)?;
    Ok((slot, element, path.to_owned()))
}

/// `SET.BINDING:WIDTHxHEIGHT`, and the file to write.
fn picture_spec(spec: &str, target: Option<&str>) -> Result<(Slot, u32, u32, String), Failure> {
    let wrong = || Failure::usage(format!("expected SET.BINDING:WIDTHxHEIGHT, found `{spec}`"));
    let path = target.ok_or_else(|| Failure::usage("--png needs --output FILE"))?;
    let (place, size) = spec.split_once(':').ok_or_else(wrong)?;
    let (width, height) = size.split_once('x').ok_or_else(wrong)?;
    Ok((values::slot(place)?, number("png", width)?, number("png", height)?, path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_values() {
        assert_eq!(groups("4").ok(), Some([4, 1, 1]));
        assert_eq!(groups("4,2,3").ok(), Some([4, 2, 3]));
        assert!(groups("0").is_err() && groups("1,0").is_err());
        let allowed = |counts| check_workgroups(counts).is_ok();
        assert!(allowed([1 << 20, 1, 1]) && !allowed([1 << 10, 1 << 10, 2]) && !allowed([u32::MAX; 3]));
        assert!(["nan", "inf", "-1", "x"].into_iter().all(|text| tolerance(text).is_err()));
        assert!(groups("1,2,3,4").is_err() && groups("x").is_err() && groups("-1").is_err());
        let slot = Slot { set: 0, binding: 1, element: 0 };
        assert_eq!(results("2:f32").ok(), Some((2, Element::F32)));
        assert!(results("999").is_err() && results("1:x").is_err());
        assert_eq!(dump("0.1", Element::U32).ok(), Some((slot, Element::U32)));
        assert_eq!(dump("0.1:f32", Element::U32).ok(), Some((slot, Element::F32)));
        assert_eq!(save("0.1:f16=a.npy").ok(), Some((slot, Element::F16, "a.npy".to_owned())));
        assert!(save("0.1").is_err() && save("0.1:x=a").is_err());
        assert_eq!(picture_spec("0.1:3x2", Some("a.png")).ok(), Some((slot, 3, 2, "a.png".to_owned())));
        assert!(picture_spec("0.1:3x2", None).is_err() && picture_spec("0.1:3", Some("a")).is_err());
    }
}
