//! The textual IR.

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

        /// The function breaks a rule of its stage. docs/ir.md states the rules.
        2610 Invalid Rule { violation: String, more: usize }
        = "{violation} (and {more} more violations)",
        Example::text("ir", "kernel @f() stage source {\nb0:\n    keep %5\n}\n");

        /// An operation lacks a modifier, or a modifier a value. docs/ir.md lists those of each operation.
        2611 Invalid UnknownOf { what: &'static str, of: String, name: String }
        = "`{of}` has no {what} `{name}`",
        Example::text("ir", "kernel @f(%0:32) stage source {\nb0:\n    %1:32 = fmul %0, %0 sot=1\n}\n");
    }
}
