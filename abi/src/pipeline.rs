//! A pipeline's layout: where a driver puts descriptors.
//!
//! Without one, a driver fills addresses and state registers by (set, binding, element): see [`crate::layout`] and
//! [`crate::textures`]. With one, the driver gives the address of each set ([`crate::UniformSource::SetAddress`]) and shaders
//! read descriptors from the set's memory while they run, so that what is bound may change after the driver has written its
//! words, elements may be chosen by each lane, and a binding may hold descriptors of different types. Bindings that the layout
//! calls constant are still bound in registers.

/// How a pipeline lays its descriptors out.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct PipelineLayout {
    /// The sets, in any order.
    pub sets: Vec<SetLayout>,
}

/// How a descriptor set is laid out.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SetLayout {
    /// Its number.
    pub set: u32,
    /// The bindings, in any order.
    pub bindings: Vec<BindingLayout>,
}

/// How a binding is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BindingLayout {
    /// Its number.
    pub binding: u32,
    /// First byte of element 0 in the set.
    pub offset: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// What an element is.
    pub form: DescriptorForm,
    /// Who reads its descriptors.
    pub access: BindingAccess,
    /// The first of its elements' dynamic offsets ([`crate::UniformSource::DynamicOffset`]); buffers only, of which one element
    /// is chosen by a constant.
    pub dynamic_offset: Option<u32>,
}

/// What an element of a binding is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DescriptorForm {
    /// Descriptors, each at its place in the element.
    Descriptors(DescriptorParts),
    /// The contents of a uniform block.
    Inline,
}

/// Where in an element a descriptor of each type stands, in bytes: an element that holds one type at a time may have all of them
/// at the same place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DescriptorParts {
    /// A buffer: 64-bit address, 32-bit size in bytes. A multiple of 8.
    pub buffer: u32,
    /// A texture, as the hardware reads it. A multiple of 8.
    pub texture: u32,
    /// An image, as the hardware stores to it. A multiple of 8.
    pub image: u32,
    /// The 16-bit number of a sampler: of a state register, or in the heap of samplers. A multiple of 2.
    pub sampler: u32,
}

impl DescriptorParts {
    /// A texture, an image and a sampler one after the other; a buffer in place of the texture.
    pub const ALL: DescriptorParts = DescriptorParts { buffer: 0, texture: 0, image: 24, sampler: 48 };

    /// Bytes of an element with [`DescriptorParts::ALL`], a multiple of 8.
    pub const ALL_BYTES: u32 = 56;
}

/// Who reads the descriptors of a binding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum BindingAccess {
    /// The driver, before the program starts: nothing changes afterwards, and elements chosen at run time are in tables.
    Constant,
    /// The program. Every descriptor that it names by a constant is valid, whether it is reached or not.
    #[default]
    Memory,
    /// The program, and descriptors that are not reached may be anything.
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
    /// A layout in which every binding, with its number of elements, has all descriptors in memory, one binding after the other.
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
    /// The same with descriptors that the driver reads.
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
