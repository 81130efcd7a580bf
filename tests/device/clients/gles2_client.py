"""OpenGL ES 2 through zink: a textured, blended draw into a framebuffer object, whose pixels are printed."""

import ctypes
import os
from ctypes import byref, c_char_p, c_float, c_int, c_ubyte, c_uint, c_void_p

EGL = ctypes.CDLL("libEGL.so.1")
GL = ctypes.CDLL("libGLESv2.so.2")
SIDE = 64

VERTEX = b"""attribute vec3 p; attribute vec2 t; varying vec2 c; uniform mat4 m;
void main(){ gl_Position = m * vec4(p, 1.0); c = t; }"""
FRAGMENT = b"""precision highp float; varying vec2 c; uniform sampler2D s;
void main(){ gl_FragColor = texture2D(s, c * 2.0) * vec4(1.0, 0.8, 0.6, 0.75) + vec4(0.0, c * 0.2, 0.0); }"""


def context():
    EGL.eglGetPlatformDisplay.restype = c_void_p
    display = c_void_p(EGL.eglGetPlatformDisplay(0x31DD, c_void_p(0), c_void_p(0)))
    assert EGL.eglInitialize(display, c_void_p(0), c_void_p(0)), "no display"
    EGL.eglBindAPI(0x30A0)
    config, count = c_void_p(), c_int()
    attributes = (c_int * 5)(0x3040, 0x4, 0x3033, 0, 0x3038)
    EGL.eglChooseConfig(display, attributes, byref(config), 1, byref(count))
    EGL.eglCreateContext.restype = c_void_p
    attributes = (c_int * 3)(0x3098, 2, 0x3038)
    made = c_void_p(EGL.eglCreateContext(display, config, c_void_p(0), attributes))
    assert EGL.eglMakeCurrent(display, c_void_p(0), c_void_p(0), made), "no context"
    GL.glGetString.restype = c_char_p
    return GL.glGetString(0x1F01).decode()


def program():
    made = GL.glCreateProgram()
    for kind, source in ((0x8B31, VERTEX), (0x8B30, FRAGMENT)):
        shader = GL.glCreateShader(kind)
        GL.glShaderSource(shader, 1, byref(c_char_p(source)), c_void_p(0))
        GL.glCompileShader(shader)
        GL.glAttachShader(made, shader)
    GL.glBindAttribLocation(made, 0, c_char_p(b"p"))
    GL.glBindAttribLocation(made, 1, c_char_p(b"t"))
    GL.glLinkProgram(made)
    linked = c_int()
    GL.glGetProgramiv(made, 0x8B82, byref(linked))
    assert linked.value, "the program does not link"
    return made


def texture(texels, side):
    name = c_uint()
    GL.glGenTextures(1, byref(name))
    GL.glBindTexture(0x0DE1, name)
    GL.glTexImage2D(0x0DE1, 0, 0x1908, side, side, 0, 0x1908, 0x1401, texels)
    GL.glTexParameteri(0x0DE1, 0x2801, 0x2601)
    GL.glTexParameteri(0x0DE1, 0x2800, 0x2601)
    return name


def main():
    renderer = context()
    target, frame = texture(c_void_p(0), SIDE), c_uint()
    GL.glGenFramebuffers(1, byref(frame))
    GL.glBindFramebuffer(0x8D40, frame)
    GL.glFramebufferTexture2D(0x8D40, 0x8CE0, 0x0DE1, target, 0)
    checks = (c_ubyte * 256)(*(255 if (at // 4 ^ at // 32) & 1 else 40 + at % 4 * 50 for at in range(256)))
    texture(checks, 8)
    GL.glUseProgram(program())
    turn = (c_float * 16)(0.8, 0.3, 0, 0, -0.3, 0.8, 0, 0, 0, 0, 1, 0, 0.1, -0.05, 0, 1)
    name = GL.glGetUniformLocation(1, b"m")
    GL.glUniformMatrix4fv(name if name >= 0 else 0, 1, 0, turn)
    corners = [(-0.9, -0.8, 0, 0), (0.85, -0.7, 1, 0), (-0.7, 0.9, 0, 1), (0.8, 0.75, 1, 1)]
    data = (c_float * 20)(*(value for x, y, u, v in corners for value in (x, y, 0.1, u, v)))
    buffer = c_uint()
    GL.glGenBuffers(1, byref(buffer))
    GL.glBindBuffer(0x8892, buffer)
    GL.glBufferData(0x8892, ctypes.c_ssize_t(ctypes.sizeof(data)), data, 0x88E4)
    GL.glVertexAttribPointer(0, 3, 0x1406, 0, 20, c_void_p(0))
    GL.glVertexAttribPointer(1, 2, 0x1406, 0, 20, c_void_p(12))
    GL.glEnableVertexAttribArray(0)
    GL.glEnableVertexAttribArray(1)
    GL.glViewport(0, 0, SIDE, SIDE)
    GL.glClearColor(c_float(0.2), c_float(0.3), c_float(0.1), c_float(1.0))
    GL.glClear(0x4000)
    GL.glEnable(0x0BE2)
    GL.glBlendFunc(0x0302, 0x0303)
    GL.glDrawArrays(5, 0, 4)
    pixels = (c_ubyte * (4 * SIDE * SIDE))()
    GL.glReadPixels(0, 0, SIDE, SIDE, 0x1908, 0x1401, pixels)
    assert GL.glGetError() == 0, "an error of OpenGL"
    assert os.environ["GALLIUM_DRIVER"] in renderer, renderer
    print("u8", bytes(pixels).hex())


main()
