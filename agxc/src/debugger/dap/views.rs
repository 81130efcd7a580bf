//! What an editor shows: frames, scopes, variables, instructions.

use std::path::Path;

use agx_debug::{Datum, Expression, Kind, Location, Part, Session, Spot, Value as Scalar};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::adapter::PREAMBLE_ADDRESS;

/// A list of values that an editor can unfold.
#[derive(Clone)]
enum Handle {
    Variables,
    Registers,
    Uniforms,
    Textures,
    Lanes,
    Waits,
    /// The components of a variable, or the values of an expression in all lanes.
    List(Vec<(String, String)>),
}

/// Scopes by name, with what they hold.
const SCOPES: &[(&str, Handle)] = &[
    ("Variables", Handle::Variables),
    ("Registers", Handle::Registers),
    ("Uniform registers", Handle::Uniforms),
    ("Textures", Handle::Textures),
    ("Lanes", Handle::Lanes),
    ("Waits", Handle::Waits),
];

/// The lists that an editor knows, by number from 1; they end when the machine continues.
#[derive(Default)]
pub struct Handles(Vec<Handle>);

impl Handles {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn add(&mut self, handle: Handle) -> usize {
        self.0.push(handle);
        self.0.len()
    }

    /// The scopes of the frame.
    pub fn scopes(&mut self, session: &Session<'_>) -> Value {
        let lane = session.lane();
        let scopes = SCOPES.iter().map(|(name, handle)| {
            let name = match handle {
                Handle::Variables | Handle::Registers => format!("{name} of lane {lane}"),
                _ => (*name).to_owned(),
            };
            let reference = self.add(handle.clone());
            json!({ "name": name, "variablesReference": reference, "expensive": false })
        });
        json!({ "scopes": scopes.collect::<Vec<_>>() })
    }

    /// The values of a list.
    pub fn variables(&mut self, reference: i64, session: &Session<'_>) -> Result<Value, String> {
        let index = usize::try_from(reference).ok().and_then(|reference| reference.checked_sub(1));
        let handle = index.and_then(|index| self.0.get(index).cloned());
        let list = match handle.ok_or("this list ended when the machine continued")? {
            Handle::Variables => self.source_variables(session),
            Handle::Registers => self.registers(session),
            Handle::Uniforms => uniforms(session),
            Handle::Textures => textures(session),
            Handle::Lanes => lanes(session),
            Handle::Waits => waits(session),
            Handle::List(list) => list.iter().map(|(name, value)| leaf(name, value)).collect(),
        };
        Ok(json!({ "variables": list }))
    }

    fn source_variables(&mut self, session: &Session<'_>) -> Vec<Value> {
        let Some(scope) = session.scope(session.lane()) else { return Vec::new() };
        let assigned = scope.variables().filter_map(|(name, datum)| Some((name, datum?)));
        assigned.map(|(name, datum)| self.datum(name, &datum)).collect()
    }

    fn datum(&mut self, name: &str, datum: &Datum) -> Value {
        match datum {
            Datum::Scalar(value) => {
                json!({ "name": name, "value": value.to_string(), "type": value.kind.name(), "evaluateName": name, "variablesReference": 0 })
            }
            Datum::Composite(components) => {
                let text =
                    |value: &Option<Scalar>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
                let list = components.iter().map(|(path, value)| (path.clone(), text(value))).collect();
                let reference = self.add(Handle::List(list));
                json!({ "name": name, "value": datum.to_string(), "evaluateName": name, "variablesReference": reference })
            }
        }
    }

    fn registers(&mut self, session: &Session<'_>) -> Vec<Value> {
        let Some(group) = session.group() else { return Vec::new() };
        let lane = session.lane();
        let is_known = |register: &u8| [0, 1].iter().any(|half| group.is_defined(2 * register + half, lane));
        let known = (0..128u8).filter(is_known);
        let one = |register: u8| {
            let [low, high] = [0, 1].map(|half| u32::from(group.half(2 * register + half, lane)));
            let list = forms(high << 16 | low);
            let reference = self.add(Handle::List(list));
            let value = format!("{:#010x}", high << 16 | low);
            json!({ "name": format!("r{register}"), "value": value, "evaluateName": format!("$r{register}"), "variablesReference": reference })
        };
        known.map(one).collect()
    }

    /// The value of an expression in a lane: the shown one, or the one after `@`, or all for `@*`.
    pub fn evaluate(&mut self, text: &str, session: &Session<'_>) -> Result<Value, String> {
        let (text, lanes) = text.rsplit_once('@').map_or((text, ""), |(text, lanes)| (text, lanes.trim()));
        let expression = Expression::parse(text.trim()).map_err(|error| error.to_string())?;
        let datum = |lane: usize| {
            let scope = session.scope(lane).ok_or("all SIMD-groups have ended")?;
            expression.datum(&scope).map_err(|error| error.to_string())
        };
        if lanes == "*" {
            let each = (0..agx_emulator::LANES).map(|lane| Ok((lane.to_string(), datum(lane)?.to_string())));
            let list = each.collect::<Result<Vec<_>, String>>()?;
            let reference = self.add(Handle::List(list));
            return Ok(json!({ "result": "all lanes", "variablesReference": reference }));
        }
        let lane = match lanes {
            "" => session.lane(),
            word => {
                word.parse().ok().filter(|lane| *lane < 32).ok_or("expected a lane below 32 after `@`")?
            }
        };
        let shown = self.datum("", &datum(lane)?);
        Ok(
            json!({ "result": shown["value"], "type": shown["type"], "variablesReference": shown["variablesReference"] }),
        )
    }
}

/// A value without parts.
fn leaf(name: &str, value: &str) -> Value {
    json!({ "name": name, "value": value, "variablesReference": 0 })
}

/// A word as each of its types.
fn forms(word: u32) -> Vec<(String, String)> {
    let named = |name: &str, kind: &str, bits: u32| {
        let kind = Kind::find(kind).map(|kind| Scalar::new(kind, bits.into()).to_string());
        (name.to_owned(), kind.unwrap_or_default())
    };
    vec![
        named("f32", "f32", word),
        named("i32", "i32", word),
        named("u32", "u32", word),
        named("low f16", "f16", word & 0xffff),
        named("high f16", "f16", word >> 16),
    ]
}

fn uniforms(session: &Session<'_>) -> Vec<Value> {
    let of = |register: u16| {
        let halves = [0, 1].map(|half| session.machine().uniform(2 * register + half));
        let word = u32::from(halves[1].unwrap_or(0)) << 16 | u32::from(halves[0].unwrap_or(0));
        let known = halves.iter().any(Option::is_some);
        let value = format!("{word:#010x}  {}  {:?}", word as i32, f32::from_bits(word));
        known.then(|| leaf(&format!("u{register}"), &value))
    };
    (0..256).filter_map(of).collect()
}

fn textures(session: &Session<'_>) -> Vec<Value> {
    agx_debug::textures(session).iter().map(|(number, text)| leaf(&format!("ts{number}"), text)).collect()
}

fn lanes(session: &Session<'_>) -> Vec<Value> {
    let one = |lane: agx_debug::Lane| {
        let [x, y, z] = lane.place;
        leaf(&lane.number.to_string(), &format!("{x},{y},{z}  {}", lane.describe()))
    };
    session.lanes().into_iter().map(one).collect()
}

fn waits(session: &Session<'_>) -> Vec<Value> {
    let Some(group) = session.group() else { return Vec::new() };
    let one = |wait_group: usize| {
        let (halves, count) = group.pending(wait_group);
        leaf(&format!("wait group {wait_group}"), &format!("{count} outstanding {halves}"))
    };
    [0, 1].map(one).into()
}

/// The address of an instruction.
fn address_of(spot: Spot) -> u64 {
    match spot.part {
        Part::Main => spot.offset.into(),
        Part::Preamble => PREAMBLE_ADDRESS | u64::from(spot.offset),
    }
}

/// A source file, by its absolute path.
fn source(session: &Session<'_>, file: u32) -> Value {
    let name = session.symbols().files.get(file as usize).map_or("", String::as_str);
    let path = std::path::absolute(name).unwrap_or_else(|_| name.into());
    let base = Path::new(name).file_name().map_or(name.into(), |base| base.to_string_lossy());
    json!({ "name": base, "path": path.to_string_lossy() })
}

/// The frame of a SIMD-group.
pub fn frame(session: &Session<'_>, at: &Location, thread: i64) -> Value {
    let active = at.exec.count_ones();
    let name = format!("{}, {active} lanes active, lane {}", at.spot.part.name(), session.lane());
    let mut frame = json!({
        "id": thread, "name": name, "line": 0, "column": 0,
        "instructionPointerReference": format!("{:#x}", address_of(at.spot)),
    });
    if let Some(row) = at.line {
        frame["line"] = row.line.into();
        frame["column"] = row.column.max(1).into();
        frame["source"] = source(session, row.file);
    }
    frame
}

/// Instructions from `first` on, relative to the one at `spot`. Outside of the code they are invalid.
pub fn disassembly(session: &Session<'_>, spot: Spot, first: i64, count: i64) -> Value {
    let all = session.code(spot.part).instructions();
    let at = all.partition_point(|one| one.offset < spot.offset) as i64;
    let one = |index: i64| {
        let place = usize::try_from(index).ok().and_then(|index| all.get(index));
        let Some(found) = place else {
            return json!({ "address": "-1", "instruction": "", "presentationHint": "invalid" });
        };
        let spot = Spot { part: spot.part, offset: found.offset };
        let mut shown = json!({ "address": format!("{:#x}", address_of(spot)), "instruction": found.text });
        if let Some(row) = session.symbols().part(spot.part).line(found.offset) {
            shown["line"] = row.line.into();
            shown["location"] = source(session, row.file);
        }
        shown
    };
    let from = at.saturating_add(first);
    let list: Vec<Value> = (from..from.saturating_add(count.clamp(0, 4096))).map(one).collect();
    json!({ "instructions": list })
}

/// Bytes as letters, digits, `+` and `/` (RFC 4648).
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // The examples of RFC 4648.
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
