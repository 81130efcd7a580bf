//! Submissions: sync objects, the list of commands, timestamps.

use agx_emulator::Window;

use super::order::Batch;
use super::sync::SyncObject;
use super::{Answer, Errno, Kernel, Queue, User, element};
use crate::execute::{Command, Submission};
use crate::record::{Field, Kind, Record, command_header, compute_command, render_command, submit, sync};

/// Maximum number of bytes of commands, and of sync objects.
const LIMITS: [u64; 2] = [1 << 24, 1 << 16];
/// Maximum number of commands in a submission.
const MAX_COMMANDS: usize = 64;

/// The call.
pub(super) fn submit(kernel: &mut Kernel, argument: &mut [u8], user: &mut dyn User) -> Result<Answer, Errno> {
    let zero = |field: &Field| matches!(field.kind, Kind::Exactly(_)) && field.is_set(argument);
    let [waits, signals] = [submit::IN_SYNCS, submit::OUT_SYNCS].map(|field| field.get(argument));
    let bytes = submit::SIZE.get(argument);
    if submit::RECORD.fields.iter().any(zero) || bytes > LIMITS[0] || waits.max(signals) > LIMITS[1] {
        return Err(Errno::INVALID);
    }
    let handle = submit::QUEUE.get(argument) as u32;
    let queue = *kernel.queues.get(handle)?;
    let syncs = syncs(user, submit::SYNCS.get(argument), waits.saturating_add(signals))?;
    let (waits, signals) = syncs.split_at_checked(waits as usize).ok_or(Errno::INVALID)?;
    let waits: Vec<&SyncObject> = waits
        .iter()
        .map(|wait| {
            kernel.syncs.get(wait.handle).and_then(|object| match object.reached(wait.point) {
                true => Ok(object),
                false => Err(Errno::INVALID),
            })
        })
        .collect::<Result<_, Errno>>()?;
    let mut batch = kernel.order.begin(queue.vm, handle, waits.iter().map(|object| &object.clock));
    let mut stream = vec![0; bytes as usize];
    user.read(submit::COMMANDS.get(argument), &mut stream)?;
    let commands = parse(&stream)?;
    execute(kernel, &queue, &mut batch, &commands, &stream)?;
    for signal in signals {
        kernel.syncs.get_mut(signal.handle)?.signal(signal.point, &batch.after);
    }
    Ok(Answer::Done)
}

/// A sync object of a submission.
struct Sync {
    handle: u32,
    point: u64,
}

fn syncs(user: &mut dyn User, pointer: u64, count: u64) -> Result<Vec<Sync>, Errno> {
    (0..count)
        .map(|at| {
            let mut bytes = vec![0; sync::RECORD.bytes];
            user.read(element(pointer, at, bytes.len() as u64), &mut bytes)?;
            let timeline = sync::TYPE.get(&bytes) == 1;
            let point = if timeline { sync::VALUE.get(&bytes) } else { 0 };
            Ok(Sync { handle: sync::HANDLE.get(&bytes) as u32, point })
        })
        .collect()
}

/// A command, and the numbers of render and compute commands for which it waits.
pub(crate) struct Ordered {
    pub(crate) command: Command,
    barriers: [u64; 2],
}

impl Ordered {
    fn new(header: &[u8], command: Command) -> Ordered {
        let barriers = [command_header::VDM_BARRIER, command_header::CDM_BARRIER];
        Ordered { command, barriers: barriers.map(|field| field.get(header)) }
    }
}

/// The commands of a submission. Missing fields of a shorter structure are 0, and additional fields of a longer one
/// must be.
pub(crate) fn parse(mut stream: &[u8]) -> Result<Vec<Ordered>, Errno> {
    let mut commands = Vec::new();
    while !stream.is_empty() {
        let (header, rest) = stream.split_at_checked(command_header::RECORD.bytes).ok_or(Errno::INVALID)?;
        let size = command_header::SIZE.get(header) as usize;
        let (body, after) = rest.split_at_checked(size).ok_or(Errno::INVALID)?;
        let known = |record: &Record| {
            let beyond = body.get(record.bytes..).unwrap_or(&[]);
            let mut bytes = body.to_vec();
            bytes.resize(record.bytes, 0);
            if beyond.iter().all(|byte| *byte == 0) { Ok(bytes) } else { Err(Errno::INVALID) }
        };
        match command_header::TYPE.get(header) {
            0 => commands.push(Ordered::new(header, Command::Render(known(&render_command::RECORD)?))),
            1 => commands.push(Ordered::new(header, Command::Compute(known(&compute_command::RECORD)?))),
            2..=4 => {}
            _ => return Err(Errno::INVALID),
        }
        stream = after;
    }
    if commands.is_empty() || commands.len() > MAX_COMMANDS {
        return Err(Errno::INVALID);
    }
    Ok(commands)
}

fn execute(
    kernel: &mut Kernel,
    queue: &Queue,
    batch: &mut Batch,
    commands: &[Ordered],
    stream: &[u8],
) -> Result<(), Errno> {
    let clock = kernel.clock;
    let space = kernel.spaces.get_mut(queue.vm)?;
    if let Some(recorder) = &mut kernel.recorder {
        recorder.submission(&space.memory, queue.shader_base, stream);
    }
    kernel.device.begin_submission();
    for (number, Ordered { command, barriers }) in commands.iter().enumerate() {
        let started = clock();
        if kernel.device.settings.hazards {
            space.memory.watch(Default::default());
        }
        let submission =
            Submission { memory: &mut space.memory, shader_base: queue.shader_base, number: number as u32 };
        kernel.device.execute(submission, command);
        if let Some(touched) = space.memory.watched() {
            let compute = matches!(command, Command::Compute(_));
            let name = kernel.device.place.command();
            if let Some(hazard) = kernel.order.finish(batch, compute, *barriers, name, touched) {
                kernel.device.note(hazard, false);
            }
        }
        let ended = clock().max(started.saturating_add(1));
        for (fields, time) in
            timestamps(command).into_iter().flat_map(|[start, end]| [(start, started), (end, ended)])
        {
            write_time(&kernel.objects, command, fields, time)?;
        }
    }
    if let Some(recorder) = &mut kernel.recorder {
        recorder.result(&space.memory);
    }
    Ok(())
}

/// Fields of a command for timestamps: handle and offset, at start and end.
fn timestamps(command: &Command) -> Vec<[[Field; 2]; 2]> {
    match command {
        Command::Compute(_) => {
            use compute_command::*;
            vec![[[TIME_START, TIME_START_OFFSET], [TIME_END, TIME_END_OFFSET]]]
        }
        Command::Render(_) => {
            use render_command::*;
            vec![
                [[VERTEX_TIME_START, VERTEX_TIME_START_OFFSET], [VERTEX_TIME_END, VERTEX_TIME_END_OFFSET]],
                [
                    [FRAGMENT_TIME_START, FRAGMENT_TIME_START_OFFSET],
                    [FRAGMENT_TIME_END, FRAGMENT_TIME_END_OFFSET],
                ],
            ]
        }
    }
}

fn write_time(
    objects: &super::Table<super::TimeObject>,
    command: &Command,
    [handle, offset]: [Field; 2],
    time: u64,
) -> Result<(), Errno> {
    let bytes = command.bytes();
    let handle = handle.get(bytes) as u32;
    if handle == 0 {
        return Ok(());
    }
    let object = objects.get(handle)?;
    let offset = offset.get(bytes);
    if offset.checked_add(8).is_none_or(|end| end > object.bytes) {
        return Err(Errno::INVALID);
    }
    let start = object.offset.checked_add(offset).ok_or(Errno::INVALID)?;
    let window = Window::new(object.words.clone(), start, 8).ok_or(Errno::INVALID)?;
    window.store(0, &time.to_le_bytes());
    Ok(())
}
