//! The commands of a submission, with the checks of the kernel.

use super::Errno;
use crate::execute::Command;
use crate::record::{Record, attachment, command_header, compute_command, render_command};

/// Maximum number of render and compute commands in a submission.
pub(crate) const MAX_COMMANDS: usize = 64;
/// Maximum number of attachments of a command.
pub(crate) const MAX_ATTACHMENTS: usize = 16;
/// The barrier value for no wait.
pub(crate) const NO_BARRIER: u64 = 0xffff;

/// Largest sizes of a render pass, in pixels and layers.
const MAX_PIXELS: u64 = 16384;
const MAX_LAYERS: u64 = 2048;
/// Sizes of tiles in pixels.
const TILES: [[u64; 2]; 3] = [[32, 32], [32, 16], [16, 16]];
/// Numbers of samples of a pixel.
const SAMPLE_COUNTS: [u64; 3] = [1, 2, 4];

/// A command, and the numbers of render and compute commands for which it waits.
#[derive(Debug)]
pub(crate) struct Ordered {
    pub(crate) command: Command,
    pub(crate) barriers: [u64; 2],
}

/// The number of render and of compute commands before a command. A barrier may name these, and 0.
type Before = [u64; 2];

/// The commands of a submission. Missing fields of a shorter structure are 0, and additional fields of a longer one
/// must be.
///
/// # Errors
/// [`Errno::INVALID`] if the kernel refuses a command.
pub(crate) fn parse(mut stream: &[u8]) -> Result<Vec<Ordered>, Errno> {
    let mut commands = Vec::new();
    let mut before = Before::default();
    while !stream.is_empty() {
        let (header, rest) = stream.split_at_checked(command_header::RECORD.bytes).ok_or(Errno::INVALID)?;
        let size = command_header::SIZE.get(header) as usize;
        let (body, after) = rest.split_at_checked(size).ok_or(Errno::INVALID)?;
        let barriers =
            [command_header::VDM_BARRIER, command_header::CDM_BARRIER].map(|field| field.get(header));
        if barriers.iter().zip(before).any(|(barrier, count)| *barrier != NO_BARRIER && *barrier > count) {
            return Err(Errno::INVALID);
        }
        match command(command_header::TYPE.get(header), body)? {
            Some(command) => {
                let [render, compute] = &mut before;
                let count = if command.is_compute() { compute } else { render };
                *count = count.saturating_add(1);
                commands.push(Ordered { command, barriers });
            }
            // Attachments wait for nothing.
            None if barriers == [NO_BARRIER; 2] => {}
            None => return Err(Errno::INVALID),
        }
        stream = after;
    }
    if commands.is_empty() || commands.len() > MAX_COMMANDS {
        return Err(Errno::INVALID);
    }
    Ok(commands)
}

/// The command of a number; `None` for a list of attachments.
fn command(number: u64, body: &[u8]) -> Result<Option<Command>, Errno> {
    match number {
        0 => {
            let bytes = known(body, &render_command::RECORD)?;
            render(&bytes)?;
            Ok(Some(Command::Render(bytes)))
        }
        1 => {
            let bytes = known(body, &compute_command::RECORD)?;
            if compute_command::FLAGS.is_set(&bytes) {
                return Err(Errno::INVALID);
            }
            Ok(Some(Command::Compute(bytes)))
        }
        2..=4 => attachments(body).map(|()| None),
        _ => Err(Errno::INVALID),
    }
}

/// A structure with the fields that are known.
fn known(body: &[u8], record: &Record) -> Result<Vec<u8>, Errno> {
    let beyond = body.get(record.bytes..).unwrap_or(&[]);
    let mut bytes = body.to_vec();
    bytes.resize(record.bytes, 0);
    if beyond.iter().all(|byte| *byte == 0) { Ok(bytes) } else { Err(Errno::INVALID) }
}

fn render(bytes: &[u8]) -> Result<(), Errno> {
    use render_command::*;
    // Bits of the flags that have no name.
    let unknown_flags = RECORD.unnamed(bytes).iter().any(|bit| *bit < ZLS_PIXELS.start);
    let inside = |value: u64, most: u64| (1..=most).contains(&value);
    let right = !unknown_flags
        && inside(WIDTH.get(bytes), MAX_PIXELS)
        && inside(HEIGHT.get(bytes), MAX_PIXELS)
        && inside(LAYERS.get(bytes), MAX_LAYERS)
        && TILES.contains(&[TILE_WIDTH.get(bytes), TILE_HEIGHT.get(bytes)])
        && SAMPLE_COUNTS.contains(&SAMPLES.get(bytes));
    if right { Ok(()) } else { Err(Errno::INVALID) }
}

fn attachments(body: &[u8]) -> Result<(), Errno> {
    let list = body.chunks_exact(attachment::RECORD.bytes);
    let (count, rest) = (list.len(), list.remainder());
    let mut reserved = list.map(|one| attachment::PAD.is_set(one) || attachment::FLAGS.is_set(one));
    if !rest.is_empty() || count > MAX_ATTACHMENTS || reserved.any(|reserved| reserved) {
        return Err(Errno::INVALID);
    }
    Ok(())
}
