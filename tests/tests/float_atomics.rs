//! Atomic sums of floats, which are loops around compare-and-exchange.

use agx_compiler::{CompileKey, Input};
use agx_tests::driver::{compile, launch, storage_buffer};
use agx_tests::tools::Tools;

const SOURCE: &str = include_str!("float_atomics/sum.comp");

const LANES: u32 = 40;
const GROUPS: u32 = 3;

#[test]
fn no_addition_is_lost() {
    let tools = Tools::find(std::env::temp_dir().join("agx-tests-float-atomics"));
    let Some(module) = tools.glsl_or_skip(SOURCE, "comp", "vulkan1.3") else { return };
    let mut key = CompileKey::default();
    key.validate = true;
    let shader = compile(Input::spirv(&module), &key).expect("compiles");
    for seed in 0..3 {
        let sums = vec![0; 4 + 4 * GROUPS as usize];
        let seen = vec![0; 4 * (LANES * GROUPS) as usize];
        let mut buffers = [storage_buffer(0, 0, sums, true), storage_buffer(0, 1, seen, true)];
        launch(&shader, &mut buffers, &[], [GROUPS, 1, 1], seed).expect("runs");
        let floats = |bytes: &[u8]| -> Vec<f32> {
            bytes
                .chunks_exact(4)
                .map(|word| f32::from_le_bytes(word.try_into().expect("four bytes")))
                .collect()
        };
        let odd = |count: u32| (0..count).filter(|number| number % 2 == 1);
        let sum = |count: u32| odd(count).sum::<u32>() as f32;
        let mut wanted = vec![sum(LANES * GROUPS)];
        wanted.extend((0..GROUPS).map(|_| sum(LANES) + 0.5));
        assert_eq!(floats(&buffers[0].bytes), wanted, "seed {seed}");
        // Every addition saw the sum of another one, so each sum except the last is seen once.
        let seen = floats(&buffers[1].bytes);
        let mut sums: Vec<u32> = odd(LANES * GROUPS).map(|number| seen[number as usize] as u32).collect();
        let mut left: Vec<u32> =
            odd(LANES * GROUPS).map(|number| seen[number as usize] as u32 + number).collect();
        sums.sort_unstable();
        left.sort_unstable();
        assert_eq!(sums[0], 0);
        assert_eq!(sums[1..], left[..left.len() - 1], "seed {seed}");
    }
}
