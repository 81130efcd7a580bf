//! The texts of the console.

use std::fmt::Write as _;

use half::f16;

use super::{Console, ConsoleError};
use crate::expression::ExpressionError;
use crate::session::{Location, Session, Stopped};

/// Lines shown before and after the current one.
const AROUND: usize = 5;

/// Why execution stopped, where it is, and the watches.
pub(super) fn stop(console: &Console, session: &Session<'_>, stopped: Stopped) -> String {
    let mut text = match stopped {
        Stopped::Stepped => String::new(),
        Stopped::Breakpoint { id, lane } => format!("breakpoint {id}, lane {lane}\n"),
        Stopped::Start => "the start\n".to_owned(),
        Stopped::Interrupted => "interrupted\n".to_owned(),
        Stopped::End => {
            format!("the end, after {} instructions\n", session.machine().time())
        }
        Stopped::Fault => {
            session.machine().fault().map_or_else(String::new, |finding| format!("{finding}\n"))
        }
    };
    if stopped != Stopped::End {
        text.push_str(&place(console, session));
        text.push_str(&watches(console, session));
    }
    text
}

/// A location: SIMD-group, lanes, and either source line or instruction.
pub(super) fn place(console: &Console, session: &Session<'_>) -> String {
    let Some(at) = session.location() else { return "all SIMD-groups have ended\n".to_owned() };
    let Location { spot, line, workgroup: [x, y, z], group, exec } = at;
    let mut text = format!(
        "time {}, workgroup {x},{y},{z}, SIMD-group {group}, {} of {} lanes, {} {:#x}",
        session.machine().time(),
        exec.count_ones(),
        session.group().map_or(0, |group| group.lanes().count_ones()),
        spot.part.name(),
        spot.offset
    );
    if let Some(row) = line {
        let file = session.symbols().files.get(row.file as usize).map_or("", String::as_str);
        let _ = write!(text, ", {file}:{}", row.line);
        if let Some(line) = console.source_line(file, row.line) {
            let _ = write!(text, "\n{:5}  {line}", row.line);
        }
    }
    let instruction = session.code(spot.part).at(spot.offset).map_or("?", |one| one.text.as_str());
    let _ = writeln!(text, "\n       {instruction}");
    text
}

/// The watched expressions and their values.
pub(super) fn watches(console: &Console, session: &Session<'_>) -> String {
    let Some(scope) = session.scope(session.lane()) else { return String::new() };
    let value = |result: Result<crate::Datum, ExpressionError>| match result {
        Ok(datum) => datum.to_string(),
        Err(error) => format!("({error})"),
    };
    let watches = console.watches.iter();
    watches.map(|watch| format!("       {} = {}\n", watch.text(), value(watch.datum(&scope)))).collect()
}

/// The source around the line.
pub(super) fn source(console: &Console, session: &Session<'_>) -> Result<String, ConsoleError> {
    let row = session.location().ok_or(ConsoleError::Ended)?.line;
    let Some(row) = row else { return disassembly(session) };
    let file = session.symbols().files.get(row.file as usize).map_or("", String::as_str);
    let first = row.line.saturating_sub(AROUND as u32).max(1);
    let lines = first..=row.line.saturating_add(AROUND as u32);
    let shown = lines.filter_map(|line| {
        let mark = if line == row.line { '>' } else { ' ' };
        Some(format!("{mark}{line:5}  {}\n", console.source_line(file, line)?))
    });
    Ok(shown.collect())
}

/// The instructions around the next one.
pub(super) fn disassembly(session: &Session<'_>) -> Result<String, ConsoleError> {
    let spot = session.location().ok_or(ConsoleError::Ended)?.spot;
    let all = session.code(spot.part).instructions();
    let at = all.partition_point(|one| one.offset < spot.offset);
    let (first, end) =
        (at.saturating_sub(AROUND), at.saturating_add(AROUND).saturating_add(1).min(all.len()));
    let shown = all.get(first..end).unwrap_or_default().iter().map(|one| {
        let mark = if one.offset == spot.offset { '>' } else { ' ' };
        format!("{mark}{:#06x}  {}\n", one.offset, one.text)
    });
    Ok(shown.collect())
}

/// The source variables in the shown lane.
pub(super) fn variables(session: &Session<'_>) -> Result<String, ConsoleError> {
    let scope = session.scope(session.lane()).ok_or(ConsoleError::Ended)?;
    let assigned = scope.variables().filter_map(|(name, datum)| Some(format!("{name} = {}\n", datum?)));
    Ok(assigned.collect())
}

/// The registers that hold defined values in the shown lane, as bits, integer, float and halves.
pub(super) fn registers(session: &Session<'_>) -> Result<String, ConsoleError> {
    let group = session.group().ok_or(ConsoleError::Ended)?;
    let lane = session.lane();
    let mut text = String::from("register         hex       integer         float      halves\n");
    for register in 0..128u8 {
        let halves = [register.wrapping_mul(2), register.wrapping_mul(2).wrapping_add(1)];
        let known = halves.map(|half| group.is_defined(half, lane));
        if known == [false; 2] {
            continue;
        }
        let [low, high] = halves.map(|half| group.half(half, lane));
        let word = u32::from(high).wrapping_shl(16) | u32::from(low);
        let half = |bits: u16, known: bool| match known {
            true => format!("{:?}", f16::from_bits(bits).to_f32()),
            false => "?".to_owned(),
        };
        let _ = writeln!(
            text,
            "{:<10} {word:#010x}  {:>12}  {:>12}  {:>10} {:>10}",
            format!("r{register}"),
            word as i32,
            format!("{:?}", f32::from_bits(word)),
            half(low, known[0]),
            half(high, known[1])
        );
    }
    Ok(text)
}

/// The uniform registers that were set.
pub(super) fn uniforms(session: &Session<'_>) -> String {
    let mut text = String::new();
    for register in 0..256u16 {
        let half = |at: u16| session.machine().uniform(register.wrapping_mul(2).wrapping_add(at));
        let (low, high) = (half(0), half(1));
        if low.is_none() && high.is_none() {
            continue;
        }
        let word = u32::from(high.unwrap_or(0)).wrapping_shl(16) | u32::from(low.unwrap_or(0));
        let _ =
            writeln!(text, "u{register:<8} {word:#010x}  {:>12}  {:?}", word as i32, f32::from_bits(word));
    }
    text
}

/// The texture state registers that were set.
pub(super) fn textures(session: &Session<'_>) -> String {
    crate::textures(session).into_iter().map(|(number, text)| format!("ts{number:<7} {text}\n")).collect()
}

/// The lanes, with the reason why they are inactive.
pub(super) fn lanes(session: &Session<'_>) -> String {
    let shown = session.lane();
    let line = |lane: crate::Lane| {
        let mark = if lane.number == shown { '>' } else { ' ' };
        let [x, y, z] = lane.place;
        format!("{mark}{:3}  {x},{y},{z}  {}\n", lane.number, lane.describe())
    };
    session.lanes().into_iter().map(line).collect()
}

/// The outstanding operations.
pub(super) fn waits(session: &Session<'_>) -> Result<String, ConsoleError> {
    let group = session.group().ok_or(ConsoleError::Ended)?;
    let line = |wait_group: usize| {
        let (halves, count) = group.pending(wait_group);
        format!("wait group {wait_group}: {count} outstanding {halves}\n")
    };
    let mut text: String = [0, 1].map(line).concat();
    if group.is_at_barrier() {
        text.push_str("waits at a barrier\n");
    }
    Ok(text)
}

/// The SIMD-groups that run together.
pub(super) fn groups(session: &Session<'_>) -> String {
    let chosen = session.group().map(|group| (group.workgroup(), group.index()));
    let line = |group: agx_emulator::GroupView<'_>| {
        let [x, y, z] = group.workgroup();
        let mark = if chosen == Some((group.workgroup(), group.index())) { '>' } else { ' ' };
        let state = match (group.is_stopped(), group.is_at_barrier()) {
            (true, _) => "ended".to_owned(),
            (_, true) => format!("at a barrier before {:#x}", group.pc()),
            _ => format!("at {:#x}, mask {:08x}", group.pc(), group.exec()),
        };
        format!("{mark}{x},{y},{z} {}  {state}\n", group.index())
    };
    session.machine().groups().map(line).collect()
}

/// All breakpoints, or one.
pub(super) fn breakpoints(session: &Session<'_>, only: Option<u32>) -> String {
    let mut text = String::new();
    for one in session.breakpoints().iter().filter(|one| only.is_none_or(|id| id == one.id)) {
        let _ = write!(text, "breakpoint {}", one.id);
        if let Some((file, line)) = one.line {
            let file = session.symbols().files.get(file as usize).map_or("", String::as_str);
            let _ = write!(text, " at {file}:{line}");
        }
        for spot in &one.spots {
            let _ = write!(text, " {} {:#x}", spot.part.name(), spot.offset);
        }
        if let Some(condition) = &one.condition {
            let _ = write!(text, " if {}", condition.text());
        }
        text.push('\n');
    }
    text
}

/// Bytes of device memory, sixteen in a line.
pub(super) fn memory(session: &Session<'_>, address: u64, count: usize) -> Result<String, ConsoleError> {
    let bytes = session.machine().memory().bytes(address, count);
    let bytes = bytes.ok_or(ExpressionError::Unmapped { address })?;
    let mut text = String::new();
    for (number, row) in (0u64..).zip(bytes.chunks(16)) {
        let words: String = row.iter().map(|byte| format!(" {byte:02x}")).collect();
        let _ = writeln!(text, "{:#012x} {words}", address.wrapping_add(number.wrapping_mul(16)));
    }
    Ok(text)
}
