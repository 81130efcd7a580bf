//! Where the scalars of source variables are before each instruction: what the compiler followed to the code, followed
//! through the code.
//!
//! Along the path of a lane, a register keeps a value until an instruction overwrites it, and moves and stack accesses copy
//! it. Where paths join, only what they agree on holds.

use std::ops::Range;

use agx_abi::variables::{Content, Moment};
use agx_compiler::internal::tracking::Tracking;
use agx_debug::{Kind, Value};
use agx_isa::Inst;
use agx_isa::Opcode;
use agx_isa::disasm::Piece;
use agx_isa::inst::{Size, Tag};
use agx_isa::table::names::Truth;
use rustc_hash::FxHashMap;

use super::symbols;
use crate::report::flow::{Flow, State};

/// A place of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// Registers from this half register on.
    Register(u16),
    /// Uniform registers from this half-word on.
    Uniform(u16),
    Constant(u64),
    /// Bytes of the lane's stack, from the base of the frame on.
    Stack(u32),
}

/// Half registers that hold a value: the first one and their number.
type Held = (u16, u16);

/// What holds at a point of a path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Known {
    /// Values by place.
    held: Vec<(Held, u32)>,
    /// The content of each scalar; `None` where paths disagree or nothing was assigned.
    contents: Vec<Option<Content>>,
}

impl Known {
    /// Leaves what `other` agrees with; whether anything changed.
    fn meet(&mut self, other: &Known) -> bool {
        let before = self.held.len();
        self.held.retain(|one| other.held.contains(one));
        let mut changed = self.held.len() != before;
        for (own, other) in self.contents.iter_mut().zip(&other.contents) {
            if own.is_some() && own != other {
                *own = None;
                changed = true;
            }
        }
        changed
    }

    fn overwrite(&mut self, halves: Range<u16>) {
        self.held.retain(|((first, count), _)| halves.start >= first + count || halves.end <= *first);
    }

    fn hold(&mut self, held: Held, value: u32) {
        if !self.held.contains(&(held, value)) {
            self.held.push((held, value));
            self.held.sort_unstable();
        }
    }

    /// Where a value is.
    fn place(&self, value: u32) -> Option<Place> {
        let found = self.held.iter().find(|(_, held)| *held == value);
        found.map(|((first, _), _)| Place::Register(*first))
    }
}

/// The events of a code by the instruction that they belong to.
struct Events<'t> {
    tracking: &'t Tracking,
    definitions: FxHashMap<(bool, u32), Vec<usize>>,
    changes: FxHashMap<(bool, u32), Vec<usize>>,
    /// Number of the first scalar of each variable.
    first: Vec<usize>,
    scalars: usize,
}

impl<'t> Events<'t> {
    fn new(tracking: &'t Tracking) -> Events<'t> {
        let key = |at: Moment| match at {
            Moment::Before(offset) => (false, offset),
            Moment::With(offset) => (true, offset),
        };
        let mut events = Events {
            tracking,
            definitions: FxHashMap::default(),
            changes: FxHashMap::default(),
            first: Vec::new(),
            scalars: 0,
        };
        for (index, definition) in tracking.definitions.iter().enumerate() {
            events.definitions.entry(key(definition.at)).or_default().push(index);
        }
        for (index, change) in tracking.changes.iter().enumerate() {
            events.changes.entry(key(change.at)).or_default().push(index);
        }
        for variable in &tracking.variables {
            events.first.push(events.scalars);
            events.scalars += variable.leaves.len();
        }
        events
    }

    fn apply(&self, is_after: bool, offset: u32, known: &mut Known) {
        for index in self.definitions.get(&(is_after, offset)).into_iter().flatten() {
            let definition = self.tracking.definitions[*index];
            // A value that is computed again is nowhere else.
            known.held.retain(|(_, value)| *value != definition.value);
        }
        for index in self.definitions.get(&(is_after, offset)).into_iter().flatten() {
            let definition = self.tracking.definitions[*index];
            known.hold((definition.half.into(), definition.halves.into()), definition.value);
        }
        for index in self.changes.get(&(is_after, offset)).into_iter().flatten() {
            let change = self.tracking.changes[*index];
            let scalar = self.first[change.variable as usize] + change.leaf as usize;
            known.contents[scalar] = Some(change.content);
        }
    }
}

/// The places of the variables of `tracking` in the machine code of its part, as text. `is_start` tells whether a source
/// line begins at an offset.
pub fn text(code: &[u8], tracking: &Tracking, is_start: impl Fn(u32) -> bool) -> String {
    let flow = Flow::new(code);
    let events = Events::new(tracking);
    let known = known(&flow, &events);
    let mut text = String::new();
    for (variable, first) in tracking.variables.iter().zip(&events.first) {
        for (index, leaf) in variable.leaves.iter().enumerate() {
            let kind = symbols::kind(leaf);
            text.push_str(&format!("{}{}: {}\n", variable.name, leaf.path, kind.name()));
            for (bytes, place) in places(&flow, &known, first + index) {
                let place = describe(place, kind);
                text.push_str(&format!("    {:#06x}..{:#06x}  {place}\n", bytes.start, bytes.end));
            }
        }
    }
    text.push_str(&seen(&flow, &known, tracking, is_start));
    text
}

/// A line of text: of the scalars that were assigned where source lines begin, how many have a place, and how many were computed.
fn seen(flow: &Flow, known: &[Option<Known>], tracking: &Tracking, is_start: impl Fn(u32) -> bool) -> String {
    let is_computed = |content: &Content| match content {
        Content::Value(value) => tracking.definitions.iter().any(|definition| definition.value == *value),
        content => *content != Content::Lost,
    };
    let [mut assigned, mut placed, mut computed] = [0; 3];
    let mut least = 100;
    let starts = flow.lines.iter().zip(known).filter(|(line, _)| is_start(line.pc as u32));
    for known in starts.filter_map(|(_, known)| known.as_ref()) {
        let contents = || known.contents.iter().flatten();
        let (here, computed_here) =
            (contents().count(), contents().filter(|content| is_computed(content)).count());
        assigned += here;
        placed += contents().filter(|content| place(known, **content).is_some()).count();
        computed += computed_here;
        least = least.min((100 * computed_here).checked_div(here).unwrap_or(100));
    }
    format!(
        "; where lines begin, {placed} of {assigned} assigned scalars have a place, and {computed} were computed, at least {least} % at each line\n"
    )
}

/// The place of a content.
fn place(known: &Known, content: Content) -> Option<Place> {
    match content {
        Content::Value(value) => known.place(value),
        Content::Constant(bits) => Some(Place::Constant(bits)),
        Content::Uniform(half) => Some(Place::Uniform(half)),
        Content::Stack(byte) => Some(Place::Stack(byte)),
        Content::Lost => None,
    }
}

/// What is known before each instruction, in the lanes that execute it.
fn known(flow: &Flow, events: &Events<'_>) -> Vec<Option<Known>> {
    let mut before: Vec<Option<Known>> = vec![None; flow.states.len()];
    let nothing = Known { held: Vec::new(), contents: vec![None; events.scalars] };
    let mut work = vec![0];
    if let Some(first) = before.first_mut() {
        *first = Some(nothing);
    }
    while let Some(index) = work.pop() {
        let Some(mut now) = before[index].clone() else { continue };
        step(flow, flow.states[index], events, &mut now);
        for next in &flow.successors[index] {
            let changed = match &mut before[*next] {
                Some(known) => known.meet(&now),
                unknown => {
                    *unknown = Some(now.clone());
                    true
                }
            };
            if changed && !work.contains(next) {
                work.push(*next);
            }
        }
    }
    // Events before an instruction have happened when execution stops there.
    for (state, known) in flow.states.iter().zip(&mut before) {
        if let Some(known) = known.as_mut().filter(|_| state.is_active) {
            events.apply(false, flow.lines[state.line].pc as u32, known);
        }
    }
    let mut lines: Vec<Option<Known>> = vec![None; flow.lines.len()];
    for (state, known) in flow.states.iter().zip(before).filter(|(state, _)| state.is_active) {
        match (&mut lines[state.line], known) {
            (Some(line), Some(known)) => _ = line.meet(&known),
            (line, known) => *line = known,
        }
    }
    lines
}

/// The effect of an instruction on a lane.
fn step(flow: &Flow, state: State, events: &Events<'_>, known: &mut Known) {
    if !state.is_active {
        return;
    }
    let line = &flow.lines[state.line];
    events.apply(false, line.pc as u32, known);
    if let Piece::Inst(inst) = &line.piece {
        let copies = copies(inst, known);
        inst.registers_written().for_each(|halves| known.overwrite(halves));
        for (held, value) in copies {
            known.hold(held, value);
        }
    }
    events.apply(true, line.pc as u32, known);
}

/// The values that an instruction copies, with their new places.
fn copies(inst: &Inst, known: &Known) -> Vec<(Held, u32)> {
    if inst.op == Opcode::Bitop && inst.modifier("table") == Truth::FIRST.get() {
        let (Some(from), Some(to)) = (inst.operand("a"), inst.operand("dst")) else { return Vec::new() };
        let is_whole = from.tag == Tag::Reg && to.tag == Tag::Reg && from.size == to.size;
        if !is_whole || to.size == Size::B64 {
            return Vec::new();
        }
        let (from, to, halves) = (from.value as u16, to.value as u16, u16::from(to.size.halves()));
        let inside = |((first, count), value): &(Held, u32)| {
            let is_inside = *first >= from && first + count <= from + halves;
            is_inside.then(|| ((first - from + to, *count), *value))
        };
        return known.held.iter().filter_map(inside).collect();
    }
    Vec::new()
}

/// The ranges of offsets in which a scalar has one place.
fn places(flow: &Flow, known: &[Option<Known>], scalar: usize) -> Vec<(Range<u32>, Place)> {
    let mut places: Vec<(Range<u32>, Place)> = Vec::new();
    for (line, known) in flow.lines.iter().zip(known) {
        let place = known.as_ref().and_then(|known| place(known, known.contents[scalar]?));
        let Some(place) = place else { continue };
        let bytes = line.pc as u32..(line.pc + line.len) as u32;
        match places.last_mut().filter(|last| last.1 == place && last.0.end == bytes.start) {
            Some(last) => last.0.end = bytes.end,
            None => places.push((bytes, place)),
        }
    }
    places
}

fn describe(place: Place, kind: Kind) -> String {
    match place {
        Place::Register(half) => {
            let name = match (kind.bits > 16, half % 2) {
                (true, _) => "",
                (false, 0) => "l",
                (false, _) => "h",
            };
            format!("r{}{name}", half / 2)
        }
        Place::Uniform(half) => format!("u{}{}", half / 2, if half % 2 == 1 { "h" } else { "" }),
        Place::Constant(bits) => Value::new(kind, bits).to_string(),
        Place::Stack(byte) => format!("stack {byte}"),
    }
}
