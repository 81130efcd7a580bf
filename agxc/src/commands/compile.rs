//! `agxc compile`, and the code that all commands that compile share.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::time::Instant;

use agx_abi::Target;
use agx_compiler::internal::frontend::language::{GLSL, IR};
use agx_compiler::internal::ir;
use agx_compiler::internal::tracking::{self, Tracking};
use agx_compiler::{CompileKey, CompiledShader, Compiler, Scratch, Statistics};
use bumpalo::Bump;
use clap::ArgMatches;
use rustc_hash::FxHashMap;

use super::{Arg, SOURCE, Takes, arg, has_effect, option_names, pass};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure, Problems};
use crate::draw::Draw;
use crate::emit::{self, Emit, Job, Made};
use crate::input::{self, File, Kind};
use crate::modules::{self, EntryPoint};
use crate::report::html::{Entry, index};
use crate::{codes, key, output};

/// Whole programs instead of parts.
pub const WHOLE: Arg = arg(
    "whole",
    Takes::Nothing,
    "Compile with the state of `draw` in the key as one program, instead of prolog, main part and epilog",
);

/// Options of this command.
pub const ARGS: &[Arg] = &[
    arg("emit", Takes::Value("WHAT"), "Output format [default: asm]; the values are listed below"),
    arg(
        "part",
        Takes::Value("PART"),
        "The part that --emit bin writes: main (default), preamble; with a draw also prolog, epilog",
    ),
    arg("baseline", Takes::Value("FILE"), "Statistics as JSON, for --emit html to compare with"),
    WHOLE,
    arg("print-key", Takes::Nothing, "Print the compile key as JSON and stop"),
];

/// Compiles shaders and writes the output that `--emit` selects. With several inputs, an input that fails does not stop
/// the others.
pub fn run(options: &ArgMatches, context: &mut Context) -> Result<(), Failure> {
    let target = options.get_one::<String>("output").map(String::as_str);
    if options.get_flag("print-key") {
        for option in ["emit", "part", "baseline"] {
            has_effect(options, option, false, "with --print-key")?;
        }
        return output::text(target, &key::printable(options)?);
    }
    let emit = Emit::from_option(options.get_one::<String>("emit").map_or("asm", String::as_str))?;
    has_effect(options, "part", emit.row.name == "bin", "without --emit bin")?;
    has_effect(options, "baseline", emit.row.name == "html", "without --emit html")?;
    let is_ir = ["ir", "ir-after", "ir-before", "divergence"].contains(&emit.row.name);
    has_effect(options, "whole", !is_ir, &format!("with --emit {}", emit.row.name))?;
    let names: Vec<&str> =
        options.get_many::<String>("FILE").into_iter().flatten().map(String::as_str).collect();
    match names[..] {
        [name] if target.is_some_and(|target| is_same(name, target)) => Err(Failure::usage(format!(
            "the output would replace the input `{name}`; name another file with -o"
        ))),
        [name] => output::made(target, &made(name, &emit, options, context)?),
        _ => several(&names, &emit, options, context),
    }
}

/// Compiles every entry point of every input. Texts are written to standard output one after the other, or to the folder
/// that -o names.
fn several(
    names: &[&str],
    emit: &Emit<'_>,
    options: &ArgMatches,
    context: &mut Context,
) -> Result<(), Failure> {
    let folder = options.get_one::<String>("output").map(String::as_str).filter(|target| *target != "-");
    if folder.is_none() && !emit.row.has_comments {
        let message = format!("--emit {} of several inputs needs -o FOLDER", emit.row.name);
        return Err(Failure::usage(message));
    }
    let mut problems = Problems::default();
    let mut outputs = folder.map(|folder| Outputs::new(folder, emit, base)).transpose()?;
    if let Some(outputs) = &outputs {
        outputs.check_names(names)?;
    }
    for name in names {
        match &mut outputs {
            Some(outputs) => outputs.write(name, options, context, &mut problems)?,
            None => {
                each_entry(name, options, context, &mut problems, |file, unit, context| {
                    let (made, _) = unit.make(file, emit, options, context)?;
                    output::stdout(format!("; {}\n", unit.called(name, '.')).as_bytes())?;
                    output::made(None, &made)
                })?;
            }
        }
    }
    outputs.iter().try_for_each(Outputs::finish)?;
    problems.result()
}

/// Whether two names are those of one file that exists.
fn is_same(one: &str, other: &str) -> bool {
    let path = |name: &str| std::fs::canonicalize(name).ok().filter(|path| path.is_file());
    path(one).is_some_and(|found| path(other) == Some(found))
}

/// The name of a file without its folder; `stdin` for standard input.
fn base(name: &str) -> String {
    let base = Path::new(name).file_name().filter(|_| name != "-");
    base.map_or_else(|| "stdin".into(), |base| base.to_string_lossy().into_owned())
}

/// A folder for the outputs of several inputs. No output replaces another.
pub struct Outputs<'o> {
    folder: &'o str,
    emit: &'o Emit<'o>,
    /// The name of the outputs of an input, without entry point and extension.
    naming: fn(&str) -> String,
    /// Paths of outputs, each with its input.
    owners: FxHashMap<String, String>,
    /// The reports so far.
    reports: Vec<Entry>,
}

/// The name of the index of a folder of reports, without extension.
const INDEX: &str = "index";

impl<'o> Outputs<'o> {
    /// Creates the folder.
    pub fn new(
        folder: &'o str,
        emit: &'o Emit<'o>,
        naming: fn(&str) -> String,
    ) -> Result<Outputs<'o>, Failure> {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, &error))?;
        let mut outputs = Outputs { folder, emit, naming, owners: FxHashMap::default(), reports: Vec::new() };
        if emit.row.name == "html" {
            outputs.owners.insert(outputs.path(INDEX), "the index of the reports".to_owned());
        }
        Ok(outputs)
    }

    /// Checks that the outputs of all inputs have different names.
    pub fn check_names(&self, inputs: &[impl AsRef<str>]) -> Result<(), Failure> {
        let mut owners = self.owners.clone();
        inputs.iter().try_for_each(|input| {
            claim(&mut owners, self.path(&(self.naming)(input.as_ref())), input.as_ref())
        })
    }

    /// Writes the outputs of every entry point of `input` that the options select.
    pub fn write(
        &mut self,
        input: &str,
        options: &ArgMatches,
        context: &mut Context,
        problems: &mut Problems,
    ) -> Result<(), Failure> {
        each_entry(input, options, context, problems, |file, unit, context| {
            let (made, statistics) = unit.make(file, self.emit, options, context)?;
            let name = unit.called(&(self.naming)(input), '.').replace(['/', '\\'], "_");
            let (path, input) = (self.path(&name), unit.called(input, ':'));
            claim(&mut self.owners, path.clone(), &input)?;
            if let Some(statistics) = statistics {
                let file = format!("{name}.{}", self.emit.row.extension);
                self.reports.push(Entry { name: input, file, statistics });
            }
            output::made(Some(&path), &made)
        })?;
        Ok(())
    }

    /// Writes the index of the reports, if the outputs are reports.
    pub fn finish(&self) -> Result<(), Failure> {
        match self.emit.row.name {
            "html" => output::text(Some(&self.path(INDEX)), &index(&self.reports)),
            _ => Ok(()),
        }
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}.{}", self.folder, self.emit.row.extension)
    }
}

/// Notes that the output at `path` is that of `input`; an error if it is already another's.
fn claim(owners: &mut FxHashMap<String, String>, path: String, input: &str) -> Result<(), Failure> {
    match owners.get(&path) {
        Some(owner) => {
            let message = format!(
                "the output `{path}` would replace that of `{owner}`; write them to different folders"
            );
            Err(Diagnostic::new(codes::USAGE, message).in_file(input).into())
        }
        None => {
            owners.insert(path, input.to_owned());
            Ok(())
        }
    }
}

/// The output of `emit` for the input called `name`, which has one entry point that the options select.
fn made(name: &str, emit: &Emit<'_>, options: &ArgMatches, context: &mut Context) -> Result<Made, Failure> {
    let file = input::read(name, kind(options), context)?;
    check_source(&file, options)?;
    let (target, key) = key::for_file(&file, options)?;
    Ok(Unit { words: Vec::new(), name: None, target, key }.make(&file, emit, options, context)?.0)
}

/// Runs `work` for every entry point, of those that the options select, of the input called `name`. One that fails does not
/// stop the others; its problems are added to `problems`.
pub fn each_entry<T>(
    name: &str,
    options: &ArgMatches,
    context: &mut Context,
    problems: &mut Problems,
    mut work: impl FnMut(&File, &Unit, &mut Context) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    let Some(file) = problems.or_add(input::read(name, kind(options), context))? else {
        return Ok(Vec::new());
    };
    let units = problems.or_add(units(&file, options))?.unwrap_or_default();
    let mut results = Vec::new();
    for unit in &units {
        results.extend(problems.or_add(work(&file, unit, context))?);
    }
    Ok(results)
}

/// The value of -x.
pub fn kind(options: &ArgMatches) -> Option<&str> {
    options.get_one::<String>("kind").map(String::as_str)
}

/// Reads the input that the options name.
pub fn read(options: &ArgMatches, context: &mut Context) -> Result<File, Failure> {
    let name = options.get_one::<String>("FILE").map_or("-", String::as_str);
    let file = input::read(name, kind(options), context)?;
    check_source(&file, options)?;
    Ok(file)
}

/// Rejects options of the translation of GLSL and HLSL for an only input in another language.
fn check_source(file: &File, options: &ArgMatches) -> Result<(), Failure> {
    let has = file.kind.is(&GLSL) || file.kind == Kind::Hlsl;
    for option in option_names(&[SOURCE]) {
        // Commands without shader inputs lack these options.
        if options.try_contains_id(option).is_ok() {
            has_effect(options, option, has, &format!("on {}", file.kind.name()))?;
        }
    }
    Ok(())
}

/// Compiles `file` with the key of the options.
pub fn shader(file: &File, options: &ArgMatches) -> Result<CompiledShader, Failure> {
    let (target, key) = key::for_file(file, options)?;
    with_key(file, target, &key)
}

/// Like [`shader`], with the source variables of the main part.
pub fn tracked(file: &File, options: &ArgMatches) -> Result<(CompiledShader, Tracking), Failure> {
    let (target, key) = key::for_file(file, options)?;
    tracked_with(file, target, &key)
}

/// Like [`with_key`], with the source variables of the main part.
pub fn tracked_with(
    file: &File,
    target: Target,
    key: &CompileKey,
) -> Result<(CompiledShader, Tracking), Failure> {
    check_ir(file)?;
    let (compiler, mut scratch) = (Compiler::new(target), Scratch::default());
    let result = tracking::compile(&compiler, &mut scratch, file.shader(key)?, key);
    let (shader, tracking) = result.map_err(|error| file.refused(error))?;
    Ok((checked(file, key, shader)?, tracking))
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
    let result = Compiler::new(target).compile(&mut Scratch::default(), file.shader(key)?, key);
    checked(file, key, result.map_err(|error| file.refused(error))?)
}

/// The shader compiled from `file`, with the file's name for its source.
fn checked(file: &File, key: &CompileKey, mut shader: CompiledShader) -> Result<CompiledShader, Failure> {
    check_selection(file, key, &shader)?;
    for name in shader.sources.files.iter_mut().filter(|name| input::is_the_input(name)) {
        name.clone_from(&file.name);
    }
    Ok(shader)
}

/// Rejects an entry point and a stage that a language with one program per file does not look at.
fn check_selection(file: &File, key: &CompileKey, shader: &CompiledShader) -> Result<(), Failure> {
    let (is_ir, info) = (file.kind.is(&IR), &shader.info);
    if !is_ir && file.kind.name() != "tgsi" {
        return Ok(());
    }
    if let Some(name) = key.entry_point.as_ref().filter(|name| **name != info.entry_point) {
        let message = format!("unknown entry point `{name}`; expected `{}`", info.entry_point);
        return Err(file.problem(UNKNOWN_ENTRY_POINT, &message));
    }
    match key.stage.filter(|stage| is_ir && *stage != info.stage) {
        Some(stage) => {
            let (wanted, found) = (stage.name(), info.stage.name());
            Err(file.problem(OTHER_STAGE, &format!("expected a {wanted} program, found a {found} program")))
        }
        None => Ok(()),
    }
}

/// The compiler's codes for programs of another name or stage.
const UNKNOWN_ENTRY_POINT: u16 = 2007;
const OTHER_STAGE: u16 = 2006;

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
    /// What distinguishes it from the file's other entry points: nothing if there are none, its name, or its name and stage.
    words: Vec<String>,
    /// Its name, if the module declares it.
    name: Option<String>,
    target: Target,
    key: CompileKey,
}

impl Unit {
    /// Compiles it, and adds the prolog and epilog of a draw.
    pub fn compile(&self, file: &File, draw: Option<&Draw>) -> Result<CompiledShader, Failure> {
        under(file, self.target, &self.key, draw)
    }

    /// The output of `emit`, and the statistics of the shader if it was compiled.
    fn make(
        &self,
        file: &File,
        emit: &Emit<'_>,
        options: &ArgMatches,
        context: &mut Context,
    ) -> Result<(Made, Option<Statistics>), Failure> {
        let draw = key::draw(options)?;
        let (chip, key, draw) = (self.target, &self.key, draw.as_ref());
        let job =
            Job { file, chip, key, draw, options, warnings: RefCell::default(), statistics: Cell::default() };
        let begin = Instant::now();
        let made = emit::make(emit, &job);
        let warned = context.warnings.add(job.warnings.take());
        let taken = begin.elapsed().as_secs_f64() * 1e3;
        context.note(|| format!("{}: {} in {taken:.1} ms", file.name, emit.row.name));
        let made = made?;
        warned.map(|()| (made, job.statistics.get()))
    }

    /// The name that the module declares; `None` if it declares none, or is wrong.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Its name in messages and outputs: `name`, with the entry point if the file has several.
    pub fn called(&self, name: &str, separator: char) -> String {
        self.words.iter().fold(name.to_owned(), |name, word| format!("{name}{separator}{word}"))
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
        let name = points.into_iter().next().map(|point| point.name);
        return Ok(vec![Unit { words: Vec::new(), name, target, key }]);
    }
    let unit = |point: &EntryPoint| {
        let mut key = key.clone();
        (key.entry_point, key.stage) = (Some(point.name.clone()), point.stage);
        let is_alone = points.iter().filter(|other| other.name == point.name).count() == 1;
        let stage = point.stage.filter(|_| !is_alone).map(|stage| stage.name().to_owned());
        let words = [point.name.clone()].into_iter().chain(stage).collect();
        Unit { words, name: Some(point.name.clone()), target, key }
    };
    Ok(points.iter().map(unit).collect())
}
