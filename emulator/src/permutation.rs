//! Orders of workgroups and tiles that the seed selects.

use crate::rng::Rng;

/// Enumerates the numbers below `count`: in order for seed 0, otherwise permuted.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    count: u64,
    step: u64,
    next: u64,
    left: u64,
}

impl Permutation {
    pub(crate) fn new(count: u64, seed: u64) -> Permutation {
        if seed == 0 || count < 2 {
            return Permutation { count, step: 1, next: 0, left: count };
        }
        let mut rng = Rng::new(seed.rotate_left(32));
        let mut step = 1 + rng.below(count - 1);
        while common_divisor(step, count) != 1 {
            step = step % (count - 1) + 1;
        }
        Permutation { count, step, next: rng.below(count), left: count }
    }
}

impl Iterator for Permutation {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.left = self.left.checked_sub(1)?;
        let number = self.next;
        self.next = ((u128::from(number) + u128::from(self.step)) % u128::from(self.count)) as u64;
        Some(number)
    }
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_have_every_number_once() {
        for count in [0, 1, 2, 3, 12, 97, 1000] {
            for seed in [0, 1, 2, 77] {
                let mut seen: Vec<u64> = Permutation::new(count, seed).collect();
                seen.sort_unstable();
                assert_eq!(seen, (0..count).collect::<Vec<_>>(), "{count} with seed {seed}");
            }
        }
        assert_eq!(Permutation::new(5, 0).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert_ne!(
            Permutation::new(1000, 1).collect::<Vec<_>>(),
            Permutation::new(1000, 2).collect::<Vec<_>>()
        );
    }
}
