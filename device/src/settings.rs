//! Settings of the device.

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
    /// Threads of the host that may share the work of a launch or draw if strict checks are off. The resulting memory
    /// is the same for any number, unless programs have races.
    pub threads: u32,
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

impl Settings {
    /// The settings that environment variables give (`docs/device.md` lists them). `variable` returns the value of one by the
    /// end of its name: `STRICT` stands for `AGX_DEVICE_STRICT`. Strict checks are on unless that variable is `no`. The
    /// kernel takes `soft_faults` from its chip.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Settings {
        let is_set = |name: &str| variable(name).is_some();
        let number = |name: &str| variable(name)?.parse::<u32>().ok();
        let default = Settings::default();
        Settings {
            strict: variable("STRICT").as_deref() != Some("no"),
            trace: is_set("TRACE"),
            instructions: is_set("INSTRUCTIONS"),
            soft_faults: default.soft_faults,
            hazards: is_set("HAZARDS"),
            caches: is_set("CACHES"),
            interrupt_draws: number("INTERRUPT").unwrap_or(default.interrupt_draws),
            parameter_bytes: number("PARAMETER_BYTES").map_or(default.parameter_bytes, u64::from),
            max_steps: default.max_steps,
            pixel: default.pixel,
            seed: number("ASYNC").or(number("SEED")).unwrap_or(0).into(),
            asynchronous: is_set("ASYNC"),
            threads: number("THREADS").unwrap_or_else(host_threads),
        }
    }

    /// Whether a pass is interrupted before its draw of this number.
    pub(crate) fn interrupts(&self, draw: u32) -> bool {
        draw != 0 && draw.checked_rem(self.interrupt_draws) == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_give_settings() {
        let with = |list: &'static [(&str, &str)]| {
            let find = |name: &str| list.iter().find(|(known, _)| *known == name);
            Settings::from_variables(move |name| find(name).map(|(_, value)| (*value).to_owned()))
        };
        let none = Settings { threads: host_threads(), ..Settings::default() };
        assert_eq!(with(&[]), none);
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
        assert_eq!(found, expected);
        let found = with(&[("ASYNC", "5"), ("SEED", "7"), ("INTERRUPT", "no number")]);
        assert_eq!(found, Settings { asynchronous: true, seed: 5, ..none });
    }
}
