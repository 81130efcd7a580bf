//! The textual IR. Code 2610 stood for every rule until each had its own.

use super::row::{Example, errors};

errors! {
    /// What is wrong with a text of the IR.
    enum TextError {
        /// Something else is expected at this place. docs/ir.md has the grammar.
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

        /// A width is not possible. Components have 1, 8, 16, 32 or 64 bits.
        2605 Invalid Width
        = "a width is 1, 8, 16, 32 or 64",
        Example::text("ir", "kernel @f(%0:24) stage source {\nb0:\n}\n");

        /// A value is marked as relaxed that cannot be. Only 32-bit scalars may be rounded.
        2606 Invalid Relaxed
        = "only 32-bit scalars may be rounded",
        Example::text("ir", "kernel @f(%0:16) stage source {\nb0:\n    %1:16~ = fneg %0\n}\n");

        /// The registers of a pair do not follow each other. A 64-bit value is in r4_r5, for example.
        2607 Invalid Pair
        = "the registers of a pair follow each other",
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

        /// Blocks and brackets do not make a layout. Every if has two arms, and brackets close what they opened.
        2612 Invalid Layout { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f() stage source {\nb0:\n    if true {\n    b1:\n    }\nb2:\n    halt\n}\n");

        /// A jump leads nowhere. It goes to the header of a loop around it, or to the block after a loop or scope around it.
        2613 Invalid Jump { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f() stage source {\nb0:\n    jump b0\n}\n");

        /// A block does not end as what follows it asks. Terminators stand last, and an if before its arms.
        2614 Invalid End { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f() stage source {\nb0:\n    halt\n    keep #1\n}\n");

        /// A phi or preload is out of place, or a phi has other sources than its block predecessors. Both stand first in their block.
        2615 Invalid Head { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f() stage source {\nb0:\n    %0:32 = mov #1\n    %1:32 = phi\n    keep %0, %1\n}\n");

        /// An operation may not appear at the stage of the function. docs/ir.md says until when each may.
        2616 Invalid Stage { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f(%0:32) stage lowered {\nb0:\n    %1:32 = fdiv %0, %0\n    keep %1\n}\n");

        /// An instruction has the wrong number or types of operands. docs/ir.md has the signatures.
        2617 Invalid Operands { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f(%0:32) stage source {\nb0:\n    %1:32 = iadd %0\n    keep %1\n}\n");

        /// An instruction of machine code does not encode. docs/isa lists what each operand may be.
        2618 Invalid Encoding { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f(%0:32) stage machine {\nb0:\n    %1:32 = fadd %0, #0.3\n    keep %1\n}\n");

        /// A value is not defined once and before its uses. The definition must dominate every use.
        2619 Invalid Definition { violation: String }
        = "{violation}",
        Example::text("ir", "kernel @f() stage source {\nb0:\n    keep %5\n}\n");
    }
}
