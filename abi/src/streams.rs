//! What surrounds the records of control streams, as Mesa's driver 26.1 submits them.

use crate::record::{Packed, compute_barrier, draw_barrier};

/// The barrier after every launch, the last one of a stream included. The meaning of each bit is not known; measurements on
/// hardware show that without most of them the results of a launch are lost or seen too early.
pub const AFTER_LAUNCH: Packed<4> = {
    use compute_barrier::*;
    new().set_raw(&BITS_0_2, 7).flag(&INVALIDATE_SHADERS, true).set_raw(&BITS_4_20, 0xffff)
};

/// The first record of every draw stream: what shaders read may have been written by the processor since the stream before.
pub const START: Packed<4> = draw_barrier::new().flag(&draw_barrier::INVALIDATE_SHADERS, true);

/// The barrier of a draw stream after draws whose stores later draws read.
pub const AFTER_FEEDBACK: Packed<4> = {
    use draw_barrier::*;
    new().set_raw(&BITS_4_6, 6).set_raw(&BIT_8, 1).set_raw(&BIT_11, 1).set_raw(&BIT_20, 1)
};

/// Bytes of mapped memory after each part of a draw stream, because the hardware reads ahead (Mesa 25.0: 512 are too few).
pub const READ_AHEAD_BYTES: usize = 0x800;

/// Distance between start and end of a compute stream in its command, if the stream has several parts.
pub const LINKED_BYTES: u64 = 0x1_0000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barriers_have_the_bits_of_the_production_driver() {
        let bits = [AFTER_LAUNCH, START, AFTER_FEEDBACK].map(Packed::<4>::bits);
        assert_eq!(bits, [0x600f_ffff, 0x2000_0008, 0x2010_0960]);
    }
}
