"""Compiles shaders for Apple AGX GPUs (M1, M2) and runs them on a reference machine."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

__version__: str

Stage = Literal["vertex", "fragment", "compute"]
"""A stage of a shader."""

Place = tuple[int, int] | tuple[int, int, int]
"""The place of a resource: set, binding, and the element of an array if it is not the first."""

class Error(Exception):
    """A shader is wrong or not supported, or a run found a fault. The text has a line for each diagnostic."""

    code: str
    """The code of the first diagnostic, such as `AGX2201`, which `agxc explain` explains."""
    message: str
    """The sentence of the first diagnostic."""
    file: str | None
    """The file of the first diagnostic, if it is known."""
    line: int | None
    """Its line, from 1, if it is known."""
    column: int | None
    """Its column in bytes, from 1, if it is known."""
    diagnostics: list[Diagnostic]
    """All diagnostics, errors and warnings."""

@final
class Diagnostic:
    """A diagnostic of the compiler or of a run."""

    @property
    def severity(self) -> Literal["error", "warning"]:
        """How grave it is."""

    @property
    def code(self) -> str:
        """The code, such as `AGX2201`, which `agxc explain` explains."""

    @property
    def message(self) -> str:
        """One sentence."""

    @property
    def file(self) -> str | None:
        """The name of the file, if it is known."""

    @property
    def line(self) -> int | None:
        """The line, from 1, if it is known."""

    @property
    def column(self) -> int | None:
        """The column in bytes, from 1, if it is known."""

@final
class Shader:
    """A compiled shader."""

    @property
    def code(self) -> bytes:
        """The machine code of the main part."""

    @property
    def parts(self) -> dict[str, bytes]:
        """The machine code of every part, by role: `preamble`, `prolog`, `main`, `epilog`."""

    @property
    def assembly(self) -> str:
        """The assembly of all parts, as `agxc compile` prints it."""

    @property
    def statistics(self) -> dict[str, Any]:
        """The figures of `agxc stats`, by their names in JSON; `binds` is the bottleneck."""

    @property
    def info(self) -> dict[str, Any]:
        """What a driver needs to know: uniforms, textures, samplers, registers, workgroups."""

    @property
    def entry_point(self) -> str:
        """The name of the entry point."""

    @property
    def stage(self) -> Stage:
        """The stage."""

    @property
    def target(self) -> str:
        """The chip."""

    @property
    def entry_points(self) -> list[tuple[str, Stage | None]]:
        """Names and stages of the entry points of the module; empty for languages that declare none."""

    @property
    def warnings(self) -> list[Diagnostic]:
        """The warnings."""

    def json(self) -> dict[str, Any]:
        """Everything about the shader in the form of `agxc compile --emit json`."""

    def report(self) -> str:
        """The report of the shader as one HTML file."""

    def run(
        self,
        buffers: Mapping[Place, npt.ArrayLike] | None = None,
        *,
        groups: int | tuple[int, int] | tuple[int, int, int] | None = None,
        push: bytes | npt.ArrayLike | None = None,
        textures: Sequence[str] | None = None,
        images: Sequence[str] | None = None,
        samplers: Sequence[str] | None = None,
    ) -> Run:
        """Runs a compute shader on the reference machine.

        buffers: arrays of any type by place, which the shader may read and write. They stay as they are; the result has
            new ones of the same type and shape. Lists of Python floats are arrays of 64-bit floats.
        groups: the number of workgroups along x, or along two or three axes; 1 by default.
        push: push constants.
        textures, images, samplers: in the notation of `agxc run`.

        Raises Error if the machine finds a fault, such as an access outside of a buffer.
        """

@final
class Run:
    """The outcome of a run."""

    @property
    def buffers(self) -> dict[Place, npt.NDArray[Any]]:
        """The buffers afterwards, by place, with the types and shapes that they had."""

    @property
    def images(self) -> dict[Place, npt.NDArray[np.uint8]]:
        """The bytes of the images afterwards, by place."""

    @property
    def instructions(self) -> int:
        """Instructions that SIMD-groups executed."""

    @property
    def lane_instructions(self) -> int:
        """Instructions that lanes executed."""

    @property
    def cycles(self) -> int:
        """Estimated cycles."""

    @property
    def warnings(self) -> list[Diagnostic]:
        """The warnings."""

def compile(
    source: str | bytes,
    *,
    language: str | None = None,
    name: str | None = None,
    entry: str | None = None,
    stage: Stage | None = None,
    target: str | None = None,
    constants: Mapping[str | int, bool | int | float] | None = None,
    key: dict[str, Any] | None = None,
) -> Shader:
    """Compiles a shader.

    source: a text (WGSL, unless `language` or `name` says otherwise), or the bytes of a module (SPIR-V).
    language: one of `languages()`.
    name: the name of the file in diagnostics. Its extension tells the language and, for GLSL, the stage.
    entry, stage: the entry point; by default the first one.
    target: one of `targets()`; g13g by default.
    constants: values of specialization constants of SPIR-V and GLSL, or of overrides of WGSL, by name or number.
    key: other settings, by the names of key files.

    Raises Error if the shader is wrong or not supported.
    """

def languages() -> list[str]:
    """The names of the languages that `compile` takes."""

def targets() -> list[str]:
    """The names of the chips to compile for."""
