//! An empty world.

use super::{Address, At, Lookup, Resource, Vector, World};

/// A world in which all reads return zero and all writes are ignored.
pub struct Empty;

impl World for Empty {
    fn constant(&self, _: u32, _: i64) -> Vector {
        [0; 4]
    }

    fn input(&self, _: usize, _: u32) -> Vector {
        [0; 4]
    }

    fn system(&self, _: usize, _: u32) -> Vector {
        [0; 4]
    }

    fn interpolate(&self, _: usize, _: u32, _: At) -> Vector {
        [0; 4]
    }

    fn texture(&mut self, _: usize, _: &Lookup) -> Vector {
        [0; 4]
    }

    fn load(&mut self, _: usize, _: Address) -> Vector {
        [0; 4]
    }

    fn store(&mut self, _: usize, _: Address, _: u8, _: Vector) {}

    fn atomic(&mut self, _: usize, _: Address, _: &dyn Fn(u32) -> u32) -> u32 {
        0
    }

    fn size(&mut self, _: Resource) -> Vector {
        [0; 4]
    }

    fn framebuffer(&self, _: usize, _: u32) -> Vector {
        [0; 4]
    }
}
