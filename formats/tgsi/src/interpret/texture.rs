//! Texture operations: the position of a lookup's parts in the operands, for each opcode and target.

use super::{At, Level, Lookup, Machine, Operation, Vector};
use crate::model::Instruction;
use crate::names::{File, Target};
use crate::opcode::{Class, Opcode};
use crate::validate::view_target;

fn floats(vector: Vector) -> [f32; 3] {
    [vector[0], vector[1], vector[2]].map(f32::from_bits)
}

impl Machine<'_, '_> {
    /// Executes TEX, SAMPLE and similar instructions.
    pub(super) fn texture(&mut self, instruction: &Instruction, active: &[usize]) {
        for lane in active.iter().copied() {
            let value = match instruction.opcode {
                Opcode::SamplePos => [0.5f32.to_bits(), 0.5f32.to_bits(), 0, 0],
                Opcode::SampleInfo if !self.reads_view(instruction) => [1, 0, 0, 0],
                _ => self.lookup(lane, instruction),
            };
            self.store(lane, instruction, 0, value);
        }
    }

    fn reads_view(&self, instruction: &Instruction) -> bool {
        instruction.srcs.first().is_some_and(|src| src.file == File::SamplerView)
    }

    fn lookup(&mut self, lane: usize, instruction: &Instruction) -> Vector {
        let offsets: Vec<[i32; 3]> = self.offsets(lane, instruction);
        let mut lookup = match instruction.opcode.info().class {
            Class::Texture => self.sampler_lookup(lane, instruction),
            _ => self.view_lookup(lane, instruction),
        };
        lookup.offset = offsets.first().copied().unwrap_or_default();
        if lookup.operation == Operation::Sample {
            // The rounding of coordinates to texels depends on the precision.
            for part in &mut lookup.coordinates {
                let exact = f32::from_bits(*part);
                *part = (self.rounding)(instruction.opcode, exact, exact).to_bits();
            }
        }
        let mut value = self.world.texture(lane, &lookup);
        if let (Operation::Gather(_), 4) = (lookup.operation, offsets.len()) {
            // With four offsets, each result is the lower left texel of a separate lookup.
            for (result, offset) in value.iter_mut().zip(offsets) {
                *result = self.world.texture(lane, &Lookup { offset, ..lookup })[3];
            }
        }
        if instruction.opcode == Opcode::SampleInfo {
            value = [value[0], 0, 0, 0];
        }
        let swizzled = instruction.srcs.iter().find(|src| src.file == File::SamplerView);
        let keeps =
            matches!(lookup.operation, Operation::Size | Operation::Gather(_) | Operation::LevelOfDetail);
        match swizzled.filter(|_| !keeps) {
            Some(view) => view.swizzle.map(|component| value[usize::from(component)]),
            None => value,
        }
    }

    fn offsets(&self, lane: usize, instruction: &Instruction) -> Vec<[i32; 3]> {
        let offsets = instruction.texture.iter().flat_map(|texture| &texture.offsets);
        let read = |offset: &crate::model::Offset| {
            let src = crate::model::Src {
                file: offset.file,
                dimension: None,
                index: crate::model::Index::fixed(offset.index),
                swizzle: [offset.swizzle[0], offset.swizzle[1], offset.swizzle[2], 0],
                negate: false,
                absolute: false,
                place: instruction.place,
            };
            let value = self.fetch_plain(lane, &src);
            [value[0] as i32, value[1] as i32, value[2] as i32]
        };
        offsets.map(read).collect()
    }

    fn fetch_plain(&self, lane: usize, src: &crate::model::Src) -> Vector {
        let move_ = Instruction {
            opcode: Opcode::Mov,
            label: None,
            predicate: None,
            saturate: crate::model::Saturate::No,
            is_precise: false,
            dsts: Vec::new(),
            srcs: vec![*src],
            texture: None,
            memory: None,
            target: None,
            place: src.place,
        };
        self.fetch(lane, &move_, 0)
    }

    /// The number of a sampler: that of its register, or its handle.
    fn unit(&self, lane: usize, instruction: &Instruction, number: usize) -> u32 {
        let Some(src) = instruction.srcs.get(number) else { return 0 };
        match src.file {
            File::Sampler | File::SamplerView | File::Resource => {
                u32::try_from(self.index(lane, src.index)).unwrap_or(u32::MAX)
            }
            _ => self.fetch_plain(lane, src)[0],
        }
    }

    /// The derivatives of a source by column and row, from the other fragments of the quad.
    fn derivatives(
        &self,
        lane: usize,
        instruction: &Instruction,
        number: usize,
        divide: bool,
    ) -> [[f32; 3]; 2] {
        if self.lanes.len() < 4 || self.shader.processor != crate::names::Processor::Fragment {
            return [[0.0; 3]; 2];
        }
        let quad = lane & !3;
        let value = |lane: usize| {
            let fetched = self.fetch(lane, instruction, number);
            let w = f32::from_bits(fetched[3]);
            floats(fetched).map(|part| if divide { part / w } else { part })
        };
        let minus = |a: [f32; 3], b: [f32; 3]| std::array::from_fn(|at| a[at] - b[at]);
        let x = minus(value(lane | 1), value(lane & !1));
        let y = minus(value(quad | 2 | lane & 1), value(quad | lane & 1));
        [x, y]
    }

    fn sampler_lookup(&mut self, lane: usize, instruction: &Instruction) -> Lookup {
        use Opcode::{Lodq, Tex2, TexLz, Tg4, Txb, Txb2, Txd, Txf, TxfLz, Txl, Txl2, Txp, Txq, Txqs};
        let opcode = instruction.opcode;
        let target = instruction.texture.as_ref().map_or(Target::Unknown, |texture| texture.target);
        let [mut coordinates, b, c] = [0, 1, 2].map(|number| self.fetch(lane, instruction, number));
        let is_projected = opcode == Txp;
        let [x, y] = self.derivatives(lane, instruction, 0, is_projected);
        if is_projected {
            let w = f32::from_bits(coordinates[3]);
            for part in &mut coordinates[..3] {
                *part = (f32::from_bits(*part) / w).to_bits();
            }
        }
        let implicit = |bias: u32| Level::Derivatives { x, y, bias: f32::from_bits(bias) };
        let level = match opcode {
            TexLz => Level::Explicit(0.0),
            Txb => implicit(coordinates[3]),
            Txb2 => implicit(b[0]),
            Txl => Level::Explicit(f32::from_bits(coordinates[3])),
            Txl2 => Level::Explicit(f32::from_bits(b[0])),
            Txd => Level::Derivatives { x: floats(b), y: floats(c), bias: 0.0 },
            Txf if has_no_levels(target) => Level::Number(0),
            Txf => Level::Number(coordinates[3]),
            TxfLz | Txqs => Level::Number(0),
            Txq => Level::Number(if has_no_levels(target) { 0 } else { coordinates[0] }),
            _ => implicit(0),
        };
        let operation = match opcode {
            Txf | TxfLz => Operation::Fetch,
            Txq => Operation::Size,
            Txqs => Operation::Samples,
            Lodq => Operation::LevelOfDetail,
            Tg4 => Operation::Gather(self.gather_component(instruction, target, b[0])),
            _ => Operation::Sample,
        };
        let reference = match (opcode, target) {
            (Lodq | Txq | Txqs, _) => None,
            (Tex2 | Tg4, Target::ShadowCubeArray) => Some(b[0]),
            (Txb2 | Txl2, Target::ShadowCubeArray) => Some(b[1]),
            _ => target.reference_component().map(|component| coordinates[usize::from(component)]),
        };
        let unit = self.unit(lane, instruction, instruction.srcs.len().saturating_sub(1));
        let reference = reference.map(f32::from_bits);
        Lookup { operation, target, view: unit, sampler: unit, coordinates, reference, level, offset: [0; 3] }
    }

    /// The component that TG4 gathers, from an operand or from the swizzle of the sampler.
    fn gather_component(&self, instruction: &Instruction, target: Target, operand: u32) -> u8 {
        match instruction.srcs.as_slice() {
            _ if target.is_shadow() => 0,
            [_, sampler] => sampler.swizzle[0],
            _ => (operand & 3) as u8,
        }
    }

    fn view_lookup(&mut self, lane: usize, instruction: &Instruction) -> Lookup {
        use Opcode::{
            Gather4, Lod, SampleB, SampleC, SampleCLz, SampleD, SampleI, SampleIMs, SampleInfo, SampleL,
            Sviewinfo,
        };
        let opcode = instruction.opcode;
        let coordinates = self.fetch(lane, instruction, 0);
        let [c, e, f] = [2, 3, 4].map(|number| self.fetch(lane, instruction, number));
        let view = self.unit(lane, instruction, if opcode == SampleInfo { 0 } else { 1 });
        let sampler = self.unit(lane, instruction, 2);
        let mut target = view_target(self.shader, view).unwrap_or(Target::Two);
        if matches!(opcode, SampleC | SampleCLz) {
            target = shadow(target);
        }
        let [x, y] = self.derivatives(lane, instruction, 0, false);
        let level = match opcode {
            SampleB => Level::Derivatives { x, y, bias: f32::from_bits(e[0]) },
            SampleD => Level::Derivatives { x: floats(e), y: floats(f), bias: 0.0 },
            SampleL => Level::Explicit(f32::from_bits(e[0])),
            SampleCLz => Level::Explicit(0.0),
            SampleI if has_no_levels(target) => Level::Number(0),
            SampleI => Level::Number(coordinates[3]),
            SampleIMs => Level::Number(c[0]),
            Sviewinfo => Level::Number(coordinates[0]),
            SampleInfo => Level::Number(0),
            _ => Level::Derivatives { x, y, bias: 0.0 },
        };
        let operation = match opcode {
            SampleI | SampleIMs => Operation::Fetch,
            Gather4 => Operation::Gather(instruction.srcs.get(2).map_or(0, |sampler| sampler.swizzle[0])),
            Sviewinfo => Operation::Size,
            SampleInfo => Operation::Samples,
            Lod => Operation::LevelOfDetail,
            _ => Operation::Sample,
        };
        let reference = matches!(opcode, SampleC | SampleCLz).then(|| f32::from_bits(e[0]));
        Lookup { operation, target, view, sampler, coordinates, reference, level, offset: [0; 3] }
    }

    /// Executes DDX and similar instructions.
    pub(super) fn derivative(&mut self, instruction: &Instruction, active: &[usize]) {
        let values: Vec<Vector> =
            (0..self.lanes.len()).map(|lane| self.fetch(lane, instruction, 0)).collect();
        for lane in active.iter().copied() {
            let quad = lane & !3;
            let (from, to) = match instruction.opcode {
                Opcode::Ddx | Opcode::DdxFine => (lane & !1, lane | 1),
                _ => (quad | lane & 1, quad | 2 | lane & 1),
            };
            let of = |lane: usize| values.get(lane).copied().unwrap_or_default().map(f32::from_bits);
            let (from, to) = (of(from), of(to));
            self.store(lane, instruction, 0, std::array::from_fn(|at| (to[at] - from[at]).to_bits()));
        }
    }

    /// Executes INTERP_* and FBFETCH.
    pub(super) fn interpolate(&mut self, instruction: &Instruction, active: &[usize]) {
        let Some(src) = instruction.srcs.first() else { return };
        for lane in active.iter().copied() {
            let register = self.register_number(lane, src.file, src.index);
            let register = u32::try_from(register).unwrap_or(u32::MAX);
            let b = self.fetch(lane, instruction, 1);
            let value = match instruction.opcode {
                Opcode::Fbfetch => self.world.framebuffer(lane, register),
                Opcode::InterpCentroid => self.world.interpolate(lane, register, At::Centroid),
                Opcode::InterpSample => self.world.interpolate(lane, register, At::Sample(b[0])),
                _ => {
                    let at = At::Offset(f32::from_bits(b[0]), f32::from_bits(b[1]));
                    self.world.interpolate(lane, register, at)
                }
            };
            let value = super::operands::modify(value, src, crate::opcode::Type::Float);
            self.store(lane, instruction, 0, value);
        }
    }
}

/// Whether textures of this kind have a single level, so that there is no operand for it.
fn has_no_levels(target: Target) -> bool {
    matches!(target, Target::Buffer | Target::Rect | Target::ShadowRect)
}

/// The shadow variant of a target.
pub(super) fn shadow(target: Target) -> Target {
    match target {
        Target::One => Target::Shadow1d,
        Target::Two => Target::Shadow2d,
        Target::Rect => Target::ShadowRect,
        Target::OneArray => Target::Shadow1dArray,
        Target::TwoArray => Target::Shadow2dArray,
        Target::Cube => Target::ShadowCube,
        Target::CubeArray => Target::ShadowCubeArray,
        other => other,
    }
}
