//! Functions, blocks and branches.

use spirv::Op;

use crate::error::row::{Example, errors};

errors! {
    /// Errors in control flow.
    enum FlowError {
        /// A function ends within a block. A terminator must come before OpFunctionEnd.
        1400 Invalid OpenBlock
        = "a function ends within a block; expected a terminator",
        Example::body("%x = OpIAdd %uint %uint_1 %uint_2");

        /// A block has no terminator. OpLabel begins the next block while this one is open.
        1401 Invalid NoTerminator
        = "a block has no terminator",
        Example::body("%next = OpLabel\nOpReturn");

        /// An instruction is outside any block. OpLabel begins a block.
        1402 Invalid OutsideBlock { op: Op }
        = "Op{op:?} is outside any block; expected OpLabel",
        Example::body("OpReturn\nOpReturn");

        /// The module ends within a block. The module is truncated.
        1403 Invalid Truncated
        = "the module ends within a block",
        Example::Words("A module that ends in the middle of a function.");

        /// An id is not a block of the function. Branches lead to labels of the same function.
        1404 Invalid NotABlock { id: u32 }
        = "id {id} is not a block of the function",
        Example::body("OpBranch %missing");

        /// A switch names something that is not a block. Its operands alternate between literals and labels.
        1405 Invalid SwitchTarget
        = "a switch names something that is not a block of the function",
        Example::body("OpSelectionMerge %end 0\nOpSwitch %uint_1 %end 1 %uint\n%end = OpLabel\nOpReturn");

        /// The literals of a switch differ in width from its selector. 64-bit selectors take literals of two
        /// words.
        1406 Invalid SwitchWidth { bits: u8 }
        = "the literals of a switch do not have the {bits} bits of the selector",
        Example::Words("An OpSwitch on a 64-bit selector with literals of one word.");

        /// A terminator is not supported. The instruction belongs to a stage or extension that this compiler lacks.
        1407 Unsupported Terminator { op: Op }
        = "the terminator Op{op:?} is not supported",
        Example::body("OpTerminateRayKHR");

        /// A function has no body. Linkage between modules is not supported; link them with spirv-link.
        1408 Unsupported NoBody { id: u32 }
        = "function {id} has no body: linkage is not supported",
        Example::Words("A call of a function that is imported.");

        /// A function calls itself. SPIR-V for Vulkan forbids recursion.
        1409 Invalid Recursion { id: u32 }
        = "function {id} calls itself",
        Example::body("%r = OpFunctionCall %void %main\nOpReturn");

        /// The callee is not a function. OpFunctionCall takes the result of an OpFunction.
        1410 Invalid NotAFunction { id: u32 }
        = "the callee {id} is not a function",
        Example::body("%r = OpFunctionCall %void %uint\nOpReturn");

        /// A call has the wrong number of arguments. Each parameter takes one.
        1411 Invalid Arguments { callee: u32, expected: usize, found: usize }
        = "function {callee} has {expected} parameters, found {found} arguments",
        Example::body("%r = OpFunctionCall %void %main %uint_1\nOpReturn");

        /// An argument is not a value. Values, pointers, images and samplers can be arguments.
        1412 Invalid Argument { id: u32 }
        = "argument {id} is not a value",
        Example::Words("An OpFunctionCall whose argument is a type.");

        /// A phi lacks a value for a block. It needs a pair for each predecessor.
        1413 Invalid PhiSource { block: u32 }
        = "a phi has no value for the predecessor block {block}",
        Example::body("OpBranch %next\n%next = OpLabel\n%x = OpPhi %uint %uint_1 %main\nOpReturn");

        /// Two phis of different types define one id. Every id is the result of one instruction.
        1414 Invalid PhiTypes { id: u32 }
        = "id {id} is defined twice, by phis of two types",
        Example::body("OpBranch %next\n%next = OpLabel\n%x = OpPhi %uint %uint_1 %entry\n%x = OpPhi %vec3 %vector3 %entry\nOpReturn");
    }
}
