"""compushady: kernels in HLSL, compiled by the DirectX shader compiler: local memory, and a texture that is stored to."""

import numpy as np
from compushady import HEAP_READBACK, HEAP_UPLOAD, Buffer, Compute, Texture2D, formats
from compushady.shaders import hlsl

COUNT = 1024
SIDE = 32

REVERSE = """
StructuredBuffer<float> a : register(t0);
RWStructuredBuffer<float> b : register(u0);
groupshared float part[64];
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 lane : SV_GroupThreadID) {
    part[lane.x] = a[id.x];
    GroupMemoryBarrierWithGroupSync();
    b[id.x] = sqrt(part[63 - lane.x]) * 2.0 + sin(a[id.x]);
}
"""

STORE = """
RWTexture2D<float4> image : register(u0);
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID) { image[id.xy] = float4(id.xy / 32.0, frac(id.x * id.y / 7.0), 1.0); }
"""

given, source, result = Buffer(4 * COUNT, HEAP_UPLOAD), Buffer(4 * COUNT, stride=4), Buffer(4 * COUNT, stride=4)
back = Buffer(4 * COUNT, HEAP_READBACK)
given.upload(np.arange(COUNT, dtype=np.float32).tobytes())
given.copy_to(source)
Compute(hlsl.compile(REVERSE), srv=[source], uav=[result]).dispatch(COUNT // 64, 1, 1)
result.copy_to(back)
print("f32", back.readback(4 * COUNT).hex())

image = Texture2D(SIDE, SIDE, formats.R8G8B8A8_UNORM)
Compute(hlsl.compile(STORE), uav=[image]).dispatch(SIDE // 8, SIDE // 8, 1)
texels = Buffer(image.size, HEAP_READBACK)
image.copy_to(texels)
rows, pitch = texels.readback(), image.row_pitch
print("u8", b"".join(rows[row * pitch : row * pitch + 4 * SIDE] for row in range(SIDE)).hex())
