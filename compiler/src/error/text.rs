//! The textual IR. Code 2610 is retired: it covered every rule before each had its own.

use super::row::{Example, errors};

errors! {
    /// Errors in a text of the IR.
    enum TextError {
        /// Something else is expected at this position. docs/ir.md has the grammar.
        2600 Invalid Expected { what: String }
        = "expected {what}",
        Example::text("ir", "kernel @f( stage source {\n");

        /// A name is unknown. docs/ir.md lists operations, modifiers and stages.
        2601 Invalid Unknown { what: String, name: String }
        = "unknown {what} `{name}`",
        Example::text("ir", "kernel @f() stage source {\nb0:\n    frobnicate\n}\n");

        /// A number is out of range. The message names the range.
        2602 Invalid OutOfRange { what: String, limit: u64 }
        = "{what} must be below {limit}",
        Example::text("ir", "kernel @f() stage source {\nb99999999999:\n}\n");

        /// The extent of a workgroup is 0. It is at least 1.
        2603 Invalid EmptyWorkgroup
        = "the extent of a workgroup must be at least 1",
        Example::text("ir", "kernel @f() stage source workgroup_size 0 1 1 {\nb0:\n}\n");

        /// A block, bracket or instruction is out of order. Blocks and brackets alternate, and instructions are in blocks.
        2604 Invalid Order { what: String }
        = "{what}",
        Example::text("ir", "kernel @f() stage source {\nb0:\nb1:\n}\n");

        /// A width is invalid. Components have 1, 8, 16, 32 or 64 bits.
        2605 Invalid Width
        = "a width must be 1, 8, 16, 32 or 64",
        Example::text("ir", "kernel @f(%0:24) stage source {\nb0:\n}\n");

        /// A value is marked as relaxed that cannot be relaxed. Only 32-bit scalars may be rounded.
        2606 Invalid Relaxed
        = "only 32-bit scalars may be rounded",
        Example::text("ir", "kernel @f(%0:16) stage source {\nb0:\n    %1:16~ = fneg %0\n}\n");

        /// The registers of a pair are not consecutive. A 64-bit value is in r4_r5, for example.
        2607 Invalid Pair
        = "the registers of a pair must be consecutive",
        Example::Words("A value @r4_r7.");

        /// A number does not fit. The message names the width.
        2608 Invalid Number { text: String, bits: u8 }
        = "`{text}` is not a number of {bits} bits",
        Example::text("ir", "kernel @f() stage source {\nb0:\n    %0:16 = iadd #99999:16, #1:16\n}\n");

        /// The text has no function. A function begins with `kernel` or `function`.
        2609 Invalid NoFunction
        = "the text has no function",
        Example::text("ir", "; a comment\n");

        /// An operation lacks a modifier, or a modifier a value. docs/ir.md lists those of each operation.
        2611 Invalid UnknownOf { what: &'static str, of: String, name: String }
        = "`{of}` has no {what} `{name}`",
        Example::text("ir", "kernel @f(%0:32) stage source {\nb0:\n    %1:32 = fmul %0, %0 sot=1\n}\n");

        /// Blocks and brackets do not form a layout. Every if has two arms, and brackets must match.
        2612 Invalid Layout { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f() stage source {\nb0:\n    if true {\n    b1:\n    }\nb2:\n    halt\n}\n");

        /// A jump has an invalid target. It must be the header of an enclosing loop, or the block after an
        /// enclosing loop or scope.
        2613 Invalid Jump { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f() stage source {\nb0:\n    jump b0\n}\n");

        /// A block does not end as required. Terminators must be last, and an if must precede its arms.
        2614 Invalid End { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f() stage source {\nb0:\n    halt\n    keep #1\n}\n");

        /// A phi or preload is out of place, or the sources of a phi do not match the predecessors. Both must
        /// be first in their block.
        2615 Invalid Head { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f() stage source {\nb0:\n    %0:32 = mov #1\n    %1:32 = phi\n    keep %0, %1\n}\n");

        /// An operation may not appear at the stage of the function. docs/ir.md lists the stages of each
        /// operation.
        2616 Invalid Stage { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f(%0:32) stage lowered {\nb0:\n    %1:32 = fdiv %0, %0\n    keep %1\n}\n");

        /// An instruction has the wrong number or types of operands. docs/ir.md has the signatures.
        2617 Invalid Operands { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f(%0:32) stage source {\nb0:\n    %1:32 = iadd %0\n    keep %1\n}\n");

        /// An instruction of machine code does not encode. docs/isa lists the forms of each operand.
        2618 Invalid Encoding { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f(%0:32) stage machine {\nb0:\n    %1:32 = fadd %0, #0.3\n    keep %1\n}\n");

        /// A value is not defined once and before its uses. The definition must dominate every use.
        2619 Invalid Definition { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f() stage source {\nb0:\n    keep %5\n}\n");
    }
}
