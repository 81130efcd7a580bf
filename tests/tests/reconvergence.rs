//! The invocations that an operation across lanes sees, by the rules of maximal reconvergence: those that take a branch
//! together stay converged until the merge block of the branch, and each iteration of a loop begins with those that
//! continue.

use agx_compiler::{CompileKey, Input};
use agx_tests::driver::{compile, launch, storage_buffer};

const LANES: u32 = 32;

/// Runs a function `body(lane: u32) -> u32` in one subgroup and returns the result of every lane.
fn run(functions: &str) -> Vec<u32> {
    let text = format!(
        "
        @group(0) @binding(0) var<storage, read_write> results: array<u32>;
        {functions}
        @compute @workgroup_size({LANES})
        fn main(@builtin(local_invocation_index) lane: u32) {{
            let result = body(lane);
            results[lane] = result;
        }}"
    );
    let mut key = CompileKey::default();
    key.validate = true;
    let shader = compile(Input::wgsl(&text), &key).expect("compiles");
    let mut buffers = [storage_buffer(0, 0, vec![0; LANES as usize * 4], true)];
    launch(&shader, &mut buffers, &[], [1; 3], 0).expect("runs");
    buffers[0].bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Checks that the result of every lane equals `expected`.
fn check(functions: &str, expected: impl Fn(u32) -> u32) {
    let wanted: Vec<u32> = (0..LANES).map(expected).collect();
    assert_eq!(run(functions), wanted, "{functions}");
}

/// Number of lanes for which a condition is true.
fn count(holds: impl Fn(u32) -> bool) -> u32 {
    (0..LANES).filter(|lane| holds(*lane)).count() as u32
}

#[test]
fn those_that_break_in_one_round_are_together() {
    check(
        "fn body(lane: u32) -> u32 {
            var together = 0u;
            for (var i = 0u; i < 9u; i++) {
                if i == lane % 5u {
                    together = subgroupAdd(1u) + 100u * i;
                    break;
                }
            }
            return together * 100u + subgroupAdd(1u);
        }",
        |lane| (count(|other| other % 5 == lane % 5) + 100 * (lane % 5)) * 100 + LANES,
    );
}

#[test]
fn the_way_to_a_break_may_branch_and_loop() {
    check(
        "fn body(lane: u32) -> u32 {
            var together = 0u;
            for (var i = 0u; i < 9u; i++) {
                if i == lane % 3u {
                    if (lane & 4u) != 0u {
                        together = subgroupAdd(1u);
                    } else {
                        for (var j = 0u; j < 1u + (lane >> 4u); j++) {
                            together += subgroupAdd(1u);
                        }
                    }
                    together = together * 100u + subgroupAdd(1u);
                    break;
                }
            }
            return together;
        }",
        |lane| {
            let leaves = |other: u32| other % 3 == lane % 3;
            let sum = match lane & 4 {
                0 => {
                    let rounds =
                        |round: u32| count(|other| leaves(other) && other & 4 == 0 && other >> 4 >= round);
                    (0..=lane >> 4).map(rounds).sum()
                }
                _ => count(|other| leaves(other) && other & 4 != 0),
            };
            sum * 100 + count(leaves)
        },
    );
}

#[test]
fn those_that_return_in_one_round_are_together() {
    check(
        "fn search(lane: u32) -> u32 {
            for (var i = 0u; i < 4u; i++) {
                for (var j = 0u; j < 4u; j++) {
                    if i * 4u + j == lane % 7u {
                        return subgroupAdd(1u);
                    }
                }
            }
            return 0u;
        }
        fn body(lane: u32) -> u32 {
            let together = search(lane);
            return together * 100u + subgroupAdd(1u);
        }",
        |lane| count(|other| other % 7 == lane % 7) * 100 + LANES,
    );
}

#[test]
fn functions_called_on_the_way_to_a_break_count_too() {
    check(
        "fn together() -> u32 { return subgroupAdd(1u); }
        fn body(lane: u32) -> u32 {
            var sum = 0u;
            loop {
                if sum >= lane {
                    sum = sum * 100u + together();
                    break;
                }
                sum += 8u;
            }
            return sum;
        }",
        |lane| {
            let rounds = |lane: u32| lane.div_ceil(8);
            rounds(lane) * 800 + count(|other| rounds(other) == rounds(lane))
        },
    );
}

#[test]
fn a_round_is_over_for_those_that_continue_when_it_is_over_for_all() {
    check(
        "fn body(lane: u32) -> u32 {
            var sum = 0u;
            for (var i = 0u; i < 4u; i++) {
                sum += 10000u * subgroupAdd(1u);
                if lane % 4u == i {
                    sum += subgroupAdd(1u);
                    continue;
                }
                sum += 100u * subgroupAdd(1u);
            }
            return sum;
        }",
        |_| 4 * 10_000 * LANES + LANES / 4 + 100 * 3 * (LANES / 4 * 3),
    );
}

#[test]
fn a_switch_in_a_loop_keeps_its_cases_apart() {
    check(
        "fn body(lane: u32) -> u32 {
            var sum = 0u;
            for (var i = 0u; i < 3u; i++) {
                switch (lane + i) % 4u {
                    case 0u: { sum += subgroupAdd(1u); }
                    case 1u: { if i == 1u { sum += 10u * subgroupAdd(1u); continue; } }
                    case 2u: { if i == 2u { return sum * 10u + subgroupAdd(1u); } }
                    default: { sum += 100u * subgroupAdd(lane); }
                }
                sum += 100000u * subgroupAdd(1u);
            }
            return sum;
        }",
        |lane| {
            let mut sum = 0;
            for round in 0..3 {
                let case = |other: u32| (other + round) % 4;
                match case(lane) {
                    0 => sum += LANES / 4,
                    1 if round == 1 => {
                        sum += 10 * (LANES / 4);
                        continue;
                    }
                    2 if round == 2 => return sum * 10 + LANES / 4,
                    3 => sum += 100 * (0..LANES).filter(|other| case(*other) == 3).sum::<u32>(),
                    _ => {}
                }
                sum += 100_000 * if round == 0 { LANES } else { LANES / 4 * 3 };
            }
            sum
        },
    );
}
