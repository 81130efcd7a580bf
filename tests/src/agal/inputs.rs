//! Inputs for programs: random numbers, and edge cases of arithmetic.

use agx_agal::Dimension;
use agx_agal::interpret::Vector;
use agx_random::Random;

use super::texture::Texture;

/// Numbers that are edge cases of operations.
const EDGES: [f32; 20] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    -2.5,
    1e-20,
    -1e-30,
    1e-40,
    3.0,
    1e10,
    -1e10,
    255.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MIN_POSITIVE,
    0.999_999_94,
    1.000_000_1,
];

/// A distribution of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Around −2 to 2.
    Random,
    /// From 0 to 6, often integers, so that indices are in range and comparisons for equality are sometimes true.
    Small,
    /// Edge cases of arithmetic, and random numbers.
    Edges,
}

/// Every kind.
pub const KINDS: [Kind; 3] = [Kind::Random, Kind::Small, Kind::Edges];

/// A source of numbers.
pub struct Numbers {
    random: Random,
    kind: Kind,
}

impl Numbers {
    /// Numbers of `kind` from a seed.
    pub fn new(kind: Kind, seed: u64) -> Self {
        Numbers { random: Random::new(seed ^ 0x5eed), kind }
    }

    /// The next number.
    pub fn number(&mut self) -> f32 {
        let choice = self.random.below(4);
        match self.kind {
            Kind::Random => 4.0 * self.random.unit() - 2.0,
            Kind::Small if choice < 2 => self.random.below(7) as f32,
            Kind::Small => 6.0 * self.random.unit(),
            Kind::Edges if choice < 2 => EDGES[self.random.below(EDGES.len())],
            Kind::Edges => 8.0 * self.random.unit() - 4.0,
        }
    }

    /// The next register.
    pub fn vector(&mut self) -> Vector {
        std::array::from_fn(|_| self.number())
    }

    /// Sixteen registers.
    pub fn registers(&mut self) -> [Vector; 16] {
        std::array::from_fn(|_| self.vector())
    }

    /// A texture with random texels from 0 to 1, with all levels, except for cubes.
    pub fn texture(&mut self, dimension: Dimension) -> Texture {
        let (size, levels) = match dimension {
            Dimension::D2 => ([8, 4, 1], 4),
            Dimension::Cube => ([4, 4, 6], 1),
            Dimension::D3 => ([4, 4, 4], 3),
        };
        let mut texture = Texture { dimension, size, texels: Vec::new() };
        texture.texels =
            (0..texture.count(levels)).map(|_| std::array::from_fn(|_| self.random.unit())).collect();
        texture
    }
}
