//! Texture and sampler state registers.

use agx_abi::{DescriptorKind, SamplerBinding, TextureBinding};

use super::{Assembler, Bound, Direct, Register, State, unbound};
use crate::Error;
use crate::sampler::{self, Sampler};

impl Assembler<'_> {
    /// Address of a texture or image descriptor.
    pub(super) fn texture(&mut self, texture: &TextureBinding) -> Result<u64, Error> {
        match self.state.bound(texture.set)? {
            Bound::Set(bound, _) => {
                let binding = State::binding(bound, texture.binding)?;
                Ok(bound.address() + binding.texture(texture.element, texture.kind))
            }
            Bound::Direct(list) => match list.get(texture.binding as usize) {
                Some(Direct::Texture([loaded, stored])) => {
                    let shown = if texture.kind == DescriptorKind::Image { stored } else { loaded };
                    self.upload.put(shown, 16)
                }
                _ => Err(unbound(texture.set)),
            },
        }
    }

    fn sampler(&self, set: u32, number: u32, element: u32) -> Result<Register, Error> {
        match self.state.bound(set)? {
            Bound::Set(bound, _) => {
                let record = State::binding(bound, number)?.sampler(element);
                Ok(Register::At(bound.address() + record))
            }
            Bound::Direct(list) => match list.get(number as usize) {
                Some(Direct::Sampler(sampler)) => Ok(Register::Known(sampler.descriptor)),
                _ => Err(unbound(set)),
            },
        }
    }

    /// A sampler for a texture. A border colour without a format is encoded for the texture that is currently in the
    /// set.
    fn paired(&self, sampler: (u32, u32, u32), texture: (u32, u32, u32)) -> Result<Register, Error> {
        if let (Bound::Set(samplers, _), Bound::Set(textures, _)) =
            (self.state.bound(sampler.0)?, self.state.bound(texture.0)?)
        {
            let known = samplers.sampler(State::binding(samplers, sampler.1)?, sampler.2);
            if known.colour.is_some() {
                let format = textures.format(State::binding(textures, texture.1)?, texture.2);
                return Ok(Register::Known(known.of_format(format).descriptor));
            }
        }
        self.sampler(sampler.0, sampler.1, sampler.2)
    }

    /// Address of the contents of a sampler state register.
    pub(super) fn sampler_state(&mut self, sampler: &SamplerBinding) -> Result<u64, Error> {
        let register = match *sampler {
            SamplerBinding::Bound { set, binding, element } => self.sampler(set, binding, element)?,
            SamplerBinding::Paired {
                set,
                binding,
                element,
                texture_set,
                texture_binding,
                texture_element,
            } => {
                let texture = (texture_set, texture_binding, texture_element);
                self.paired((set, binding, element), texture)?
            }
            SamplerBinding::Loads => Register::Known(Sampler::loads().descriptor),
        };
        match register {
            Register::At(address) => Ok(address),
            Register::Known(descriptor) => self.upload.put(&descriptor, 16),
        }
    }

    /// Address of the numbers of samplers, [`agx_abi::textures::NUMBER_STRIDE`] bytes apart, which are stored in the
    /// set next to the samplers.
    pub(super) fn sampler_table(&self, set: u32, number: u32) -> Result<u64, Error> {
        let Bound::Set(bound, _) = self.state.bound(set)? else { return Err(unbound(set)) };
        Ok(bound.address() + State::binding(bound, number)?.sampler(0) + sampler::NUMBER)
    }
}
