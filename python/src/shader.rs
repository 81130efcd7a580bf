//! Compilation.

use agxc::embed::{self, Files};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::{Map, Value, json};

use crate::diagnostic::{Diagnostic, exception};
use crate::run::{self, Run};

/// A compiled shader.
#[pyclass(module = "agxc", frozen)]
pub struct Shader {
    files: Files,
    /// The shader in requests.
    request: Value,
    answer: Value,
}

/// The text of a shader, or the bytes of a module.
#[derive(FromPyObject)]
pub enum Source {
    /// A text.
    Text(String),
    /// A module of SPIR-V, or another binary format.
    Bytes(Vec<u8>),
}

/// The number or the name of a specialization constant.
#[derive(FromPyObject)]
enum ConstantName {
    /// Its name in the source.
    Name(String),
    /// Its number in the module.
    Number(u32),
}

/// The value of a specialization constant.
#[derive(FromPyObject)]
enum ConstantValue {
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
}

/// Constants in the notation of requests.
fn constants(given: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
    let one = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let expected = "constants are numbers or booleans by name or number";
        let wrong = |_| PyTypeError::new_err(expected);
        let name = match name.extract().map_err(wrong)? {
            ConstantName::Name(name) => name,
            ConstantName::Number(number) => number.to_string(),
        };
        let value = match value.extract().map_err(wrong)? {
            ConstantValue::Bool(value) => value.to_string(),
            ConstantValue::Signed(value) => value.to_string(),
            ConstantValue::Unsigned(value) => value.to_string(),
            ConstantValue::Float(value) => format!("{value:?}"),
        };
        Ok(format!("{name}={value}"))
    };
    given.into_iter().flatten().map(one).collect()
}

/// Compiles a shader.
///
/// `source` is a text (WGSL, unless `language` says otherwise), or the bytes of a module (SPIR-V). `name` is the name of its
/// file in diagnostics; its extension can tell the language and the stage. `entry` and `stage` select an entry point, `target`
/// the chip. `constants` has values of specialization constants by name or number. `key` has other settings, by the names of key files.
///
/// Raises `Error` if the shader is wrong or not supported.
#[pyfunction]
#[pyo3(signature = (source, *, language=None, name=None, entry=None, stage=None, target=None, constants=None, key=None))]
pub fn compile(
    py: Python<'_>,
    source: Source,
    language: Option<&str>,
    name: Option<&str>,
    entry: Option<&str>,
    stage: Option<&str>,
    target: Option<&str>,
    constants: Option<&Bound<'_, PyDict>>,
    key: Option<&Bound<'_, PyDict>>,
) -> PyResult<Shader> {
    let (bytes, default) = match source {
        Source::Text(text) => (text.into_bytes(), "wgsl"),
        Source::Bytes(bytes) => (bytes, "spirv"),
    };
    // The extension of a name tells the language, unless the caller does.
    let has_extension = name.is_some_and(|name| name.contains('.'));
    let language = language.or((!has_extension).then_some(default));
    let file = name.unwrap_or("shader");
    let mut settings = key.map_or(Ok(Map::new()), |key| settings(key))?;
    for (field, value) in [("entry_point", entry), ("stage", stage), ("target", target)] {
        if let Some(value) = value {
            settings.insert(field.to_owned(), value.into());
        }
    }
    let mut files = Files::default();
    files.add(file, bytes);
    let request =
        json!({ "file": file, "kind": language, "key": settings, "constants": self::constants(constants)? });
    let text = request.to_string();
    let answer = py.detach(|| embed::compile(&files, &text));
    let answer = parsed(&answer)?;
    let diagnostics = Diagnostic::of(&answer);
    match diagnostics.iter().any(Diagnostic::is_error) {
        true => Err(exception(py, diagnostics)),
        false => Ok(Shader { files, request, answer }),
    }
}

/// The fields of a key.
fn settings(key: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    let text: String = key.py().import("json")?.call_method1("dumps", (key,))?.extract()?;
    serde_json::from_str(&text).map_err(|error| PyValueError::new_err(format!("key: {error}")))
}

/// An answer as JSON.
pub fn parsed(answer: &str) -> PyResult<Value> {
    serde_json::from_str(answer).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A value of JSON as objects of Python.
pub fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}

/// The bytes of hexadecimal text.
fn bytes_of(hex: &str) -> Vec<u8> {
    let digit = |letter: u8| char::from(letter).to_digit(16).unwrap_or(0) as u8;
    hex.as_bytes().as_chunks::<2>().0.iter().map(|[high, low]| digit(*high) << 4 | digit(*low)).collect()
}

impl Shader {
    fn shader(&self) -> &Value {
        &self.answer["shader"]
    }

    fn info_text(&self, name: &str) -> &str {
        self.shader()["info"][name].as_str().unwrap_or_default()
    }

    /// Roles and machine code of the parts.
    fn codes(&self) -> impl Iterator<Item = (&str, Vec<u8>)> {
        let parts = self.shader()["parts"].as_array().into_iter().flatten();
        parts.map(|part| {
            (part["role"].as_str().unwrap_or_default(), bytes_of(part["code"].as_str().unwrap_or_default()))
        })
    }
}

#[pymethods]
impl Shader {
    /// The machine code of the main part.
    #[getter]
    fn code<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let main = self.codes().find(|(role, _)| *role == "main");
        PyBytes::new(py, &main.map_or_else(Vec::new, |(_, code)| code))
    }

    /// The machine code of every part, by role: `preamble`, `prolog`, `main`, `epilog`.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parts = PyDict::new(py);
        for (role, code) in self.codes() {
            parts.set_item(role, PyBytes::new(py, &code))?;
        }
        Ok(parts)
    }

    /// The assembly of all parts, as `agxc compile` prints it.
    #[getter]
    fn assembly(&self) -> &str {
        self.answer["listing"].as_str().unwrap_or_default()
    }

    /// The figures of `agxc stats`, by their names in JSON.
    #[getter]
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.shader()["statistics"])
    }

    /// What a driver needs to know: uniforms, textures, samplers, registers, workgroups.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.shader()["info"])
    }

    /// The name of the entry point.
    #[getter]
    fn entry_point(&self) -> &str {
        self.info_text("entry_point")
    }

    /// The stage: `vertex`, `fragment` or `compute`.
    #[getter]
    fn stage(&self) -> &str {
        self.info_text("stage")
    }

    /// The chip.
    #[getter]
    fn target(&self) -> &str {
        self.shader()["target"].as_str().unwrap_or_default()
    }

    /// Names and stages of the entry points of the module.
    #[getter]
    fn entry_points(&self) -> Vec<(Option<String>, Option<String>)> {
        let rows = self.answer["entry_points"].as_array().into_iter().flatten();
        let text = |row: &Value, name: &str| row[name].as_str().map(str::to_owned);
        rows.map(|row| (text(row, "name"), text(row, "stage"))).collect()
    }

    /// The warnings.
    #[getter]
    fn warnings(&self) -> Vec<Diagnostic> {
        Diagnostic::of(&self.answer)
    }

    /// Everything about the shader in the form of `agxc compile --emit json`.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, self.shader())
    }

    /// The report of the shader as one HTML file.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let text = self.request.to_string();
        let answer = parsed(&py.detach(|| embed::report(&self.files, &text)))?;
        let html = answer["html"].as_str().map(str::to_owned);
        html.ok_or_else(|| exception(py, Diagnostic::of(&answer)))
    }

    /// Runs a compute shader on the reference machine.
    ///
    /// `buffers` has an array for each `(set, binding)` or `(set, binding, element)`, which the shader may read and write. The
    /// arrays themselves stay as they are; the result has new ones of the same type and shape. `groups` is the number of
    /// workgroups. `push` are push constants. `textures`, `images` and `samplers` are in the notation of `agxc run`.
    ///
    /// Raises `Error` if the machine finds a fault, such as an access outside of a buffer.
    #[pyo3(signature = (buffers=None, *, groups=None, push=None, textures=None, images=None, samplers=None))]
    fn run(
        &self,
        py: Python<'_>,
        buffers: Option<&Bound<'_, PyDict>>,
        groups: Option<run::Groups>,
        push: Option<&Bound<'_, PyAny>>,
        textures: Option<Vec<String>>,
        images: Option<Vec<String>>,
        samplers: Option<Vec<String>>,
    ) -> PyResult<Run> {
        let specs = run::Specs {
            textures: textures.unwrap_or_default(),
            images: images.unwrap_or_default(),
            samplers: samplers.unwrap_or_default(),
        };
        run::run(py, &self.files, &self.request, run::Inputs { buffers, groups, push, specs })
    }

    fn __repr__(&self) -> String {
        let instructions = &self.shader()["statistics"]["instructions"];
        format!(
            "<agxc.Shader {} {} for {}, {instructions} instructions>",
            self.stage(),
            self.entry_point(),
            self.target()
        )
    }
}

/// The names of the languages that `compile` takes.
#[pyfunction]
pub fn languages() -> PyResult<Vec<String>> {
    names("languages")
}

/// The names of the chips to compile for.
#[pyfunction]
pub fn targets() -> PyResult<Vec<String>> {
    names("chips")
}

fn names(list: &str) -> PyResult<Vec<String>> {
    let answer = parsed(&embed::languages())?;
    let name = |row: &Value| row.as_str().or(row["name"].as_str()).unwrap_or_default().to_owned();
    Ok(answer[list].as_array().into_iter().flatten().map(name).collect())
}
