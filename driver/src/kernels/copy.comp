// Copies texels, interpreted as unsigned integers, between images.
layout(push_constant) uniform Parameters { ivec3 from; ivec3 to; } p;
layout(set = 0, binding = 0) uniform utexture2DArray src;
layout(set = 0, binding = 1, rgba32ui) writeonly uniform uimage2DArray dst;
layout(set = 0, binding = 2) uniform sampler none;

void main() {
    ivec3 id = ivec3(gl_GlobalInvocationID);
    imageStore(dst, p.to + id, texelFetch(usampler2DArray(src, none), p.from + id, 0));
}
