//! Texture and sampler state registers.
//!
//! What the state words mean is the business of the texture unit; here they are bytes that `tex_state_store` and
//! `sampler_state_store` bring in from memory.

/// Bytes of a texture or image descriptor.
pub(crate) const TEXTURE_BYTES: usize = 24;
/// Bytes of a sampler descriptor.
pub(crate) const SAMPLER_BYTES: usize = 8;
/// Texture state registers an instruction can name.
const TEXTURES: usize = 256;
/// Sampler state registers an instruction can name.
const SAMPLERS: usize = 256;

/// The state registers of a dispatch.
#[derive(Clone, Debug)]
pub(crate) struct StateFile {
    textures: Vec<Option<[u8; TEXTURE_BYTES]>>,
    samplers: Vec<Option<[u8; SAMPLER_BYTES]>>,
}

impl Default for StateFile {
    fn default() -> Self {
        StateFile { textures: vec![None; TEXTURES], samplers: vec![None; SAMPLERS] }
    }
}

impl StateFile {
    /// Sets a texture state register; numbers that do not exist are ignored.
    pub(crate) fn set_texture(&mut self, number: u32, descriptor: [u8; TEXTURE_BYTES]) {
        if let Some(place) = self.textures.get_mut(number as usize) {
            *place = Some(descriptor);
        }
    }

    /// Sets a sampler state register; numbers that do not exist are ignored.
    pub(crate) fn set_sampler(&mut self, number: u32, descriptor: [u8; SAMPLER_BYTES]) {
        if let Some(place) = self.samplers.get_mut(number as usize) {
            *place = Some(descriptor);
        }
    }
}
