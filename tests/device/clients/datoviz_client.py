"""Datoviz without a window: points of many colours and sizes, saved as the file of the first argument."""

import sys

import datoviz
import numpy as np

random = np.random.default_rng(0)
count = 200
places = random.uniform(-0.9, 0.9, (count, 3)).astype(np.float32)
places[:, 2] = 0
app = datoviz.App(offscreen=True)
figure = app.figure(256, 192)
panel = figure.panel()
colours = random.integers(0, 256, (count, 4), dtype=np.uint8)
sizes = random.uniform(5, 20, count).astype(np.float32)
panel.add(app.point(position=places, color=colours, size=sizes))
app.screenshot(figure, sys.argv[1])
