//! Registers of four lanes.

use super::{ALL, Inputs, Mask, Outputs, Vector, flushed};
use crate::register::RegisterFile;
use crate::shader::{Index, Read, Shader, Write};

pub(super) struct Lanes<'s> {
    constants: &'s [Vector],
    /// Number of constant registers that relative sources may read.
    constant_count: usize,
    inputs: &'s [Inputs; 4],
    /// Registers of each lane.
    temporaries: [Vec<Vector>; 4],
    outputs: [Outputs; 4],
    /// Active lanes.
    pub(super) active: Mask,
    /// The program is a vertex program, so varyings are read from the written ones.
    vertex: bool,
}

impl<'s> Lanes<'s> {
    pub(super) fn new(shader: &Shader, constants: &'s [Vector], inputs: &'s [Inputs; 4]) -> Self {
        let registers = vec![[0.0; 4]; shader.interface.temporaries.into()];
        Lanes {
            constants,
            constant_count: shader.interface.constants.into(),
            inputs,
            temporaries: std::array::from_fn(|_| registers.clone()),
            outputs: [Outputs::default(); 4],
            active: ALL,
            vertex: shader.stage == crate::Stage::Vertex,
        }
    }

    pub(super) fn outputs(&self) -> [Outputs; 4] {
        self.outputs
    }

    /// A source in each lane, swizzled.
    pub(super) fn read(&self, read: &Read) -> [Vector; 4] {
        std::array::from_fn(|lane| {
            let register = match read.index {
                Some(index) => self.relative(lane, index, read.register),
                None => self.register(lane, read.file, read.register),
            };
            read.swizzle.map(|component| flushed(register[usize::from(component)]))
        })
    }

    fn relative(&self, lane: usize, index: Index, offset: u16) -> Vector {
        let index = self.register(lane, index.file, index.register)[usize::from(index.component)];
        // Conversion truncates; NaN becomes 0, and indices that are out of range stay out of range.
        let number = i64::from(index as i32) + i64::from(offset);
        let number = usize::try_from(number).ok().filter(|number| *number < self.constant_count);
        number.and_then(|number| self.constants.get(number)).copied().unwrap_or([0.0; 4])
    }

    fn register(&self, lane: usize, file: RegisterFile, register: u16) -> Vector {
        let register = usize::from(register);
        let inputs = &self.inputs[lane];
        let found = match file {
            RegisterFile::Attribute => inputs.attributes.get(register),
            RegisterFile::Constant => self.constants.get(register),
            RegisterFile::Temporary => self.temporaries[lane].get(register),
            RegisterFile::Varying if self.vertex => self.outputs[lane].varyings.get(register),
            RegisterFile::Varying => inputs.varyings.get(register),
            RegisterFile::Instance => return [inputs.instance; 4],
            RegisterFile::Output | RegisterFile::Sampler | RegisterFile::Depth => None,
        };
        found.copied().unwrap_or([0.0; 4])
    }

    /// Writes a result in the active lanes.
    pub(super) fn write(&mut self, write: &Write, result: &[Vector; 4]) {
        for (lane, result) in result.iter().enumerate() {
            if self.active >> lane & 1 == 0 {
                continue;
            }
            let register = usize::from(write.register);
            let outputs = &mut self.outputs[lane];
            let target = match write.file {
                RegisterFile::Temporary => self.temporaries[lane].get_mut(register),
                RegisterFile::Output => outputs.outputs.get_mut(register),
                RegisterFile::Varying => outputs.varyings.get_mut(register),
                RegisterFile::Depth => {
                    if write.has(0) {
                        outputs.depth = result[0];
                    }
                    None
                }
                _ => None,
            };
            let Some(target) = target else { continue };
            for (at, component) in target.iter_mut().enumerate() {
                if write.has(at) {
                    *component = result[at];
                }
            }
        }
    }

    /// Discards the active lanes for which `kills` is true.
    pub(super) fn kill(&mut self, kills: impl Fn(usize) -> bool) {
        for lane in 0..4 {
            self.outputs[lane].killed |= self.active >> lane & 1 == 1 && kills(lane);
        }
    }
}
