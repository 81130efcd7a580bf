//! The arguments of an OpenCL kernel from the command line: what an implementation of OpenCL does before it launches one.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice, clippy::arithmetic_side_effects))]

use agx_abi::kernel::{LOCAL_ALIGN, PRINTF_HEADER_BYTES};
use agx_abi::{ArgumentKind, KernelArgument, KernelInfo, ShaderInfo};
use agx_emulator::launch::BufferBinding;
use clap::ArgMatches;

use crate::commands::Inputs;
use crate::diagnostic::Failure;
use crate::{input, printf, texture, values};

/// Maximum number of bytes of an argument in local memory that the command line accepts; the compiler's limit is lower.
const MOST_LOCAL_BYTES: u32 = 1 << 20;

/// Most work-items of a workgroup whose size nobody gives.
const MOST_ITEMS: u32 = 64;

/// Number of bytes for the records of `printf`.
const PRINTF_BYTES: u32 = 1 << 20;

/// Gives the arguments of the options to the kernel with this information: buffers, the block of values, workgroup memory, and
/// the number of workgroups.
///
/// # Errors
/// Arguments that are missing, too many, or of another size, and sizes that do not divide each other.
pub fn prepare(options: &ArgMatches, info: &mut ShaderInfo, inputs: &mut Inputs) -> Result<(), Failure> {
    let Some(kernel) = info.kernel.clone() else { return reject(options) };
    let mut block = std::mem::take(&mut inputs.bindings.push_constants);
    let has_block = !block.is_empty();
    block.resize(block.len().max(kernel.block_bytes as usize), 0);
    let mut launch = Block { info: &kernel, bytes: block, given: Vec::new(), local_bytes: info.local_bytes };
    for spec in options.get_many::<String>("arg").into_iter().flatten() {
        launch.argument(spec, inputs)?;
    }
    if !has_block {
        launch.check(inputs)?;
    }
    let literals = (0..).zip(&kernel.samplers).map(|(number, sampler)| texture::literal(number, sampler));
    inputs.bindings.samplers.extend(literals);
    launch.grid(options, info.workgroup_size, inputs)?;
    info.local_bytes = launch.local_bytes;
    inputs.bindings.push_constants = launch.bytes;
    Ok(())
}

/// Rejects options for kernels.
fn reject(options: &ArgMatches) -> Result<(), Failure> {
    let given = ["arg", "global-size", "global-offset"].into_iter().find(|name| options.contains_id(name));
    given.map_or(Ok(()), |name| {
        Err(Failure::usage(format!("--{name} has no effect on shaders that are not OpenCL kernels")))
    })
}

/// The block of arguments as far as it is known.
struct Block<'k> {
    info: &'k KernelInfo,
    bytes: Vec<u8>,
    /// The parameters that have an argument.
    given: Vec<u32>,
    local_bytes: u32,
}

impl Block<'_> {
    /// Writes `bytes` at the place of an argument.
    fn put(&mut self, argument: &KernelArgument, bytes: &[u8]) {
        let place = self.bytes.iter_mut().skip(argument.offset as usize).take(argument.size as usize);
        place.zip(bytes).for_each(|(place, byte)| *place = *byte);
    }

    /// The argument `INDEX=SPEC` or `NAME=SPEC`.
    fn argument(&mut self, spec: &str, inputs: &mut Inputs) -> Result<(), Failure> {
        let (name, value) = spec
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("--arg: expected INDEX=SPEC, found `{spec}`")))?;
        let wanted = name.parse::<u32>().ok();
        let is_wanted = |argument: &&KernelArgument| match wanted {
            Some(index) => argument.index == index,
            None => argument.name == name,
        };
        let parameters = self.info.arguments.iter().filter(|argument| !argument.kind.is_implicit());
        let count = parameters.clone().count();
        let found = parameters.clone().find(is_wanted).cloned();
        let argument = found.ok_or_else(|| {
            Failure::usage(format!("--arg `{spec}`: the kernel has no parameter `{name}`; it has {count}"))
        })?;
        if self.given.contains(&argument.index) {
            return Err(Failure::usage(format!(
                "--arg `{spec}`: parameter {} is given twice",
                argument.index
            )));
        }
        self.given.push(argument.index);
        match argument.kind {
            ArgumentKind::Local => self.local(&argument, value),
            kind if kind.is_address() => buffer(&argument, value, inputs),
            ArgumentKind::Value => self.value(&argument, value),
            kind => Err(Failure::usage(format!(
                "--arg `{spec}`: parameter {} is of kind {}; bind it with --texture, --image or --sampler at 0.{}",
                argument.index,
                kind.name(),
                argument.index
            ))),
        }
    }

    /// Memory of the workgroup: `local:BYTES`.
    fn local(&mut self, argument: &KernelArgument, value: &str) -> Result<(), Failure> {
        let bytes = value.strip_prefix("local:").and_then(|bytes| bytes.parse::<u32>().ok());
        let bytes = bytes.filter(|bytes| *bytes <= MOST_LOCAL_BYTES).ok_or_else(|| {
            let index = argument.index;
            Failure::usage(format!(
                "--arg: parameter {index} is local memory; expected {index}=local:BYTES, found `{value}`"
            ))
        })?;
        let start = self.local_bytes.next_multiple_of(LOCAL_ALIGN);
        self.local_bytes = start.saturating_add(bytes);
        self.put(argument, &start.to_le_bytes());
        Ok(())
    }

    /// A number, a vector or a structure.
    fn value(&mut self, argument: &KernelArgument, value: &str) -> Result<(), Failure> {
        let bytes = values::contents(value, &input::read_bytes)?.bytes;
        let (size, found) = (argument.size as usize, bytes.len());
        // A vector of three components may come without its unused fourth one.
        if found > size || found.saturating_mul(4) < size.saturating_mul(3) || found == 0 {
            let index = argument.index;
            return Err(Failure::usage(format!(
                "--arg: parameter {index} has {size} bytes, `{value}` has {found}"
            )));
        }
        self.put(argument, &bytes);
        Ok(())
    }

    /// Checks that every parameter has an argument. Pointers without a buffer are null.
    fn check(&self, inputs: &Inputs) -> Result<(), Failure> {
        for argument in &self.info.arguments {
            let is_given = self.given.contains(&argument.index);
            let has_buffer = || {
                let mut buffers = inputs.bindings.buffers.iter();
                buffers.any(|buffer| (buffer.set, buffer.binding) == (0, argument.index))
            };
            let index = argument.index;
            let missing = match argument.kind {
                ArgumentKind::Value if !is_given => format!("--arg {index}=TYPE:VALUES"),
                ArgumentKind::Local if !is_given => format!("--arg {index}=local:BYTES"),
                kind if kind.is_address() && !kind.is_implicit() && !is_given && !has_buffer() => {
                    format!("--arg {index}=SPEC or --buffer 0.{index}=SPEC, or --arg {index}=null")
                }
                _ => continue,
            };
            let name = if argument.name.is_empty() { String::new() } else { format!(" `{}`", argument.name) };
            return Err(Failure::usage(format!(
                "parameter {index}{name} has no argument; expected {missing}"
            )));
        }
        Ok(())
    }

    /// The number of workgroups, and the numbers of work-items that the kernel asks for.
    fn grid(&mut self, options: &ArgMatches, size: [u32; 3], inputs: &mut Inputs) -> Result<(), Failure> {
        let text = |name: &str| options.get_one::<String>(name).map(String::as_str);
        let mut dimensions = text("groups").map_or(1, |text| text.split(',').count());
        if let Some(text) = text("global-size") {
            dimensions = text.split(',').count();
            let global = numbers("global-size", text, 1)?;
            inputs.workgroups = divided(global, size)?;
        }
        let offset = text("global-offset").map_or(Ok([0; 3]), |text| numbers("global-offset", text, 0))?;
        let mut global = [0u32; 3];
        for ((all, groups), size) in global.iter_mut().zip(inputs.workgroups).zip(size) {
            *all = groups.saturating_mul(size);
        }
        let words = |numbers: [u32; 3]| numbers.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
        for argument in self.info.arguments.iter().filter(|argument| argument.kind.is_implicit()) {
            match argument.kind {
                ArgumentKind::GlobalOffset => self.put(argument, &words(offset)),
                ArgumentKind::GlobalSize => self.put(argument, &words(global)),
                ArgumentKind::WorkDimension => self.put(argument, &(dimensions as u32).to_le_bytes()),
                ArgumentKind::PrintfBuffer => inputs.bindings.buffers.push(printf_buffer(argument.index)),
                _ => {}
            }
        }
        Ok(())
    }
}

/// An empty buffer for `printf`.
fn printf_buffer(binding: u32) -> BufferBinding {
    let mut bytes = vec![0; PRINTF_BYTES.saturating_add(PRINTF_HEADER_BYTES) as usize];
    bytes.iter_mut().skip(4).zip(PRINTF_BYTES.to_le_bytes()).for_each(|(place, byte)| *place = byte);
    BufferBinding { set: 0, binding, element: 0, bytes, writable: true }
}

/// What a kernel printed.
pub fn printed(info: &ShaderInfo, buffers: &[BufferBinding]) -> Vec<u8> {
    let Some(kernel) = &info.kernel else { return Vec::new() };
    let Some(argument) = kernel.implicit(ArgumentKind::PrintfBuffer) else { return Vec::new() };
    let is_it = |buffer: &&BufferBinding| (buffer.set, buffer.binding) == (0, argument.index);
    buffers
        .iter()
        .find(is_it)
        .map_or(Vec::new(), |buffer| printf::text(kernel, &info.constants, &buffer.bytes))
}

/// A buffer of global or constant memory, bound at set 0 and the number of the parameter; `null` for none.
fn buffer(argument: &KernelArgument, value: &str, inputs: &mut Inputs) -> Result<(), Failure> {
    if value == "null" {
        return Ok(());
    }
    let (set, binding) = (0, argument.index);
    if inputs.bindings.buffers.iter().any(|buffer| (buffer.set, buffer.binding) == (set, binding)) {
        return Err(Failure::usage(format!("--arg {binding}: a buffer is already bound at 0.{binding}")));
    }
    let bytes = values::contents(value, &input::read_bytes)?.bytes;
    let writable = argument.kind == ArgumentKind::Global;
    inputs.bindings.buffers.push(BufferBinding { set, binding, element: 0, bytes, writable });
    Ok(())
}

/// Numbers of workgroups for numbers of work-items.
fn divided(global: [u32; 3], size: [u32; 3]) -> Result<[u32; 3], Failure> {
    let mut groups = [1; 3];
    for ((groups, global), size) in groups.iter_mut().zip(global).zip(size) {
        let fits = global.checked_rem(size) == Some(0);
        *groups = global.checked_div(size).filter(|_| fits).ok_or_else(|| {
            Failure::usage(format!(
                "--global-size: {global} is not a multiple of the size {size} of workgroups; set it with --local-size"
            ))
        })?;
    }
    Ok(groups)
}

/// The size of workgroups for these numbers of work-items: along each axis the greatest divisor, as long as there are at most
/// 64 items.
pub fn workgroup(global: [u32; 3]) -> [u32; 3] {
    let mut most = MOST_ITEMS;
    global.map(|count| {
        let divides = |size: &u32| count.checked_rem(*size) == Some(0);
        let size = (1..=most).rev().find(divides).unwrap_or(1);
        most = most.checked_div(size).unwrap_or(1);
        size
    })
}

/// `X`, `X,Y` or `X,Y,Z`; absent numbers are `rest`.
pub fn numbers(name: &str, text: &str, rest: u32) -> Result<[u32; 3], Failure> {
    let mut all = [rest; 3];
    let wrong =
        || Failure::usage(format!("--{name}: expected X, X,Y or X,Y,Z of at least {rest}, found `{text}`"));
    let words: Vec<&str> = text.split(',').collect();
    if words.len() > all.len() {
        return Err(wrong());
    }
    for (number, word) in all.iter_mut().zip(words) {
        *number = word.parse().ok().filter(|number| *number >= rest).ok_or_else(wrong)?;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_numbers_that_divide_each_other() {
        assert_eq!(numbers("global-size", "64,2", 1).ok(), Some([64, 2, 1]));
        assert_eq!(numbers("global-offset", "0,7", 0).ok(), Some([0, 7, 0]));
        assert!(["", "0", "1,2,3,4", "x"].into_iter().all(|text| numbers("global-size", text, 1).is_err()));
        assert_eq!(workgroup([16, 16, 1]), [16, 4, 1]);
        assert_eq!(workgroup([1000, 3, 2]), [50, 1, 1]);
        assert_eq!(workgroup([67, 1, 1]), [1, 1, 1]);
        assert_eq!(divided([64, 4, 1], [16, 2, 1]).ok(), Some([4, 2, 1]));
        assert!(divided([65, 1, 1], [16, 1, 1]).is_err() && divided([64, 1, 1], [16, 2, 1]).is_err());
    }
}
