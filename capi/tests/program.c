/* Uses the compiler like a driver in C: compiles, links, queries, serialises, and handles errors. Exits at the first failed check. */

#include "check.h"

static const char VERTEX_AND_FRAGMENT[] =
    "struct Point { @builtin(position) place: vec4f, @location(0) colour: vec4f }\n"
    "@vertex fn corner(@location(0) place: vec2f, @location(1) colour: vec4f) -> Point {\n"
    "    return Point(vec4f(place, 0.0, 1.0), colour);\n"
    "}\n"
    "@group(1) @binding(2) var picture: texture_2d<f32>;\n"
    "@group(1) @binding(3) var filtering: sampler;\n"
    "@fragment fn colour(point: Point) -> @location(0) vec4f {\n"
    "    return point.colour * textureSample(picture, filtering, point.colour.xy);\n"
    "}\n";

static const char COMPUTE[] =
    "struct Numbers { values: array<u32> }\n"
    "override factor: u32 = 3;\n"
    "@group(0) @binding(1) var<storage, read_write> numbers: Numbers;\n"
    "@compute @workgroup_size(32) fn scale(@builtin(global_invocation_id) id: vec3u) {\n"
    "    numbers.values[id.x] *= factor;\n"
    "}\n";

static AgxShader *compile(AgxCompiler *compiler, const char *source, const char *entry, const AgxKey *from)
{
    AgxKey *key = from ? NULL : agx_key_new();
    AgxBytes input = {(const uint8_t *)source, strlen(source)};
    AgxShader *shader;
    if (key)
        DO(agx_key_set_entry_point(key, text(entry), &error));
    DO(agx_compile(compiler, text("wgsl"), input, from ? from : key, &shader, &error));
    CHECK(shader != NULL);
    agx_key_free(key);
    return shader;
}

/* The index of a figure of the statistics, by its key. */
static size_t figure_number(const char *key)
{
    AgxFigure figure;
    for (size_t at = 0; at < agx_figure_count(); at++) {
        DO(agx_figure(at, &figure, &error));
        CHECK(figure.title.length > 0 && figure.description.data[figure.description.length - 1] == '.');
        if (is(figure.key, key))
            return at;
    }
    CHECK(!"a figure of this key");
    return 0;
}

static void compute(AgxCompiler *compiler)
{
    AgxShader *shader = compile(compiler, COMPUTE, "scale", NULL);
    AgxShaderInfo info;
    DO(agx_shader_info(shader, &info, &error));
    CHECK(info.stage == AGX_STAGE_COMPUTE && info.workgroup_size[0] == 32 && info.workgroup_size[1] == 1);
    CHECK(info.writes_memory && !info.uses_barrier && info.gpr_halves > 0);

    AgxBytes code, preamble;
    uint32_t bytes, instructions;
    DO(agx_shader_code(shader, AGX_PART_MAIN, &code, &error));
    DO(agx_shader_code(shader, AGX_PART_PREAMBLE, &preamble, &error));
    DO(agx_shader_statistic(shader, figure_number("code_bytes"), &bytes, &error));
    DO(agx_shader_statistic(shader, figure_number("instructions"), &instructions, &error));
    CHECK(code.length == bytes && instructions > 2 && preamble.length < code.length);

    bool found = false;
    for (size_t at = 0; at < agx_shader_uniform_count(shader); at++) {
        AgxUniform uniform;
        AgxField set, binding;
        DO(agx_shader_uniform(shader, at, &uniform, &error));
        if (!is(uniform.source, "buffer_address"))
            continue;
        DO(agx_shader_uniform_field(shader, at, 0, &set, &error));
        DO(agx_shader_uniform_field(shader, at, 1, &binding, &error));
        CHECK(is(set.name, "set") && set.number == 0 && is(binding.name, "binding") && binding.number == 1);
        CHECK(uniform.halves == 4 && uniform.fields == 3);
        found = true;
    }
    CHECK(found);
    agx_shader_free(shader);
}

static void draw(AgxCompiler *compiler)
{
    AgxShader *vertex = compile(compiler, VERTEX_AND_FRAGMENT, "corner", NULL);
    AgxShader *fragment = compile(compiler, VERTEX_AND_FRAGMENT, "colour", NULL);
    AgxAttribute attributes[] = {
        {0, text("R32G32_SFLOAT"), 24, AGX_PER_VERTEX, 4},
        {1, text("R32G32B32A32_SFLOAT"), 24, AGX_PER_VERTEX, 4},
    };
    AgxProgram *corner, *colour, *blended;
    DO(agx_link_vertex(compiler, vertex, fragment, attributes, 2, &corner, &error));
    /* source * 1 + destination * 0. */
    AgxTarget target = {text("R8G8B8A8_UNORM"), 0xf, false, {1, 0, 0}, {1, 0, 0}};
    AgxFragmentState state = {&target, 1, 1, AGX_NO_LOGIC_OP, false, false, 0xff, false, false, NULL};
    DO(agx_link_fragment(compiler, fragment, &state, &colour, &error));
    /* The source's factor is its alpha. */
    target.blends = true;
    target.colour.source = 6;
    target.colour.destination = 7;
    DO(agx_link_fragment(compiler, fragment, &state, &blended, &error));

    AgxProgramInfo plain, reads;
    DO(agx_program_info(colour, &plain, &error));
    DO(agx_program_info(blended, &reads, &error));
    CHECK(plain.stores_targets && plain.reads_targets == 0 && reads.reads_targets == 1);
    CHECK(agx_program_code(corner).length > agx_program_code(NULL).length);
    CHECK(agx_program_code(blended).length > agx_program_code(colour).length);

    AgxStateRegister texture, sampler;
    CHECK(agx_shader_texture_count(fragment) == 1 && agx_shader_sampler_count(fragment) == 1);
    DO(agx_shader_texture(fragment, 0, &texture, &error));
    DO(agx_shader_sampler(fragment, 0, &sampler, &error));
    CHECK(is(texture.kind, "texture") && texture.set == 1 && texture.binding == 2 && texture.element == 0);
    CHECK(is(sampler.kind, "sampler") && sampler.set == 1 && sampler.binding == 3);

    for (uint32_t kind = AGX_WORDS_OUTPUT_SELECT; kind <= AGX_WORDS_FRAGMENT_CONTROL; kind++) {
        AgxBuffer *words;
        DO(agx_words(vertex, fragment, colour, kind, AGX_PROVOKING_FIRST, &words, &error));
        CHECK(agx_buffer_bytes(words).length >= 4);
        agx_buffer_free(words);
    }
    /* Compiled for this fragment shader, the vertex shader stores at most as many words as the linked pair. */
    AgxKey *key = agx_key_new();
    DO(agx_key_set_entry_point(key, text("corner"), &error));
    DO(agx_key_set_fragment_shader(key, fragment, &error));
    AgxShader *known = compile(compiler, VERTEX_AND_FRAGMENT, "corner", key);
    AgxBuffer *before, *after;
    DO(agx_words(vertex, fragment, colour, AGX_WORDS_VERTEX_OUTPUTS, AGX_PROVOKING_FIRST, &before, &error));
    DO(agx_words(known, fragment, colour, AGX_WORDS_VERTEX_OUTPUTS, AGX_PROVOKING_FIRST, &after, &error));
    CHECK(agx_buffer_bytes(after).data[0] <= agx_buffer_bytes(before).data[0]);
    CHECK(agx_buffer_bytes(after).data[0] > 4);
    agx_buffer_free(before);
    agx_buffer_free(after);
    agx_shader_free(known);
    agx_key_free(key);
    agx_program_free(corner);
    agx_program_free(colour);
    agx_program_free(blended);
    agx_shader_free(vertex);
    agx_shader_free(fragment);
}

static void keep(AgxCompiler *compiler)
{
    AgxShader *shader = compile(compiler, COMPUTE, "scale", NULL);
    AgxBuffer *kept;
    AgxShader *again;
    DO(agx_shader_to_bytes(shader, &kept, &error));
    AgxBytes bytes = agx_buffer_bytes(kept);
    DO(agx_shader_from_bytes(bytes, &again, &error));
    AgxBytes code, same;
    DO(agx_shader_code(shader, AGX_PART_MAIN, &code, &error));
    DO(agx_shader_code(again, AGX_PART_MAIN, &same, &error));
    CHECK(code.length == same.length && memcmp(code.data, same.data, code.length) == 0);
    agx_shader_free(again);

    AgxError *error;
    bytes.length--;
    CHECK(agx_shader_from_bytes(bytes, &again, &error) == AGX_STATUS_CACHE && again == NULL);
    CHECK(agx_error_text(error).length > 0 && agx_error_code(error) == 0);
    agx_error_free(error);
    agx_buffer_free(kept);
    agx_shader_free(shader);
}

static void keys(AgxCompiler *compiler)
{
    AgxKey *key = agx_key_new();
    uint8_t before[16], after[16], build[16];
    agx_build_id(&build);
    DO(agx_key_hash(key, &before, &error));
    AgxBinding binding = {0, 1, 0, 16, AGX_ACCESS_MEMORY, AGX_NO_DYNAMIC_OFFSET, false, 0, 0, 0, 0};
    DO(agx_key_set_layout(key, &binding, 1, &error));
    DO(agx_key_set_robustness(key, AGX_BOUNDS_UNCHECKED, AGX_BOUNDS_EXACT, &error));
    DO(agx_key_set_stage(key, AGX_STAGE_COMPUTE, &error));
    DO(agx_key_set_constant(key, 0, 5, &error));
    DO(agx_key_hash(key, &after, &error));
    CHECK(memcmp(before, after, sizeof before) != 0);
    AgxShader *shader = compile(compiler, COMPUTE, "scale", key);
    AgxUniform uniform;
    DO(agx_shader_uniform(shader, 0, &uniform, &error));
    CHECK(is(uniform.source, "set_address"));
    agx_shader_free(shader);
    agx_key_free(key);
}

static bool yes(void *asked)
{
    ++*(int *)asked;
    return true;
}

static void failures(AgxCompiler *compiler)
{
    AgxKey *key = agx_key_new();
    AgxShader *shader;
    AgxError *error;
    AgxBytes words = {(const uint8_t *)"\3\2\43\7....", 8};
    CHECK(agx_compile(compiler, text("spirv"), words, key, &shader, &error) == AGX_STATUS_INVALID);
    CHECK(shader == NULL && agx_error_code(error) >= 1000 && agx_error_text(error).length > 10);
    agx_error_free(error);
    CHECK(agx_compile(compiler, text("spirv"), words, key, &shader, NULL) == AGX_STATUS_INVALID);
    CHECK(agx_compile(compiler, text("basic"), words, key, &shader, NULL) == AGX_STATUS_ARGUMENT);
    CHECK(agx_compile(NULL, text("spirv"), words, key, &shader, &error) == AGX_STATUS_ARGUMENT);
    CHECK(is(agx_error_text(error), "the compiler is null"));
    agx_error_free(error);
    CHECK(agx_compile(compiler, text("spirv"), words, key, NULL, NULL) == AGX_STATUS_ARGUMENT);
    CHECK(agx_key_set_stage(key, 3, NULL) == AGX_STATUS_ARGUMENT);
    AgxCompiler *other;
    CHECK(agx_compiler_new(text("g99"), &other, &error) == AGX_STATUS_ARGUMENT && other == NULL);
    CHECK(is(agx_error_text(error), "unknown target `g99`"));
    agx_error_free(error);

    int asked = 0;
    DO(agx_key_set_limits(key, 0, 0, yes, &asked, &error));
    AgxBytes source = {(const uint8_t *)COMPUTE, strlen(COMPUTE)};
    CHECK(agx_compile(compiler, text("wgsl"), source, key, &shader, NULL) == AGX_STATUS_LIMIT);
    CHECK(asked == 1 && shader == NULL);
    agx_key_free(key);
}

/* A module of the compiler's tests, in memory that is never freed. */
static AgxBytes module(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.spv", folder, name);
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    static uint8_t bytes[4][1 << 16];
    static int next;
    CHECK(next < 4);
    AgxBytes read = {bytes[next], fread(bytes[next], 1, sizeof bytes[next], file)};
    next++;
    fclose(file);
    CHECK(read.length > 20 && read.length < sizeof bytes[0]);
    return read;
}

static AgxShader *compile_module(AgxCompiler *compiler, AgxBytes input, uint32_t stage, AgxKey *key)
{
    AgxShader *shader;
    DO(agx_key_set_stage(key, stage, &error));
    DO(agx_compile(compiler, text("spirv"), input, key, &shader, &error));
    return shader;
}

static AgxKey *stored_key(void)
{
    AgxKey *key = agx_key_new();
    DO(agx_key_set_vertex_as_compute(key, true, false, &error));
    return key;
}

static void geometry(AgxCompiler *compiler, const char *folder)
{
    AgxKey *stored = stored_key(), *key = agx_key_new();
    AgxShader *vertex = compile_module(compiler, module(folder, "screen.vert"), AGX_STAGE_VERTEX, stored);
    AgxProgram *program, *drawn;
    DO(agx_link_stored_vertex(compiler, vertex, NULL, 0, 2, AGX_PRIMITIVES_TRIANGLE_STRIP, false, &program, &error));
    CHECK(agx_program_code(program).length > 0);
    CHECK(agx_link_stored_vertex(compiler, vertex, NULL, 0, 3, 0, false, &drawn, NULL) == AGX_STATUS_ARGUMENT);

    DO(agx_key_set_geometry(key, vertex, false, &error));
    AgxShader *shader = compile_module(compiler, module(folder, "strips.geom"), AGX_STAGE_COMPUTE, key);
    AgxGeometryInfo info;
    DO(agx_shader_geometry(shader, &info, &error));
    CHECK(info.input_vertices == 3 && info.corners == 3 && info.invocations == 2 && info.max_vertices == 6);
    CHECK(info.indices == 12 && info.vertex_bytes == 32);
    CHECK(agx_shader_geometry(vertex, &info, NULL) == AGX_STATUS_ARGUMENT);

    AgxShader *emitted;
    DO(agx_emitted_vertex(compiler, shader, NULL, &emitted, &error));
    DO(agx_link_vertex(compiler, emitted, NULL, NULL, 0, &drawn, &error));
    CHECK(agx_program_code(drawn).length > 0);
    CHECK(agx_emitted_vertex(compiler, vertex, NULL, &emitted, NULL) == AGX_STATUS_ARGUMENT && emitted == NULL);
    agx_program_free(program);
    agx_program_free(drawn);
    agx_shader_free(shader);
    agx_shader_free(vertex);
    agx_key_free(stored);
    agx_key_free(key);
}

static void tessellation(AgxCompiler *compiler, const char *folder)
{
    AgxKey *key = agx_key_new(), *stored = stored_key();
    DO(agx_key_set_tessellation(key, true, NULL, &error));
    AgxShader *control = compile_module(compiler, module(folder, "patches.tesc"), AGX_STAGE_COMPUTE, key);
    DO(agx_key_set_tessellation(key, true, control, &error));
    AgxShader *evaluation = compile_module(compiler, module(folder, "patches.tese"), AGX_STAGE_VERTEX, key);
    AgxTessellationInfo first, second;
    DO(agx_shader_tessellation(control, &first, &error));
    DO(agx_shader_tessellation(evaluation, &second, &error));
    CHECK(first.vertices == 4 && first.input_bytes == 64 && first.record_bytes == second.record_bytes);
    CHECK(first.domain == AGX_DOMAIN_UNDECLARED && second.domain == AGX_DOMAIN_QUADS);
    CHECK(second.spacing == AGX_SPACING_FRACTIONAL_ODD && second.order == AGX_ORDER_CLOCKWISE && second.points);

    DO(agx_key_set_control_shader(stored, control, &error));
    CHECK(agx_key_set_control_shader(stored, NULL, NULL) == AGX_STATUS_OK);
    AgxProgram *drawn, *program;
    DO(agx_link_vertex(compiler, evaluation, NULL, NULL, 0, &drawn, &error));
    CHECK(agx_program_code(drawn).length > 0);
    CHECK(agx_link_stored_vertex(compiler, evaluation, NULL, 0, 0, 0, false, &program, NULL) == AGX_STATUS_ARGUMENT);
    agx_program_free(drawn);
    agx_shader_free(control);
    agx_shader_free(evaluation);
    agx_key_free(stored);
    agx_key_free(key);
}

int main(int count, char **arguments)
{
    AgxCompiler *compiler;
    CHECK(agx_interface_version() == AGX_INTERFACE_VERSION);
    DO(agx_compiler_new(text("g14g"), &compiler, &error));
    compute(compiler);
    draw(compiler);
    keep(compiler);
    keys(compiler);
    failures(compiler);
    if (count > 1) {
        geometry(compiler, arguments[1]);
        tessellation(compiler, arguments[1]);
    }
    agx_compiler_free(compiler);
    agx_compiler_free(NULL);
    printf("every check passed\n");
    return 0;
}
