//! Changes of fields in submissions: of their commands, and of the records in memory that the commands lead to.
//!
//! With a change a driver tries other words, to find out which of them the hardware needs, and a device differs from the documented one.

use agx_emulator::Memory;

use crate::bytes;
use crate::execute::Command;
use crate::execute::compute::{Launch, extended};
use crate::execute::render::{has_borders, vertex_words};
use crate::execute::state::{ARRAYS, read_update};
use crate::execute::vertices::DrawCall;
use crate::record::{
    self, CDM_BARRIER, CDM_LAUNCH, Field, Record, VDM_BARRIER, VDM_INDICES, VDM_LINK, VDM_PPP, VDM_STATE,
    cf_binding, cf_header, command_header, compute_barrier, compute_command, draw_barrier, draw_link,
    fragment_shader, index_list, launch, ppp_state, render_command, sampler, scissor_index, texture,
    usc_sampler, usc_texture, vertex_shader_0, vertex_shader_1,
};
use crate::stream::{StreamError, Walk, Words};

/// What becomes of the value of a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    /// It is replaced.
    Value,
    /// These bits are cleared.
    Without,
    /// These bits are set.
    With,
}

/// The signs of operations in texts.
const OPERATIONS: [(char, Operation); 3] =
    [('=', Operation::Value), ('-', Operation::Without), ('+', Operation::With)];

/// A change of a field in all records of its kind.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    record: &'static Record,
    field: &'static Field,
    operation: Operation,
    value: u64,
}

impl PartialEq for Change {
    fn eq(&self, other: &Change) -> bool {
        let values =
            |change: &Change| (change.record.name, change.field.name, change.operation, change.value);
        values(self) == values(other)
    }
}

impl Eq for Change {}

/// The reason why a text is not a change.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ChangeError {
    /// It has another form.
    #[error(
        "`{0}` is not a change; expected `RECORD.FIELD=VALUE`, or `-` or `+` and bits instead of `=VALUE`"
    )]
    Form(String),
    /// The record or the field does not exist.
    #[error("unknown {what} `{name}`; docs/records.md lists the records with their fields")]
    Unknown {
        /// `record` or `field`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// The field has too few bits.
    #[error("{value:#x} does not fit into the {bits} bits of `{name}`")]
    Wide {
        /// The value.
        value: u64,
        /// Bits of the field.
        bits: u32,
        /// Its name.
        name: &'static str,
    },
}

/// A number, decimal or with `0x`.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl Change {
    /// Reads `RECORD.FIELD=VALUE`, `RECORD.FIELD-BITS` or `RECORD.FIELD+BITS`, with the names of docs/records.md and the field's bits as they
    /// are in memory.
    ///
    /// # Errors
    /// [`ChangeError`]: the text has another form, or names something unknown.
    pub fn parse(text: &str) -> Result<Change, ChangeError> {
        let form = || ChangeError::Form(text.to_owned());
        let (record, rest) = text.split_once('.').ok_or_else(form)?;
        let at = rest.find(|letter| OPERATIONS.iter().any(|(sign, _)| *sign == letter)).ok_or_else(form)?;
        let (field, operation) = rest.split_at_checked(at).ok_or_else(form)?;
        let mut letters = operation.chars();
        let sign = letters.next();
        let operation = OPERATIONS.iter().find(|(known, _)| Some(*known) == sign).ok_or_else(form)?.1;
        let value = number(letters.as_str()).ok_or_else(form)?;
        let unknown = |what, name: &str| ChangeError::Unknown { what, name: name.to_owned() };
        let (_, record) =
            record::all().find(|(_, known)| known.name == record).ok_or_else(|| unknown("record", record))?;
        let known = record.fields.iter().find(|known| known.name == field);
        let field = known.ok_or_else(|| unknown("field", field))?;
        if field.bits < u64::BITS && value >> field.bits != 0 {
            return Err(ChangeError::Wide { value, bits: field.bits, name: field.name });
        }
        Ok(Change { record, field, operation, value })
    }

    /// Reads changes with semicolons between them.
    ///
    /// # Errors
    /// [`ChangeError`]: one of them cannot be read.
    pub fn parse_list(text: &str) -> Result<Vec<Change>, ChangeError> {
        text.split(';').map(str::trim).filter(|text| !text.is_empty()).map(Change::parse).collect()
    }

    /// Changes a record; returns whether its bytes are others now.
    fn apply(&self, bytes: &mut [u8]) -> bool {
        let before = self.field.raw(bytes);
        let after = match self.operation {
            Operation::Value => self.value,
            Operation::Without => before & !self.value,
            Operation::With => before | self.value,
        };
        self.field.set_raw(bytes, after);
        before != after
    }

    /// Whether it is of a record of the kind.
    fn is_of(&self, record: &Record) -> bool {
        self.record.name == record.name
    }
}

/// Applies changes to the commands of a submission and to what they lead to; returns how many records are others now. Records after
/// one that cannot be read stay as they are, and so does memory that cannot be written.
pub(crate) fn change(changes: &[Change], memory: &mut Memory, base: u64, stream: &mut [u8]) -> usize {
    let mut changed = 0_usize;
    let mut rest = stream;
    while let Some((header, after)) = rest.split_at_mut_checked(command_header::RECORD.bytes) {
        let size = command_header::SIZE.get(header) as usize;
        let Some((body, next)) = after.split_at_mut_checked(size) else { break };
        let mut command = match command_header::TYPE.get(header) {
            0 => Command::Render(body.to_vec()),
            1 => Command::Compute(body.to_vec()),
            _ => {
                rest = next;
                continue;
            }
        };
        changed = changed.saturating_add(change_command(changes, memory, base, &mut command));
        let (Command::Render(bytes) | Command::Compute(bytes)) = command;
        body.copy_from_slice(&bytes);
        rest = next;
    }
    changed
}

/// Applies changes to a command and to what it leads to; returns how many records are others now.
pub(crate) fn change_command(
    changes: &[Change],
    memory: &mut Memory,
    base: u64,
    command: &mut Command,
) -> usize {
    let mut changed = 0_usize;
    let found = places(memory, base, command);
    for (address, record) in found {
        let Ok(mut bytes) = bytes::record(memory, address, record) else { continue };
        let of_record = changes.iter().filter(|change| change.is_of(record));
        let is_other = of_record.filter(|change| change.apply(&mut bytes)).count() > 0;
        if is_other && memory.write(address, &bytes).is_ok() {
            changed = changed.saturating_add(1);
        }
    }
    let (record, bytes) = match command {
        Command::Compute(bytes) => (&compute_command::RECORD, bytes),
        Command::Render(bytes) => (&render_command::RECORD, bytes),
    };
    let fits = bytes.len() >= record.bytes;
    let of_record = changes.iter().filter(|change| fits && change.is_of(record));
    let is_other = of_record.filter(|change| change.apply(bytes)).count() > 0;
    changed.saturating_add(is_other.into())
}

/// A record in memory.
type Spot = (u64, &'static Record);

/// Where the records are that a command leads to, as far as they can be read.
fn places(memory: &Memory, base: u64, command: &Command) -> Vec<Spot> {
    let mut walker = Walker { memory, base, found: Vec::new() };
    // The records before an error remain.
    let _ = match command {
        Command::Compute(bytes) if bytes.len() >= compute_command::RECORD.bytes => walker.compute(bytes),
        Command::Render(bytes) if bytes.len() >= render_command::RECORD.bytes => walker.render(bytes),
        _ => Ok(()),
    };
    walker.found.sort_unstable_by_key(|(address, record)| (*address, record.name));
    walker.found.dedup_by_key(|(address, record)| (*address, record.name));
    walker.found
}

struct Walker<'m> {
    memory: &'m Memory,
    base: u64,
    found: Vec<Spot>,
}

impl Walker<'_> {
    fn compute(&mut self, command: &[u8]) -> Result<(), StreamError> {
        let mut walk = Walk::new(compute_command::STREAM.get(command));
        loop {
            let reached = walk.reach(self.memory)?;
            match reached.kind {
                CDM_LAUNCH => {
                    let found = Launch::read(self.memory, &mut walk)?;
                    self.found.push((found.address, &launch::RECORD));
                    let pipeline = bytes::address(self.base, launch::PIPELINE.get(&found.head));
                    self.words(pipeline, extended(&found.head))?;
                }
                CDM_BARRIER => {
                    walk.take(self.memory, &compute_barrier::RECORD)?;
                    self.found.push((reached.address, &compute_barrier::RECORD));
                }
                kind => match walk.compute_flow(self.memory, kind)? {
                    Some(true) => {}
                    _ => return Ok(()),
                },
            }
        }
    }

    fn render(&mut self, command: &[u8]) -> Result<(), StreamError> {
        use render_command::*;
        for (program, resources) in [
            (BACKGROUND, BACKGROUND_RESOURCES),
            (END_OF_TILE, END_OF_TILE_RESOURCES),
            (PARTIAL_BACKGROUND, PARTIAL_BACKGROUND_RESOURCES),
            (PARTIAL_END_OF_TILE, PARTIAL_END_OF_TILE_RESOURCES),
        ] {
            let address = bytes::address(self.base, program.get(command) & !7);
            self.words(address, has_borders(resources.get(command)))?;
        }
        let mut walk = Walk::new(STREAM.get(command));
        loop {
            let reached = walk.reach(self.memory)?;
            match reached.kind {
                VDM_PPP => {
                    let pointer = walk.take(self.memory, &ppp_state::RECORD)?;
                    self.found.push((reached.address, &ppp_state::RECORD));
                    self.update(command, &pointer)?;
                }
                VDM_BARRIER => {
                    let bytes = walk.take(self.memory, &draw_barrier::RECORD)?;
                    self.found.push((reached.address, &draw_barrier::RECORD));
                    if draw_barrier::RETURNS.is_set(&bytes) {
                        walk.back()?;
                    }
                }
                VDM_STATE => self.vertex(&mut walk)?,
                VDM_INDICES => {
                    DrawCall::read(self.memory, &mut walk)?;
                    self.found.push((reached.address, &index_list::RECORD));
                }
                VDM_LINK => {
                    let bytes = walk.take(self.memory, &draw_link::RECORD)?;
                    let target = draw_link::TARGET_HIGH.get(&bytes) << 32 | draw_link::TARGET_LOW.get(&bytes);
                    walk.link(target, draw_link::WITH_RETURN.is_set(&bytes))?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// The state of vertices, whose records follow each other.
    fn vertex(&mut self, walk: &mut Walk) -> Result<(), StreamError> {
        let mut at = walk.at;
        let mut extended = false;
        for (record, bytes) in vertex_words(self.memory, walk)? {
            self.found.push((at, record));
            at = bytes::address(at, record.bytes as u64);
            if record.name == vertex_shader_0::RECORD.name {
                extended = has_borders(vertex_shader_0::SAMPLERS.raw(&bytes) << 9);
            } else if record.name == vertex_shader_1::RECORD.name {
                let pipeline = bytes::address(self.base, vertex_shader_1::PIPELINE.get(&bytes));
                self.words(pipeline, extended)?;
            }
        }
        Ok(())
    }

    /// The records of a state update.
    fn update(&mut self, command: &[u8], pointer: &[u8]) -> Result<(), StreamError> {
        for (address, record, bytes) in read_update(self.memory, pointer)? {
            self.found.push((address, record));
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
        for (array, field, record) in ARRAYS.into_iter().filter(|(array, ..)| array.is_set(command)) {
            self.found.push((bytes::element(array.get(command), field.get(index), record), record));
        }
    }

    /// The coefficient bindings and the words of a fragment shader.
    fn fragment(&mut self, shader: &[u8]) -> Result<(), StreamError> {
        let address = bytes::address(self.base, fragment_shader::COEFFICIENTS.get(shader));
        let count = fragment_shader::BINDINGS.get(shader);
        if count > 0 {
            self.found.push((address, &cf_header::RECORD));
        }
        let first = bytes::address(address, cf_header::RECORD.bytes as u64);
        let bindings = (0..count).map(|number| bytes::element(first, number, &cf_binding::RECORD));
        self.found.extend(bindings.map(|address| (address, &cf_binding::RECORD)));
        let extended = has_borders(fragment_shader::SAMPLERS.raw(shader) << 9);
        self.words(bytes::address(self.base, fragment_shader::PIPELINE.get(shader)), extended)
    }

    /// The words of a shader, and the descriptors that they point to.
    fn words(&mut self, address: u64, extended: bool) -> Result<(), StreamError> {
        let words = Words::read((self.memory, None), self.base, address, extended)?;
        for (address, record, bytes) in &words.list {
            self.found.push((*address, record));
            let (start, count, stride, pointed) = if record.name == usc_texture::RECORD.name {
                let record: &'static Record = &texture::RECORD;
                (usc_texture::ADDRESS.get(bytes), usc_texture::COUNT.get(bytes), 24, record)
            } else if record.name == usc_sampler::RECORD.name {
                let stride = if extended { 24 } else { 8 };
                let record: &'static Record = &sampler::RECORD;
                (usc_sampler::ADDRESS.get(bytes), usc_sampler::COUNT.get(bytes), stride, record)
            } else {
                continue;
            };
            let each = (0..count).map(|number| bytes::address(start, number.saturating_mul(stride)));
            self.found.extend(each.map(|address| (address, pointed)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use agx_emulator::Access;

    use super::*;
    use crate::record::compute_terminate;

    #[test]
    fn texts_name_a_field_and_what_becomes_of_it() {
        let barrier = Change::parse("compute barrier.BITS_4_20-0x10").expect("a change");
        assert_eq!(
            (barrier.field.name, barrier.operation, barrier.value),
            ("BITS_4_20", Operation::Without, 16)
        );
        let list =
            Change::parse_list("render command.CLEAR_STENCIL-768; render command.CLEAR_STENCIL+0x100;");
        assert_eq!(list.map(|list| list.len()), Ok(2));
        for (text, part) in [
            ("compute barrier", "is not a change"),
            ("compute barrier.BITS_0_2", "is not a change"),
            ("compute barrier.BITS_0_2=x", "is not a change"),
            ("barrier.BITS_0_2=1", "unknown record `barrier`"),
            ("compute barrier.BIT=1", "unknown field `BIT`"),
            ("compute barrier.BITS_0_2=8", "does not fit into the 3 bits"),
        ] {
            let refused = Change::parse(text).expect_err(text);
            assert!(refused.to_string().contains(part), "{refused}");
        }
    }

    /// A submission of a stream with two barriers, and its memory.
    fn submission() -> (Memory, Vec<u8>) {
        let barrier = compute_barrier::new().set(&compute_barrier::BITS_0_2, 7).bytes();
        let stream = [&barrier[..], &barrier, &compute_terminate::new().bytes()].concat();
        let mut memory = Memory::new();
        memory.map(0x1000, stream, Access::READ | Access::WRITE).expect("mapped");
        let command = compute_command::new().set(&compute_command::STREAM, 0x1000).bytes();
        let header = command_header::new()
            .set(&command_header::TYPE, 1)
            .set(&command_header::SIZE, command.len() as u64)
            .bytes();
        (memory, [&header[..], &command].concat())
    }

    #[test]
    fn all_records_of_a_kind_are_changed_in_memory_and_in_commands() {
        let (mut memory, mut stream) = submission();
        let changes = Change::parse_list("compute barrier.BITS_0_2-2;compute command.SAMPLER_COUNT=9")
            .expect("changes");
        assert_eq!(change(&changes, &mut memory, 0, &mut stream), 3);
        assert_eq!(change(&changes, &mut memory, 0, &mut stream), 0, "they are made");
        for address in [0x1000, 0x1004] {
            let bytes = bytes::record(&memory, address, &compute_barrier::RECORD).expect("mapped");
            assert_eq!(compute_barrier::BITS_0_2.get(&bytes), 5);
        }
        let body = &stream[command_header::RECORD.bytes..];
        assert_eq!(compute_command::SAMPLER_COUNT.get(body), 9);
        let back = Change::parse_list("compute barrier.BITS_0_2+2").expect("a change");
        assert_eq!(change(&back, &mut memory, 0, &mut stream), 2);
        let bytes = bytes::record(&memory, 0x1004, &compute_barrier::RECORD).expect("mapped");
        assert_eq!(compute_barrier::BITS_0_2.get(&bytes), 7);
        // A stream that ends within a command stays as it is.
        let (mut memory, mut stream) = submission();
        stream.pop();
        assert_eq!(change(&changes, &mut memory, 0, &mut stream), 0);
    }
}
