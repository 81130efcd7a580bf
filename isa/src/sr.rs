//! Special registers, by their numbers in `mfsr` (applegpu, Mesa 25.0, AGX2.xml).

use crate::desc::OrderClass;
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
    /// Whether the lanes of a SIMD-group read the same value.
    pub sharing: Sharing,
    /// Remarks.
    pub doc: &'static str,
}

macro_rules! special_registers {
    ($($id:ident = $number:literal $name:literal $order:ident $sharing:ident $doc:literal;)*) => {
        /// Every special register of known meaning, by number.
        pub static SPECIAL_REGISTERS: &[SpecialRegister] = &[$(SpecialRegister {
            number: $number,
            name: $name,
            order: OrderClass::$order,
            sharing: Sharing::$sharing,
            doc: $doc,
        }),*];

        impl Sr {
            $(#[doc = concat!("`", $name, "`.")] pub const $id: Sr = Sr($number);)*
        }
    };
}

// number, name, order, sharing, remark
#[rustfmt::skip]
special_registers! {
    GROUP_X = 0 "threadgroup_position_in_grid.x" None Uniform "";
    GROUP_Y = 1 "threadgroup_position_in_grid.y" None Uniform "";
    GROUP_Z = 2 "threadgroup_position_in_grid.z" None UniformInCompute "layer in fragment programs (Mesa)";
    GROUP_SIZE_X = 4 "threads_per_threadgroup.x" None Uniform "";
    GROUP_SIZE_Y = 5 "threads_per_threadgroup.y" None Uniform "";
    GROUP_SIZE_Z = 6 "threads_per_threadgroup.z" None Uniform "";
    DISPATCH_SIZE_X = 8 "dispatch_threads_per_threadgroup.x" None Uniform "";
    DISPATCH_SIZE_Y = 9 "dispatch_threads_per_threadgroup.y" None Uniform "";
    DISPATCH_SIZE_Z = 10 "dispatch_threads_per_threadgroup.z" None Uniform "";
    GROUP_WIDTH = 12 "threadgroup_width" None Uniform "AGX2.xml only";
    GROUP_HEIGHT = 13 "threadgroup_height" None Uniform "AGX2.xml only";
    SAMPLES_LOG2 = 14 "samples_log2" None Uniform "Mesa and AGX2.xml";
    CORE = 20 "core_index" None Uniform "";
    SLOT = 21 "vm_slot" None Uniform "";
    THREAD_IN_GROUP_X = 48 "thread_position_in_threadgroup.x" None Divergent "";
    THREAD_IN_GROUP_Y = 49 "thread_position_in_threadgroup.y" None Divergent "";
    THREAD_IN_GROUP_Z = 50 "thread_position_in_threadgroup.z" None Divergent "";
    THREAD_INDEX = 51 "thread_index_in_threadgroup" None Divergent "";
    LANE = 52 "thread_index_in_simdgroup" None Divergent "the lane";
    SIMD_GROUP = 53 "simdgroup_index_in_threadgroup" None Uniform "";
    ACTIVE_INDEX_IN_QUAD = 56 "active_thread_index_in_quad" Coverage Divergent "";
    ACTIVE_COUNT_IN_QUAD = 57 "total_active_threads_in_quad" Coverage Divergent "Mesa and AGX2.xml";
    ACTIVE_INDEX = 58 "active_thread_index_in_simdgroup" Coverage Divergent "";
    ACTIVE_COUNT = 59 "total_active_threads_in_simdgroup" Coverage Divergent "Mesa and AGX2.xml";
    COVERAGE = 60 "coverage_mask" Coverage Divergent "";
    BACK_FACING = 62 "backfacing" None Divergent "front-facing is the inverse";
    IS_ACTIVE = 63 "is_active_thread" Coverage Divergent "0 in helper lanes";
    THREAD_X = 80 "thread_position_in_grid.x" None Divergent "pixel x in fragment programs, 16 bits";
    THREAD_Y = 81 "thread_position_in_grid.y" None Divergent "pixel y in fragment programs, 16 bits";
    THREAD_Z = 82 "thread_position_in_grid.z" None Divergent "";
    SAMPLE_MASK = 124 "input_sample_mask" None Divergent "";
    HELPER_OP = 144 "helper_op" Barrier Divergent "scratch helper program";
    HELPER_ARGUMENT_LOW = 146 "helper_arg_low" Barrier Divergent "scratch helper program";
    HELPER_ARGUMENT_HIGH = 147 "helper_arg_high" Barrier Divergent "scratch helper program";
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
