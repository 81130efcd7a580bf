//! Thirty-two generations of the Game of Life.

use super::host::{Random, word_bytes, words};
use super::{Buffers, Demo, Source};

/// Words in a row, different from the shader's default, so that the specialization constant matters.
const WORDS: usize = 4;
const ROWS: usize = 96;
const GENERATIONS: u32 = 32;
const COLUMNS: usize = WORDS * 32;

/// The demo.
pub static DEMO: Demo = Demo {
    name: "life",
    title: "Game of Life, 32 generations of 128 × 96 cells in bit-sliced adders (SPIR-V from GLSL)",
    source: Source::SpirV {
        bytes: include_bytes!("../../shaders/life.spv"),
        text: include_str!("../../shaders/life.comp"),
    },
    spec_constants: &[(0, WORDS as u64)],
    push_constants: || word_bytes([ROWS as u32]),
    buffers,
    workgroups: [(WORDS * ROWS / 32) as u32, 1, 1],
    launches: GENERATIONS,
    check,
    picture: None,
};

/// A random world with three live cells out of eight.
fn world() -> Vec<u32> {
    let mut random = Random::new(0xc0ff_ee11);
    (0..WORDS * ROWS).map(|_| random.word() & (random.word() | random.word())).collect()
}

fn buffers() -> Buffers {
    vec![word_bytes(world()), vec![0; WORDS * ROWS * 4]]
}

fn check(buffers: &Buffers) -> Result<String, String> {
    let mut cells: Vec<bool> =
        world().iter().flat_map(|word| (0..32).map(move |bit| word >> bit & 1 == 1)).collect();
    for _ in 0..GENERATIONS {
        cells = (0..cells.len()).map(|index| lives(&cells, index)).collect();
    }
    let found = words(&buffers[0]);
    let wrong = (0..cells.len()).find(|index| (found[index / 32] >> (index % 32) & 1 == 1) != cells[*index]);
    match wrong {
        Some(index) => Err(format!("cell {} of row {} is wrong", index % COLUMNS, index / COLUMNS)),
        None => {
            let alive = cells.iter().filter(|cell| **cell).count();
            Ok(format!("all {} cells agree, {alive} of them alive", cells.len()))
        }
    }
}

/// Whether cell `index` lives in the next generation, by counting neighbours one by one.
fn lives(cells: &[bool], index: usize) -> bool {
    let (row, column) = (index / COLUMNS, index % COLUMNS);
    let mut neighbours = 0;
    for (down, right) in (0..9).map(|n| (n / 3, n % 3)).filter(|step| *step != (1, 1)) {
        let (r, c) = ((row + ROWS + down - 1) % ROWS, (column + COLUMNS + right - 1) % COLUMNS);
        neighbours += u32::from(cells[r * COLUMNS + c]);
    }
    neighbours == 3 || (neighbours == 2 && cells[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of three turns into a column of three, across the seam of the torus.
    #[test]
    fn a_blinker_blinks() {
        let mut cells = vec![false; COLUMNS * ROWS];
        for column in [COLUMNS - 1, 0, 1] {
            cells[column] = true;
        }
        let next: Vec<usize> = (0..cells.len()).filter(|index| lives(&cells, *index)).collect();
        assert_eq!(next, [0, COLUMNS, (ROWS - 1) * COLUMNS]);
    }
}
