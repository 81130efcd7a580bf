//! Compute programs of the driver's own: copies, clears, blits, resolves.
//!
//! They are written in WGSL, compiled like any shader the first time they are used, and see nothing but descriptors that the
//! driver makes for each launch.

use std::sync::{Arc, OnceLock};

use agx_compiler::{CompileKey, Compiler, Input, Scratch};

use crate::Error;
use crate::memory::Arena;
use crate::program::Program;

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident $file:literal;)*) => {
        /// A program of the driver's own.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Kernel {
            $($(#[$doc])* $name,)*
        }

        /// Text of each.
        const TEXTS: &[&str] = &[$(include_str!(concat!("kernels/", $file, ".wgsl")),)*];
    };
}

kernels! {
    /// Copies texels.
    Copy "copy";
    /// Copies elements of words.
    CopyWords "copy_words";
    /// Fills with floats.
    FillFloat "fill_float";
    /// Fills with unsigned integers.
    FillUint "fill_uint";
    /// Fills with signed integers.
    FillSint "fill_sint";
    /// Scales floats without filter.
    BlitFloat "blit_float";
    /// Scales unsigned integers.
    BlitUint "blit_uint";
    /// Scales signed integers.
    BlitSint "blit_sint";
    /// Scales layers with a linear filter.
    BlitLinear "blit_linear";
    /// Scales a 3D image with a linear filter.
    BlitVolume "blit_volume";
    /// Resolves samples of floats.
    ResolveFloat "resolve_float";
    /// Resolves samples of unsigned integers.
    ResolveUint "resolve_uint";
    /// Resolves samples of signed integers.
    ResolveSint "resolve_sint";
    /// Copies results of queries.
    Queries "queries";
    /// Copies the numbers of as many draws as memory says.
    Draws "draws";
}

/// The programs of a device.
pub struct Kernels {
    arena: Arc<Arena>,
    programs: Vec<OnceLock<Result<Arc<Program>, Error>>>,
}

impl Kernels {
    /// None is compiled yet.
    pub fn new(arena: Arc<Arena>) -> Kernels {
        Kernels { arena, programs: TEXTS.iter().map(|_| OnceLock::new()).collect() }
    }

    /// A program.
    ///
    /// # Errors
    /// Memory is used up.
    pub fn get(&self, compiler: &Compiler, kernel: Kernel) -> Result<Arc<Program>, Error> {
        let known = self.programs.get(kernel as usize).zip(TEXTS.get(kernel as usize));
        let (place, text) = known.ok_or(Error::Invalid { what: "a kernel without text" })?;
        place.get_or_init(|| self.compile(compiler, text)).clone()
    }

    fn compile(&self, compiler: &Compiler, text: &str) -> Result<Arc<Program>, Error> {
        let shader = compiler.compile(&mut Scratch::default(), Input::wgsl(text), &CompileKey::default())?;
        Ok(Arc::new(Program::new(&self.arena, shader)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_compile() {
        for text in TEXTS {
            let found = Compiler::default().compile(
                &mut Scratch::default(),
                Input::wgsl(text),
                &CompileKey::default(),
            );
            assert!(
                found.is_ok(),
                "{text}\n{}",
                found.err().map(|error| error.to_string()).unwrap_or_default()
            );
        }
    }
}
