#version 450
// A sorting network with divergent exchanges between barriers.
//@ groups 2 1 1
//@ buffer 0 128 random
//@ buffer 1 128 zero

layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Input { uint data[]; };
layout(std430, binding = 1) buffer Output { uint result[]; };
shared uint values[64];

void main() {
    uint local = gl_LocalInvocationIndex;
    values[local] = data[gl_GlobalInvocationID.x];
    barrier();
    for (uint size = 2u; size <= 64u; size <<= 1) {
        for (uint stride = size >> 1; stride > 0u; stride >>= 1) {
            uint other = local ^ stride;
            if (other > local) {
                bool ascending = (local & size) == 0u;
                uint a = values[local], b = values[other];
                if ((a > b) == ascending) {
                    values[local] = b;
                    values[other] = a;
                }
            }
            barrier();
        }
    }
    result[gl_GlobalInvocationID.x] = values[local];
}
