// Copies memory to texels, taken for unsigned integers. `Element` is what memory holds of a texel, `TEXEL` makes one of it;
// `row` and `plane` are elements from a row and from a slice to the next.
layout(push_constant) uniform Parameters { ivec3 to; uint row; uint plane; } p;
layout(set = 0, binding = 0) readonly buffer Memory { Element src[]; };
layout(set = 0, binding = 1, FORMAT) writeonly uniform uimage2DArray dst;

void main() {
    uvec3 id = gl_GlobalInvocationID;
    Element element = src[id.x + id.y * p.row + id.z * p.plane];
    imageStore(dst, p.to + ivec3(id), TEXEL(element));
}
