//! Descriptors that the program itself reads from the memory of a set, as the pipeline's layout describes.

use agx_abi::UniformSource;
use agx_abi::pipeline::{BindingAccess, BindingLayout, DescriptorForm, DescriptorParts};

use super::Kit;
use crate::ir::{Access, Arithmetic, Build, IrOp, Src, Type};

/// A descriptor of a set, or one of an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    /// Descriptor set.
    pub set: u32,
    /// Binding within the set.
    pub binding: u32,
    /// Constant part of the element's number.
    pub fixed: u32,
    /// Computed part, 32 bits.
    pub index: Option<Src>,
}

/// The location of a descriptor in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Address of the set.
    pub base: Src,
    /// Byte offset of the element, 32 bits.
    pub element: Src,
    /// The layout of the binding.
    pub layout: BindingLayout,
}

impl Place {
    /// The positions of the descriptors within the element; `None` for inline contents.
    pub fn parts(&self) -> Option<DescriptorParts> {
        match self.layout.form {
            DescriptorForm::Descriptors(parts) => Some(parts),
            DescriptorForm::Inline => None,
        }
    }

    /// Loads `words` 32-bit words, or one 16-bit word, from a byte offset in the element.
    pub fn load(&self, kit: &mut Kit<'_, '_>, at: u32, ty: Type) -> Src {
        let offset = kit.b.iadd(self.element, Src::imm32(at));
        let mut access = Access::READONLY;
        let is_valid = self.layout.access == BindingAccess::Memory && self.element.as_imm().is_some();
        access.set(Access::SPECULATABLE, is_valid);
        let align = if ty.bits == 16 { 2 } else { 4 << u32::from(at.is_multiple_of(8) && ty.comps > 1) };
        Src::value(kit.b.value(IrOp::LoadGlobal, ty, &[self.base, offset], &[access.bits(), align]))
    }
}

/// The location of a descriptor; `None` if the driver binds it.
pub(crate) fn place(kit: &mut Kit<'_, '_>, element: Element) -> Option<Place> {
    let Element { set, binding, fixed, index } = element;
    let layout = *kit.bindings.in_memory(set, binding)?;
    let start = Src::imm32(layout.offset.wrapping_add(fixed.wrapping_mul(layout.stride)));
    let element = match index {
        None => start,
        Some(index) => {
            let scaled = kit.b.imul(index, Src::imm32(layout.stride));
            kit.b.iadd(scaled, start)
        }
    };
    let base = kit.uniforms.get(UniformSource::SetAddress { set }, 0, 64);
    Some(Place { base, element, layout })
}
