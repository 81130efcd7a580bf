//! Inputs and outputs of vertex shaders.
//!
//! Attributes, vertex number and instance number are in registers when the program starts. Outputs are words in slots.

use agx_abi::vertex::{self, Attribute, MAX_SLOTS, Output as Place, RunsAs, Varying, assign_slots};
use agx_abi::{InterfaceUniform, UniformSource, registers};
use agx_isa::table::Opcode;
use spirv::{BuiltIn, StorageClass};

use super::interface::{Leaf, Slot, leaves};
use super::stage::Output;
use super::translate::Translator;
use crate::error::CompileError;
use crate::ir::build::alu::{FloatCond, float};
use crate::ir::op::{IrOp, mods_with};
use crate::ir::src::Src;
use crate::ir::types::Type;

/// Special registers of compute shaders: the invocation's place in the grid, x then y.
const GRID: [u32; 2] = [80, 81];

impl<'a> Translator<'_, 'a> {
    /// Numbers the attributes that something reads, reads the registers that hold something, and reserves the uniforms of the prolog.
    pub(super) fn vertex_start(&mut self) -> Result<(), CompileError> {
        let mut read: Vec<(u32, u32)> = Vec::new();
        for global in self.module.globals.iter().filter(|global| global.class == StorageClass::Input) {
            if self.io.interface.contains(&global.id) && self.usage.is_read(global.id) {
                let leaves = leaves(self.module, global)?;
                read.extend(leaves.iter().flat_map(Leaf::components).filter_map(|slot| match slot {
                    Slot::User { location, component } => Some((location, component)),
                    Slot::BuiltIn { .. } => None,
                }));
            }
        }
        read.sort_unstable();
        for (location, component) in read {
            match self.io.attributes.last_mut().filter(|last| last.location == location) {
                Some(last) => last.components |= 1 << component,
                None => self.io.attributes.push(Attribute { location, components: 1 << component }),
            }
        }
        for half in [registers::VERTEX_ID, registers::INSTANCE_ID] {
            self.preload(half);
        }
        for (number, attribute) in (0..).zip(self.io.attributes.clone()) {
            for component in (0..4).filter(|component| attribute.components >> component & 1 != 0) {
                if let Some(half) = vertex::attribute_register(number, component) {
                    self.preload(half);
                }
            }
        }
        let count = self.io.attributes.len() as u32;
        if count > vertex::MAX_ATTRIBUTES {
            return Err(CompileError::limit(format!(
                "more than {} vertex attributes",
                vertex::MAX_ATTRIBUTES
            )));
        }
        self.scratch_bytes += vertex::stack_attribute_bytes(count);
        self.uniforms.reserve(&vertex::uniforms(count, self.io.runs_as));
        Ok(())
    }

    fn preload(&mut self, half: u8) {
        let value = self.b.value(IrOp::Preload, Type::B32, &[], &[u32::from(half)]);
        self.io.preloaded.push((half, Src::value(value)));
    }

    fn preloaded(&self, half: u8) -> Option<Src> {
        self.io.preloaded.iter().find(|(known, _)| *known == half).map(|(_, src)| *src)
    }

    /// The scalars of an input; nothing when one is not supported.
    pub(super) fn vertex_inputs(&mut self, leaves: &[Leaf]) -> Result<Option<Vec<Src>>, CompileError> {
        let mut values = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let value = match leaf.slot {
                Slot::User { location, component } if leaf.bits == 64 => {
                    let words = [0, 1].map(|word| self.attribute(location, component + word));
                    match words {
                        [Some(low), Some(high)] => Some(self.b.collect(Type::B64, &[low, high])),
                        _ => None,
                    }
                }
                Slot::User { location, component } => self.attribute(location, component),
                Slot::BuiltIn { built_in, index } => self.vertex_built_in(built_in, index),
            };
            let Some(value) = value else { return Ok(None) };
            values.push(if leaf.is_float { self.b.fconv(value, leaf.bits) } else { value });
        }
        Ok(Some(values))
    }

    fn attribute(&mut self, location: u32, component: u32) -> Option<Src> {
        let number = self.io.attributes.iter().position(|attribute| attribute.location == location)? as u32;
        if let Some(byte) = vertex::attribute_stack_byte(number, component) {
            let word = self.b.value(IrOp::LoadScratch, Type::B32, &[Src::imm32(byte)], &[]);
            return Some(Src::value(word));
        }
        self.preloaded(vertex::attribute_register(number, component)?)
    }

    /// The machine's vertex number counts from the base vertex, its instance number from 0.
    fn vertex_built_in(&mut self, built_in: BuiltIn, index: u32) -> Option<Src> {
        let base = UniformSource::Interface(InterfaceUniform::BaseVertexAndInstance);
        Some(match built_in {
            BuiltIn::VertexIndex => self.preloaded(registers::VERTEX_ID)?,
            BuiltIn::InstanceIndex => {
                let number = self.preloaded(registers::INSTANCE_ID)?;
                let first = self.uniforms.get(base, 2, 32);
                self.b.iadd(number, first)
            }
            BuiltIn::BaseVertex => self.uniforms.get(base, 0, 32),
            BuiltIn::BaseInstance => self.uniforms.get(base, 2, 32),
            BuiltIn::DrawIndex => {
                let draw = UniformSource::Interface(InterfaceUniform::DrawNumber);
                let number = self.uniforms.get(draw, 0, 16);
                self.b.uconv(number, 32)
            }
            BuiltIn::ViewIndex => self.uniforms.get(UniformSource::ViewIndex, 0, 32),
            _ => return self.lane_built_in(built_in, index),
        })
    }

    /// Stores the outputs, in the order of their slots.
    pub(super) fn vertex_outputs(&mut self, outputs: &[Output]) -> Result<(), CompileError> {
        let mut words: Vec<(Place, Src)> = Vec::new();
        let (mut layer, mut viewport) = (None, None);
        for (leaf, value) in outputs {
            if leaf.bits == 64 {
                let halves = self.b.split(*value, Type::B32, 2).to_vec();
                for (slot, half) in leaf.components().zip(halves) {
                    words.push((place(slot)?, half));
                }
                continue;
            }
            let word = self.output_word(leaf, *value);
            match leaf.slot {
                Slot::BuiltIn { built_in: BuiltIn::Layer, .. } => layer = Some(word),
                Slot::BuiltIn { built_in: BuiltIn::ViewportIndex, .. } => viewport = Some(word),
                slot => {
                    let place = place(slot)?;
                    words.push((place, word));
                    if let Place::CullDistance(index) = place {
                        words.push((Place::Culled(index), word));
                    }
                }
            }
        }
        if layer.is_some() || viewport.is_some() {
            let (layer, viewport) = (layer.unwrap_or(Src::imm32(0)), viewport.unwrap_or(Src::imm32(0)));
            let low = self.b.and(layer, Src::imm32(0xffff));
            let high = self.b.shl(viewport, Src::imm32(16));
            words.push((Place::LayerAndViewport, self.b.or(low, high)));
        }
        let places: Vec<Place> = words.iter().map(|(place, _)| *place).collect();
        let varyings = assign_slots(&places);
        if varyings.len() as u32 > MAX_SLOTS {
            return Err(CompileError::limit(format!("more than {MAX_SLOTS} words of vertex outputs")));
        }
        if self.io.runs_as == RunsAs::Compute {
            self.outputs_to_memory(&varyings, &words);
            self.io.varyings = varyings;
            return Ok(());
        }
        for varying in &varyings {
            // Of outputs that overlap, the one declared last counts.
            if let Some((_, word)) = words.iter().rev().find(|(place, _)| *place == varying.output) {
                let slot = Src::imm(u64::from(varying.slot), 16);
                let is_flag = matches!(varying.output, Place::Culled(_));
                let store = if is_flag { IrOp::StoreCull } else { IrOp::StoreVarying };
                self.b.effect(store, &[*word, slot], &[]);
            }
        }
        self.io.varyings = varyings;
        Ok(())
    }
}

impl Translator<'_, '_> {
    /// Stores the outputs of a shader that runs as a compute shader behind those of the vertices before it.
    fn outputs_to_memory(&mut self, varyings: &[Varying], words: &[(Place, Src)]) {
        let [x, y] = GRID.map(|number| {
            let mods = mods_with(Opcode::Mfsr, &[("sr", number)]);
            Src::value(self.b.value(Opcode::Mfsr, Type::B32, &[], &mods))
        });
        let count = self.uniforms.get(UniformSource::VertexCount, 0, 32);
        let base = self.uniforms.get(UniformSource::VertexOutputs, 0, 64);
        let before = self.b.imul(y, count);
        let number = self.b.iadd(before, x);
        let first = self.b.imul(number, Src::imm32(4 * varyings.len() as u32));
        for varying in varyings {
            let Some((_, word)) = words.iter().rev().find(|(place, _)| *place == varying.output) else {
                continue;
            };
            let word = match varying.output {
                Place::Culled(_) => self.keeps_primitive(*word),
                _ => *word,
            };
            let offset = self.b.iadd(first, Src::imm32(4 * u32::from(varying.slot)));
            self.b.effect(IrOp::StoreGlobal, &[word, base, offset], &[0, 4]);
        }
        self.writes_memory |= !varyings.is_empty();
    }

    /// The flag of a cull distance.
    fn keeps_primitive(&mut self, distance: Src) -> Src {
        let keeps = self.b.fcmp(FloatCond::GE, distance, float(0.0, 32));
        self.b.select(keeps, float(1.0, 32), float(0.0, 32))
    }
}

/// Where an output goes.
fn place(slot: Slot) -> Result<Place, CompileError> {
    Ok(match slot {
        Slot::User { location, component } => Place::User { location, component },
        Slot::BuiltIn { built_in, index } => match built_in {
            BuiltIn::Position => Place::Position(index),
            BuiltIn::PointSize => Place::PointSize,
            BuiltIn::ClipDistance => Place::ClipDistance(index),
            BuiltIn::CullDistance => Place::CullDistance(index),
            _ => return Err(CompileError::unsupported(format!("output {built_in:?}"))),
        },
    })
}
