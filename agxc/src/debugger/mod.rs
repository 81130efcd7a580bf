//! Debugging a shader: what is debugged, and the faces of the debugger.

pub mod dap;
mod symbols;
pub mod terminal;

use std::path::Path;

use agx_abi::Stage;
use agx_compiler::internal::frontend::language::IR;
use agx_debug::Symbols;
use agx_emulator::launch::PreparedLaunch;
use clap::ArgMatches;

use crate::commands::{self, Inputs};
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Failure};
use crate::lint;
use crate::machine::{self, Job};

/// A shader with its inputs, ready to run.
pub struct Subject {
    /// Memory, programs and uniforms.
    pub launch: PreparedLaunch,
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
        if !options.contains_id("FILE") {
            return Err(Failure::usage("debug needs a FILE"));
        }
        let Inputs { mut bindings, arguments, results, workgroups, machine } = Inputs::from_options(options)?;
        let file = commands::read(options, context)?;
        let mut shader = commands::shader(&file, options)?;
        if shader.info.stage != Stage::Compute {
            let message =
                format!("`debug` steps through compute shaders, not {} shaders", shader.info.stage.name());
            return Err(file.problem(101, &message));
        }
        let is_kernel = file.kind.is(&IR);
        for option in ["args", "results"] {
            commands::has_effect(options, option, is_kernel, "on compute shaders")?;
        }
        if let Some(name) = options.get_one::<String>("code") {
            commands::replace_code(&mut shader, name, context)?;
        }
        context.warnings.add(lint::unused_bindings(&file, &shader.info, &bindings))?;
        let mut results = vec![0; results.0];
        let job = Job {
            name: &file.name,
            samplers: &bindings.samplers,
            push_constants: &bindings.push_constants,
            arguments: &arguments,
            results: results.len(),
            workgroups,
            options: machine,
        };
        let launch =
            machine::launch(&shader, &mut bindings.buffers, &mut bindings.textures, &mut results, &job)
                .prepare();
        let launch = launch.map_err(|error| Diagnostic::new(400, error.to_string()).in_file(&file.name))?;
        let symbols = symbols::of(&shader);
        let sources = symbols.files.iter().filter_map(|name| text_of(name, &file.name, &file.bytes));
        let sources = sources.collect();
        Ok(Subject { launch, symbols, sources })
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
