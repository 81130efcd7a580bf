"""A small network of ncnn: convolutions, activations, pooling and a dense layer, whose outputs are printed."""

import os
import tempfile

import ncnn
import numpy as np

LAYERS = """7767517
7 7
Input            data   0 1 data 0=16 1=16 2=3
Convolution      conv1  1 1 data a 0=8 1=3 4=1 5=1 6=216 9=1
Pooling          pool   1 1 a b 0=0 1=2 2=2
Convolution      conv2  1 1 b c 0=16 1=1 5=1 6=128 9=2 -23310=1,0.1
Sigmoid          act    1 1 c d
InnerProduct     dense  1 1 d e 0=10 1=1 2=10240
Softmax          soft   1 1 e out 0=0
"""


def weights(generator):
    """Weights in the order of the layers: a flag and the values of a layer, then its bias."""
    pieces = []
    for count, bias in ((216, 8), (128, 16), (10240, 10)):
        pieces.append(np.zeros(1, np.uint32).tobytes())
        pieces.append((generator.standard_normal(count) * 0.3).astype(np.float32).tobytes())
        pieces.append((generator.standard_normal(bias) * 0.1).astype(np.float32).tobytes())
    return b"".join(pieces)


def main():
    generator = np.random.default_rng(7)
    with tempfile.TemporaryDirectory() as folder:
        layers, values = os.path.join(folder, "net.param"), os.path.join(folder, "net.bin")
        with open(layers, "w", encoding="ascii") as file:
            file.write(LAYERS)
        with open(values, "wb") as file:
            file.write(weights(generator))
        net = ncnn.Net()
        net.opt.use_vulkan_compute = True
        net.opt.num_threads = 1
        net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = False
        net.load_param(layers)
        net.load_model(values)
        image = generator.random((3, 16, 16)).astype(np.float32)
        # Intermediate values are released once they are used: each output has an extraction of its own.
        for name in ("out", "d"):
            extractor = net.create_extractor()
            extractor.input("data", ncnn.Mat(image))
            _, found = extractor.extract(name)
            print("f32", np.array(found).astype(np.float32).tobytes().hex(), flush=True)
        del extractor, net
    ncnn.destroy_gpu_instance()


main()
