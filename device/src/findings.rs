//! Errors of a driver, with their locations.

use std::fmt;

use agx_emulator::Touch;

use crate::statistics::Work;

/// The location of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Number of the submission, from 1 on; 0 outside submissions.
    pub submission: u64,
    /// Number of the command in it, from 0 on.
    pub command: u32,
    /// Address of the record.
    pub record: Option<u64>,
    /// Number of the launch or draw in the command.
    pub launch: Option<u32>,
    /// Address of the program.
    pub program: Option<u64>,
}

impl Place {
    /// The command as text.
    pub(crate) fn command(&self) -> String {
        format!("command {} of submission {}", self.command, self.submission)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "submission {}, command {}", self.submission, self.command)?;
        if let Some(launch) = self.launch {
            write!(f, ", launch {launch}")?;
        }
        if let Some(record) = self.record {
            write!(f, ", record {record:#x}")?;
        }
        if let Some(program) = self.program {
            write!(f, ", program {program:#x}")?;
        }
        Ok(())
    }
}

/// The fragments of a program that touched a pixel.
#[derive(Clone, PartialEq, Debug)]
pub struct PixelHistory {
    /// The draw, or the background program of a tile.
    pub place: Place,
    /// Whether a draw ran it, or a tile.
    pub work: Work,
    /// The fragments in order.
    pub touches: Vec<Touch>,
}

/// An error and its location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Location.
    pub place: Place,
    /// One sentence.
    pub text: String,
    /// Whether execution could not continue.
    pub fatal: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.fatal { "fault" } else { "finding" };
        write!(f, "{kind}: {}: {}", self.place, self.text)
    }
}

/// Findings in the order of their first occurrence, without duplicates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notebook {
    findings: Vec<Finding>,
    /// Number of findings that were already returned.
    taken: usize,
}

impl Notebook {
    pub(crate) fn add(&mut self, place: Place, text: String, fatal: bool) {
        if !self.findings.iter().any(|known| known.text == text) {
            self.findings.push(Finding { place, text, fatal });
        }
    }

    pub(crate) fn all(&self) -> &[Finding] {
        &self.findings
    }

    /// Findings since the last call.
    pub(crate) fn fresh(&mut self) -> &[Finding] {
        let from = std::mem::replace(&mut self.taken, self.findings.len());
        self.findings.get(from..).unwrap_or(&[])
    }
}
