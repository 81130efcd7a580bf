//! Operands of computations.

use spirv::Op;

use crate::error::row::{Example, errors};

errors! {
    /// Errors in operands and results.
    enum ValueError {
        /// An operand is not a value. It must be the result of a constant or of an earlier instruction.
        1200 Invalid NotAValue { id: u32 }
        = "id {id} is not a value defined before its use",
        Example::body("%sum = OpIAdd %uint %uint_1 %uint\nOpReturn");

        /// A pointer is used as a value. Only pointers to buffers and workgroup memory can be (variable pointers).
        1201 Unsupported PointerAsValue { id: u32 }
        = "the pointer {id} is used as a value",
        Example::Words("An OpSelect of two pointers to Function.");

        /// An id is used where its definition does not reach. The definition's block must dominate the use.
        1202 Invalid NotDominating { id: u32 }
        = "id {id} is not defined on every path to its use",
        Example::body("%p = OpAccessChain %ptr %data %uint_0 %uint_0\n%i = OpLoad %uint %p\n%c = OpIEqual %bool %i %uint_1\nOpSelectionMerge %join 0\nOpBranchConditional %c %then %join\n%then = OpLabel\n%y = OpIAdd %uint %i %uint_2\nOpBranch %join\n%join = OpLabel\nOpStore %p %y\nOpReturn");

        /// The operand is not a scalar. It has several components.
        1203 Invalid NotAScalar { id: u32, count: usize }
        = "expected a scalar, found id {id} with {count} components",
        Example::body("OpSelectionMerge %join 0\nOpBranchConditional %vector3 %then %join\n%then = OpLabel\nOpBranch %join\n%join = OpLabel\nOpReturn");

        /// Operands and result type differ. Widths and numbers of components must agree.
        1204 Invalid ResultType
        = "the operands do not match the result type",
        Example::body("%x = OpIAdd %float %uint_1 %uint_2\nOpReturn");

        /// The operand is not a float. It must be a float or a vector of floats.
        1205 Invalid NotAFloat
        = "an operand is not a float scalar or vector",
        Example::body("%x = OpFAdd %float %uint_1 %uint_2\nOpReturn");

        /// An operand has the wrong type. The instruction takes another kind of number.
        1206 Invalid OperandType { expected: &'static str }
        = "an operand has the wrong type; expected {expected}",
        Example::body("%x = OpLogicalNot %bool %uint_1\nOpReturn");

        /// An instruction has too few operands. Its word count is too small for its opcode.
        1207 Invalid TooFew { expected: usize, found: usize }
        = "expected {expected} operands, found {found}",
        Example::body("%sum = OpIAdd %uint %uint_1\nOpReturn");

        /// Operands and result have different numbers of components. Vectors are combined component by component.
        1208 Invalid Components { id: u32, expected: usize, found: usize }
        = "expected {expected} components as in the result type, found {found} in id {id}",
        Example::body("%x = OpFAdd %vec2 %vector3 %vector3\nOpReturn");

        /// Operands have different widths. Convert one of them.
        1209 Invalid Widths { expected: u8 }
        = "the operands differ in width; the first has {expected} bits",
        Example::Words("An OpIAdd of a 16-bit and a 32-bit integer.");

        /// An index is beyond the parts of a composite. Parts count from 0.
        1210 Invalid OutOfBounds { index: u64, count: u64 }
        = "index {index} is out of bounds for {count} parts",
        Example::body("%x = OpCompositeExtract %float %vector3 3\nOpReturn");

        /// An inserted value does not match its position. The types must be the same.
        1211 Invalid Inserted { expected: usize, found: usize }
        = "the inserted value has {found} scalars; expected {expected}",
        Example::body("%x = OpCompositeInsert %vec3 %vector3 %vector3 0\nOpReturn");

        /// An index selects from an empty list. The array has no elements.
        1212 Invalid EmptyList
        = "an index into an empty list",
        Example::Words("A dynamic index into an array of images without elements.");

        /// A bit cast changes the size. Both types have the same number of bits, and neither is a boolean.
        1213 Invalid BitcastSize { from: usize, to: usize }
        = "a bit cast from {from} to {to} bits; expected the same size and no booleans",
        Example::body("%x = OpBitcast %vec2 %uint_1\nOpReturn");

        /// The operand of a bit cast has the wrong type. A bit cast takes scalars, vectors and pointers;
        /// other composites have no bit pattern.
        1214 Invalid BitcastType
        = "a bit cast of something that is not a scalar or vector",
        Example::Words("An OpBitcast to a structure without members.");

        /// The operands are not integers with equally many components. They have other types or differ in
        /// components.
        1215 Invalid IntegerPair { first: usize, second: usize }
        = "expected integers with equally many components, found {first} and {second} components",
        Example::body("%x = OpIAddCarry %vec2 %vector3 %vector3\nOpReturn");

        /// An integer dot product has operands of other types. It takes vectors of integers, or packed words.
        1216 Invalid DotProduct { why: &'static str }
        = "an integer dot product: {why}",
        Example::body("%x = OpUDot %float %uint_1 %uint_1\nOpReturn");

        /// The shapes of matrix operands do not match. Columns of the first are rows of the second.
        1217 Invalid Shapes { op: Op }
        = "the shapes of the operands of Op{op:?} do not match",
        Example::body("%x = OpVectorTimesMatrix %vec2 %vector2 %vector3\nOpReturn");

        /// A matrix has no rows. Its columns are vectors of at least two components.
        1218 Invalid NoRows
        = "a matrix has no rows",
        Example::Words("An OpTranspose of an empty composite.");

        /// The operand is not a square matrix. Determinant and MatrixInverse are defined only for square
        /// matrices.
        1219 Invalid NotSquare
        = "expected a square matrix of floats",
        Example::body("%x = OpExtInst %float %glsl 33 %vector3\nOpReturn");

        /// An extended instruction has an operand of the wrong type. docs/spirv.md lists the instructions.
        1220 Invalid Extended { why: &'static str }
        = "an operand of an extended instruction: {why}",
        Example::body("%x = OpExtInst %uint %glsl 56 %vector3\nOpReturn");

        /// An extended instruction is not supported for these operands. Vectors must agree in their components.
        1221 Unsupported ExtendedOperands { name: String }
        = "{name} is not supported for operands of these types",
        Example::body("%x = OpExtInst %vec3 %glsl 68 %vector3 %vector2\nOpReturn");

        /// The operand is not a boolean. Conditions, votes and selections take booleans.
        1222 Invalid NotABoolean { id: u32 }
        = "id {id} is not a boolean",
        Example::body("%p = OpAccessChain %ptr %data %uint_0 %uint_0\n%i = OpLoad %uint %p\nOpSelectionMerge %join 0\nOpBranchConditional %i %then %join\n%then = OpLabel\nOpBranch %join\n%join = OpLabel\nOpReturn");

        /// An id cannot be a result here. Another kind of instruction already defines it.
        1223 Invalid NotAResult { id: u32 }
        = "id {id} cannot be a result; another instruction defines it",
        Example::body("%uint = OpIAdd %uint %uint_1 %uint_1\nOpReturn");

        /// An operand of a composite instruction is missing. Its word count is too small for its opcode.
        1224 Invalid Missing { index: usize, count: usize }
        = "expected an operand {index} after the result, found {count}",
        Example::body("%x = OpBitcast %uint\nOpReturn");

        /// The operand is not a pointer. OpPtrEqual, OpPtrNotEqual and OpPtrDiff compare pointers.
        1225 Invalid NotAPointer
        = "an operand is not a pointer",
        Example::body("%x = OpPtrDiff %uint %uint_1 %uint_1\nOpReturn");

        /// The rounding mode of a conversion is not supported. Conversions round to nearest even or toward zero.
        1226 Unsupported Rounding { number: u32 }
        = "rounding mode {number} of a conversion is not supported; expected RTE or RTZ",
        Example::Spirv {
            declarations: "%half = OpTypeFloat 16\nOpDecorate %x 39 2",
            body: "%x = OpFConvert %half %number\nOpReturn",
        };

        /// Arithmetic of bfloat16 numbers is not supported. Convert them to 32 bits, and the result back.
        1227 Unsupported Bfloat16
        = "arithmetic of bfloat16 numbers is not supported; convert them to 32 bits with OpFConvert",
        Example::Spirv {
            declarations: "%brain = OpTypeFloat 16 0",
            body: "%x = OpFConvert %brain %number\n%y = OpFAdd %brain %x %x\nOpReturn",
        };

        /// The operand is not a cooperative matrix. The instruction loads, stores or multiplies such matrices.
        1228 Invalid NotCooperative
        = "expected a cooperative matrix",
        Example::body("%x = OpCooperativeMatrixLengthKHR %uint %uint\nOpReturn");

        /// The layout of a cooperative matrix in memory is not supported. Rows or columns are contiguous, with a stride.
        1229 Unsupported MatrixLayout { number: u32 }
        = "layout {number} of a cooperative matrix in memory is not supported; expected 0 or 1, and a stride",
        Example::Words("An OpCooperativeMatrixLoadKHR without a stride.");

        /// The elements of a product of cooperative matrices are not floats of 16 or 32 bits. The hardware multiplies
        /// no others; convert them.
        1230 Unsupported MatrixElements
        = "products of cooperative matrices need elements of float16, bfloat16 or float32; convert them with OpConvertSToF",
        Example::Words("An OpCooperativeMatrixMulAddKHR of matrices of integers.");

        /// The sizes of the matrices of a product do not agree. For M × K times K × N, the sum is M × N.
        1231 Invalid MatrixShapes
        = "the sizes of the cooperative matrices of a product do not agree",
        Example::Words("An OpCooperativeMatrixMulAddKHR of 8 × 16 and 8 × 16.");

        /// The operand of an instruction for ray queries does not point to a ray query. Such variables have the type
        /// `OpTypeRayQueryKHR`.
        1240 Invalid NotARayQuery { id: u32 }
        = "id {id} is not a pointer to a ray query",
        Example::Words("An OpRayQueryProceedKHR on a pointer to an integer.");

        /// An operand of `OpRayQueryInitializeKHR` has the wrong type. Flags and mask are words, distances are floats, and origin
        /// and direction are vectors of three floats.
        1241 Invalid RayOperand { index: usize }
        = "operand {index} of OpRayQueryInitializeKHR has the wrong type",
        Example::Words("An OpRayQueryInitializeKHR whose origin has two components.");

        /// The address of an acceleration structure has the wrong type. It is an integer of 64 bits or a vector of two words.
        1242 Invalid NotAnAddress { id: u32 }
        = "id {id} is not the address of an acceleration structure: neither 64 bits nor two words",
        Example::Words("An OpConvertUToAccelerationStructureKHR of a word.");
    }
}
