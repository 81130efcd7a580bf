/* Uses what a driver needs besides compiling and linking: the interface of each stage, transform feedback, programs of the
 * tile, texts, names for a cache, defaults, and locations of errors. Exits at the first failed check. */

#include "check.h"

static const char PAIR[] =
    "struct Point { @builtin(position) place: vec4f, @location(0) colour: vec4f,\n"
    "    @location(1) @interpolate(flat) row: u32 }\n"
    "@vertex fn corner(@builtin(instance_index) i: u32, @location(1) place: vec2f,\n"
    "        @location(4) colour: vec4f) -> Point {\n"
    "    return Point(vec4f(place, f32(i), 1.0), colour, i);\n"
    "}\n"
    "@fragment fn colour(point: Point) -> @location(0) vec4f {\n"
    "    return vec4f(point.colour.xyz * f32(point.row), 1.0);\n"
    "}\n";

static AgxBytes bytes_of(const char *source)
{
    AgxBytes bytes = {(const uint8_t *)source, strlen(source)};
    return bytes;
}

static AgxKey *key_of(uint32_t stage)
{
    AgxKey *key = agx_key_new();
    DO(agx_key_set_stage(key, stage, &error));
    return key;
}

static AgxShader *compile(AgxCompiler *compiler, const char *source, uint32_t stage)
{
    AgxKey *key = key_of(stage);
    AgxShader *shader;
    DO(agx_compile(compiler, text("wgsl"), bytes_of(source), key, &shader, &error));
    agx_key_free(key);
    return shader;
}

/* Whether a buffer contains a text. */
static bool contains(const AgxBuffer *buffer, const char *wanted)
{
    AgxBytes bytes = agx_buffer_bytes(buffer);
    size_t length = strlen(wanted);
    for (size_t at = 0; at + length <= bytes.length; at++)
        if (memcmp(bytes.data + at, wanted, length) == 0)
            return true;
    return false;
}

/* Checks that the interface's uniform at `start` has this kind and belongs to this attribute or target. */
static void check_uniform(const AgxShader *shader, uint16_t start, const char *what, const char *name, uint32_t number)
{
    for (size_t at = 0; at < agx_shader_uniform_count(shader); at++) {
        AgxUniform uniform;
        AgxField kind, field;
        DO(agx_shader_uniform(shader, at, &uniform, &error));
        if (uniform.start != start)
            continue;
        CHECK(is(uniform.source, "interface") && uniform.fields == 2);
        DO(agx_shader_uniform_field(shader, at, 0, &kind, &error));
        DO(agx_shader_uniform_field(shader, at, 1, &field, &error));
        CHECK(is(kind.name, "what") && is(kind.word, what));
        CHECK(is(field.name, name) && field.number == number && field.word.length == 0);
        return;
    }
    CHECK(!"a uniform at this half-word");
}

static void vertex_stage(AgxCompiler *compiler)
{
    AgxShader *shader = compile(compiler, PAIR, AGX_STAGE_VERTEX);
    AgxShaderAttribute attribute;
    CHECK(agx_shader_attribute_count(shader) == 2 && agx_shader_attribute_count(NULL) == 0);
    DO(agx_shader_attribute(shader, 0, &attribute, &error));
    CHECK(attribute.location == 1 && attribute.components == 3);
    DO(agx_shader_attribute(shader, 1, &attribute, &error));
    CHECK(attribute.location == 4 && attribute.components == 15);
    REFUSED(agx_shader_attribute(shader, 2, &attribute, &error), AGX_STATUS_ARGUMENT, 0);
    /* Two addresses of 64 bits, then two clamps of 32 bits. */
    check_uniform(shader, 0, "address of a vertex attribute", "attribute", 0);
    check_uniform(shader, 4, "address of a vertex attribute", "attribute", 1);
    check_uniform(shader, 8, "clamp of a vertex attribute", "attribute", 0);
    check_uniform(shader, 10, "clamp of a vertex attribute", "attribute", 1);

    /* The position, location 0, and location 1, one word each. */
    AgxVarying varying;
    CHECK(agx_shader_varying_count(shader) == 9);
    for (size_t at = 0; at < 9; at++) {
        DO(agx_shader_varying(shader, at, &varying, &error));
        CHECK(varying.slot == at && varying.output.index == at % 4);
        CHECK(varying.output.kind == (at < 4 ? AGX_OUTPUT_KIND_POSITION : AGX_OUTPUT_KIND_USER));
        CHECK(varying.output.location == (at < 8 ? 0u : 1u));
    }
    REFUSED(agx_shader_varying(shader, 9, &varying, &error), AGX_STATUS_ARGUMENT, 0);

    AgxVertexInfo info;
    AgxFragmentInfo other;
    DO(agx_shader_vertex(shader, &info, &error));
    CHECK(!info.runs_as_compute && info.reads_base && !info.reads_draw);
    REFUSED(agx_shader_fragment(shader, &other, &error), AGX_STATUS_ARGUMENT, 0);
    AgxFeedback feedback;
    DO(agx_shader_feedback(shader, &feedback, &error));
    CHECK(agx_shader_captured_output_count(shader) == 0 && feedback.strides[0] == 0 && agx_shader_coefficient_count(shader) == 0);
    agx_shader_free(shader);
}

static void fragment_stage(AgxCompiler *compiler)
{
    AgxShader *shader = compile(compiler, PAIR, AGX_STAGE_FRAGMENT);
    AgxFragmentInfo info;
    AgxVertexInfo other;
    DO(agx_shader_fragment(shader, &info, &error));
    CHECK(info.components[0] == 7 && info.opaque && info.components[1] == 0 && !info.dual_source);
    CHECK(!info.late_tests && !info.early_tests && !info.writes_depth && !info.sample_shading);
    CHECK(info.depth_layout == AGX_DEPTH_LAYOUT_ANY && !info.interlock && !info.writes_stencil);
    REFUSED(agx_shader_vertex(shader, &other, &error), AGX_STATUS_ARGUMENT, 0);

    /* 1/w, three components of location 0 in perspective, and location 1, which is flat. */
    unsigned smooth = 0, flat = 0, w = 0;
    CHECK(agx_shader_coefficient_count(shader) == 5 && agx_shader_varying_count(shader) == 0);
    for (size_t at = 0; at < 5; at++) {
        AgxCoefficient coefficient;
        DO(agx_shader_coefficient(shader, at, &coefficient, &error));
        w += coefficient.kind == AGX_COEFFICIENT_KIND_ONE_OVER_W;
        if (coefficient.kind != AGX_COEFFICIENT_KIND_USER)
            continue;
        if (coefficient.location == 0) {
            CHECK(coefficient.interpolation == AGX_INTERPOLATION_PERSPECTIVE && coefficient.index < 3);
            smooth |= 1u << coefficient.index;
        } else {
            CHECK(coefficient.location == 1 && coefficient.index == 0);
            CHECK(coefficient.interpolation == AGX_INTERPOLATION_FLAT);
            flat++;
        }
    }
    CHECK(w == 1 && smooth == 7 && flat == 1);
    AgxCoefficient none;
    REFUSED(agx_shader_coefficient(shader, 5, &none, &error), AGX_STATUS_ARGUMENT, 0);
    agx_shader_free(shader);
}

static void texts(AgxCompiler *compiler)
{
    AgxKey *key = key_of(AGX_STAGE_FRAGMENT);
    AgxShader *shader, *plain = compile(compiler, PAIR, AGX_STAGE_FRAGMENT);
    AgxBuffer *source, *optimised, *assembly, *preamble, *whole;
    DO(agx_compile_with_texts(compiler, text("wgsl"), bytes_of(PAIR), key, &shader, &source, &optimised, &error));
    CHECK(contains(source, "stage source") && agx_buffer_bytes(optimised).length > 0);
    AgxBytes first, second;
    DO(agx_shader_code(shader, AGX_PART_MAIN, &first, &error));
    DO(agx_shader_code(plain, AGX_PART_MAIN, &second, &error));
    CHECK(first.length == second.length && memcmp(first.data, second.data, first.length) == 0);
    DO(agx_shader_assembly(shader, AGX_PART_MAIN, &assembly, &error));
    DO(agx_shader_assembly(shader, AGX_PART_PREAMBLE, &preamble, &error));
    /* The main part continues in an epilog. */
    CHECK(contains(assembly, "fmul") && !contains(assembly, "stop"));
    CHECK(agx_buffer_bytes(preamble).length == 0);
    AgxBuffer *missing;
    REFUSED(agx_shader_assembly(shader, 2, &missing, &error), AGX_STATUS_ARGUMENT, 0);
    CHECK(missing == NULL);

    AgxTarget target = agx_target_default(text("R8G8B8A8_UNORM"));
    AgxFragmentState state = agx_fragment_state_default();
    state.targets = &target;
    state.target_count = 1;
    AgxProgram *program;
    DO(agx_link_fragment(compiler, shader, &state, &program, &error));
    DO(agx_program_assembly(program, &whole, &error));
    CHECK(contains(whole, "fmul") && contains(whole, "stop"));
    agx_buffer_free(source);
    agx_buffer_free(optimised);
    agx_buffer_free(assembly);
    agx_buffer_free(preamble);
    agx_buffer_free(whole);
    agx_program_free(program);
    agx_shader_free(shader);
    agx_shader_free(plain);
    agx_key_free(key);
}

static void names(AgxCompiler *compiler)
{
    AgxKey *key = key_of(AGX_STAGE_FRAGMENT);
    AgxCompiler *chip;
    uint8_t hashes[5][16];
    DO(agx_compiler_new(text("g13x"), &chip, &error));
    DO(agx_cache_key(compiler, text("wgsl"), bytes_of(PAIR), key, &hashes[0], &error));
    DO(agx_cache_key(compiler, text("wgsl"), bytes_of(PAIR + 1), key, &hashes[1], &error));
    DO(agx_cache_key(compiler, text("spirv"), bytes_of(PAIR), key, &hashes[2], &error));
    DO(agx_cache_key(chip, text("wgsl"), bytes_of(PAIR), key, &hashes[3], &error));
    DO(agx_key_set_sample_shading(key, true, &error));
    DO(agx_cache_key(compiler, text("wgsl"), bytes_of(PAIR), key, &hashes[4], &error));
    for (size_t a = 0; a < 5; a++)
        for (size_t b = 0; b < a; b++)
            CHECK(memcmp(hashes[a], hashes[b], 16) != 0);
    DO(agx_key_set_sample_shading(key, false, &error));
    DO(agx_cache_key(compiler, text("wgsl"), bytes_of(PAIR), key, &hashes[1], &error));
    CHECK(memcmp(hashes[0], hashes[1], 16) == 0);
    REFUSED(agx_cache_key(compiler, text("basic"), bytes_of(PAIR), key, &hashes[1], &error), AGX_STATUS_ARGUMENT, 0);
    agx_compiler_free(chip);
    agx_key_free(key);
}

static void defaults(AgxCompiler *compiler)
{
    AgxFragmentState state = agx_fragment_state_default();
    CHECK(state.sample_mask == 0xff && state.samples == 1 && state.logic_op == AGX_NO_LOGIC_OP);
    CHECK(state.targets == NULL && state.target_count == 0 && state.vertex == NULL);
    CHECK(!state.alpha_to_coverage && !state.alpha_to_one && !state.stipple && !state.counts);
    AgxTarget target = agx_target_default(text("R8G8B8A8_UNORM"));
    CHECK(target.write_mask == 15 && !target.blends && is(target.format, "R8G8B8A8_UNORM"));
    CHECK(target.colour.source == 1 && target.colour.destination == 0 && target.colour.op == 0);
    static const struct {
        const char *format;
        uint32_t alignment;
    } alignments[] = {
        {"R32G32_SFLOAT", 4}, {"R16G16B16_UNORM", 2}, {"R8G8B8A8_UNORM", 1}, {"R64_SFLOAT", 4},
        {"A2B10G10R10_UNORM_PACK32", 4}, {"unknown", 1},
    };
    for (size_t at = 0; at < sizeof alignments / sizeof *alignments; at++) {
        AgxAttribute attribute = agx_attribute_default(3, text(alignments[at].format), 12);
        CHECK(attribute.location == 3 && attribute.stride == 12 && attribute.divisor == AGX_PER_VERTEX);
        CHECK(attribute.alignment == alignments[at].alignment && is(attribute.format, alignments[at].format));
    }
    AgxBinding binding = agx_binding_default(2, 5);
    CHECK(binding.set == 2 && binding.binding == 5 && binding.access == AGX_ACCESS_MEMORY && !binding.is_inline);
    CHECK(binding.dynamic_offset == AGX_NO_DYNAMIC_OFFSET && binding.stride == 56 && binding.sampler == 48);

    /* A state of zeros has no samples. */
    AgxShader *shader = compile(compiler, PAIR, AGX_STAGE_FRAGMENT);
    AgxProgram *program;
    AgxFragmentState zeros;
    memset(&zeros, 0, sizeof zeros);
    REFUSED(agx_link_fragment(compiler, shader, &zeros, &program, &error), AGX_STATUS_INVALID, 3000);
    AgxProgramInfo info;
    DO(agx_link_fragment(compiler, shader, &state, &program, &error));
    DO(agx_program_info(program, &info, &error));
    CHECK(!info.late_tests && !info.stores_targets && info.appended_coefficients == 0);
    agx_program_free(program);
    agx_shader_free(shader);
}

static void tile_programs(AgxCompiler *compiler)
{
    AgxText formats[] = {text("R8G8B8A8_UNORM"), text("R32_UINT"), text("")};
    AgxPassTargets targets = {formats, 3, 1, false};
    AgxBackground operations[] = {{AGX_BACKGROUND_KIND_CLEAR, 0, 0}, {AGX_BACKGROUND_KIND_LOAD, 0, 0}};
    AgxShader *shader;
    AgxBytes code;
    AgxBuffer *assembly;
    AgxStateRegister sampler;
    uint8_t bound = 0;
    DO(agx_background_program(compiler, &targets, operations, 2, &shader, &bound, &error));
    CHECK(bound == 2);
    DO(agx_shader_code(shader, AGX_PART_MAIN, &code, &error));
    DO(agx_shader_assembly(shader, AGX_PART_MAIN, &assembly, &error));
    CHECK(code.length > 16 && contains(assembly, "stop"));
    agx_buffer_free(assembly);
    CHECK(agx_shader_uniform_count(shader) == 1 && agx_shader_sampler_count(shader) == 1);
    check_uniform(shader, 4, "clear colour of a target", "target", 0);
    DO(agx_shader_sampler(shader, 0, &sampler, &error));
    CHECK(is(sampler.kind, "loads"));
    agx_shader_free(shader);

    DO(agx_end_of_tile_program(compiler, &targets, 3, &shader, &bound, &error));
    CHECK(bound == 3);
    DO(agx_shader_code(shader, AGX_PART_MAIN, &code, &error));
    CHECK(code.length > 16 && agx_shader_uniform_count(shader) == 0);
    agx_shader_free(shader);

    REFUSED(agx_end_of_tile_program(compiler, &targets, 4, &shader, &bound, &error), AGX_STATUS_INVALID, 3011);
    CHECK(shader == NULL);
    AgxBackground mean = {AGX_BACKGROUND_KIND_RESOLVE, 4, AGX_RESOLVE_AVERAGE};
    DO(agx_background_program(compiler, &targets, &mean, 1, &shader, &bound, &error));
    CHECK(bound == 1);
    agx_shader_free(shader);
    AgxBackground integers[] = {{AGX_BACKGROUND_KIND_NONE, 0, 0}, mean};
    REFUSED(agx_background_program(compiler, &targets, integers, 2, &shader, &bound, &error), AGX_STATUS_INVALID, 3010);
    integers[1].kind = 4;
    REFUSED(agx_background_program(compiler, &targets, integers, 2, &shader, &bound, &error), AGX_STATUS_ARGUMENT, 0);
    formats[2] = text("R8G8B8A8");
    REFUSED(agx_end_of_tile_program(compiler, &targets, 1, &shader, &bound, &error), AGX_STATUS_ARGUMENT, 0);
    REFUSED(agx_end_of_tile_program(compiler, NULL, 1, &shader, &bound, &error), AGX_STATUS_ARGUMENT, 0);
}

static void locations(AgxCompiler *compiler)
{
    AgxKey *key = agx_key_new();
    AgxShader *shader;
    AgxError *error;
    AgxLocation location;
    const char *source = "@compute @workgroup_size(1)\nfn main() { let x = ; }\n";
    CHECK(agx_compile(compiler, text("wgsl"), bytes_of(source), key, &shader, &error) == AGX_STATUS_INVALID);
    agx_error_location(error, &location);
    CHECK(location.kind == AGX_LOCATION_KIND_TEXT && location.line == 2 && location.column == 21);
    CHECK(location.file.length == 0 && location.opcode.length == 0);
    AgxText message = agx_error_message(error), whole = agx_error_text(error);
    CHECK(message.length > 0 && message.length < whole.length);
    agx_error_free(error);

    /* A header, and an instruction of no words. */
    static const uint32_t module[] = {0x07230203, 0x00010000, 0, 1, 0, 0x00000000};
    AgxBytes words = {(const uint8_t *)module, sizeof module};
    CHECK(agx_compile(compiler, text("spirv"), words, key, &shader, &error) == AGX_STATUS_INVALID);
    agx_error_location(error, &location);
    CHECK(location.kind == AGX_LOCATION_KIND_WORD && location.word == 5 && location.line == 0);
    agx_error_free(error);

    CHECK(agx_compile(compiler, text("basic"), words, key, &shader, &error) == AGX_STATUS_ARGUMENT);
    agx_error_location(error, &location);
    CHECK(location.kind == AGX_LOCATION_KIND_WHOLE && location.word == 0 && location.line == 0);
    agx_error_free(error);
    agx_error_location(NULL, &location);
    CHECK(location.kind == AGX_LOCATION_KIND_WHOLE && agx_error_message(NULL).length == 0);
    agx_key_free(key);
}

/* Shaders and attributes that do not fit. */
static void misfits(AgxCompiler *compiler)
{
    AgxShader *vertex = compile(compiler, PAIR, AGX_STAGE_VERTEX), *stored;
    AgxShader *fragment = compile(compiler, PAIR, AGX_STAGE_FRAGMENT);
    AgxFragmentState state = agx_fragment_state_default();
    AgxProgram *program, *none;
    AgxBuffer *words;
    AgxKey *key = key_of(AGX_STAGE_VERTEX);
    AgxAttribute two[] = {
        agx_attribute_default(1, text("R32G32_SFLOAT"), 24),
        agx_attribute_default(4, text("R32G32B32A32_SFLOAT"), 24),
    };
    DO(agx_link_vertex(compiler, vertex, fragment, two, 2, &program, &error));
    REFUSED(agx_link_vertex(compiler, fragment, NULL, two, 2, &none, &error), AGX_STATUS_ARGUMENT, 0);
    REFUSED(agx_link_vertex(compiler, vertex, vertex, two, 2, &none, &error), AGX_STATUS_ARGUMENT, 0);
    REFUSED(agx_link_fragment(compiler, vertex, &state, &none, &error), AGX_STATUS_ARGUMENT, 0);
    REFUSED(agx_key_set_fragment_shader(key, vertex, &error), AGX_STATUS_ARGUMENT, 0);
    REFUSED(agx_key_set_vertex_shader(key, fragment, &error), AGX_STATUS_ARGUMENT, 0);
    REFUSED(agx_key_set_geometry(key, vertex, false, &error), AGX_STATUS_ARGUMENT, 0);
    REFUSED(agx_words(fragment, vertex, program, 0, 0, &words, &error), AGX_STATUS_ARGUMENT, 0);
    two[1].location = 1;
    REFUSED(agx_link_vertex(compiler, vertex, NULL, two, 2, &none, &error), AGX_STATUS_ARGUMENT, 0);
    two[0].alignment = 3;
    REFUSED(agx_link_vertex(compiler, vertex, NULL, two, 1, &none, &error), AGX_STATUS_INVALID, 3013);
    two[0].alignment = 0;
    REFUSED(agx_link_vertex(compiler, vertex, NULL, two, 1, &none, &error), AGX_STATUS_INVALID, 3013);

    /* A shader that runs as a compute shader has no slots. */
    DO(agx_key_set_vertex_as_compute(key, true, false, &error));
    DO(agx_compile(compiler, text("wgsl"), bytes_of(PAIR), key, &stored, &error));
    REFUSED(agx_link_vertex(compiler, stored, NULL, NULL, 0, &none, &error), AGX_STATUS_LINK, 3041);
    AgxVertexInfo info;
    DO(agx_shader_vertex(stored, &info, &error));
    CHECK(info.runs_as_compute);
    agx_program_free(program);
    agx_shader_free(stored);
    agx_shader_free(vertex);
    agx_shader_free(fragment);
    agx_key_free(key);
}

/* A module of the compiler's tests. */
static AgxShader *module(AgxCompiler *compiler, const char *folder, const char *name, const AgxKey *key)
{
    static uint8_t bytes[1 << 16];
    char path[1024];
    AgxShader *shader;
    snprintf(path, sizeof path, "%s/%s.spv", folder, name);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    AgxBytes input = {bytes, fread(bytes, 1, sizeof bytes, file)};
    fclose(file);
    CHECK(input.length > 20 && input.length < sizeof bytes);
    DO(agx_compile(compiler, text("spirv"), input, key, &shader, &error));
    return shader;
}

static void feedback(AgxCompiler *compiler, const char *folder)
{
    AgxKey *key = key_of(AGX_STAGE_VERTEX);
    DO(agx_key_set_vertex_as_compute(key, true, true, &error));
    AgxShader *shader = module(compiler, folder, "feedback.vert", key);
    AgxFeedback feedback;
    DO(agx_shader_feedback(shader, &feedback, &error));
    CHECK(feedback.strides[0] == 48 && feedback.strides[1] == 40 && feedback.strides[2] == 0);
    CHECK(feedback.strides[3] == 28);
    /* Words of the position and of a vec3; of two vec3 and a double; of uvec2, two halves and three ints. */
    CHECK(agx_shader_captured_output_count(shader) == 7 + 8 + 7);
    AgxCapturedOutput first, number, half, last;
    DO(agx_shader_captured_output(shader, 0, &first, &error));
    CHECK(first.buffer == 0 && first.offset == 8 && first.bits == 32);
    CHECK(first.output.kind == AGX_OUTPUT_KIND_POSITION && first.output.index == 0);
    DO(agx_shader_captured_output(shader, 15, &number, &error));
    CHECK(number.buffer == 3 && number.offset == 4 && number.bits == 32);
    CHECK(number.output.kind == AGX_OUTPUT_KIND_USER && number.output.location == 5 && number.output.index == 0);
    DO(agx_shader_captured_output(shader, 18, &half, &error));
    CHECK(half.buffer == 3 && half.offset == 14 && half.bits == 16);
    CHECK(half.output.location == 12 && half.output.index == 1);
    DO(agx_shader_captured_output(shader, 21, &last, &error));
    CHECK(last.buffer == 3 && last.offset == 24 && last.bits == 32);
    REFUSED(agx_shader_captured_output(shader, 22, &last, &error), AGX_STATUS_ARGUMENT, 0);
    agx_shader_free(shader);
    agx_key_free(key);
}

static void cull_distances(AgxCompiler *compiler, const char *folder)
{
    AgxKey *keys[2] = {key_of(AGX_STAGE_VERTEX), key_of(AGX_STAGE_FRAGMENT)};
    AgxShader *vertex = module(compiler, folder, "culled.vert", keys[0]);
    AgxShader *fragment = module(compiler, folder, "culled.frag", keys[1]);
    AgxFragmentState state = agx_fragment_state_default();
    AgxProgram *program;
    AgxProgramInfo info;
    AgxCoefficient flag;
    state.vertex = vertex;
    DO(agx_link_fragment(compiler, fragment, &state, &program, &error));
    DO(agx_program_info(program, &info, &error));
    CHECK(info.appended_coefficients == 2 && info.late_tests);
    for (uint32_t at = 0; at < 2; at++) {
        DO(agx_program_coefficient(program, at, &flag, &error));
        CHECK(flag.kind == AGX_COEFFICIENT_KIND_CULLED && flag.index == at);
    }
    REFUSED(agx_program_coefficient(program, 2, &flag, &error), AGX_STATUS_ARGUMENT, 0);
    agx_program_free(program);
    agx_shader_free(vertex);
    agx_shader_free(fragment);
    agx_key_free(keys[0]);
    agx_key_free(keys[1]);
}

/* Checks the arguments of a kernel, which have no names: kinds and places in the block. */
static void check_arguments(const AgxShader *shader, const uint32_t wanted[][4], size_t count)
{
    for (size_t at = 0; at < count; at++) {
        AgxKernelArgument argument;
        DO(agx_kernel_argument(shader, at, &argument, &error));
        CHECK((uint32_t)argument.kind == wanted[at][0] && argument.offset == wanted[at][1]);
        CHECK(argument.size == wanted[at][2] && argument.align == wanted[at][3] && argument.index == at);
        CHECK(argument.name.length == 0);
    }
}

static void kernels(AgxCompiler *compiler, const char *folder)
{
    static const uint32_t ADD[][4] = {
        {AGX_ARGUMENT_KIND_GLOBAL, 0, 8, 4},
        {AGX_ARGUMENT_KIND_GLOBAL, 8, 8, 4},
        {AGX_ARGUMENT_KIND_GLOBAL, 16, 8, 4},
        {AGX_ARGUMENT_KIND_VALUE, 24, 4, 4},
    };
    AgxKey *key = key_of(AGX_STAGE_COMPUTE);
    DO(agx_key_set_entry_point(key, text("add"), &error));
    DO(agx_key_set_workgroup_size(key, 32, 1, 1, &error));
    AgxShader *shader = module(compiler, folder, "../../kernels/typical", key);
    AgxKernelInfo info;
    DO(agx_shader_kernel(shader, &info, &error));
    CHECK(info.block_bytes >= 28 && !info.fixed_size && info.arguments >= 4 && info.formats == 0);
    check_arguments(shader, ADD, 4);
    AgxShaderInfo compute;
    DO(agx_shader_info(shader, &compute, &error));
    CHECK(compute.workgroup_size[0] == 32 && compute.workgroup_size[1] == 1);
    AgxKernelArgument argument;
    REFUSED(agx_kernel_argument(shader, info.arguments, &argument, &error), AGX_STATUS_ARGUMENT, 0);
    agx_shader_free(shader);

    DO(agx_key_set_entry_point(key, text("print"), &error));
    shader = module(compiler, folder, "../../kernels/typical", key);
    DO(agx_shader_kernel(shader, &info, &error));
    CHECK(info.formats == 1 && info.samplers == 0);
    AgxPrintfFormat format;
    DO(agx_kernel_printf_format(shader, 0, &format, &error));
    CHECK(format.text.length == 12 && memcmp(format.text.data, "%d: %.1f %s\n", 12) == 0);
    CHECK(format.sizes.length == 3 && format.sizes.data[0] == 4 && format.sizes.data[1] == 8);
    DO(agx_kernel_argument(shader, info.arguments - 1, &argument, &error));
    CHECK(argument.kind == AGX_ARGUMENT_KIND_PRINTF_BUFFER);
    AgxLiteralSampler sampler;
    REFUSED(agx_kernel_sampler(shader, 0, &sampler, &error), AGX_STATUS_ARGUMENT, 0);
    agx_shader_free(shader);
    agx_key_free(key);

    key = key_of(AGX_STAGE_VERTEX);
    shader = module(compiler, folder, "culled.vert", key);
    REFUSED(agx_shader_kernel(shader, &info, &error), AGX_STATUS_ARGUMENT, 0);
    agx_shader_free(shader);
    agx_key_free(key);
}

int main(int count, char **arguments)
{
    AgxCompiler *compiler;
    CHECK(agx_interface_version() == AGX_INTERFACE_VERSION);
    DO(agx_compiler_new(text("g14g"), &compiler, &error));
    vertex_stage(compiler);
    fragment_stage(compiler);
    texts(compiler);
    names(compiler);
    defaults(compiler);
    tile_programs(compiler);
    locations(compiler);
    misfits(compiler);
    if (count > 1) {
        feedback(compiler, arguments[1]);
        cull_distances(compiler, arguments[1]);
        kernels(compiler, arguments[1]);
    }
    agx_compiler_free(compiler);
    printf("every check passed\n");
    return 0;
}
