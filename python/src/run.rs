//! Runs, with arrays of NumPy as buffers.

use agxc::embed::{self, Files};
use numpy::{PyArray1, PyArrayDescrMethods as _, PyUntypedArray, PyUntypedArrayMethods as _};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use serde_json::{Value, json};

use crate::diagnostic::{Diagnostic, exception};
use crate::shader::parsed;

/// The outcome of a run.
#[pyclass(module = "agxc", frozen, get_all)]
pub struct Run {
    /// The buffers afterwards, by place, with the types and shapes that they had.
    buffers: Py<PyDict>,
    /// The bytes of the images afterwards, by place.
    images: Py<PyDict>,
    /// Instructions that SIMD-groups executed.
    instructions: u64,
    /// Instructions that lanes executed.
    lane_instructions: u64,
    /// Estimated cycles.
    cycles: u64,
    /// The warnings.
    warnings: Vec<Diagnostic>,
}

#[pymethods]
impl Run {
    fn __repr__(&self) -> String {
        format!("<agxc.Run of {} instructions, {} cycles>", self.instructions, self.cycles)
    }
}

/// A number of workgroups: along x, or along two or three axes.
#[derive(FromPyObject, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Groups {
    /// Along x.
    Line(u32),
    /// Along x, y and z.
    Volume(u32, u32, u32),
    /// Along x and y.
    Plane(u32, u32),
}

impl Groups {
    /// In the notation of requests.
    fn text(self) -> String {
        match self {
            Groups::Line(x) => x.to_string(),
            Groups::Plane(x, y) => format!("{x},{y}"),
            Groups::Volume(x, y, z) => format!("{x},{y},{z}"),
        }
    }
}

/// Resources in the notation of the command line.
pub struct Specs {
    /// Textures.
    pub textures: Vec<String>,
    /// Storage images.
    pub images: Vec<String>,
    /// Samplers.
    pub samplers: Vec<String>,
}

/// The inputs of a run.
pub struct Inputs<'a, 'py> {
    /// Arrays by place.
    pub buffers: Option<&'a Bound<'py, PyDict>>,
    /// The number of workgroups.
    pub groups: Option<Groups>,
    /// Push constants: bytes or an array.
    pub push: Option<&'a Bound<'py, PyAny>>,
    /// Other resources.
    pub specs: Specs,
}

/// The place of a buffer: set, binding, and the element if it is not the first.
type Place = Vec<u32>;

/// An array that a shader gets.
struct Buffer<'py> {
    place: Place,
    array: Bound<'py, PyUntypedArray>,
}

impl<'py> Buffer<'py> {
    fn new(key: &Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> PyResult<Buffer<'py>> {
        let place = key.extract::<Place>().ok().filter(|place| (2..=3).contains(&place.len()));
        let expected = "a place is (set, binding) or (set, binding, element)";
        let place = place.ok_or_else(|| PyTypeError::new_err(expected))?;
        Ok(Buffer { place, array: array(value)? })
    }

    /// The contents afterwards as an array of the same type and shape.
    fn filled(&self, py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let words = PyArray1::from_slice(py, bytes);
        let shape = PyTuple::new(py, self.array.shape())?;
        words.call_method1("view", (self.array.dtype(),))?.call_method1("reshape", (shape,))
    }
}

/// Any array, or what NumPy makes one of, in the order of C and the byte order of the machine.
fn array<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = value.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    let found = numpy.call_method1("asarray", (value,))?;
    let little = found.getattr("dtype")?.call_method1("newbyteorder", ("<",))?;
    let options = PyDict::new(py);
    options.set_item("dtype", little)?;
    options.set_item("order", "C")?;
    let array = numpy.call_method("asarray", (found,), Some(&options))?.cast_into::<PyUntypedArray>()?;
    match array.dtype().has_object() {
        true => Err(PyTypeError::new_err("an array of Python objects has no bytes for a shader")),
        false => Ok(array),
    }
}

fn bytes_of(array: &Bound<'_, PyUntypedArray>) -> PyResult<Vec<u8>> {
    let bytes = array.call_method0("tobytes")?;
    Ok(bytes.cast::<PyBytes>()?.as_bytes().to_vec())
}

/// A place in the notation of requests.
fn text(place: &Place) -> String {
    place.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

/// The place that a text of an answer denotes.
fn place(text: &str) -> Place {
    text.split('.').filter_map(|number| number.parse().ok()).collect()
}

/// Runs the shader of a request.
pub fn run(py: Python<'_>, files: &Files, shader: &Value, inputs: Inputs<'_, '_>) -> PyResult<Run> {
    let mut files = files.clone();
    let mut buffers = Vec::new();
    for (key, value) in inputs.buffers.into_iter().flatten() {
        let buffer = Buffer::new(&key, &value)?;
        files.add(&file(&buffer.place), bytes_of(&buffer.array)?);
        buffers.push(buffer);
    }
    let mut resources = json!({
        "buffers": buffers.iter().map(|buffer| format!("{}=file:{}", text(&buffer.place), file(&buffer.place))).collect::<Vec<_>>(),
        "textures": inputs.specs.textures, "images": inputs.specs.images, "samplers": inputs.specs.samplers,
    });
    if let Some(push) = inputs.push {
        let bytes = match push.cast::<PyBytes>() {
            Ok(bytes) => bytes.as_bytes().to_vec(),
            Err(_) => bytes_of(&array(push)?)?,
        };
        files.add(PUSH, bytes);
        resources["push"] = format!("file:{PUSH}").into();
    }
    let groups = inputs.groups.unwrap_or(Groups::Line(1)).text();
    let request = json!({ "shader": shader, "resources": resources, "groups": groups }).to_string();
    let done = py.detach(|| embed::run(&files, &request));
    let answer = parsed(done.answer())?;
    let diagnostics = Diagnostic::of(&answer);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(exception(py, diagnostics));
    }
    collected(py, &buffers, &done, &answer, diagnostics)
}

/// The name of the file with the contents of a buffer.
fn file(place: &Place) -> String {
    format!("buffer {}", text(place))
}

/// The name of the file with the push constants.
const PUSH: &str = "push constants";

fn collected(
    py: Python<'_>,
    given: &[Buffer<'_>],
    done: &embed::Ran,
    answer: &Value,
    warnings: Vec<Diagnostic>,
) -> PyResult<Run> {
    let (buffers, images) = (PyDict::new(py), PyDict::new(py));
    for (number, row) in answer["buffers"].as_array().into_iter().flatten().enumerate() {
        let place = place(row["place"].as_str().unwrap_or_default());
        let key = PyTuple::new(py, &place)?;
        let bytes = done.bytes(number);
        // The buffers of the request come first, in its order.
        match given.get(number) {
            Some(buffer) => buffers.set_item(PyTuple::new(py, &buffer.place)?, buffer.filled(py, bytes)?)?,
            None => images.set_item(key, PyArray1::from_slice(py, bytes))?,
        }
    }
    let number = |name: &str| {
        answer[name].as_u64().ok_or_else(|| PyValueError::new_err(format!("the answer has no `{name}`")))
    };
    Ok(Run {
        buffers: buffers.unbind(),
        images: images.unbind(),
        instructions: number("instructions")?,
        lane_instructions: number("lane_instructions")?,
        cycles: number("cycles")?,
        warnings,
    })
}
