//! Random kernels that are valid by construction: arithmetic on integers and floats, nested ifs, counted loops.
//!
//! Integers and floats are kept apart, and what is kept of floats is only sums, extrema and signs, so that every result
//! is exact but for the bits of a NaN and the sign of a zero.

use std::fmt::Write as _;

use crate::entropy::Entropy;

/// Integer operations of two sources, with their modifiers. All are defined for all inputs but division by zero.
const INTEGER: [&str; 20] = [
    "iadd",
    "isub",
    "imul",
    "umin",
    "umax",
    "imin",
    "imax",
    "shl",
    "ushr",
    "sshr",
    "udiv",
    "umod",
    "srem",
    "umulh",
    "smulh",
    "bitop table=8",
    "bitop table=14",
    "bitop table=6",
    "bitop table=4",
    "bitop table=1",
];

/// Float operations of two sources.
const FLOAT: [&str; 3] = ["fadd", "fmin", "fmax"];

/// Float operations of one source.
const SIGN: [&str; 3] = ["fneg", "fabs", "fsat"];

/// Comparisons.
const COMPARISON: [&str; 8] = [
    "icmp cond=ueq",
    "icmp cond=ult",
    "icmp cond=ugt",
    "icmp cond=slt",
    "icmp cond=sgt inv=1",
    "fcmp cond=eq",
    "fcmp cond=lt",
    "fcmp cond=ge inv=1",
];

const CONSTANT: [&str; 10] = ["0", "1", "2", "7", "31", "32", "-1", "0x80000000", "0x7fffffff", "0x12345678"];

const FLOAT_CONSTANT: [&str; 6] = ["0.0", "1.0", "-1.5", "1e-40", "3.4e38", "0.1"];

/// Deepest nesting of constructs.
const MOST_NESTED: usize = 3;

/// A kernel and how many of its results are integers; the rest is floats.
pub struct Kernel {
    /// The text.
    pub text: String,
    /// Results that are integers; they come first.
    pub integers: usize,
    /// Results.
    pub results: usize,
}

/// Makes a kernel by the choices of `entropy`.
pub fn any_kernel(entropy: &mut Entropy<'_>) -> Kernel {
    let mut writer = Writer {
        text: String::from("kernel @k(%0:32, %1:32, %2:32, %3:32) stage source {\nb0:\n"),
        next_value: 4,
        next_block: 1,
        block: 0,
        depth: 0,
        integers: vec!["%0".into(), "%1".into()],
        floats: vec!["%2".into(), "%3".into()],
    };
    writer.body(entropy, 4);
    let integers: Vec<String> = (0..3).map(|_| pick(&writer.integers, entropy)).collect();
    let floats: Vec<String> = (0..2).map(|_| pick(&writer.floats, entropy)).collect();
    writer.line(&format!("keep {}, {}", integers.join(", "), floats.join(", ")));
    writer.line("halt");
    writer.text.push_str("}\n");
    Kernel { text: writer.text, integers: integers.len(), results: integers.len() + floats.len() }
}

fn pick(names: &[String], entropy: &mut Entropy<'_>) -> String {
    // The latest values are the most interesting ones.
    let window = names.len().min(6);
    names[names.len() - 1 - entropy.below(window)].clone()
}

struct Writer {
    text: String,
    next_value: u32,
    next_block: u32,
    /// The block being written.
    block: u32,
    depth: usize,
    integers: Vec<String>,
    floats: Vec<String>,
}

impl Writer {
    fn line(&mut self, line: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "    {line}");
    }

    fn define(&mut self, bits: u8, what: &str) -> String {
        let name = format!("%{}", self.next_value);
        self.next_value += 1;
        self.line(&format!("{name}:{bits} = {what}"));
        name
    }

    fn begin_block(&mut self) -> u32 {
        self.block = self.next_block;
        self.next_block += 1;
        let _ = writeln!(self.text, "b{}:", self.block);
        self.block
    }

    fn integer(&self, entropy: &mut Entropy<'_>) -> String {
        match entropy.below(4) {
            0 => format!("#{}", CONSTANT[entropy.below(CONSTANT.len())]),
            _ => pick(&self.integers, entropy),
        }
    }

    fn float(&self, entropy: &mut Entropy<'_>) -> String {
        match entropy.below(4) {
            0 => format!("#{}", FLOAT_CONSTANT[entropy.below(FLOAT_CONSTANT.len())]),
            _ => pick(&self.floats, entropy),
        }
    }

    /// An operation called `row`, whose modifiers follow the sources.
    fn operation(&mut self, bits: u8, row: &str, sources: &[String]) -> String {
        let (name, modifiers) = row.split_once(' ').unwrap_or((row, ""));
        self.define(bits, format!("{name} {} {modifiers}", sources.join(", ")).trim_end())
    }

    fn condition(&mut self, entropy: &mut Entropy<'_>) -> String {
        let row = COMPARISON[entropy.below(COMPARISON.len())];
        let sources = match row.starts_with("icmp") {
            true => [pick(&self.integers, entropy), self.integer(entropy)],
            false => [pick(&self.floats, entropy), self.float(entropy)],
        };
        self.operation(1, row, &sources)
    }

    /// Up to `most` statements and one.
    fn body(&mut self, entropy: &mut Entropy<'_>, most: usize) {
        for _ in 0..=entropy.below(most) {
            self.statement(entropy);
        }
    }

    fn statement(&mut self, entropy: &mut Entropy<'_>) {
        match entropy.below(12) {
            0..=4 => {
                let row = INTEGER[entropy.below(INTEGER.len())];
                let mut sources = [pick(&self.integers, entropy), self.integer(entropy)];
                if row.starts_with("udiv") {
                    sources[1] = self.operation(32, "bitop table=14", &[sources[1].clone(), "#1".into()]);
                }
                let value = self.operation(32, row, &sources);
                self.integers.push(value);
            }
            5 => {
                let sources = [pick(&self.floats, entropy), self.float(entropy)];
                let value = self.operation(32, FLOAT[entropy.below(FLOAT.len())], &sources);
                self.floats.push(value);
            }
            6 => {
                let source = [pick(&self.floats, entropy)];
                let value = self.operation(32, SIGN[entropy.below(SIGN.len())], &source);
                self.floats.push(value);
            }
            7 => {
                let condition = self.condition(entropy);
                let sources = [condition, self.integer(entropy), self.integer(entropy)];
                let value = self.operation(32, "select", &sources);
                self.integers.push(value);
            }
            8..=9 if self.depth < MOST_NESTED => self.branch(entropy),
            10 if self.depth < MOST_NESTED => self.counted_loop(entropy),
            _ => {}
        }
    }

    /// An if with both arms, each with a body of its own, and a phi of each kind behind them.
    fn branch(&mut self, entropy: &mut Entropy<'_>) {
        let condition = self.condition(entropy);
        let outside = (self.integers.clone(), self.floats.clone());
        self.depth += 1;
        let mut ends = Vec::new();
        for opening in [format!("if {condition} {{"), String::from("} else {")] {
            self.line(&opening);
            self.begin_block();
            self.body(entropy, 3);
            ends.push((self.block, pick(&self.integers, entropy), pick(&self.floats, entropy)));
            (self.integers, self.floats) = outside.clone();
        }
        self.depth -= 1;
        self.line("}");
        self.begin_block();
        let [(b0, i0, f0), (b1, i1, f1)] = [&ends[0], &ends[1]];
        let integer = self.define(32, &format!("phi b{b0}: {i0}, b{b1}: {i1}"));
        let float = self.define(32, &format!("phi b{b0}: {f0}, b{b1}: {f1}"));
        self.integers.push(integer);
        self.floats.push(float);
    }

    /// A loop that runs up to three times and carries an integer and a float round.
    fn counted_loop(&mut self, entropy: &mut Entropy<'_>) {
        let rounds = entropy.below(4);
        let (before, first) = (self.block, (pick(&self.integers, entropy), pick(&self.floats, entropy)));
        let outside = (self.integers.clone(), self.floats.clone());
        self.depth += 1;
        self.line("loop {");
        self.begin_block();
        let phis = self.text.len();
        let [count, integer, float] = [0, 1, 2].map(|at| format!("%{}", self.next_value + at));
        self.next_value += 3;
        self.integers.push(integer.clone());
        self.floats.push(float.clone());
        let done = self.define(1, &format!("icmp {count}, #{rounds} cond=ult inv=1"));
        let leave = self.text.len();
        self.begin_block();
        self.text.truncate(leave);
        let (inside, other) = (self.block, self.next_block);
        self.next_block += 1;
        self.begin_block();
        let start = self.text.len();
        self.body(entropy, 3);
        let next = (pick(&self.integers, entropy), pick(&self.floats, entropy));
        let step = self.define(32, &format!("iadd {count}, #1"));
        let (end, after) = (self.block, self.next_block);
        let body = self.text.split_off(start);
        self.text.truncate(leave);
        let body_block = other + 1;
        let _ = write!(
            self.text,
            "    if {done} {{\nb{inside}:\n    jump b{after}\n    }} else {{\nb{other}:\n    }}\nb{body_block}:\n{body}"
        );
        let head = format!(
            "    {count}:32 = phi b{before}: #0, b{end}: {step}\n    {integer}:32 = phi b{before}: {}, b{end}: {}\n    \
             {float}:32 = phi b{before}: {}, b{end}: {}\n",
            first.0, next.0, first.1, next.1
        );
        self.text.insert_str(phis, &head);
        (self.integers, self.floats) = outside;
        self.depth -= 1;
        self.line("}");
        self.begin_block();
        self.integers.push(integer);
        self.floats.push(float);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::Generator;

    #[test]
    fn every_kernel_is_valid() {
        let mut generator = Generator::new(11);
        let (mut loops, mut branches) = (0, 0);
        for _ in 0..300 {
            let data = generator.bytes(256);
            let text = any_kernel(&mut Entropy::new(&data)).text;
            let bump = bumpalo::Bump::new();
            let functions =
                agx_compiler::ir::parse(&bump, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let checked = agx_compiler::ir::validate(&functions[0], functions[0].stage);
            assert!(checked.is_ok(), "{checked:?}\n{text}");
            loops += usize::from(text.contains("loop {"));
            branches += usize::from(text.contains("phi"));
        }
        assert!(loops > 50 && branches > loops, "{loops} with loops, {branches} with phis");
    }
}
