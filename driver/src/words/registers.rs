//! Texture and sampler state registers.

use agx_abi::{SamplerBinding, TextureBinding};

use super::{Assembler, Bound, State};
use crate::Error;
use crate::sampler::{self, Sampler};

impl Assembler<'_> {
    /// Address of a texture or image descriptor.
    pub(super) fn texture(&self, texture: &TextureBinding) -> Result<u64, Error> {
        let Bound { set, .. } = self.sources.state.bound(texture.set)?;
        let binding = State::binding(set, texture.binding)?;
        Ok(set.address() + binding.texture(texture.element, texture.kind))
    }

    /// Address of a sampler in a set.
    fn sampler(&self, set: u32, number: u32, element: u32) -> Result<u64, Error> {
        let Bound { set, .. } = self.sources.state.bound(set)?;
        Ok(set.address() + State::binding(set, number)?.sampler(element))
    }

    /// Address of a sampler for a texture. A border colour without a format is encoded for the texture that is currently in the
    /// set.
    fn paired(&mut self, sampler: (u32, u32, u32), texture: (u32, u32, u32)) -> Result<u64, Error> {
        let state = self.sources.state;
        if let (Ok(samplers), Ok(textures)) = (state.bound(sampler.0), state.bound(texture.0)) {
            let known = samplers.set.sampler(State::binding(&samplers.set, sampler.1)?, sampler.2);
            if known.is_open() {
                let format = textures.set.format(State::binding(&textures.set, texture.1)?, texture.2);
                return self.upload.put(&known.of_format(format).descriptor, 16);
            }
        }
        self.sampler(sampler.0, sampler.1, sampler.2)
    }

    /// Address of the contents of a sampler state register.
    pub(super) fn sampler_state(&mut self, sampler: &SamplerBinding) -> Result<u64, Error> {
        match *sampler {
            SamplerBinding::Bound { set, binding, element } => self.sampler(set, binding, element),
            SamplerBinding::Paired {
                set,
                binding,
                element,
                texture_set,
                texture_binding,
                texture_element,
            } => {
                let texture = (texture_set, texture_binding, texture_element);
                self.paired((set, binding, element), texture)
            }
            SamplerBinding::Loads => self.upload.put(&Sampler::loads().descriptor, 16),
        }
    }

    /// Address of the numbers of samplers, [`agx_abi::textures::NUMBER_STRIDE`] bytes apart, which are stored in the
    /// set next to the samplers.
    pub(super) fn sampler_table(&self, set: u32, number: u32) -> Result<u64, Error> {
        let Bound { set, .. } = self.sources.state.bound(set)?;
        Ok(set.address() + State::binding(set, number)?.sampler(0) + sampler::NUMBER)
    }
}
