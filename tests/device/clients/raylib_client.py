"""raylib: a textured torus, lines, a sphere, shapes and text in a render texture, which is saved as the file of the first argument."""

import sys

import raylib as r

r.SetTraceLogLevel(5)
r.InitWindow(320, 240, b"raylib")
camera = r.ffi.new("Camera *", [[5, 5, 5], [0, 0, 0], [0, 1, 0], 45, 0])
target = r.LoadRenderTexture(200, 150)
squares = r.LoadTextureFromImage(r.GenImageChecked(64, 64, 8, 8, r.RED, r.BLUE))
torus = r.LoadModelFromMesh(r.GenMeshTorus(0.4, 2.0, 16, 32))
torus.materials[0].maps[0].texture = squares
r.BeginTextureMode(target)
r.ClearBackground(r.RAYWHITE)
r.BeginMode3D(camera[0])
r.DrawModel(torus, [0, 0, 0], 1.0, r.WHITE)
r.DrawCubeWires([0, 0, 0], 2, 2, 2, r.MAROON)
r.DrawGrid(10, 1.0)
r.DrawSphere([1, 1, 1], 0.5, r.GREEN)
r.EndMode3D()
r.DrawText(b"raylib", 10, 10, 20, r.DARKGRAY)
r.DrawRing([60, 110], 10, 20, 0, 270, 20, r.PURPLE)
r.DrawLineBezier([0, 140], [190, 20], 3, r.BLACK)
r.EndTextureMode()
r.ExportImage(r.LoadImageFromTexture(target.texture), sys.argv[1].encode())
