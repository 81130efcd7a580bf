//! Commands as text, and what they print.

mod print;
mod table;

use thiserror::Error;

use crate::breakpoint::{BreakpointError, Filter};
use crate::code::{Part, Spot};
use crate::expression::{Expression, ExpressionError};
use crate::session::{Session, Step, Stopped};
use table::Command;

/// Why a command does nothing.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ConsoleError {
    /// No command has this name.
    #[error("unknown command `{name}`; `help` lists the commands")]
    Unknown {
        /// The name.
        name: String,
    },
    /// A word of the command is wrong.
    #[error("expected {expected}, found `{found}`")]
    Word {
        /// What the command takes.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// The command needs a SIMD-group, and all have ended.
    #[error("all SIMD-groups have ended; `back` goes back")]
    Ended,
    /// The instruction is in no loop.
    #[error("the instruction at {offset:#x} is in no loop")]
    NoLoop {
        /// Its offset.
        offset: u32,
    },
    /// A breakpoint cannot be set.
    #[error(transparent)]
    Breakpoint(#[from] BreakpointError),
    /// An expression has no value.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
}

/// What a command did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reply {
    /// Text to show.
    pub text: String,
    /// Why execution stopped, if the command continued it.
    pub stopped: Option<Stopped>,
    /// Whether the session is over.
    pub quits: bool,
}

impl Reply {
    fn text(text: impl Into<String>) -> Reply {
        Reply { text: text.into(), ..Reply::default() }
    }
}

/// The commands of a session, with its watch expressions and the texts of source files.
#[derive(Clone, Debug, Default)]
pub struct Console {
    /// Names and texts of source files.
    sources: Vec<(String, String)>,
    watches: Vec<Expression>,
    /// The latest command, which an empty line repeats.
    latest: String,
}

/// What a command works on.
struct Call<'c, 'a> {
    console: &'c mut Console,
    session: &'c mut Session<'a>,
    /// The words after the command's name.
    words: &'c str,
    should_stop: &'c mut dyn FnMut() -> bool,
}

impl Console {
    /// A console that shows lines of these files, by name and text.
    pub fn new(sources: Vec<(String, String)>) -> Console {
        Console { sources, ..Console::default() }
    }

    /// Line `line`, from 1, of a file.
    pub fn source_line(&self, file: &str, line: u32) -> Option<&str> {
        let (_, text) = self.sources.iter().find(|(name, _)| name == file)?;
        text.lines().nth((line as usize).checked_sub(1)?)
    }

    /// Runs the command in `line`; an empty line repeats the latest one.
    ///
    /// # Errors
    /// The command is unknown, or cannot do what it is told.
    pub fn run(
        &mut self,
        session: &mut Session<'_>,
        line: &str,
        should_stop: &mut dyn FnMut() -> bool,
    ) -> Result<Reply, ConsoleError> {
        if !line.trim().is_empty() {
            line.trim().clone_into(&mut self.latest);
        }
        let latest = self.latest.clone();
        let (name, words) = latest.split_once(char::is_whitespace).unwrap_or((&latest, ""));
        if name.is_empty() {
            return Ok(Reply::default());
        }
        let unknown = || ConsoleError::Unknown { name: name.to_owned() };
        let command = Command::find(name).ok_or_else(unknown)?;
        let mut call = Call { console: self, session, words: words.trim(), should_stop };
        let mut reply = (command.run)(&mut call)?;
        if let Some(stopped) = reply.stopped {
            reply.text.push_str(&print::stop(self, session, stopped));
        }
        Ok(reply)
    }

    /// What is shown when execution stops.
    pub fn show(&self, session: &Session<'_>, stopped: Stopped) -> String {
        print::stop(self, session, stopped)
    }
}

/// A number, decimal or hexadecimal after `0x`.
pub fn number(word: &str) -> Option<u64> {
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// Numbers between commas.
fn numbers<const N: usize>(word: &str) -> Option<[u32; N]> {
    let numbers: Vec<u32> = word.split(',').map(|word| word.parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

impl Call<'_, '_> {
    fn wrong(&self, expected: &'static str) -> ConsoleError {
        ConsoleError::Word { expected, found: self.words.to_owned() }
    }

    /// The number in the words; `default` if there are none.
    fn count(&self, default: u64) -> Result<u64, ConsoleError> {
        match self.words {
            "" => Ok(default),
            words => number(words).ok_or_else(|| self.wrong("a number")),
        }
    }

    fn forward(&mut self, step: Step) -> Result<Reply, ConsoleError> {
        let count = self.count(1)?;
        if step == Step::OutOfLoop {
            self.check_loop()?;
        }
        let mut stopped = Stopped::Stepped;
        for _ in 0..count {
            stopped = self.session.step(step, self.should_stop);
            if stopped != Stopped::Stepped {
                break;
            }
        }
        Ok(Reply { stopped: Some(stopped), ..Reply::default() })
    }

    fn back(&mut self, step: Step) -> Result<Reply, ConsoleError> {
        let count = self.count(1)?;
        let stopped = self.session.back(step, count as usize, self.should_stop);
        Ok(Reply { stopped: Some(stopped), ..Reply::default() })
    }

    fn check_loop(&self) -> Result<(), ConsoleError> {
        let Spot { part, offset } = self.session.location().ok_or(ConsoleError::Ended)?.spot;
        let around = self.session.code(part).loop_around(offset);
        around.map(|_| ()).ok_or(ConsoleError::NoLoop { offset })
    }

    /// `[FILE:]LINE` or `*OFFSET`, then restrictions, then a condition.
    fn set_breakpoint(&mut self) -> Result<Reply, ConsoleError> {
        let (places, condition) = match self.words.split_once("if ") {
            Some((places, condition)) => (places, Some(Expression::parse(condition)?)),
            None => (self.words, None),
        };
        let mut words = places.split_whitespace();
        let place = words.next().unwrap_or("").to_owned();
        let mut part = Part::Main;
        let mut filter = Filter::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or("");
            match word {
                "preamble" => part = Part::Preamble,
                "lane" => filter.lane = number(value()).filter(|lane| *lane < 32).map(|lane| lane as usize),
                "workgroup" => filter.workgroup = numbers(value()),
                "pixel" => filter.pixel = numbers(value()),
                _ => {
                    return Err(
                        self.wrong("`lane N`, `workgroup X,Y,Z`, `pixel X,Y`, `preamble` or `if CONDITION`")
                    );
                }
            }
        }
        let asked = places.split_whitespace().any(|word| ["lane", "workgroup", "pixel"].contains(&word));
        if asked && filter == Filter::default() {
            return Err(self.wrong("a number after `lane`, X,Y,Z after `workgroup`, X,Y after `pixel`"));
        }
        let wrong = self.wrong("[FILE:]LINE or *OFFSET");
        let breakpoint = match place.strip_prefix('*') {
            Some(offset) => {
                let offset = number(offset).and_then(|offset| u32::try_from(offset).ok()).ok_or(wrong)?;
                self.session.break_at(Spot { part, offset }, filter, condition)?
            }
            None => {
                let (file, line) = match place.rsplit_once(':') {
                    Some((file, line)) => (Some(file), line),
                    None => (None, place.as_str()),
                };
                let line = line.parse().map_err(|_| wrong)?;
                self.session.break_at_line(file, line, filter, condition)?
            }
        };
        let id = breakpoint.id;
        Ok(Reply::text(print::breakpoints(self.session, Some(id))))
    }

    /// An expression, in the lanes that `@` names.
    fn evaluate(&self) -> Result<String, ConsoleError> {
        let (text, lanes) = match self.words.rsplit_once('@') {
            Some((text, lanes)) => (text.trim(), lanes.trim()),
            None => (self.words, ""),
        };
        let expression = Expression::parse(text)?;
        let one = |lane: usize| {
            let scope = self.session.scope(lane).ok_or(ConsoleError::Ended)?;
            Ok::<_, ConsoleError>(expression.datum(&scope)?.to_string())
        };
        if lanes != "*" {
            let lane = match lanes {
                "" => Some(self.session.lane()),
                word => number(word).filter(|lane| *lane < 32).map(|lane| lane as usize),
            };
            return Ok(format!("{}\n", one(lane.ok_or_else(|| self.wrong("a lane below 32 after `@`"))?)?));
        }
        let active = self.session.group().ok_or(ConsoleError::Ended)?.lanes();
        let exists = |lane: &usize| active.checked_shr(*lane as u32).unwrap_or(0) & 1 != 0;
        let lines = (0..agx_emulator::LANES).filter(exists);
        lines.map(|lane| Ok(format!("{lane:2}  {}\n", one(lane)?))).collect()
    }

    fn choose_lane(&mut self) -> Result<Reply, ConsoleError> {
        let lane = match self.words {
            "auto" => None,
            word => {
                let lane = number(word).filter(|lane| *lane < 32);
                Some(lane.ok_or_else(|| self.wrong("a lane below 32, or `auto`"))? as usize)
            }
        };
        self.session.choose_lane(lane);
        Ok(Reply::text(format!("lane {}\n", self.session.lane())))
    }

    fn choose_group(&mut self) -> Result<Reply, ConsoleError> {
        const EXPECTED: &str = "X,Y,Z NUMBER of a SIMD-group that has not ended; `info groups` lists them";
        let (workgroup, number) = self.words.split_once(' ').unwrap_or((self.words, "0"));
        let chosen =
            numbers(workgroup).zip(number.trim().parse().ok()).ok_or_else(|| self.wrong(EXPECTED))?;
        if !self.session.select(chosen.0, chosen.1) {
            return Err(self.wrong(EXPECTED));
        }
        Ok(Reply::text(print::place(self.console, self.session)))
    }
}
