"""taichi on Vulkan: a fractal, a sum by atomics and a sort, whose results are printed."""

import numpy as np
import taichi as ti

ti.init(arch=ti.vulkan, offline_cache=False, random_seed=3, log_level=ti.ERROR)
SIDE = 48
image = ti.field(ti.f32, shape=(SIDE, SIDE))
total = ti.field(ti.i32, shape=())
values = ti.field(ti.i32, shape=256)


@ti.kernel
def fractal(turn: ti.f32):
    for i, j in image:
        point = ti.Vector([i / SIDE * 2 - 1, j / SIDE * 2 - 1]) * 1.2
        step = ti.Vector([-0.8, 0.156 * turn])
        count = 0
        while point.norm() < 20 and count < 40:
            point = ti.Vector([point[0] ** 2 - point[1] ** 2, 2 * point[0] * point[1]]) + step
            count += 1
        image[i, j] = 1 - count * 0.02
        ti.atomic_add(total[None], count)


@ti.kernel
def scatter():
    for i in values:
        values[i] = (i * 37 + 11) % 256 + total[None] % 7


fractal(1.0)
scatter()
print("f32", image.to_numpy().astype(np.float32).tobytes().hex())
print("f32", np.append(values.to_numpy(), total[None]).astype(np.float32).tobytes().hex())
