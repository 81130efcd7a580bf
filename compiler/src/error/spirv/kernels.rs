//! OpenCL's kernels.

use crate::error::row::{Example, errors};

errors! {
    /// Errors in the features of OpenCL's kernels.
    enum KernelError {
        /// A kernel has a parameter of a type that cannot be an argument. Numbers, vectors, structures, pointers, images and
        /// samplers can.
        1800 Unsupported Parameter { index: usize }
        = "parameter {index} of the kernel has a type that cannot be an argument",
        Example::Words("A kernel with an event as parameter.");

        /// The arguments of a kernel are too large. The limit is that of OpenCL's devices here.
        1801 Limit Arguments { bytes: u32, most: u32 }
        = "the arguments take {bytes} bytes; the limit is {most}",
        Example::Words("A kernel with a structure of 8 KiB as parameter.");

        /// A variable in global memory belongs to the program, not to a kernel. Pass a buffer as argument instead.
        1802 Unsupported ProgramVariable { id: u32 }
        = "variable {id} is a global variable of the program in global memory; expected a parameter of the kernel",
        Example::Words("A `global int counter;` outside of functions.");

        /// An initial value is not constant. Tables of addresses of other variables are not supported.
        1803 Unsupported Initial { id: u32 }
        = "variable {id} has no constant initial value",
        Example::Words("A constant table of pointers to strings.");

        /// A pointer is used in a way that its memory does not allow. The message names the use.
        1804 Invalid PointerUse { what: &'static str }
        = "a pointer is used in a way that its memory does not allow: {what}",
        Example::Words("An atomic on a variable of the work-item.");

        /// An instruction of OpenCL.std is not supported. The message names it.
        1806 Unsupported Extended { name: String, what: &'static str }
        = "the instruction `{name}` of OpenCL.std is not supported{what}",
        Example::Words("A `sin` of 64-bit floats.");

        /// An instruction of OpenCL.std does not exist. Its number is not in the specification.
        1807 Invalid UnknownExtended { number: u32 }
        = "OpenCL.std has no instruction {number}",
        Example::Words("An OpExtInst with number 250.");

        /// An operand of an instruction has the wrong type. The message names the expected one.
        1808 Invalid Operand { expected: &'static str }
        = "an operand has the wrong type; expected {expected}",
        Example::Words("A `vload4` from a structure.");

        /// The number of bytes that a copy moves is not constant. Copy the elements in a loop.
        1809 Unsupported CopiedBytes { id: u32 }
        = "the number of bytes of a copy, id {id}, is not constant",
        Example::Words("An OpCopyMemorySized with a computed size.");

        /// A function is declared, but not defined. The module must be linked before it is compiled.
        1810 Unsupported Imported { name: String }
        = "function `{name}` is declared, but not defined; link the module with its library first",
        Example::Words("A call of a function that another module exports.");

        /// A kernel asks for the format of an image. Pass what it needs to know as arguments.
        1811 Unsupported ImageFormat
        = "the channel order and data type of an image are not known to kernels",
        Example::Words("A `get_image_channel_order`.");
    }
}
