//! Comparison of two recordings of one program through two drivers: what each wrote, record by record.
//!
//! Drivers divide work differently: into streams, updates of state, launches of their own. So render passes are compared in
//! order, each draw with the state in effect when it is reached; launches are compared by the values that occur in any of
//! them. Addresses are not compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use agx_emulator::Memory;

use crate::bytes;
use crate::execute::Command;
use crate::execute::compute::{Launch, extended};
use crate::execute::render::{has_borders, vertex_words};
use crate::execute::state::{ARRAYS, read_update};
use crate::execute::vertices::DrawCall;
use crate::record::{
    self, CDM_BARRIER, CDM_LAUNCH, Field, Record, UPDATE, VDM_BARRIER, VDM_INDICES, VDM_LINK, VDM_PPP,
    VDM_STATE, cf_binding, cf_header, compute_barrier, compute_command, draw_barrier, draw_link,
    fragment_control, fragment_shader, index_list, launch, multisample_control, ppp_control, ppp_header,
    ppp_state, render_command, scissor_index, usc_fragment, usc_preamble, usc_registers, usc_shader,
    usc_shared, vertex_shader_0, vertex_shader_1, vertex_state, zls_control, zls_pixels,
};
use crate::stream::{StreamError, Walk, Words};

/// A field that two drivers wrote differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The pass, the draw, or all launches.
    pub place: String,
    /// Name of the record.
    pub record: &'static str,
    /// Name of the field.
    pub field: &'static str,
    /// Its value in the first and in the second recording.
    pub values: [String; 2],
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.values;
        write!(f, "{}: {}: {} is {first}, then {second}", self.place, self.record, self.field)
    }
}

/// A record, and what it is for.
type Told = (String, &'static Record, Vec<u8>);

/// What a driver wrote.
#[derive(Default)]
pub(crate) struct Written {
    passes: Vec<Pass>,
    /// The records of all launches.
    launches: Vec<Told>,
}

/// A render pass: its command with its programs, and each draw with its state.
struct Pass {
    head: Vec<Told>,
    draws: Vec<Vec<Told>>,
}

/// Fields with addresses and with sizes that depend on them.
const PLACES: &[(&Record, &[Field])] = &[
    (&launch::RECORD, &[launch::PIPELINE]),
    (&vertex_shader_1::RECORD, &[vertex_shader_1::PIPELINE]),
    (&fragment_shader::RECORD, &[fragment_shader::PIPELINE, fragment_shader::COEFFICIENTS]),
    (&usc_shader::RECORD, &[usc_shader::CODE]),
    (&usc_preamble::RECORD, &[usc_preamble::CODE]),
    (&index_list::RECORD, &[index_list::INDEX_HIGH]),
    (&scissor_index::RECORD, &[scissor_index::SCISSOR, scissor_index::DEPTH_BIAS]),
    (&record::occlusion::RECORD, &[record::occlusion::INDEX]),
    (&render_command::RECORD, {
        use render_command::*;
        &[
            STREAM,
            SCISSORS,
            DEPTH_BIASES,
            OCCLUSION,
            DEPTH_BASE,
            DEPTH_METADATA,
            STENCIL_BASE,
            STENCIL_METADATA,
            SAMPLER_HEAP,
            BACKGROUND,
            END_OF_TILE,
            PARTIAL_BACKGROUND,
            PARTIAL_END_OF_TILE,
            VERTEX_HELPER,
            VERTEX_HELPER_DATA,
            FRAGMENT_HELPER,
            FRAGMENT_HELPER_DATA,
            // They are records of their own.
            ZLS_CONTROL,
            ZLS_PIXELS,
            PPP_CONTROL,
            MULTISAMPLE,
        ]
    }),
];

/// Whether a field's value is an address.
fn is_place(record: &Record, field: &Field) -> bool {
    PLACES.iter().any(|(known, fields)| known.name == record.name && fields.contains(field))
}

impl Written {
    /// Adds what a command contains. What cannot be read is left out.
    pub(crate) fn add(&mut self, memory: &Memory, base: u64, command: &Command) {
        match command {
            Command::Compute(command) => {
                // The records up to the error remain.
                let _ = self.compute(memory, base, compute_command::STREAM.get(command));
            }
            Command::Render(command) => {
                let mut pass = Pass { head: Vec::new(), draws: Vec::new() };
                let mut reader = DrawReader { memory, base, command, states: BTreeMap::new() };
                let _ = reader.head(&mut pass.head).and_then(|()| reader.draws(&mut pass.draws));
                self.passes.push(pass);
            }
        }
    }

    fn compute(&mut self, memory: &Memory, base: u64, address: u64) -> Result<(), StreamError> {
        let mut walk = Walk::new(address);
        loop {
            let reached = walk.reach(memory)?;
            match reached.kind {
                CDM_LAUNCH => {
                    let found = Launch::read(memory, &mut walk)?;
                    let pipeline = bytes::address(base, launch::PIPELINE.get(&found.head));
                    let is_extended = extended(&found.head);
                    self.launches.push((String::new(), &launch::RECORD, found.head));
                    words(memory, base, (pipeline, is_extended), "", &mut self.launches)?;
                }
                CDM_BARRIER => {
                    let barrier = walk.take(memory, &compute_barrier::RECORD)?;
                    self.launches.push((String::new(), &compute_barrier::RECORD, barrier));
                }
                kind => match walk.compute_flow(memory, kind)? {
                    Some(true) => {}
                    _ => return Ok(()),
                },
            }
        }
    }

    /// The fields that another driver wrote differently.
    pub(crate) fn differences(&self, other: &Written) -> Vec<Difference> {
        let mut found = count("passes", [&self.passes, &other.passes].map(Vec::len));
        for (number, (own, theirs)) in (1..).zip(self.passes.iter().zip(&other.passes)) {
            let place = format!("pass {number}");
            found.extend(compare(&place, &own.head, &theirs.head));
            let counts = [own, theirs].map(|pass| pass.draws.len());
            if counts[0] != counts[1] {
                found.extend(count(&place, counts));
                continue;
            }
            for (draw, (own, theirs)) in (1..).zip(own.draws.iter().zip(&theirs.draws)) {
                found.extend(compare(&format!("{place}, draw {draw}"), own, theirs));
            }
        }
        let (own, theirs) = (values(&self.launches), values(&other.launches));
        for key in own.keys().chain(theirs.keys().filter(|key| !own.contains_key(*key))) {
            let sets = [own.get(key), theirs.get(key)].map(|set| set.cloned().unwrap_or_default());
            if sets[0] != sets[1] {
                let values = sets.map(|set| set.into_iter().collect::<Vec<_>>().join(", "));
                found.push(Difference { place: "launches".into(), record: key.0, field: key.1, values });
            }
        }
        found
    }
}

/// The difference of two numbers of passes or draws, if they are not equal.
fn count(place: &str, [own, theirs]: [usize; 2]) -> Vec<Difference> {
    let values = [own, theirs].map(|count| count.to_string());
    let is_different = own != theirs;
    let difference = Difference { place: place.to_owned(), record: "stream", field: "COUNT", values };
    is_different.then_some(difference).into_iter().collect()
}

/// The fields in which two lists of records differ. Records are matched by what they are for.
fn compare(place: &str, own: &[Told], theirs: &[Told]) -> Vec<Difference> {
    let known = |list: &[Told]| -> BTreeMap<String, (&'static Record, Vec<u8>)> {
        list.iter().map(|(role, record, bytes)| (role.clone(), (*record, bytes.clone()))).collect()
    };
    let (own, theirs) = (known(own), known(theirs));
    let roles: BTreeSet<&String> = own.keys().chain(theirs.keys()).collect();
    let mut found = Vec::new();
    for role in roles {
        let pair = [own.get(role), theirs.get(role)];
        let place = format!("{place}, {role}");
        let Some((record, _)) = pair.into_iter().flatten().next() else { continue };
        let [Some((_, first)), Some((_, second))] = pair else {
            let values = pair.map(|side| String::from(if side.is_some() { "present" } else { "absent" }));
            found.push(Difference { place, record: record.name, field: "RECORD", values });
            continue;
        };
        for field in record.fields.iter().filter(|field| !is_place(record, field)) {
            let values = [first, second].map(|bytes| field.text(bytes));
            if field.raw(first) != field.raw(second) {
                let place = place.clone();
                found.push(Difference { place, record: record.name, field: field.name, values });
            }
        }
    }
    found
}

/// The values of every field that occur in a list of records.
fn values(list: &[Told]) -> BTreeMap<(&'static str, &'static str), BTreeSet<String>> {
    let mut values: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    for (_, record, bytes) in list {
        for field in record.fields.iter().filter(|field| !is_place(record, field)) {
            values.entry((record.name, field.name)).or_default().insert(field.text(bytes));
        }
    }
    values
}

/// Adds the words of a program that do not depend on its data.
fn words(
    memory: &Memory,
    base: u64,
    (address, is_extended): (u64, bool),
    role: &str,
    told: &mut Vec<Told>,
) -> Result<(), StreamError> {
    let kinds = [&usc_shared::RECORD, &usc_shader::RECORD, &usc_registers::RECORD, &usc_fragment::RECORD];
    let list = Words::read((memory, None), base, address, is_extended)?.list;
    let known = list.into_iter().filter(|(_, record, _)| kinds.iter().any(|kind| kind.name == record.name));
    told.extend(known.map(|(_, record, bytes)| (format!("{role}{}", record.name), record, bytes)));
    Ok(())
}

/// Reads a render pass.
struct DrawReader<'m> {
    memory: &'m Memory,
    base: u64,
    command: &'m [u8],
    /// State in effect, by what it is for.
    states: BTreeMap<String, (&'static Record, Vec<u8>)>,
}

impl DrawReader<'_> {
    /// The command, its registers, and its programs.
    fn head(&self, told: &mut Vec<Told>) -> Result<(), StreamError> {
        use render_command::*;
        told.push(("command".into(), &RECORD, self.command.to_vec()));
        let registers: [(&'static Record, Field); 4] = [
            (&zls_control::RECORD, ZLS_CONTROL),
            (&zls_pixels::RECORD, ZLS_PIXELS),
            (&ppp_control::RECORD, PPP_CONTROL),
            (&multisample_control::RECORD, MULTISAMPLE),
        ];
        for (record, field) in registers {
            told.push((record.name.into(), record, field.get(self.command).to_le_bytes().to_vec()));
        }
        for (role, program, resources) in [
            ("background ", BACKGROUND, BACKGROUND_RESOURCES),
            ("end of tile ", END_OF_TILE, END_OF_TILE_RESOURCES),
            ("partial background ", PARTIAL_BACKGROUND, PARTIAL_BACKGROUND_RESOURCES),
            ("partial end of tile ", PARTIAL_END_OF_TILE, PARTIAL_END_OF_TILE_RESOURCES),
        ] {
            let address = agx_abi::render::tile_program_address(program.get(self.command));
            let is_extended = has_borders(resources.get(self.command));
            words(self.memory, self.base, (bytes::address(self.base, address), is_extended), role, told)?;
        }
        Ok(())
    }

    fn draws(&mut self, draws: &mut Vec<Vec<Told>>) -> Result<(), StreamError> {
        let mut walk = Walk::new(render_command::STREAM.get(self.command));
        loop {
            let reached = walk.reach(self.memory)?;
            match reached.kind {
                VDM_PPP => {
                    let pointer = walk.take(self.memory, &ppp_state::RECORD)?;
                    self.update(&pointer)?;
                }
                VDM_BARRIER => {
                    let barrier = walk.take(self.memory, &draw_barrier::RECORD)?;
                    if draw_barrier::RETURNS.is_set(&barrier) {
                        walk.back()?;
                    }
                }
                VDM_STATE => {
                    for (record, bytes) in vertex_words(self.memory, &mut walk)? {
                        if record.name != vertex_state::RECORD.name {
                            self.states.insert(record.name.into(), (record, bytes));
                        }
                    }
                }
                VDM_INDICES => {
                    let call = DrawCall::read(self.memory, &mut walk)?;
                    draws.push(self.draw(call)?);
                }
                VDM_LINK => {
                    let bytes = walk.take(self.memory, &draw_link::RECORD)?;
                    let target = draw_link::TARGET_HIGH.get(&bytes) << 32 | draw_link::TARGET_LOW.get(&bytes);
                    walk.link(target, draw_link::WITH_RETURN.is_set(&bytes))?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Applies an update of the rasteriser's state.
    fn update(&mut self, pointer: &[u8]) -> Result<(), StreamError> {
        let update = read_update(self.memory, pointer)?;
        let mut records = update.into_iter();
        let Some((_, _, header)) = records.next() else { return Ok(()) };
        let viewports = ppp_header::VIEWPORTS.get(&header);
        for (flag, _, is_each) in UPDATE.iter().filter(|(flag, ..)| flag.is_set(&header)) {
            for number in 0..if *is_each { viewports } else { 1 } {
                let Some((_, record, bytes)) = records.next() else { break };
                let role = if *is_each { format!("{} {number}", record.name) } else { flag.name.to_owned() };
                self.states.insert(role, (record, bytes));
            }
        }
        Ok(())
    }

    /// The state of a draw, with the draw itself.
    fn draw(&self, call: DrawCall) -> Result<Vec<Told>, StreamError> {
        let state = |role: &str| self.states.get(role).map(|(_, bytes)| bytes.as_slice()).unwrap_or_default();
        let restarts = index_list::RESTART.is_set(&call.head);
        let is_used = |role: &str| role != record::restart_index::RECORD.name || restarts;
        let states = self.states.iter().filter(|(role, _)| is_used(role));
        let mut told: Vec<Told> =
            states.map(|(role, (record, bytes))| (role.clone(), *record, bytes.clone())).collect();
        told.push(("draw".into(), &index_list::RECORD, call.head));
        self.arrays(state("SCISSOR"), state("CONTROL"), &mut told);
        let at = |pipeline: u64| bytes::address(self.base, pipeline);
        let resources = state(vertex_shader_0::RECORD.name);
        let is_extended = has_borders(vertex_shader_0::SAMPLERS.raw(resources) << 9);
        let pipeline = at(vertex_shader_1::PIPELINE.get(state(vertex_shader_1::RECORD.name)));
        words(self.memory, self.base, (pipeline, is_extended), "vertex ", &mut told)?;
        let runs = !fragment_control::NO_TAG_WRITE.is_set(state("CONTROL_2"));
        let shader = state("SHADER");
        if runs && !shader.is_empty() {
            let is_extended = has_borders(fragment_shader::SAMPLERS.raw(shader) << 9);
            let pipeline = at(fragment_shader::PIPELINE.get(shader));
            words(self.memory, self.base, (pipeline, is_extended), "fragment ", &mut told)?;
            self.coefficients(shader, &mut told);
        }
        Ok(told)
    }

    /// The scissor and the depth bias of a draw.
    fn arrays(&self, index: &[u8], control: &[u8], told: &mut Vec<Told>) {
        let biases = fragment_control::DEPTH_BIAS.is_set(control);
        let used = [true, biases].into_iter().zip(ARRAYS).filter(|(is_used, _)| *is_used);
        for (_, (base, field, record)) in used {
            let address = bytes::element(base.get(self.command), field.get(index), record);
            if let Ok(bytes) = bytes::record(self.memory, address, record) {
                told.push((record.name.into(), record, bytes));
            }
        }
    }

    /// The coefficient bindings of a fragment program.
    fn coefficients(&self, shader: &[u8], told: &mut Vec<Told>) {
        let address = bytes::address(self.base, fragment_shader::COEFFICIENTS.get(shader));
        let count = fragment_shader::BINDINGS.get(shader) as usize;
        let len = cf_header::RECORD.bytes.saturating_add(count.saturating_mul(cf_binding::RECORD.bytes));
        let Ok(list) = bytes::read(self.memory, address, len) else { return };
        let Some((header, bindings)) = list.split_at_checked(cf_header::RECORD.bytes) else { return };
        if count > 0 {
            told.push((cf_header::RECORD.name.into(), &cf_header::RECORD, header.to_vec()));
        }
        for (number, binding) in bindings.chunks_exact(cf_binding::RECORD.bytes).enumerate() {
            told.push((
                format!("{} {number}", cf_binding::RECORD.name),
                &cf_binding::RECORD,
                binding.to_vec(),
            ));
        }
    }
}
