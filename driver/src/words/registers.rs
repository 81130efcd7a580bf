//! Texture and sampler state registers.

use agx_abi::{DescriptorKind, SamplerBinding, TextureBinding};

use super::{Assembler, Bound, Direct, Register, State, unbound};
use crate::Error;
use crate::sampler::{self, Sampler};

impl Assembler<'_> {
    /// The descriptor of set 0 for a program of the driver.
    fn direct(&self, set: u32, number: u32) -> Option<&Direct> {
        self.sources.direct.get(number as usize).filter(|_| set == 0)
    }

    /// Address of a texture or image descriptor.
    pub(super) fn texture(&mut self, texture: &TextureBinding) -> Result<u64, Error> {
        if let Some(Direct::Texture([loaded, stored])) = self.direct(texture.set, texture.binding) {
            let shown = if texture.kind == DescriptorKind::Image { *stored } else { *loaded };
            return self.upload.put(&shown, 16);
        }
        let Bound { set, .. } = self.sources.state.bound(texture.set)?;
        let binding = State::binding(set, texture.binding)?;
        Ok(set.address() + binding.texture(texture.element, texture.kind))
    }

    fn sampler(&self, set: u32, number: u32, element: u32) -> Result<Register, Error> {
        if let Some(Direct::Sampler(sampler)) = self.direct(set, number) {
            return Ok(Register::Known(sampler.descriptor));
        }
        let Bound { set, .. } = self.sources.state.bound(set)?;
        Ok(Register::At(set.address() + State::binding(set, number)?.sampler(element)))
    }

    /// A sampler for a texture. A border colour without a format is encoded for the texture that is currently in the
    /// set.
    fn paired(&self, sampler: (u32, u32, u32), texture: (u32, u32, u32)) -> Result<Register, Error> {
        let state = self.sources.state;
        if let (Ok(samplers), Ok(textures)) = (state.bound(sampler.0), state.bound(texture.0)) {
            let known = samplers.set.sampler(State::binding(&samplers.set, sampler.1)?, sampler.2);
            if known.colour.is_some() {
                let format = textures.set.format(State::binding(&textures.set, texture.1)?, texture.2);
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
        let Bound { set, .. } = self.sources.state.bound(set)?;
        Ok(set.address() + State::binding(set, number)?.sampler(0) + sampler::NUMBER)
    }

    /// The level bias of a sampler of a program of the driver.
    pub(super) fn direct_bias(&self, set: u32, number: u32) -> Result<u16, Error> {
        match self.direct(set, number) {
            Some(Direct::Sampler(sampler)) => Ok(sampler.bias),
            _ => Err(unbound(set)),
        }
    }

    /// Address and bytes of a buffer of a program of the driver.
    pub(super) fn direct_buffer(&self, set: u32, number: u32) -> Result<[u64; 2], Error> {
        match self.direct(set, number) {
            Some(Direct::Buffer(address, bytes)) => Ok([*address, *bytes]),
            _ => Err(unbound(set)),
        }
    }
}
