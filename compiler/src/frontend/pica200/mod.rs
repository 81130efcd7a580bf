//! PICA200, the shader code of the Nintendo 3DS.
//!
//! The format's crate reads containers and assembly ([`agx_pica200`]); this folder translates. `expand`
//! simulates the hardware's stacks of calls, ifs and loops and builds a graph in which a block denotes an
//! address and the contents of the stacks. If that grows too large, `machine` builds a graph that keeps the
//! stacks in variables. `reduce` makes the graph reducible. `body` builds the instructions: registers are
//! variables, from which SSA form is constructed. `alu` has the arithmetic, `uniforms` and `geometry` the
//! memory that [`agx_abi::pica200`] defines.
//!
//! Options of the key: [`OPTIONS`].

mod alu;
mod body;
mod expand;
mod flow;
mod geometry;
mod interface;
mod machine;
mod numbers;
mod reduce;
mod stacks;
mod uniforms;

use agx_abi::{ShaderInfo, Stage};
use agx_pica200::container::Choice;
use agx_pica200::{AsmError, Container, Place, Program, Shader as PicaShader, Stage as PicaStage};
use bumpalo::Bump;

use self::body::{Registers, Translation};
use self::numbers::Numbers;
use super::kit::control::{Graph, build};
use super::kit::{Kit, lines};
use super::{FrontEnd, Input, Shader};
use crate::CompileKey;
use crate::error::{CompileError, InputError, Location, PicaError};
use crate::ir::Function;

/// Names and meanings of the options.
pub const OPTIONS: &[(&str, &str)] = &[
    ("dvle", "number of the shader in the container; the default is the first of the key's stage"),
    ("fast", "1: a product of zero and infinity may be NaN, and products may be fused with sums"),
    ("f24", "1: round results to the hardware's 24-bit floats"),
    ("raw_outputs", "1: assign outputs to locations by register and ignore the container's mapping"),
    ("stacks", "1: keep the control-flow stacks in variables, as for programs that are too large to expand"),
];

/// The front end: containers, and assembly if the bytes do not begin like a container.
pub struct Pica200;

impl FrontEnd for Pica200 {
    fn read<'a>(
        &self,
        bump: &'a Bump,
        input: Input<'_>,
        key: &CompileKey,
    ) -> Result<Shader<'a>, CompileError> {
        let (container, places) = container(input)?;
        let shader = choose(&container, key)?;
        translate(bump, (&container.program, &places), &shader, key)
    }

    fn located(&self, error: CompileError) -> CompileError {
        super::in_text(error)
    }
}

/// Directives that begin texts for picasso and that no other assembly has.
const DIRECTIVES: &[&str] = &[
    ".proc", ".alias", ".fvec", ".ivec", ".bool", ".constf", ".consti", ".constfa", ".setf", ".seti",
    ".setb", ".in", ".out", ".entry", ".gsh", ".nodvle",
];

/// Whether `bytes` are assembly: the first line that is not a comment is a directive of picasso.
pub fn recognises(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(';'));
    let word = lines.next().and_then(|line| line.split_whitespace().next());
    word.is_some_and(|word| DIRECTIVES.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// The value of an option; 0 if it is not set.
fn option(key: &CompileKey, name: &str) -> u64 {
    key.options.iter().rev().find(|(known, _)| known == name).map_or(0, |(_, value)| *value)
}

/// Reads the input: a container, or assembly with the place of each word.
fn container(input: Input<'_>) -> Result<(Container, Vec<Place>), CompileError> {
    if input.bytes.starts_with(&agx_pica200::container::MAGIC) {
        let container = Container::read(input.bytes);
        return container
            .map(|container| (container, Vec::new()))
            .map_err(|error| CompileError::from(PicaError::Container { error }));
    }
    match agx_pica200::assemble_with_places(&[input.text()?]) {
        Ok(assembled) => Ok((assembled.container, assembled.places)),
        Err(AsmError { place, cause }) => {
            let error = CompileError::from(PicaError::Assembly { what: cause.to_string() });
            Err(error.at(location(place)))
        }
    }
}

/// The location of a place in assembly.
fn location(place: Place) -> Location {
    match place.line {
        0 => Location::Whole,
        line => Location::Text { line: line as u32, column: place.column as u32 },
    }
}

/// The shader that the key selects.
fn choose(container: &Container, key: &CompileKey) -> Result<PicaShader, CompileError> {
    let by_index = key.options.iter().rev().find(|(name, _)| name == "dvle");
    let choice = match (by_index, key.stage) {
        (Some((_, index)), _) => Choice::Index(usize::try_from(*index).unwrap_or(usize::MAX)),
        (None, Some(Stage::Vertex)) => Choice::Stage(PicaStage::Vertex),
        (None, Some(Stage::Compute)) => Choice::Stage(PicaStage::Geometry),
        (None, Some(Stage::Fragment)) => {
            return Err(PicaError::Fragment.into());
        }
        (None, None) => Choice::First,
    };
    let mut shader =
        container.shader(choice).map_err(|error| CompileError::from(PicaError::Container { error }))?.clone();
    if let Some(name) = &key.entry_point {
        let label = shader.labels.iter().find(|label| label.name == *name);
        let label = label.map(|label| label.start).or((name == ENTRY).then_some(shader.entry));
        shader.entry = label.ok_or_else(|| {
            CompileError::from(InputError::UnknownEntry { name: name.clone(), expected: "`main` or a label" })
        })?;
    }
    Ok(shader)
}

/// The name of a shader's entry.
const ENTRY: &str = "main";

/// Translates a shader of a program.
fn translate<'a>(
    bump: &'a Bump,
    (program, places): (&Program, &[Place]),
    shader: &PicaShader,
    key: &CompileKey,
) -> Result<Shader<'a>, CompileError> {
    if shader.entry as usize >= program.code.len() {
        let (entry, words) = (shader.entry, program.code.len());
        return Err(PicaError::Entry { entry, words }.into());
    }
    let numbers = Numbers { exact: option(key, "fast") == 0, round24: option(key, "f24") != 0 };
    let expanded = match option(key, "stacks") {
        0 => expand::expand(program, shader.entry)?,
        _ => None,
    };
    let flow = match expanded {
        Some(flow) => flow,
        None => machine::machine(program, shader.entry)?,
    };
    let flow = reduce::reduce(flow);
    let mut function = Function::new(bump, ENTRY);
    function.contract = !numbers.exact && !numbers.round24;
    function.signed_zeros = numbers.exact;
    let stage = match shader.stage {
        PicaStage::Vertex => Stage::Vertex,
        PicaStage::Geometry => Stage::Compute,
    };
    let mut kit = Kit::start(&mut function, stage, key);
    kit.b.mode.separate = numbers.exact || numbers.round24;
    kit.b.mode.signed_zero = numbers.exact;
    let graph = Graph::new(flow.ends())?;
    let registers = Registers::new(&mut kit);
    let raw = option(key, "raw_outputs") != 0;
    let interface = interface::Interface::new(program, shader, raw);
    let mut translation = Translation::new((program, places), &flow, numbers, registers, interface);
    match shader.stage {
        PicaStage::Vertex => {
            translation.begin_vertex(&mut kit)?;
            build(&mut kit, &graph, &mut translation)?;
            lines::clear(&mut kit);
            translation.end_vertex(&mut kit)?;
        }
        PicaStage::Geometry => {
            translation.begin_geometry(&mut kit, shader.geometry);
            build(&mut kit, &graph, &mut translation)?;
            lines::clear(&mut kit);
            translation.end_geometry(&mut kit);
        }
    }
    let info: ShaderInfo = kit.finish(ENTRY)?;
    Ok((function, info))
}
