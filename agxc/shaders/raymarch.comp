#version 450
// A small landscape of spheres over a checkered floor, found by sphere tracing: every invocation follows one ray until
// it comes close to a surface, takes the normal from the gradient of the distance and looks once for shadow.

layout(local_size_x = 8, local_size_y = 8) in;

layout(push_constant) uniform View {
    uint width;
    uint height;
};
layout(set = 0, binding = 0, std430) writeonly buffer Picture { uint picture[]; };
layout(set = 0, binding = 1, std140) uniform Scene {
    vec4 spheres[4];
    vec4 light;
};

const float FAR = 20.0;
const float NEAR_ENOUGH = 0.002;

struct Hit {
    float travelled;
    bool found;
};

float distance_to_scene(vec3 p) {
    float nearest = p.y + 1.0;
    for (int i = 0; i < 4; ++i) {
        nearest = min(nearest, length(p - spheres[i].xyz) - spheres[i].w);
    }
    return nearest;
}

Hit follow(vec3 from, vec3 direction, float start) {
    float travelled = start;
    for (int step = 0; step < 80; ++step) {
        float room = distance_to_scene(from + direction * travelled);
        if (room < NEAR_ENOUGH) {
            return Hit(travelled, true);
        }
        travelled += room;
        if (travelled > FAR) {
            break;
        }
    }
    return Hit(FAR, false);
}

vec3 normal_at(vec3 p) {
    const vec2 e = vec2(0.01, 0.0);
    return normalize(vec3(distance_to_scene(p + e.xyy) - distance_to_scene(p - e.xyy),
                          distance_to_scene(p + e.yxy) - distance_to_scene(p - e.yxy),
                          distance_to_scene(p + e.yyx) - distance_to_scene(p - e.yyx)));
}

vec3 sky(vec3 direction) {
    return mix(vec3(0.9, 0.85, 0.8), vec3(0.25, 0.45, 0.8), clamp(direction.y * 1.5 + 0.2, 0.0, 1.0));
}

vec3 colour_of(vec3 p) {
    if (p.y < -0.98) {
        bool dark = fract((floor(p.x) + floor(p.z)) * 0.5) > 0.25;
        return dark ? vec3(0.25) : vec3(0.8);
    }
    return 0.5 + 0.4 * sin(vec3(0.0, 2.0, 4.0) + p.x * 1.3);
}

vec3 shade(vec3 from, vec3 direction) {
    Hit hit = follow(from, direction, 0.0);
    if (!hit.found) {
        return sky(direction);
    }
    vec3 p = from + direction * hit.travelled;
    vec3 normal = normal_at(p);
    float lit = max(dot(normal, light.xyz), 0.0);
    if (lit > 0.0 && follow(p + normal * 0.03, light.xyz, 0.0).found) {
        lit = 0.0;
    }
    vec3 surface = colour_of(p) * (0.25 + 0.75 * lit);
    return mix(surface, sky(direction), smoothstep(6.0, FAR, hit.travelled));
}

void main() {
    uvec2 pixel = gl_GlobalInvocationID.xy;
    if (pixel.x >= width || pixel.y >= height) {
        return;
    }
    vec2 size = vec2(width, height);
    vec2 screen = (vec2(pixel) + 0.5 - 0.5 * size) / size.y;
    vec3 direction = normalize(vec3(screen.x, -screen.y, 1.4));
    vec3 colour = sqrt(clamp(shade(vec3(0.0, 0.3, -4.0), direction), 0.0, 1.0));
    picture[pixel.y * width + pixel.x] = packUnorm4x8(vec4(colour, 1.0));
}
