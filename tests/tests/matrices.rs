//! Products of cooperative matrices compared with sums of products.

use agx_compiler::{CompileKey, Input};
use agx_random::Random;
use agx_tests::driver::{compile, launch, storage_buffer};
use half::f16;

const SOURCE: &str = include_str!("matrices/products.wgsl");

/// Rows and columns of the matrices.
const SIDE: usize = 16;

/// Elements of one type, as numbers that are exact in it.
#[derive(Clone, Copy)]
struct Elements {
    name: &'static str,
    to_bytes: fn(i32) -> Vec<u8>,
    from_bytes: fn(&[u8]) -> f32,
    bytes: usize,
}

const F32: Elements = Elements {
    name: "f32",
    to_bytes: |number| (number as f32).to_le_bytes().to_vec(),
    from_bytes: |bytes| f32::from_le_bytes(bytes.try_into().expect("four bytes")),
    bytes: 4,
};

const F16: Elements = Elements {
    name: "f16",
    to_bytes: |number| f16::from_f32(number as f32).to_le_bytes().to_vec(),
    from_bytes: |bytes| f16::from_le_bytes(bytes.try_into().expect("two bytes")).to_f32(),
    bytes: 2,
};

/// Small integers, whose sums of products are exact in 16 bits.
fn numbers(random: &mut Random) -> Vec<i32> {
    random.bytes(SIDE * SIDE).into_iter().map(|byte| i32::from(byte % 9) - 4).collect()
}

fn bytes(numbers: &[i32], elements: Elements) -> Vec<u8> {
    numbers.iter().flat_map(|number| (elements.to_bytes)(*number)).collect()
}

/// `2 · (A · B + C) + A₀ · B₀`, where C is given by columns, and A₀ and B₀ are the first columns and rows.
fn expected(a: &[i32], b: &[i32], c: &[i32]) -> Vec<f32> {
    let element = |row: usize, column: usize| {
        let products =
            |count: usize| -> i32 { (0..count).map(|at| a[row * SIDE + at] * b[at * SIDE + column]).sum() };
        (2 * (products(SIDE) + c[column * SIDE + row]) + products(8)) as f32
    };
    (0..SIDE * SIDE).map(|at| element(at / SIDE, at % SIDE)).collect()
}

#[test]
fn products_are_sums_of_products() {
    let mut random = Random::new(11);
    for (factors, sums) in [(F32, F32), (F16, F32), (F16, F16)] {
        let source = SOURCE.replace("FACTOR", factors.name).replace("SUM", sums.name);
        let mut key = CompileKey::default();
        key.validate = true;
        let shader = compile(Input::wgsl(&source), &key).expect("compiles");
        let [a, b, c] = [(); 3].map(|()| numbers(&mut random));
        let mut buffers = [
            storage_buffer(0, 0, bytes(&a, factors), true),
            storage_buffer(0, 1, bytes(&b, factors), true),
            storage_buffer(0, 2, bytes(&c, sums), true),
            storage_buffer(0, 3, vec![0; SIDE * SIDE * sums.bytes], true),
            storage_buffer(0, 4, vec![0; SIDE * SIDE * factors.bytes], true),
        ];
        let tiles = (SIDE / 8) as u32;
        launch(&shader, &mut buffers, &[], [tiles, tiles, 1], 1).expect("runs without a finding");
        let result: Vec<f32> = buffers[3].bytes.chunks(sums.bytes).map(sums.from_bytes).collect();
        assert_eq!(result, expected(&a, &b, &c), "{} and {}", factors.name, sums.name);
        let doubled: Vec<f32> = buffers[4].bytes.chunks(factors.bytes).map(factors.from_bytes).collect();
        let expected: Vec<f32> = a.iter().map(|number| (2 * number) as f32).collect();
        assert_eq!(doubled, expected, "{}", factors.name);
    }
}
