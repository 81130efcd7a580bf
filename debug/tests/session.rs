//! Sessions over assembled programs: stops, conditions, steps forward and back, what is known of lanes and values.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::time::Instant;

use agx_debug::{
    Change, Console, Content, Definition, Expression, Filter, Kind, Leaf, LineRow, Moment, Part, PartSymbols,
    Session, Spot, Step, Stopped, Symbols, Variable,
};
use agx_emulator::{Access, Dispatch, Memory, Options, Program, Stepper, dispatch};
use agx_isa::asm::assemble;

const BUFFER: u64 = 0x1_0000_0000;

/// Lane n runs the loop n % 4 + 1 times; r3 counts iterations, r4 adds them up. Lines 1 to 6.
const LOOP: &str = "mfsr r1, sr52\n and r2, r1, 3\n ldimm32 r3, 0\n ldimm32 r4, 0\n ldimm16 r0l, 0\n push_exec nest 1\n \
                    L0: iadd r3, r3, 1\n iadd r4, r4, r3\n icsel.ugt r0l, r3, r2, 1, 0\n pop_exec\n jmp_any L0\n \
                    pop_exec nest 1\n stop";

/// Texts of instructions with which lines begin, by line from 1.
const LINES: [&str; 6] = ["mfsr", "and r2", "ldimm32 r3", "iadd r3", "iadd r4", "icsel"];

fn session<R>(text: &str, options: Options, check: impl FnOnce(Session<'_>, &Dispatch<'_>) -> R) -> R {
    let program = Program::new(&assemble(text).unwrap());
    let run = Dispatch {
        uniforms: &[1, 2, 0, 0x3fc0],
        workgroups: [2, 1, 1],
        options,
        ..Dispatch::new(&program, [40, 1, 1])
    };
    let offset = |start: &str| {
        let lines = agx_isa::disasm::disassemble(program.code());
        let found = lines.iter().find(|line| match &line.piece {
            agx_isa::disasm::Piece::Inst(inst) => inst.to_string().starts_with(start),
            agx_isa::disasm::Piece::Unknown(_) => false,
        });
        found.map(|line| line.pc as u32)
    };
    let row =
        |(line, start): (u32, &&str)| Some(LineRow { offset: offset(start)?, file: 0, line, column: 0 });
    let lines: Vec<LineRow> = (1..).zip(&LINES).filter_map(row).collect();
    let leaf = |path: &str, kind: &str| Leaf { path: path.to_owned(), kind: Kind::find(kind).unwrap() };
    let variable = |name: &str, leaves| Variable { name: name.to_owned(), leaves };
    let variables = vec![
        variable("sum", vec![leaf("", "u32")]),
        variable("v", vec![leaf(".x", "f32"), leaf(".y", "f32")]),
    ];
    // The sum is computed in line 5, in a register that the next one takes.
    let sum = Moment::With(offset("iadd r4").unwrap_or(0));
    let definitions = vec![Definition { at: sum, value: 7, half: 8, halves: 2 }];
    let change = |at, variable, leaf, content| Change { at, variable, leaf, content };
    let changes = vec![
        change(sum, 0, 0, Content::Value(7)),
        change(Moment::Before(0), 1, 0, Content::Constant(0x3f80_0000)),
        change(Moment::Before(0), 1, 1, Content::Uniform(2)),
    ];
    let main = PartSymbols { lines, variables, definitions, changes };
    let symbols = Symbols { files: vec!["loop.s".to_owned()], main, preamble: PartSymbols::default() };
    check(Session::new(Stepper::new(memory(), &run), &symbols), &run)
}

fn memory() -> Memory {
    let mut memory = Memory::new();
    memory.map(BUFFER, (0..64).collect(), Access::READ).unwrap();
    memory
}

fn never() -> impl FnMut() -> bool {
    || false
}

fn value(session: &Session<'_>, lane: usize, text: &str) -> String {
    let expression = Expression::parse(text).unwrap();
    expression
        .datum(&session.scope(lane).unwrap())
        .map_or_else(|error| error.to_string(), |datum| datum.to_string())
}

fn line(session: &Session<'_>) -> u32 {
    session.location().unwrap().line.unwrap().line
}

#[test]
fn line_breakpoints_stop_at_every_iteration() {
    session(LOOP, Options::default(), |mut session, _| {
        session.break_at_line(Some("loop.s"), 5, Filter::default(), None).unwrap();
        let mut found = Vec::new();
        while session.run(&mut never()) == (Stopped::Breakpoint { id: 1, lane: session.lane() })
            || !found.is_empty()
        {
            let Some(at) = session.location() else { break };
            found.push((at.workgroup[0], at.group, at.exec.count_ones(), value(&session, 3, "$r3")));
        }
        // Four iterations, in which all, 3/4, 1/2, 1/4 of the lanes are active, in SIMD-groups of 32 and 8 lanes.
        for (workgroup, group, lanes) in [(0, 0, 32), (0, 1, 8), (1, 0, 32), (1, 1, 8)] {
            let own: Vec<_> = found.iter().filter(|one| (one.0, one.1) == (workgroup, group)).collect();
            let masks: Vec<u32> = own.iter().map(|one| one.2).collect();
            assert_eq!(masks, [lanes, lanes * 3 / 4, lanes / 2, lanes / 4], "{workgroup} {group}");
            assert_eq!(own.iter().map(|one| one.3.as_str()).collect::<Vec<_>>(), ["1", "2", "3", "4"]);
        }
        assert_eq!(found.len(), 16);
    });
}

#[test]
fn conditions_and_filters_restrict_breakpoints() {
    session(LOOP, Options::default(), |mut session, _| {
        let condition = Expression::parse("$lane == 7 && sum > 5 || $global.x == 1000").unwrap();
        let filter = Filter { workgroup: Some([1, 0, 0]), ..Filter::default() };
        session.break_at_line(None, 6, filter, Some(condition)).unwrap();
        assert_eq!(session.run(&mut never()), Stopped::Breakpoint { id: 1, lane: 7 });
        // Lane 7 has added 1, 2 and 3.
        assert_eq!(
            (value(&session, 7, "sum"), value(&session, 7, "$workgroup.x * 100 + $r3")),
            ("6".into(), "103".into())
        );
        assert_eq!(session.run(&mut never()), Stopped::Breakpoint { id: 1, lane: 7 });
        assert_eq!(value(&session, 7, "sum"), "10");
        // The other SIMD-group has a lane 7 too.
        assert_eq!(session.run(&mut never()), Stopped::Breakpoint { id: 1, lane: 7 });
        let unknown = session.break_at_line(Some("other.s"), 6, Filter::default(), None).unwrap_err();
        assert_eq!(unknown.to_string(), "no source file is called `other.s`; the files are loop.s");
        let spot = Spot { part: Part::Main, offset: 3 };
        let between = session.break_at(spot, Filter::default(), None).unwrap_err();
        assert_eq!(between.to_string(), "no instruction of the main part starts at 0x3");
    });
}

#[test]
fn lines_step_forward_and_back() {
    session(LOOP, Options::default(), |mut session, _| {
        let mut lines = vec![line(&session)];
        for _ in 0..8 {
            assert_eq!(session.step(Step::Line, &mut never()), Stopped::Stepped);
            lines.push(line(&session));
        }
        assert_eq!(lines, [1, 2, 3, 4, 5, 6, 4, 5, 6]);
        let mut back = vec![line(&session)];
        while session.back(Step::Line, 1, &mut never()) == Stopped::Stepped {
            back.push(line(&session));
        }
        lines.reverse();
        assert_eq!(back, lines);
        assert_eq!(
            (session.machine().time(), session.back(Step::Instruction, 1, &mut never())),
            (0, Stopped::Start)
        );
        // Out of the loop, after its last iteration.
        for _ in 0..4 {
            session.step(Step::Line, &mut never());
        }
        assert_eq!(session.step(Step::OutOfLoop, &mut never()), Stopped::Stepped);
        assert_eq!((value(&session, 3, "$r4"), value(&session, 0, "$r4")), ("10".into(), "1".into()));
        session.back(Step::Instruction, 1, &mut never());
        assert_eq!(session.back(Step::OutOfLoop, 1, &mut never()), Stopped::Stepped);
        assert_eq!((line(&session), value(&session, 3, "$r3")), (3, "0".into()));
    });
}

/// What is seen of a state.
fn digest(session: &Session<'_>) -> (u64, Option<([u32; 3], u32, u32, u32)>, Vec<String>) {
    let at = session.location().map(|at| (at.workgroup, at.group, at.spot.offset, at.exec));
    let lanes = [0, 3, 7];
    let values = lanes
        .iter()
        .filter(|_| at.is_some())
        .flat_map(|lane| ["$r0", "$r3", "$r4", "sum"].map(|text| value(session, *lane, text)));
    (session.machine().time(), at, values.collect())
}

#[test]
fn going_back_gives_the_states_of_going_forward() {
    let options = Options { seed: 5, ..Options::default() };
    session(LOOP, options, |mut session, run| {
        let expected = dispatch(&mut memory(), run).unwrap().instructions;
        let mut states = Vec::new();
        while !session.machine().is_finished() {
            states.push(digest(&session));
            session.go_to(session.machine().time() + 1);
        }
        assert_eq!(states.len() as u64, expected);
        for state in states.iter().rev().step_by(3).chain(states.iter().step_by(17)) {
            session.go_to(state.0);
            assert_eq!(digest(&session), *state);
        }
    });
}

#[test]
fn ten_thousand_instructions_back_take_less_than_a_tenth_of_a_second() {
    let endless = "mfsr r1, sr52\n ldimm32 r3, 0\n L0: iadd r3, r3, 1\n fmul r4, r3, r1\n jmp_any L0";
    session(endless, Options { budget: 200_000, ..Options::default() }, |mut session, _| {
        assert_eq!(session.run(&mut never()), Stopped::Fault, "the budget is spent");
        let fastest = (0..3).map(|_| {
            let (before, begin) = (value(&session, 0, "$r3").parse::<u32>().unwrap(), Instant::now());
            assert_eq!(session.back(Step::Instruction, 9_999, &mut never()), Stopped::Stepped);
            let taken = begin.elapsed();
            // Three instructions are an iteration.
            let after = value(&session, 0, "$r3").parse::<u32>().unwrap();
            assert_eq!(before - after, 3_333);
            taken
        });
        let fastest = fastest.min().unwrap();
        assert!(fastest.as_secs_f64() < 0.1, "{fastest:?}");
    });
}

#[test]
fn values_are_typed() {
    session(LOOP, Options::default(), |mut session, _| {
        assert_eq!(value(&session, 0, "sum"), "`sum` has no value here");
        assert_eq!(value(&session, 0, "v"), "{.x = 1.0, .y = 1.5}");
        assert_eq!(value(&session, 0, "v.y * 2 + f32($lane)"), "3.0");
        assert_eq!(value(&session, 0, "v + 1"), "`v` has several components; expected one, as in `v.x`");
        assert_eq!(value(&session, 0, "nothing"), "unknown name `nothing`");
        assert_eq!(value(&session, 0, "$u1.f32"), "1.5");
        assert_eq!(value(&session, 0, "$u0h - 1"), "1");
        assert_eq!(value(&session, 0, &format!("$mem[{BUFFER} + 4]")), (0x0706_0504).to_string());
        assert_eq!(value(&session, 0, "$mem[12]"), "no memory at 0xc");
        assert_eq!(value(&session, 0, "7 / ($lane - 0)"), "division by zero");
        assert_eq!(value(&session, 0, "1 + 2 * 3 == 7 && !(4 < 3)"), "true");
        assert_eq!(value(&session, 0, "-1 >> 1 | 0x10"), "-1");
        for _ in 0..4 {
            session.step(Step::Line, &mut never());
        }
        assert_eq!(value(&session, 2, "sum"), "`sum` has no value here", "it is computed now");
        assert_eq!(value(&session, 2, "$r3 - 2"), "4294967295");
        let condition = Expression::parse("sum == 10").unwrap();
        session.break_at_line(None, 6, Filter::default(), Some(condition)).unwrap();
        assert_eq!(session.run(&mut never()), Stopped::Breakpoint { id: 1, lane: 3 });
        // Lanes that have left the loop keep their sums, whatever happens to the register.
        assert_eq!([0, 1, 2].map(|lane| value(&session, lane, "sum")), ["1", "3", "6"]);
        session.back(Step::Line, 1, &mut never());
        assert_eq!(value(&session, 3, "sum"), "6");
    });
}

#[test]
fn errors_of_expressions_have_a_place() {
    for (text, message) in [
        ("1 +", "`1 +`, character 4: expected an operand"),
        ("(1", "`(1`, character 3: expected a closing bracket"),
        ("1 2", "`1 2`, character 3: expected an operator"),
        ("$r200", "`$r200`, character 6: expected a register up to r127"),
        ("a[x]", "`a[x]`, character 3: expected a number and `]`"),
        ("$mem(1)", "`$mem(1)`, character 5: expected an operator"),
        ("1)", "`1)`, character 2: expected the end or an operator"),
        ("$r1.f33", "`$r1.f33`, character 8: expected a type before here, like `f32`"),
    ] {
        assert_eq!(Expression::parse(text).unwrap_err().to_string(), message);
    }
    let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(Expression::parse(&deep).is_ok());
}

#[test]
fn inactive_lanes_have_reasons() {
    session(LOOP, Options::default(), |mut session, _| {
        session
            .break_at_line(None, 4, Filter::default(), Some(Expression::parse("$r3 == 2").unwrap()))
            .unwrap();
        session.run(&mut never());
        let lanes = session.lanes();
        let reason = |lane: usize| lanes[lane].reason.clone();
        assert_eq!((reason(2), lanes[2].place), (String::new(), [2, 0, 0]));
        // Lane 1 left after two iterations, at the end of the second.
        assert!(reason(1).starts_with("left 1 level at ") && reason(1).contains("pop_exec"), "{}", reason(1));
    });
}

#[test]
fn the_console_runs_commands() {
    session(LOOP, Options::default(), |mut session, _| {
        let mut console = Console::new(vec![("loop.s".to_owned(), "a\nb\nc\nd\ne\nf\n".to_owned())]);
        let mut run = |line: &str| match console.run(&mut session, line, &mut never()) {
            Ok(reply) => reply.text,
            Err(error) => format!("error: {error}"),
        };
        let set = run("break loop.s:5 lane 3 if sum == 3");
        assert!(set.starts_with("breakpoint 1 at loop.s:5 main 0x"), "{set}");
        assert_eq!(run("watch sum + 1"), "       sum + 1 = (`sum` has no value here)\n");
        let stop = run("c");
        assert!(
            stop.contains("breakpoint 1, lane 3")
                && stop.contains("\n    5  e\n")
                && stop.contains("sum + 1 = "),
            "{stop}"
        );
        assert_eq!(
            (run("print sum @ 3"), run("p sum@32")),
            ("3\n".into(), "error: expected a lane below 32 after `@`, found `sum@32`".into())
        );
        assert!(run("p $r3 @ *").lines().nth(5).unwrap().starts_with(" 5  2"));
        assert!(run("back").contains("\n    4  d\n"));
        assert!(run("").contains("\n    6  f\n"), "an empty line repeats the command");
        assert_eq!(run("delete 4"), "error: expected the number of a breakpoint, found `4`");
        assert_eq!((run("delete 1"), run("i b")), (String::new(), String::new()));
        assert_eq!(run("frob"), "error: unknown command `frob`; `help` lists the commands");
        assert!(run("list").contains(">    6  f\n"));
        assert!(run("memory 0x100000000 16").starts_with("0x0100000000  00 01 02 03"));
        assert!(run("continue").starts_with("the end, after "));
        assert_eq!(run("print sum"), "error: all SIMD-groups have ended; `back` goes back");
        assert!(run("backi").contains("stop"));
        assert!(run("help").contains("reverse-continue, rc"));
    });
}
