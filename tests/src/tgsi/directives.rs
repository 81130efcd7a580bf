//! Directives for tests in a program's own comments: lines `#! name value`.

use agx_random::Random;

/// A kind of input numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Floats of either sign, sometimes infinities, NaNs and extremes.
    Float,
    /// Floats of either sign whose magnitude is between 1/8 and 8.
    Nonzero,
    /// Positive floats.
    Positive,
    /// Floats between -4 and 4.
    Small,
    /// Floats between 0 and 1.
    Unit,
    /// Floats between -1 and 1.
    SignedUnit,
    /// Floats between -2 and 2.
    Unit2,
    /// Floats that are small integers.
    Integral,
    /// Floats between 0 and 3.
    Index,
    /// 32-bit integers, many small.
    Integer,
    /// Any bits.
    Bits,
    /// Pairs of half floats.
    HalfPair,
    /// 64-bit floats.
    Double,
    /// Positive 64-bit floats.
    DoublePositive,
    /// 64-bit integers, many small.
    Long,
}

const KINDS: &[(&str, Kind)] = &[
    ("float", Kind::Float),
    ("nonzero", Kind::Nonzero),
    ("positive", Kind::Positive),
    ("small", Kind::Small),
    ("unit", Kind::Unit),
    ("signed_unit", Kind::SignedUnit),
    ("unit2", Kind::Unit2),
    ("integral", Kind::Integral),
    ("index", Kind::Index),
    ("integer", Kind::Integer),
    ("bits", Kind::Bits),
    ("half_pair", Kind::HalfPair),
    ("double", Kind::Double),
    ("double_positive", Kind::DoublePositive),
    ("long", Kind::Long),
];

/// The directives of a program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Directives {
    /// `inputs`: kind of input numbers.
    pub inputs: Option<Kind>,
    /// `tolerance`: allowed relative difference of floats.
    pub tolerance: f32,
    /// `targets`: number of render targets.
    pub targets: u32,
    /// `compile`: the program is only compiled.
    pub only_compiles: bool,
}

impl Directives {
    /// Reads the comments of a program.
    ///
    /// # Errors
    /// An unknown directive or value.
    pub fn read(text: &str) -> Result<Directives, String> {
        let mut found = Directives { inputs: None, tolerance: 1e-6, targets: 1, only_compiles: false };
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("#!")) {
            let mut words = line.split_whitespace();
            let (name, value) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
            let unknown = || format!("unknown directive `{}`", line.trim());
            match name {
                "inputs" => {
                    let kind = KINDS.iter().find(|(known, _)| *known == value);
                    found.inputs = Some(kind.ok_or_else(unknown)?.1);
                }
                "tolerance" => found.tolerance = value.parse().map_err(|_| unknown())?,
                "targets" => found.targets = value.parse().map_err(|_| unknown())?,
                "compile" => found.only_compiles = true,
                _ => return Err(unknown()),
            }
        }
        Ok(found)
    }
}

/// A generator of input numbers.
#[derive(Clone, Debug)]
pub struct Numbers(Random);

/// Floats that are edge cases of operations.
const EDGES: [f32; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    // Powers of two, whose products are exact, so that fusing makes no difference.
    1_099_511_627_776.0,
    -1_099_511_627_776.0,
    16_777_216.0,
];

impl Numbers {
    /// Numbers from a seed.
    pub fn new(seed: u64) -> Numbers {
        Numbers(Random::new(seed))
    }

    /// The next word.
    pub fn word(&mut self) -> u32 {
        self.0.next_u32()
    }

    fn below(&mut self, count: u32) -> u32 {
        self.word() % count
    }

    /// A number from `least` to `most` in steps of 1/32.
    pub fn between(&mut self, least: f32, most: f32) -> f32 {
        let steps = ((most - least) * 32.0) as u32;
        least + self.below(steps + 1) as f32 / 32.0
    }

    /// `count` words of a kind; with `edges`, edge cases of the kind.
    pub fn words(&mut self, kind: Kind, count: usize, edges: bool) -> Vec<u32> {
        let wide = matches!(kind, Kind::Double | Kind::DoublePositive | Kind::Long);
        let mut words = Vec::with_capacity(count + 1);
        while words.len() < count {
            if wide {
                let bits = self.wide(kind);
                words.extend([bits as u32, (bits >> 32) as u32]);
            } else {
                words.push(self.one(kind, edges));
            }
        }
        words.truncate(count);
        words
    }

    fn one(&mut self, kind: Kind, edges: bool) -> u32 {
        let sign = if self.below(2) == 0 { 1.0 } else { -1.0 };
        let float = match kind {
            Kind::Float if edges => EDGES[self.below(EDGES.len() as u32) as usize],
            Kind::Float => self.between(-8.0, 8.0),
            Kind::Nonzero => sign * self.between(0.125, 8.0),
            Kind::Positive => self.between(0.125, 8.0),
            Kind::Small => self.between(-4.0, 4.0),
            Kind::Unit => self.between(0.0, 1.0),
            Kind::SignedUnit => self.between(-1.0, 1.0),
            Kind::Unit2 => self.between(-2.0, 2.0),
            Kind::Integral => (self.below(17) as f32) - 8.0,
            Kind::Index => self.between(0.0, 3.0),
            Kind::HalfPair => {
                let halves = [self.between(-8.0, 8.0), self.between(-8.0, 8.0)];
                let [low, high] = halves.map(|value| u32::from(half::f16::from_f32(value).to_bits()));
                return low | high << 16;
            }
            Kind::Integer if self.below(3) != 0 => return self.below(40).wrapping_sub(20),
            _ => return self.word(),
        };
        float.to_bits()
    }

    fn wide(&mut self, kind: Kind) -> u64 {
        let any = u64::from(self.word()) | u64::from(self.word()) << 32;
        match kind {
            Kind::Double => f64::from(self.between(-8.0, 8.0) * 1.25).to_bits(),
            Kind::DoublePositive => f64::from(self.between(0.125, 8.0) * 1.25).to_bits(),
            _ => match self.below(3) {
                0 => any,
                1 => u64::from(self.below(40)).wrapping_sub(20),
                _ => any >> 20,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_read_and_unknown_ones_refused() {
        let found = Directives::read("# text\n#! inputs long\n#! tolerance 1e-3\nFRAG").expect("reads");
        assert_eq!((found.inputs, found.tolerance), (Some(Kind::Long), 1e-3));
        assert_eq!(Directives::read("#! inputs none"), Err("unknown directive `inputs none`".to_owned()));
        assert!(Directives::read("#! speed 3").is_err());
    }
}
