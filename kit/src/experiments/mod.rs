//! The table of experiments.
//!
//! A row names an experiment, what it asks, what it does to the machine, and the assumptions of docs/device.md and docs/errata.md
//! that it decides. Kernel experiments make calls of the kernel; the others are Vulkan programs, so they run on any driver.

mod chip;
mod compute;
mod faults;
mod memory;
mod pictures;
mod render;
mod streams;

use crate::Problem;
use crate::lab::{Kernel, Lab, Program};

/// What an experiment runs.
#[derive(Clone, Copy)]
pub enum Run {
    /// Calls of the kernel.
    Kernel(fn(&dyn Kernel, &mut Lab) -> Result<(), Problem>),
    /// Vulkan programs.
    Programs(&'static [Program]),
    /// The Vulkan programs of another experiment, by this number of processes at once.
    Together(&'static str, u32),
}

/// An experiment.
#[derive(Clone, Copy)]
pub struct Row {
    /// Its number, which stays the same.
    pub number: u32,
    /// Its name.
    pub name: &'static str,
    /// 0: no work for the GPU; 1: compute; 2: render passes; 3: faults.
    pub level: u8,
    /// What it asks.
    pub asks: &'static str,
    /// What it does to the machine.
    pub does: &'static str,
    /// The assumptions that its result decides.
    pub decides: &'static [&'static str],
    /// What it runs.
    pub run: Run,
}

/// What the levels do, and what can happen.
pub const LEVELS: [&str; 4] = [
    "calls of the kernel without work for the GPU; nothing can happen",
    "small compute programs; a wrong word may hang the GPU, which the kernel resets, and other programs lose their work",
    "small render passes; as compute, and a crash of the GPU's firmware needs a reboot",
    "faults on purpose: a stream without memory; the kernel resets the GPU, and a reboot may be needed",
];

/// All experiments by their numbers.
pub fn rows() -> Vec<Row> {
    let groups =
        [chip::ROWS, streams::ROWS, compute::ROWS, memory::ROWS, render::ROWS, pictures::ROWS, faults::ROWS];
    let mut rows = groups.concat();
    rows.sort_by_key(|row| row.number);
    rows
}

/// The experiment of a name.
pub fn find(name: &str) -> Option<Row> {
    rows().into_iter().find(|row| row.name == name)
}

impl Row {
    /// Whether it needs the project's driver.
    pub fn needs_own_driver(&self) -> bool {
        matches!(self.run, Run::Kernel(_))
    }

    /// Whether several processes run it at once.
    pub fn is_of_processes(&self) -> bool {
        matches!(self.run, Run::Together(..))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_thirty_rows_with_names_and_questions() {
        let rows = rows();
        assert!(rows.iter().map(|row| row.number).eq(1..=30));
        for row in &rows {
            assert!(
                find(row.name).is_some_and(|found| found.number == row.number),
                "{}: the name is used twice",
                row.name
            );
            assert!(row.asks.ends_with('?') && !row.does.is_empty() && usize::from(row.level) < LEVELS.len());
            assert!(!row.decides.is_empty(), "{} decides nothing", row.name);
        }
    }

    /// Every assumption of the page about the device has an experiment.
    #[test]
    fn assumptions_name_their_experiments() {
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/device.md"))
            .expect("the page");
        let mut is_table = false;
        let mut count = 0;
        for line in page.lines() {
            let is_head = line.starts_with('|') && line.ends_with("| experiment |");
            is_table = is_head || (is_table && line.starts_with('|'));
            if is_table && !is_head && !line.starts_with("|-") {
                let name =
                    line.trim_end_matches(" |").rsplit("| ").next().unwrap_or_default().trim_matches('`');
                assert!(find(name).is_some(), "{line}");
                count += 1;
            }
        }
        assert!(count > 40, "{count} assumptions");
    }
}
