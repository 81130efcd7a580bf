//! A fragment shader that reads every varying that a vertex shader declares.

use std::fmt::Write;

use crate::spirv_scan::{Instruction, constant, decoration, decorations, definition, instructions, op};

/// Maximum number of locations of a variable; more than any in the corpus has.
const LOCATION_LIMIT: usize = 64;

/// Interpolation by location: all kinds in one shader.
const INTERPOLATION: [&str; 3] = ["", "flat ", "noperspective "];

/// SPIR-V's number of the storage class of outputs.
const OUTPUT: u32 = 3;

/// A scalar or vector at one location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Varying {
    location: u32,
    /// Its first component.
    component: u32,
    /// Components.
    width: u32,
    scalar: Scalar,
}

/// The type of a component, and its bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scalar {
    Float(u32),
    Signed(u32),
    Unsigned(u32),
}

/// The source of the shader, in GLSL.
///
/// # Errors
/// The first varying of a type that fragment shaders cannot read.
pub fn varying_reader(vertex: &[u8]) -> Result<String, String> {
    let instructions = instructions(vertex);
    let mut varyings = Vec::new();
    for (_, operands) in instructions.iter().filter(|(opcode, _)| *opcode == op::VARIABLE) {
        let [pointer, id, OUTPUT, ..] = *operands.as_slice() else { continue };
        let Some((op::TYPE_POINTER, pointer)) = definition(&instructions, pointer) else { continue };
        let Some(ty) = pointer.get(2).copied() else { continue };
        let value = |wanted: u32| decoration(&instructions, id, wanted)?.first().copied();
        let component = value(decorations::COMPONENT).unwrap_or(0);
        match value(decorations::LOCATION) {
            Some(location) => varyings.extend(at(&instructions, ty, location, component)?),
            None if value(decorations::BUILT_IN).is_some() => {}
            None => {
                for (ty, location) in members(&instructions, ty) {
                    varyings.extend(at(&instructions, ty, location, component)?);
                }
            }
        }
    }
    source(&varyings)
}

/// The members of a block with locations, and these locations.
fn members(instructions: &[Instruction], block: u32) -> Vec<(u32, u32)> {
    let location = |index: u32| {
        let wanted = [block, index, decorations::LOCATION];
        let decorates = |(opcode, operands): &&Instruction| {
            *opcode == op::MEMBER_DECORATE && operands.get(..3) == Some(&wanted)
        };
        instructions.iter().find(decorates).and_then(|(_, operands)| operands.get(3).copied())
    };
    let types = definition(instructions, block).filter(|(opcode, _)| *opcode == op::TYPE_STRUCT);
    let types = types.and_then(|(_, operands)| operands.get(1..)).unwrap_or_default();
    (0..).zip(types).filter_map(|(index, ty)| Some((*ty, location(index)?))).collect()
}

/// The scalars and vectors of a type, one for each location from `location` on.
fn at(instructions: &[Instruction], ty: u32, location: u32, component: u32) -> Result<Vec<Varying>, String> {
    let mut open = vec![ty];
    let mut found = Vec::new();
    while let Some(ty) = open.pop() {
        let Some((opcode, operands)) = definition(instructions, ty) else {
            return Err(format!("type {ty} is not declared"));
        };
        let [first, second] = [1, 2].map(|index| operands.get(index).copied().unwrap_or_default());
        let parts = match *opcode {
            op::TYPE_STRUCT => operands.get(1..).unwrap_or_default().iter().rev().copied().collect(),
            op::TYPE_ARRAY => {
                vec![first; (constant(instructions, second).unwrap_or(1) as usize).min(LOCATION_LIMIT)]
            }
            op::TYPE_MATRIX => vec![first; second as usize],
            _ => Vec::new(),
        };
        if parts.is_empty() {
            let (scalar, width) = if *opcode == op::TYPE_VECTOR { (first, second) } else { (ty, 1) };
            let scalar = scalar_type(instructions, scalar)?;
            found.push(Varying { location: location + found.len() as u32, component, width, scalar });
        }
        open.extend(parts);
        if found.len() + open.len() > LOCATION_LIMIT {
            return Err(format!("an output of more than {LOCATION_LIMIT} locations"));
        }
    }
    Ok(found)
}

fn scalar_type(instructions: &[Instruction], ty: u32) -> Result<Scalar, String> {
    let (opcode, operands) = definition(instructions, ty).ok_or("a type is not declared")?;
    match (*opcode, operands.as_slice()) {
        (op::TYPE_FLOAT, [_, bits @ (16 | 32), ..]) => Ok(Scalar::Float(*bits)),
        (op::TYPE_INT, [_, bits @ (16 | 32), 0]) => Ok(Scalar::Unsigned(*bits)),
        (op::TYPE_INT, [_, bits @ (16 | 32), _]) => Ok(Scalar::Signed(*bits)),
        _ => Err("an output of another type than integers and floats of 16 or 32 bits".into()),
    }
}

impl Scalar {
    /// GLSL's names of the scalar, and of its vectors without their width.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Scalar::Float(16) => ("float16_t", "f16vec"),
            Scalar::Signed(16) => ("int16_t", "i16vec"),
            Scalar::Unsigned(16) => ("uint16_t", "u16vec"),
            Scalar::Float(_) => ("float", "vec"),
            Scalar::Signed(_) => ("int", "ivec"),
            Scalar::Unsigned(_) => ("uint", "uvec"),
        }
    }
}

fn source(varyings: &[Varying]) -> Result<String, String> {
    let mut declarations = String::from(
        "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n\
         layout(location = 0) out vec4 color;\n",
    );
    let mut body = String::from("  color = vec4(0.0);\n");
    for (index, varying) in varyings.iter().enumerate() {
        let Varying { location, component, width, scalar } = *varying;
        let interpolation = match scalar {
            Scalar::Float(_) => INTERPOLATION[location as usize % INTERPOLATION.len()],
            _ => "flat ",
        };
        let ty = match (scalar.names(), width) {
            ((name, _), 1) => name.to_owned(),
            ((_, vector), 2..=4) => format!("{vector}{width}"),
            _ => return Err(format!("a vector of {width} components")),
        };
        let value = match width {
            1 => format!("vec4(float(v{index}))"),
            2 => format!("vec4(vec2(v{index}), 0.0, 0.0)"),
            3 => format!("vec4(vec3(v{index}), 0.0)"),
            _ => format!("vec4(v{index})"),
        };
        let place = format!("location = {location}, component = {component}");
        // Writing to a string cannot fail.
        let _ = writeln!(declarations, "layout({place}) {interpolation}in {ty} v{index};");
        let _ = writeln!(body, "  color += {value};");
    }
    Ok(format!("{declarations}void main() {{\n{body}}}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::Tools;

    #[test]
    fn arrays_matrices_blocks_and_components_are_declared_by_location() {
        let vertex = "#version 450\n\
            layout(location = 1) out mat2x3 matrix;\n\
            layout(location = 4) flat out uvec2 pairs[2];\n\
            layout(location = 7, component = 2) out float last;\n\
            layout(location = 9) out Block { vec4 first; flat int second; } block;\n\
            void main() { gl_Position = vec4(0.0); }\n";
        let tools = Tools::find(std::env::temp_dir().join("agx-varying-reader"));
        let Some(module) = tools.glsl_or_skip(vertex, "vert", "vulkan1.2") else { return };
        let source = varying_reader(&module).expect("types that are read");
        let inputs: Vec<&str> = source.lines().filter(|line| line.contains(" in ")).collect();
        assert_eq!(
            inputs,
            [
                "layout(location = 1, component = 0) flat in vec3 v0;",
                "layout(location = 2, component = 0) noperspective in vec3 v1;",
                "layout(location = 4, component = 0) flat in uvec2 v2;",
                "layout(location = 5, component = 0) flat in uvec2 v3;",
                "layout(location = 7, component = 2) flat in float v4;",
                "layout(location = 9, component = 0) in vec4 v5;",
                "layout(location = 10, component = 0) flat in int v6;",
            ]
        );
        assert!(tools.glsl_or_skip(&source, "frag", "vulkan1.2").is_some());
    }

    #[test]
    fn doubles_are_refused() {
        let vertex = "#version 450\nlayout(location = 0) out double wide;\n\
            void main() { gl_Position = vec4(0.0); wide = 1.0; }\n";
        let tools = Tools::find(std::env::temp_dir().join("agx-varying-reader"));
        let Some(module) = tools.glsl_or_skip(vertex, "vert", "vulkan1.2") else { return };
        assert!(varying_reader(&module).is_err_and(|message| message.contains("another type")));
    }
}
