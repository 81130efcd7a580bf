//! The compiler and the reference machine in WebAssembly, for the page: what [`agxc::embed`] offers, with types that
//! JavaScript has.

use agxc::embed;
use wasm_bindgen::prelude::wasm_bindgen;

/// Files that requests name.
#[wasm_bindgen]
#[derive(Default)]
pub struct Files(embed::Files);

#[wasm_bindgen]
impl Files {
    /// No files.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Files {
        Files::default()
    }

    /// Adds a file, or replaces the one with this name.
    pub fn add(&mut self, name: &str, bytes: Vec<u8>) {
        self.0.add(name, bytes);
    }

    /// Names of the files.
    pub fn names(&self) -> Vec<String> {
        self.0.names().map(str::to_owned).collect()
    }

    /// The contents of a file; empty if there is none.
    pub fn contents(&self, name: &str) -> Vec<u8> {
        self.0.contents(name).to_vec()
    }

    /// Adds the files of an example and returns its settings.
    pub fn example(&mut self, name: &str) -> Option<String> {
        embed::example(name, &mut self.0)
    }

    /// Compiles a shader.
    pub fn compile(&self, request: &str) -> String {
        embed::compile(&self.0, request)
    }

    /// The IR of a shader before and after a pass.
    pub fn ir(&self, request: &str) -> String {
        embed::ir(&self.0, request)
    }

    /// The report of a shader as one file.
    pub fn report(&self, request: &str) -> String {
        embed::report(&self.0, request)
    }

    /// Compares a shader of `old` with one of these files.
    pub fn compare(&self, old: &Files, request: &str) -> String {
        embed::compare(&old.0, &self.0, request)
    }

    /// Runs a compute shader.
    pub fn run(&self, request: &str) -> Ran {
        Ran(embed::run(&self.0, request))
    }

    /// Prepares a run to step through.
    pub fn step_through(&self, request: &str) -> Started {
        let (stepping, answer) = embed::step_through(&self.0, request);
        Started { stepping, answer }
    }

    /// Draws a scene.
    pub fn draw(&self, request: &str) -> Drawn {
        Drawn(embed::draw(&self.0, request))
    }
}

/// The outcome of a run.
#[wasm_bindgen]
pub struct Ran(embed::Ran);

#[wasm_bindgen]
impl Ran {
    /// The answer.
    pub fn answer(&self) -> String {
        self.0.answer().to_owned()
    }

    /// The bytes of a buffer, by its number in the answer.
    pub fn bytes(&self, number: usize) -> Vec<u8> {
        self.0.bytes(number).to_vec()
    }
}

/// The outcome of the preparation of a run.
#[wasm_bindgen]
pub struct Started {
    stepping: Option<embed::Stepping>,
    answer: String,
}

#[wasm_bindgen]
impl Started {
    /// The answer.
    pub fn answer(&self) -> String {
        self.answer.clone()
    }

    /// The run, once; none if the answer has an error.
    pub fn stepping(&mut self) -> Option<Stepping> {
        self.stepping.take().map(Stepping)
    }
}

/// A run that is stepped through.
#[wasm_bindgen]
pub struct Stepping(embed::Stepping);

#[wasm_bindgen]
impl Stepping {
    /// Makes a step.
    pub fn go(&self, request: &str) -> String {
        self.0.go(request)
    }
}

/// A drawn scene.
#[wasm_bindgen]
pub struct Drawn(embed::Drawn);

#[wasm_bindgen]
impl Drawn {
    /// The answer.
    pub fn answer(&self) -> String {
        self.0.answer().to_owned()
    }

    /// Red, green, blue, alpha of each pixel.
    pub fn rgba(&self) -> Vec<u8> {
        self.0.rgba().to_vec()
    }
}

/// Makes the message of a panic that of the exception. Called once, at the start.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| wasm_bindgen::throw_str(&panic.to_string())));
}

/// Names and titles of the bundled examples.
#[wasm_bindgen]
pub fn examples() -> String {
    embed::examples()
}

/// The languages and the chips.
#[wasm_bindgen]
pub fn languages() -> String {
    embed::languages()
}

/// The phases of the compiler, with their passes.
#[wasm_bindgen]
pub fn passes() -> String {
    embed::passes()
}
