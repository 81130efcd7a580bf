"""vkdispatch: Fourier transforms by VkFFT and by kernels that it makes itself, and a sum, compared with numpy."""

import os
import sys

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc

FAR = 1e-6
random = np.random.default_rng(7)
# Powers of two, other small factors, primes, and more than the memory of a workgroup holds.
LENGTHS = (2, 8, 17, 60, 64, 101, 243, 343, 1000, 1024, 4096, 4099, 16384, 77777)
if "LIBGL_ALWAYS_SOFTWARE" in os.environ:
    vd.make_context(use_cpu=True)


def numbers(*shape):
    return (random.standard_normal(shape) + 1j * random.standard_normal(shape)).astype(np.complex64)


def transformed(transform, given):
    buffer = vd.asbuffer(given)
    transform(buffer)
    return buffer.read(0)


def back_and_forth(given):
    buffer = vd.asbuffer(given)
    vd.fft.fft(buffer)
    vd.fft.ifft(buffer)
    return buffer.read(0)


def of_reals(given):
    buffer = vd.asrfftbuffer(given)
    vd.fft.rfft(buffer)
    return buffer.read_fourier(0)


@vd.reduce.reduce(0)
def largest(a: vd.float32, b: vd.float32) -> vd.float32:
    return vc.max(a, b)


def cases():
    for length in LENGTHS:
        given = numbers(2, length)
        yield f"VkFFT {length}", transformed(vd.vkfft.fft, given), np.fft.fft(given)
    for length in (8, 64, 100, 343, 1024, 4096):
        given = numbers(3, length)
        yield f"own {length}", transformed(vd.fft.fft, given), np.fft.fft(given)
    plane, space = numbers(64, 96), numbers(8, 16, 32)
    yield "VkFFT plane", transformed(vd.vkfft.fft2, plane), np.fft.fft2(plane)
    yield "own plane", transformed(vd.fft.fft2, plane), np.fft.fft2(plane)
    yield "VkFFT space", transformed(vd.vkfft.fft3, space), np.fft.fftn(space)
    yield "back and forth", back_and_forth(plane), plane
    reals = random.standard_normal((5, 256)).astype(np.float32)
    yield "reals", of_reals(reals), np.fft.rfft(reals)
    many = random.standard_normal(100000).astype(np.float32)
    yield "largest", largest(vd.asbuffer(many)).read(0)[:1], many.max(keepdims=True)


far = []
for name, found, expected in cases():
    error = float(np.abs(found - expected).max() / np.abs(expected).max())
    print(f"{name}: {error:.1e}")
    if not error <= FAR:
        far.append(name)
sys.exit(f"far from numpy: {', '.join(far)}" if far else 0)
