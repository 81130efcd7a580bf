//! Debugging a shader: what is debugged, and the faces of the debugger.

pub mod dap;
pub mod drawn;
pub mod places;
pub mod symbols;
pub mod terminal;

use std::path::Path;

use agx_abi::Stage;
use agx_compiler::CompiledShader;
use agx_compiler::internal::frontend::language::IR;
use agx_debug::{Session, Symbols};
use agx_emulator::launch::PreparedLaunch;
use agx_emulator::{Captured, Dispatch, Stepper};
use clap::ArgMatches;

use crate::commands::{self, Inputs};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::input::File;
use crate::machine::{self, Job};
use crate::{kernel, lint};

/// What runs.
pub enum Run {
    /// A grid.
    Grid(Box<PreparedLaunch>),
    /// A SIMD-group of a draw.
    Alone(Box<Captured>),
}

/// A shader with its inputs, ready to run.
pub struct Subject {
    /// Memory, programs and uniforms.
    pub run: Run,
    /// Its source lines.
    pub symbols: Symbols,
    /// Names and texts of its source files.
    pub sources: Vec<(String, String)>,
}

impl Subject {
    /// Compiles the shader that the options name, and lays out its inputs.
    ///
    /// # Errors
    /// The shader is rejected or no compute shader, or an input is missing.
    pub fn open(options: &ArgMatches, context: &mut Context) -> Result<Subject, Failure> {
        let name = options.get_one::<String>("FILE").ok_or_else(|| Failure::usage("debug needs a FILE"))?;
        if drawn::is_scene(name) {
            return drawn::open(name, options, context);
        }
        for option in commands::scene_options() {
            commands::has_effect(options, option, false, "on compute shaders; name a scene")?;
        }
        let mut inputs = Inputs::from_options(options)?;
        let file = commands::read(options, context)?;
        let (mut shader, tracking) = commands::tracked(&file, options)?;
        let is_kernel = file.kind.is(&IR);
        for option in ["args", "results"] {
            commands::has_effect(options, option, is_kernel, "on compute shaders")?;
        }
        let mut symbols = symbols::of(&shader, &tracking);
        if let Some(name) = options.get_one::<String>("code") {
            commands::replace_code(&mut shader, name, context)?;
            // Other code has its values elsewhere.
            symbols.main.variables.clear();
        }
        kernel::prepare(options, &mut shader.info, &mut inputs)?;
        let subject = Subject::of_grid(&file, &shader, symbols, &mut inputs)?;
        context.warnings.add(lint::unused_bindings(&file, &shader.info, &inputs.bindings))?;
        let sources = subject.symbols.files.iter().filter_map(|name| text_of(name, &file.name, &file.bytes));
        Ok(Subject { sources: sources.collect(), ..subject })
    }

    /// A grid of a compute shader, without the texts of its sources.
    ///
    /// # Errors
    /// The shader is none for compute, or an input is missing.
    pub fn of_grid(
        file: &File,
        shader: &CompiledShader,
        symbols: Symbols,
        inputs: &mut Inputs,
    ) -> Result<Subject, Failure> {
        if shader.info.stage != Stage::Compute {
            let stage = shader.info.stage.name();
            let message = format!("`debug` steps through {stage} shaders in scenes, not alone");
            return Err(file.problem(101, &message));
        }
        let Inputs { bindings, arguments, results, workgroups, machine } = inputs;
        let mut results = vec![0; results.0];
        let job = Job {
            name: &file.name,
            samplers: &bindings.samplers,
            push_constants: &bindings.push_constants,
            arguments,
            results: results.len(),
            workgroups: *workgroups,
            options: machine.clone(),
        };
        let launch =
            machine::launch(shader, &mut bindings.buffers, &mut bindings.textures, &mut results, &job)
                .prepare();
        let launch = launch.map_err(|error| Diagnostic::new(400, error.to_string()).in_file(&file.name))?;
        Ok(Subject { run: Run::Grid(Box::new(launch)), symbols, sources: Vec::new() })
    }

    /// The dispatch, if a grid runs.
    pub fn dispatch(&self) -> Option<Dispatch<'_>> {
        match &self.run {
            Run::Grid(launch) => Some(launch.dispatch()),
            Run::Alone(_) => None,
        }
    }

    /// A session before the first instruction; `dispatch` is that of the subject.
    pub fn session<'s>(&'s self, dispatch: Option<&'s Dispatch<'s>>) -> Session<'s> {
        match (&self.run, dispatch) {
            (Run::Grid(launch), Some(dispatch)) => {
                Session::new(Stepper::new(launch.memory.clone(), dispatch), &self.symbols)
            }
            (Run::Alone(captured), _) => {
                let mut session = Session::new(Stepper::of_captured(captured), &self.symbols);
                session.choose_lane(Some(captured.lane));
                session
            }
            (Run::Grid(_), None) => unreachable!("invariant: a grid has a dispatch"),
        }
    }
}

/// Name and text of the source file called `name`; `bytes` are those of the input called `input`.
fn text_of(name: &str, input: &str, bytes: &[u8]) -> Option<(String, String)> {
    if name == input {
        return Some((name.to_owned(), String::from_utf8(bytes.to_vec()).ok()?));
    }
    // Files that a module names lie beside it, or where the name says.
    let beside = Path::new(input).parent().map(|folder| folder.join(name));
    let texts = beside.into_iter().chain([Path::new(name).to_owned()]);
    let text = texts.filter_map(|path| std::fs::read_to_string(path).ok()).next()?;
    Some((name.to_owned(), text))
}
