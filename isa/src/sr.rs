//! Special registers, as `mfsr` numbers them (applegpu, Mesa 25.0, AGX2.xml).

use crate::desc::OrderClass;

/// A special register whose meaning is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpecialRegister {
    /// Number.
    pub number: u8,
    /// Name in assembly.
    pub name: &'static str,
    /// The chain reads stay in order with.
    pub order: OrderClass,
    /// Remarks.
    pub doc: &'static str,
}

const fn sr(number: u8, name: &'static str, doc: &'static str) -> SpecialRegister {
    SpecialRegister { number, name, order: OrderClass::None, doc }
}

const fn ordered(number: u8, name: &'static str, order: OrderClass, doc: &'static str) -> SpecialRegister {
    SpecialRegister { number, name, order, doc }
}

/// Every special register whose meaning is known, by number.
pub static SPECIAL_REGISTERS: &[SpecialRegister] = &[
    sr(0, "threadgroup_position_in_grid.x", ""),
    sr(1, "threadgroup_position_in_grid.y", ""),
    sr(2, "threadgroup_position_in_grid.z", "layer in fragment programs (Mesa)"),
    sr(4, "threads_per_threadgroup.x", ""),
    sr(5, "threads_per_threadgroup.y", ""),
    sr(6, "threads_per_threadgroup.z", ""),
    sr(8, "dispatch_threads_per_threadgroup.x", ""),
    sr(9, "dispatch_threads_per_threadgroup.y", ""),
    sr(10, "dispatch_threads_per_threadgroup.z", ""),
    sr(12, "threadgroup_width", "AGX2.xml only"),
    sr(13, "threadgroup_height", "AGX2.xml only"),
    sr(14, "samples_log2", "Mesa and AGX2.xml"),
    sr(20, "core_index", ""),
    sr(21, "vm_slot", ""),
    sr(48, "thread_position_in_threadgroup.x", ""),
    sr(49, "thread_position_in_threadgroup.y", ""),
    sr(50, "thread_position_in_threadgroup.z", ""),
    sr(51, "thread_index_in_threadgroup", ""),
    sr(52, "thread_index_in_simdgroup", "the lane"),
    sr(53, "simdgroup_index_in_threadgroup", ""),
    ordered(56, "active_thread_index_in_quad", OrderClass::Coverage, ""),
    ordered(57, "total_active_threads_in_quad", OrderClass::Coverage, "Mesa and AGX2.xml"),
    ordered(58, "active_thread_index_in_simdgroup", OrderClass::Coverage, ""),
    ordered(59, "total_active_threads_in_simdgroup", OrderClass::Coverage, "Mesa and AGX2.xml"),
    ordered(60, "coverage_mask", OrderClass::Coverage, ""),
    sr(62, "backfacing", "front-facing is the inverse"),
    ordered(63, "is_active_thread", OrderClass::Coverage, "0 in helper lanes"),
    sr(80, "thread_position_in_grid.x", "pixel x in fragment programs, 16 bits"),
    sr(81, "thread_position_in_grid.y", "pixel y in fragment programs, 16 bits"),
    sr(82, "thread_position_in_grid.z", ""),
    sr(124, "input_sample_mask", ""),
    ordered(144, "helper_op", OrderClass::Barrier, "scratch helper program"),
    ordered(146, "helper_arg_low", OrderClass::Barrier, "scratch helper program"),
    ordered(147, "helper_arg_high", OrderClass::Barrier, "scratch helper program"),
];

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
    fn numbers_rise_and_names_lead_back() {
        assert!(SPECIAL_REGISTERS.is_sorted_by(|a, b| a.number < b.number));
        for register in SPECIAL_REGISTERS {
            assert_eq!(by_name(register.name), Some(register));
            assert_eq!(by_number(register.number.into()), Some(register));
        }
    }
}
