//! The registers that a program reads and writes, and the destinations of its outputs.

use agx_abi::pica200::Semantic as Place;
use agx_pica200::register::{Dest, Source};
use agx_pica200::validate::reachable;
use agx_pica200::{Program, Semantic, Shader};

use crate::frontend::four;
use crate::frontend::kit::vertex::VertexOutput;

/// Inputs and outputs of a program.
pub(super) struct Interface {
    /// Components of input registers that are read, by register and component.
    pub inputs: Vec<(u32, u32)>,
    /// Destinations of the words of output registers: register, component, output. Components that are never
    /// written are omitted.
    pub outputs: Vec<(usize, usize, VertexOutput)>,
}

impl Interface {
    /// The interface of a shader. With `raw`, or if nothing is mapped, o0 is the position and other registers
    /// use the location of their number.
    pub fn new(program: &Program, shader: &Shader, raw: bool) -> Interface {
        let reached = reachable(program, shader.entry);
        let mut read = [[false; 4]; 16];
        let mut written = [[false; 4]; 16];
        for (address, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
            let Some(inst) = program.inst(address as u32) else { continue };
            let descriptor = program.descriptor(&inst);
            for number in 1..=3 {
                if let Some(Source::Input(register)) = inst.source(number) {
                    for component in descriptor.selector(number) {
                        mark(&mut read, register, component);
                    }
                }
            }
            if let Some(Dest::Output(register)) = inst.dest() {
                for component in (0..4u8).filter(|component| descriptor.writes((*component).into())) {
                    mark(&mut written, register, component);
                }
            }
        }
        let places = if raw || shader.outputs.is_empty() { by_register() } else { by_map(shader) };
        let is_written = |place: &(usize, usize, VertexOutput)| is_set(&written, place.0, place.1);
        Interface { inputs: named(&read), outputs: places.into_iter().filter(is_written).collect() }
    }
}

fn mark(components: &mut [[bool; 4]; 16], register: u8, component: u8) {
    if let Some(register) = components.get_mut(usize::from(register)) {
        four::set(register, component, true);
    }
}

fn is_set(components: &[[bool; 4]; 16], register: usize, component: usize) -> bool {
    components.get(register).is_some_and(|register| four::of(*register, component))
}

fn named(read: &[[bool; 4]; 16]) -> Vec<(u32, u32)> {
    let each = (0..16).flat_map(|register| (0..4).map(move |component| (register, component)));
    each.filter(|(register, component)| is_set(read, *register, *component))
        .map(|(register, component)| (register as u32, component as u32))
        .collect()
}

/// o0 is the position; other registers use the location of their number.
fn by_register() -> Vec<(usize, usize, VertexOutput)> {
    let place = |register: usize, component: usize| match register {
        0 => VertexOutput::Position(component as u32),
        _ => VertexOutput::User { location: register as u32, component: component as u32 },
    };
    (0..16).flat_map(|r| (0..4).map(move |c| (r, c))).map(|(r, c)| (r, c, place(r, c))).collect()
}

/// The container's mapping: a component of a register maps to the same component of the output, except for
/// the third coordinate of texture unit 0, which any component may provide.
fn by_map(shader: &Shader) -> Vec<(usize, usize, VertexOutput)> {
    let mut places = Vec::new();
    for output in &shader.outputs {
        let place = match output.semantic {
            Semantic::Position => None,
            Semantic::NormalQuaternion => Some(Place::NormalQuaternion),
            Semantic::Color => Some(Place::Color),
            Semantic::TexCoord0 | Semantic::TexCoord0W => Some(Place::TexCoord0),
            Semantic::TexCoord1 => Some(Place::TexCoord1),
            Semantic::TexCoord2 => Some(Place::TexCoord2),
            Semantic::View => Some(Place::View),
            Semantic::Dummy | Semantic::Other(_) => continue,
        };
        let third = output.semantic == Semantic::TexCoord0W;
        let limit = match output.semantic {
            Semantic::TexCoord0 => 2,
            _ => place.map_or(4, Place::components),
        };
        for component in (0..4usize).filter(|component| output.mask >> component & 1 != 0) {
            let target = if third { 2 } else { component as u32 };
            let fits = third || target < limit;
            let word = match place {
                None => VertexOutput::Position(target),
                Some(place) => VertexOutput::User { location: place.location(), component: target },
            };
            if fits {
                places.push((usize::from(output.register & 0xf), component, word));
            }
        }
    }
    places
}
