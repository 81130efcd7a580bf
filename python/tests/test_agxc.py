"""Tests of the module `agxc`."""

import ast
import concurrent.futures
import pathlib
import re
import shutil
import struct

import numpy as np
import pytest

import agxc

ROOT = pathlib.Path(__file__).parent.parent

DOUBLE = """@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] = data[id.x] * 2.0;
}
"""

# Without a key, accesses of GLSL are not checked.
TRIPLE = """#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer B { float data[]; };
void main() { data[gl_GlobalInvocationID.x] *= 3.0; }
"""

PAIR = """@vertex fn vs(@location(0) a: vec4f) -> @builtin(position) vec4f { return a * a; }
@fragment fn fs() -> @location(0) vec4f { return vec4f(1.0); }
"""

FRAGMENT = """#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(gl_FragCoord.x); }
"""


def module():
    """A module of SPIR-V: a compute shader `main` that does nothing."""

    def inst(op, *operands):
        return [(len(operands) + 1) << 16 | op, *operands]

    main = struct.unpack("<2I", b"main\0\0\0\0")
    words = [0x07230203, 0x00010000, 0, 5, 0]
    words += inst(17, 1)  # OpCapability Shader
    words += inst(14, 0, 1)  # OpMemoryModel Logical GLSL450
    words += inst(15, 5, 4, *main)  # OpEntryPoint GLCompute %4 "main"
    words += inst(16, 4, 17, 1, 1, 1)  # OpExecutionMode %4 LocalSize 1 1 1
    words += inst(19, 1)  # %1 = OpTypeVoid
    words += inst(33, 2, 1)  # %2 = OpTypeFunction %1
    words += inst(54, 1, 4, 0, 2)  # %4 = OpFunction %1 None %2
    words += inst(248, 3)  # %3 = OpLabel
    words += inst(253) + inst(56)  # OpReturn, OpFunctionEnd
    return struct.pack(f"<{len(words)}I", *words)


def error(*args, **options):
    """The error of a compilation that fails."""
    with pytest.raises(agxc.Error) as found:
        agxc.compile(*args, **options)
    return found.value


def test_a_shader_has_code_assembly_and_statistics():
    shader = agxc.compile(DOUBLE)
    assert (shader.entry_point, shader.stage, shader.target) == ("main", "compute", "g13g")
    assert shader.entry_points == [("main", "compute")]
    assert shader.warnings == []
    assert set(shader.parts) == {"main", "preamble"}
    assert shader.code == shader.parts["main"]
    assert f".part main                  ; {len(shader.code)} bytes" in shader.assembly
    figures = shader.statistics
    assert figures["code_bytes"] == len(shader.code)
    assert figures["instructions"] > 3 and figures["threads"] == 1024 and figures["binds"] == "memory"
    assert shader.info["workgroup_size"] == [4, 1, 1]
    assert shader.json()["statistics"] == figures
    assert shader.report().startswith("<!DOCTYPE html>")
    assert re.fullmatch(r"<agxc.Shader compute main for g13g, \d+ instructions>", repr(shader))


def test_languages_follow_from_names_options_and_types():
    assert {"wgsl", "glsl", "spirv"} <= set(agxc.languages())
    for options in ({"name": "a.frag"}, {"language": "glsl", "stage": "fragment"}):
        shader = agxc.compile(FRAGMENT, **options)
        assert shader.stage == "fragment"
    assert agxc.compile(module()).stage == "compute"
    assert agxc.compile(DOUBLE, name="a.wgsl").code == agxc.compile(DOUBLE).code
    assert error(FRAGMENT, language="glsl").code == "AGX0105"
    assert error(DOUBLE, language="cobol").code == "AGX0001"
    assert error(b"\0" * 8).code.startswith("AGX1")


def test_entry_points_are_selected():
    assert agxc.compile(PAIR).entry_point == "vs"
    assert agxc.compile(PAIR).entry_points == [("vs", "vertex"), ("fs", "fragment")]
    assert agxc.compile(PAIR, entry="fs").stage == "fragment"
    assert agxc.compile(PAIR, stage="fragment").entry_point == "fs"
    assert "gs" in error(PAIR, entry="gs").message


def test_a_key_has_the_other_settings():
    assert "g14x" in agxc.targets()
    assert agxc.compile(DOUBLE, target="g14x").target == "g14x"
    assert agxc.compile(DOUBLE, key={"target": "g14g"}).target == "g14g"
    exact = agxc.compile(TRIPLE, name="a.comp", key={"robustness": {"storage": "exact"}})
    assert len(exact.code) > len(agxc.compile(TRIPLE, name="a.comp").code)
    wrong = error(DOUBLE, key={"colour": 1})
    assert wrong.code == "AGX0104" and "colour" in wrong.message
    with pytest.raises(TypeError):
        agxc.compile(DOUBLE, key={"target": object()})
    with pytest.raises(TypeError):
        agxc.compile(7)


OVERRIDES = """@id(7) override gain: f32 = 1.0;
override count: i32 = 3;
override is_on: bool = true;
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(1)
fn main() { data[0] = select(-1.0, gain * f32(count), is_on); }
"""

CONSTANTS = """#version 450
layout(local_size_x = 1) in;
layout(constant_id = 3) const float gain = 1.0;
layout(constant_id = 4) const uint count = 3;
layout(constant_id = 5) const bool is_on = true;
layout(set = 0, binding = 0) buffer B { float data[]; };
void main() { data[0] = is_on ? gain * float(count) : -1.0; }
"""


@pytest.mark.parametrize("source, name", [(OVERRIDES, "a.wgsl"), (CONSTANTS, "a.comp")])
def test_constants_have_names(source, name):
    if name == "a.comp" and not shutil.which("glslangValidator"):
        pytest.skip("names of constants in GLSL need glslangValidator")

    def result(constants):
        shader = agxc.compile(source, name=name, constants=constants)
        return float(shader.run({(0, 0): np.zeros(1, np.float32)}).buffers[0, 0][0])

    assert result(None) == 3.0
    assert result({"gain": 0.5, "count": 5}) == 2.5
    assert result({"gain": np.float32(0.25), "count": np.uint32(2), "is_on": True}) == 0.5
    assert result({"is_on": False}) == -1.0
    number = 7 if name == "a.wgsl" else 3
    assert result({number: 2}) == 6.0
    # In a key they are raw bits, which a value by name replaces.
    bits = {"spec_constants": [(number, 0x40000000)]}
    assert agxc.compile(source, name=name, key=bits).code == agxc.compile(source, name=name, constants={"gain": 2.0}).code

    unknown = error(source, name=name, constants={"gian": 1.0})
    assert unknown.code == "AGX0001" and "unknown specialization constant `gian`" in unknown.message
    assert "gain (" in unknown.message and "count (" in unknown.message, "the known ones are listed"
    assert "an integer of 32 bits" in error(source, name=name, constants={"count": 1.5}).message
    assert "has none" in error(DOUBLE, constants={"gain": 1.0}).message
    with pytest.raises(TypeError, match="constants are numbers or booleans"):
        agxc.compile(source, name=name, constants={"gain": "loud"})


def test_an_error_has_code_message_and_position():
    wrong = error("fn f() {\n  let é = y;\n}", name="é.wgsl")
    assert (wrong.code, wrong.file, wrong.line, wrong.column) == ("AGX2205", "é.wgsl", 2, 12)
    assert "`y`" in wrong.message
    assert str(wrong) == f"é.wgsl:2:12: error[AGX2205]: {wrong.message}"
    (first,) = wrong.diagnostics
    assert (first.severity, first.code, first.line) == ("error", "AGX2205", 2)
    assert str(first) == str(wrong) and str(wrong) in repr(first)
    assert isinstance(wrong, Exception)


def test_warnings_do_not_raise():
    many = "\n".join(f"    let v{i} = data[i + {i}u];" for i in range(40))
    uses = " + ".join(f"v{i} * v{39 - i}" for i in range(40))
    text = DOUBLE.replace("    data[id.x] = data[id.x] * 2.0;", f"let i = id.x;\n{many}\nworkgroupBarrier();\ndata[i] = {uses};")
    shader = agxc.compile(text, key={"max_gpr_halves": 32})
    (warning,) = [one for one in shader.warnings if one.code == "AGX0502"]
    assert warning.severity == "warning" and "spilled" in warning.message
    assert shader.statistics["spills"] > 0


def test_a_run_returns_new_arrays():
    given = np.arange(12, dtype=np.float32).reshape(3, 4)
    done = agxc.compile(DOUBLE).run({(0, 0): given}, groups=3)
    found = done.buffers[0, 0]
    assert found.dtype == np.float32 and found.shape == (3, 4)
    np.testing.assert_array_equal(found, given * 2)
    np.testing.assert_array_equal(given.ravel(), np.arange(12))
    found[0, 0] = 7
    assert done.instructions > 0 and done.lane_instructions >= 12 and done.cycles > 0
    assert done.warnings == [] and done.images == {}
    assert repr(done).startswith("<agxc.Run of ")


def test_arrays_of_any_form_are_buffers():
    shader = agxc.compile(DOUBLE)
    strided = np.arange(8, dtype=np.float32)[::2]
    np.testing.assert_array_equal(shader.run({(0, 0): strided}).buffers[0, 0], strided * 2)
    transposed = np.arange(4, dtype=np.float32).reshape(2, 2).T
    np.testing.assert_array_equal(shader.run({(0, 0): transposed}).buffers[0, 0], transposed * 2)
    swapped = np.array([1, 2, 3, 4], ">f4")
    np.testing.assert_array_equal(shader.run({(0, 0): swapped}).buffers[0, 0], [2, 4, 6, 8])
    record = np.array([(1.0, 2.0), (3.0, 4.0)], [("a", "<f4"), ("b", "<f4")])
    found = shader.run({(0, 0): record}).buffers[0, 0]
    assert found.dtype == record.dtype and found["b"].tolist() == [4.0, 8.0]
    words = np.array([1.0, 2.0, 3.0, 4.0], np.float32).view(np.uint8)
    assert shader.run({(0, 0): words}).buffers[0, 0].view(np.float32).tolist() == [2, 4, 6, 8]


def test_a_product_of_matrices_is_that_of_numpy():
    text = """
    @group(0) @binding(0) var<storage, read> a: array<f32>;
    @group(0) @binding(1) var<storage, read> b: array<f32>;
    @group(1) @binding(0) var<storage, read_write> c: array<f32>;
    @compute @workgroup_size(8, 8)
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        var sum = 0.0;
        for (var k = 0u; k < 16u; k++) { sum += a[id.y * 16u + k] * b[k * 16u + id.x]; }
        c[id.y * 16u + id.x] = sum;
    }"""
    random = np.random.default_rng(1)
    a, b = (random.standard_normal((16, 16), np.float32) for _ in range(2))
    done = agxc.compile(text).run({(0, 0): a, (0, 1): b, (1, 0): np.zeros_like(a)}, groups=(2, 2))
    np.testing.assert_allclose(done.buffers[1, 0], a @ b, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(done.buffers[0, 0], a)
    assert list(done.buffers) == [(0, 0), (0, 1), (1, 0)]


def test_push_constants_are_bytes_or_arrays():
    text = """#version 450
    layout(local_size_x = 4) in;
    layout(set = 0, binding = 0) buffer B { float data[]; };
    layout(push_constant) uniform P { float gain; };
    void main() { data[gl_GlobalInvocationID.x] *= gain; }"""
    shader = agxc.compile(text, name="a.comp")
    ones = np.ones(4, np.float32)
    for push in (struct.pack("<f", 3.0), np.array([3.0], np.float32)):
        assert shader.run({(0, 0): ones}, push=push).buffers[0, 0].tolist() == [3.0] * 4


def test_images_come_back_as_bytes():
    text = """@group(0) @binding(2) var image: texture_storage_2d<rgba8unorm, write>;
    @compute @workgroup_size(2, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        textureStore(image, id.xy, vec4f(1.0, 0.0, 0.0, 1.0));
    }"""
    done = agxc.compile(text).run(images=["0.2=rgba8:2x2:zero:16"])
    assert done.images[0, 2].tolist() == [255, 0, 0, 255] * 4
    assert done.buffers == {}


def test_faults_and_wrong_requests_raise():
    shader = agxc.compile(DOUBLE)

    def fault(*args, **options):
        with pytest.raises(agxc.Error) as found:
            (options.pop("shader", shader)).run(*args, **options)
        return found.value.code

    assert fault() == "AGX0400", "the buffer is missing"
    assert fault({(0, 0): np.zeros(4, np.float32)}, groups=0) == "AGX0001"
    assert fault({(0, 0): np.zeros(4, np.float32)}, groups=(2048, 2048)) == "AGX0403"
    assert fault(shader=agxc.compile(PAIR)) == "AGX0101"
    unchecked = agxc.compile(TRIPLE, name="a.comp")
    assert fault({(0, 0): np.zeros(1, np.float32)}, shader=unchecked) == "AGX0401"
    assert fault({(0, 0): np.zeros(4, np.float32)}, textures=["nonsense"]) == "AGX0001"
    for place in (0, (0,), (0, 1, 2, 3), (-1, 0), "ab"):
        with pytest.raises(TypeError, match="a place is"):
            shader.run({place: np.zeros(4, np.float32)})
    with pytest.raises(TypeError, match="objects"):
        shader.run({(0, 0): np.array([object()])})
    for groups in (-1, (1, 2, 3, 4), "3"):
        with pytest.raises((TypeError, OverflowError)):
            shader.run({(0, 0): np.zeros(4, np.float32)}, groups=groups)


def test_unused_buffers_are_warned_of():
    given = {(0, 0): np.ones(4, np.float32), (3, 3): np.ones(1, np.uint8)}
    done = agxc.compile(DOUBLE).run(given)
    (warning,) = done.warnings
    assert warning.code == "AGX0505" and "3.3" in warning.message
    assert done.buffers[3, 3].tolist() == [1]


def test_threads_share_a_shader():
    shader = agxc.compile(DOUBLE)

    def one(number):
        return shader.run({(0, 0): np.full(4, number, np.float32)}).buffers[0, 0].tolist()

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(16))) == [[2.0 * number] * 4 for number in range(16)]


def names_of(body):
    """Names of the classes, functions and annotated names in a part of the stub."""
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id


def test_the_stub_has_the_names_of_the_module():
    stub = ast.parse((ROOT / "agxc.pyi").read_text())
    public = {name for name in dir(agxc) if not name.startswith("_")} - {"agxc"}
    assert set(names_of(stub.body)) - {"__version__"} == public
    for node in stub.body:
        if isinstance(node, ast.ClassDef) and node.name != "Error":
            kind = getattr(agxc, node.name)
            members = {name for name in vars(kind) if not name.startswith("_")}
            assert set(names_of(node.body)) == members, node.name
            assert kind.__doc__, node.name
            for name in members:
                assert getattr(kind, name).__doc__, f"{node.name}.{name}"
        if isinstance(node, ast.FunctionDef):
            function = getattr(agxc, node.name)
            arguments = [one.arg for one in node.args.args + node.args.kwonlyargs]
            shown = function.__text_signature__.strip("()").split(", ")
            assert [one.split("=")[0] for one in shown if one not in ("*", "")] == arguments, node.name
            assert function.__doc__, node.name


def test_errors_have_the_attributes_of_the_stub():
    stub = ast.parse((ROOT / "agxc.pyi").read_text())
    (node,) = [node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "Error"]
    assert set(names_of(node.body)) == set(vars(error("fn")))


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT.parent / "docs" / "python.md"])
def test_the_examples_of_the_documentation_run(page, capsys):
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert blocks
    scope = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), scope)  # noqa: S102
        expected = re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE)
        printed = capsys.readouterr().out
        for line in expected:
            assert line in printed.splitlines(), page
