//! Whether machine and interpreter agree.
//!
//! Most results agree to a few units in the last place. Where a program is sensitive to rounding (a difference of near
//! numbers, a comparison at its threshold), the interpreter runs again with results that are off by as much as the
//! compiler may be; the machine's result must lie among those.

use agx_agal::interpret::{Inputs, Outputs, Textures, Vector, run, run_rounded};
use agx_agal::{Opcode, Shader};

/// Runs with other rounding.
const RUNS: u64 = 24;

/// What a relative difference may be without further questions.
const RELATIVE: f32 = 2e-6;

/// Differences below this count as none: products of small numbers may have become zero.
const ABSOLUTE: f32 = 1e-30;

/// How results compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Agreement {
    /// Agreed to a few units in the last place.
    pub direct: usize,
    /// Agreed with some way of rounding.
    pub rounded: usize,
}

impl Agreement {
    /// Adds another.
    pub fn add(&mut self, other: Agreement) {
        self.direct += other.direct;
        self.rounded += other.rounded;
    }
}

/// What the interpreter runs with.
pub struct Oracle<'o> {
    /// The program.
    pub shader: &'o Shader,
    /// Its constants.
    pub constants: &'o [Vector],
    /// Its textures.
    pub textures: &'o dyn Textures,
}

impl Oracle<'_> {
    /// Compares what the machine gives for four lanes.
    ///
    /// # Errors
    /// The first result that no rounding explains.
    pub fn agrees(&self, inputs: &[Inputs; 4], found: &[Outputs; 4]) -> Result<Agreement, String> {
        let expected = run(self.shader, self.constants, inputs, self.textures);
        let mut agreement = Agreement::default();
        let mut others: Option<Vec<[Outputs; 4]>> = None;
        for lane in 0..4 {
            let names = self.names(&found[lane]);
            for name in names {
                let (machine, interpreter) = (name.of(&found[lane]), name.of(&expected[lane]));
                if close(machine, interpreter) {
                    agreement.direct += 1;
                    continue;
                }
                let others = others.get_or_insert_with(|| self.otherwise(inputs));
                let values = others.iter().map(|outputs| name.of(&outputs[lane])).chain([interpreter]);
                if !among(machine, values) {
                    return Err(format!(
                        "lane {lane}, {name:?}: the machine gives {machine:e}, the interpreter {interpreter:e}"
                    ));
                }
                agreement.rounded += 1;
            }
        }
        Ok(agreement)
    }

    /// What the interpreter gives with other rounding.
    fn otherwise(&self, inputs: &[Inputs; 4]) -> Vec<[Outputs; 4]> {
        (1..=RUNS)
            .map(|seed| {
                let lost = [None, Some(0.0), Some(1.0), Some(-1.0)][seed as usize % 4];
                let mut noise = Noise { state: seed << 32, lost };
                let mut rounding = |opcode, operand, result| noise.round(opcode, operand, result);
                run_rounded(self.shader, self.constants, inputs, self.textures, &mut rounding)
            })
            .collect()
    }

    /// The results that are compared: of a discarded fragment only that it is.
    fn names(&self, found: &Outputs) -> Vec<Place> {
        let interface = &self.shader.interface;
        let mut names = vec![Place::Killed];
        if found.killed {
            return names;
        }
        let colours = (0..4).filter(|at| interface.outputs[*at] != 0);
        // Vertex programs have one output, whatever they name.
        let colours = colours.filter(|at| *at == 0 || self.shader.stage == agx_agal::Stage::Fragment);
        names.extend(colours.flat_map(|register| (0..4).map(move |at| Place::Output(register, at))));
        let varyings = (0..16).filter(|at| interface.varyings_written[*at] != 0);
        names.extend(varyings.flat_map(|register| (0..4).map(move |at| Place::Varying(register, at))));
        if interface.depth {
            names.push(Place::Depth);
        }
        names
    }
}

/// A result of a lane.
#[derive(Clone, Copy, Debug)]
enum Place {
    Killed,
    Output(usize, usize),
    Varying(usize, usize),
    Depth,
}

impl Place {
    fn of(self, outputs: &Outputs) -> f32 {
        match self {
            Place::Killed => f32::from(u8::from(outputs.killed)),
            Place::Output(register, at) => outputs.outputs[register][at],
            Place::Varying(register, at) => outputs.varyings[register][at],
            Place::Depth => outputs.depth,
        }
    }
}

fn close(a: f32, b: f32) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= ABSOLUTE + RELATIVE * a.abs().max(b.abs())
}

/// Whether a result lies among others, or near them by as much as they differ.
fn among(found: f32, others: impl Iterator<Item = f32> + Clone) -> bool {
    if !found.is_finite() {
        return others.into_iter().any(|other| other == found || other.is_nan() && found.is_nan());
    }
    let finite = others.filter(|other| other.is_finite()).map(f64::from);
    let low = finite.clone().fold(f64::INFINITY, f64::min);
    let high = finite.fold(f64::NEG_INFINITY, f64::max);
    let slack = (high - low) + f64::from(RELATIVE) * low.abs().max(high.abs()) + f64::from(ABSOLUTE);
    (low - slack..=high + slack).contains(&f64::from(found))
}

/// Results that are off by as much as the compiler's may be.
struct Noise {
    state: u64,
    /// What sine and cosine of an angle give whose spacing is wider than a turn.
    lost: Option<f32>,
}

impl Noise {
    /// A number from −1 to 1.
    fn next(&mut self) -> f32 {
        // splitmix64: seeds that follow each other give unrelated numbers.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    fn round(&mut self, opcode: Opcode, operand: f32, result: f32) -> f32 {
        use Opcode::{
            Abs, Cos, Ddx, Ddy, Max, Min, Mov, Neg, Pow, Sat, Seq, Sge, Sgn, Sin, Slt, Sne, Ted, Tex,
        };
        if matches!(opcode, Mov | Abs | Neg | Min | Max | Sat | Sgn | Seq | Sne | Sge | Slt | Ddx | Ddy) {
            return result;
        }
        let number = self.next();
        if result == 0.0 {
            // The machine's products lose the sign of zero.
            return if number < 0.0 { -0.0 } else { 0.0 };
        }
        let unit = result.abs() / (1 << 22) as f32;
        match opcode {
            Sin | Cos if operand.abs() > 1e6 => self.lost.unwrap_or(number),
            Sin | Cos => result + number * (5e-7 + operand.abs() * 2e-7),
            Pow => result + number * unit * (1.0 + result.abs().log2().abs()),
            // Weights of a linear filter are differences of coordinates.
            Tex | Ted => result + number * (unit + operand.abs() * 2e-6),
            _ if is_short(result) => result,
            _ => result + number * unit,
        }
    }
}

/// Few bits of the significand are used: the operation was exact, in all likelihood.
fn is_short(number: f32) -> bool {
    number.to_bits() & 0x3ff == 0
}
