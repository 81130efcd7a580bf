//! Compares the results of machine and interpreter.
//!
//! Most results agree to a few units in the last place. The others must be within the interpreter's results with other
//! roundings.

use agx_agal::interpret::{Inputs, Outputs, Textures, Vector, run, run_rounded};
use agx_agal::{Opcode, Shader};

use crate::rounding::{Noise, Precision, RUNS, among, close};

/// Number of results by kind of agreement.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Agreement {
    /// Agreed to a few units in the last place.
    pub direct: usize,
    /// Agreed with some rounding.
    pub rounded: usize,
}

impl Agreement {
    /// Adds another.
    pub fn add(&mut self, other: Agreement) {
        self.direct += other.direct;
        self.rounded += other.rounded;
    }
}

/// The inputs of the interpreter.
pub struct Oracle<'o> {
    /// The program.
    pub shader: &'o Shader,
    /// Its constants.
    pub constants: &'o [Vector],
    /// Its textures.
    pub textures: &'o dyn Textures,
}

impl Oracle<'_> {
    /// Compares the machine's results for four lanes.
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

    /// The interpreter's results with other roundings.
    fn otherwise(&self, inputs: &[Inputs; 4]) -> Vec<[Outputs; 4]> {
        (1..=RUNS)
            .map(|run| {
                let mut noise = Noise::new(run);
                let mut rounding = |opcode, operand, result| noise.round(precision(opcode), operand, result);
                run_rounded(self.shader, self.constants, inputs, self.textures, &mut rounding)
            })
            .collect()
    }

    /// The results to compare; for a discarded fragment only the fact that it is discarded.
    fn names(&self, found: &Outputs) -> Vec<Place> {
        let interface = &self.shader.interface;
        let mut names = vec![Place::Killed];
        if found.killed {
            return names;
        }
        let colours = (0..4).filter(|at| interface.outputs[*at] != 0);
        // Vertex programs have one output, regardless of its number.
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

/// The precision of the results of an opcode.
fn precision(opcode: Opcode) -> Precision {
    use Opcode::{Abs, Cos, Ddx, Ddy, Max, Min, Mov, Neg, Pow, Sat, Seq, Sge, Sgn, Sin, Slt, Sne, Ted, Tex};
    match opcode {
        Mov | Abs | Neg | Min | Max | Sat | Sgn | Seq | Sne | Sge | Slt | Ddx | Ddy => Precision::Exact,
        Sin | Cos => Precision::Angle,
        Pow => Precision::Power,
        Tex | Ted => Precision::Texel,
        _ => Precision::Rounded,
    }
}
