//! Settings of the device.

use agx_emulator::{Fault, Mutant};
use agx_isa::table::Opcode;
use thiserror::Error;

use crate::changes::Change;

/// Settings of the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Report errors that hardware ignores silently.
    pub strict: bool,
    /// List every submission.
    pub trace: bool,
    /// List every executed instruction with the values that it wrote.
    pub instructions: bool,
    /// Loads from unmapped addresses give 0, and stores to them do nothing.
    pub soft_faults: bool,
    /// Report unordered commands that access the same memory, one of them writing it. This records every access and is
    /// slow.
    pub hazards: bool,
    /// Reads of texels and of shader words see the bytes in a cache until something drops them.
    pub caches: bool,
    /// Number of draws after which tile memory of a render pass is stored and loaded again, as if the hardware ran out
    /// of memory for primitives; 0 disables this.
    pub interrupt_draws: u32,
    /// Bytes of the parameter buffer; a render pass is interrupted when the primitives of its draws do not fit.
    pub parameter_bytes: u64,
    /// Maximum number of instructions of a SIMD-group.
    pub max_steps: u64,
    /// Keep the history of this pixel of every render pass.
    pub pixel: Option<[u32; 2]>,
    /// Seed of undefined values, of the interleaving, and of the order of tiles.
    pub seed: u64,
    /// Commands run on a thread of the device, in any order that barriers and fences allow, and fences are signalled
    /// late; the seed selects both.
    pub asynchronous: bool,
    /// Break an operation, or change results of special functions by up to a unit in the last place: the device then differs from
    /// what is documented, which tests of the hardware must find.
    pub difference: Option<Deviation>,
    /// Threads of the host that may share the work of a launch or draw if strict checks are off. The resulting memory
    /// is the same for any number, unless programs have races.
    pub threads: u32,
}

/// How a device differs from what is documented.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deviation {
    /// An operation has a fault.
    Operation(Mutant),
    /// Special functions are rounded otherwise.
    Rounding,
    /// A field has another value than the driver gave it.
    Field(Change),
    /// The kernel refuses calls with another error number.
    Errors,
    /// The kernel's clock is a second ahead of timestamps.
    Clock,
}

impl Deviation {
    /// The difference that a text names: `rounding`, `errors`, `clock`, a mnemonic and a fault of [`Fault::ALL`], or a [`Change`].
    fn of(text: &str) -> Option<Deviation> {
        let plain =
            [("rounding", Deviation::Rounding), ("errors", Deviation::Errors), ("clock", Deviation::Clock)];
        if let Some((_, known)) = plain.into_iter().find(|(name, _)| *name == text) {
            return Some(known);
        }
        if let Ok(change) = Change::parse(text) {
            return Some(Deviation::Field(change));
        }
        let (name, fault) = text.split_once(' ')?;
        let op = Opcode::from_name(name)?;
        let fault = Fault::ALL.into_iter().find(|known| format!("{known:?}") == fault)?;
        Some(Deviation::Operation(Mutant { op, fault }))
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            strict: true,
            trace: false,
            instructions: false,
            soft_faults: false,
            hazards: false,
            caches: false,
            interrupt_draws: 0,
            parameter_bytes: PARAMETER_BYTES,
            max_steps: 1 << 26,
            pixel: None,
            seed: 0,
            asynchronous: false,
            difference: None,
            threads: 1,
        }
    }
}

/// Default size of the parameter buffer.
const PARAMETER_BYTES: u64 = 1 << 26;

/// Number of threads that the host can run concurrently.
pub fn host_threads() -> u32 {
    std::thread::available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(u32::MAX))
}

/// A value of an environment variable that has no meaning.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("unknown value `{value}` of AGX_DEVICE_{variable}; expected {expected}")]
pub struct UnknownValue {
    /// The variable, without `AGX_DEVICE_`.
    pub variable: &'static str,
    /// Its value.
    pub value: String,
    /// What the variable takes.
    pub expected: &'static str,
}

/// What numbers are.
const NUMBER: &str = "a number of at most 32 bits";
/// What `AGX_DEVICE_STRICT` takes.
const ANSWER: &str = "`yes` or `no`";
/// What `AGX_DEVICE_DIFFERENCE` takes.
const DIFFERENCE: &str = "`rounding`, `errors`, `clock`, a mnemonic and a fault, or RECORD.FIELD=VALUE";

/// The value of a variable that is set and not empty, as `parse` reads it.
fn parsed<T>(
    variable: &impl Fn(&str) -> Option<String>,
    name: &'static str,
    expected: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, UnknownValue> {
    let Some(value) = variable(name).filter(|value| !value.is_empty()) else { return Ok(None) };
    match parse(&value) {
        Some(parsed) => Ok(Some(parsed)),
        None => Err(UnknownValue { variable: name, value, expected }),
    }
}

impl Settings {
    /// The settings that environment variables give (`docs/device.md` lists them). `variable` returns the value of one by the
    /// end of its name: `STRICT` stands for `AGX_DEVICE_STRICT`, which decides about strict checks if it is set, and
    /// `strict` otherwise. The kernel takes `soft_faults` from its chip.
    ///
    /// # Errors
    /// A variable has a value without a meaning.
    pub fn from_variables(
        strict: bool,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Settings, UnknownValue> {
        let is_set = |name: &str| variable(name).is_some();
        let number = |name| parsed(&variable, name, NUMBER, |text| text.parse::<u32>().ok());
        let answer = |text: &str| match text {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        };
        let default = Settings::default();
        let (asynchronous, seed) = (number("ASYNC")?, number("SEED")?);
        Ok(Settings {
            strict: parsed(&variable, "STRICT", ANSWER, answer)?.unwrap_or(strict),
            trace: is_set("TRACE"),
            instructions: is_set("INSTRUCTIONS"),
            soft_faults: default.soft_faults,
            hazards: is_set("HAZARDS"),
            caches: is_set("CACHES"),
            interrupt_draws: number("INTERRUPT")?.unwrap_or(default.interrupt_draws),
            parameter_bytes: number("PARAMETER_BYTES")?.map_or(default.parameter_bytes, u64::from),
            max_steps: default.max_steps,
            pixel: default.pixel,
            seed: asynchronous.or(seed).unwrap_or(0).into(),
            asynchronous: is_set("ASYNC"),
            difference: parsed(&variable, "DIFFERENCE", DIFFERENCE, Deviation::of)?,
            threads: number("THREADS")?.unwrap_or_else(host_threads),
        })
    }

    /// Whether a pass is interrupted before its draw of this number.
    pub(crate) fn interrupts(&self, draw: u32) -> bool {
        draw != 0 && draw.checked_rem(self.interrupt_draws) == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(list: &[(&str, &str)]) -> Result<Settings, UnknownValue> {
        let find = |name: &str| list.iter().find(|(known, _)| *known == name);
        Settings::from_variables(true, |name| find(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn variables_give_settings() {
        let none = Settings { threads: host_threads(), ..Settings::default() };
        assert_eq!(with(&[]), Ok(none));
        let found = with(&[
            ("STRICT", "no"),
            ("CACHES", "1"),
            ("HAZARDS", ""),
            ("SEED", "7"),
            ("THREADS", "3"),
            ("PARAMETER_BYTES", "1"),
        ]);
        let expected = Settings {
            strict: false,
            caches: true,
            hazards: true,
            seed: 7,
            threads: 3,
            parameter_bytes: 1,
            ..none
        };
        assert_eq!(found, Ok(expected));
        let found = with(&[("ASYNC", "5"), ("SEED", "7"), ("INTERRUPT", "")]);
        assert_eq!(found, Ok(Settings { asynchronous: true, seed: 5, ..none }));
    }

    #[test]
    fn values_without_a_meaning_are_errors() {
        let refused = |name, value| with(&[(name, value)]).expect_err("no meaning").to_string();
        assert_eq!(
            refused("SEED", "-1"),
            "unknown value `-1` of AGX_DEVICE_SEED; expected a number of at most 32 bits"
        );
        assert_eq!(
            refused("STRICT", "off"),
            "unknown value `off` of AGX_DEVICE_STRICT; expected `yes` or `no`"
        );
        for name in ["ASYNC", "INTERRUPT", "PARAMETER_BYTES", "THREADS", "DIFFERENCE"] {
            assert!(refused(name, "fadd").contains("unknown value `fadd`"), "{name}");
        }
    }

    #[test]
    fn differences_have_names() {
        let differs = |text| Deviation::of(text).is_some();
        let known = ["errors", "fadd Flip", "stop Skip", "compute barrier.BITS_0_2=1"].map(differs);
        assert_eq!((known, ["", "fadd", "fadd x", "x Flip", "x.y=1"].map(differs)), ([true; 4], [false; 5]));
    }
}
