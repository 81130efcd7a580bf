"""ModernGL without a window: a draw with blending and a texture, captured vertices that are counted, several samples."""

import moderngl
import numpy as np

context = moderngl.create_context(standalone=True, backend="egl")
random = np.random.default_rng(1)

program = context.program(
    vertex_shader="""
    #version 330
    in vec2 place; in vec3 colour; out vec3 shade; uniform float scale;
    void main() {
        shade = colour;
        gl_Position = vec4(place * scale, 0.0, 1.0);
    }
    """,
    fragment_shader="""
    #version 330
    in vec3 shade; uniform sampler2D image; out vec4 colour;
    void main() { colour = vec4(shade * texelFetch(image, ivec2(gl_FragCoord.xy) % 16, 0).rgb, 0.5); }
    """,
)
triangles = 8
corners = np.concatenate(
    [random.uniform(-1, 1, (3 * triangles, 2)), random.uniform(0, 1, (3 * triangles, 3))], axis=1
)
vertices = context.buffer(corners.astype("f4").tobytes())
shape = context.vertex_array(program, [(vertices, "2f 3f", "place", "colour")])
texels = random.integers(0, 256, (16, 16, 4), dtype="u1")
image = context.texture((16, 16), 4, texels.tobytes())
image.use(0)
program["scale"].value = 0.875
context.enable(moderngl.BLEND)


def drawn(target):
    target.use()
    context.clear(0.1, 0.2, 0.3)
    shape.render(moderngl.TRIANGLES)


target = context.framebuffer(context.renderbuffer((128, 128)), context.depth_renderbuffer((128, 128)))
drawn(target)
print("u8", target.read(components=4).hex())

capture = context.program(
    vertex_shader="""
    #version 330
    in float x; out float root; out vec3 powers;
    void main() { root = sqrt(x) * 2.0; powers = vec3(x, x * x, sin(x)); }
    """,
    varyings=["root", "powers"],
)
source = context.buffer(np.arange(64, dtype="f4").tobytes())
captured = context.buffer(reserve=64 * 16)
points = context.vertex_array(capture, [(source, "f", "x")])
query = context.query(primitives=True)
with query:
    points.transform(captured, moderngl.POINTS)
print("u8", np.uint32(query.primitives).tobytes().hex())
print("f32", captured.read().hex())

several = context.framebuffer(context.renderbuffer((64, 64), samples=4))
drawn(several)
resolved = context.framebuffer(context.renderbuffer((64, 64)))
context.copy_framebuffer(resolved, several)
print("u8", resolved.read(components=4).hex())
