//! Ids, types and constants.

use spirv::{Dim, Op, StorageClass};

use crate::error::row::{Example, errors};

errors! {
    /// Errors in an id, a type or a constant.
    enum TypeError {
        /// An id is defined twice. Every id is the result of one instruction.
        1100 Invalid DefinedTwice { id: u32 }
        = "id {id} is defined twice",
        Example::declared("%uint = OpTypeInt 16 0");

        /// An id is not below the bound of the header. The bound is larger than every id.
        1101 Invalid OutOfBound { id: u32, bound: u32 }
        = "id {id} is not within the bound {bound}",
        Example::Words("A module whose header states a bound of 2.");

        /// An operand is not a type. The operand must be the result of an OpType instruction.
        1102 Invalid NotAType { id: u32 }
        = "id {id} is not a type",
        Example::declared("%bad = OpTypeVector %thing 2");

        /// A vector's components are not scalars. They are booleans, integers or floats.
        1103 Invalid VectorComponent { id: u32 }
        = "the components of a vector: id {id} is not a scalar type",
        Example::declared("%bad = OpTypeVector %vec2 2");

        /// A matrix's columns are not vectors. OpTypeMatrix takes a vector of floats.
        1104 Invalid MatrixColumn { id: u32 }
        = "the columns of a matrix: id {id} is not a vector type",
        Example::declared("%bad = OpTypeMatrix %float 2");

        /// A number of components or columns is out of range. Vectors have 2 to 16 components, matrices 2 to 4 columns.
        1105 Invalid Count { count: u32, most: u32 }
        = "expected 2 to {most} components or columns, found {count}",
        Example::declared("%bad = OpTypeVector %float 1");

        /// The width of a scalar is not supported. Integers have 8, 16, 32 or 64 bits, floats 16, 32 or 64.
        1106 Unsupported Width { bits: u32 }
        = "scalars of {bits} bits are not supported",
        Example::declared("%bad = OpTypeInt 24 0");

        /// The dimension of an image does not exist. Its number is not in the SPIR-V specification.
        1107 Invalid UnknownDim { number: u32 }
        = "unknown dimension {number} of an image",
        Example::declared("%bad = OpTypeImage %float 60 0 0 0 1 0");

        /// The dimension of an image is not supported. Images of one to three dimensions, cubes, buffers and
        /// attachments are supported.
        1108 Unsupported Dim { dim: Dim }
        = "images of dimension {dim:?} are not supported",
        Example::Words("A fetch from an image of dimension Rect.");

        /// The length of an array is not a positive constant. Arrays without a length are runtime arrays.
        1109 Invalid ArrayLength { id: u32 }
        = "the length of an array: id {id} is not a positive constant",
        Example::declared("%bad = OpTypeArray %uint %uint_0");

        /// An array is too long. Lengths have 32 bits.
        1110 Limit ArrayTooLong { id: u32 }
        = "the length of an array: id {id} is not below 2^32",
        Example::Words("An array whose length is a 64-bit constant of 2^40.");

        /// A type is too large. Sizes and offsets have 32 bits.
        1111 Limit TooLarge
        = "a type is larger than 4 GiB",
        Example::declared("%big = OpTypeArray %uint %uint_4294967295");

        /// Types nest too deeply. The limit bounds the stack that reading types needs.
        1112 Limit TooDeep { most: u32 }
        = "types nest deeper than {most} levels",
        Example::Words("Structures in structures, more levels than docs/spirv.md allows.");

        /// A storage class does not exist. Its number is not in the SPIR-V specification.
        1113 Invalid UnknownStorageClass { number: u32 }
        = "unknown storage class {number}",
        Example::declared("%bad = OpTypePointer 60 %uint");

        /// A storage class is not supported. The shader uses a variable of it.
        1114 Unsupported StorageClass { class: StorageClass, id: u32 }
        = "variable {id} is of storage class {class:?}, which is not supported",
        Example::Words("A shader that reads a variable of storage class CallableDataKHR.");

        /// Values of the type are not supported. The hardware or this compiler has no such objects.
        1115 Unsupported Opaque { op: Op }
        = "values of Op{op:?} are not supported",
        Example::Words("A shader that uses an acceleration structure.");

        /// An image or sampler is selected at run time. Only an array index can select one; use an array of
        /// descriptors.
        1116 Unsupported ChosenResource
        = "an image or sampler is selected at run time other than by an array index",
        Example::Words("An OpSelect of two images, or two stores to a function's variable for an image.");

        /// A pointer is stored that cannot be stored. Only pointers to buffers and workgroup memory are
        /// values.
        1117 Invalid StoredPointer
        = "a pointer that does not point to a buffer or workgroup memory is a member or in a variable",
        Example::Words("A structure with a member of type pointer to Function.");

        /// A runtime array is used as a value. Load its elements instead.
        1118 Invalid RuntimeArray
        = "a runtime array is not a value; expected one of its elements",
        Example::body("%x = OpLoad %block %data\nOpReturn");

        /// A value has too many scalars. The limit bounds time and memory on hostile input; access elements of large arrays in place.
        1119 Limit Scalars { most: u32 }
        = "a value has more than {most} scalars",
        Example::Words("A load of a whole array of more elements than docs/spirv.md allows.");

        /// A structure lacks a member. Members count from 0.
        1120 Invalid NoMember { index: u64, count: usize }
        = "a structure of {count} members has no member {index}",
        Example::body("%p = OpAccessChain %ptr %data %uint_1\nOpReturn");

        /// An index is applied to something that is not a composite. Vectors, matrices, arrays and structures
        /// have parts.
        1121 Invalid NotComposite
        = "an index into something that is not a composite",
        Example::body("%x = OpCompositeExtract %uint %uint_7 0\nOpReturn");

        /// The operand is not a scalar or vector. It is a composite of another kind.
        1122 Invalid NotVector
        = "expected a scalar or vector",
        Example::Words("An OpFNegate of a structure.");

        /// An array or matrix in memory has no stride. Decorate it with ArrayStride or MatrixStride.
        1123 Invalid NoStride { what: &'static str }
        = "{what} without a stride is used in memory; expected ArrayStride or MatrixStride",
        Example::Words("A uniform block with an array that has no ArrayStride.");

        /// A constant has a type that is not numeric. OpConstant creates integers and floats.
        1124 Invalid NotNumeric
        = "a numeric constant whose type is neither integer nor float",
        Example::declared("%bad = OpConstant %bool 1");

        /// A constant is of an unsupported kind. docs/spirv.md lists the supported opcodes.
        1125 Unsupported ConstantKind { op: Op }
        = "constants of Op{op:?} are not supported",
        Example::Words("An OpConstantSampler.");

        /// An operation on specialization constants is not supported. OpSpecConstantOp supports operations
        /// that do not access memory.
        1126 Unsupported SpecOp { op: Op }
        = "Op{op:?} on specialization constants is not supported",
        Example::declared("%bad = OpSpecConstantOp %uint 61 %uint_1");

        /// An operation on specialization constants does not fold. Its operands must be constants.
        1127 Unsupported SpecFold { op: Op }
        = "Op{op:?} on specialization constants does not fold to a constant",
        Example::Words("An OpSpecConstantOp whose operand is undefined.");

        /// An initializer is not constant. Store the value at the start of the entry point.
        1128 Unsupported Initializer { id: u32 }
        = "the initializer {id} is not a constant",
        Example::declared("%bad = OpVariable %local Private %data");

        /// A variable's type is not a pointer. OpVariable takes a type of OpTypePointer.
        1129 Invalid VariableType { id: u32 }
        = "the type {id} of a variable is not a pointer",
        Example::declared("%bad = OpVariable %uint Private");

        /// The encoding of a float type is not supported. Floats have the encodings of IEEE 754, or bfloat16 with 16
        /// bits.
        1130 Unsupported Encoding { number: u32, bits: u8 }
        = "encoding {number} of floats of {bits} bits is not supported",
        Example::declared("%bad = OpTypeFloat 32 0");

        /// A cooperative matrix does not consist of tiles of 8 × 8 elements. Use a size that the device lists.
        1131 Unsupported CooperativeMatrix { rows: u32, columns: u32 }
        = "a cooperative matrix of {rows} × {columns} elements; both must be multiples of 8",
        Example::declared("%uint_3 = OpConstant %uint 3\n%bad = OpTypeCooperativeMatrixKHR %float %uint_3 %uint_7 %uint_7 %uint_0");
    }
}
