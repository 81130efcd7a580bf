/* The C interface of the AGX compiler. Written from the sources of agx-capi by its test: do not edit.
 *
 * Objects are opaque and belong to the caller, who frees each with its own function; freeing a null pointer does nothing.
 * Texts and bytes that come in are copied, and their lengths are explicit. Those that come out belong to the object they
 * were asked of and live as long as it does.
 * A function that can fail gives a status and, where `error` is not null, an error with code and text, or null. What it was
 * to make is null after a failure.
 * A compiler is used by one thread at a time; shaders, programs and errors may be read by several.
 */

#ifndef AGX_H
#define AGX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * `dynamic_offset` of bindings without.
 */
#define AGX_NO_DYNAMIC_OFFSET UINT32_MAX

/**
 * `divisor` of attributes of which every vertex has its own.
 */
#define AGX_PER_VERTEX UINT32_MAX

/**
 * `logic_op` of states without.
 */
#define AGX_NO_LOGIC_OP UINT32_MAX

/**
 * How a call ended.
 */
typedef enum {
  /**
   * As asked.
   */
  AGX_STATUS_OK = 0,
  /**
   * The input or the state is invalid.
   */
  AGX_STATUS_INVALID = 1,
  /**
   * The input is valid, and this compiler does not support it.
   */
  AGX_STATUS_UNSUPPORTED = 2,
  /**
   * The input is beyond a limit, or the caller had the compilation stopped.
   */
  AGX_STATUS_LIMIT = 3,
  /**
   * The compiler has a defect.
   */
  AGX_STATUS_INTERNAL = 4,
  /**
   * An argument is null, not UTF-8, or not among the values it may have.
   */
  AGX_STATUS_ARGUMENT = 5,
  /**
   * The bytes are not those of a shader of this build.
   */
  AGX_STATUS_CACHE = 6,
  /**
   * The parts do not belong together.
   */
  AGX_STATUS_LINK = 7,
} AgxStatus;

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
 * Who reads the descriptors of a binding.
 */
typedef enum {
  /**
   * The driver, before the program starts.
   */
  AGX_ACCESS_CONSTANT = 0,
  /**
   * The program; every descriptor that it names by a constant is valid.
   */
  AGX_ACCESS_MEMORY = 1,
  /**
   * The program, and descriptors that are not reached may be anything.
   */
  AGX_ACCESS_PARTIALLY_BOUND = 2,
} AgxAccess;

/**
 * What becomes of accesses outside of a buffer.
 */
typedef enum {
  /**
   * Anything: the program does none.
   */
  AGX_BOUNDS_UNCHECKED = 0,
  /**
   * They reach some byte of the buffer (`robustBufferAccess` of Vulkan).
   */
  AGX_BOUNDS_CLAMPED = 1,
  /**
   * Loads give zeros, stores and atomics do nothing (`robustBufferAccess2`).
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
   * What runs once before all invocations and writes uniforms.
   */
  AGX_PART_PREAMBLE = 1,
} AgxPart;

/**
 * The vertex of a primitive that flat values come from.
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
 * Records that depend on vertex and fragment shader.
 */
typedef enum {
  /**
   * Which outputs there are, and what the rasterizer makes of them.
   */
  AGX_WORDS_OUTPUT_SELECT = 0,
  /**
   * Words of outputs of a vertex.
   */
  AGX_WORDS_VERTEX_OUTPUTS = 1,
  /**
   * How many varyings of each kind there are.
   */
  AGX_WORDS_VARYING_COUNTS = 2,
  /**
   * Where the coefficient registers of the fragment shader come from.
   */
  AGX_WORDS_COEFFICIENT_BINDINGS = 3,
  /**
   * The second word of fragment control.
   */
  AGX_WORDS_FRAGMENT_CONTROL = 4,
} AgxWords;

/**
 * Bytes that belong to the caller.
 */
typedef struct AgxBuffer AgxBuffer;

/**
 * A compiler for one chip, with the memory that compilations reuse. One per thread.
 */
typedef struct AgxCompiler AgxCompiler;

/**
 * Why a call failed.
 */
typedef struct AgxError AgxError;

/**
 * Everything that affects the code beside the input.
 */
typedef struct AgxKey AgxKey;

/**
 * A program, ready to run. It does not change.
 */
typedef struct AgxProgram AgxProgram;

/**
 * A compiled shader. It does not change.
 */
typedef struct AgxShader AgxShader;

/**
 * A text in UTF-8, without a zero byte at its end.
 */
typedef struct {
  /**
   * The first byte; anything when `length` is 0.
   */
  const char *data;
  /**
   * Bytes.
   */
  size_t length;
} AgxText;

/**
 * Bytes.
 */
typedef struct {
  /**
   * The first byte; anything when `length` is 0.
   */
  const uint8_t *data;
  /**
   * How many there are.
   */
  size_t length;
} AgxBytes;

/**
 * How a binding of a pipeline layout is laid out in the memory of its set.
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
   * First byte of element 0 in the set.
   */
  uint32_t offset;
  /**
   * Bytes from one element to the next.
   */
  uint32_t stride;
  /**
   * Number of an `AgxAccess`.
   */
  uint32_t access;
  /**
   * First of the elements' dynamic offsets, or `AGX_NO_DYNAMIC_OFFSET`.
   */
  uint32_t dynamic_offset;
  /**
   * The element is the contents of a uniform block, and the places below are not read.
   */
  bool is_inline;
  /**
   * Byte of the element at which a buffer stands: 64-bit address, 32-bit size.
   */
  uint32_t buffer;
  /**
   * Byte at which a texture stands.
   */
  uint32_t texture;
  /**
   * Byte at which an image to store to stands.
   */
  uint32_t image;
  /**
   * Byte at which the 16-bit number of a sampler stands.
   */
  uint32_t sampler;
} AgxBinding;

/**
 * The numbers that a driver must know of a shader.
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
   * Half registers of the main part.
   */
  uint16_t gpr_halves;
  /**
   * Half registers of the preamble; 0 when there is none.
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
   * What the driver writes there, by the names of docs/abi.md: `buffer_address`, `push_constants`, …
   */
  AgxText source;
  /**
   * Number of the source's fields: set, binding, element, …
   */
  size_t fields;
} AgxUniform;

/**
 * A field of what the driver writes to a range of the uniform file.
 */
typedef struct {
  /**
   * Its name.
   */
  AgxText name;
  /**
   * Its value when it is a number, else 0.
   */
  uint32_t number;
  /**
   * Its value when it is a word, else empty.
   */
  AgxText word;
} AgxField;

/**
 * What a texture or sampler state register holds.
 */
typedef struct {
  /**
   * `texture` or `image`; `sampler`, or `loads` for the sampler that loads by integer coordinates want, which has no set.
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
 * One figure of the statistics.
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
   * What it is, a sentence.
   */
  AgxText description;
  /**
   * More of it is better; of every other figure less is.
   */
  bool higher_is_better;
} AgxFigure;

/**
 * Where a vertex attribute comes from.
 */
typedef struct {
  /**
   * Its location.
   */
  uint32_t location;
  /**
   * Format of elements: Vulkan's name without `VK_FORMAT_`.
   */
  AgxText format;
  /**
   * Bytes from one element to the next.
   */
  uint32_t stride;
  /**
   * Instances that share an element, 0 for all, `AGX_PER_VERTEX` for one that advances by vertex.
   */
  uint32_t divisor;
  /**
   * Bytes that the address of the first element is a multiple of.
   */
  uint32_t alignment;
} AgxAttribute;

/**
 * How some components of a target are blended, in numbers of Vulkan's enumerations.
 */
typedef struct {
  /**
   * What the source is multiplied by: a `VkBlendFactor`.
   */
  uint32_t source;
  /**
   * What the destination is multiplied by: a `VkBlendFactor`.
   */
  uint32_t destination;
  /**
   * How the products are combined: a `VkBlendOp`, not one of the advanced ones.
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
   * Colours are blended as the equations say, instead of replaced.
   */
  bool blends;
  /**
   * Of red, green and blue.
   */
  AgxEquation colour;
  /**
   * Of alpha.
   */
  AgxEquation alpha;
} AgxTarget;

/**
 * The state of a draw that its fragment program depends on.
 */
typedef struct {
  /**
   * The targets of the pass, 8 at most.
   */
  const AgxTarget *targets;
  /**
   * How many there are.
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
   * Alpha is 1 from then on.
   */
  bool alpha_to_one;
  /**
   * Samples that the API lets through, bit 0 the first.
   */
  uint8_t sample_mask;
} AgxFragmentState;

/**
 * What a driver must know of a program.
 */
typedef struct {
  /**
   * Half registers.
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
   * The program decides when samples are tested.
   */
  bool late_tests;
  /**
   * The program writes device memory.
   */
  bool writes_memory;
  /**
   * Neighbouring triangles may be shaded together.
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
   * The rasterizer need not run the program for what is overdrawn or has no colour.
   */
  bool tag_write_disable;
  /**
   * Coefficient registers that the program needs after those of its main part.
   */
  size_t appended_coefficients;
  /**
   * Sampler state registers that the program needs after those of its main part.
   */
  size_t appended_samplers;
} AgxProgramInfo;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of this interface. It grows with every change of the header.
 */
uint32_t agx_interface_version(void);

/**
 * The build of the compiler: `build` takes 16 bytes. Shaders are kept in bytes that only the same build accepts.
 */
void agx_build_id(uint8_t (*build)[16]);

/**
 * Stable number of an error, which `agxc explain` prints; 0 for those that do not come from the compiler.
 */
uint32_t agx_error_code(const AgxError *error);

/**
 * What is wrong and where, a sentence; empty without an error.
 */
AgxText agx_error_text(const AgxError *error);

/**
 * Frees an error.
 */
void agx_error_free(AgxError *error);

/**
 * The bytes of a buffer; none without one.
 */
AgxBytes agx_buffer_bytes(const AgxBuffer *buffer);

/**
 * Frees a buffer.
 */
void agx_buffer_free(AgxBuffer *buffer);

/**
 * A compiler for the chip called `target` (`g13g`, `g13x`, `g14g`, `g14x`); an empty text gives the default one.
 *
 * # Safety
 * `target` is a text.
 */
AgxStatus agx_compiler_new(AgxText target,
                           AgxCompiler **compiler,
                           AgxError **error);

/**
 * Frees a compiler. Shaders and programs that it made live on.
 */
void agx_compiler_free(AgxCompiler *compiler);

/**
 * A key with every default.
 */
AgxKey *agx_key_new(void);

/**
 * Frees a key.
 */
void agx_key_free(AgxKey *key);

/**
 * Chooses the entry point by name; without, the only one of the stage is taken.
 *
 * # Safety
 * `name` is a text.
 */
AgxStatus agx_key_set_entry_point(AgxKey *key, AgxText name, AgxError **error);

/**
 * Chooses the stage, a number of `AgxStage`; without, the stage of the only entry point is taken.
 */
AgxStatus agx_key_set_stage(AgxKey *key, uint32_t stage, AgxError **error);

/**
 * Gives a specialization constant its value, as raw bits; booleans are 0 or 1.
 */
AgxStatus agx_key_set_constant(AgxKey *key, uint32_t id, uint64_t bits, AgxError **error);

/**
 * What becomes of accesses outside of uniform and storage buffers, numbers of `AgxBounds`; atomics on images are as storage buffers.
 */
AgxStatus agx_key_set_robustness(AgxKey *key,
                                 uint32_t uniform,
                                 uint32_t storage,
                                 AgxError **error);

/**
 * Where the driver puts descriptors. Without a layout it fills addresses and state registers.
 *
 * # Safety
 * `bindings` points to `count` of them.
 */
AgxStatus agx_key_set_layout(AgxKey *key,
                             const AgxBinding *bindings,
                             size_t count,
                             AgxError **error);

/**
 * A fragment shader runs for each sample whatever it asks for.
 */
AgxStatus agx_key_set_sample_shading(AgxKey *key, bool sample_shading, AgxError **error);

/**
 * What the fragment shader reads: a vertex shader then stores no other varyings, and these in the slots of the pair's layout.
 * Null stores all of them.
 */
AgxStatus agx_key_set_fragment_shader(AgxKey *key,
                                      const AgxShader *fragment,
                                      AgxError **error);

/**
 * Samplers have a level bias, which the driver gives beside them. Not for shaders with a layout.
 */
AgxStatus agx_key_set_sampler_bias(AgxKey *key, bool sampler_bias, AgxError **error);

/**
 * Workgroups are numbered from where the driver says.
 */
AgxStatus agx_key_set_workgroup_base(AgxKey *key, bool workgroup_base, AgxError **error);

/**
 * Bounds a compilation: instructions of the intermediate representation and bytes of memory, 0 for any number. Without a
 * question, `should_stop` is null; with one, the compilation ends when the answer is true.
 *
 * # Safety
 * `should_stop` may be called with `data` by every thread that compiles with the key.
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
 * Compiles `input`, of the language called `language`: `spirv`, …
 *
 * # Safety
 * `language` is a text, and `input` is bytes.
 */
AgxStatus agx_compile(AgxCompiler *compiler,
                      AgxText language,
                      AgxBytes input,
                      const AgxKey *key,
                      AgxShader **shader,
                      AgxError **error);

/**
 * Frees a shader. Programs that were made of it live on.
 */
void agx_shader_free(AgxShader *shader);

/**
 * The shader as bytes, which the same build of the compiler accepts.
 */
AgxStatus agx_shader_to_bytes(const AgxShader *shader, AgxBuffer **bytes, AgxError **error);

/**
 * The shader of bytes that `agx_shader_to_bytes` gave. Bytes of another build, changed ones and parts of them are refused.
 *
 * # Safety
 * `bytes` is bytes.
 */
AgxStatus agx_shader_from_bytes(AgxBytes bytes,
                                AgxShader **shader,
                                AgxError **error);

/**
 * Machine code of a part, a number of `AgxPart`; empty when the shader does not have it.
 */
AgxStatus agx_shader_code(const AgxShader *shader, uint32_t part, AgxBytes *code, AgxError **error);

/**
 * What a driver must know of a shader.
 */
AgxStatus agx_shader_info(const AgxShader *shader, AgxShaderInfo *info, AgxError **error);

/**
 * The constant section, to be placed in memory at a multiple of 16 bytes.
 */
AgxBytes agx_shader_constants(const AgxShader *shader);

/**
 * Values of the promoted uniforms, for the range of that source.
 */
AgxBytes agx_shader_promoted(const AgxShader *shader);

/**
 * Ranges of the uniform file that the driver fills.
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
 * A field of what the driver writes to a range of the uniform file: its set, its binding, …
 */
AgxStatus agx_shader_uniform_field(const AgxShader *shader,
                                   size_t number,
                                   size_t field_number,
                                   AgxField *field,
                                   AgxError **error);

/**
 * Texture state registers that the driver fills, from 0 on.
 */
size_t agx_shader_texture_count(const AgxShader *shader);

/**
 * What a texture state register holds.
 */
AgxStatus agx_shader_texture(const AgxShader *shader,
                             size_t number,
                             AgxStateRegister *texture,
                             AgxError **error);

/**
 * Sampler state registers that the driver fills, from 0 on.
 */
size_t agx_shader_sampler_count(const AgxShader *shader);

/**
 * What a sampler state register holds.
 */
AgxStatus agx_shader_sampler(const AgxShader *shader,
                             size_t number,
                             AgxStateRegister *sampler,
                             AgxError **error);

/**
 * Figures of the statistics.
 */
size_t agx_figure_count(void);

/**
 * Name and meaning of a figure of the statistics.
 */
AgxStatus agx_figure(size_t number, AgxFigure *figure, AgxError **error);

/**
 * A shader's value of a figure.
 */
AgxStatus agx_shader_statistic(const AgxShader *shader,
                               size_t number,
                               uint32_t *value,
                               AgxError **error);

/**
 * Links a vertex shader with the fetch of its attributes. Its outputs get the slots that `fragment` reads them from; a null
 * pointer gives those of a pass without fragment shader.
 *
 * # Safety
 * `attributes` points to `count` of them, whose texts are texts.
 */
AgxStatus agx_link_vertex(AgxCompiler *compiler,
                          const AgxShader *shader,
                          const AgxShader *fragment,
                          const AgxAttribute *attributes,
                          size_t count,
                          AgxProgram **made,
                          AgxError **error);

/**
 * Links a fragment shader with what the state of a draw asks for.
 *
 * # Safety
 * The state points to as many targets as it says, whose texts are texts.
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
 * What a driver must know of a program.
 */
AgxStatus agx_program_info(const AgxProgram *program, AgxProgramInfo *info, AgxError **error);

/**
 * A sampler state register that a program needs after those of its main part.
 */
AgxStatus agx_program_sampler(const AgxProgram *program,
                              size_t number,
                              AgxStateRegister *sampler,
                              AgxError **error);

/**
 * Words of the rasterizer for a pair of shaders: `kind` is a number of `AgxWords`, `provoking` one of `AgxProvoking`, and
 * `program` the program of the fragment shader.
 */
AgxStatus agx_words(const AgxShader *vertex,
                    const AgxShader *fragment,
                    const AgxProgram *program,
                    uint32_t kind,
                    uint32_t provoking,
                    AgxBuffer **made,
                    AgxError **error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* AGX_H */
