"""A pretrained super-resolution network (npm `@upscalerjs/esrgan-slim`, layers of TensorFlow.js) through ncnn, whose output is printed.

It must be within 1e-4 of the greatest value that ncnn computes on the processor.
"""

import json
import os
import tempfile

import ncnn
import numpy as np

FOLDER = "/opt/agx/esrgan/models/x2"
SIDE = 24


def weights():
    """Arrays of the model by name."""
    with open(os.path.join(FOLDER, "model.json"), encoding="utf-8") as file:
        model = json.load(file)
    group = model["weightsManifest"][0]
    data = b"".join(open(os.path.join(FOLDER, path), "rb").read() for path in group["paths"])
    arrays, at = {}, 0
    for weight in group["weights"]:
        count = int(np.prod(weight["shape"]))
        arrays[weight["name"]] = np.frombuffer(data, np.float32, count, at).reshape(weight["shape"])
        at += 4 * count
    return model["modelTopology"]["model_config"]["config"]["layers"], arrays


class Network:
    """Lines and bytes of ncnn. A value that several layers read is split into one for each."""

    def __init__(self, layers, arrays):
        self.lines, self.bytes, self.arrays, self.blobs = [], [], arrays, 0
        sources = {layer["name"]: [node[0] for node in (layer["inbound_nodes"] or [[]])[0]] for layer in layers}
        self.readers = {name: sum(list.count(name) for list in sources.values()) for name in sources}
        self.given = {}
        for layer in layers:
            self.layer(layer, sources[layer["name"]])
        self.last = layers[-1]["name"]

    def text(self):
        return "7767517\n%d %d\n%s\n" % (len(self.lines), self.blobs, "\n".join(self.lines))

    def emit(self, kind, name, inputs, outputs, options=""):
        self.blobs += len(outputs)
        counts = "%d %d" % (len(inputs), len(outputs))
        self.lines.append(" ".join([kind, name, counts, *inputs, *outputs, options]))

    def layer(self, layer, sources):
        name, config = layer["name"], layer["config"]
        inputs = [self.given[source].pop() for source in sources]
        kind, options = self.kind(layer["class_name"], name, config)
        self.emit(kind, name, inputs, [name], options)
        self.given[name] = [name]
        if self.readers[name] > 1:
            copies = ["%s_%d" % (name, at) for at in range(self.readers[name])]
            self.emit("Split", "split_" + name, [name], copies)
            self.given[name] = copies

    def kind(self, kind, name, config):
        """The layer of ncnn and its options; weights are added to the bytes."""
        if kind == "Conv2D":
            kernel, bias = self.arrays[name + "/kernel"], self.arrays[name + "/bias"]
            height, width, _, count = kernel.shape
            assert config["activation"] == "linear" and height == width
            self.bytes.append(np.zeros(1, np.uint32).tobytes())
            self.bytes.append(np.ascontiguousarray(kernel.transpose(3, 2, 0, 1)).tobytes())
            self.bytes.append(bias.tobytes())
            return "Convolution", "0=%d 1=%d 4=%d 5=1 6=%d" % (count, width, width // 2, kernel.size)
        assert kind != "Activation" or config["activation"] == "relu"
        return {
            "InputLayer": ("Input", ""),
            "Activation": ("ReLU", ""),
            "Concatenate": ("Concat", "0=0"),
            "Add": ("BinaryOp", "0=0"),
            "UpSampling2D": ("Interp", "0=1 1=2.0 2=2.0"),
        }[kind]


def run(network, image, vulkan):
    with tempfile.TemporaryDirectory() as folder:
        layers, values = os.path.join(folder, "net.param"), os.path.join(folder, "net.bin")
        with open(layers, "w", encoding="ascii") as file:
            file.write(network.text())
        with open(values, "wb") as file:
            file.write(b"".join(network.bytes))
        net = ncnn.Net()
        net.opt.use_vulkan_compute = vulkan
        net.opt.num_threads = 1
        net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = False
        assert net.load_param(layers) == 0 and net.load_model(values) == 0
        extractor = net.create_extractor()
        extractor.input("LR", ncnn.Mat(image))
        _, found = extractor.extract(network.last)
        found = np.array(found).astype(np.float32)
        del extractor, net
    return found


def main():
    network = Network(*weights())
    grid = np.arange(SIDE, dtype=np.float32) / SIDE
    image = np.stack([0.5 + 0.5 * np.sin(9 * np.outer(grid, grid) + phase) for phase in range(3)]).astype(np.float32)
    found, expected = run(network, image, True), run(network, image, False)
    assert found.shape == (3, 2 * SIDE, 2 * SIDE), found.shape
    error = np.abs(found - expected).max() / np.abs(expected).max()
    print("relative error", error)
    assert error <= 1e-4
    print("f32", found.tobytes().hex(), flush=True)
    ncnn.destroy_gpu_instance()


main()
