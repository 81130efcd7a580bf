//! Asynchronous operations in flight, whose results arrive at the `wait`.
//!
//! Until then a destination has its old value or random bits; the seed decides. The access happens between the
//! instruction and its `wait`: loads happen in program order, and before later writes of the same SIMD-group to memory.
//! A fence does not complete it.

use agx_isa::desc::Effects;

use crate::core::Core;
use crate::exec::{Action, Flow};
use crate::findings::Observation;
use crate::group::{Group, PerLane};
use crate::program::{Op, Program};
use crate::registers::lanes_of;
use crate::step::step;
use crate::strict;

/// Half registers with their values in all lanes.
type Halves = Vec<(u8, PerLane<u16>)>;

/// An operation whose results have not arrived.
#[derive(Clone, Debug)]
pub(crate) struct InFlight {
    /// Its wait group.
    index: u8,
    /// Index of the instruction in its program.
    at: usize,
    /// Lanes that execute it.
    exec: u32,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// The access has not happened yet; these are the sources.
    Started(Halves),
    /// The access has happened; these are the results.
    Fetched(Halves),
}

/// Executes an instruction whose results may arrive late. `at` is its index, unless only an indirect jump reaches it.
pub(crate) fn step_in_flight(
    op: &Op,
    at: Option<usize>,
    program: &Program,
    group: &mut Group,
    core: &mut Core<'_>,
    observe: bool,
) -> Result<Flow, Observation> {
    if let Some(order) = &mut core.order {
        order.next_instruction();
    }
    if let Action::Wait(index) = &op.action {
        let index = *index as u8 & 1;
        arrive(program, index, group, core)?;
        core.complete(index);
        return step(op, group, core, observe);
    }
    let effects = op.inst.as_ref().map_or(Effects::empty(), |inst| inst.op.desc().effects);
    if effects.intersects(Effects::WRITES_MEMORY | Effects::STOP) {
        fetch(program, group, core)?;
    }
    let Some((index, at)) = op.wait_group.zip(at).filter(|_| !op.strict.writes.is_empty()) else {
        return step(op, group, core, observe);
    };
    if core.chance(4) == 0 {
        return step(op, group, core, observe);
    }
    let movable = matches!(op.action, Action::Load(_) | Action::Sample(_))
        && core.launch.mutant.is_none()
        && core.races.is_none();
    let exec = group.exec;
    let before = copy(&op.strict.writes, group);
    let state = if movable && core.chance(2) == 0 {
        if observe {
            strict::before(op, group, core);
            strict::after(op, exec, group, core);
        }
        State::Started(copy(&op.strict.reads, group))
    } else {
        step(op, group, core, observe)?;
        let results = copy(&op.strict.writes, group);
        restore(&before, u32::MAX, group);
        State::Fetched(results)
    };
    if core.chance(2) == 0 {
        spoil(&op.strict.writes, exec, group, core);
    }
    group.in_flight.push(InFlight { index, at, exec, state });
    Ok(Flow::Next)
}

fn copy(halves: &[u8], group: &Group) -> Halves {
    halves.iter().map(|half| (*half, group.halves(*half))).collect()
}

fn restore(halves: &Halves, exec: u32, group: &mut Group) {
    for (half, values) in halves {
        group.set_halves(*half, values, exec);
    }
}

/// Fills registers that are being written with random bits.
fn spoil(halves: &[u8], exec: u32, group: &mut Group, core: &mut Core<'_>) {
    for half in halves {
        for lane in lanes_of(exec) {
            group.set_half(*half, lane, core.chance(1 << 16) as u16);
        }
    }
}

/// Makes the pending accesses, in program order.
fn fetch(program: &Program, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
    for number in 0..group.in_flight.len() {
        let InFlight { at, exec, state, .. } = &mut group.in_flight[number];
        let State::Started(sources) = state else { continue };
        let (at, exec, sources) = (*at, *exec, std::mem::take(sources));
        let results = execute(program, at, exec, &sources, group, core)?;
        group.in_flight[number].state = State::Fetched(results);
    }
    Ok(())
}

/// Executes an instruction with the sources it had when it was started. Returns its results and does not change
/// registers.
fn execute(
    program: &Program,
    at: usize,
    exec: u32,
    sources: &Halves,
    group: &mut Group,
    core: &mut Core<'_>,
) -> Result<Halves, Observation> {
    let Some(op) = program.ops().get(at) else { return Ok(Halves::new()) };
    let strict = &op.strict;
    let touched: Vec<u8> = strict.reads.iter().chain(&strict.writes).copied().collect();
    let (saved, now, pc) = (copy(&touched, group), group.exec, group.pc);
    restore(sources, u32::MAX, group);
    (group.exec, group.pc) = (exec, op.pc);
    // On a fault the program counter stays at the failing instruction.
    op.action.run(group, core, op.next())?;
    let results = copy(&strict.writes, group);
    restore(&saved, u32::MAX, group);
    (group.exec, group.pc) = (now, pc);
    Ok(results)
}

/// Writes the results of a wait group to their registers.
fn arrive(program: &Program, index: u8, group: &mut Group, core: &mut Core<'_>) -> Result<(), Observation> {
    fetch(program, group, core)?;
    let (arrived, left) =
        std::mem::take(&mut group.in_flight).into_iter().partition(|flight: &InFlight| flight.index == index);
    group.in_flight = left;
    let arrived: Vec<InFlight> = arrived;
    for InFlight { exec, state, .. } in arrived {
        if let State::Fetched(results) = &state {
            restore(results, exec, group);
        }
    }
    Ok(())
}
