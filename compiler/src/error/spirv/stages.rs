//! Inputs and outputs of stages.

use spirv::{BuiltIn, Decoration, Op};

use crate::error::row::{Example, errors};

errors! {
    /// Errors in an input, an output or its use.
    enum StageError {
        /// A boolean is an input or output. Use an integer.
        1600 Invalid Boolean
        = "a boolean input or output that is not built-in",
        Example::Words("A fragment shader with an output of type bool.");

        /// Inputs and outputs of the type are not supported. They are scalars, vectors, matrices, arrays and structures of numbers.
        1601 Unsupported Type
        = "inputs and outputs of this type are not supported",
        Example::Words("An input of type image.");

        /// An input or output has no location. Decorate it with Location or BuiltIn.
        1602 Invalid NoLocation
        = "an input or output is decorated with neither Location nor BuiltIn",
        Example::Words("A fragment output without a Location.");

        /// A component is beyond the fourth. A location has four words.
        1603 Invalid Component { component: u32 }
        = "component {component} of an input or output; expected 0 to 3, and an even one for 64 bits",
        Example::Words("A vec4 with the decoration Component 1.");

        /// A location is too large. The limit bounds the tables of inputs and outputs.
        1604 Limit Location { location: u32, most: u32 }
        = "location {location} is not below {most}",
        Example::Words("An output at location 1000.");

        /// The target of an interpolation is not an input. interpolateAt takes an input of the fragment shader.
        1605 Invalid NotAnInput
        = "interpolation of a variable that is not an input",
        Example::Words("An InterpolateAtCentroid of a local variable.");

        /// An instruction is only available in fragment shaders. Other stages have no fragments.
        1606 Invalid NotFragment { what: String }
        = "{what} outside fragment shaders",
        Example::body("OpBeginInvocationInterlockEXT\nOpReturn");

        /// The offset of an interpolation has the wrong size. It has two components, in pixels.
        1607 Invalid Offset { found: usize }
        = "the offset of an interpolation has {found} components; expected 2",
        Example::Words("An InterpolateAtOffset with a vec3.");

        /// A built-in cannot be interpolated. Only outputs of the vertex shader can.
        1608 Unsupported Interpolation { built_in: BuiltIn }
        = "interpolation of {built_in:?} is not supported",
        Example::Words("An InterpolateAtCentroid of FragCoord.");

        /// An input or output of 64 bits cannot be used here. Convert it to 32 bits.
        1609 Invalid Double { what: &'static str }
        = "{what} of 64 bits; expected 16 or 32",
        Example::Words("A fragment output of type double.");

        /// An output is not supported. The message names the built-in.
        1610 Unsupported Output { built_in: BuiltIn }
        = "output {built_in:?} is not supported",
        Example::Words("A vertex shader that writes PrimitiveShadingRateKHR.");

        /// Derivatives need quads. A compute shader specifies by an execution mode how its invocations form
        /// quads.
        1611 Unsupported NoQuads
        = "derivatives in shaders without quads; expected the execution mode DerivativeGroupQuads or DerivativeGroupLinear",
        Example::body("%x = OpDPdx %float %number\nOpReturn");

        /// A derivative differs in type from its operand. Both are the same float type.
        1612 Invalid DerivativeType
        = "a derivative differs in type from its operand",
        Example::Words("An OpDPdx whose result is a vec2 and whose operand is a vec3.");

        /// An instruction is only available in geometry shaders. Other stages emit no vertices.
        1613 Invalid NotGeometry { op: Op }
        = "Op{op:?} outside geometry shaders",
        Example::body("OpEmitVertex\nOpReturn");

        /// A geometry shader lacks an execution mode. It declares the primitives that it reads and writes, and the
        /// maximum number of vertices that it emits.
        1614 Invalid GeometryModes
        = "a geometry shader without input primitive, output primitive or OutputVertices",
        Example::Words("A geometry shader without an execution mode.");

        /// A geometry shader has too many invocations or emits too many vertices. The limit bounds the memory of a
        /// primitive.
        1615 Limit GeometrySize { invocations: u32, max_vertices: u32, most: u32 }
        = "a geometry shader of {invocations} invocations and {max_vertices} vertices; expected 1 to {most} invocations, and at most as many vertices",
        Example::Words("A geometry shader with max_vertices = 2000.");

        /// A geometry shader emits to a stream that does not exist, or to several streams without the capability
        /// GeometryStreams, or the stream is not a constant. There are four streams.
        1616 Invalid Stream { most: u32 }
        = "a geometry shader emits to a stream that is not a constant below {most}, or not 0 without the capability GeometryStreams",
        Example::Words("A geometry shader with EmitStreamVertex(4).");

        /// A tessellation control shader lacks the execution mode OutputVertices. It declares the number of its invocations
        /// for each patch.
        1617 Invalid NoPatchVertices
        = "a tessellation control shader without OutputVertices",
        Example::Words("A tessellation control shader without an execution mode.");

        /// A patch has no vertices, or too many. The vertices of a patch belong to one SIMD-group.
        1618 Limit PatchVertices { vertices: u32, most: u32 }
        = "a tessellation control shader with {vertices} output vertices; expected 1 to {most}",
        Example::Words("A tessellation control shader with layout(vertices = 33).");

        /// A decoration of an input or output is not supported. It gives the variable another meaning, like its value at
        /// one vertex of the primitive.
        1619 Unsupported Decorated { decoration: Decoration }
        = "inputs and outputs decorated with {decoration:?} are not supported",
        Example::Words("A fragment shader with pervertexEXT in vec4 colour[].");

        /// An instruction is only available in mesh shaders. Other stages have no primitives of a workgroup.
        1620 Invalid NotMesh { op: Op }
        = "Op{op:?} outside mesh shaders",
        Example::body("OpSetMeshOutputsEXT %uint_1 %uint_1\nOpReturn");

        /// A mesh shader lacks an execution mode. It declares its primitives, and the maximum numbers of its vertices and
        /// primitives.
        1621 Invalid MeshModes
        = "a mesh shader without OutputVertices, OutputPrimitivesEXT, or the kind of its primitives",
        Example::Words("A mesh shader without an execution mode.");

        /// A mesh shader may have too many vertices or primitives. The limit bounds the memory of a workgroup.
        1622 Limit MeshSize { vertices: u32, primitives: u32, most_vertices: u32, most_primitives: u32 }
        = "a mesh shader of {vertices} vertices and {primitives} primitives; expected at most {most_vertices} and {most_primitives}",
        Example::Words("A mesh shader with max_vertices = 300.");

        /// A payload is too large. The limit bounds the memory of a task workgroup.
        1623 Limit Payload { bytes: u32, most: u32 }
        = "a payload of {bytes} bytes; expected at most {most}",
        Example::Words("A taskPayloadSharedEXT uint values[5000].");

        /// A task or mesh shader has more than one payload. Combine them in a structure.
        1624 Invalid Payloads
        = "a task or mesh shader with several payloads; expected one variable",
        Example::Words("A task shader with two variables decorated taskPayloadSharedEXT.");

        /// A payload belongs to a task or mesh shader. Other stages have none.
        1625 Invalid NoPayload { id: u32 }
        = "variable %{id} is a payload outside task and mesh shaders",
        Example::Words("A compute shader that reads a taskPayloadSharedEXT variable.");

        /// The instruction ends task shaders. Other stages emit no workgroups.
        1626 Invalid NotTask
        = "OpEmitMeshTasksEXT outside task shaders",
        Example::Words("A compute shader that calls EmitMeshTasksEXT.");

        /// An output of a mesh shader has no element for each vertex or primitive. Make it an array.
        1627 Invalid MeshOutput { id: u32 }
        = "output %{id} of a mesh shader is not an array",
        Example::Words("A mesh shader with out vec4 colour.");
    }
}
