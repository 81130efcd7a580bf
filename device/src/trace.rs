//! Listings: every record of a command, with the programs disassembled.

use std::fmt::Write as _;

use agx_emulator::Memory;
use agx_isa::decode::{DecodeError, decode};
use agx_isa::inst::{Inst, Tag};
use agx_isa::table::Opcode;

use crate::bytes;
use crate::execute::Command;
use crate::execute::compute::{Launch, extended};
use crate::execute::render::{has_borders, vertex_words};
use crate::execute::state::{ARRAYS, read_update};
use crate::execute::vertices::DrawCall;
use crate::programs::code;
use crate::record::{
    self, CDM_BARRIER, CDM_LAUNCH, Record, VDM_BARRIER, VDM_INDICES, VDM_LINK, VDM_PPP, VDM_STATE,
    VDM_TERMINATE, cf_binding, cf_header, compute_barrier, compute_command, draw_barrier, draw_link,
    fragment_shader, index_list, launch, ppp_state, render_command, scissor_index, vertex_shader_0,
    vertex_shader_1,
};
use crate::stream::{StreamError, Walk, Words};

/// The listing of a command: its structure, then its control stream. If something cannot be read, it ends with a
/// sentence about the error.
pub(crate) fn command(memory: &Memory, base: u64, command: &Command) -> String {
    let mut listing = Listing { memory, base, text: String::new() };
    let outcome = match command {
        Command::Compute(bytes) => {
            listing.structure(&compute_command::RECORD, bytes);
            listing.compute(compute_command::STREAM.get(bytes))
        }
        Command::Render(bytes) => {
            listing.structure(&render_command::RECORD, bytes);
            listing.render(bytes)
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
                    let pipeline = bytes::address(self.base, launch::PIPELINE.get(&launch.head));
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

    /// The programs at the ends of a pass, then its draw control stream.
    fn render(&mut self, command: &[u8]) -> Result<(), StreamError> {
        use render_command::{BACKGROUND, BACKGROUND_RESOURCES, END_OF_TILE, END_OF_TILE_RESOURCES, STREAM};
        for (name, program, resources) in [
            ("background", BACKGROUND, BACKGROUND_RESOURCES),
            ("end of tile", END_OF_TILE, END_OF_TILE_RESOURCES),
        ] {
            self.line(0, name);
            let address = bytes::address(self.base, program.get(command) & !7);
            self.words(address, has_borders(resources.get(command)))?;
        }
        let mut walk = Walk::new(STREAM.get(command));
        loop {
            let reached = walk.reach(self.memory)?;
            match reached.kind {
                VDM_PPP => {
                    let pointer = walk.take(self.memory, &ppp_state::RECORD)?;
                    self.line(reached.address, &ppp_state::RECORD.text(&pointer));
                    self.update(command, &pointer)?;
                }
                VDM_BARRIER => {
                    let bytes = walk.take(self.memory, &draw_barrier::RECORD)?;
                    self.line(reached.address, &draw_barrier::RECORD.text(&bytes));
                    if draw_barrier::RETURNS.is_set(&bytes) {
                        walk.back()?;
                    }
                }
                VDM_STATE => {
                    let mut extended = false;
                    for (record, bytes) in vertex_words(self.memory, &mut walk)? {
                        self.line(reached.address, &record.text(&bytes));
                        if record.name == vertex_shader_0::RECORD.name {
                            extended = has_borders(vertex_shader_0::SAMPLERS.raw(&bytes) << 9);
                        } else if record.name == vertex_shader_1::RECORD.name {
                            let pipeline = bytes::address(self.base, vertex_shader_1::PIPELINE.get(&bytes));
                            self.words(pipeline, extended)?;
                        }
                    }
                }
                VDM_INDICES => {
                    let call = DrawCall::read(self.memory, &mut walk)?;
                    let numbers = format!(
                        " count={} instances={} start={} indices={:x?}",
                        call.count, call.instances, call.start, call.indices
                    );
                    self.line(reached.address, &(index_list::RECORD.text(&call.head) + &numbers));
                }
                VDM_LINK => {
                    let bytes = walk.take(self.memory, &draw_link::RECORD)?;
                    let target = draw_link::TARGET_HIGH.get(&bytes) << 32 | draw_link::TARGET_LOW.get(&bytes);
                    walk.link(target, draw_link::WITH_RETURN.is_set(&bytes))?;
                    self.line(reached.address, &format!("continue at {target:#x}"));
                }
                VDM_TERMINATE => {
                    self.line(reached.address, "end");
                    return Ok(());
                }
                kind => return Err(StreamError::Kind { address: reached.address, kind }),
            }
        }
    }

    /// The records of a state update.
    fn update(&mut self, command: &[u8], pointer: &[u8]) -> Result<(), StreamError> {
        for (address, record, bytes) in read_update(self.memory, pointer)? {
            self.line(address, &format!("  {}", record.text(&bytes)));
            if record.name == scissor_index::RECORD.name {
                self.arrays(command, &bytes);
            } else if record.name == fragment_shader::RECORD.name {
                self.fragment(&bytes)?;
            }
        }
        Ok(())
    }

    /// The scissor and the depth bias with an index.
    fn arrays(&mut self, command: &[u8], index: &[u8]) {
        for (base, field, record) in ARRAYS {
            let address = bytes::element(base.get(command), field.get(index), record);
            if let Ok(bytes) = bytes::record(self.memory, address, record) {
                self.line(address, &format!("    {}", record.text(&bytes)));
            }
        }
    }

    /// The coefficient bindings and the words of a fragment shader.
    fn fragment(&mut self, shader: &[u8]) -> Result<(), StreamError> {
        let address = bytes::address(self.base, fragment_shader::COEFFICIENTS.get(shader));
        let count = fragment_shader::BINDINGS.get(shader) as usize;
        let len = cf_header::RECORD.bytes.saturating_add(count.saturating_mul(cf_binding::RECORD.bytes));
        if count > 0
            && let Ok(bytes) = bytes::read(self.memory, address, len)
            && let Some((header, bindings)) = bytes.split_at_checked(cf_header::RECORD.bytes)
        {
            self.line(address, &format!("    {}", cf_header::RECORD.text(header)));
            for binding in bindings.chunks_exact(cf_binding::RECORD.bytes) {
                self.line(0, &format!("    {}", cf_binding::RECORD.text(binding)));
            }
        }
        let extended = has_borders(fragment_shader::SAMPLERS.raw(shader) << 9);
        self.words(bytes::address(self.base, fragment_shader::PIPELINE.get(shader)), extended)
    }

    /// The words of a shader, the descriptors that they point to, and its programs.
    fn words(&mut self, address: u64, extended: bool) -> Result<(), StreamError> {
        let words = Words::read((self.memory, None), self.base, address, extended)?;
        for (address, record, bytes) in &words.list {
            self.line(*address, &format!("  {}", record.text(bytes)));
        }
        let images = code(self.memory, words.code).map_or(Vec::new(), |bytes| stored_images(&bytes));
        for (number, bytes) in (0..).zip(&words.textures) {
            let record = match images.contains(&number) {
                true => &record::image::RECORD,
                false => &record::texture::RECORD,
            };
            self.line(0, &format!("    ts{number}: {}", record.text(bytes)));
        }
        for (number, bytes) in words.samplers.iter().enumerate() {
            self.line(0, &format!("    ss{number}: {}", record::sampler::RECORD.text(bytes)));
            if let Some(border) = words.borders.get(number) {
                let words = border.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
                let channels: Vec<String> = words.map(|word| format!("{word:#x}")).collect();
                self.line(0, &format!("      border {}", channels.join(", ")));
            }
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
        for (offset, inst) in instructions(&bytes) {
            let text = inst.map_or_else(|error| error.to_string(), |inst| inst.to_string());
            self.line(bytes::address(address, offset as u64), &format!("      {text}"));
        }
    }
}

/// The instructions of a program with their offsets, up to the first that cannot be decoded.
fn instructions(program: &[u8]) -> impl Iterator<Item = (usize, Result<Inst, DecodeError>)> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let rest = program.get(next..).filter(|rest| !rest.is_empty())?;
        let (inst, len) =
            decode(rest).map_or_else(|error| (Err(error), rest.len()), |(inst, len)| (Ok(inst), len));
        let at = next;
        next = next.saturating_add(len);
        Some((at, inst))
    })
}

/// Numbers of the state registers with images to which a program stores. Images and textures have different descriptors.
fn stored_images(program: &[u8]) -> Vec<u32> {
    let stores = instructions(program).filter_map(|(_, inst)| inst.ok());
    let stores = stores.filter(|inst| matches!(inst.op, Opcode::Imgw | Opcode::Imgwblk));
    let states = stores.filter_map(|inst| inst.operand("texture"));
    states.filter(|operand| operand.tag == Tag::TextureState).map(|operand| operand.value).collect()
}
