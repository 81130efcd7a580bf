// Writes one value for all samples of each pixel: their mean if `MEAN` is defined, or the first.
layout(push_constant) uniform Parameters { ivec3 to; int samples; ivec2 from; } p;
layout(set = 0, binding = 0) uniform Texture src;
layout(set = 0, binding = 1, FORMAT) writeonly uniform Image dst;
layout(set = 0, binding = 2) uniform sampler none;

void main() {
    ivec2 from = p.from + ivec2(gl_GlobalInvocationID.xy);
    Value sum = texelFetch(Sampled(src, none), from, 0);
#ifdef MEAN
    for (int number = 1; number < p.samples; number++) {
        sum += texelFetch(Sampled(src, none), from, number);
    }
    sum /= float(p.samples);
#endif
    imageStore(dst, p.to + ivec3(gl_GlobalInvocationID), sum);
}
