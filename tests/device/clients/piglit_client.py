"""Shader tests of piglit's package, through OpenGL without a window. A line of each test says how it ended.

`piglit_client.py 3 N` runs one of N tests for OpenGL 3.3, and `piglit_client.py 4 N` about N tests of each folder of OpenGL 4.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path("/usr/lib/x86_64-linux-gnu/piglit")
# GLSL up to 3.30 and some extensions.
OPENGL_3 = [
    "spec/glsl-1.10",
    "spec/glsl-1.20",
    "spec/glsl-1.30",
    "spec/glsl-1.40",
    "spec/glsl-1.50",
    "spec/glsl-3.30",
    "spec/arb_explicit_attrib_location",
    "spec/arb_shading_language_420pack",
    "spec/arb_texture_gather",
    "spec/arb_uniform_buffer_object",
    "shaders",
]
OPENGL_4 = [
    "spec/arb_compute_shader",
    "spec/arb_cull_distance",
    "spec/arb_derivative_control",
    "spec/arb_enhanced_layouts",
    "spec/arb_fragment_layer_viewport",
    "spec/arb_gpu_shader5",
    "spec/arb_gpu_shader_fp64",
    "spec/arb_gpu_shader_int64",
    "spec/arb_shader_atomic_counters",
    "spec/arb_shader_ballot",
    "spec/arb_shader_group_vote",
    "spec/arb_shader_image_load_store",
    "spec/arb_shader_precision",
    "spec/arb_shader_storage_buffer_object",
    "spec/arb_shader_subroutine",
    "spec/arb_shading_language_packing",
    "spec/arb_tessellation_shader",
    "spec/arb_texture_query_levels",
    "spec/arb_vertex_attrib_64bit",
    "spec/glsl-4.00",
    "spec/glsl-4.10",
    "spec/glsl-4.20",
    "spec/glsl-4.30",
    "spec/glsl-4.40",
    "spec/glsl-4.50",
    "spec/glsl-4.60",
    "spec/nv_shader_atomic_float",
]
OTHER_STAGES = re.compile(r"\[tessellation")
# A version that a test or one of its shaders demands: where OpenGL has less, piglit ends in its library for windows, or calls the
# test failed, instead of skipping it.
VERSION = re.compile(r"^(?:(?:GL|GLSL) >= |#version )(\d)\.?(\d)", re.MULTILINE)
# Tests that one process runs; when it ends early, it goes on behind the test that it ended in.
TOGETHER = 40
# As bytes that differ by more than results may.
ENDS = {"pass": 0x00, "warn": 0x20, "skip": 0x40, "fail": 0x80}
CRASH = 0xC0


def tests(folder):
    return [file for part in ("tests", "generated_tests") for file in (ROOT / part / folder).rglob("*.shader_test")]


def is_for_opengl_3(file):
    """Whether a test has vertex, geometry and fragment shaders only, and demands at most OpenGL 3.3."""
    text = file.read_text(errors="replace")
    versions = [(int(major), int(minor)) for major, minor in VERSION.findall(text)]
    return not OTHER_STAGES.search(text) and max(versions, default=(0, 0)) <= (3, 3)


def run(files):
    """How each of the files ended, as far as the process came."""
    command = [ROOT / "bin/shader_runner", *files, "-auto", "-fbo", "-report-subtests"]
    environment = dict(os.environ, PIGLIT_PLATFORM="surfaceless_egl", PIGLIT_SOURCE_DIR=str(ROOT))
    output = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace")
    for line in output.stderr.splitlines():
        if "Validation" in line:
            print(line, file=sys.stderr)
    return re.findall(r'PIGLIT: \{"subtest": \{".*" : "(\w+)"', output.stdout)


def wanted_of_3(step):
    """One of `step` tests."""
    files = sorted(file for folder in OPENGL_3 for file in tests(folder))
    return [file for file in files if is_for_opengl_3(file)][::step]


def wanted_of_4(count):
    """About `count` tests of each folder, evenly spread."""
    folders = [sorted(tests(folder)) for folder in OPENGL_4]
    return [file for files in folders for file in files[:: max(1, len(files) // count)]]


def main():
    version, number = sys.argv[1:]
    wanted = {"3": wanted_of_3, "4": wanted_of_4}[version](int(number))
    ends = []
    for at in range(0, len(wanted), TOGETHER):
        rest = wanted[at : at + TOGETHER]
        while rest:
            found = [ENDS.get(end, CRASH) for end in run(rest)][: len(rest)]
            if len(found) < len(rest):
                found.append(CRASH)
            ends += found
            rest = rest[len(found) :]
    for file, end in zip(wanted, ends):
        print(f"u8 {end:02x}")
        if end >= ENDS["fail"]:
            print(f"{file.relative_to(ROOT)}: {'crash' if end == CRASH else 'fail'}", file=sys.stderr)
    print(f"{ends.count(0)} of {len(wanted)} pass, {ends.count(ENDS['skip'])} are skipped")


main()
