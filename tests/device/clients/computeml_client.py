"""computeml: products, functions, and eight steps of training a network of two layers; results are printed."""

import computeml as cml
import numpy as np

random = np.random.default_rng(3)
context = cml.Context()


def values(*shape):
    return random.standard_normal(shape).astype(np.float32)


def show(tensor):
    print("f32", np.ascontiguousarray(tensor.numpy()).tobytes().hex())


a, b = context.asarray(values(96, 64)), context.asarray(values(64, 48))
show(cml.ops.relu(a @ b) * 2.0)
for name in ("softmax", "gelu", "exp", "tanh", "sigmoid"):
    show(getattr(cml.ops, name)(a))
x, wanted = values(128, 4), random.integers(0, 2, 128).astype(np.float32)
model = cml.nn.Sequential(
    cml.nn.Linear.from_numpy(context, values(16, 4), values(16)),
    cml.nn.Linear.from_numpy(context, values(2, 16), values(2)),
).requires_grad_()
learning = cml.optim.AdamW(model.parameters(), lr=0.05)
x, wanted = context.asarray(x), context.asarray(wanted)
for _ in range(8):
    learning.zero_grad()
    loss = cml.ops.cross_entropy(model(x), wanted)
    loss.backward()
    learning.step()
print("f32", np.float32(float(loss)).tobytes().hex())
show(model(x))
