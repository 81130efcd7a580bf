//! The compiler and the reference machine as the Python module `agxc`: what [`agxc::embed`] offers, with arrays of NumPy as
//! buffers, and diagnostics as exceptions. `agxc.pyi` has the types and the documentation of the parameters.

mod diagnostic;
mod run;
mod shader;

use pyo3::prelude::*;

use crate::diagnostic::{Diagnostic, Error};
use crate::run::Run;
use crate::shader::Shader;

/// Compiles shaders for Apple AGX GPUs (M1, M2) and runs them on a reference machine.
///
/// `compile` compiles SPIR-V, WGSL, GLSL and the other languages of the command line to a `Shader`, whose `run` executes a
/// compute shader with NumPy arrays as buffers. What is wrong with a shader raises `Error`.
#[pymodule]
#[pyo3(name = "agxc")]
fn python(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Error", module.py().get_type::<Error>())?;
    module.add_class::<Diagnostic>()?;
    module.add_class::<Shader>()?;
    module.add_class::<Run>()?;
    module.add_function(wrap_pyfunction!(shader::compile, module)?)?;
    module.add_function(wrap_pyfunction!(shader::languages, module)?)?;
    module.add_function(wrap_pyfunction!(shader::targets, module)?)
}
