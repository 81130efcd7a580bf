//! The vertex stage of a draw: vertex programs, and the primitives that their results form. Hardware keeps the primitives
//! in the parameter buffer until it renders the tiles.

use agx_isa::inst::Size;

use crate::dispatch::Stop;
use crate::draw::Draw;
use crate::exec::stack;
use crate::fragments::Running;
use crate::group::LANES;
use crate::machine::{Job, Machine, Team, conclude};
use crate::memory::Memory;
use crate::pixels::Outputs;
use crate::primitive::{Prepared, Vertex, set_up};
use crate::profile::Report;
use crate::registers::Dst;
use crate::workers::Outcome;

/// Bytes of the parameter buffer for a primitive, without its coefficients. The hardware's form is not known.
const PRIMITIVE_BYTES: u64 = 64;
/// Bytes of the parameter buffer for a coefficient register.
const COEFFICIENT_BYTES: u64 = 16;

/// `r5`, the vertex number, and `r6`, the instance number.
const IDS: [Dst; 2] = [Dst { half: 10, size: Size::B32 }, Dst { half: 12, size: Size::B32 }];

/// The primitives of draws after their vertex stage.
#[derive(Clone, Debug, Default)]
pub struct Geometry {
    primitives: Vec<Prepared>,
    bytes: u64,
}

/// Runs the vertex stage of a draw to `layers` layers of a framebuffer of this size, and adds its primitives to
/// `geometry`. Without layers only the vertex programs run.
///
/// # Errors
/// The machine stopped on a fatal finding.
pub fn geometry(
    memory: &mut Memory,
    draw: &Draw<'_>,
    (size, layers): ([u32; 2], u32),
    geometry: &mut Geometry,
) -> Result<Report, Stop> {
    let mut machine = Machine::new(memory, &draw.options, draw.vertex.uniforms, draw.vertex.states);
    let mut counts = Running::new(&draw.vertex);
    let outcome = geometry.add(&mut machine, draw, (size, layers), &mut counts);
    let programs: Vec<_> = counts.programs(&draw.vertex).collect();
    conclude(outcome, machine.report(&programs))
}

impl Geometry {
    /// Bytes of the parameter buffer that the primitives use.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Removes all primitives.
    pub fn clear(&mut self) {
        *self = Geometry::default();
    }

    pub(crate) fn primitives(&self) -> &[Prepared] {
        &self.primitives
    }

    /// Runs the vertex stage on a machine with the state of the vertex program.
    pub(crate) fn add(
        &mut self,
        machine: &mut Machine<'_>,
        draw: &Draw<'_>,
        (size, layers): ([u32; 2], u32),
        counts: &mut Running,
    ) -> Outcome {
        counts.preamble(machine, &draw.vertex)?;
        let corners = draw.topology.vertices() as usize;
        for instance in (draw.more.first_instance..).take(draw.instances as usize) {
            let vertices = vertices(machine, draw, instance, counts)?;
            if layers == 0 {
                continue;
            }
            for (number, corners) in (draw.more.first_primitive..).zip(vertices.chunks_exact(corners)) {
                let found = set_up(size, draw, corners, number);
                let found = found.map(|prepared| Prepared { numbers: [number, instance], ..prepared });
                self.keep(found.filter(|prepared| prepared.layer < layers));
            }
        }
        Ok(())
    }

    fn keep(&mut self, prepared: Option<Prepared>) {
        let Some(prepared) = prepared else { return };
        self.bytes += PRIMITIVE_BYTES + COEFFICIENT_BYTES * prepared.primitive.coefficients.len() as u64;
        self.primitives.push(prepared);
    }
}

/// Runs the vertex program for every vertex of an instance.
fn vertices(
    machine: &mut Machine<'_>,
    draw: &Draw<'_>,
    instance: u32,
    counts: &mut Running,
) -> Result<Vec<Vertex>, Box<crate::findings::Finding>> {
    let job = Job { stack_words: stack::limit_words(draw.vertex.scratch_bytes), ..Job::default() };
    let mut vertices = Vec::with_capacity(draw.vertices.len());
    for (index, numbers) in draw.vertices.chunks(LANES).enumerate() {
        let mut group = machine.group(index as u32, numbers.len() as u32);
        group.outputs = Some(Box::default());
        for (lane, number) in numbers.iter().enumerate() {
            for (dst, value) in IDS.into_iter().zip([*number, instance]) {
                group.define(dst, u64::from(value), lane);
            }
        }
        let mut teams = [Team::alone(group, machine.local(0))];
        machine.execute(draw.vertex.program, &mut counts.main, &mut teams, job, None)?;
        let outputs: &Outputs = match &teams[0].groups[0].outputs {
            Some(outputs) => outputs,
            None => continue,
        };
        for lane in 0..numbers.len() {
            vertices.push(outputs.slots.iter().map(|slot| slot[lane]).collect());
        }
    }
    Ok(vertices)
}
