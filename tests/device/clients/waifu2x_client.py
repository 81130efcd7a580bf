"""waifu2x (PyPI `sr-vulkan` with its pretrained model): doubles a picture, whose bytes are printed."""

import io
import time

import numpy as np
from PIL import Image
from sr_vulkan import sr_vulkan

random = np.random.default_rng(5)
picture = Image.fromarray(random.integers(0, 255, (6, 8, 3), dtype=np.uint8)).resize((48, 36), Image.BICUBIC)
file = io.BytesIO()
picture.save(file, "png")
assert sr_vulkan.init() >= 0 and sr_vulkan.initSet(gpuId=0) >= 0
sr_vulkan.add(file.getvalue(), sr_vulkan.MODEL_WAIFU2X_CUNET_UP2X_DENOISE1X, 7, 2.0, format="png", tileSize=32)
result = None
while not result:
    time.sleep(0.2)
    result = sr_vulkan.load(0)
print("u8", np.asarray(Image.open(io.BytesIO(result[0])).convert("RGB")).tobytes().hex())
sr_vulkan.stop()
