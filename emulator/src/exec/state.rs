//! Machine state that is neither a register nor memory: the uniform file, texture and sampler state, special registers.

use agx_isa::inst::{Inst, Size, Tag};
use agx_isa::key;

use crate::core::Core;
use crate::exec::fields::Fields;
use crate::findings::{FindingKind, Observation};
use crate::group::{Group, LANES};
use crate::order::Path;
use crate::registers::{Dst, Src, lanes_of};
use crate::special;
use crate::textures::{SAMPLER_BYTES, TEXTURE_BYTES};

/// `mfsr`: reads a special register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadSpecial {
    dst: Dst,
    number: u32,
}

impl ReadSpecial {
    /// Resolves the destination and the register number.
    pub(crate) fn new(inst: &Inst) -> Option<ReadSpecial> {
        let fields = Fields::new(inst);
        Some(ReadSpecial { dst: Dst::new(fields.get(key::DST))?, number: fields.number(key::SR) })
    }

    /// Writes the register's value to the active lanes.
    pub(crate) fn run(&self, group: &mut Group, core: &Core<'_>) -> Result<(), Observation> {
        let mut values = [0; LANES];
        for (lane, value) in values.iter_mut().enumerate() {
            let read = special::read(self.number, lane, group, &core.launch, core.frame.as_deref())
                .or_else(|| core.helper.as_ref().and_then(|helper| helper.special(self.number)));
            *value = u64::from(read.ok_or(FindingKind::Unsupported("this special register"))?);
        }
        group.scatter(self.dst, &values, group.exec);
        Ok(())
    }
}

/// `uniform_store`: up to four half-words into the uniform file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UniformStore {
    first: u16,
    data: Dst,
    count: u32,
}

impl UniformStore {
    /// Resolves a store of 16-bit units to a fixed place; `None` for other forms, which no compiler uses.
    pub(crate) fn new(inst: &Inst) -> Option<UniformStore> {
        const I16: u32 = 1;
        let fields = Fields::new(inst);
        let target = fields.get(key::INDEX);
        if target.tag != Tag::Uniform || fields.number(key::FORMAT) != I16 || fields.flag(key::SHIFT) {
            return None;
        }
        let data = Dst { size: Size::B16, ..Dst::new(fields.get(key::DATA))? };
        let count = fields.number(key::MASK).count_ones();
        Some(UniformStore { first: target.value as u16, data, count })
    }

    /// Stores the values of the lowest active lane: a preamble runs on one.
    pub(crate) fn run(&self, group: &Group, core: &mut Core<'_>) {
        let Some(lane) = lanes_of(group.exec).next() else { return };
        for at in 0..self.count {
            let value = group.read(self.data.following(at).half, Size::B16, lane);
            core.uniforms.write(self.first.wrapping_add(at as u16), value as u16);
        }
    }
}

/// `tex_state_store` and `sampler_state_store`: a descriptor from memory into a state register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateStore {
    number: u32,
    sampler: bool,
    base: Src,
    offset: Src,
}

impl StateStore {
    /// Resolves the state register, base and offset.
    pub(crate) fn new(inst: &Inst, sampler: bool) -> StateStore {
        let fields = Fields::new(inst);
        StateStore {
            number: fields.get(key::DST).value,
            sampler,
            base: fields.source(key::BASE).sized(Size::B64),
            offset: fields.source(key::OFFSET).sized(Size::B32),
        }
    }

    /// Loads the descriptor the lowest active lane points at.
    pub(crate) fn run(&self, group: &Group, core: &mut Core<'_>) -> Result<(), Observation> {
        let Some(lane) = lanes_of(group.exec).next() else { return Ok(()) };
        let base = group.gather(core.uniforms, &self.base)[lane];
        let address = base.wrapping_add(group.gather(core.uniforms, &self.offset)[lane]);
        let mut bytes = [0; TEXTURE_BYTES];
        let len = if self.sampler { SAMPLER_BYTES } else { TEXTURE_BYTES };
        for (at, chunk) in bytes[..len].chunks_exact_mut(4).enumerate() {
            let word = core.load(Path::Device, address.wrapping_add(4 * at as u64), 4, lane)?;
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        if self.sampler {
            let mut sampler = [0; SAMPLER_BYTES];
            sampler.copy_from_slice(&bytes[..SAMPLER_BYTES]);
            core.states.set_sampler(self.number, sampler);
        } else {
            core.states.set_texture(self.number, bytes);
        }
        Ok(())
    }
}
