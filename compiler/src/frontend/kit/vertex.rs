//! Inputs and outputs of vertex shaders.
//!
//! Attributes, vertex number and instance number are in registers at program start. Outputs are words in
//! slots.

use agx_abi::fragment::CoefficientSource;
use agx_abi::linking::MovedSteps;
use agx_abi::tessellation::{Row, Rows};
use agx_abi::varyings::{OutputGroup, OutputLayout};
use agx_abi::vertex::{self, Attribute, MAX_SLOTS, Output, RunsAs, Varying, assign_slots};
use agx_abi::{InterfaceUniform, UniformSource, registers};

use super::feedback::{self, FeedbackStage};
use super::{Kit, compute, linking, uniforms};
use crate::CompileKey;
use crate::error::{CompileError, KitError};
use crate::ir::build::alu::{FloatCond, float};
use crate::ir::{Arithmetic, Build, IrOp, Src, Type};

/// State of a vertex shader.
#[derive(Default)]
pub struct VertexStage {
    /// The hardware stage in which it runs.
    pub runs_as: RunsAs,
    /// Attributes that are read.
    pub attributes: Vec<Attribute>,
    /// Output slots that are written.
    pub varyings: Vec<Varying>,
    /// The captured outputs.
    pub feedback: FeedbackStage,
    /// The rows in which outputs are stored to memory, if a tessellation control shader reads them.
    stored_rows: Option<Rows>,
    /// The inputs of the fragment shader, if known.
    fragment_inputs: Option<Vec<CoefficientSource>>,
    /// Operations on outputs that the fragment shader leaves to this one.
    pub(super) moved: Vec<MovedSteps>,
    /// Registers preloaded at program start, by half index.
    preloaded: Vec<(u8, Src)>,
}

impl VertexStage {
    /// The initial state for a key.
    pub(super) fn new(key: &CompileKey) -> Self {
        let runs_as = if key.vertex_as_compute { RunsAs::Compute } else { RunsAs::Vertex };
        VertexStage {
            runs_as,
            feedback: FeedbackStage::new(key),
            stored_rows: key.stored_rows,
            fragment_inputs: key.fragment_inputs.clone(),
            moved: key.moved.clone(),
            ..VertexStage::default()
        }
    }

    /// The outputs that repeat a word of the position, if the fragment shader is known to read them.
    fn repeated(&self, component: u32, word: Src) -> impl Iterator<Item = (Output, Src)> {
        let number = if component == 3 { 2 } else { component };
        let outputs = [Output::ReadPosition(number), Output::CornerPosition(number)];
        let inputs = self.fragment_inputs.as_deref().filter(|_| component != 2).unwrap_or_default();
        let reads = move |output: &Output| inputs.iter().any(|input| input.output() == Some(*output));
        outputs.into_iter().filter(reads).map(move |output| (output, word))
    }

    /// Whether the hardware or a fragment shader reads an output.
    fn is_wanted(&self, output: Output) -> bool {
        let reads =
            |inputs: &Vec<CoefficientSource>| inputs.iter().any(|input| input.output() == Some(output));
        output.group() != OutputGroup::Varyings
            || matches!(output, Output::Culled(_))
            || self.fragment_inputs.as_ref().is_none_or(reads)
    }

    fn preloaded(&self, half: u8) -> Option<Src> {
        self.preloaded.iter().find(|(known, _)| *known == half).map(|(_, src)| *src)
    }
}

/// An input of a vertex shader other than an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VertexInput {
    /// Number of the vertex, counted from the base vertex.
    VertexIndex,
    /// Number of the instance, counted from the base instance.
    InstanceIndex,
    /// Number of the instance, counted from 0.
    InstanceNumber,
    /// Number of the first vertex of the draw.
    BaseVertex,
    /// Number of the first instance of the draw.
    BaseInstance,
    /// Number of the draw in a multi-draw.
    DrawIndex,
    /// The view index.
    ViewIndex,
}

/// A word that a vertex shader writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VertexOutput {
    /// Component of the clip-space position.
    Position(u32),
    /// Size of a point in pixels.
    PointSize,
    /// A clip distance.
    ClipDistance(u32),
    /// A cull distance.
    CullDistance(u32),
    /// The layer being rendered.
    Layer,
    /// The viewport index.
    Viewport,
    /// The number of the primitive, which only geometry shaders write.
    PrimitiveId,
    /// A component of a location, which a fragment shader reads as a varying.
    User {
        /// Location.
        location: u32,
        /// Component, 0 to 3.
        component: u32,
    },
}

impl VertexOutput {
    /// The output in memory to which it belongs: layer and viewport share a word.
    pub fn stored(self) -> Output {
        match self {
            VertexOutput::Position(component) => Output::Position(component),
            VertexOutput::PointSize => Output::PointSize,
            VertexOutput::ClipDistance(index) => Output::ClipDistance(index),
            VertexOutput::CullDistance(index) => Output::CullDistance(index),
            VertexOutput::Layer | VertexOutput::Viewport => Output::LayerAndViewport,
            VertexOutput::PrimitiveId => Output::PrimitiveId,
            VertexOutput::User { location, component } => Output::User { location, component },
        }
    }
}

/// Assigns numbers to the attributes that `read` lists by location and component in any order, reads the
/// preloaded registers, and reserves the uniforms of the prolog. Must be called before anything else is
/// built.
///
/// # Errors
/// Too many attributes.
pub fn begin(kit: &mut Kit<'_, '_>, read: impl IntoIterator<Item = (u32, u32)>) -> Result<(), CompileError> {
    let mut read: Vec<(u32, u32)> = read.into_iter().collect();
    read.sort_unstable();
    for (location, component) in read {
        let attributes = &mut kit.vertex.attributes;
        match attributes.last_mut().filter(|last| last.location == location) {
            Some(last) => last.components |= 1 << component,
            None => attributes.push(Attribute { location, components: 1 << component }),
        }
    }
    for half in [registers::VERTEX_ID, registers::INSTANCE_ID] {
        preload(kit, half);
    }
    for (number, attribute) in (0..).zip(kit.vertex.attributes.clone()) {
        for component in (0..4).filter(|component| attribute.components >> component & 1 != 0) {
            if let Some(half) = vertex::attribute_register(number, component) {
                preload(kit, half);
            }
        }
    }
    let count = kit.vertex.attributes.len() as u32;
    if count > vertex::MAX_ATTRIBUTES {
        return Err(KitError::Attributes { most: vertex::MAX_ATTRIBUTES, found: count }.into());
    }
    let bytes = vertex::stack_attribute_bytes(count);
    kit.memory.take_stack(bytes);
    kit.uniforms.reserve(&vertex::uniforms(count, kit.vertex.runs_as));
    Ok(())
}

fn preload(kit: &mut Kit<'_, '_>, half: u8) {
    let value = kit.b.value(IrOp::Preload, Type::B32, &[], &[u32::from(half)]);
    kit.vertex.preloaded.push((half, Src::value(value)));
}

/// A component of an attribute, 32 bits; `None` if it was not declared to [`begin`].
pub fn attribute(kit: &mut Kit<'_, '_>, location: u32, component: u32) -> Option<Src> {
    let number = kit.vertex.attributes.iter().position(|attribute| attribute.location == location)? as u32;
    if let Some(byte) = vertex::attribute_stack_byte(number, component) {
        let word = kit.b.value(IrOp::LoadScratch, Type::B32, &[Src::imm32(byte)], &[]);
        return Some(Src::value(word));
    }
    kit.vertex.preloaded(vertex::attribute_register(number, component)?)
}

/// An input other than an attribute, 32 bits. The hardware's vertex number counts from the base vertex, its
/// instance number from 0.
pub fn input(kit: &mut Kit<'_, '_>, input: VertexInput) -> Src {
    let base = UniformSource::Interface(InterfaceUniform::BaseVertexAndInstance);
    match input {
        VertexInput::VertexIndex => taken(kit, registers::VERTEX_ID),
        VertexInput::InstanceNumber => taken(kit, registers::INSTANCE_ID),
        VertexInput::InstanceIndex => {
            let number = taken(kit, registers::INSTANCE_ID);
            let first = kit.uniforms.get(base, 2, 32);
            kit.b.iadd(number, first)
        }
        VertexInput::BaseVertex => kit.uniforms.get(base, 0, 32),
        VertexInput::BaseInstance => kit.uniforms.get(base, 2, 32),
        VertexInput::DrawIndex => {
            let draw = UniformSource::Interface(InterfaceUniform::DrawNumber);
            let number = kit.uniforms.get(draw, 0, 16);
            kit.b.uconv(number, 32)
        }
        VertexInput::ViewIndex => kit.uniforms.get(UniformSource::ViewIndex, 0, 32),
    }
}

fn taken(kit: &Kit<'_, '_>, half: u8) -> Src {
    kit.vertex.preloaded(half).expect("invariant: `begin` reads vertex and instance number")
}

/// Stores the outputs, 32-bit words in any order, in the order of their slots. If an output occurs more than
/// once, the last one counts. The position's slots exist even if nothing is written to them; a varying that
/// is [undefined](uniforms::undefined) has none.
///
/// # Errors
/// More words than slots.
pub fn end(kit: &mut Kit<'_, '_>, outputs: &[(VertexOutput, Src)]) -> Result<(), CompileError> {
    let mut words = slots(kit, outputs);
    if kit.vertex.runs_as == RunsAs::Vertex {
        linking::execute_moved(kit, &mut words);
        let undefined = uniforms::undefined(32);
        words.retain(|(output, word)| {
            kit.vertex.is_wanted(*output) && !(matches!(output, Output::User { .. }) && *word == undefined)
        });
    }
    let places: Vec<Output> = words.iter().map(|(place, _)| *place).collect();
    let (varyings, count) = match kit.vertex.runs_as {
        RunsAs::Vertex => {
            let inputs = kit.vertex.fragment_inputs.as_deref().unwrap_or_default();
            let layout = OutputLayout::new(&places, inputs);
            (layout.varyings, u32::from(layout.words))
        }
        RunsAs::Compute => {
            let varyings = match kit.vertex.stored_rows {
                Some(rows) => slots_of_rows(rows, &places),
                None => assign_slots(&places),
            };
            let count = varyings.len() as u32;
            (varyings, count)
        }
    };
    if count > MAX_SLOTS {
        return Err(KitError::VertexOutputs { most: MAX_SLOTS, found: count as usize }.into());
    }
    match kit.vertex.runs_as {
        RunsAs::Compute if kit.vertex.feedback.is_stored => feedback::store(kit),
        RunsAs::Compute => store_to_memory(kit, &varyings, &words),
        RunsAs::Vertex => {
            for varying in &varyings {
                let Some(word) = last_of(&words, varying.output) else { continue };
                let slot = Src::imm(u64::from(varying.slot), 16);
                let is_flag = matches!(varying.output, Output::Culled(_));
                let store = if is_flag { IrOp::StoreCull } else { IrOp::StoreVarying };
                kit.b.effect(store, &[word, slot], &[]);
            }
        }
    }
    kit.vertex.varyings = varyings;
    Ok(())
}

fn last_of(words: &[(Output, Src)], output: Output) -> Option<Src> {
    words.iter().rev().find(|(place, _)| *place == output).map(|(_, word)| *word)
}

/// The words of the slots: those of the outputs, and a flag for each cull distance. Outputs that the hardware
/// reads in separate groups are also varyings if fragment shaders can read them.
fn slots(kit: &mut Kit<'_, '_>, outputs: &[(VertexOutput, Src)]) -> Vec<(Output, Src)> {
    let mut words = packed(kit, outputs);
    let is_drawn = kit.vertex.runs_as == RunsAs::Vertex;
    for at in 0..words.len() {
        let Some((place, word)) = words.get(at).copied() else { break };
        match place {
            Output::CullDistance(index) => words.push((Output::Culled(index), word)),
            Output::ClipDistance(index) if is_drawn => words.push((Output::ReadClipDistance(index), word)),
            Output::Position(component) if is_drawn => words.extend(kit.vertex.repeated(component, word)),
            _ => {}
        }
    }
    let viewport = outputs.iter().rev().find(|(output, _)| *output == VertexOutput::Viewport);
    // A fragment shader reads 0 if none is chosen.
    let reads = |inputs: &Vec<CoefficientSource>| inputs.contains(&CoefficientSource::Viewport);
    let first = kit.vertex.fragment_inputs.as_ref().filter(|inputs| reads(inputs)).map(|_| Src::imm32(0));
    let viewport = viewport.map(|(_, word)| *word).or(first);
    words.extend(viewport.filter(|_| is_drawn).map(|word| (Output::Viewport, word)));
    words
}

/// The words of the outputs; layer and viewport share one.
pub(super) fn packed(kit: &mut Kit<'_, '_>, outputs: &[(VertexOutput, Src)]) -> Vec<(Output, Src)> {
    // Distances are also varyings.
    let mut words: Vec<(Output, Src)> = Vec::with_capacity(outputs.len().saturating_mul(2));
    let (mut layer, mut viewport) = (None, None);
    for (output, word) in outputs {
        match *output {
            VertexOutput::Layer => layer = Some(*word),
            VertexOutput::Viewport => viewport = Some(*word),
            other => words.push((other.stored(), *word)),
        }
    }
    if layer.is_some() || viewport.is_some() {
        let (layer, viewport) = (layer.unwrap_or(Src::imm32(0)), viewport.unwrap_or(Src::imm32(0)));
        let low = kit.b.and(layer, Src::imm32(0xffff));
        let high = kit.b.shl(viewport, Src::imm32(16));
        words.push((Output::LayerAndViewport, kit.b.or(low, high)));
    }
    words
}

/// The words of the outputs that are in `rows`.
fn slots_of_rows(rows: Rows, places: &[Output]) -> Vec<Varying> {
    let slot = |output: &Output| {
        let (row, component) = Row::of(*output)?;
        let word = rows.byte(row)?.checked_div(4)?.saturating_add(component);
        Some(Varying { slot: u16::try_from(word).ok()?, output: *output })
    };
    let mut varyings: Vec<Varying> = places.iter().filter_map(slot).collect();
    varyings.sort_unstable_by_key(|varying| varying.slot);
    varyings.dedup();
    varyings
}

/// Stores the outputs of a shader that runs as a compute shader, after those of preceding vertices.
fn store_to_memory(kit: &mut Kit<'_, '_>, varyings: &[Varying], words: &[(Output, Src)]) {
    let base = kit.uniforms.get(UniformSource::VertexOutputs, 0, 64);
    let number = compute::vertex(kit);
    let bytes = match kit.vertex.stored_rows {
        Some(rows) => rows.bytes(),
        None => (varyings.len() as u32).saturating_mul(4),
    };
    let first = kit.b.imul(number, Src::imm32(bytes));
    for varying in varyings {
        let Some(word) = last_of(words, varying.output) else { continue };
        let word = match varying.output {
            Output::Culled(_) => keeps_primitive(kit, word),
            _ => word,
        };
        let offset = kit.b.iadd(first, Src::imm32(4 * u32::from(varying.slot)));
        kit.b.effect(IrOp::StoreGlobal, &[word, base, offset], &[0, 4]);
    }
    kit.memory.writes_memory |= !varyings.is_empty();
}

/// The flag of a cull distance.
fn keeps_primitive(kit: &mut Kit<'_, '_>, distance: Src) -> Src {
    let keeps = kit.b.fcmp(FloatCond::GE, distance, float(0.0, 32));
    kit.b.select(keeps, float(1.0, 32), float(0.0, 32))
}
