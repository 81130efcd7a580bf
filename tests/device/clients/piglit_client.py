"""Shader tests of piglit's package: one of so many, through OpenGL without a window. A line of each test says how it ended."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path("/usr/lib/x86_64-linux-gnu/piglit")
# What the driver's OpenGL has: GLSL up to 3.30 and some extensions, no tessellation shaders.
FOLDERS = [
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
OTHER_STAGES = re.compile(r"\[tessellation")
# A version that a test or one of its shaders demands: where OpenGL has less, piglit ends in its library for windows, or calls the
# test failed, instead of skipping it.
VERSION = re.compile(r"^(?:(?:GL|GLSL) >= |#version )(\d)\.?(\d)", re.MULTILINE)
# Tests that one process runs; when it ends early, it goes on behind the test that it ended in.
TOGETHER = 40
# As bytes that differ by more than results may.
ENDS = {"pass": 0x00, "warn": 0x20, "skip": 0x40, "fail": 0x80}
CRASH = 0xC0


def tests():
    for part in ("tests", "generated_tests"):
        for folder in FOLDERS:
            yield from (ROOT / part / folder).rglob("*.shader_test")


def is_wanted(file):
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


def main():
    wanted = [file for file in sorted(tests()) if is_wanted(file)]
    wanted = wanted[:: int(sys.argv[1])]
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
