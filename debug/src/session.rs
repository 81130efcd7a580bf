//! A run under a debugger: forward, backward, and what is where.

use agx_emulator::{GroupView, Stepper};

use crate::breakpoint::{Breakpoint, BreakpointError, Filter};
use crate::checkpoints::Checkpoints;
use crate::code::{Code, Part, Spot};
use crate::expression::{Expression, Scope};
use crate::lanes::{Lane, lanes};
use crate::shadow::{Focus, Machine, identity};
use crate::symbols::{LineRow, Symbols};

/// How far a step goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// To the next instruction of the SIMD-group.
    Instruction,
    /// To another source line of the SIMD-group.
    Line,
    /// Out of the innermost loop around the instruction.
    OutOfLoop,
}

/// Why execution stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// The step is complete.
    Stepped,
    /// A lane reached a breakpoint.
    Breakpoint {
        /// Its number.
        id: u32,
        /// The lane.
        lane: usize,
    },
    /// Nothing happened before.
    Start,
    /// All SIMD-groups have ended.
    End,
    /// The program did what the machine cannot continue after.
    Fault,
    /// The caller asked to stop.
    Interrupted,
}

/// Where a SIMD-group is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// The next instruction.
    pub spot: Spot,
    /// Its source position.
    pub line: Option<LineRow>,
    /// Position of the workgroup in the grid.
    pub workgroup: [u32; 3],
    /// Number of the SIMD-group in the workgroup.
    pub group: u32,
    /// Active lanes.
    pub exec: u32,
}

/// Instructions between two questions whether to stop.
const PATIENCE: u64 = 4096;

/// A run under a debugger.
#[derive(Clone, Debug)]
pub struct Session<'a> {
    now: Machine<'a>,
    checkpoints: Checkpoints<'a>,
    symbols: &'a Symbols,
    preamble: Code,
    main: Code,
    breakpoints: Vec<Breakpoint>,
    next_id: u32,
    focus: Option<Focus>,
    /// The lane that the user chose.
    lane: Option<usize>,
    /// The lane that reached the latest breakpoint.
    hit_lane: usize,
}

impl<'a> Session<'a> {
    /// At the state of a machine, to which the session can go back.
    pub fn new(stepper: Stepper<'a>, symbols: &'a Symbols) -> Session<'a> {
        let now = Machine::new(stepper, symbols);
        let code = |part| now.code(part == Part::Preamble).map_or_else(Code::default, Code::new);
        let mut session = Session {
            checkpoints: Checkpoints::new(&now),
            preamble: code(Part::Preamble),
            main: code(Part::Main),
            now,
            symbols,
            breakpoints: Vec::new(),
            next_id: 1,
            focus: None,
            lane: None,
            hit_lane: 0,
        };
        session.settle();
        session
    }

    /// The machine.
    pub fn machine(&self) -> &Stepper<'a> {
        &self.now
    }

    /// What is known of the source.
    pub fn symbols(&self) -> &'a Symbols {
        self.symbols
    }

    /// The instructions of a part.
    pub fn code(&self, part: Part) -> &Code {
        match part {
            Part::Preamble => &self.preamble,
            Part::Main => &self.main,
        }
    }

    /// The part that executes.
    pub fn part(&self) -> Part {
        self.now.part()
    }

    /// The SIMD-group that steps concern; `None` at the end.
    pub fn group(&self) -> Option<GroupView<'_>> {
        let focus = self.focus?;
        self.now.groups().find(|group| identity(group) == focus)
    }

    /// Where that SIMD-group is.
    pub fn location(&self) -> Option<Location> {
        let group = self.group().filter(|group| !group.is_stopped())?;
        Some(location_of(&group, self.part(), self.symbols))
    }

    /// Makes steps concern another SIMD-group that has not ended; false if there is none such.
    pub fn select(&mut self, workgroup: [u32; 3], index: u32) -> bool {
        let wanted = (workgroup, index);
        let exists = self.now.groups().any(|group| identity(&group) == wanted && !group.is_stopped());
        if exists {
            self.focus = Some(wanted);
        }
        exists
    }

    /// The lane that is shown: the chosen one, or the one that reached the latest breakpoint while it is active, or the
    /// first active one.
    pub fn lane(&self) -> usize {
        let exec = self.group().map_or(0, |group| group.exec());
        let is_active = exec.checked_shr(self.hit_lane as u32).unwrap_or(0) & 1 != 0;
        let other = if is_active { self.hit_lane } else { exec.trailing_zeros() as usize };
        self.lane.unwrap_or(other).min(agx_emulator::LANES.saturating_sub(1))
    }

    /// Chooses the lane that is shown; line steps then stop only where it is active. `None` shows the first active one.
    pub fn choose_lane(&mut self, lane: Option<usize>) {
        self.lane = lane.filter(|lane| *lane < agx_emulator::LANES);
    }

    /// A lane of the SIMD-group, to evaluate expressions in.
    pub fn scope(&self, lane: usize) -> Option<Scope<'_>> {
        Some(scope(&self.now, self.group()?, self.symbols, lane))
    }

    /// The lanes of the SIMD-group.
    pub fn lanes(&self) -> Vec<Lane> {
        let part = self.part();
        self.group().map_or_else(Vec::new, |group| lanes(&group, part, self.code(part), self.symbols))
    }

    /// The breakpoints.
    pub fn breakpoints(&self) -> &[Breakpoint] {
        &self.breakpoints
    }

    /// Removes the breakpoint with a number, or all; whether there was one.
    pub fn remove(&mut self, id: Option<u32>) -> bool {
        let before = self.breakpoints.len();
        self.breakpoints.retain(|one| id.is_some_and(|id| id != one.id));
        self.breakpoints.len() != before
    }

    /// Breaks at a line, or the next line that has code, of the file called `file` or of the only one.
    ///
    /// # Errors
    /// The file is unknown, or neither the line nor a later one has code.
    pub fn break_at_line(
        &mut self,
        file: Option<&str>,
        line: u32,
        filter: Filter,
        condition: Option<Expression>,
    ) -> Result<&Breakpoint, BreakpointError> {
        let number = match file {
            None => self.location().and_then(|at| at.line).map_or(0, |row| row.file),
            Some(name) => {
                let known = || self.symbols.files.join(", ");
                let unknown = || BreakpointError::UnknownFile { name: name.to_owned(), known: known() };
                self.symbols.file(name).ok_or_else(unknown)?
            }
        };
        let rows = [Part::Preamble, Part::Main].into_iter().flat_map(|part| &self.symbols.part(part).lines);
        let after = rows.filter(|row| row.file == number && row.line >= line).map(|row| row.line).min();
        let no_code = || {
            let file = self.symbols.files.get(number as usize).cloned().unwrap_or_default();
            BreakpointError::NoCode { file, line }
        };
        let found = after.ok_or_else(no_code)?;
        let starts = |part: Part| {
            let starts = self.code(part).starts(self.symbols.part(part), number, found);
            starts.into_iter().map(move |offset| Spot { part, offset })
        };
        let spots = starts(Part::Preamble).chain(starts(Part::Main)).collect();
        Ok(self.add(spots, Some((number, found)), filter, condition))
    }

    /// Breaks at an instruction.
    ///
    /// # Errors
    /// No instruction starts there.
    pub fn break_at(
        &mut self,
        spot: Spot,
        filter: Filter,
        condition: Option<Expression>,
    ) -> Result<&Breakpoint, BreakpointError> {
        let Spot { part, offset } = spot;
        match self.code(part).at(offset) {
            Some(_) => Ok(self.add(vec![spot], None, filter, condition)),
            None => Err(BreakpointError::NoInstruction { part: part.name(), offset }),
        }
    }

    fn add(
        &mut self,
        spots: Vec<Spot>,
        line: Option<(u32, u32)>,
        filter: Filter,
        condition: Option<Expression>,
    ) -> &Breakpoint {
        let id = self.next_id;
        self.next_id = id.saturating_add(1);
        self.breakpoints.push(Breakpoint { id, spots, line, filter, condition });
        self.breakpoints.last().expect("invariant: a breakpoint was added")
    }

    /// Makes the SIMD-group that executes next the one that steps concern.
    fn settle(&mut self) {
        if let Some(group) = self.now.current() {
            self.focus = Some(identity(&group));
        }
    }

    /// Continues to a breakpoint or the end. `should_stop` is asked from time to time.
    pub fn run(&mut self, should_stop: &mut dyn FnMut() -> bool) -> Stopped {
        self.forward(should_stop, |_, _| false)
    }

    /// Makes a step; breakpoints end it early.
    pub fn step(&mut self, step: Step, should_stop: &mut dyn FnMut() -> bool) -> Stopped {
        let Some(focus) = self.focus else { return ended(&self.now) };
        let mut goal = Goal::new(step, self, focus);
        self.forward(should_stop, |session, now| goal.is_reached(session, now))
    }

    fn forward(
        &mut self,
        should_stop: &mut dyn FnMut() -> bool,
        mut is_reached: impl FnMut(&Session<'a>, &Machine<'a>) -> bool,
    ) -> Stopped {
        let stopped = loop {
            if self.now.is_finished() || self.now.step().is_err() || self.now.is_finished() {
                break ended(&self.now);
            }
            self.checkpoints.note(&self.now);
            if let Some(hit) = hit(&self.breakpoints, &self.now, self.symbols) {
                break hit;
            }
            if is_reached(self, &self.now) {
                break Stopped::Stepped;
            }
            if self.now.time().is_multiple_of(PATIENCE) && should_stop() {
                break Stopped::Interrupted;
            }
        };
        self.settle();
        self.hit_lane = lane_of(stopped).unwrap_or(self.hit_lane);
        stopped
    }

    /// Goes back to the latest earlier time at which the SIMD-group was at the start of an instruction, of a line, or
    /// outside the loop; `count` times.
    pub fn back(&mut self, step: Step, count: usize, should_stop: &mut dyn FnMut() -> bool) -> Stopped {
        let focus = self.focus.filter(|_| !self.now.is_finished() || self.now.fault().is_some());
        let mut goal = BackGoal::new(step, self, focus);
        self.backward(count, should_stop, |_, now, is_first| goal.is_reached(now, is_first))
    }

    /// Goes back to the latest earlier time at which a lane was at a breakpoint.
    pub fn run_back(&mut self, should_stop: &mut dyn FnMut() -> bool) -> Stopped {
        let stopped = self.backward(1, should_stop, |session, now, _| {
            Some(hit(&session.breakpoints, now, session.symbols).is_some())
        });
        let stopped = match hit(&self.breakpoints, &self.now, self.symbols) {
            Some(hit) if stopped == Stopped::Stepped => hit,
            _ => stopped,
        };
        self.hit_lane = lane_of(stopped).unwrap_or(self.hit_lane);
        stopped
    }

    /// Goes to the `count`-th latest earlier time at which `is_reached` holds, or to the start. The function gets the times
    /// after a copy in order, the first with `true`; it returns `None` at a time that depends on those before the copy.
    fn backward(
        &mut self,
        count: usize,
        should_stop: &mut dyn FnMut() -> bool,
        mut is_reached: impl FnMut(&Session<'a>, &Machine<'a>, bool) -> Option<bool>,
    ) -> Stopped {
        let mut undecided = None;
        let (mut end, mut wanted) = (self.now.time(), count.max(1));
        let mut found = None;
        for copy in self.checkpoints.before(end.saturating_sub(1)) {
            let mut probe = copy.clone();
            let mut times = Vec::new();
            let mut is_first = true;
            while probe.time() < end && !probe.is_finished() {
                match is_reached(self, &probe, is_first) {
                    Some(true) => times.push(probe.time()),
                    Some(false) => {}
                    None => undecided = Some(probe.time()),
                }
                is_first = false;
                if probe.step().is_err() {
                    break;
                }
                if probe.time().is_multiple_of(PATIENCE) && should_stop() {
                    return Stopped::Interrupted;
                }
            }
            if let Some(at) = times.len().checked_sub(wanted) {
                found = times.get(at).copied();
                break;
            }
            wanted = wanted.saturating_sub(times.len());
            end = undecided.map_or(copy.time(), |time| time.saturating_add(1));
        }
        self.go_to(found.unwrap_or(0));
        if found.is_some() { Stopped::Stepped } else { Stopped::Start }
    }

    /// Goes to a time, or to the end of the run before it.
    pub fn go_to(&mut self, time: u64) {
        let is_ahead = self.now.time() <= time && self.now.fault().is_none();
        let latest = self.checkpoints.before(time).next();
        if let Some(copy) = latest.filter(|copy| !is_ahead || copy.time() > self.now.time()) {
            self.now = copy.clone();
        }
        while self.now.time() < time && !self.now.is_finished() {
            if self.now.step().is_err() {
                break;
            }
            self.checkpoints.note(&self.now);
        }
        self.settle();
    }
}

/// Where a SIMD-group is.
fn location_of(group: &GroupView<'_>, part: Part, symbols: &Symbols) -> Location {
    let spot = Spot { part, offset: group.pc() };
    Location {
        spot,
        line: symbols.part(part).line(spot.offset).copied(),
        workgroup: group.workgroup(),
        group: group.index(),
        exec: group.exec(),
    }
}

/// The breakpoint at the next instruction.
fn hit(breakpoints: &[Breakpoint], now: &Machine<'_>, symbols: &Symbols) -> Option<Stopped> {
    if breakpoints.is_empty() {
        return None;
    }
    let group = now.current()?;
    let part = now.part();
    let scope = |lane| scope(now, group, symbols, lane);
    let hit = |one: &Breakpoint| {
        let lane = one.hit(part, &group, scope)?;
        Some(Stopped::Breakpoint { id: one.id, lane })
    };
    breakpoints.iter().find_map(hit)
}

/// The lane that reached a breakpoint.
fn lane_of(stopped: Stopped) -> Option<usize> {
    match stopped {
        Stopped::Breakpoint { lane, .. } => Some(lane),
        _ => None,
    }
}

fn ended(now: &Stepper<'_>) -> Stopped {
    if now.fault().is_some() { Stopped::Fault } else { Stopped::End }
}

/// The SIMD-group that a machine executes next, if it is `focus`.
fn focused<'s>(now: &'s Stepper<'_>, focus: Option<Focus>) -> Option<GroupView<'s>> {
    now.current().filter(|group| focus.is_none_or(|focus| identity(group) == focus))
}

fn scope<'s>(now: &'s Machine<'_>, group: GroupView<'s>, symbols: &'s Symbols, lane: usize) -> Scope<'s> {
    Scope { machine: now, group, part: now.part(), symbols, lane }
}

/// The innermost loop around the next instruction; empty if there is none.
fn loop_around(session: &Session<'_>) -> std::ops::Range<u32> {
    let spot = session.location().map(|at| at.spot);
    spot.and_then(|spot| session.code(spot.part).loop_around(spot.offset)).unwrap_or(0..0)
}

/// What ends a step.
struct Goal {
    step: Step,
    focus: Focus,
    part: Part,
    line: Option<(u32, u32)>,
    around: std::ops::Range<u32>,
    lane: Option<usize>,
}

impl Goal {
    fn new(step: Step, session: &Session<'_>, focus: Focus) -> Goal {
        let at = session.location();
        Goal {
            step,
            focus,
            part: session.part(),
            line: at.and_then(|at| at.line).as_ref().map(LineRow::place),
            around: loop_around(session),
            lane: session.lane,
        }
    }

    fn is_reached(&mut self, session: &Session<'_>, now: &Machine<'_>) -> bool {
        let part = now.part();
        let is_gone = |now: &Stepper<'_>| {
            let mut groups = now.groups().filter(|group| identity(group) == self.focus);
            part != self.part || groups.next().is_none_or(|group| group.is_stopped())
        };
        let Some(group) = focused(now, Some(self.focus)) else { return is_gone(now) };
        match self.step {
            Step::Instruction => true,
            Step::OutOfLoop => part != self.part || !self.around.contains(&group.pc()),
            Step::Line => {
                let line = session.symbols.part(part).line(group.pc()).map(LineRow::place);
                let lanes = self.lane.map_or(u32::MAX, |lane| 1u32.wrapping_shl(lane as u32));
                let has_lines = !session.symbols.part(part).lines.is_empty();
                group.exec() & lanes != 0 && (line.is_some() && line != self.line || !has_lines)
            }
        }
    }
}

/// What ends a step back.
struct BackGoal<'a> {
    step: Step,
    focus: Option<Focus>,
    symbols: &'a Symbols,
    around: std::ops::Range<u32>,
    /// The line of the SIMD-group's preceding instruction; `None` if it is not known.
    before: Option<Option<(u32, u32)>>,
}

impl<'a> BackGoal<'a> {
    fn new(step: Step, session: &Session<'a>, focus: Option<Focus>) -> BackGoal<'a> {
        BackGoal { step, focus, symbols: session.symbols, around: loop_around(session), before: None }
    }

    fn is_reached(&mut self, now: &Machine<'_>, is_first: bool) -> Option<bool> {
        if is_first {
            self.before = (now.time() == 0).then_some(None);
        }
        let Some(group) = focused(now, self.focus) else { return Some(false) };
        let rows = self.symbols.part(now.part());
        let line = rows.line(group.pc()).map(LineRow::place);
        let before = self.before.replace(line);
        match self.step {
            Step::Instruction => Some(true),
            Step::OutOfLoop => Some(!self.around.contains(&group.pc())),
            Step::Line if rows.lines.is_empty() => Some(group.exec() != 0),
            Step::Line => before.map(|before| group.exec() != 0 && line.is_some() && before != line),
        }
    }
}
