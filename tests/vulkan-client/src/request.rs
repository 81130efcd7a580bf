//! Request files, which describe programs to run.
//!
//! Every line of a block is a key and words:
//!
//! * `kind compute|draw|passes|subpass|transfer`; `shader vert|tesc|tese|geom|task|mesh|frag|comp FILE [ENTRY]` (SPIR-V; the first entry point
//!   of the stage without a name); `constant STAGE ID VALUE BYTES` (specialization); `push WORD…`; `buffer BINDING
//!   BYTES FILL` with fill `zero`, `iota`, `random`, `floats`, `identity`, `words:A,B,…` or `hex:…`; `uniform` likewise; `texels BINDING FORMAT BYTES FILL OFFSET` (a
//!   texel buffer that begins at a byte of its buffer); `view BINDING OTHER` (the buffer of another binding as uniforms, or its image as a texture); `texture BINDING FORMAT W H LAYERS LEVELS KIND` with kind
//!   `1d 1d-array 2d 2d-array 3d slice cube cube-array`, a fill and the words `level:N`, `as:FORMAT` (a view of one level, or with another format), `linear`; `image BINDING` likewise; `sampler BINDING` and words of `sampler_options`, combined with a texture of that binding; other resources
//!   with the same binding form an array; `null BINDING sampled|storage` (a null descriptor of an image); `robust` (on a device that checks all accesses); `ycbcr BINDING FORMAT W H MODEL RANGE FILTER SWIZZLE FILL` (a multi-planar
//!   image with a sampler that converts its colours);
//! * acceleration structures: `geometry STRUCTURE triangles|boxes|indexed opaque|clear FLOATS [INDICES]` or `soup|boxes-soup … COUNT [FIRST]` (random ones)
//!   adds primitives to a structure by number; `instance STRUCTURE|none CUSTOM MASK RECORD FLAGS [ROWS]`; `scene BINDING` and words `updated`, `compacted`,
//!   `serialized`, `addresses` (instances behind addresses);
//! * subpasses: `size W H`, `shader`, `again N` (draws a square N times, with barriers; the fragment shader reads its
//!   target as input attachment 0 at binding 0);
//! * passes: `size W H`, `area X Y W H`, `shader` (a vertex shader, and a fragment shader for each subpass), `attachment FORMAT
//!   clear|load|dont_care store|dont_care [SAMPLES] [LAYERS] [FORMAT OF THE VIEW]`, `subpass VIEWS` with attachments by number (`c0` a
//!   colour, `r1` what the colour before it is resolved to, `d2` depth and stencil, `i0` an input);
//! * descriptors: `pushed` (by commands), `structures` (by commands that take structures), `late` (written after commands that use them are recorded), `mutable` (of
//!   mutable types; each has another type before); commands:
//!   `secondary [LEVELS]` (by a secondary command buffer, in others of more levels);
//! * compute: `groups X Y Z`, `base X Y Z` (number of the first workgroup), `indirect`, `repeat N`, `events` (which
//!   order launches), `timeline` (submitted before its wait is signalled), `cached` (from a damaged cache), `binaries` (made again from its binaries);
//! * generated commands, in place of the dispatch or the draw: `generated MOST COUNT|all` and words `preprocessed`, `unordered`, `described` (the layout of
//!   the pipeline is described, not named); `token program|push FIRST COUNT|number FIRST|vertices BINDING|indices MODE|dispatch|draw|indexed|draws|several|meshes`, in order (`several` are draws with
//!   indices, up to `draws:N` of the `parameters WORD…`); `values WORD…` of
//!   all sequences, with `vertex:NUMBER:BYTE`, `index:BYTE` and `parameters:BYTE` for addresses of copies of vertex and index buffers. With `token program`, sequences
//!   choose among all compute shaders;
//! * `condition VALUE` (draws and dispatches depend on it) and words: `inverted`, `filled`, `copied`, `queried` (commands write it before), `outside` (the scope
//!   has the passes), `inherited` (it has a secondary command buffer), `one:N` (it has one of the draws or dispatches), `bound:BUFFER:WORD` (each has a
//!   scope, and the condition is in a buffer of a binding);
//! * transfers: images `from` and `to` like textures, and commands on the second: `copy X Y TO_X TO_Y W H LEVEL TO_LEVEL
//!   LAYERS`, `blit nearest|linear LEFT TOP RIGHT BOTTOM TO_LEFT TO_TOP TO_RIGHT TO_BOTTOM LEVEL TO_LEVEL`, `clear R G B A
//!   LEVEL LAYER`;
//! * draws: `size W H`, `target FORMAT`, `samples N`, `layers N`, `views MASK`, `depth FORMAT COMPARE write|keep`,
//!   `stencil COMPARE FAIL DEPTHFAIL PASS REF READ WRITE`, `topology NAME`, `restart`, `cull front|back|both`, `front cw|ccw`,
//!   `vertices N`, `instances N`, `first VERTEX INSTANCE`, `indices u16|u32 I…`, `indirect`, `vertex_data STRIDE RATE
//!   FLOATS…`, `attribute LOCATION FORMAT OFFSET`, `viewport X Y W H MIN MAX`, `scissor X Y W H`, `bias CONSTANT CLAMP
//!   SLOPE`, `clamp`, `line_width W`, `polygon line|point`, `blend NAME`, `constants R G B A`, `write_mask N`, `query
//!   precise|boolean|drawn|statistics|meshes|mesh_statistics`, `unused N` (the pass has no image for this target), `patch N`, `lower_left` (the origin of domains), `clear R G B A`, `load`, `discard`, `alpha_to_coverage`, `sample_shading`, `sample_mask
//!   N`, `inside X Y W H R G B A` (clears a part of the first target after the draws), `feedback BYTES` (a transform
//!   feedback buffer; counters are read back too), `resumed` (with `load`: the second pass continues the capture), `fed
//!   STRIDE` (a second pass draws the captured vertices, from binding 0), `query feedback`, `again N` (draws again,
//!   incrementing the first word of the push constants), `provoking_last`, `libraries` (the pipeline is linked from
//!   libraries), `binaries` (it is made again from its binaries), `clip on|off`, `logic OP`, `alpha_to_one`, `color_writes MASK`, `bresenham`, `meshes X Y Z…` (draws of workgroups; with `indirect`, `counted N` of them), `viewports N` (side by side), `counted N` (that many draws of up to three in memory), `several` (the vertices are
//!   divided between two draws of one command), `then KEY WORD…` (draws once more, with this line instead of those with
//!   its key), `way dynamic|objects|linked|binary` (all state is dynamic; shaders are objects, created individually,
//!   linked, or from saved binaries; likewise for compute shaders).

use crate::Error;

/// One program to run.
pub struct Request {
    /// Its name, and the name of its result.
    pub name: String,
    lines: Vec<Vec<String>>,
}

/// Parses a file of requests.
///
/// # Errors
/// A line outside a block.
pub fn parse(text: &str) -> Result<Vec<Request>, Error> {
    let mut requests: Vec<Request> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        match words.first().map(String::as_str) {
            None => {}
            Some("case") => {
                let name = words.get(1).ok_or("`case` wants a name")?.clone();
                requests.push(Request { name, lines: Vec::new() });
                open = true;
            }
            Some("end") => open = false,
            Some(_) if open => requests.last_mut().ok_or("a line before the first `case`")?.lines.push(words),
            Some(key) => return Err(format!("`{key}` stands outside a block").into()),
        }
    }
    Ok(requests)
}

impl Request {
    /// The words after the first line of a key.
    pub fn words(&self, key: &str) -> Option<&[String]> {
        self.lines.iter().find(|line| line[0] == key).map(|line| &line[1..])
    }

    /// The words after every line of a key.
    pub fn all<'r>(&'r self, key: &'r str) -> impl Iterator<Item = &'r [String]> {
        self.lines.iter().filter(move |line| line[0] == key).map(|line| &line[1..])
    }

    /// The request of the draw after the first: the lines after `then` replace those of their keys.
    pub fn then(&self) -> Option<Request> {
        let mut lines: Vec<Vec<String>> = self.all("then").map(<[String]>::to_vec).collect();
        if lines.is_empty() {
            return None;
        }
        let keys: Vec<String> = lines.iter().filter_map(|line| line.first().cloned()).collect();
        lines.extend(self.lines.iter().filter(|line| !keys.contains(&line[0])).cloned());
        Some(Request { name: self.name.clone(), lines })
    }

    /// Whether there is a line that consists of a key.
    pub fn has(&self, key: &str) -> bool {
        self.words(key).is_some()
    }

    /// The first word after a key.
    ///
    /// # Errors
    /// The key is missing.
    pub fn word(&self, key: &str) -> Result<&str, Error> {
        let word = self.words(key).and_then(|words| words.first()).map(String::as_str);
        word.ok_or_else(|| format!("`{key}` is missing").into())
    }

    /// The numbers after a key; `or` if it is missing.
    ///
    /// # Errors
    /// A word is not a number.
    pub fn numbers<const N: usize>(&self, key: &str, or: [u32; N]) -> Result<[u32; N], Error> {
        let Some(words) = self.words(key) else { return Ok(or) };
        let mut numbers = or;
        for (place, word) in numbers.iter_mut().zip(words) {
            *place = number(word)?;
        }
        Ok(numbers)
    }

    /// The floats after a key; `or` if it is missing.
    ///
    /// # Errors
    /// A word is not a number.
    pub fn floats<const N: usize>(&self, key: &str, or: [f32; N]) -> Result<[f32; N], Error> {
        let Some(words) = self.words(key) else { return Ok(or) };
        let mut floats = or;
        for (place, word) in floats.iter_mut().zip(words) {
            *place = word.parse()?;
        }
        Ok(floats)
    }

    /// The push constants.
    ///
    /// # Errors
    /// A word is not a number.
    pub fn push(&self) -> Result<Vec<u8>, Error> {
        let words = self.words("push").unwrap_or(&[]);
        let words: Vec<u32> = words.iter().map(|word| number(word)).collect::<Result<_, _>>()?;
        Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
    }
}

/// A number: decimal, hexadecimal, or the bits of a float if it has a point.
///
/// # Errors
/// It is invalid.
pub fn number(word: &str) -> Result<u32, Error> {
    if let Some(digits) = word.strip_prefix("0x") {
        return Ok(u32::from_str_radix(digits, 16)?);
    }
    if word.contains('.') {
        return Ok(word.parse::<f32>()?.to_bits());
    }
    Ok(word.parse::<i64>()? as u32)
}

/// The bytes of a fill.
///
/// # Errors
/// The fill is unknown.
pub fn fill(word: &str, bytes: usize) -> Result<Vec<u8>, Error> {
    if let Some(digits) = word.strip_prefix("hex:") {
        let pairs = digits.as_bytes().chunks(2);
        let bytes = pairs.map(|pair| Ok::<_, Error>(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?));
        return bytes.collect();
    }
    let count = bytes.div_ceil(4) as u32;
    let words: Vec<u32> = match word {
        "zero" => vec![0; count as usize],
        "iota" => (0..count).collect(),
        "random" => (0..count).map(scrambled).collect(),
        "floats" => (0..count).map(|at| ((scrambled(at) % 2001) as f32 / 100.0 - 10.0).to_bits()).collect(),
        "identity" => (0..count).map(|at| if at / 4 % 4 == at % 4 { 1.0_f32.to_bits() } else { 0 }).collect(),
        "unit" => (0..count).map(|at| ((scrambled(at) % 1001) as f32 / 1000.0).to_bits()).collect(),
        other => {
            let list = other.strip_prefix("words:").ok_or_else(|| format!("unknown fill `{other}`"))?;
            let list: Vec<u32> = list.split(',').map(number).collect::<Result<_, _>>()?;
            (0..count as usize).map(|at| list.get(at).copied().unwrap_or(0)).collect()
        }
    };
    let mut filled: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    filled.truncate(bytes);
    Ok(filled)
}

/// A hash of a number.
pub(crate) fn scrambled(at: u32) -> u32 {
    let mut value = at.wrapping_mul(0x9e37_79b9) ^ 0x5bd1_e995;
    value = (value ^ value >> 15).wrapping_mul(0x85eb_ca6b);
    value = (value ^ value >> 13).wrapping_mul(0xc2b2_ae35);
    value ^ value >> 16
}
