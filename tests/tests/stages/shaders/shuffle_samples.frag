#version 450
#extension GL_KHR_shader_subgroup_shuffle : require
// Shuffles where lanes are off, in a shader that runs for each sample.
layout(location = 0) out vec4 colour;

void main()
{
    uint lane = gl_SubgroupInvocationID;
    float got = -1.0, beside = -1.0;
    // Three of four lanes of a quad; the fourth keeps a large number in its registers.
    if (lane % 4u != 3u) {
        uint from = lane - lane % 4u + (lane % 4u + 1u + uint(gl_SampleID)) % 3u;
        got = subgroupShuffle(float(lane) + 100.0 * float(gl_SampleID), from);
        for (int i = 0; i <= int(lane % 4u); i++)
            beside = subgroupShuffleXor(float(lane * 2u), 0u + uint(i & 0));
    }
    colour = vec4(got, float(lane), beside, float(gl_SampleID));
}
