// Panes of coloured glass, one over the other.

struct Varyings { @builtin(position) position: vec4<f32>, @location(0) @interpolate(flat) colour: vec4<f32> }

@vertex fn pane(@location(0) corner: vec2<f32>, @location(1) place: vec4<f32>, @location(2) colour: vec4<f32>) -> Varyings {
    let turned = vec2<f32>(corner.x * place.z - corner.y * place.w, corner.x * place.w + corner.y * place.z);
    return Varyings(vec4<f32>(place.xy + turned, 0.5, 1.0), colour);
}

@fragment fn glass(in: Varyings) -> @location(0) vec4<f32> {
    return in.colour;
}
