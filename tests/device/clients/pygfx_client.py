"""pygfx, a renderer on wgpu: lights, a shadow, textures, points, a line, text and an image; saved as a picture."""

import sys

import numpy as np
import pygfx as gfx
from PIL import Image
from rendercanvas.offscreen import RenderCanvas

canvas = RenderCanvas(size=(160, 120), pixel_ratio=1)
renderer = gfx.renderers.WgpuRenderer(canvas)
# Smoothing of edges afterwards would decide by the last bit where an edge goes.
renderer.ppaa = "none"
assert renderer.device.adapter.info["backend_type"] == "Vulkan", renderer.device.adapter.summary
random = np.random.default_rng(1)


def placed(thing, *position):
    thing.local.position = position
    return thing


scene = gfx.Scene()
scene.add(gfx.Background.from_color("#234", "#89a"), gfx.AmbientLight(0.4))
scene.add(placed(gfx.DirectionalLight(2, cast_shadow=True), 2, 4, 3))
texels = gfx.Texture(random.integers(0, 255, (16, 16, 3), dtype=np.uint8), dim=2)
box = gfx.Mesh(gfx.box_geometry(1.6, 1.6, 1.6), gfx.MeshPhongMaterial(map=texels))
box.local.rotation = (0.2, 0.4, 0.1, 0.88)
box.cast_shadow = box.receive_shadow = True
metal = gfx.MeshStandardMaterial(color="#c63", roughness=0.4, metalness=0.3)
ball = placed(gfx.Mesh(gfx.sphere_geometry(0.7), metal), 1.7, 0, 0)
knot = placed(gfx.Mesh(gfx.torus_knot_geometry(0.5, 0.15, 64, 12), gfx.MeshNormalMaterial()), -1.8, 0, 0)
dots = gfx.Geometry(positions=random.uniform(-2, 2, (60, 3)).astype(np.float32))
angles = np.linspace(0, 2 * np.pi, 80)
ring = np.stack([2.4 * np.cos(angles), 1.3 * np.sin(angles), 0 * angles], 1).astype(np.float32)
values = gfx.Geometry(grid=gfx.Texture(random.uniform(0, 1, (8, 8)).astype(np.float32), dim=2))
image = placed(gfx.Image(values, gfx.ImageBasicMaterial(clim=(0, 1), map=gfx.cm.viridis)), -2.4, -1.6, 0)
image.local.scale = (0.1, 0.1, 0.1)
text = gfx.Text("agx", font_size=0.6, material=gfx.TextMaterial(color="#fff"))
scene.add(box, ball, knot, image, placed(text, 0, 1.4, 0))
scene.add(gfx.Points(dots, gfx.PointsMaterial(size=6, color="#ff0")))
scene.add(gfx.Line(gfx.Geometry(positions=ring), gfx.LineMaterial(thickness=3, color="#0fc")))
camera = placed(gfx.PerspectiveCamera(50, 160 / 120), 0, 0.5, 5)
camera.look_at((0, 0, 0))
canvas.request_draw(lambda: renderer.render(scene, camera))
Image.fromarray(np.asarray(canvas.draw())[..., :3]).save(sys.argv[1])
