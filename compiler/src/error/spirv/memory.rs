//! Variables, pointers and buffers.

use spirv::{BuiltIn, Decoration};

use crate::error::row::{Example, errors};

errors! {
    /// Errors in variables, pointers and accesses.
    enum MemoryError {
        /// The operand is not a pointer. It has another type.
        1300 Invalid NotAPointer { id: u32 }
        = "id {id} is not a pointer",
        Example::body("%x = OpLoad %uint %uint\nOpReturn");

        /// A value of another type is used as a pointer. Only results of pointer type point to memory.
        1301 Invalid ValueAsPointer
        = "a value that is not a pointer is used as one",
        Example::body("%x = OpLoad %uint %uint_1\nOpReturn");

        /// The result type does not match what a pointer points to. The pointee must be the type that the indices lead to.
        1302 Invalid Pointee
        = "the result type does not match the type pointed to",
        Example::body("%p = OpAccessChain %ptr %data\nOpReturn");

        /// A stored value has the wrong type. It must have the type pointed to.
        1303 Invalid StoredType { expected: usize, found: usize }
        = "the stored value does not have the type pointed to: expected {expected} scalars, found {found}, or widths differ",
        Example::body("%p = OpAccessChain %ptr %data %uint_0 %uint_0\nOpStore %p %vector3\nOpReturn");

        /// A type cannot be in memory. Images, samplers and other opaque objects have no bytes.
        1304 Invalid NotInMemory
        = "a value of this type cannot be in memory",
        Example::Words("A uniform block with a member of type image.");

        /// A member's number is not constant. Only arrays, vectors and matrices take computed indices.
        1305 Invalid DynamicMember
        = "a member's number is not constant",
        Example::body("%p = OpAccessChain %ptr %data %uint_0 %uint_0\n%i = OpLoad %uint %p\n%q = OpAccessChain %ptr %data %i %uint_0\nOpReturn");

        /// A dynamic index selects from too many elements of a variable. The limit bounds the code for the selection.
        1306 Limit Selected { most: u32 }
        = "a dynamic index into a variable with more than {most} elements",
        Example::Words("Three computed indices into a local array of more elements than docs/spirv.md allows.");

        /// Arrays with computed indices need too much stack. The hardware maps a limited stack for each invocation.
        1307 Limit Stack { most: u32 }
        = "more than {most} bytes of dynamically indexed arrays",
        Example::Words("A local array of 256 KiB with computed indices.");

        /// Constant arrays are too large. The limit bounds the constant section.
        1308 Limit Constants { most: u32 }
        = "more than {most} bytes of constant arrays",
        Example::Words("Constant arrays of more bytes than docs/spirv.md allows, with computed indices.");

        /// Workgroup memory is too large. The hardware has 32 KiB for a workgroup.
        1309 Limit Workgroup { most: u32 }
        = "more than {most} bytes of workgroup memory",
        Example::Words("A workgroup variable of 64 KiB.");

        /// A push constant is beyond the limit. Use a uniform buffer.
        1310 Limit PushConstants { at: u32, most: u32 }
        = "a push constant at byte {at}, beyond the limit of {most} bytes",
        Example::Words("A push constant at byte 256.");

        /// A push constant is not aligned. Its offset must be a multiple of its size, at most 4 bytes.
        1311 Invalid Unaligned { at: u32, align: u32 }
        = "a push constant at byte {at}; expected a multiple of {align}",
        Example::Words("A 32-bit push constant at byte 2.");

        /// Push constants are written. They are read-only.
        1312 Invalid WrittenPushConstants
        = "push constants cannot be written",
        Example::Words("An OpStore to a push constant.");

        /// An array of buffers is used as one buffer. Select an element first.
        1313 Invalid BufferArray
        = "an array of buffers is used as one buffer",
        Example::Words("An atomic on a pointer to an array of buffers.");

        /// A resource variable lacks a decoration. Resources need DescriptorSet and Binding.
        1314 Invalid NoDecoration { id: u32, decoration: Decoration }
        = "variable {id} has no {decoration:?} decoration",
        Example::Words("A storage buffer without a Binding.");

        /// A built-in has the wrong type. Built-in numbers are 32-bit integers or floats.
        1315 Invalid BuiltInType { id: u32, built_in: BuiltIn }
        = "variable {id}: built-in {built_in:?} has the wrong type",
        Example::Words("GlobalInvocationId declared with 16-bit components.");

        /// A built-in is not supported in this stage. The message names it.
        1316 Unsupported BuiltIn { id: u32, built_in: BuiltIn }
        = "variable {id}: built-in {built_in:?} is not supported here",
        Example::Words("A compute shader that reads PrimitiveId.");

        /// An input is not in the interface of the entry point. OpEntryPoint lists the variables of its interface.
        1317 Unsupported NotInInterface { id: u32, stage: &'static str }
        = "variable {id} is an input of a {stage} shader, but not in its interface",
        Example::Words("A compute shader that reads an input with a location.");

        /// A variable of a function has the wrong class. Variables in functions are of class Function.
        1318 Invalid FunctionVariable { id: u32 }
        = "variable {id} of a function is not of class Function",
        Example::body("%v = OpVariable %ptr Uniform\nOpReturn");

        /// OpPtrAccessChain moves a pointer that cannot be moved. Only pointers into buffers and workgroup
        /// memory can.
        1319 Invalid MovedPointer
        = "OpPtrAccessChain moves a pointer that is not into a buffer or workgroup memory",
        Example::body("%v = OpVariable %local Function\n%p = OpPtrAccessChain %local %v %uint_1\nOpReturn");

        /// OpArrayLength is applied to something without a length. OpArrayLength takes a structure in a
        /// buffer and the number of its last member, a runtime array.
        1320 Invalid ArrayLength { why: &'static str }
        = "the length of an array: {why}",
        Example::body("%n = OpArrayLength %uint %data 3\nOpReturn");

        /// A dynamic index is applied to something without elements. Vectors, matrices and arrays take
        /// computed indices.
        1321 Invalid NoElements
        = "a dynamic index into something without elements",
        Example::Words("An OpAccessChain with a computed index into a scalar.");

        /// Elements of a descriptor array have no known size. Descriptors are consecutive.
        1322 Invalid DescriptorArray
        = "an array of descriptors has elements without a known size",
        Example::Words("An array of runtime arrays of images.");

        /// A uniform of numbers is outside a block. Vulkan has such uniforms in blocks only: declare the default uniforms
        /// of OpenGL as members of a block (`glslangValidator -R` gathers them in one).
        1323 Unsupported PlainUniform { id: u32 }
        = "variable {id} is a uniform of numbers outside a block",
        Example::Words("A UniformConstant variable of type float.");
    }
}
