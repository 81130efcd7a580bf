"""ONNX Runtime on its WebGPU provider: a network of ten operators, checked against the runtime's own processor path."""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(0)


def values(*shape, scale=1.0):
    return (random.standard_normal(shape) * scale).astype(np.float32)


weights = {
    "kernel": values(8, 3, 3, 3, scale=0.3),
    "bias": values(8),
    "dense": values(128, 10, scale=0.1),
    "scale": np.ones(10, np.float32),
    "shift": np.zeros(10, np.float32),
}
node = helper.make_node
nodes = [
    node("Conv", ["x", "kernel", "bias"], ["convolved"], pads=[1, 1, 1, 1]),
    node("Relu", ["convolved"], ["positive"]),
    node("MaxPool", ["positive"], ["pooled"], kernel_shape=[4, 4], strides=[4, 4]),
    node("Flatten", ["pooled"], ["flat"]),
    node("MatMul", ["flat", "dense"], ["product"]),
    node("LayerNormalization", ["product", "scale", "shift"], ["normal"], axis=-1),
    node("Softmax", ["normal"], ["chance"], axis=-1),
    node("Erf", ["product"], ["error"]),
    node("Transpose", ["positive"], ["turned"], perm=[0, 2, 3, 1]),
    node("ReduceMean", ["turned"], ["mean"], keepdims=1),
]
outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("chance", "error", "mean")]
given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 16, 16])]
constants = [numpy_helper.from_array(value, name) for name, value in weights.items()]
graph = helper.make_graph(nodes, "network", given, outputs, constants)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
x = values(1, 3, 16, 16)


def run(provider):
    session = onnxruntime.InferenceSession(model, providers=[provider])
    assert session.get_providers()[0] == provider, session.get_providers()
    return session.run(None, {"x": x})


for expected, found in zip(run("CPUExecutionProvider"), run("WebGpuExecutionProvider")):
    difference = float(abs(expected - found).max())
    print(difference)
    assert difference < 1e-5
