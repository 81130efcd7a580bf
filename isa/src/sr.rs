//! Special registers, by their numbers in `mfsr` (applegpu, Mesa 25.0, AGX2.xml).

use crate::desc::{Effects, OrderClass};
use crate::table::names::Value;

/// A special register, by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sr(pub u8);

/// Whether the lanes of a SIMD-group read the same value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// They read the same value.
    Uniform,
    /// They read the same value in compute programs.
    UniformInCompute,
    /// They may read different values.
    Divergent,
}

/// A special register of known meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpecialRegister {
    /// Number.
    pub number: u8,
    /// Name in assembly.
    pub name: &'static str,
    /// The order chain of reads.
    pub order: OrderClass,
    /// The effects of reads: what the value depends on besides the lane.
    pub effects: Effects,
    /// Whether the lanes of a SIMD-group read the same value.
    pub sharing: Sharing,
    /// Remarks.
    pub doc: &'static str,
}

macro_rules! special_registers {
    ($($id:ident = $number:literal $name:literal $order:ident $($effects:ident)|+ $sharing:ident $doc:literal;)*) => {
        /// Every special register of known meaning, by number.
        pub static SPECIAL_REGISTERS: &[SpecialRegister] = &[$(SpecialRegister {
            number: $number,
            name: $name,
            order: OrderClass::$order,
            effects: special_registers!(@effects $($effects)|+),
            sharing: Sharing::$sharing,
            doc: $doc,
        }),*];

        impl Sr {
            $(#[doc = concat!("`", $name, "`.")] pub const $id: Sr = Sr($number);)*
        }
    };
    (@effects PURE) => { Effects::empty() };
    (@effects $first:ident $(| $more:ident)*) => { Effects::$first$(.union(Effects::$more))* };
}

// number, name, order, effects, sharing, remark
#[rustfmt::skip]
special_registers! {
    GROUP_X = 0 "threadgroup_position_in_grid.x" None PURE Uniform "";
    GROUP_Y = 1 "threadgroup_position_in_grid.y" None PURE Uniform "";
    GROUP_Z = 2 "threadgroup_position_in_grid.z" None PURE UniformInCompute "layer in fragment programs (Mesa)";
    GROUP_SIZE_X = 4 "threads_per_threadgroup.x" None PURE Uniform "";
    GROUP_SIZE_Y = 5 "threads_per_threadgroup.y" None PURE Uniform "";
    GROUP_SIZE_Z = 6 "threads_per_threadgroup.z" None PURE Uniform "";
    DISPATCH_SIZE_X = 8 "dispatch_threads_per_threadgroup.x" None PURE Uniform "";
    DISPATCH_SIZE_Y = 9 "dispatch_threads_per_threadgroup.y" None PURE Uniform "";
    DISPATCH_SIZE_Z = 10 "dispatch_threads_per_threadgroup.z" None PURE Uniform "";
    GROUP_WIDTH = 12 "threadgroup_width" None PURE Uniform "AGX2.xml only";
    GROUP_HEIGHT = 13 "threadgroup_height" None PURE Uniform "AGX2.xml only";
    SAMPLES_LOG2 = 14 "samples_log2" None PURE Uniform "Mesa and AGX2.xml";
    CORE = 20 "core_index" None PURE Uniform "";
    SLOT = 21 "vm_slot" None PURE Uniform "";
    THREAD_IN_GROUP_X = 48 "thread_position_in_threadgroup.x" None PURE Divergent "";
    THREAD_IN_GROUP_Y = 49 "thread_position_in_threadgroup.y" None PURE Divergent "";
    THREAD_IN_GROUP_Z = 50 "thread_position_in_threadgroup.z" None PURE Divergent "";
    THREAD_INDEX = 51 "thread_index_in_threadgroup" None PURE Divergent "";
    LANE = 52 "thread_index_in_simdgroup" None PURE Divergent "the lane";
    SIMD_GROUP = 53 "simdgroup_index_in_threadgroup" None PURE Uniform "";
    ACTIVE_INDEX_IN_QUAD = 56 "active_thread_index_in_quad" Coverage CROSS_LANE | READS_COVERAGE Divergent "";
    ACTIVE_COUNT_IN_QUAD = 57 "total_active_threads_in_quad" Coverage CROSS_LANE | READS_COVERAGE Divergent "Mesa and AGX2.xml";
    ACTIVE_INDEX = 58 "active_thread_index_in_simdgroup" Coverage CROSS_LANE | READS_COVERAGE Divergent "";
    ACTIVE_COUNT = 59 "total_active_threads_in_simdgroup" Coverage CROSS_LANE | READS_COVERAGE Divergent "Mesa and AGX2.xml";
    COVERAGE = 60 "coverage_mask" Coverage READS_COVERAGE Divergent "";
    BACK_FACING = 62 "backfacing" None PURE Divergent "front-facing is the inverse";
    IS_ACTIVE = 63 "is_active_thread" Coverage READS_COVERAGE Divergent "0 in helper lanes";
    THREAD_X = 80 "thread_position_in_grid.x" None PURE Divergent "pixel x in fragment programs, 16 bits";
    THREAD_Y = 81 "thread_position_in_grid.y" None PURE Divergent "pixel y in fragment programs, 16 bits";
    THREAD_Z = 82 "thread_position_in_grid.z" None PURE Divergent "";
    SAMPLE_MASK = 124 "input_sample_mask" None PURE Divergent "";
    HELPER_OP = 144 "helper_op" Barrier PURE Divergent "scratch helper program";
    HELPER_ARGUMENT_LOW = 146 "helper_arg_low" Barrier PURE Divergent "scratch helper program";
    HELPER_ARGUMENT_HIGH = 147 "helper_arg_high" Barrier PURE Divergent "scratch helper program";
}

impl Sr {
    /// The register for another axis of a position or size; 0 is the same axis.
    pub const fn axis(self, axis: u8) -> Sr {
        Sr(self.0 + axis)
    }
}

impl Value for Sr {
    fn code(self) -> u32 {
        self.0.into()
    }

    fn from_code(code: u32) -> Sr {
        Sr(u8::try_from(code).unwrap_or(u8::MAX))
    }
}

/// The register with this number.
pub fn by_number(number: u32) -> Option<&'static SpecialRegister> {
    SPECIAL_REGISTERS.iter().find(|register| u32::from(register.number) == number)
}

/// The register with this name.
pub fn by_name(name: &str) -> Option<&'static SpecialRegister> {
    SPECIAL_REGISTERS.iter().find(|register| register.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend_and_names_round_trip() {
        assert!(SPECIAL_REGISTERS.is_sorted_by(|a, b| a.number < b.number));
        for register in SPECIAL_REGISTERS {
            assert_eq!(by_name(register.name), Some(register));
            assert_eq!(by_number(register.number.into()), Some(register));
        }
    }
}
