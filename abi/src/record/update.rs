//! Updates of the rasteriser's state: a header and the records that it names, in the order of its bits.

use super::{
    Field, Packed, Record, cull, cull_2, fragment_control, fragment_face, fragment_face_2, fragment_shader,
    fragment_stencil, occlusion, occlusion_2, output_select, output_size, output_unknown, ppp_header,
    region_clip, scissor_index, varying_2, varying_counts, viewport, viewport_control, w_clamp,
};

/// The records of an update, in order: flag of the header, record, and whether there is one for each viewport.
pub const UPDATE: [(Field, &Record, bool); 24] = {
    use ppp_header::*;
    [
        (CONTROL, &fragment_control::RECORD, false),
        (CONTROL_2, &fragment_control::RECORD, false),
        (FRONT_FACE, &fragment_face::RECORD, false),
        (FRONT_FACE_2, &fragment_face_2::RECORD, false),
        (FRONT_STENCIL, &fragment_stencil::RECORD, false),
        (BACK_FACE, &fragment_face::RECORD, false),
        (BACK_FACE_2, &fragment_face_2::RECORD, false),
        (BACK_STENCIL, &fragment_stencil::RECORD, false),
        (SCISSOR, &scissor_index::RECORD, false),
        (REGION_CLIP, &region_clip::RECORD, true),
        (VIEWPORT, &viewport_control::RECORD, false),
        (VIEWPORT, &viewport::RECORD, true),
        (W_CLAMP, &w_clamp::RECORD, false),
        (OUTPUT_SELECT, &output_select::RECORD, false),
        (VARYINGS_32, &varying_counts::RECORD, false),
        (VARYINGS_16, &varying_counts::RECORD, false),
        (CULL, &cull::RECORD, false),
        (CULL_2, &cull_2::RECORD, false),
        (SHADER, &fragment_shader::RECORD, false),
        (OCCLUSION, &occlusion::RECORD, false),
        (OCCLUSION_2, &occlusion_2::RECORD, false),
        (OUTPUT_UNKNOWN, &output_unknown::RECORD, false),
        (OUTPUT_SIZE, &output_size::RECORD, false),
        (VARYING_2, &varying_2::RECORD, false),
    ]
};

/// An update that is being written to a list of bytes.
#[derive(Debug)]
pub struct StateUpdate<'w> {
    header: Packed<4>,
    bytes: &'w mut Vec<u8>,
    /// Bit of the latest record in the header.
    last: u32,
}

impl<'w> StateUpdate<'w> {
    /// An update without records, for this number of viewports. The bytes replace those of the list.
    #[inline(always)]
    pub fn new(viewports: usize, bytes: &'w mut Vec<u8>) -> StateUpdate<'w> {
        let header = ppp_header::new().set(&ppp_header::VIEWPORTS, viewports as u64);
        bytes.clear();
        bytes.extend_from_slice(&header.bytes());
        StateUpdate { header, bytes, last: 0 }
    }

    /// Adds a record, which must follow the earlier ones in the order of [`UPDATE`].
    #[inline(always)]
    pub fn add<const N: usize>(&mut self, flag: &Field, record: Packed<N>) -> &mut StateUpdate<'w> {
        self.name(flag);
        self.bytes.extend_from_slice(&record.bytes());
        self
    }

    /// As [`StateUpdate::add`], for an encoded record of four bytes.
    #[inline(always)]
    pub fn add_word(&mut self, flag: &Field, word: u32) -> &mut StateUpdate<'w> {
        self.name(flag);
        self.bytes.extend_from_slice(&word.to_le_bytes());
        self
    }

    /// Names a record in the header.
    #[inline(always)]
    fn name(&mut self, flag: &Field) {
        debug_assert!(flag.start >= self.last, "{} is out of order", flag.name);
        self.last = flag.start;
        self.header = self.header.flag(flag, true);
    }

    /// Whether it has records.
    pub fn has_records(&self) -> bool {
        self.bytes.len() > ppp_header::RECORD.bytes
    }

    /// Writes the header: the list has the update.
    #[inline(always)]
    pub fn finish(self) {
        if let Some(first) = self.bytes.first_chunk_mut() {
            *first = self.header.bytes();
        }
    }
}

/// The update at the start of every draw stream: state that draws do not change, and that may be left from another stream
/// (Mesa 26.1).
pub fn initial_update() -> Vec<u8> {
    use ppp_header::*;
    let mut bytes = Vec::new();
    let mut update = StateUpdate::new(1, &mut bytes);
    update
        .add(&W_CLAMP, w_clamp::new().float(&w_clamp::W, crate::render::LEAST_W))
        .add(&OCCLUSION_2, occlusion_2::new())
        .add(&OUTPUT_UNKNOWN, output_unknown::new())
        .add(&VARYING_2, varying_2::new());
    update.finish();
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_in_the_order_of_the_header() {
        assert!(UPDATE.is_sorted_by_key(|(flag, ..)| flag.start));
        let flags = ppp_header::RECORD.fields.iter().filter(|field| field.name != ppp_header::VIEWPORTS.name);
        for flag in flags {
            assert!(UPDATE.iter().any(|(known, ..)| known == flag), "{}", flag.name);
        }
    }

    #[test]
    fn a_stream_begins_with_the_state_that_draws_do_not_change() {
        let bytes = initial_update();
        let text = ppp_header::RECORD.text(&bytes[..4]);
        assert_eq!(text, "rasteriser header VIEWPORTS=1 W_CLAMP OCCLUSION_2 OUTPUT_UNKNOWN VARYING_2");
        assert_eq!((bytes.len(), &bytes[4..8]), (24, &1e-10_f32.to_le_bytes()[..]));
    }
}
