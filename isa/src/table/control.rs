//! Execution mask, jumps, calls, end of program.

use super::*;

/// A comparison of integers and a nesting level.
pub(super) const INTEGER_CONDITION: &[OperandDesc] = ops![
    alu!("a", 16, 42).sign(Sign::OfCondition),
    alu!("b", 28, 40).sign(Sign::OfCondition),
    modifier("cond", kinds::names(names::INT_CONDITIONS), bits![13:15]),
    flag!("inv", 8),
    modifier("nest", kinds::NUMBER, bits![11:12]),
    flag!("cache", 7),
];

/// A comparison of floats and a nesting level.
pub(super) const FLOAT_CONDITION: &[OperandDesc] = ops![
    float_src!("a", 16, 42),
    float_src!("b", 28, 40),
    modifier("cond", kinds::names(names::FLOAT_CONDITIONS), bits![13:15]),
    flag!("inv", 8),
    modifier("nest", kinds::NUMBER, bits![11:12]),
    flag!("cache", 7),
];

macro_rules! control_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "control" "Execution mask, jumps, calls, end of program";

/// Inactive lanes add `nest` levels to their count; active lanes whose comparison fails go to level 1.
IfIcmp "if_icmp" = row(0x52, 0x30c00c00067f, fixed(6))
    .operands(control::INTEGER_CONDITION)
    .effects(Effects::MASK, OrderClass::Control).source(from::ALL)
    .applegpu("if_icmp r0l, {condition:cond}, {a}, {b}, {nest}");

/// Active lanes go to level `nest`; lanes at level 1 become active if the comparison holds.
ElseIcmp "else_icmp" = row(0x252, 0x30c00c00067f, fixed(6))
    .operands(control::INTEGER_CONDITION)
    .effects(Effects::MASK, OrderClass::Control).source(from::ALL).unseen()
    .applegpu("else_icmp r0l, {condition:cond}, {a}, {b}, {nest}");

/// Lanes below level `nest` become active if the comparison holds, and go to level `nest` if it does not.
WhileIcmp "while_icmp" = row(0x452, 0x30c00c00067f, fixed(6))
    .operands(control::INTEGER_CONDITION)
    .effects(Effects::MASK, OrderClass::Control).source(from::ALL)
    .applegpu("while_icmp r0l, {condition:cond}, {a}, {b}, {nest}");

/// Inactive lanes add `nest` levels to their count; active lanes whose comparison fails go to level 1.
IfFcmp "if_fcmp" = row(0x42, 0x3000_0000_067f, fixed(6))
    .operands(control::FLOAT_CONDITION)
    .effects(Effects::MASK, OrderClass::Control).source(from::ALL)
    .applegpu("if_fcmp r0l, {condition:cond}, {a}, {b}, {nest}");

/// Active lanes go to level `nest`; lanes at level 1 become active if the comparison holds.
ElseFcmp "else_fcmp" = row(0x242, 0x3000_0000_067f, fixed(6))
    .operands(control::FLOAT_CONDITION)
    .effects(Effects::MASK, OrderClass::Control).source(from::ALL)
    .applegpu("else_fcmp r0l, {condition:cond}, {a}, {b}, {nest}");

/// Lanes below level `nest` become active if the comparison holds, and go to level `nest` if it does not.
WhileFcmp "while_fcmp" = row(0x442, 0x3000_0000_067f, fixed(6))
    .operands(control::FLOAT_CONDITION)
    .effects(Effects::MASK, OrderClass::Control).source(from::ALL)
    .applegpu("while_fcmp r0l, {condition:cond}, {a}, {b}, {nest}");

/// Every lane's level decreases by `nest`, to 0 at the lowest.
PopExec "pop_exec" = row(0x652, 0xffff_ffff_e67f, fixed(6))
    .operands(ops![modifier("nest", kinds::NUMBER, bits![11:12]), flag!("cache", 7)])
    .effects(Effects::MASK, OrderClass::Control).source(from::ALL)
    .applegpu("pop_exec r0l, {nest}");

/// Observed: `pop_exec` with bit 23 set; the meaning is unknown.
PopExecUnknown "pop_exec_unknown" = row(0x80_0652, 0xffff_ffff_e67f, fixed(6))
    .operands(ops![modifier("nest", kinds::NUMBER, bits![11:12]), flag!("cache", 7)])
    .effects(Effects::MASK, OrderClass::Control).source(from::APPLEGPU).unseen();

/// End of the program.
Stop "stop" = row(0x88, 0xffff, fixed(2))
    .effects(Effects::STOP, OrderClass::Control).source(from::ALL)
    .applegpu("stop");

/// Fills the space after a program's end.
Trap "trap" = row(0x08, 0xffff, fixed(2))
    .effects(Effects::STOP, OrderClass::Control).source(from::ALL).unseen()
    .applegpu("trap");

/// Jump with a signed 8-bit distance; the condition is unknown.
JmpIncomplete "jmp_incomplete" = row(0x0, 0xff00_ffff, fixed(4))
    .operands(ops![modifier("target", kinds::TARGET, bits![16:23])])
    .effects(Effects::JUMP, OrderClass::Control).source(from::NO_MESA)
    .assumed("the distance counts bytes from the first byte of the jump").unseen()
    .applegpu("jmp_incomplete {target}");

/// Return to the address in a register.
Ret "ret" = row(0x14, 0x1ff, fixed(2))
    .operands(ops![src("a", kinds::REGISTER_NUMBER, bits![9:15])])
    .effects(Effects::JUMP, OrderClass::Control).source(from::NO_MESA)
    .applegpu("ret {a}");

/// Call of the address in a register; the return address goes to r1.
CallReg "call_reg" = row(0x04, 0x1ff, fixed(2))
    .operands(ops![src("a", kinds::REGISTER_NUMBER, bits![9:15])])
    .effects(Effects::JUMP, OrderClass::Control).source(from::NO_MESA).unseen()
    .applegpu("call {a}");

/// Jump if any lane is active.
JmpAny "jmp_any" = row(0xc000, 0xffff, fixed(6))
    .operands(ops![modifier("target", kinds::TARGET, bits![16:47])])
    .effects(Effects::JUMP, OrderClass::Control).source(from::ALL)
    .applegpu("jmp_exec_any {target}");

/// Call; the return address goes to r1.
Call "call" = row(0xc010, 0xffff, fixed(6))
    .operands(ops![modifier("target", kinds::TARGET, bits![16:47])])
    .effects(Effects::JUMP, OrderClass::Control).source(from::NO_MESA)
    .assumed("r1 receives the address after the call in active lanes")
    .applegpu("call {target}");

/// Jump if no lane is active.
JmpNone "jmp_none" = row(0xc020, 0xffff, fixed(6))
    .operands(ops![modifier("target", kinds::TARGET, bits![16:47])])
    .effects(Effects::JUMP, OrderClass::Control).source(from::ALL)
    .applegpu("jmp_exec_none {target}");

/// Observed next to the jumps; the meaning is unknown.
UnknownC030 "unknown_c030" = row(0xc030, 0xffff, fixed(6))
    .operands(ops![unknown("u16", bits![16:47])])
    .effects(Effects::JUMP, OrderClass::Control).source(from::APPLEGPU).unseen();

/// Observed next to the jumps; the meaning is unknown.
UnknownC040 "unknown_c040" = row(0xc040, 0xffff_ffff_ffff, fixed(6))
    .effects(Effects::JUMP, OrderClass::Control).source(from::APPLEGPU).unseen();

/// Jump of the scratch helper program, taken if the next doorbell is to be skipped.
JmpIfSkippingDoorbell "jmp_if_skipping_doorbell" = row(0x20, 0xff00_ffff, fixed(4))
    .operands(ops![modifier("target", kinds::TARGET, bits![16:23])])
    .effects(Effects::JUMP, OrderClass::Control).source(from::ALL)
    .applegpu("jmp_if_skipping_doorbell {target}");

/// Waits for every operation of a scoreboard group.
Wait "wait" = row(0x38, 0xfeff, fixed(2))
    .operands(ops![modifier("group", kinds::INTEGER, bits![8])])
    .effects(Effects::BARRIER, OrderClass::Control).source(from::ALL)
    .applegpu("wait {group}");

}}}
