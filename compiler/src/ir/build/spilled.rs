//! Render targets that do not fit into the tile: the epilog loads and stores them in memory.
//!
//! Each target is a 2D array described by the texture heap ([`TargetHeap`]): texels are loaded and stored at
//! the pixel's coordinates, in its layer. The hardware stores to no image with samples: the program computes where the
//! sample is in memory. Unlike stores to the tile, the hardware does not drop stores to memory for dead samples, so they
//! are inside an if on the samples that are alive (Mesa 25.0 does the same).

use agx_abi::fragment::{self, TargetHeap};
use agx_abi::tile::ColourFormat;
use agx_isa::sr::Sr;
use agx_isa::table::Opcode;
use agx_isa::table::names::Dimension;

use crate::ir::build::alu::IntCond;
use crate::ir::build::samples::Samples;
use crate::ir::build::tile;
use crate::ir::key;
use crate::ir::op::mods;
use crate::ir::{Access, Arithmetic, Build, Builder, IrOp, Src, Type};

/// Address of the texture heap of the render targets.
const HEAP: Src = Src::uniform(fragment::UNIFORMS[0].start, 64);

/// A sample of a spilled target.
pub(crate) struct Spilled {
    target: u32,
    /// Samples of a pixel.
    samples: u8,
    /// Sample number, 32 bits.
    sample: Src,
    /// Its column and row.
    pixel: [Src; 2],
    layer: Src,
    load_sampler: u8,
}

impl Spilled {
    /// The lowest sample of a mask, in pixels of `samples` samples.
    pub fn new(
        b: &mut Builder<'_, '_>,
        target: u32,
        (mask, samples): (Src, u8),
        load_sampler: u8,
    ) -> Spilled {
        let pixel = [Sr::THREAD_X, Sr::THREAD_Y].map(|register| special(b, register));
        let layer = special(b, Sr::GROUP_Z);
        let sample = match mask.as_imm() {
            _ if samples == 1 => Src::imm32(0),
            Some(mask) => Src::imm32(mask.trailing_zeros()),
            // A program that runs per sample has one sample in its mask.
            None => {
                let index = b.value(Opcode::Ffs, Type::B16, &[mask], &mods(Opcode::Ffs));
                b.uconv(index.into(), 32)
            }
        };
        Spilled { target, samples, sample, pixel, layer, load_sampler }
    }

    /// Loads the components as 32-bit numbers; components that the format lacks are 0, 0, 0, 1.
    pub fn load(&self, b: &mut Builder<'_, '_>, format: ColourFormat) -> [Src; 4] {
        let none = Src::NONE;
        let texture = Src::imm32(TargetHeap::texture_offset(self.target));
        let sampler = Src::imm(self.load_sampler.into(), 16);
        let coords = b.collect(Type::vector(32, 2), &self.pixel);
        let (sample, dimension) = match self.samples {
            1 => (none, Dimension::D2_ARRAY),
            _ => (self.sample, Dimension::D2_MULTISAMPLED_ARRAY),
        };
        let srcs = [texture, HEAP, sampler, coords, self.layer, none, none, none, sample];
        let ty = Type::vector(32, 4);
        let loaded = b.value(IrOp::LoadTexture, ty, &srcs, &[Access::IMAGE.bits(), dimension.get(), 0]);
        let parts = b.split(loaded.into(), Type::B32, 4);
        let kept = tile::kept_mask(format);
        [0, 1, 2, 3].map(|at: usize| if kept >> at & 1 == 0 { tile::absent(format, at) } else { parts[at] })
    }

    /// Stores a colour if the sample is alive and in the mask.
    pub fn store(&self, b: &mut Builder<'_, '_>, colour: &[Src; 4], stored: Src) {
        let live = special(b, Sr::COVERAGE);
        let stored = b.uconv(stored, 32);
        let live = b.and(live, stored);
        let bit = b.shl(Src::imm32(1), self.sample);
        let own = b.and(live, bit);
        let is_live = b.icmp(IntCond::NE, own, Src::imm32(0));
        b.begin_if(is_live);
        self.put(b, colour);
        b.begin_else();
        b.end_if();
    }

    /// Stores a colour regardless of whether the sample is alive: for programs that run for every pixel.
    pub fn put(&self, b: &mut Builder<'_, '_>, colour: &[Src; 4]) {
        let data = b.collect(Type::vector(32, 4), colour);
        let texture = Src::imm32(TargetHeap::image_offset(self.target));
        let (pixel, layer, dimension) = match self.samples {
            1 => (self.pixel, self.layer, Dimension::D2_ARRAY),
            _ => (self.in_plane(b), Src::NONE, Dimension::D2),
        };
        let coords = b.collect(Type::vector(32, 2), &pixel);
        b.effect(IrOp::StoreImage, &[data, texture, HEAP, coords, layer], &[dimension.get()]);
    }

    /// Column and row of the sample in the plane of all samples.
    fn in_plane(&self, b: &mut Builder<'_, '_>) -> [Src; 2] {
        let place = Src::imm32(TargetHeap::sampled_offset(self.target));
        let access = [(Access::READONLY | Access::SPECULATABLE).bits(), 16];
        let words = b.value(IrOp::LoadGlobal, Type::vector(32, 3), &[HEAP, place], &access);
        let [sides, stride, layer_samples] = b.split_into(words.into(), Type::B32);
        let last = [b.and(sides, Src::imm32(0xffff)), b.ushr(sides, Src::imm32(16))];
        let shift = Src::imm32(self.samples.trailing_zeros());
        let places = Samples { last, stride, layer_samples, shift };
        let layer = Some(self.layer);
        places.in_plane(b, &self.pixel, layer, self.sample)
    }

    /// Makes stores visible to later fragments at the same pixel.
    pub fn show_stores(b: &mut Builder<'_, '_>) {
        let fences = [Opcode::ImageBarrier1, Opcode::ImageBarrier2, Opcode::FlushMemoryToTexture];
        for fence in fences.into_iter().chain([Opcode::ImageBarrier3]) {
            b.effect(fence, &[], &mods(fence));
        }
    }
}

fn special(b: &mut Builder<'_, '_>, register: Sr) -> Src {
    b.value(Opcode::Mfsr, Type::B32, &[], &mods(Opcode::Mfsr).with(key::SR, register)).into()
}
