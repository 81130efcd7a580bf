/* The C interface of the AGX compiler. Written from the sources of agx-capi by its test: do not edit.
 *
 * Objects are opaque and belong to the caller, who frees each with its own function; freeing a null pointer does nothing.
 * Texts and bytes that come in are copied, and their lengths are explicit. Those that come out belong to the object they
 * were asked of and live as long as it does.
 * A function that can fail gives a status and, where `error` is not null, an error with code, text and location, or null.
 * What it was to make is null after a failure.
 * Structures that describe a state have functions that make the default, `agx_..._default`. A state of zeros is another:
 * its sample mask keeps no sample, and its targets are not written.
 * A compiler is used by one thread at a time; shaders, programs and errors may be read by several.
 */

#ifndef AGX_H
#define AGX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The version of this interface, and of the shared library: it grows with every change of the header.
 */
#define AGX_INTERFACE_VERSION 4

/**
 * `dynamic_offset` of bindings without dynamic offsets.
 */
#define AGX_NO_DYNAMIC_OFFSET UINT32_MAX

/**
 * Number of render targets.
 */
#define AGX_MAX_TARGETS 8

/**
 * Number of buffers of transform feedback.
 */
#define AGX_MAX_FEEDBACK_BUFFERS 4

/**
 * `divisor` of attributes that advance per vertex.
 */
#define AGX_PER_VERTEX UINT32_MAX

/**
 * `logic_op` of states without a logic operation.
 */
#define AGX_NO_LOGIC_OP UINT32_MAX

/**
 * Kinds of locations.
 */
typedef enum {
  /**
   * The input as a whole.
   */
  AGX_LOCATION_KIND_WHOLE = 0,
  /**
   * A word of a SPIR-V module.
   */
  AGX_LOCATION_KIND_WORD = 1,
  /**
   * A line of a source file from which the module was generated.
   */
  AGX_LOCATION_KIND_SOURCE = 2,
  /**
   * A line of the input.
   */
  AGX_LOCATION_KIND_TEXT = 3,
} AgxLocationKind;

/**
 * The result of a call.
 */
typedef enum {
  /**
   * Success.
   */
  AGX_STATUS_OK = 0,
  /**
   * The input or the state is invalid.
   */
  AGX_STATUS_INVALID = 1,
  /**
   * The input is valid, but this compiler does not support it.
   */
  AGX_STATUS_UNSUPPORTED = 2,
  /**
   * The input exceeds a limit, or the caller cancelled the compilation.
   */
  AGX_STATUS_LIMIT = 3,
  /**
   * The compiler has a defect.
   */
  AGX_STATUS_INTERNAL = 4,
  /**
   * An argument is null, not UTF-8, or out of range.
   */
  AGX_STATUS_ARGUMENT = 5,
  /**
   * The bytes do not decode to a shader of this build.
   */
  AGX_STATUS_CACHE = 6,
  /**
   * The parts do not belong together.
   */
  AGX_STATUS_LINK = 7,
} AgxStatus;

/**
 * How the depths that a shader writes relate to those of its primitive.
 */
typedef enum {
  /**
   * No guarantee.
   */
  AGX_DEPTH_LAYOUT_ANY = 0,
  /**
   * Not less.
   */
  AGX_DEPTH_LAYOUT_GREATER = 1,
  /**
   * Not greater.
   */
  AGX_DEPTH_LAYOUT_LESS = 2,
  /**
   * Equal.
   */
  AGX_DEPTH_LAYOUT_UNCHANGED = 3,
} AgxDepthLayout;

/**
 * Kinds of outputs of vertex and geometry shaders.
 */
typedef enum {
  /**
   * A component of the clip-space position.
   */
  AGX_OUTPUT_KIND_POSITION = 0,
  /**
   * The size of a point.
   */
  AGX_OUTPUT_KIND_POINT_SIZE = 1,
  /**
   * A clip distance, against which primitives are clipped.
   */
  AGX_OUTPUT_KIND_CLIP_DISTANCE = 2,
  /**
   * A clip distance again, for fragment shaders to read.
   */
  AGX_OUTPUT_KIND_READ_CLIP_DISTANCE = 3,
  /**
   * A cull distance, which only fragment shaders read.
   */
  AGX_OUTPUT_KIND_CULL_DISTANCE = 4,
  /**
   * The flag of a cull distance: 0 if it is negative, else 1.
   */
  AGX_OUTPUT_KIND_CULLED = 5,
  /**
   * Layer in the low half, viewport in the high half.
   */
  AGX_OUTPUT_KIND_LAYER_AND_VIEWPORT = 6,
  /**
   * The viewport again, for fragment shaders to read.
   */
  AGX_OUTPUT_KIND_VIEWPORT = 7,
  /**
   * The number of the primitive, for fragment shaders to read.
   */
  AGX_OUTPUT_KIND_PRIMITIVE_ID = 8,
  /**
   * A component of a location.
   */
  AGX_OUTPUT_KIND_USER = 9,
  /**
   * The stream of the primitive that a vertex of a geometry shader completes.
   */
  AGX_OUTPUT_KIND_STREAM = 10,
  /**
   * The number of a corner of that primitive.
   */
  AGX_OUTPUT_KIND_STREAM_CORNER = 11,
  /**
   * x, y or w of the position again, for fragment shaders to interpolate.
   */
  AGX_OUTPUT_KIND_READ_POSITION = 12,
  /**
   * x, y or w of the position again, for fragment shaders to read of each vertex.
   */
  AGX_OUTPUT_KIND_CORNER_POSITION = 13,
} AgxOutputKind;

/**
 * Kinds of values in coefficient registers.
 */
typedef enum {
  /**
   * 1/w.
   */
  AGX_COEFFICIENT_KIND_ONE_OVER_W = 0,
  /**
   * Depth.
   */
  AGX_COEFFICIENT_KIND_DEPTH = 1,
  /**
   * Horizontal position within a point.
   */
  AGX_COEFFICIENT_KIND_POINT_X = 2,
  /**
   * Vertical position within a point.
   */
  AGX_COEFFICIENT_KIND_POINT_Y = 3,
  /**
   * The viewport index.
   */
  AGX_COEFFICIENT_KIND_VIEWPORT = 4,
  /**
   * Number of the primitive.
   */
  AGX_COEFFICIENT_KIND_PRIMITIVE_ID = 5,
  /**
   * A clip distance.
   */
  AGX_COEFFICIENT_KIND_CLIP_DISTANCE = 6,
  /**
   * A cull distance.
   */
  AGX_COEFFICIENT_KIND_CULL_DISTANCE = 7,
  /**
   * The flag of a cull distance.
   */
  AGX_COEFFICIENT_KIND_CULLED = 8,
  /**
   * A component of a location.
   */
  AGX_COEFFICIENT_KIND_USER = 9,
  /**
   * x, y or w of the position.
   */
  AGX_COEFFICIENT_KIND_POSITION = 10,
  /**
   * x, y or w of the position of a vertex.
   */
  AGX_COEFFICIENT_KIND_CORNER_POSITION = 11,
} AgxCoefficientKind;

/**
 * How a value is interpolated across a primitive.
 */
typedef enum {
  /**
   * The value of the provoking vertex.
   */
  AGX_INTERPOLATION_FLAT = 0,
  /**
   * Linear in screen space.
   */
  AGX_INTERPOLATION_LINEAR = 1,
  /**
   * Perspective-correct.
   */
  AGX_INTERPOLATION_PERSPECTIVE = 2,
  /**
   * The value of the first vertex.
   */
  AGX_INTERPOLATION_FIRST = 3,
  /**
   * The value of the second vertex of a triangle.
   */
  AGX_INTERPOLATION_SECOND = 4,
  /**
   * The value of the last vertex.
   */
  AGX_INTERPOLATION_THIRD = 5,
} AgxInterpolation;

/**
 * Kinds of arguments of kernels. Those from `AGX_ARGUMENT_KIND_GLOBAL_OFFSET` on are provided by the driver.
 */
typedef enum {
  /**
   * A number, a vector or a structure.
   */
  AGX_ARGUMENT_KIND_VALUE = 0,
  /**
   * A pointer to global memory: a 64-bit address, 0 for null.
   */
  AGX_ARGUMENT_KIND_GLOBAL = 1,
  /**
   * A pointer to constant memory, likewise.
   */
  AGX_ARGUMENT_KIND_CONSTANT = 2,
  /**
   * A pointer to workgroup memory: its 32-bit offset.
   */
  AGX_ARGUMENT_KIND_LOCAL = 3,
  /**
   * An image: the resource of set 0 whose binding is the number of the parameter.
   */
  AGX_ARGUMENT_KIND_IMAGE = 4,
  /**
   * A sampler, likewise.
   */
  AGX_ARGUMENT_KIND_SAMPLER = 5,
  /**
   * Numbers of the first work-item: three 32-bit numbers.
   */
  AGX_ARGUMENT_KIND_GLOBAL_OFFSET = 6,
  /**
   * Number of dimensions, 32 bits.
   */
  AGX_ARGUMENT_KIND_WORK_DIMENSION = 7,
  /**
   * Numbers of work-items: three 32-bit numbers.
   */
  AGX_ARGUMENT_KIND_GLOBAL_SIZE = 8,
  /**
   * The address of the buffer of `printf`.
   */
  AGX_ARGUMENT_KIND_PRINTF_BUFFER = 9,
} AgxArgumentKind;

/**
 * What a sampler does with coordinates outside of the image.
 */
typedef enum {
  /**
   * Nothing is defined.
   */
  AGX_ADDRESSING_NONE = 0,
  /**
   * The nearest texel.
   */
  AGX_ADDRESSING_CLAMP_TO_EDGE = 1,
  /**
   * The border colour: zero, with alpha 1 if the image has no alpha.
   */
  AGX_ADDRESSING_CLAMP = 2,
  /**
   * The image repeated.
   */
  AGX_ADDRESSING_REPEAT = 3,
  /**
   * The image repeated with every second copy mirrored.
   */
  AGX_ADDRESSING_REPEAT_MIRRORED = 4,
} AgxAddressing;

/**
 * Stages of shaders.
 */
typedef enum {
  /**
   * Vertex shaders.
   */
  AGX_STAGE_VERTEX = 0,
  /**
   * Fragment shaders.
   */
  AGX_STAGE_FRAGMENT = 1,
  /**
   * Compute shaders.
   */
  AGX_STAGE_COMPUTE = 2,
} AgxStage;

/**
 * Shapes of domains.
 */
typedef enum {
  /**
   * The other tessellation shader declares it.
   */
  AGX_DOMAIN_UNDECLARED = 0,
  /**
   * Triangles.
   */
  AGX_DOMAIN_TRIANGLES = 1,
  /**
   * Quads.
   */
  AGX_DOMAIN_QUADS = 2,
  /**
   * Parallel lines.
   */
  AGX_DOMAIN_ISOLINES = 3,
} AgxDomain;

/**
 * How edges of domains are divided.
 */
typedef enum {
  /**
   * The other tessellation shader declares it.
   */
  AGX_SPACING_UNDECLARED = 0,
  /**
   * Segments of equal length.
   */
  AGX_SPACING_EQUAL = 1,
  /**
   * An even number of segments, two of which may be shorter.
   */
  AGX_SPACING_FRACTIONAL_EVEN = 2,
  /**
   * An odd number of segments, two of which may be shorter.
   */
  AGX_SPACING_FRACTIONAL_ODD = 3,
} AgxSpacing;

/**
 * Orders of the vertices of triangles in the domain.
 */
typedef enum {
  /**
   * The other tessellation shader declares it.
   */
  AGX_ORDER_UNDECLARED = 0,
  /**
   * Clockwise.
   */
  AGX_ORDER_CLOCKWISE = 1,
  /**
   * Counterclockwise.
   */
  AGX_ORDER_COUNTERCLOCKWISE = 2,
} AgxOrder;

/**
 * How the descriptors of a binding are accessed.
 */
typedef enum {
  /**
   * By the driver, before the program starts.
   */
  AGX_ACCESS_CONSTANT = 0,
  /**
   * By the program; every descriptor with a constant index must be valid.
   */
  AGX_ACCESS_MEMORY = 1,
  /**
   * By the program; descriptors that are not used may be invalid.
   */
  AGX_ACCESS_PARTIALLY_BOUND = 2,
} AgxAccess;

/**
 * Initial contents of a target.
 */
typedef enum {
  /**
   * Undefined.
   */
  AGX_BACKGROUND_KIND_NONE = 0,
  /**
   * The colour in the uniform for the target.
   */
  AGX_BACKGROUND_KIND_CLEAR = 1,
  /**
   * The contents of the image.
   */
  AGX_BACKGROUND_KIND_LOAD = 2,
  /**
   * The resolved samples of a multisampled image.
   */
  AGX_BACKGROUND_KIND_RESOLVE = 3,
} AgxBackgroundKind;

/**
 * Behaviour of buffer accesses out of bounds.
 */
typedef enum {
  /**
   * Undefined: the program makes none.
   */
  AGX_BOUNDS_UNCHECKED = 0,
  /**
   * They access some byte of the buffer (Vulkan's `robustBufferAccess`).
   */
  AGX_BOUNDS_CLAMPED = 1,
  /**
   * Loads return zeros, stores and atomics are dropped (`robustBufferAccess2`).
   */
  AGX_BOUNDS_EXACT = 2,
} AgxBounds;

/**
 * Parts of shaders.
 */
typedef enum {
  /**
   * The shader proper.
   */
  AGX_PART_MAIN = 0,
  /**
   * The preamble, which runs once before all invocations and writes uniforms.
   */
  AGX_PART_PREAMBLE = 1,
} AgxPart;

/**
 * Primitives that the vertices of a draw form.
 */
typedef enum {
  /**
   * Lists of any primitives or patches.
   */
  AGX_PRIMITIVES_LIST = 0,
  /**
   * Line strips.
   */
  AGX_PRIMITIVES_LINE_STRIP = 1,
  /**
   * Triangle strips.
   */
  AGX_PRIMITIVES_TRIANGLE_STRIP = 2,
  /**
   * Triangle fans.
   */
  AGX_PRIMITIVES_TRIANGLE_FAN = 3,
  /**
   * Line strips with adjacent vertices.
   */
  AGX_PRIMITIVES_LINE_STRIP_ADJACENCY = 4,
  /**
   * Triangle strips with adjacent vertices.
   */
  AGX_PRIMITIVES_TRIANGLE_STRIP_ADJACENCY = 5,
} AgxPrimitives;

/**
 * The vertex of a primitive that provides flat values.
 */
typedef enum {
  /**
   * The first.
   */
  AGX_PROVOKING_FIRST = 0,
  /**
   * The second, of triangle fans.
   */
  AGX_PROVOKING_SECOND = 1,
  /**
   * The last of a triangle.
   */
  AGX_PROVOKING_THIRD = 2,
} AgxProvoking;

/**
 * How the samples of a pixel are resolved.
 */
typedef enum {
  /**
   * The first one.
   */
  AGX_RESOLVE_FIRST = 0,
  /**
   * Their mean; not for integers.
   */
  AGX_RESOLVE_AVERAGE = 1,
  /**
   * The minimum of each component.
   */
  AGX_RESOLVE_LEAST = 2,
  /**
   * The maximum of each component.
   */
  AGX_RESOLVE_GREATEST = 3,
} AgxResolve;

/**
 * Records that depend on the vertex and the fragment shader.
 */
typedef enum {
  /**
   * The output groups that exist, and their use by the rasteriser.
   */
  AGX_WORDS_OUTPUT_SELECT = 0,
  /**
   * Number of output words per vertex.
   */
  AGX_WORDS_VERTEX_OUTPUTS = 1,
  /**
   * Number of varyings of each kind.
   */
  AGX_WORDS_VARYING_COUNTS = 2,
  /**
   * Sources of the fragment shader's coefficient registers.
   */
  AGX_WORDS_COEFFICIENT_BINDINGS = 3,
  /**
   * The second word of fragment control.
   */
  AGX_WORDS_FRAGMENT_CONTROL = 4,
} AgxWords;

/**
 * Bytes owned by the caller.
 */
typedef struct AgxBuffer AgxBuffer;

/**
 * A compiler for one chip, with the memory that compilations reuse. One per thread.
 */
typedef struct AgxCompiler AgxCompiler;

/**
 * A failed call's error.
 */
typedef struct AgxError AgxError;

/**
 * Everything that affects the code besides the input.
 */
typedef struct AgxKey AgxKey;

/**
 * A complete program. Immutable.
 */
typedef struct AgxProgram AgxProgram;

/**
 * A compiled shader. Immutable.
 */
typedef struct AgxShader AgxShader;

/**
 * UTF-8 text, without a terminating zero byte.
 */
typedef struct {
  /**
   * The first byte; ignored if `length` is 0.
   */
  const char *data;
  /**
   * Length in bytes.
   */
  size_t length;
} AgxText;

/**
 * A location in an input.
 */
typedef struct {
  /**
   * Its kind; the fields of other kinds are 0 or empty.
   */
  AgxLocationKind kind;
  /**
   * Offset of the word from the start of the module, in words.
   */
  size_t word;
  /**
   * Name of the instruction at the word, if known.
   */
  AgxText opcode;
  /**
   * Name of the source file.
   */
  AgxText file;
  /**
   * Line, from 1.
   */
  uint32_t line;
  /**
   * Column in bytes, from 1; 0 if it is unknown.
   */
  uint32_t column;
} AgxLocation;

/**
 * Bytes.
 */
typedef struct {
  /**
   * The first byte; ignored if `length` is 0.
   */
  const uint8_t *data;
  /**
   * Number of bytes.
   */
  size_t length;
} AgxBytes;

/**
 * Properties of a vertex shader.
 */
typedef struct {
  /**
   * It runs as a compute shader, with outputs in memory.
   */
  bool runs_as_compute;
  /**
   * It reads base vertex or base instance.
   */
  bool reads_base;
  /**
   * It reads the number of the draw.
   */
  bool reads_draw;
} AgxVertexInfo;

/**
 * Properties of a fragment shader.
 */
typedef struct {
  /**
   * For each target the components that are written, bit 0 the first, without an alpha that is always 1.
   */
  uint8_t components[AGX_MAX_TARGETS];
  /**
   * The alpha of target 0 is 1.
   */
  bool opaque;
  /**
   * The second entry of `components` is the second colour for dual-source blending.
   */
  bool dual_source;
  /**
   * It writes a depth.
   */
  bool writes_depth;
  /**
   * The declared layout of that depth.
   */
  AgxDepthLayout depth_layout;
  /**
   * It writes a stencil value.
   */
  bool writes_stencil;
  /**
   * It determines when samples are tested: it discards some, or writes depth or stencil.
   */
  bool late_tests;
  /**
   * Tests always run before it.
   */
  bool early_tests;
  /**
   * Helper lanes must run to the end.
   */
  bool needs_helpers;
  /**
   * It runs for each sample.
   */
  bool sample_shading;
  /**
   * Render targets that it reads or leaves as they are, bit 0 the first.
   */
  uint8_t reads_targets;
  /**
   * Overlapping fragments execute a part of it in order.
   */
  bool interlock;
} AgxFragmentInfo;

/**
 * An attribute that a vertex shader reads. The position in the list is the attribute's number, which sources of uniform
 * ranges refer to.
 */
typedef struct {
  /**
   * Its location in the module.
   */
  uint32_t location;
  /**
   * Components that the shader reads, bit 0 the first.
   */
  uint8_t components;
} AgxShaderAttribute;

/**
 * An output of a vertex or geometry shader: a word.
 */
typedef struct {
  /**
   * Its kind.
   */
  AgxOutputKind kind;
  /**
   * Its location; 0 for other kinds than `AGX_OUTPUT_KIND_USER`.
   */
  uint32_t location;
  /**
   * Number of the component or distance; 0 for kinds with one output.
   */
  uint32_t index;
} AgxOutput;

/**
 * An output slot that a vertex shader writes, or a word of a vertex that a geometry shader stores.
 */
typedef struct {
  /**
   * Slot number, in words.
   */
  uint16_t slot;
  /**
   * Its contents.
   */
  AgxOutput output;
} AgxVarying;

/**
 * The contents of a coefficient register of a fragment shader.
 */
typedef struct {
  /**
   * Their kind.
   */
  AgxCoefficientKind kind;
  /**
   * Location; 0 for other kinds than `AGX_COEFFICIENT_KIND_USER`.
   */
  uint32_t location;
  /**
   * Number of the component or distance; 0 for kinds with one value.
   */
  uint32_t index;
  /**
   * Their interpolation.
   */
  AgxInterpolation interpolation;
} AgxCoefficient;

/**
 * The buffers in which transform feedback captures outputs of a vertex or geometry shader.
 */
typedef struct {
  /**
   * Bytes of a vertex in each buffer; 0 for buffers that are not used.
   */
  uint32_t strides[AGX_MAX_FEEDBACK_BUFFERS];
  /**
   * The stream of a geometry shader whose vertices each buffer captures.
   */
  uint8_t streams[AGX_MAX_FEEDBACK_BUFFERS];
} AgxFeedback;

/**
 * A captured output.
 */
typedef struct {
  /**
   * Number of the buffer.
   */
  uint8_t buffer;
  /**
   * Byte offset in the vertex's part of the buffer.
   */
  uint32_t offset;
  /**
   * Size in bits: 8, 16 or 32.
   */
  uint8_t bits;
  /**
   * The output.
   */
  AgxOutput output;
} AgxCapturedOutput;

/**
 * Properties of a kernel.
 */
typedef struct {
  /**
   * Bytes of the block of arguments.
   */
  uint32_t block_bytes;
  /**
   * The module fixes the size of workgroups; otherwise it is that of the key.
   */
  bool fixed_size;
  /**
   * Number of arguments: parameters in their order, then those that the driver provides.
   */
  size_t arguments;
  /**
   * Number of formats of `printf`.
   */
  size_t formats;
  /**
   * Number of samplers that the module states.
   */
  size_t samplers;
} AgxKernelInfo;

/**
 * An argument of a kernel: bytes of a block, which takes the place of push constants.
 */
typedef struct {
  /**
   * Its name; empty if the module has none.
   */
  AgxText name;
  /**
   * What it is.
   */
  AgxArgumentKind kind;
  /**
   * Number of the parameter; arguments that the driver provides are numbered on.
   */
  uint32_t index;
  /**
   * First byte in the block.
   */
  uint32_t offset;
  /**
   * Bytes in the block; 0 for images and samplers.
   */
  uint32_t size;
  /**
   * Alignment in bytes: of the value, or of what a pointer points to.
   */
  uint32_t align;
} AgxKernelArgument;

/**
 * A format of `printf`. A call stores a record of words: the number of the format, then its arguments.
 */
typedef struct {
  /**
   * The format without the final zero.
   */
  AgxBytes text;
  /**
   * Bytes of each argument in the record: 4 or 8.
   */
  AgxBytes sizes;
} AgxPrintfFormat;

/**
 * A sampler that a module states: the resource of set 1 whose binding is its number.
 */
typedef struct {
  /**
   * Coordinates outside of the image.
   */
  AgxAddressing addressing;
  /**
   * Coordinates are from 0 to 1, otherwise in texels.
   */
  bool normalized;
  /**
   * Texels are interpolated.
   */
  bool linear;
} AgxLiteralSampler;

/**
 * The layout of a pipeline layout's binding in the memory of its set.
 */
typedef struct {
  /**
   * Descriptor set.
   */
  uint32_t set;
  /**
   * Binding within the set.
   */
  uint32_t binding;
  /**
   * Byte offset of element 0 in the set.
   */
  uint32_t offset;
  /**
   * Distance between elements in bytes.
   */
  uint32_t stride;
  /**
   * A number of `AgxAccess`.
   */
  uint32_t access;
  /**
   * Number of the first of the elements' dynamic offsets, or `AGX_NO_DYNAMIC_OFFSET`.
   */
  uint32_t dynamic_offset;
  /**
   * Whether the element is the contents of a uniform block; the offsets below are then ignored.
   */
  bool is_inline;
  /**
   * Byte offset in the element of a buffer: 64-bit address, 32-bit size.
   */
  uint32_t buffer;
  /**
   * Byte offset of a texture.
   */
  uint32_t texture;
  /**
   * Byte offset of an image for stores.
   */
  uint32_t image;
  /**
   * Byte offset of the 16-bit number of a sampler.
   */
  uint32_t sampler;
} AgxBinding;

/**
 * The source of a vertex attribute.
 */
typedef struct {
  /**
   * Its location in the module; a wide attribute also provides the location after it.
   */
  uint32_t location;
  /**
   * Format of elements: Vulkan's name without `VK_FORMAT_`.
   */
  AgxText format;
  /**
   * Distance between elements in bytes.
   */
  uint32_t stride;
  /**
   * Number of instances that share an element, 0 for all, `AGX_PER_VERTEX` for attributes that advance per
   * vertex.
   */
  uint32_t divisor;
  /**
   * Alignment of the first element's address in bytes.
   */
  uint32_t alignment;
} AgxAttribute;

/**
 * The blend equation of some components of a target, in numbers of Vulkan's enumerations.
 */
typedef struct {
  /**
   * The factor of the source: a `VkBlendFactor`.
   */
  uint32_t source;
  /**
   * The factor of the destination: a `VkBlendFactor`.
   */
  uint32_t destination;
  /**
   * The operation that combines the products: a `VkBlendOp`, not an advanced one.
   */
  uint32_t op;
} AgxEquation;

/**
 * A render target.
 */
typedef struct {
  /**
   * Its format: Vulkan's name without `VK_FORMAT_`; empty for none.
   */
  AgxText format;
  /**
   * Components written, bit 0 red.
   */
  uint8_t write_mask;
  /**
   * Whether colours are blended by the equations instead of replaced.
   */
  bool blends;
  /**
   * For red, green and blue.
   */
  AgxEquation colour;
  /**
   * For alpha.
   */
  AgxEquation alpha;
} AgxTarget;

/**
 * The state of a draw that its fragment program depends on.
 */
typedef struct {
  /**
   * The targets of the pass, at most 8.
   */
  const AgxTarget *targets;
  /**
   * Number of targets.
   */
  size_t target_count;
  /**
   * Samples of a pixel: 1, 2 or 4.
   */
  uint8_t samples;
  /**
   * A `VkLogicOp`, or `AGX_NO_LOGIC_OP`.
   */
  uint32_t logic_op;
  /**
   * The alpha of target 0 becomes coverage.
   */
  bool alpha_to_coverage;
  /**
   * Alpha is replaced by 1 afterwards.
   */
  bool alpha_to_one;
  /**
   * Samples that the API's sample mask keeps, bit 0 the first.
   */
  uint8_t sample_mask;
  /**
   * Whether pixels are discarded by the stipple pattern that the root descriptor names.
   */
  bool stipple;
  /**
   * Whether fragments are counted at the address in the root descriptor.
   */
  bool counts;
  /**
   * The vertex shader, whose cull distances discard primitives; null if it has none.
   */
  const AgxShader *vertex;
} AgxFragmentState;

/**
 * Information about a program for its driver.
 */
typedef struct {
  /**
   * Half-registers.
   */
  uint16_t gpr_halves;
  /**
   * Uniform half-words in use.
   */
  uint16_t uniform_halves;
  /**
   * Stack memory of a lane in bytes.
   */
  uint32_t scratch_bytes;
  /**
   * Render targets that the program reads, bit 0 the first.
   */
  uint8_t reads_targets;
  /**
   * The program stores to render targets in the tile.
   */
  bool stores_targets;
  /**
   * The program determines when samples are tested.
   */
  bool late_tests;
  /**
   * The program writes device memory.
   */
  bool writes_memory;
  /**
   * Adjacent triangles may be shaded together.
   */
  bool merges_triangles;
  /**
   * The program reads base vertex or base instance.
   */
  bool reads_base;
  /**
   * The program reads the number of the draw.
   */
  bool reads_draw;
  /**
   * The rasteriser need not run the program for fragments that are overdrawn or write no colour.
   */
  bool tag_write_disable;
  /**
   * Number of coefficient registers that the program needs in addition to those of its main part.
   */
  size_t appended_coefficients;
  /**
   * Number of sampler state registers that the program needs in addition to those of its main part.
   */
  size_t appended_samplers;
} AgxProgramInfo;

/**
 * The contents of a texture or sampler state register.
 */
typedef struct {
  /**
   * `texture` or `image`; `sampler`, or `loads` for the sampler of loads by integer coordinates, which has
   * no set.
   */
  AgxText kind;
  /**
   * Descriptor set.
   */
  uint32_t set;
  /**
   * Binding within the set.
   */
  uint32_t binding;
  /**
   * Array element.
   */
  uint32_t element;
} AgxStateRegister;

/**
 * Information about a shader for its driver.
 */
typedef struct {
  /**
   * Its stage.
   */
  AgxStage stage;
  /**
   * Size of a workgroup (compute).
   */
  uint32_t workgroup_size[3];
  /**
   * Half-registers of the main part.
   */
  uint16_t gpr_halves;
  /**
   * Half-registers of the preamble; 0 if there is none.
   */
  uint16_t preamble_gpr_halves;
  /**
   * Uniform half-words in use.
   */
  uint16_t uniform_halves;
  /**
   * Threadgroup memory in bytes.
   */
  uint32_t local_bytes;
  /**
   * Stack memory of a lane in bytes.
   */
  uint32_t scratch_bytes;
  /**
   * Stack memory of the preamble in bytes.
   */
  uint32_t preamble_scratch_bytes;
  /**
   * The shader writes device memory.
   */
  bool writes_memory;
  /**
   * The shader has a workgroup barrier.
   */
  bool uses_barrier;
} AgxShaderInfo;

/**
 * Modes of a geometry shader, and its use of memory.
 */
typedef struct {
  /**
   * Vertices of an input primitive, including adjacent ones.
   */
  uint32_t input_vertices;
  /**
   * Vertices of an output primitive: 1 point, 2 line, 3 triangle.
   */
  uint32_t corners;
  /**
   * Invocations for each primitive.
   */
  uint32_t invocations;
  /**
   * Maximum number of vertices that an invocation emits.
   */
  uint32_t max_vertices;
  /**
   * Number of indices of an invocation.
   */
  uint32_t indices;
  /**
   * Bytes of an emitted vertex.
   */
  uint32_t vertex_bytes;
  /**
   * Whether vertices go to several streams. The slot of `AGX_OUTPUT_KIND_STREAM` tells the stream of the primitive that a
   * vertex in memory completes, `UINT32_MAX` if it completes none, and those of `AGX_OUTPUT_KIND_STREAM_CORNER` its
   * corners if it is not a point; the indices are those of stream 0.
   */
  bool streams;
} AgxGeometryInfo;

/**
 * Modes of a tessellation shader, and its use of memory.
 */
typedef struct {
  /**
   * Bytes of a vertex that a control shader reads.
   */
  uint32_t input_bytes;
  /**
   * Bytes of the record of a patch.
   */
  uint32_t record_bytes;
  /**
   * Vertices of the patch: the invocations of a control shader.
   */
  uint32_t vertices;
  /**
   * Shape of the domain.
   */
  AgxDomain domain;
  /**
   * Division of edges.
   */
  AgxSpacing spacing;
  /**
   * Order of the vertices of triangles.
   */
  AgxOrder order;
  /**
   * Whether the result is a point for each vertex.
   */
  bool points;
} AgxTessellationInfo;

/**
 * A range of the uniform file that the driver fills.
 */
typedef struct {
  /**
   * First half-word.
   */
  uint16_t start;
  /**
   * Half-words.
   */
  uint16_t halves;
  /**
   * The contents of the range, by the names of docs/abi.md: `buffer_address`, `push_constants`, …
   */
  AgxText source;
  /**
   * Number of the source's fields: set, binding, element, …
   */
  size_t fields;
} AgxUniform;

/**
 * A field of the source of a uniform range.
 */
typedef struct {
  /**
   * Its name.
   */
  AgxText name;
  /**
   * Its value if it is a number, else 0.
   */
  uint32_t number;
  /**
   * Its value if it is a word, else empty.
   */
  AgxText word;
} AgxField;

/**
 * A statistic.
 */
typedef struct {
  /**
   * Name in text.
   */
  AgxText title;
  /**
   * Name in data.
   */
  AgxText key;
  /**
   * Its meaning, in one sentence.
   */
  AgxText description;
  /**
   * Whether higher values are better; for most statistics lower ones are.
   */
  bool higher_is_better;
} AgxFigure;

/**
 * The targets of a render pass.
 */
typedef struct {
  /**
   * Their formats, at most 8: Vulkan's names without `VK_FORMAT_`; empty for none.
   */
  const AgxText *formats;
  /**
   * Number of formats.
   */
  size_t format_count;
  /**
   * Samples of a pixel: 1, 2 or 4.
   */
  uint8_t samples;
  /**
   * Whether images are arrays, of which the layer being rendered is loaded and stored.
   */
  bool layered;
} AgxPassTargets;

/**
 * The operation of a background program on a target.
 */
typedef struct {
  /**
   * A number of `AgxBackgroundKind`.
   */
  uint32_t kind;
  /**
   * Samples of the image to be resolved: 2 or 4.
   */
  uint8_t samples;
  /**
   * How it is resolved: a number of `AgxResolve`.
   */
  uint32_t resolve;
} AgxBackground;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library's interface, to be compared with `AGX_INTERFACE_VERSION` of the header.
 */
uint32_t agx_interface_version(void);

/**
 * The build of the compiler: `build` takes 16 bytes. Only the same build accepts serialised shaders.
 */
void agx_build_id(uint8_t (*build)[16]);

/**
 * Stable number of an error, which `agxc explain` documents; 0 for errors that do not come from compiler or linker.
 */
uint32_t agx_error_code(const AgxError *error);

/**
 * A sentence that describes the error and its location; empty without an error.
 */
AgxText agx_error_text(const AgxError *error);

/**
 * The same without the location: kind and location are separate.
 */
AgxText agx_error_message(const AgxError *error);

/**
 * The location of an error in the input: a word of a module, or a line and a column of a text. Without an error it is the
 * input as a whole.
 */
void agx_error_location(const AgxError *error,
                        AgxLocation *location);

/**
 * Frees an error.
 */
void agx_error_free(AgxError *error);

/**
 * The bytes of a buffer; empty for null.
 */
AgxBytes agx_buffer_bytes(const AgxBuffer *buffer);

/**
 * Frees a buffer.
 */
void agx_buffer_free(AgxBuffer *buffer);

/**
 * Creates a compiler for the chip `target` (`g13g`, `g13x`, `g14g`, `g14x`); an empty text selects the
 * default.
 *
 * # Safety
 * `target` must be a valid text.
 */
AgxStatus agx_compiler_new(AgxText target,
                           AgxCompiler **compiler,
                           AgxError **error);

/**
 * Frees a compiler. Its shaders and programs stay valid.
 */
void agx_compiler_free(AgxCompiler *compiler);

/**
 * Properties of a vertex shader. Other shaders are an argument error.
 */
AgxStatus agx_shader_vertex(const AgxShader *shader, AgxVertexInfo *info, AgxError **error);

/**
 * Properties of a fragment shader. Other shaders are an argument error.
 */
AgxStatus agx_shader_fragment(const AgxShader *shader, AgxFragmentInfo *info, AgxError **error);

/**
 * Number of attributes that a vertex shader reads.
 */
size_t agx_shader_attribute_count(const AgxShader *shader);

/**
 * An attribute that a vertex shader reads.
 */
AgxStatus agx_shader_attribute(const AgxShader *shader,
                               size_t number,
                               AgxShaderAttribute *attribute,
                               AgxError **error);

/**
 * Number of output slots that a vertex shader writes, for a pass without a fragment shader, or of words of a vertex that
 * a geometry shader stores.
 */
size_t agx_shader_varying_count(const AgxShader *shader);

/**
 * An output slot or word, in ascending order. `agx_words` has the slots of a pair of shaders.
 */
AgxStatus agx_shader_varying(const AgxShader *shader,
                             size_t number,
                             AgxVarying *varying,
                             AgxError **error);

/**
 * Number of coefficient registers that a fragment shader reads, from 0 on.
 */
size_t agx_shader_coefficient_count(const AgxShader *shader);

/**
 * The contents of a coefficient register.
 */
AgxStatus agx_shader_coefficient(const AgxShader *shader,
                                 size_t number,
                                 AgxCoefficient *coefficient,
                                 AgxError **error);

/**
 * The buffers in which transform feedback captures outputs. A vertex shader stores them if it is compiled with
 * `agx_key_set_vertex_as_compute`, at the addresses in its uniforms `feedback_buffer`, for as many vertices as its uniform
 * `feedback_count` has.
 */
AgxStatus agx_shader_feedback(const AgxShader *shader,
                              AgxFeedback *info,
                              AgxError **error);

/**
 * Number of captured outputs.
 */
size_t agx_shader_captured_output_count(const AgxShader *shader);

/**
 * A captured output, in order of buffers and bytes.
 */
AgxStatus agx_shader_captured_output(const AgxShader *shader,
                                     size_t number,
                                     AgxCapturedOutput *captured_output,
                                     AgxError **error);

/**
 * Sets the size of workgroups, for kernels whose module does not fix it.
 */
AgxStatus agx_key_set_workgroup_size(AgxKey *key,
                                     uint32_t x,
                                     uint32_t y,
                                     uint32_t z,
                                     AgxError **error);

/**
 * Properties of a kernel. Other shaders are an argument error.
 */
AgxStatus agx_shader_kernel(const AgxShader *shader, AgxKernelInfo *info, AgxError **error);

/**
 * An argument of a kernel, by its place in the list.
 */
AgxStatus agx_kernel_argument(const AgxShader *shader,
                              size_t number,
                              AgxKernelArgument *argument,
                              AgxError **error);

/**
 * A format of `printf` of a kernel.
 */
AgxStatus agx_kernel_printf_format(const AgxShader *shader,
                                   size_t number,
                                   AgxPrintfFormat *format,
                                   AgxError **error);

/**
 * A sampler that the module of a kernel states.
 */
AgxStatus agx_kernel_sampler(const AgxShader *shader,
                             size_t number,
                             AgxLiteralSampler *sampler,
                             AgxError **error);

/**
 * Creates a key with default settings.
 */
AgxKey *agx_key_new(void);

/**
 * Frees a key.
 */
void agx_key_free(AgxKey *key);

/**
 * Selects the entry point by name; by default, the only one of the stage is used.
 *
 * # Safety
 * `name` must be a valid text.
 */
AgxStatus agx_key_set_entry_point(AgxKey *key, AgxText name, AgxError **error);

/**
 * Selects the stage, a number of `AgxStage`; by default, the stage of the only entry point is used.
 */
AgxStatus agx_key_set_stage(AgxKey *key, uint32_t stage, AgxError **error);

/**
 * Sets the value of a specialization constant, as raw bits; booleans are 0 or 1.
 */
AgxStatus agx_key_set_constant(AgxKey *key, uint32_t id, uint64_t bits, AgxError **error);

/**
 * Sets the behaviour of out-of-bounds accesses to uniform and storage buffers, as numbers of `AgxBounds`;
 * atomics on images behave like those on storage buffers.
 */
AgxStatus agx_key_set_robustness(AgxKey *key,
                                 uint32_t uniform,
                                 uint32_t storage,
                                 AgxError **error);

/**
 * Sets the layout of descriptors. Without a layout the driver fills addresses and state registers.
 *
 * # Safety
 * `bindings` must point to `count` bindings.
 */
AgxStatus agx_key_set_layout(AgxKey *key,
                             const AgxBinding *bindings,
                             size_t count,
                             AgxError **error);

/**
 * A binding in the memory of its set with all descriptors of an element one after another, from byte 0, without a dynamic
 * offset.
 */
AgxBinding agx_binding_default(uint32_t set,
                               uint32_t binding);

/**
 * Runs a fragment shader per sample even if it does not request it.
 */
AgxStatus agx_key_set_sample_shading(AgxKey *key, bool sample_shading, AgxError **error);

/**
 * Sets the fragment shader that will be used with a vertex shader, which then stores only the varyings that
 * it reads, in the slots of the pair's layout, and executes the operations that the fragment shader leaves to it. Null stores
 * all varyings.
 */
AgxStatus agx_key_set_fragment_shader(AgxKey *key,
                                      const AgxShader *fragment,
                                      AgxError **error);

/**
 * Sets the vertex shader that will be used with a fragment shader, which then reads outputs that are the same for all
 * vertices of a draw where the vertex shader found them, and may leave operations on its inputs to the vertex shader:
 * compile that again with `agx_key_set_fragment_shader`. Null is for any vertex shader.
 */
AgxStatus agx_key_set_vertex_shader(AgxKey *key,
                                    const AgxShader *vertex,
                                    AgxError **error);

/**
 * Compiles a vertex or evaluation shader as a compute shader with outputs in memory. With `captures_outputs` it
 * stores the outputs that its module captures instead of all of them.
 */
AgxStatus agx_key_set_vertex_as_compute(AgxKey *key,
                                        bool vertex_as_compute,
                                        bool captures_outputs,
                                        AgxError **error);

/**
 * Selects geometry entry points, with stage `AGX_STAGE_COMPUTE`. They read the outputs of `vertex`, a vertex or
 * evaluation shader that runs as a compute shader; null selects other entry points. With `last_provokes` the
 * provoking vertex of an output primitive is its last.
 */
AgxStatus agx_key_set_geometry(AgxKey *key,
                               const AgxShader *vertex,
                               bool last_provokes,
                               AgxError **error);

/**
 * Selects tessellation entry points: with stage `AGX_STAGE_COMPUTE` the control shader, with `AGX_STAGE_VERTEX` the
 * evaluation shader, which reads the patches that `control` stores. `control` is null for control shaders.
 */
AgxStatus agx_key_set_tessellation(AgxKey *key,
                                   bool is_tessellation,
                                   const AgxShader *control,
                                   AgxError **error);

/**
 * Stores the outputs of a vertex shader that runs as a compute shader where the tessellation control shader `control`
 * reads them. Null stores all of them, one after another.
 */
AgxStatus agx_key_set_control_shader(AgxKey *key,
                                     const AgxShader *control,
                                     AgxError **error);

/**
 * Gives samplers a level bias, provided by the driver. Not for shaders with a layout.
 */
AgxStatus agx_key_set_sampler_bias(AgxKey *key, bool sampler_bias, AgxError **error);

/**
 * Numbers workgroups from a base provided by the driver.
 */
AgxStatus agx_key_set_workgroup_base(AgxKey *key, bool workgroup_base, AgxError **error);

/**
 * Limits a compilation: the number of instructions of the intermediate representation and the bytes of
 * memory, 0 for no limit. `should_stop` is a cancellation callback, or null: the compilation ends when it
 * returns true.
 *
 * # Safety
 * Every thread that compiles with the key may call `should_stop` with `data`.
 */
AgxStatus agx_key_set_limits(AgxKey *key,
                             uint32_t instructions,
                             size_t memory_bytes,
                             bool (*should_stop)(void *data),
                             void *data,
                             AgxError **error);

/**
 * A hash of the key that is the same in every run and on every machine: `hash` takes 16 bytes.
 */
AgxStatus agx_key_hash(const AgxKey *key, uint8_t (*hash)[16], AgxError **error);

/**
 * An attribute of which each vertex has its own element, aligned as Vulkan requires.
 *
 * # Safety
 * `format` must be a valid text.
 */
AgxAttribute agx_attribute_default(uint32_t location, AgxText format, uint32_t stride);

/**
 * A target of this format that takes colours unchanged.
 */
AgxTarget agx_target_default(AgxText format);

/**
 * The state of a draw of one sample, without targets, that discards nothing. A state of zeros would keep no sample.
 */
AgxFragmentState agx_fragment_state_default(void);

/**
 * Links a vertex shader with the fetch of its attributes. Its outputs get the slots from which `fragment`
 * reads them; a null pointer selects the slots for a pass without a fragment shader.
 *
 * # Safety
 * `attributes` must point to `count` attributes with valid texts.
 */
AgxStatus agx_link_vertex(AgxCompiler *compiler,
                          const AgxShader *shader,
                          const AgxShader *fragment,
                          const AgxAttribute *attributes,
                          size_t count,
                          AgxProgram **made,
                          AgxError **error);

/**
 * Links a vertex or evaluation shader that runs as a compute shader with the fetch of its attributes and vertex numbers:
 * indices have `index_bytes` bytes, 0 without indices; `primitives` is a number of `AgxPrimitives`.
 *
 * # Safety
 * Like `agx_link_vertex`.
 */
AgxStatus agx_link_stored_vertex(AgxCompiler *compiler,
                                 const AgxShader *shader,
                                 const AgxAttribute *attributes,
                                 size_t count,
                                 uint32_t index_bytes,
                                 uint32_t primitives,
                                 bool last_provokes,
                                 AgxProgram **made,
                                 AgxError **error);

/**
 * The vertex shader that draws the vertices which the geometry shader `geometry` emits: it has no attributes, and
 * loads the outputs of the vertex with its number. It stores only the varyings that `fragment` reads, or all if
 * that is null.
 */
AgxStatus agx_emitted_vertex(AgxCompiler *compiler,
                             const AgxShader *geometry,
                             const AgxShader *fragment,
                             AgxShader **shader,
                             AgxError **error);

/**
 * Links a fragment shader with the parts required by the state of a draw.
 *
 * # Safety
 * The state must point to as many targets as it declares, with valid texts, and to a shader or null.
 */
AgxStatus agx_link_fragment(AgxCompiler *compiler,
                            const AgxShader *shader,
                            const AgxFragmentState *state,
                            AgxProgram **made,
                            AgxError **error);

/**
 * Frees a program.
 */
void agx_program_free(AgxProgram *program);

/**
 * Machine code of a program, to be placed at a multiple of 128 bytes.
 */
AgxBytes agx_program_code(const AgxProgram *program);

/**
 * Assembly text of a program.
 */
AgxStatus agx_program_assembly(const AgxProgram *program, AgxBuffer **assembly, AgxError **error);

/**
 * Information about a program for its driver.
 */
AgxStatus agx_program_info(const AgxProgram *program, AgxProgramInfo *info, AgxError **error);

/**
 * A sampler state register that a program needs in addition to those of its main part.
 */
AgxStatus agx_program_sampler(const AgxProgram *program,
                              size_t number,
                              AgxStateRegister *sampler,
                              AgxError **error);

/**
 * A coefficient register that a program needs in addition to those of its main part.
 */
AgxStatus agx_program_coefficient(const AgxProgram *program,
                                  size_t number,
                                  AgxCoefficient *coefficient,
                                  AgxError **error);

/**
 * Rasteriser words for a pair of shaders: `kind` is a number of `AgxWords`, `provoking` one of
 * `AgxProvoking`, and `program` the program of the fragment shader.
 */
AgxStatus agx_words(const AgxShader *vertex,
                    const AgxShader *fragment,
                    const AgxProgram *program,
                    uint32_t kind,
                    uint32_t provoking,
                    AgxBuffer **made,
                    AgxError **error);

/**
 * Compiles `input`, in the language `language`: `spirv`, …
 *
 * # Safety
 * `language` must be a valid text, and `input` valid bytes.
 */
AgxStatus agx_compile(AgxCompiler *compiler,
                      AgxText language,
                      AgxBytes input,
                      const AgxKey *key,
                      AgxShader **shader,
                      AgxError **error);

/**
 * Like `agx_compile`, and returns the intermediate representation as text: `source` as the front end produces it,
 * `optimised` before instruction selection.
 *
 * # Safety
 * Like `agx_compile`.
 */
AgxStatus agx_compile_with_texts(AgxCompiler *compiler,
                                 AgxText language,
                                 AgxBytes input,
                                 const AgxKey *key,
                                 AgxShader **shader,
                                 AgxBuffer **source,
                                 AgxBuffer **optimised,
                                 AgxError **error);

/**
 * A hash of everything that determines the result of `agx_compile`: build and chip of the compiler, language, input and
 * key. It is the name of the shader in a cache, the same in every run and on every machine: `hash` takes 16 bytes.
 *
 * # Safety
 * Like `agx_compile`.
 */
AgxStatus agx_cache_key(const AgxCompiler *compiler,
                        AgxText language,
                        AgxBytes input,
                        const AgxKey *key,
                        uint8_t (*hash)[16],
                        AgxError **error);

/**
 * Frees a shader. Programs linked from it stay valid.
 */
void agx_shader_free(AgxShader *shader);

/**
 * Serialises the shader; only the same build of the compiler accepts the bytes.
 */
AgxStatus agx_shader_to_bytes(const AgxShader *shader, AgxBuffer **bytes, AgxError **error);

/**
 * Creates a shader from bytes produced by `agx_shader_to_bytes`. Bytes of another build, modified and
 * truncated ones are rejected.
 *
 * # Safety
 * `bytes` must be valid bytes.
 */
AgxStatus agx_shader_from_bytes(AgxBytes bytes,
                                AgxShader **shader,
                                AgxError **error);

/**
 * Machine code of a part, a number of `AgxPart`; empty if the shader does not have it.
 */
AgxStatus agx_shader_code(const AgxShader *shader, uint32_t part, AgxBytes *code, AgxError **error);

/**
 * Assembly text of a part, a number of `AgxPart`; empty if the shader does not have it.
 */
AgxStatus agx_shader_assembly(const AgxShader *shader,
                              uint32_t part,
                              AgxBuffer **assembly,
                              AgxError **error);

/**
 * Information about a shader for its driver.
 */
AgxStatus agx_shader_info(const AgxShader *shader, AgxShaderInfo *info, AgxError **error);

/**
 * Modes of a geometry shader, and its use of memory. Other shaders are an argument error.
 */
AgxStatus agx_shader_geometry(const AgxShader *shader, AgxGeometryInfo *info, AgxError **error);

/**
 * Modes of a tessellation shader, and its use of memory. Other shaders are an argument error.
 */
AgxStatus agx_shader_tessellation(const AgxShader *shader,
                                  AgxTessellationInfo *info,
                                  AgxError **error);

/**
 * The constant section, to be placed in memory at a multiple of 16 bytes.
 */
AgxBytes agx_shader_constants(const AgxShader *shader);

/**
 * Values of the promoted uniforms, for the range with that source.
 */
AgxBytes agx_shader_promoted(const AgxShader *shader);

/**
 * Number of uniform ranges that the driver fills.
 */
size_t agx_shader_uniform_count(const AgxShader *shader);

/**
 * A range of the uniform file.
 */
AgxStatus agx_shader_uniform(const AgxShader *shader,
                             size_t number,
                             AgxUniform *uniform,
                             AgxError **error);

/**
 * A field of the source of a uniform range: its set, its binding, …
 */
AgxStatus agx_shader_uniform_field(const AgxShader *shader,
                                   size_t number,
                                   size_t field_number,
                                   AgxField *field,
                                   AgxError **error);

/**
 * Number of texture state registers that the driver fills, from 0 on.
 */
size_t agx_shader_texture_count(const AgxShader *shader);

/**
 * The contents of a texture state register.
 */
AgxStatus agx_shader_texture(const AgxShader *shader,
                             size_t number,
                             AgxStateRegister *texture,
                             AgxError **error);

/**
 * Number of sampler state registers that the driver fills, from 0 on.
 */
size_t agx_shader_sampler_count(const AgxShader *shader);

/**
 * The contents of a sampler state register.
 */
AgxStatus agx_shader_sampler(const AgxShader *shader,
                             size_t number,
                             AgxStateRegister *sampler,
                             AgxError **error);

/**
 * Number of statistics.
 */
size_t agx_figure_count(void);

/**
 * Name and meaning of a statistic.
 */
AgxStatus agx_figure(size_t number, AgxFigure *figure, AgxError **error);

/**
 * The value of a statistic for a shader.
 */
AgxStatus agx_shader_statistic(const AgxShader *shader,
                               size_t number,
                               uint32_t *value,
                               AgxError **error);

/**
 * The program that initialises the targets of a pass, by `count` operations for its first targets. It is a shader with a
 * main part that ends the program; its uniforms `interface` have the clear colours. `bound` receives the targets whose
 * images it reads, bit 0 the first: the texture state register with the target's number holds a texture.
 *
 * # Safety
 * The targets must point to as many formats as they declare, with valid texts, and `operations` to `count` operations.
 */
AgxStatus agx_background_program(AgxCompiler *compiler,
                                 const AgxPassTargets *targets,
                                 const AgxBackground *operations,
                                 size_t count,
                                 AgxShader **shader,
                                 uint8_t *bound,
                                 AgxError **error);

/**
 * The program that stores the targets `stored` of a pass to their images, bit 0 the first. It is a shader with a main part
 * that ends the program. `bound` receives the targets whose images it writes: the texture state register with the
 * target's number holds an image. Targets that do not fit into the tile are already in memory.
 *
 * # Safety
 * The targets must point to as many formats as they declare, with valid texts.
 */
AgxStatus agx_end_of_tile_program(AgxCompiler *compiler,
                                  const AgxPassTargets *targets,
                                  uint8_t stored,
                                  AgxShader **shader,
                                  uint8_t *bound,
                                  AgxError **error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* AGX_H */
