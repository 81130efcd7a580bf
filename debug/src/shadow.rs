//! The machine, and the values of source variables as they were computed.
//!
//! Registers are reused as soon as the program needs a value no longer, but a variable keeps its value in the source. So the
//! values that variables have are copied when lanes compute them, and for each lane the latest assignment is remembered.

use std::ops::Deref;
use std::rc::Rc;

use agx_emulator::{Finding, GroupView, LANES, Stepper};

use crate::code::Part;
use crate::expression::joined;
use crate::symbols::{Change, Content, Definition, Moment, PartSymbols, Symbols};

/// A SIMD-group, by its workgroup and number in it.
pub(crate) type Focus = ([u32; 3], u32);

/// The identity of a SIMD-group.
pub(crate) fn identity(group: &GroupView<'_>) -> Focus {
    (group.workgroup(), group.index())
}

/// What happens at an instruction.
#[derive(Clone, Debug, Default)]
struct Happening {
    /// Definitions, with the place of the value.
    definitions: Vec<(Definition, usize)>,
    /// Changes, with the place of the scalar.
    changes: Vec<(Content, usize)>,
}

/// What happens in a part, by offset.
#[derive(Debug, Default)]
struct Events {
    /// By offset in half-words: before and with the instruction.
    at: Vec<[Option<Box<Happening>>; 2]>,
    /// Numbers of the values in ascending order: their places.
    values: Vec<u32>,
    /// Place of the first scalar of each variable, and at the end their number.
    scalars: Vec<usize>,
}

impl Events {
    fn new(symbols: &PartSymbols) -> Events {
        let mut values: Vec<u32> = symbols.definitions.iter().map(|definition| definition.value).collect();
        values.sort_unstable();
        values.dedup();
        let mut events = Events { values, ..Events::default() };
        let mut count = 0usize;
        for variable in &symbols.variables {
            events.scalars.push(count);
            count = count.saturating_add(variable.leaves.len());
        }
        events.scalars.push(count);
        for definition in &symbols.definitions {
            if let Some(place) = events.value(definition.value) {
                events.happening(definition.at).definitions.push((*definition, place));
            }
        }
        for Change { at, variable, leaf, content } in &symbols.changes {
            if let Some(place) = events.scalar(*variable, *leaf) {
                events.happening(*at).changes.push((*content, place));
            }
        }
        events
    }

    fn happening(&mut self, at: Moment) -> &mut Happening {
        let (offset, when) = match at {
            Moment::Before(offset) => (offset, 0),
            Moment::With(offset) => (offset, 1),
        };
        let index = offset as usize / 2;
        if self.at.len() <= index {
            self.at.resize_with(index.saturating_add(1), Default::default);
        }
        let place = self.at.get_mut(index).and_then(|pair| pair.get_mut(when));
        place.expect("invariant: the list was extended").get_or_insert_default()
    }

    fn find(&self, offset: u32, when: usize) -> Option<&Happening> {
        self.at.get(offset as usize / 2)?.get(when)?.as_deref()
    }

    fn value(&self, number: u32) -> Option<usize> {
        self.values.binary_search(&number).ok()
    }

    fn scalar(&self, variable: u32, leaf: u32) -> Option<usize> {
        let first = self.scalars.get(variable as usize)?.saturating_add(leaf as usize);
        (first < *self.scalars.get((variable as usize).saturating_add(1))?).then_some(first)
    }
}

/// The values of a SIMD-group.
#[derive(Clone, Debug)]
struct Shadow {
    focus: Focus,
    part: Part,
    /// By place of the value, then lane; `None` until the lane computes it.
    values: Vec<[Option<u64>; LANES]>,
    /// By place of the scalar, then lane.
    contents: Vec<[Option<Content>; LANES]>,
    /// When each scalar changed in any lane.
    times: Vec<u64>,
}

impl Shadow {
    fn new(focus: Focus, part: Part, events: &Events) -> Shadow {
        let scalars = events.scalars.last().copied().unwrap_or(0);
        Shadow {
            focus,
            part,
            values: vec![[None; LANES]; events.values.len()],
            contents: vec![[None; LANES]; scalars],
            times: vec![0; scalars],
        }
    }

    /// Applies what happens in the lanes of `exec`.
    fn apply(&mut self, happening: &Happening, group: &GroupView<'_>, exec: u32, time: u64) {
        let is_in = |lane: usize| exec.checked_shr(lane as u32).unwrap_or(0) & 1 != 0;
        for (definition, place) in &happening.definitions {
            let Some(values) = self.values.get_mut(*place) else { continue };
            for (lane, place) in values.iter_mut().enumerate().filter(|(lane, _)| is_in(*lane)) {
                *place =
                    joined(definition.halves, |at| Some(group.half(definition.half.wrapping_add(at), lane)));
            }
        }
        for (content, place) in &happening.changes {
            let Some(contents) = self.contents.get_mut(*place) else { continue };
            let lanes = contents.iter_mut().enumerate().filter(|(lane, _)| is_in(*lane));
            lanes.for_each(|(_, own)| *own = Some(*content));
            if let Some(latest) = self.times.get_mut(*place).filter(|_| exec != 0) {
                *latest = time;
            }
        }
    }
}

/// A machine whose source variables are followed.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    stepper: Stepper<'a>,
    preamble: Rc<Events>,
    main: Rc<Events>,
    shadows: Vec<Shadow>,
}

impl<'a> Deref for Machine<'a> {
    type Target = Stepper<'a>;

    fn deref(&self) -> &Stepper<'a> {
        &self.stepper
    }
}

impl<'a> Machine<'a> {
    pub(crate) fn new(stepper: Stepper<'a>, symbols: &Symbols) -> Machine<'a> {
        let events = |part| Rc::new(Events::new(symbols.part(part)));
        Machine { stepper, preamble: events(Part::Preamble), main: events(Part::Main), shadows: Vec::new() }
    }

    /// The part that executes.
    pub(crate) fn part(&self) -> Part {
        if self.stepper.in_preamble() { Part::Preamble } else { Part::Main }
    }

    fn events(&self, part: Part) -> &Rc<Events> {
        match part {
            Part::Preamble => &self.preamble,
            Part::Main => &self.main,
        }
    }

    /// Executes one instruction.
    pub(crate) fn step(&mut self) -> Result<(), Box<Finding>> {
        let part = self.part();
        let events = self.events(part).clone();
        let Some(group) = self.stepper.current().filter(|_| !events.at.is_empty()) else {
            return self.stepper.step();
        };
        let (focus, offset, exec) = (identity(&group), group.pc(), group.exec());
        let [before, with] = [0, 1].map(|when| events.find(offset, when));
        if before.is_none() && with.is_none() {
            return self.stepper.step();
        }
        let Machine { stepper, shadows, .. } = self;
        let time = stepper.time();
        let shadow = shadow_of(shadows, stepper, focus, part, &events);
        if let (Some(happening), Some(group)) = (before, stepper.current()) {
            shadow.apply(happening, &group, exec, time);
        }
        stepper.step()?;
        let group = stepper.groups().find(|group| identity(group) == focus);
        if let (Some(happening), Some(group)) = (with, group) {
            shadow.apply(happening, &group, exec, time);
        }
        Ok(())
    }

    /// What is known of a SIMD-group before its next instruction.
    fn look<R>(&self, group: &GroupView<'_>, look: impl Fn(&Shadow, &Events) -> Option<R>) -> Option<R> {
        let (part, focus) = (self.part(), identity(group));
        let events = self.events(part);
        let known = self.shadows.iter().find(|shadow| (shadow.focus, shadow.part) == (focus, part));
        let Some(happening) = events.find(group.pc(), 0) else { return look(known?, events) };
        let mut shadow = known.cloned().unwrap_or_else(|| Shadow::new(focus, part, events));
        shadow.apply(happening, group, group.exec(), self.stepper.time());
        look(&shadow, events)
    }

    /// What a scalar has in a lane.
    pub(crate) fn content(&self, group: &GroupView<'_>, scalar: (u32, u32), lane: usize) -> Option<Content> {
        self.look(group, |shadow, events| {
            *shadow.contents.get(events.scalar(scalar.0, scalar.1)?)?.get(lane)?
        })
    }

    /// The latest value with a number in a lane.
    pub(crate) fn value(&self, group: &GroupView<'_>, number: u32, lane: usize) -> Option<u64> {
        self.look(group, |shadow, events| *shadow.values.get(events.value(number)?)?.get(lane)?)
    }

    /// When a variable was assigned last; `None` if it never was in this lane.
    pub(crate) fn changed(&self, group: &GroupView<'_>, variable: u32, lane: usize) -> Option<u64> {
        self.look(group, |shadow, events| {
            let index = variable as usize;
            let range = *events.scalars.get(index)?..*events.scalars.get(index.saturating_add(1))?;
            let is_assigned = |place: &usize| {
                shadow.contents.get(*place).and_then(|lanes| lanes.get(lane)?.as_ref()).is_some()
            };
            range.filter(is_assigned).map(|place| shadow.times.get(place).copied().unwrap_or(0)).max()
        })
    }
}

/// The values of a SIMD-group. Those of workgroups that have ended are dropped.
fn shadow_of<'s>(
    shadows: &'s mut Vec<Shadow>,
    stepper: &Stepper<'_>,
    focus: Focus,
    part: Part,
    events: &Events,
) -> &'s mut Shadow {
    let is_own = |shadow: &Shadow| (shadow.focus, shadow.part) == (focus, part);
    let at = shadows.iter().position(is_own).unwrap_or_else(|| {
        shadows.retain(|shadow| {
            shadow.part == part && stepper.groups().any(|group| identity(&group) == shadow.focus)
        });
        shadows.push(Shadow::new(focus, part, events));
        shadows.len().saturating_sub(1)
    });
    shadows.get_mut(at).expect("invariant: the position is that of an element")
}
