//! Listings: every record of a command, with the programs disassembled.

use std::fmt::Write as _;

use agx_emulator::Memory;
use agx_isa::decode::decode;

use crate::execute::Command;
use crate::execute::compute::{Launch, extended};
use crate::programs::code;
use crate::record::{
    self, CDM_BARRIER, CDM_LAUNCH, Record, compute_barrier, compute_command, launch, render_command,
};
use crate::stream::{StreamError, Walk, Words};

/// The listing of a command: its structure, then its control stream. What cannot be read ends it with a sentence.
pub(crate) fn command(memory: &Memory, base: u64, command: &Command) -> String {
    let mut listing = Listing { memory, base, text: String::new() };
    let outcome = match command {
        Command::Compute(bytes) => {
            listing.structure(&compute_command::RECORD, bytes);
            listing.compute(compute_command::STREAM.get(bytes))
        }
        Command::Render(bytes) => {
            listing.structure(&render_command::RECORD, bytes);
            Ok(())
        }
    };
    if let Err(error) = outcome {
        listing.line(0, &error.to_string());
    }
    listing.text
}

struct Listing<'m> {
    memory: &'m Memory,
    base: u64,
    text: String,
}

impl Listing<'_> {
    fn line(&mut self, address: u64, text: &str) {
        // Writing to a String cannot fail.
        let _ = match address {
            0 => writeln!(self.text, "              {text}"),
            _ => writeln!(self.text, "{address:#012x}  {text}"),
        };
    }

    fn structure(&mut self, record: &Record, bytes: &[u8]) {
        self.text.push_str(record.name);
        self.text.push('\n');
        for field in record.fields.iter().filter(|field| field.is_set(bytes)) {
            self.line(0, &format!("{} = {}", field.name, field.text(bytes)));
        }
    }

    fn compute(&mut self, address: u64) -> Result<(), StreamError> {
        let mut walk = Walk::new(address);
        loop {
            let reached = walk.reach(self.memory)?;
            match reached.kind {
                CDM_LAUNCH => {
                    let launch = Launch::read(self.memory, &mut walk)?;
                    let Launch { threads, workgroup, .. } = launch;
                    let sizes = format!(" threads {threads:?} in workgroups of {workgroup:?}");
                    self.line(launch.address, &(launch::RECORD.text(&launch.head) + &sizes));
                    let pipeline = self.base + launch::PIPELINE.get(&launch.head);
                    self.words(pipeline, extended(&launch.head))?;
                }
                CDM_BARRIER => {
                    let bytes = walk.take(self.memory, &compute_barrier::RECORD)?;
                    self.line(reached.address, &compute_barrier::RECORD.text(&bytes));
                }
                kind => match walk.compute_flow(self.memory, kind)? {
                    Some(true) => self.line(reached.address, &format!("continue at {:#x}", walk.at)),
                    Some(false) => {
                        self.line(reached.address, "end");
                        return Ok(());
                    }
                    None => return Err(StreamError::Kind { address: reached.address, kind }),
                },
            }
        }
    }

    /// The words of a shader, the descriptors they name, and its programs.
    fn words(&mut self, address: u64, extended: bool) -> Result<(), StreamError> {
        let words = Words::read(self.memory, self.base, address, extended)?;
        for (address, record, bytes) in &words.list {
            self.line(*address, &format!("  {}", record.text(bytes)));
        }
        for (number, bytes) in words.textures.iter().enumerate() {
            self.line(0, &format!("    ts{number}: {}", record::texture::RECORD.text(bytes)));
        }
        for (number, bytes) in words.samplers.iter().enumerate() {
            self.line(0, &format!("    ss{number}: {}", record::sampler::RECORD.text(bytes)));
        }
        for address in words.preamble.into_iter().chain([words.code]) {
            self.program(address);
        }
        Ok(())
    }

    fn program(&mut self, address: u64) {
        let bytes = match code(self.memory, address) {
            Ok(bytes) => bytes,
            Err(fault) => return self.line(address, &format!("    program: {fault}")),
        };
        self.line(address, "    program");
        let mut pc = 0;
        while let Some(rest) = bytes.get(pc..).filter(|rest| !rest.is_empty()) {
            match decode(rest) {
                Ok((inst, len)) => {
                    self.line(address + pc as u64, &format!("      {inst}"));
                    pc += len;
                }
                Err(error) => return self.line(address + pc as u64, &format!("      {error}")),
            }
        }
    }
}
