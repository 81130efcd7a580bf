//! `agxc run`: compile a compute shader, run it on the reference machine, check and show its buffers.

use agx_abi::PartRole;
use agx_compiler::CompiledShader;
use agx_emulator::launch::BufferBinding;
use agx_emulator::launch::textures::{SamplerResource, TextureResource};
use agx_emulator::{Options, Profile, Report};
use clap::ArgMatches;

use super::{Arg, Takes, arg, asm, compile, disasm};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::input::Kind;
use crate::machine::{self, Job};
use crate::texture::{self, Pixels};
use crate::values::{self, Element, Slot};
use crate::{input, output, picture};

/// Options of this command alone.
pub const ARGS: &[Arg] = &[
    arg("buffer", Takes::Values("SET.BINDING=SPEC"), "A buffer: f32:1,2,3 u32:… i32:… zero:BYTES file:PATH"),
    arg(
        "texture",
        Takes::Values("SET.BINDING=SPEC"),
        "A texture: png:PATH, or FORMAT:WIDTHxHEIGHT[xDEPTH]:SPEC as for buffers, like r32f:2x2:f32:1,2,3,4",
    ),
    arg("image", Takes::Values("SET.BINDING=SPEC"), "A storage image, specified as textures are"),
    arg(
        "sampler",
        Takes::Values("SET.BINDING=WORDS"),
        "A sampler: nearest or linear, clamp, repeat, mirror, levels_linear, compare_less, …",
    ),
    arg("push", Takes::Value("SPEC"), "Push constants, specified as buffers are"),
    arg("args", Takes::Value("SPEC"), "Arguments of an IR kernel: f32:1,2"),
    arg(
        "results",
        Takes::Value("COUNT[:TYPE]"),
        "Print the results of an IR kernel, as u32 unless a type is given",
    ),
    arg("groups", Takes::Value("X,Y,Z"), "Number of workgroups; 1,1,1 when absent"),
    arg(
        "expect",
        Takes::Values("SET.BINDING=SPEC"),
        "What a buffer must hold after the run; else exit code 1",
    ),
    arg(
        "tolerance",
        Takes::Value("NUMBER"),
        "Allowed difference of floats, relative above one; 0 when absent",
    ),
    arg(
        "dump",
        Takes::Values("SET.BINDING[:TYPE]"),
        "Print a buffer after the run, as u32 unless a type is given",
    ),
    arg(
        "png",
        Takes::Value("SET.BINDING:WIDTHxHEIGHT"),
        "Write a buffer of rgba8 words as a picture, to --output",
    ),
    arg("code", Takes::Value("FILE"), "Run this assembly or machine code in place of the compiled main part"),
    arg("seed", Takes::Value("NUMBER"), "Seed of the order in which SIMD-groups take turns"),
    arg(
        "budget",
        Takes::Value("NUMBER"),
        "Instructions of all SIMD-groups together after which the run is cut short",
    ),
    arg("report", Takes::Nothing, "Print how many instructions and cycles it took"),
    arg("profile", Takes::Nothing, "Print how often each instruction ran"),
    arg("trace", Takes::Nothing, "Write a line for every executed instruction to standard error"),
    arg("races", Takes::Nothing, "Look for data races, byte by byte; slow"),
];

/// Compiles, runs, checks, prints.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let plan = Plan::from_options(options)?;
    let file = compile::read(options, context)?;
    let mut shader = compile::shader(&file, options)?;
    if let Some(name) = options.get_one::<String>("code") {
        replace_code(&mut shader, name, context)?;
    }
    let mut buffers = plan.buffers;
    let mut textures = plan.textures;
    let job = Job {
        name: &file.name,
        samplers: &plan.samplers,
        push_constants: &plan.push_constants,
        arguments: &plan.arguments,
        results: plan.results.0,
        workgroups: plan.workgroups,
        options: plan.machine,
    };
    let outcome = machine::run(&shader, &mut buffers, &mut textures, &job);
    output::stderr_lines(&outcome.report.trace);
    if let Some(failure) = outcome.failure {
        return Err(failure);
    }
    // Images are looked at as buffers are.
    buffers.extend(textures.into_iter().filter(|texture| texture.storage).map(|texture| texture.buffer));
    for (slot, wanted) in &plan.expectations {
        let found = &find(&buffers, *slot)?.bytes;
        if let Some(difference) = values::first_difference(wanted, found, plan.tolerance) {
            return Err(Diagnostic::new(402, format!("buffer {slot}: {difference}"))
                .in_file(&file.name)
                .into());
        }
    }
    let mut text = String::new();
    for (slot, element) in &plan.dumps {
        text.push_str(&values::print(&find(&buffers, *slot)?.bytes, *element));
    }
    let results: Vec<u8> = outcome.results.iter().flat_map(|word| plan.results.1.low_bytes(*word)).collect();
    text.push_str(&values::print(&results, plan.results.1));
    text.push_str(&report(&outcome.report, options.get_flag("report")));
    if let Some((slot, width, height, path)) = &plan.picture {
        picture::save(path, &find(&buffers, *slot)?.bytes, *width, *height)?;
    }
    output::stdout(text.as_bytes())
}

/// Puts the code in the file called `name` in the place of the main part; everything a driver provides stays.
fn replace_code(shader: &mut CompiledShader, name: &str, context: &mut Context) -> Result<(), Failure> {
    let file = input::read(name, None, context)?;
    let code = match file.kind {
        Kind::Assembly => asm::code(&file)?,
        _ => disasm::code(&file)?,
    };
    if let Some(part) = shader.parts.iter_mut().find(|part| part.role == PartRole::Main) {
        part.code = code;
    }
    Ok(())
}

/// The counts when they are wanted, and the profile when there is one.
fn report(report: &Report, counts: bool) -> String {
    let mut text = report.profile.as_ref().map_or_else(String::new, Profile::text);
    if counts {
        text.push_str(&format!(
            "{} instructions, {} lane instructions, {} cycles estimated, {} memory lines\n",
            report.instructions,
            report.lane_instructions,
            report.estimated_cycles(),
            report.lines
        ));
    }
    text
}

/// What the options ask for.
struct Plan {
    buffers: Vec<BufferBinding>,
    textures: Vec<TextureResource>,
    samplers: Vec<SamplerResource>,
    push_constants: Vec<u8>,
    arguments: Vec<u64>,
    results: (usize, Element),
    workgroups: [u32; 3],
    expectations: Vec<(Slot, values::Values)>,
    tolerance: f32,
    dumps: Vec<(Slot, Element)>,
    picture: Option<(Slot, u32, u32, String)>,
    machine: Options,
}

impl Plan {
    fn from_options(options: &ArgMatches) -> Result<Plan, Failure> {
        let text = |name: &str| options.get_one::<String>(name).map(String::as_str);
        let many = |name: &str| options.get_many::<String>(name).into_iter().flatten();
        let mut machine = Options {
            trace: options.get_flag("trace"),
            profile: options.get_flag("profile"),
            races: options.get_flag("races"),
            budget: machine::BUDGET,
            ..Options::default()
        };
        if let Some(seed) = text("seed") {
            machine.seed = number(seed)?;
        }
        if let Some(budget) = text("budget") {
            machine.budget = number(budget)?;
        }
        let textures = many("texture").map(|spec| texture(spec, false));
        let images = many("image").map(|spec| texture(spec, true));
        Ok(Plan {
            textures: textures.chain(images).collect::<Result<_, _>>()?,
            samplers: many("sampler").map(|spec| sampler(spec)).collect::<Result<_, _>>()?,
            buffers: many("buffer").map(|spec| buffer(spec)).collect::<Result<_, _>>()?,
            push_constants: text("push").map(values::contents).transpose()?.map_or(Vec::new(), |v| v.bytes),
            arguments: text("args").map(values::contents).transpose()?.map_or(Vec::new(), |v| v.words()),
            results: text("results").map_or(Ok((0, Element::U32)), results)?,
            workgroups: text("groups").map_or(Ok([1; 3]), groups)?,
            expectations: many("expect").map(|spec| values::binding(spec)).collect::<Result<_, _>>()?,
            tolerance: text("tolerance").map_or(Ok(0.0), number)?,
            dumps: many("dump").map(|spec| dump(spec)).collect::<Result<_, _>>()?,
            picture: text("png").map(|spec| picture_spec(spec, text("output"))).transpose()?,
            machine,
        })
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, Failure> {
    text.parse().map_err(|_| Failure::usage(format!("`{text}` is no number that fits here")))
}

fn buffer(spec: &str) -> Result<BufferBinding, Failure> {
    let (slot, values) = values::binding(spec)?;
    let Slot { set, binding, element } = slot;
    Ok(BufferBinding { set, binding, element, bytes: values.bytes, writable: true })
}

/// The place and the rest of `SET.BINDING=REST`.
fn bound<'s>(spec: &'s str, rest: &str) -> Result<(Slot, &'s str), Failure> {
    let (place, found) = spec
        .split_once('=')
        .ok_or_else(|| Failure::usage(format!("`{spec}` has no `=`: SET.BINDING={rest} is wanted")))?;
    Ok((values::slot(place)?, found))
}

/// `SET.BINDING=png:PATH` or `SET.BINDING=FORMAT:WIDTHxHEIGHT[xDEPTH]:SPEC`.
fn texture(spec: &str, storage: bool) -> Result<TextureResource, Failure> {
    let (slot, contents) = bound(spec, "SPEC")?;
    let wrong = |why: String| Failure::usage(format!("`{spec}`: {why}"));
    if let Some(path) = contents.strip_prefix("png:") {
        let pixels = Pixels::from_png(&input::read_bytes(path)?).map_err(wrong)?;
        let [width, height] = pixels.size;
        let (format, _) = texture::format("rgba8").map_err(wrong)?;
        return Ok(texture::resource(slot, format, [width, height, 1], pixels.rgba, storage));
    }
    let mut parts = contents.splitn(3, ':');
    let (Some(name), Some(size), Some(texels)) = (parts.next(), parts.next(), parts.next()) else {
        return Err(wrong("png:PATH or FORMAT:WIDTHxHEIGHT:SPEC is wanted".into()));
    };
    let (format, texel_bytes) = texture::format(name).map_err(wrong)?;
    let sides: Vec<u32> = size.split('x').map(number).collect::<Result<_, _>>()?;
    let size = match sides[..] {
        [width, height] => [width, height, 1],
        [width, height, depth] => [width, height, depth],
        _ => return Err(wrong(format!("`{size}` is not WIDTHxHEIGHT or WIDTHxHEIGHTxDEPTH"))),
    };
    if size.iter().any(|side| !(1..=texture::MAX_SIDE).contains(side)) {
        return Err(wrong(format!("sides are 1 to {}", texture::MAX_SIDE)));
    }
    let bytes = values::contents(texels)?.bytes;
    let needed = size.iter().map(|side| u64::from(*side)).product::<u64>() * texel_bytes as u64;
    if bytes.len() as u64 != needed {
        return Err(wrong(format!("its texels are {needed} bytes, not {}", bytes.len())));
    }
    Ok(texture::resource(slot, format, size, bytes, storage))
}

/// `SET.BINDING=WORD,WORD`.
fn sampler(spec: &str) -> Result<SamplerResource, Failure> {
    let (slot, words) = bound(spec, "WORDS")?;
    let words = words.split(',').filter(|word| !word.is_empty());
    texture::sampler(slot, words).map_err(|why| Failure::usage(format!("`{spec}`: {why}")))
}

/// `X`, `X,Y` or `X,Y,Z`; absent counts are one.
fn groups(text: &str) -> Result<[u32; 3], Failure> {
    let mut counts = [1; 3];
    let words: Vec<&str> = text.split(',').collect();
    if words.len() > counts.len() {
        return Err(Failure::usage(format!("`{text}` has more than three counts of workgroups")));
    }
    for (count, word) in counts.iter_mut().zip(words) {
        *count = number(word)?;
    }
    Ok(counts)
}

/// `COUNT` or `COUNT:TYPE`.
fn results(spec: &str) -> Result<(usize, Element), Failure> {
    let (count, name) = spec.split_once(':').unwrap_or((spec, "u32"));
    // A kernel has few results; a byte bounds what a slip of the finger allocates.
    Ok((number::<u8>(count)?.into(), element(name)?))
}

fn element(name: &str) -> Result<Element, Failure> {
    Element::from_name(name).ok_or_else(|| Failure::usage(format!("`{name}` is no type")))
}

fn dump(spec: &str) -> Result<(Slot, Element), Failure> {
    let (place, name) = spec.split_once(':').unwrap_or((spec, "u32"));
    Ok((values::slot(place)?, element(name)?))
}

/// `SET.BINDING:WIDTHxHEIGHT`, and the file to write.
fn picture_spec(spec: &str, target: Option<&str>) -> Result<(Slot, u32, u32, String), Failure> {
    let wrong = || Failure::usage(format!("`{spec}` is not SET.BINDING:WIDTHxHEIGHT"));
    let path = target.ok_or_else(|| Failure::usage("--png needs --output to name the file"))?;
    let (place, size) = spec.split_once(':').ok_or_else(wrong)?;
    let (width, height) = size.split_once('x').ok_or_else(wrong)?;
    Ok((values::slot(place)?, number(width)?, number(height)?, path.to_owned()))
}

fn find(buffers: &[BufferBinding], slot: Slot) -> Result<&BufferBinding, Failure> {
    let same = |buffer: &&BufferBinding| {
        (buffer.set, buffer.binding, buffer.element) == (slot.set, slot.binding, slot.element)
    };
    buffers.iter().find(same).ok_or_else(|| Failure::usage(format!("no --buffer is bound at {slot}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_values() {
        assert_eq!(groups("4").ok(), Some([4, 1, 1]));
        assert_eq!(groups("4,2,3").ok(), Some([4, 2, 3]));
        assert!(groups("1,2,3,4").is_err() && groups("x").is_err() && groups("-1").is_err());
        let slot = Slot { set: 0, binding: 1, element: 0 };
        assert_eq!(results("2:f32").ok(), Some((2, Element::F32)));
        assert!(results("999").is_err() && results("1:x").is_err());
        assert_eq!(dump("0.1").ok(), Some((slot, Element::U32)));
        assert_eq!(dump("0.1:f32").ok(), Some((slot, Element::F32)));
        let texels = texture("0.1=r32f:2x1:f32:1,2", true).ok().unwrap();
        assert_eq!((texels.shape.size, texels.buffer.bytes.len(), texels.storage), ([2, 1, 1], 8, true));
        for wrong in
            ["0.1=r32f:2x1:f32:1", "0.1=r32f:2:f32:1,2", "0.1=r33f:1x1:u8:1", "0.1=r32f:0x1:u8:", "0.1"]
        {
            assert!(texture(wrong, false).is_err(), "{wrong}");
        }
        assert!(sampler("0.2=linear,repeat").is_ok() && sampler("0.2=sharp").is_err());
        assert_eq!(picture_spec("0.1:3x2", Some("a.png")).ok(), Some((slot, 3, 2, "a.png".to_owned())));
        assert!(picture_spec("0.1:3x2", None).is_err() && picture_spec("0.1:3", Some("a")).is_err());
    }
}
