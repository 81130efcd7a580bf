// Writes one value for all samples of each pixel: what `JOIN` makes of two, divided by their number if `MEAN` is defined. Without
// `JOIN`, it is the first sample.
layout(push_constant) uniform Parameters { ivec3 to; int samples; ivec2 from; } p;
layout(set = 0, binding = 0) uniform Texture src;
layout(set = 0, binding = 1, FORMAT) writeonly uniform Image dst;
layout(set = 0, binding = 2) uniform sampler none;

void main() {
    ivec2 from = p.from + ivec2(gl_GlobalInvocationID.xy);
    Value all = texelFetch(Sampled(src, none), from, 0);
#ifdef JOIN
    for (int number = 1; number < p.samples; number++) {
        all = JOIN(all, texelFetch(Sampled(src, none), from, number));
    }
#endif
#ifdef MEAN
    all /= float(p.samples);
#endif
    imageStore(dst, p.to + ivec3(gl_GlobalInvocationID), all);
}
