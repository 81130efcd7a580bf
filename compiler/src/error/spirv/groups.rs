//! Groups of invocations, barriers and atomics.

use spirv::Op;

use crate::error::row::{Example, errors};

errors! {
    /// Errors in subgroup operations, barriers and atomics.
    enum GroupError {
        /// A scope, semantics or cluster size is not constant. Vulkan requires constants there.
        1700 Invalid NotConstant { id: u32 }
        = "a scope, semantics or size: id {id} is not constant",
        Example::body("%p = OpAccessChain %ptr %data %uint_0 %uint_0\n%i = OpLoad %uint %p\nOpControlBarrier %i %i %uint_0\nOpReturn");

        /// The execution scope of a barrier is not allowed. Workgroup, Subgroup and Invocation are allowed.
        1701 Invalid BarrierScope { scope: u32 }
        = "a barrier of execution scope {scope}; expected Workgroup (2), Subgroup (3) or Invocation (4)",
        Example::body("OpControlBarrier %uint_1 %uint_1 %uint_0\nOpReturn");

        /// The scope of a group operation is not allowed. Vulkan allows Subgroup only.
        1702 Invalid GroupScope { scope: u32 }
        = "a group operation of scope {scope}; expected Subgroup (3)",
        Example::body("%x = OpGroupNonUniformElect %bool %uint_2\nOpReturn");

        /// An atomic does not access a 32-bit word. The hardware's atomics have 32 bits.
        1703 Unsupported AtomicWidth { op: Op }
        = "Op{op:?} is supported on 32-bit words only, as in the hardware",
        Example::body("%x = OpAtomicIAdd %vec3 %data %uint_1 %uint_0 %uint_1\nOpReturn");

        /// A float atomic has a width that is not supported. The hardware exchanges at most 32 bits at once.
        1704 Unsupported FloatAtomicWidth { op: Op }
        = "Op{op:?} is supported on 16 and 32 bits only: the hardware exchanges at most 32 bits at once",
        Example::body("%x = OpAtomicFAddEXT %vec3 %data %uint_1 %uint_0 %vector3\nOpReturn");

        /// The operands of an atomic do not have the type pointed to. All must have that type.
        1705 Invalid AtomicType { op: Op }
        = "the operands of Op{op:?} do not have the type pointed to",
        Example::body("%x = OpAtomicIAdd %uint %data %uint_1 %uint_0 %uint_1\nOpReturn");

        /// An atomic accesses memory that is not shared. Buffers and workgroup memory are shared.
        1706 Invalid NotShared
        = "an atomic on memory that is not shared; expected a buffer or workgroup memory",
        Example::body("%v = OpVariable %local Function\n%x = OpAtomicIAdd %uint %v %uint_1 %uint_0 %uint_1\nOpReturn");

        /// A lane is not an integer. Lane numbers and distances are integers.
        1707 Invalid Lane { id: u32 }
        = "the lane {id} is not an integer",
        Example::body("%x = OpGroupNonUniformShuffle %uint %uint_3 %uint_1 %true\nOpReturn");

        /// The direction of a quad swap is out of range. 0 is horizontal, 1 vertical, 2 diagonal.
        1708 Invalid Direction { direction: u32 }
        = "direction {direction} of a quad swap; expected 0, 1 or 2",
        Example::body("%x = OpGroupNonUniformQuadSwap %uint %uint_3 %uint_1 %uint_3\nOpReturn");

        /// A cluster size is not a power of two. Clusters divide a subgroup evenly.
        1709 Invalid ClusterSize { size: u32 }
        = "a cluster of {size} lanes; expected a power of two",
        Example::body("%x = OpGroupNonUniformIAdd %uint %uint_3 3 %uint_1 %uint_3\nOpReturn");

        /// A group operation does not exist. Its number is not in the SPIR-V specification.
        1710 Invalid UnknownOperation { number: u32 }
        = "unknown group operation {number}",
        Example::body("%x = OpGroupNonUniformIAdd %uint %uint_3 60 %uint_1\nOpReturn");

        /// A group operation is not supported for this instruction. Reductions and scans are supported.
        1711 Unsupported Operation { op: Op }
        = "this group operation of Op{op:?} is not supported",
        Example::Words("A partitioned operation with the group operation ClusteredReduce.");

        /// An operand is not a ballot. Ballots are vectors of four 32-bit words.
        1712 Invalid NotABallot
        = "an operand is not a ballot; expected a vector of four 32-bit words",
        Example::body("%x = OpGroupNonUniformBallotFindLSB %uint %uint_3 %true\nOpReturn");

        /// A ballot is counted with an invalid group operation. Counts are reductions or scans.
        1713 Invalid BallotCount
        = "a ballot is counted with a group operation other than Reduce or a scan",
        Example::body("%x = OpGroupNonUniformBallotBitCount %uint %uint_3 3 %vector4\nOpReturn");

        /// The operand of a group operation has the wrong type. Logical operations take booleans, others numbers.
        1714 Invalid OperandType { name: String }
        = "the operand of the group operation `{name}` has the wrong type",
        Example::body("%x = OpGroupNonUniformLogicalAnd %uint %uint_3 0 %uint_1\nOpReturn");
    }
}
