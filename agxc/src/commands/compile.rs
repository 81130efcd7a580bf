//! `agxc compile`, and the code that all commands that compile share.

use std::cell::RefCell;
use std::path::Path;
use std::time::Instant;

use agx_abi::Target;
use agx_compiler::internal::frontend::language::IR;
use agx_compiler::internal::ir;
use agx_compiler::{CompileKey, CompiledShader, Compiler, Scratch};
use bumpalo::Bump;
use clap::ArgMatches;

use super::{Arg, Takes, arg, pass};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::draw::Draw;
use crate::emit::{self, Emit, Job, Made};
use crate::input::{self, File};
use crate::modules::{self, EntryPoint};
use crate::{key, output};

/// Whole programs instead of parts.
pub const WHOLE: Arg = arg(
    "whole",
    Takes::Nothing,
    "Compile with the state of `draw` in the key as one program, instead of prolog, main part and epilog",
);

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("emit", Takes::Value("WHAT"), "Output format [default: asm]; the values are listed below"),
    arg("part", Takes::Value("PART"), "The part that --emit bin writes: main (default), preamble"),
    arg("baseline", Takes::Value("FILE"), "Statistics as JSON, for --emit html to compare with"),
    WHOLE,
    arg("print-key", Takes::Nothing, "Print the compile key as JSON and stop"),
];

/// Compiles shaders and writes the output that `--emit` selects. With several inputs, an input that fails does not stop
/// the others.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let target = options.get_one::<String>("output").map(String::as_str);
    if options.get_flag("print-key") {
        return output::text(target, &key::printable(options)?);
    }
    let emit = Emit::from_option(options.get_one::<String>("emit").map_or("asm", String::as_str))?;
    let names: Vec<&str> =
        options.get_many::<String>("FILE").into_iter().flatten().map(String::as_str).collect();
    match names[..] {
        [name] => output::made(target, &made(name, &emit, options, context)?),
        _ => several(&names, &emit, options, context),
    }
}

/// Compiles every input. Texts are written to standard output one after the other, or to the folder that -o names.
fn several(
    names: &[&str],
    emit: &Emit<'_>,
    options: &ArgMatches,
    context: &mut Context,
) -> Result<(), Failure> {
    let folder = options.get_one::<String>("output").map(String::as_str).filter(|target| *target != "-");
    if folder.is_none() && emit.row.is_binary {
        return Err(Failure::usage("--emit of binary data from several inputs needs -o FOLDER"));
    }
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, &error))?;
    }
    let mut problems = Vec::new();
    for name in names {
        let outputs = match made_of_all(name, emit, options, context) {
            Ok((outputs, failed)) => {
                problems.extend(failed);
                outputs
            }
            Err(Failure::Problems(failed)) => {
                problems.extend(failed);
                continue;
            }
            Err(closed) => return Err(closed),
        };
        for (name, made) in outputs {
            match folder {
                Some(folder) => output::made(Some(&beside(folder, &name, emit)), &made)?,
                None => {
                    output::stdout(format!("; {name}\n").as_bytes())?;
                    output::made(None, &made)?;
                }
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Failure::Problems(problems)) }
}

/// The output in `folder` for the input called `name`.
pub fn beside(folder: &str, name: &str, emit: &Emit<'_>) -> String {
    let base = Path::new(name).file_name().map_or_else(|| "stdin".into(), |base| base.to_string_lossy());
    format!("{folder}/{base}.{}", emit.row.extension)
}

/// The output of `emit` for the input called `name`.
pub fn made(
    name: &str,
    emit: &Emit<'_>,
    options: &ArgMatches,
    context: &mut Context,
) -> Result<Made, Failure> {
    let file = input::read(name, options.get_one::<String>("kind").map(String::as_str), context)?;
    let (target, key) = key::for_file(&file, options)?;
    Unit { entry_point: String::new(), target, key }.make(&file, emit, options, context)
}

/// The output of `emit` for every entry point of an input that the options select, each with the name of its file: that of
/// the input, with the entry point if there are several. The problems of those that fail are returned too.
pub fn made_of_all(
    name: &str,
    emit: &Emit<'_>,
    options: &ArgMatches,
    context: &mut Context,
) -> Result<(Vec<(String, Made)>, Vec<Diagnostic>), Failure> {
    let file = input::read(name, options.get_one::<String>("kind").map(String::as_str), context)?;
    let units = units(&file, options)?;
    let (mut outputs, mut problems) = (Vec::new(), Vec::new());
    for unit in &units {
        match unit.make(&file, emit, options, context) {
            Ok(made) => outputs.push((name.to_owned() + &unit.suffix(&units), made)),
            Err(Failure::Problems(failed)) => problems.extend(failed),
            Err(closed) => return Err(closed),
        }
    }
    Ok((outputs, problems))
}

/// Reads the input that the options name.
pub fn read(options: &ArgMatches, context: &mut Context) -> Result<File, Failure> {
    let name = options.get_one::<String>("FILE").map_or("-", String::as_str);
    input::read(name, options.get_one::<String>("kind").map(String::as_str), context)
}

/// Compiles `file` with the key of the options.
pub fn shader(file: &File, options: &ArgMatches) -> Result<CompiledShader, Failure> {
    let (target, key) = key::for_file(file, options)?;
    with_key(file, target, &key)
}

/// Compiles `file` with the key of the options, and adds the prolog and epilog of its draw.
pub fn with_draw(file: &File, options: &ArgMatches) -> Result<CompiledShader, Failure> {
    let (target, key) = key::for_file(file, options)?;
    under(file, target, &key, key::draw(options)?.as_ref())
}

/// Compiles `file` with `key`, and adds the prolog and epilog of a draw.
pub fn under(
    file: &File,
    target: Target,
    key: &CompileKey,
    draw: Option<&Draw>,
) -> Result<CompiledShader, Failure> {
    let shader = with_key(file, target, key)?;
    match draw {
        Some(draw) => draw.complete(shader, file, target, key),
        None => Ok(shader),
    }
}

/// Compiles `file` with `key`.
pub fn with_key(file: &File, target: Target, key: &CompileKey) -> Result<CompiledShader, Failure> {
    check_ir(file)?;
    let result = Compiler::new(target).compile(&mut Scratch::default(), file.shader(key.stage)?, key);
    let mut shader = result.map_err(|error| file.refused(error))?;
    for name in shader.sources.files.iter_mut().filter(|name| input::is_the_input(name)) {
        name.clone_from(&file.name);
    }
    Ok(shader)
}

/// Validates the first function of textual IR and reports every violated rule; other inputs pass.
pub fn check_ir(file: &File) -> Result<(), Failure> {
    if !file.kind.is(&IR) {
        return Ok(());
    }
    let bump = Bump::new();
    let functions = ir::parse(&bump, file.text()?).map_err(|error| file.refused(error))?;
    functions.first().map_or(Ok(()), |function| pass::check(function, file))
}

/// An entry point of a file, ready to compile.
pub struct Unit {
    /// Its name; empty if the language has one entry point per file.
    pub entry_point: String,
    target: Target,
    key: CompileKey,
}

impl Unit {
    /// Compiles it, and adds the prolog and epilog of a draw.
    pub fn compile(&self, file: &File, draw: Option<&Draw>) -> Result<CompiledShader, Failure> {
        under(file, self.target, &self.key, draw)
    }

    /// The output of `emit`.
    fn make(
        &self,
        file: &File,
        emit: &Emit<'_>,
        options: &ArgMatches,
        context: &mut Context,
    ) -> Result<Made, Failure> {
        let draw = key::draw(options)?;
        let (chip, key, draw) = (self.target, &self.key, draw.as_ref());
        let job = Job { file, chip, key, draw, options, warnings: RefCell::default() };
        let begin = Instant::now();
        let made = emit::make(emit, &job);
        job.warnings.take().into_iter().for_each(|warning| context.warnings.add(warning));
        let taken = begin.elapsed().as_secs_f64() * 1e3;
        context.note(|| format!("{}: {} in {taken:.1} ms", file.name, emit.row.name));
        made
    }

    /// What tells its output from those of the file's other entry points: nothing if there are none, its name, or its name
    /// and stage.
    fn suffix(&self, units: &[Unit]) -> String {
        let same = units.iter().filter(|unit| unit.entry_point == self.entry_point).count();
        let name = self.entry_point.replace(['/', '\\'], "_");
        match (units.len(), same, self.key.stage) {
            (1, ..) => String::new(),
            (_, 1, _) | (.., None) => format!(".{name}"),
            (.., Some(stage)) => format!(".{name}.{}", stage.name()),
        }
    }
}

/// Every entry point of `file` that the options select.
pub fn units(file: &File, options: &ArgMatches) -> Result<Vec<Unit>, Failure> {
    let (target, key) = key::for_file(file, options)?;
    let declared = modules::declarations(file, &key)?.entry_points;
    let selected = |point: &EntryPoint| {
        key.entry_point.as_ref().is_none_or(|name| *name == point.name)
            && key.stage.is_none_or(|stage| point.stage == Some(stage))
    };
    let points: Vec<EntryPoint> = declared.into_iter().filter(selected).collect();
    if points.len() < 2 {
        let entry_point = points.into_iter().next().map_or_else(String::new, |point| point.name);
        return Ok(vec![Unit { entry_point, target, key }]);
    }
    let unit = |point: EntryPoint| {
        let mut key = key.clone();
        (key.entry_point, key.stage) = (Some(point.name.clone()), point.stage);
        Unit { entry_point: point.name, target, key }
    };
    Ok(points.into_iter().map(unit).collect())
}
