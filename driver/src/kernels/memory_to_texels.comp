// Copies memory to texels, interpreted as unsigned integers. `Element` is the type of a texel in memory, `TEXEL` converts it;
// `row` and `plane` are the distances of rows and slices in elements.
layout(push_constant) uniform Parameters { ivec3 to; uint row; uint plane; } p;
layout(set = 0, binding = 0) readonly buffer Memory { Element src[]; };
layout(set = 0, binding = 1, FORMAT) writeonly uniform uimage2DArray dst;

void main() {
    uvec3 id = gl_GlobalInvocationID;
    Element element = src[id.x + id.y * p.row + id.z * p.plane];
    imageStore(dst, p.to + ivec3(id), TEXEL(element));
}
