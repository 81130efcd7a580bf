//! Compare and select, ballots.

macro_rules! compare_rows { ($then:ident $($args:tt)*) => { $then! { $($args)*
@family "compare" "Compare and select, ballots";

/// `x` if the integer comparison of `a` and `b` holds, else `y`.
Icsel "icsel" = row(0x12, 0x7f, extends(8, 10, 15))
    .operands(ops![
        alu_dst!(76), alu!("a", 16, 74).sign(Sign::OfCondition), alu!("b", 28, 72).sign(Sign::OfCondition),
        select_src!("x", 40, 70), select_src!("y", 52, 68),
        modifier("cond", kinds::names(names::INT_CONDITIONS), bits![61:63]),
    ])
    .cost(Unit::Scib, 2, 1).pure(pure!(select::icsel)).kernel(Kind::IntegerSelect, kernels::never).source(from::ALL)
    .assumed("conditions 3 and 7 are never true")
    .applegpu("icmpsel {condition:cond}, {dst}, {a}, {b}, {x}, {y}");

/// `x` if the float comparison of `a` and `b` holds, else `y`; `x` and `y` are raw bits.
Fcsel "fcsel" = row(0x02, 0x7f, extends(8, 10, 15))
    .operands(ops![
        alu_dst!(76), float_src!("a", 16, 74), float_src!("b", 28, 72), select_src!("x", 40, 70),
        select_src!("y", 52, 68),
        modifier("cond", kinds::names(names::FLOAT_CONDITIONS), bits![61:63]),
    ])
    .cost(Unit::Scib, 2, 1).pure(pure!(select::fcsel)).kernel(Kind::SingleSelect, kernels::never).source(from::ALL)
    .assumed("ltn and gtn also hold when b is NaN; condition 4 is never true")
    .applegpu("fcmpsel {condition:cond}, {dst}, {a}, {b}, {x}, {y}");

/// Bit `i` is set if lane `i` is active and the integer comparison holds; over the quad without `simd`.
IcmpBallot "icmp_ballot" = row(0x32, 0x1ffe_0000_0000_007f, fixed(8))
    .operands(ops![
        alu_dst!(44), alu!("a", 16, 42).reach(Reach::None).sign(Sign::OfCondition),
        alu!("b", 28, 40).reach(Reach::None).sign(Sign::OfCondition),
        modifier("cond", kinds::names(names::INT_CONDITIONS), bits![61:63]),
        flag!("inv", 47),
        modifier("simd", kinds::names(names::SPANS), bits![48]).default(1),
    ])
    .cost(Unit::Scib, 5, 2).cost_when("simd", 0, 4, 2).effects(Effects::CROSS_LANE, OrderClass::None).source(from::ALL)
    .applegpu("icmp_{quad:simd}ballot {dst}, {condition:cond}, {a}, {b}");

/// Bit `i` is set if lane `i` is active and the float comparison holds; over the quad without `simd`.
FcmpBallot "fcmp_ballot" = row(0x22, 0x1ffe_0000_0000_007f, fixed(8))
    .operands(ops![
        alu_dst!(44), float_src!("a", 16, 42).reach(Reach::None), float_src!("b", 28, 40).reach(Reach::None),
        modifier("cond", kinds::names(names::FLOAT_CONDITIONS), bits![61:63]),
        flag!("inv", 47),
        modifier("simd", kinds::names(names::SPANS), bits![48]).default(1),
    ])
    .cost(Unit::Scib, 5, 2).cost_when("simd", 0, 4, 2).effects(Effects::CROSS_LANE, OrderClass::None).source(from::ALL)
    .assumed("abs and neg as applegpu has them; AGX2.xml lists none")
    .applegpu("fcmp_{quad:simd}ballot {dst}, {condition:cond}, {a}, {b}");

}}}
