"""ggml on Vulkan: matrix products of several types, compared with its own processor path."""

import ctypes
import sys
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int, c_int64, c_size_t, c_void_p

import numpy as np

BASE = ctypes.CDLL("libggml-base.so.0", mode=ctypes.RTLD_GLOBAL)
ALL = ctypes.CDLL("libggml.so.0", mode=ctypes.RTLD_GLOBAL)
TYPES = {"f32": 0, "f16": 1, "q4_0": 2, "q5_0": 6, "q8_0": 8, "q4_K": 12, "q6_K": 14}
INNER, ROWS, COLUMNS = 256, 48, 24
FAR = 1e-2


class Parameters(ctypes.Structure):
    _fields_ = [("mem_size", c_size_t), ("mem_buffer", c_void_p), ("no_alloc", c_bool)]


def function(library, name, result, *arguments):
    made = getattr(library, name)
    made.restype, made.argtypes = result, arguments
    return made


init = function(BASE, "ggml_init", c_void_p, Parameters)
tensor = function(BASE, "ggml_new_tensor_2d", c_void_p, c_void_p, c_int, c_int64, c_int64)
product = function(BASE, "ggml_mul_mat", c_void_p, c_void_p, c_void_p, c_void_p)
graph = function(BASE, "ggml_new_graph", c_void_p, c_void_p)
expand = function(BASE, "ggml_build_forward_expand", None, c_void_p, c_void_p)
place = function(BASE, "ggml_backend_alloc_ctx_tensors", c_void_p, c_void_p, c_void_p)
write = function(BASE, "ggml_backend_tensor_set", None, c_void_p, c_void_p, c_size_t, c_size_t)
read = function(BASE, "ggml_backend_tensor_get", None, c_void_p, c_void_p, c_size_t, c_size_t)
compute = function(BASE, "ggml_backend_graph_compute", c_int, c_void_p, c_void_p)
quantize = function(
    BASE, "ggml_quantize_chunk", c_size_t, c_int, POINTER(c_float), c_void_p, c_int64, c_int64, c_int64, c_void_p
)
load = function(ALL, "ggml_backend_load_all", None)
count = function(ALL, "ggml_backend_dev_count", c_size_t)
device = function(ALL, "ggml_backend_dev_get", c_void_p, c_size_t)
name_of = function(BASE, "ggml_backend_dev_name", c_char_p, c_void_p)
start = function(BASE, "ggml_backend_dev_init", c_void_p, c_void_p, c_char_p)


def multiply(backend, kind, bytes_of_a, b):
    context = init(Parameters(1 << 20, None, True))
    left, right = tensor(context, kind, INNER, ROWS), tensor(context, 0, INNER, COLUMNS)
    result = product(context, left, right)
    work = graph(context)
    expand(work, result)
    assert place(context, backend), "no memory"
    write(left, bytes_of_a, 0, len(bytes_of_a))
    write(right, b.ctypes.data, 0, b.nbytes)
    assert compute(backend, work) == 0, "the graph failed"
    found = np.zeros((COLUMNS, ROWS), np.float32)
    read(result, found.ctypes.data, 0, found.nbytes)
    return found


def main():
    load()
    devices = {name_of(device(at)).decode(): device(at) for at in range(count())}
    vulkan = next((made for name, made in devices.items() if name.startswith("Vulkan")), None)
    assert vulkan, f"no Vulkan device among {list(devices)}"
    backends = [start(made, None) for made in (devices["CPU"], vulkan)]
    generator = np.random.default_rng(5)
    a = generator.standard_normal((ROWS, INNER)).astype(np.float32)
    b = generator.standard_normal((COLUMNS, INNER)).astype(np.float32)
    far = []
    for name, kind in TYPES.items():
        room = ctypes.create_string_buffer(a.nbytes)
        used = quantize(kind, a.ctypes.data_as(POINTER(c_float)), room, 0, ROWS, INNER, None)
        expected, found = (multiply(backend, kind, room.raw[:used], b) for backend in backends)
        error = float(np.sum((found - expected) ** 2) / np.sum(expected**2)) ** 0.5
        print(f"{name}: {error:.2e}", flush=True)
        if not error <= FAR:
            far.append(name)
    sys.exit(f"far from the processor's: {far}" if far else 0)


main()
