//! Warnings: allowed code in a shader that may be a mistake, and avoidable costs of its code.

use agx_abi::kernel::LITERAL_SAMPLER_SET;
use agx_abi::layout::FieldValue;
use agx_abi::occupancy::{OCCUPANCY, max_threads};
use agx_abi::{SamplerBinding, ShaderInfo, UniformRange, UniformSource};
use agx_compiler::{CompiledShader, Location};
use agx_emulator::launch::textures::TextureResource;

use crate::diagnostic::Diagnostic;
use crate::input::File;
use crate::modules::{self, Instruction};
use crate::resources::Bindings;
use crate::{formats, pica};

const UNINITIALISED: u16 = 500;
const UNWRITTEN: u16 = 501;
const SPILLS: u16 = 502;
const OCCUPANCY_STEP: u16 = 503;
const UNUSED: u16 = 505;
const PICA200_RULE: u16 = 507;

/// If a shader exceeds a step of occupancy by at most this number of half-registers, small changes to it can help.
const NEAR_STEP: u16 = 8;

/// Every warning on `shader`, compiled from `file`.
pub fn warnings(file: &File, shader: &CompiledShader) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    if let Some(bytes) = file.spirv() {
        warnings.extend(of_module(&modules::words(bytes)));
    }
    if pica::is_pica200(file) {
        let found = formats::findings_of_pica200(file).into_iter();
        warnings.extend(found.map(|(message, place)| Diagnostic::warning(PICA200_RULE, message).at(place)));
    }
    let stats = &shader.stats;
    if stats.spills + stats.fills > 0 {
        let message = format!("{} values are spilled to memory, with {} fills", stats.spills, stats.fills);
        warnings.push(Diagnostic::warning(SPILLS, message));
    }
    warnings.extend(occupancy_step(shader.info.gpr_halves));
    let own = warnings.into_iter().map(|warning| warning.in_file(&file.name));
    file.translators_warnings().into_iter().chain(own).collect()
}

/// Warnings on resources of a run that the shader does not use.
pub fn unused_bindings(file: &File, info: &ShaderInfo, bindings: &Bindings) -> Vec<Diagnostic> {
    let buffers = bindings.buffers.iter().map(|buffer| ("buffer", buffer.set, buffer.binding));
    let texture = |texture: &TextureResource| {
        let kind = if texture.storage { "image" } else { "texture" };
        (kind, texture.buffer.set, texture.buffer.binding)
    };
    let textures = bindings.textures.iter().map(texture);
    let samplers = bindings.samplers.iter().map(|sampler| ("sampler", sampler.set, sampler.binding));
    let unused =
        buffers.chain(textures).chain(samplers).filter(|(_, set, binding)| !uses(info, *set, *binding));
    let warning = |(kind, set, binding): (&str, u32, u32)| {
        let message = format!("the shader does not use the {kind} at {set}.{binding}");
        Diagnostic::warning(UNUSED, message).in_file(&file.name)
    };
    let mut warnings: Vec<Diagnostic> = unused.map(warning).collect();
    let pushes = |range: &UniformRange| {
        matches!(range.source, UniformSource::PushConstants { .. } | UniformSource::PushConstantAddress)
    };
    if !bindings.push_constants.is_empty() && !info.uniforms.iter().any(pushes) {
        let message = "the shader does not use push constants";
        warnings.push(Diagnostic::warning(UNUSED, message).in_file(&file.name));
    }
    warnings
}

/// The warning on an attribute of a run that the shader does not read; `name` is that of its register.
pub fn unused_attribute(file: &File, name: &str) -> Diagnostic {
    Diagnostic::warning(UNUSED, format!("the shader does not read {name}")).in_file(&file.name)
}

/// Whether a shader accesses a binding.
fn uses(info: &ShaderInfo, set: u32, binding: u32) -> bool {
    let of_uniforms = info.uniforms.iter().any(|range| {
        let fields = range.source.fields();
        let is = |name: &str, number: u32| {
            fields.iter().find(|field| field.0 == name).map(|field| field.1 == FieldValue::Number(number))
        };
        // The address of a set reaches all of its bindings.
        is("set", set) == Some(true) && is("binding", binding).unwrap_or(true)
    });
    let of_textures = info.textures.iter().any(|found| (found.set, found.binding) == (set, binding));
    let of_samplers = info.samplers.iter().any(|found| match *found {
        SamplerBinding::Bound { set: own, binding: at, .. }
        | SamplerBinding::Paired { set: own, binding: at, .. } => (own, at) == (set, binding),
        SamplerBinding::Loads => false,
    });
    let of_kernel = info.kernel.as_ref().is_some_and(|kernel| {
        set == LITERAL_SAMPLER_SET || set == 0 && kernel.arguments.iter().any(|known| known.index == binding)
    });
    of_uniforms || of_textures || of_samplers || of_kernel
}

/// The warning that a few registers less would let a core hold more threads.
fn occupancy_step(halves: u16) -> Option<Diagnostic> {
    let (most, threads) = OCCUPANCY.iter().rev().find(|(most, _)| *most < halves)?;
    let message = format!(
        "{halves} half-registers allow {} threads per core; {most} would allow {threads}",
        max_threads(halves)
    );
    (halves - most <= NEAR_STEP).then(|| Diagnostic::warning(OCCUPANCY_STEP, message))
}

const OP_NAME: u32 = 5;
const OP_LINE: u32 = 8;
const OP_ENTRY_POINT: u32 = 15;
const OP_VARIABLE: u32 = 59;
const OP_LOAD: u32 = 61;
const OP_DECORATE: u32 = 71;
const OP_COMPOSITE_INSERT: u32 = 82;
const DECORATION_LOCATION: u32 = 30;
const OUTPUT: u32 = 3;
const FUNCTION: u32 = 7;

/// A variable of a module.
struct Variable {
    id: u32,
    class: u32,
    has_initialiser: bool,
    /// Its first use in a function.
    first_use: Option<Use>,
}

/// A use of a variable.
#[derive(Clone, Copy)]
struct Use {
    op: u32,
    line: u32,
    /// The id of the result, if `op` has one.
    result: Option<u32>,
}

/// Warnings for the variables of a SPIR-V module. An instruction counts as a use if any of its words equals the
/// variable's id. A literal of the same value can therefore hide a warning, but never cause one.
fn of_module(words: &[u32]) -> Vec<Diagnostic> {
    let mut variables: Vec<Variable> = Vec::new();
    let (mut line, mut in_functions) = (0, false);
    for Instruction { op, operands } in modules::instructions(words) {
        match (op, operands) {
            (OP_LINE, [_, number, ..]) => line = *number,
            (OP_VARIABLE, [_, id, class, initialiser @ ..]) => {
                let has_initialiser = !initialiser.is_empty();
                variables.push(Variable { id: *id, class: *class, has_initialiser, first_use: None });
            }
            (modules::OP_FUNCTION, _) => in_functions = true,
            _ if in_functions => {
                let unused = variables.iter_mut().filter(|known| known.first_use.is_none());
                for variable in unused.filter(|known| operands.contains(&known.id)) {
                    variable.first_use = Some(Use { op, line, result: operands.get(1).copied() });
                }
            }
            _ => {}
        }
    }
    variables.iter().filter_map(|variable| of_variable(words, variable)).collect()
}

fn of_variable(words: &[u32], variable: &Variable) -> Option<Diagnostic> {
    let name = name(words, variable.id).filter(|name| !name.is_empty())?;
    match (variable.class, variable.first_use) {
        // Blocks follow those that dominate them, so if the first use is a load, no store precedes it.
        (FUNCTION, Some(Use { op: OP_LOAD, line, result })) if !variable.has_initialiser => {
            if is_composed(words, result?) {
                return None;
            }
            let warning =
                Diagnostic::warning(UNINITIALISED, format!("`{name}` is read before it is written"));
            Some(if line == 0 { warning } else { warning.at(Location::Text { line, column: 1 }) })
        }
        (OUTPUT, None) if !variable.has_initialiser && is_located(words, variable.id) => {
            Some(Diagnostic::warning(UNWRITTEN, format!("the output `{name}` is never written")))
        }
        _ => None,
    }
}

/// Whether a component of `value` is replaced: writing the components of a vector one by one reads it before.
fn is_composed(words: &[u32], value: u32) -> bool {
    modules::instructions(words)
        .any(|inst| inst.op == OP_COMPOSITE_INSERT && inst.operands.get(3) == Some(&value))
}

fn name(words: &[u32], id: u32) -> Option<String> {
    modules::instructions(words)
        .find(|inst| inst.op == OP_NAME && inst.operands.first() == Some(&id))
        .map(|inst| modules::string(inst.operands.get(1..).unwrap_or_default()))
}

/// Whether an output has a location, unlike built-ins, and belongs to the only entry point.
fn is_located(words: &[u32], id: u32) -> bool {
    let of = |op: u32| modules::instructions(words).filter(move |inst| inst.op == op);
    let located = of(OP_DECORATE).any(|inst| inst.operands.starts_with(&[id, DECORATION_LOCATION]));
    located && of(OP_ENTRY_POINT).count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codes of warnings on a module with the variable 3, named `v`, and these instructions in a function.
    fn codes_of(body: &[(u32, &[u32])]) -> Vec<u16> {
        let mut words = vec![0x0723_0203, 0x0001_0500, 0, 16, 0];
        let start: [(u32, &[u32]); 3] = [
            (OP_NAME, &[3, u32::from(b'v')]),
            (modules::OP_FUNCTION, &[1, 2, 0, 1]),
            (OP_VARIABLE, &[1, 3, FUNCTION]),
        ];
        for (op, operands) in start.iter().chain(body) {
            words.push((operands.len() as u32 + 1) << 16 | op);
            words.extend(*operands);
        }
        of_module(&words).iter().map(|warning| warning.code).collect()
    }

    #[test]
    fn replacing_a_component_of_a_variable_does_not_read_it() {
        const NEGATE: u32 = 127;
        const STORE: u32 = 62;
        let load: (u32, &[u32]) = (OP_LOAD, &[1, 4, 3]);
        assert_eq!(codes_of(&[load, (NEGATE, &[1, 5, 4])]), [500]);
        let composes = [load, (OP_COMPOSITE_INSERT, &[1, 5, 9, 4, 0]), (STORE, &[3, 5])];
        assert!(codes_of(&composes).is_empty());
        // The inserted value is read.
        assert_eq!(codes_of(&[load, (OP_COMPOSITE_INSERT, &[1, 5, 4, 9, 0])]), [500]);
    }

    #[test]
    fn a_near_step_of_occupancy_is_worth_a_warning() {
        let code = |halves| occupancy_step(halves).map(|warning| warning.code);
        assert_eq!([code(104), code(105), code(112), code(124)], [None, Some(503), Some(503), None]);
        let message = occupancy_step(108).unwrap().message;
        assert_eq!(message, "108 half-registers allow 896 threads per core; 104 would allow 1024");
    }
}
