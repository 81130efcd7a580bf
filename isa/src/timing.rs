//! Cycle estimates: Mesa 25.0's "crude model" of the M1, which its statistics are made of.
//!
//! Operations without a unit (memory, textures, tile, control flow, conversions, bit counts, derivatives) count as
//! nothing, as they do there.

use crate::desc::Unit;
use crate::inst::Inst;

/// What one instruction costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    /// Executing unit.
    pub unit: Unit,
    /// Cycles until the result can be used.
    pub latency: u8,
    /// Cycles the unit is busy.
    pub throughput: u8,
}

/// What a jump costs, in cycles, when one decides whether to skip code with one.
pub const JUMP_CYCLES: u32 = 19;

/// The cost of an instruction.
pub fn cost(inst: &Inst) -> Cost {
    let desc = inst.op.desc();
    let variant = desc.variant.filter(|variant| inst.modifier(variant.modifier) == variant.value);
    Cost {
        unit: desc.unit,
        latency: variant.map_or(desc.latency, |variant| variant.latency),
        throughput: variant.map_or(desc.throughput, |variant| variant.throughput),
    }
}

/// Cycles of a program, by pipe.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cycles {
    /// Float, select, compare, integer and bitwise pipes together.
    pub fscib: u32,
    /// Integer multiply, shift and complex pipe.
    pub ic: u32,
}

impl Cycles {
    /// Counts an instruction. The complex pipe runs at half rate and takes an issue slot of the others.
    pub fn add(&mut self, inst: &Inst) {
        let cost = cost(inst);
        match cost.unit {
            Unit::None => {}
            Unit::Ic => {
                self.ic += 2 * u32::from(cost.throughput);
                self.fscib += 1;
            }
            Unit::F32 | Unit::F16 | Unit::Scib => self.fscib += u32::from(cost.throughput),
        }
    }

    /// Cycles of the busier pipe.
    pub fn alu(self) -> u32 {
        self.fscib.max(self.ic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::parse_inst;

    #[test]
    fn cycles_follow_the_model() {
        let mut cycles = Cycles::default();
        for text in ["fadd r0, r1, r2", "mfsr r0, sr80", "rcp r0, r1", "load.i32.x r0, u0_u1, 0", "stop"] {
            cycles.add(&parse_inst(text).unwrap());
        }
        assert_eq!(cycles, Cycles { fscib: 4, ic: 6 });
        assert_eq!(cycles.alu(), 6);
        assert_eq!(cost(&parse_inst("simd_reduce.iadd.prefix r0, r1").unwrap()).latency, 18);
        assert_eq!(cost(&parse_inst("simd_reduce.iadd r0, r1").unwrap()).latency, 24);
    }
}
