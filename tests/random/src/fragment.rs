//! Random fragment shaders in WGSL: atomics, stores and derivatives around discards, in nested ifs, loops, switches and
//! functions.
//!
//! The words that invocations share are changed only by atomics whose order does not matter, and whose results are not
//! read. Derivatives are of small integers, which floats hold exactly, and stand where all invocations of a quad arrive.

use std::fmt::Write as _;

use crate::entropy::Entropy;

/// Pixels along each side of the picture.
pub const SIDE: usize = 8;

/// Words of the buffer at binding 0, which invocations share.
pub const SHARED_WORDS: usize = 16;

/// Words of each pixel in the buffer at binding 1.
pub const OWN_WORDS: usize = 8;

/// Words of the buffer at binding 2, which are only read.
pub const READ_WORDS: usize = 16;

/// Words of a pixel that a shader stores once, at its end.
const RESULTS: usize = 4;

/// Maximum depth of constructs.
const MOST_NESTED: usize = 3;

/// A shader.
pub struct Fragment {
    /// The text.
    pub text: String,
    /// Whether it computes derivatives.
    pub has_derivatives: bool,
}

/// Generates a shader with choices from `entropy`. If `fixed_loops`, the loops of a shader with derivatives have constant
/// numbers of iterations, which all invocations execute: invocations that a discard has ended may leave other loops early.
pub fn any_fragment(entropy: &mut Entropy<'_>, fixed_loops: bool) -> Fragment {
    let has_derivatives = entropy.flip();
    let mut writer = Writer {
        entropy,
        text: String::new(),
        has_derivatives,
        fixed_loops: fixed_loops && has_derivatives,
        depth: 0,
        loops: Vec::new(),
        next: 0,
        budget: 40,
        is_function: false,
    };
    writer.shader();
    Fragment { text: writer.text, has_derivatives }
}

struct Writer<'e, 'd> {
    entropy: &'e mut Entropy<'d>,
    text: String,
    has_derivatives: bool,
    fixed_loops: bool,
    depth: usize,
    /// The variable of each open loop; `None` for a switch, because `break` would leave the switch.
    loops: Vec<Option<usize>>,
    /// The number of the next loop variable.
    next: usize,
    /// Remaining statements.
    budget: usize,
    is_function: bool,
}

impl Writer<'_, '_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:width$}{line}", "", width = 2 * (self.depth + 1));
    }

    fn shader(&mut self) {
        self.text = format!(
            "@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>, {SHARED_WORDS}>;\n\
             @group(0) @binding(1) var<storage, read_write> own: array<u32, {}>;\n\
             @group(0) @binding(2) var<storage, read> k: array<u32, {READ_WORDS}>;\n",
            OWN_WORDS * SIDE * SIDE
        );
        self.text.push_str(
            "fn f(x: u32, y: u32, p: u32, start: u32) -> u32 {\n  var a = start; var b = 0u; var c = x;\n",
        );
        self.is_function = true;
        self.statements(3);
        self.text.push_str(
            "  return a + b;\n}\n@fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {\n",
        );
        self.is_function = false;
        let _ = writeln!(
            self.text,
            "  let x = u32(at.x); let y = u32(at.y); let p = {OWN_WORDS}u * ({SIDE}u * y + x);\n  \
             var a = x; var b = y; var c = 1u; var d = 0f;"
        );
        for _ in 0..2 + self.entropy.below(3) {
            self.statements(4);
            if self.has_derivatives {
                self.derivative();
            }
        }
        for (place, name) in ["a", "b", "c", "u32(i32(d))"].into_iter().enumerate().take(RESULTS) {
            let _ = writeln!(self.text, "  own[p + {}u] = {name};", OWN_WORDS - 1 - place);
        }
        self.text.push_str("  return vec4f(1.0);\n}\n");
    }

    /// Adds a derivative to d.
    fn derivative(&mut self) {
        let value = self.expression(2);
        let axis = if self.entropy.flip() { "dpdxFine" } else { "dpdyFine" };
        self.line(&format!("d = f32(i32(d) & 255) + {axis}(f32({value} & 255u));"));
    }

    fn statements(&mut self, most: usize) {
        for _ in 0..1 + self.entropy.below(most) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement();
        }
    }

    fn statement(&mut self) {
        let nests = self.depth < MOST_NESTED;
        match self.entropy.below(16) {
            0..3 => self.assignment(),
            3..6 => self.atomic(),
            6 => self.store(),
            7 if !self.has_derivatives => self.load(),
            8..10 => self.discard(),
            10..12 if nests => self.if_else(),
            12 | 13 if nests => self.count(),
            14 if nests => self.switch(),
            15 => self.leave(),
            7 if !self.is_function => self.call(),
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) {
        let (name, value) = (self.variable(), self.expression(2));
        self.line(&format!("{name} = {value};"));
    }

    fn atomic(&mut self) {
        let op = ["atomicAdd", "atomicAdd", "atomicMax", "atomicOr", "atomicXor"][self.entropy.below(5)];
        // Sums, and the other operations, do not commute with each other: each has its own words.
        let first = match op {
            "atomicAdd" => 0,
            "atomicMax" => 8,
            "atomicOr" => 12,
            _ => 14,
        };
        let count = if first == 0 { 8 } else { 2 };
        let (place, value) = (self.expression(1), self.expression(1));
        self.line(&format!("{op}(&n[{first}u + ({place} % {count}u)], {value});"));
    }

    fn store(&mut self) {
        let (place, value) = (self.entropy.below(OWN_WORDS - RESULTS), self.expression(1));
        self.line(&format!("own[p + {place}u] = {value};"));
    }

    fn load(&mut self) {
        let (name, place) = (self.variable(), self.entropy.below(OWN_WORDS - RESULTS));
        self.line(&format!("{name} = own[p + {place}u];"));
    }

    fn discard(&mut self) {
        let condition = self.condition();
        match self.entropy.below(6) {
            0 if self.depth > 0 => self.line("discard;"),
            1 => self.line(&format!("if {condition} {{ c += 1u; discard; }}")),
            2 => {
                let value = self.expression(1);
                self.line(&format!("if {condition} {{ discard; }} else {{ b = {value}; }}"));
            }
            _ => self.line(&format!("if {condition} {{ discard; }}")),
        }
    }

    fn if_else(&mut self) {
        let condition = self.condition();
        self.line(&format!("if {condition} {{"));
        self.nested(None);
        if self.entropy.flip() {
            self.line("} else {");
            self.nested(None);
        }
        self.line("}");
    }

    /// A loop with a few iterations.
    fn count(&mut self) {
        let (i, kind) = (self.next, self.entropy.below(4));
        self.next += 1;
        let most = match kind {
            0 | 1 if !self.fixed_loops => format!("({} % 5u)", self.expression(1)),
            2 if !self.fixed_loops => format!("(k[{}] % 6u)", self.entropy.below(READ_WORDS)),
            _ => format!("{}u", self.entropy.below(6)),
        };
        self.line(&format!("for (var i{i} = 0u; i{i} < {most}; i{i}++) {{"));
        self.nested(Some(Some(i)));
        self.line("}");
    }

    fn switch(&mut self) {
        let value = self.expression(1);
        self.line(&format!("switch {value} % 4u {{"));
        for case in 0..2 {
            self.line(&format!("case {case}u: {{"));
            self.nested(Some(None));
            self.line("}");
        }
        self.line("default: {");
        self.nested(Some(None));
        self.line("}");
        self.line("}");
    }

    /// A construct's body. A loop gives its variable, a switch none.
    fn nested(&mut self, around: Option<Option<usize>>) {
        self.depth += 1;
        self.loops.extend(around);
        self.statements(3);
        if around.is_some() {
            self.loops.pop();
        }
        self.depth -= 1;
    }

    /// Leaves the innermost loop, its iteration, or the function.
    fn leave(&mut self) {
        let condition = self.condition();
        let way = match self.entropy.below(3) {
            0 if self.is_function => "return b;",
            1 if self.loops.last().is_some_and(Option::is_some) => "continue;",
            _ if !self.loops.is_empty() => "break;",
            _ => return self.assignment(),
        };
        if self.fixed_loops {
            return self.assignment();
        }
        self.line(&format!("if {condition} {{ {way} }}"));
    }

    fn call(&mut self) {
        let (name, value) = (self.variable(), self.expression(1));
        self.line(&format!("{name} = f(x, y, p, {value});"));
    }

    fn variable(&mut self) -> &'static str {
        ["a", "b", "c"][self.entropy.below(3)]
    }

    fn expression(&mut self, depth: usize) -> String {
        match self.entropy.below(if depth == 0 { 5 } else { 10 }) {
            0 => "x".to_owned(),
            1 => "y".to_owned(),
            2 => format!("{}u", self.entropy.below(9)),
            3 => match self.loops.iter().rev().flatten().next() {
                Some(i) => format!("i{i}"),
                None => format!("k[{}]", self.entropy.below(READ_WORDS)),
            },
            4 => self.variable().to_owned(),
            choice => {
                let op = ["+", "*", "^", "&", "-"][choice - 5];
                let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
                format!("({left} {op} {right})")
            }
        }
    }

    fn condition(&mut self) -> String {
        let left = self.expression(1);
        match self.entropy.below(4) {
            0 => format!("{left} == {}u", self.entropy.below(SIDE)),
            1 => format!("({left} & {}u) != 0u", 1 + self.entropy.below(7)),
            2 => format!("{left} < {}", self.expression(1)),
            _ => format!("{left} % 3u == {}u", self.entropy.below(3)),
        }
    }
}
