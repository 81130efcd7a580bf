"""OpenGL ES of version 2 or 3 through zink: a textured, blended draw into a framebuffer object, whose pixels are printed."""

import ctypes
import os
import sys
from ctypes import byref, c_char_p, c_float, c_int, c_ubyte, c_uint, c_void_p

EGL = ctypes.CDLL("libEGL.so.1")
GL = ctypes.CDLL("libGLESv2.so.2")
SIDE = 64

VERTEX = """IN vec3 p; IN vec2 t; OUT vec2 c; uniform mat4 m;
void main(){ gl_Position = m * vec4(p, 1.0); c = t; }"""
FRAGMENT = """precision highp float; OUT vec2 c; uniform sampler2D s; RESULT
void main(){ COLOUR = SAMPLE(s, c * 2.0) * vec4(1.0, 0.8, 0.6, 0.75) + vec4(0.0, c * 0.2, 0.0); }"""
# What the words in capitals are, by version and stage; which configurations have the version; the format of its textures.
WORDS = {
    2: (
        {"IN": "attribute", "OUT": "varying"},
        {"OUT": "varying", "RESULT": "", "COLOUR": "gl_FragColor", "SAMPLE": "texture2D"},
    ),
    3: (
        {"IN": "in", "OUT": "out"},
        {"OUT": "in", "RESULT": "out vec4 o;", "COLOUR": "o", "SAMPLE": "texture"},
    ),
}
CONFIGURATIONS = {2: 0x4, 3: 0x40}
FORMATS = {2: 0x1908, 3: 0x8058}


def source(text, version, stage):
    for word, stands_for in WORDS[version][stage].items():
        text = text.replace(word, stands_for)
    return ("#version 300 es\n" if version == 3 else "").encode() + text.encode()


def context(version):
    EGL.eglGetPlatformDisplay.restype = c_void_p
    display = c_void_p(EGL.eglGetPlatformDisplay(0x31DD, c_void_p(0), c_void_p(0)))
    assert EGL.eglInitialize(display, c_void_p(0), c_void_p(0)), "no display"
    EGL.eglBindAPI(0x30A0)
    config, count = c_void_p(), c_int()
    attributes = (c_int * 5)(0x3040, CONFIGURATIONS[version], 0x3033, 0, 0x3038)
    EGL.eglChooseConfig(display, attributes, byref(config), 1, byref(count))
    EGL.eglCreateContext.restype = c_void_p
    attributes = (c_int * 3)(0x3098, version, 0x3038)
    made = c_void_p(EGL.eglCreateContext(display, config, c_void_p(0), attributes))
    assert EGL.eglMakeCurrent(display, c_void_p(0), c_void_p(0), made), "no context"
    GL.glGetString.restype = c_char_p
    return GL.glGetString(0x1F01).decode()


def program(version):
    made = GL.glCreateProgram()
    for stage, (kind, text) in enumerate(((0x8B31, VERTEX), (0x8B30, FRAGMENT))):
        shader = GL.glCreateShader(kind)
        GL.glShaderSource(shader, 1, byref(c_char_p(source(text, version, stage))), c_void_p(0))
        GL.glCompileShader(shader)
        GL.glAttachShader(made, shader)
    GL.glBindAttribLocation(made, 0, c_char_p(b"p"))
    GL.glBindAttribLocation(made, 1, c_char_p(b"t"))
    GL.glLinkProgram(made)
    linked = c_int()
    GL.glGetProgramiv(made, 0x8B82, byref(linked))
    assert linked.value, "the program does not link"
    return made


def texture(version, texels, side):
    name = c_uint()
    GL.glGenTextures(1, byref(name))
    GL.glBindTexture(0x0DE1, name)
    GL.glTexImage2D(0x0DE1, 0, FORMATS[version], side, side, 0, 0x1908, 0x1401, texels)
    GL.glTexParameteri(0x0DE1, 0x2801, 0x2601)
    GL.glTexParameteri(0x0DE1, 0x2800, 0x2601)
    return name


def main(version):
    renderer = context(version)
    target, frame = texture(version, c_void_p(0), SIDE), c_uint()
    GL.glGenFramebuffers(1, byref(frame))
    GL.glBindFramebuffer(0x8D40, frame)
    GL.glFramebufferTexture2D(0x8D40, 0x8CE0, 0x0DE1, target, 0)
    checks = (c_ubyte * 256)(*(255 if (at // 4 ^ at // 32) & 1 else 40 + at % 4 * 50 for at in range(256)))
    texture(version, checks, 8)
    GL.glUseProgram(program(version))
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


main(int(sys.argv[1]))
