//! Pipeline layouts: where a driver places descriptors.
//!
//! Without a layout, a driver fills addresses and state registers by (set, binding, element): see
//! [`crate::layout`] and [`crate::textures`]. With a layout, the driver provides the address of each set
//! ([`crate::UniformSource::SetAddress`]) and shaders read descriptors from the set's memory at run time.
//! Bindings may then change after the driver has written its words, elements may be selected per lane, and a
//! binding may hold descriptors of different types. Bindings that the layout declares constant are still
//! bound in registers.

/// The descriptor layout of a pipeline.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct PipelineLayout {
    /// The sets, in any order.
    pub sets: Vec<SetLayout>,
}

/// The layout of a descriptor set.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SetLayout {
    /// Its number.
    pub set: u32,
    /// The bindings, in any order.
    pub bindings: Vec<BindingLayout>,
}

/// The layout of a binding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BindingLayout {
    /// Its number.
    pub binding: u32,
    /// Byte offset of element 0 in the set.
    pub offset: u32,
    /// Distance between elements in bytes.
    pub stride: u32,
    /// The form of an element.
    pub form: DescriptorForm,
    /// How its descriptors are accessed.
    pub access: BindingAccess,
    /// Number of the first of its elements' dynamic offsets ([`crate::UniformSource::DynamicOffset`]); only
    /// for buffers with an element selected by a constant.
    pub dynamic_offset: Option<u32>,
}

/// The form of a binding's element in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DescriptorForm {
    /// Descriptors, each at its offset in the element.
    Descriptors(DescriptorParts),
    /// The contents of a uniform block.
    Inline,
}

/// Byte offsets of the descriptors of each type in an element: if an element holds one type at a time, all
/// may be at the same offset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DescriptorParts {
    /// A buffer: 64-bit address, 32-bit size in bytes. A multiple of 8.
    pub buffer: u32,
    /// A texture, as the hardware reads it. A multiple of 8.
    pub texture: u32,
    /// An image, as the hardware stores to it. A multiple of 8.
    pub image: u32,
    /// The 16-bit number of a sampler: of a state register, or in the sampler heap. A multiple of 2.
    pub sampler: u32,
}

impl DescriptorParts {
    /// A texture, an image and a sampler in sequence; a buffer takes the position of the texture.
    pub const ALL: DescriptorParts = DescriptorParts { buffer: 0, texture: 0, image: 24, sampler: 48 };

    /// Size of an element with [`DescriptorParts::ALL`], a multiple of 8.
    pub const ALL_BYTES: u32 = 56;
}

/// How the descriptors of a binding are accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum BindingAccess {
    /// By the driver, before the program starts: they do not change afterwards, and elements selected at run
    /// time are in tables.
    Constant,
    /// By the program. Every descriptor with a constant index must be valid, whether it is used or not.
    #[default]
    Memory,
    /// By the program; descriptors that are not used may be invalid.
    PartiallyBound,
}

impl PipelineLayout {
    /// The layout of a binding.
    pub fn binding(&self, set: u32, binding: u32) -> Option<&BindingLayout> {
        let sets = self.sets.iter().filter(|known| known.set == set);
        sets.flat_map(|known| &known.bindings).find(|known| known.binding == binding)
    }
}

impl SetLayout {
    /// A layout in which every binding, with its number of elements, has all descriptors in memory, with
    /// consecutive bindings.
    pub fn of_descriptors(set: u32, bindings: impl IntoIterator<Item = (u32, u32)>) -> SetLayout {
        let mut next = 0;
        let bindings = bindings.into_iter().map(|(binding, elements)| {
            let offset = next;
            next += DescriptorParts::ALL_BYTES * elements;
            BindingLayout {
                binding,
                offset,
                stride: DescriptorParts::ALL_BYTES,
                form: DescriptorForm::Descriptors(DescriptorParts::ALL),
                access: BindingAccess::Memory,
                dynamic_offset: None,
            }
        });
        SetLayout { set, bindings: bindings.collect() }
    }
}

impl BindingLayout {
    /// The same binding with descriptors read by the driver.
    pub fn constant(self) -> BindingLayout {
        BindingLayout { access: BindingAccess::Constant, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_of_descriptors_follow_each_other() {
        let layout = PipelineLayout { sets: vec![SetLayout::of_descriptors(2, [(3, 1), (0, 4), (7, 1)])] };
        let offset = |binding| layout.binding(2, binding).map(|found| found.offset);
        assert_eq!([offset(3), offset(0), offset(7), offset(1)], [Some(0), Some(56), Some(280), None]);
        assert_eq!(layout.binding(0, 3), None);
    }
}
