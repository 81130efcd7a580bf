//! A compiled shader as JSON: code, assembly and costs, the information for a driver, statistics.
//! `docs/shader.schema.json` describes the form.

use agx_abi::layout::FieldValue;
use agx_abi::{SamplerBinding, ShaderInfo, Stage, Target, TextureBinding, UniformRange};
use agx_compiler::{CompiledShader, LineRow, ShaderPart};
use agx_isa::disasm;
use serde_json::{Value, json};

use crate::report::lines::LineCost;
use crate::report::{self, PartReport, Row};
use crate::{assembly, output, stage_json, statistics};

/// Version of this form, increased when a field changes its meaning or is removed.
pub const SCHEMA_VERSION: u32 = 2;

/// The whole shader.
pub fn shader(shader: &CompiledShader, target: Target) -> Value {
    json!({
        "schema_version": SCHEMA_VERSION,
        "target": target.name(),
        "info": info(&shader.info),
        "parts": shader.parts.iter().zip(report::parts(shader)).map(|(code, costs)| part(shader, code, &costs)).collect::<Vec<_>>(),
        "files": shader.sources.files,
        "statistics": statistics::json(&shader.stats),
    })
}

/// A part; `lines` has rows of byte offset, file, line and column.
fn part(shader: &CompiledShader, part: &ShaderPart, report: &PartReport) -> Value {
    let row = |row: &LineRow| {
        let position = shader.sources.get(row.position)?;
        Some(json!([row.offset, position.file, position.line, position.column]))
    };
    let lines: Vec<Value> = part.lines.iter().filter_map(row).collect();
    let rows = report.rows.iter().filter(|row| !row.is_padding);
    json!({
        "role": assembly::role_name(part.role),
        "continues": report.continues,
        "code": output::hex(&part.code),
        "assembly": disasm::listing(&part.code, false),
        "lines": lines,
        "instructions": rows.map(|row| instruction(shader, row)).collect::<Vec<_>>(),
        "costs": report::lines::costs(shader, report).iter().map(cost).collect::<Vec<_>>(),
        "peak_live_halves": report.peak_halves(),
    })
}

fn instruction(shader: &CompiledShader, row: &Row) -> Value {
    let mut value = json!({
        "offset": row.offset,
        "bytes": row.bytes,
        "text": row.text,
        "cycles": row.cycles,
        "stalled_cycles": row.stalled,
        "live_halves": row.live.len(),
        "live": row.live.to_string(),
    });
    if let Some(label) = &row.label {
        value["label"] = label.as_str().into();
    }
    if let Some(place) = row.position.and_then(|position| shader.sources.get(position)) {
        (value["file"], value["line"]) = (place.file.into(), place.line.into());
    }
    value
}

fn cost(cost: &LineCost) -> Value {
    json!({
        "file": cost.file,
        "line": cost.line,
        "instructions": cost.instructions,
        "cycles": cost.cycles,
        "stalled_cycles": cost.stalled,
        "live_halves": cost.live_halves,
    })
}

fn info(info: &ShaderInfo) -> Value {
    let mut value = json!({
        "stage": info.stage.name(),
        "entry_point": info.entry_point,
        "gpr_halves": info.gpr_halves,
        "preamble_gpr_halves": info.preamble_gpr_halves,
        "uniform_halves": info.uniform_halves,
        "uniforms": info.uniforms.iter().map(uniform).collect::<Vec<_>>(),
        "textures": info.textures.iter().map(texture).collect::<Vec<_>>(),
        "samplers": info.samplers.iter().map(sampler).collect::<Vec<_>>(),
        "workgroup_size": info.workgroup_size,
        "local_bytes": info.local_bytes,
        "scratch_bytes": info.scratch_bytes,
        "preamble_scratch_bytes": info.preamble_scratch_bytes,
        "constants": output::hex(&info.constants),
        "promoted": output::hex(&info.promoted),
        "writes_memory": info.writes_memory,
        "whole": info.whole,
        "uses_barrier": info.uses_barrier,
    });
    match info.stage {
        Stage::Vertex => value["vertex"] = stage_json::vertex(info),
        Stage::Fragment => value["fragment"] = stage_json::fragment(&info.fragment),
        Stage::Compute => {}
    }
    if let Some(modes) = info.tessellation {
        value["tessellation"] = stage_json::tessellation(modes);
    }
    if let Some(modes) = &info.geometry {
        value["geometry"] = stage_json::geometry(modes, &info.varyings);
    }
    if let Some(kernel) = &info.kernel {
        value["kernel"] = stage_json::kernel(kernel);
    }
    if let Some(modes) = &info.mesh {
        value["mesh"] = stage_json::mesh(modes, &info.varyings);
    }
    value
}

fn texture(texture: &TextureBinding) -> Value {
    let TextureBinding { set, binding, element, kind } = texture;
    json!({ "kind": kind.name(), "set": set, "binding": binding, "element": element })
}

fn sampler(sampler: &SamplerBinding) -> Value {
    match sampler {
        SamplerBinding::Bound { set, binding, element } => {
            json!({ "kind": "bound", "set": set, "binding": binding, "element": element })
        }
        SamplerBinding::Paired { set, binding, element, texture_set, texture_binding, texture_element } => {
            let texture =
                json!({ "set": texture_set, "binding": texture_binding, "element": texture_element });
            json!({ "kind": "paired", "set": set, "binding": binding, "element": element, "texture": texture })
        }
        SamplerBinding::Loads => json!({ "kind": "loads" }),
    }
}

fn uniform(range: &UniformRange) -> Value {
    let mut source = serde_json::Map::new();
    source.insert("kind".to_owned(), range.source.desc().name.into());
    for (name, value) in range.source.fields() {
        // `kind` is the kind of the source itself.
        let name = if name == "kind" { "descriptors" } else { name };
        let value = match value {
            FieldValue::Number(number) => number.into(),
            FieldValue::Word(word) => word.into(),
        };
        source.insert(name.to_owned(), value);
    }
    json!({ "start": range.start, "halves": range.halves, "source": source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agx_abi::{PartRole, UniformSource};

    #[test]
    fn code_and_layout_are_in_it() {
        let mut compiled = CompiledShader::default();
        compiled.parts.push(ShaderPart::new(PartRole::Main, vec![0x88, 0x00]));
        let source = UniformSource::BufferAddress { set: 1, binding: 2, element: 0 };
        compiled.info.uniforms.push(UniformRange { start: 4, halves: 4, source });
        let value = shader(&compiled, Target::G14G);
        let part = &value["parts"][0];
        assert_eq!(
            (&part["role"], &part["code"], &part["lines"]),
            (&json!("main"), &json!("8800"), &json!([]))
        );
        assert_eq!(part["assembly"], "    stop\n");
        assert_eq!(part["instructions"][0]["text"], "stop");
        assert_eq!(value["info"]["uniforms"][0]["source"]["binding"], 2);
        assert_eq!(value["target"], "g14g");
    }
}
