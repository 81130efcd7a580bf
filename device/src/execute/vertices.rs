//! Input assembly: from the parameters of a draw to vertices of primitives.

use agx_emulator::{Memory, Topology};

use crate::bytes;
use crate::record::{self, index_bytes, index_list, indirect_draw};
use crate::stream::{StreamError, Walk, unbound};

/// Maximum number of vertices of an instance that is modelled: their numbers are kept in host memory.
const MOST_VERTICES: u32 = 1 << 24;

/// The parameters of a draw, from its record and the words after it.
#[derive(Clone, Debug, Default)]
pub(crate) struct DrawCall {
    pub(crate) address: u64,
    pub(crate) head: Vec<u8>,
    pub(crate) count: u32,
    pub(crate) instances: u32,
    /// First vertex, or the number added to indices.
    pub(crate) start: u32,
    /// Address and length of the index buffer.
    pub(crate) indices: Option<(u64, u64)>,
    /// First index.
    pub(crate) first_index: u32,
}

impl DrawCall {
    /// Reads the draw at the walk's position and advances the walk.
    pub(crate) fn read(memory: &Memory, walk: &mut Walk) -> Result<DrawCall, StreamError> {
        let address = walk.at;
        let head = walk.take(memory, &index_list::RECORD)?;
        let mut call = DrawCall { address, instances: 1, ..DrawCall::default() };
        let mut low = 0;
        let word = |walk: &mut Walk, flag: record::Field| match flag.is_set(&head) {
            true => {
                Ok(Some(record::draw_word::VALUE.get(&walk.take(memory, &record::draw_word::RECORD)?) as u32))
            }
            false => Ok(None),
        };
        if let Some(value) = word(walk, index_list::HAS_INDICES)? {
            low = u64::from(value);
        }
        call.count = word(walk, index_list::HAS_COUNT)?.unwrap_or(0);
        call.instances = word(walk, index_list::HAS_INSTANCES)?.unwrap_or(1);
        call.start = word(walk, index_list::HAS_START)?.unwrap_or(0);
        if index_list::HAS_UNKNOWN_1.is_set(&head) || index_list::HAS_UNKNOWN_2.is_set(&head) {
            return Err(StreamError::Shape { address, what: "has a draw with unknown words" });
        }
        let indirect = match index_list::HAS_INDIRECT.is_set(&head) {
            true => Some(walk.take(memory, &indirect_draw::RECORD)?),
            false => None,
        };
        let length = match index_list::HAS_INDEX_SIZE.is_set(&head) {
            true => index_bytes::BYTES.get(&walk.take(memory, &index_bytes::RECORD)?),
            false => u64::MAX,
        };
        if index_list::HAS_INDICES.is_set(&head) {
            call.indices = Some((index_list::INDEX_HIGH.get(&head) << 32 | low, length));
        }
        if let Some(record) = indirect {
            call.indirect(memory, &record)?;
        }
        if call.count > MOST_VERTICES {
            return Err(StreamError::Shape { address, what: "draws more vertices than are modelled" });
        }
        call.head = head;
        Ok(call)
    }

    /// Reads the parameters of an indirect draw.
    fn indirect(&mut self, memory: &Memory, record: &[u8]) -> Result<(), StreamError> {
        let address = indirect_draw::ADDRESS_HIGH.get(record) << 32 | indirect_draw::ADDRESS_LOW.get(record);
        let error = unbound("the numbers of an indirect draw", address);
        let [count, instances, first, start]: [u32; 4] = bytes::words(memory, address).map_err(error)?;
        (self.count, self.instances) = (count, instances);
        match self.indices {
            Some(_) => (self.first_index, self.start) = (first, start),
            None => self.start = first,
        }
        Ok(())
    }

    /// Vertex numbers; `None` starts a new strip. Indices past the end of their buffer are 0.
    fn numbers(&self, memory: &Memory, restart: u32) -> Vec<Option<u32>> {
        let Some((address, length)) = self.indices else {
            return (0..self.count).map(|at| Some(self.start.wrapping_add(at))).collect();
        };
        let (size, mask) = match index_list::INDEX_SIZE.get(&self.head) {
            0 => (1, 0xff),
            1 => (2, 0xffff),
            _ => (4, u32::MAX),
        };
        let restarts = index_list::RESTART.is_set(&self.head);
        (u64::from(self.first_index)..)
            .take(self.count as usize)
            .map(|at| {
                let offset = at.saturating_mul(size);
                // An unmapped index reads as 0, like one past the end.
                let index = match offset.saturating_add(size) <= length {
                    true => {
                        bytes::number(memory, bytes::address(address, offset), size as usize).unwrap_or(0)
                    }
                    false => 0,
                };
                (!restarts || index != restart & mask).then(|| index.wrapping_add(self.start))
            })
            .collect()
    }

    /// The type of primitives, and the numbers of all their vertices. `provoking` is the position of the provoking
    /// vertex, which is preserved when the order of vertices is reversed for every other triangle of a strip.
    pub(crate) fn corners(
        &self,
        memory: &Memory,
        restart: u32,
        provoking: u64,
    ) -> Option<(Topology, Vec<u32>)> {
        let numbers = self.numbers(memory, restart);
        let mut corners = Vec::new();
        let topology = topology(index_list::PRIMITIVE.get(&self.head))?;
        for strip in numbers.split(Option::is_none) {
            let strip: Vec<u32> = strip.iter().copied().flatten().collect();
            assemble(index_list::PRIMITIVE.get(&self.head), &strip, provoking, &mut corners);
        }
        Some((topology, corners))
    }
}

fn topology(code: u64) -> Option<Topology> {
    Some(match code {
        0 => Topology::Points,
        1 | 3 | 5 => Topology::Lines,
        6 | 9 | 11 | 14 | 15 => Topology::Triangles,
        _ => return None,
    })
}

/// All runs of `N` consecutive vertices.
fn windows<const N: usize>(strip: &[u32]) -> impl Iterator<Item = [u32; N]> {
    strip.windows(N).filter_map(|window| window.first_chunk().copied())
}

/// Vertices of the primitives of one strip.
fn assemble(code: u64, strip: &[u32], provoking: u64, corners: &mut Vec<u32>) {
    match code {
        3 | 5 => {
            windows::<2>(strip).for_each(|pair| corners.extend(pair));
            if let (5, [first, .., last]) = (code, strip) {
                corners.extend([last, first]);
            }
        }
        9 => {
            for (at, [a, b, c]) in windows(strip).enumerate() {
                corners.extend(match (at % 2, provoking) {
                    (0, _) => [a, b, c],
                    (_, 0) => [a, c, b],
                    _ => [b, a, c],
                });
            }
        }
        11 => {
            if let [centre, rest @ ..] = strip {
                windows(rest).for_each(|[a, b]| corners.extend([*centre, a, b]));
            }
        }
        14 => strip.as_chunks().0.iter().for_each(|[a, b, c, d]| corners.extend([a, b, d, d, b, c])),
        15 => windows(strip).step_by(2).for_each(|[a, b, c, d]| corners.extend([a, b, c, c, b, d])),
        0 => corners.extend(strip),
        1 => corners.extend(strip.chunks_exact(2).flatten()),
        _ => corners.extend(strip.chunks_exact(3).flatten()),
    }
}

#[cfg(test)]
mod tests {
    use agx_emulator::Access;

    use super::*;

    #[test]
    fn a_draw_of_too_many_vertices_is_rejected() {
        let read = |count: u32| {
            let head = index_list::RECORD.build_raw(&[(index_list::HAS_COUNT, 1)]);
            let mut memory = Memory::new();
            let bytes = [head.as_slice(), &count.to_le_bytes()].concat();
            memory.map(0x4000, bytes, Access::READ).expect("the range is free");
            DrawCall::read(&memory, &mut Walk::new(0x4000)).map(|call| call.count)
        };
        assert_eq!(read(MOST_VERTICES), Ok(MOST_VERTICES));
        let what = "draws more vertices than are modelled";
        for count in [MOST_VERTICES + 1, u32::MAX] {
            assert_eq!(read(count), Err(StreamError::Shape { address: 0x4000, what }));
        }
    }

    #[test]
    fn strips_and_fans_become_lists() {
        // (primitive, provoking vertex, vertices, result)
        let cases: [(u64, u64, &[u32], &[u32]); 8] = [
            (0, 0, &[1, 2], &[1, 2]),
            (1, 0, &[1, 2, 3], &[1, 2]),
            (3, 0, &[1, 2, 3], &[1, 2, 2, 3]),
            (5, 0, &[1, 2, 3], &[1, 2, 2, 3, 3, 1]),
            (6, 0, &[1, 2, 3, 4], &[1, 2, 3]),
            (9, 0, &[1, 2, 3, 4], &[1, 2, 3, 2, 4, 3]),
            (9, 2, &[1, 2, 3, 4], &[1, 2, 3, 3, 2, 4]),
            (11, 1, &[1, 2, 3, 4], &[1, 2, 3, 1, 3, 4]),
        ];
        for (code, provoking, strip, expected) in cases {
            let mut corners = Vec::new();
            assemble(code, strip, provoking, &mut corners);
            assert_eq!(corners, expected, "primitive {code}");
        }
    }
}
