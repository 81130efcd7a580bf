//! The baseline: statistics of another compiler for the corpus.

use agx_abi::Stage;
use rustc_hash::FxHashMap;

/// Columns of every table. Others may follow in any order: `compile_instructions`, `code_inst`, `preamble_inst`.
const COLUMNS: [&str; 9] = ["file", "stage", "entry", "inst", "alu", "bytes", "regs", "spills", "fills"];

/// A row: an entry point of a module of the corpus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Path below the corpus folder.
    pub file: String,
    /// Stage of the entry point.
    pub stage: Stage,
    /// Name of the entry point.
    pub entry: String,
    /// Encoded instructions. For fragment shaders this is the column `code_inst` if the table has it, because `inst`
    /// also counts pseudo-instructions. `None` if they were not counted.
    pub instructions: Option<u64>,
    /// ALU cycles.
    pub alu: u64,
    /// Code size.
    pub bytes: u64,
    /// Half registers as published, the only unit that the table's thread counts share with [`agx_abi::occupancy`].
    pub registers: u64,
    /// Values spilled.
    pub spills: u64,
    /// Values filled.
    pub fills: u64,
    /// Instructions of the preamble, which are not in `instructions`, if they were counted.
    pub preamble_instructions: Option<u64>,
    /// Host instructions executed to compile, if they were measured.
    pub compile_instructions: Option<u64>,
}

impl Row {
    /// Number of half registers. An odd figure of Mesa 26.1.6 is the index of the highest half register, an even one
    /// is a count: the end of the exported registers or the minimum of a vertex shader (docs/score.md).
    pub fn register_count(&self) -> u64 {
        self.registers.next_multiple_of(2)
    }
}

/// The whole table.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// Rows in the file's order.
    pub rows: Vec<Row>,
    by_entry: FxHashMap<(String, String), usize>,
}

impl Baseline {
    /// Reads the tab-separated table.
    ///
    /// # Errors
    /// The line number and the error.
    pub fn parse(text: &str) -> Result<Baseline, String> {
        let mut lines = text.lines().enumerate();
        let header: Vec<&str> = lines.next().map(|(_, line)| line.split('\t').collect()).unwrap_or_default();
        if let Some(absent) = COLUMNS.iter().find(|name| !header.contains(name)) {
            return Err(format!("line 1: column {absent} is missing"));
        }
        let rows: Vec<Row> = lines
            .map(|(index, line)| {
                parse_row(&header, line).map_err(|message| format!("line {}: {message}", index + 1))
            })
            .collect::<Result<_, _>>()?;
        let by_entry = rows
            .iter()
            .enumerate()
            .map(|(index, row)| ((row.file.clone(), row.entry.clone()), index))
            .collect();
        Ok(Baseline { rows, by_entry })
    }

    /// The row of an entry point.
    pub fn find(&self, file: &str, entry: &str) -> Option<&Row> {
        self.by_entry.get(&(file.to_owned(), entry.to_owned())).map(|index| &self.rows[*index])
    }
}

fn parse_row(header: &[&str], line: &str) -> Result<Row, String> {
    let fields: Vec<&str> = line.split('\t').collect();
    if fields.len() != header.len() {
        return Err(format!("expected {} columns, found {}", header.len(), fields.len()));
    }
    let column = |name: &str| header.iter().position(|column| *column == name).map(|at| fields[at]);
    let text = |name: &str| column(name).unwrap_or_default();
    let number = |name: &str| {
        text(name).parse::<u64>().map_err(|_| format!("{name} is `{}`; expected a number", text(name)))
    };
    // An optional column may be absent or empty.
    let optional = |name: &str| {
        let measured = column(name).filter(|text| !text.is_empty());
        measured.map(|_| number(name)).transpose()
    };
    let stage = match text("stage") {
        "Vertex" => Stage::Vertex,
        "Fragment" => Stage::Fragment,
        "GLCompute" => Stage::Compute,
        other => return Err(format!("stage {other} is unknown")),
    };
    // Only fragment shaders have pseudo-instructions; counts from disassemblies may be too low because of jumps.
    let instructions = match (stage, column("code_inst")) {
        (Stage::Fragment, Some(_)) => optional("code_inst")?,
        _ => Some(number("inst")?),
    };
    Ok(Row {
        file: text("file").to_owned(),
        stage,
        entry: text("entry").to_owned(),
        instructions,
        alu: number("alu")?,
        bytes: number("bytes")?,
        registers: number("regs")?,
        spills: number("spills")?,
        fills: number("fills")?,
        preamble_instructions: optional("preamble_inst")?,
        compile_instructions: optional("compile_instructions")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_file_and_entry() {
        let header = format!("{}\tcompile_instructions", COLUMNS.join("\t"));
        let row = "a.spv\tGLCompute\tmain\t8\t5\t52\t14\t1\t2\t1926625";
        let table = Baseline::parse(&format!("{header}\n{row}\n")).expect("well-formed");
        let row = table.find("a.spv", "main").expect("there");
        assert_eq!((row.instructions, row.bytes, row.registers), (Some(8), 52, 14));
        assert_eq!((row.stage, row.fills, row.compile_instructions), (Stage::Compute, 2, Some(1_926_625)));
        assert_eq!(table.find("a.spv", "other"), None);
    }

    #[test]
    fn odd_register_figures_are_indices() {
        let header = COLUMNS.join("\t");
        for (figure, count) in [(0, 0), (12, 12), (27, 28)] {
            let row = format!("a\tVertex\tmain\t8\t5\t52\t{figure}\t0\t0");
            let table = Baseline::parse(&format!("{header}\n{row}\n")).expect("well-formed");
            assert_eq!(table.rows[0].register_count(), count);
        }
    }

    #[test]
    fn instructions_with_a_code_come_before_the_count_with_pseudo_instructions() {
        let header = format!("{}\tcode_inst", COLUMNS.join("\t"));
        let rows = "a\tFragment\tmain\t9\t3\t36\t14\t0\t0\t6\nb\tFragment\tmain\t9\t3\t36\t14\t0\t0\t\n";
        let table = Baseline::parse(&format!("{header}\n{rows}")).expect("well-formed");
        assert_eq!(table.rows[0].instructions, Some(6));
        assert_eq!((table.rows[1].instructions, table.rows[1].compile_instructions), (None, None));
        let row = "c\tGLCompute\tmain\t104\t64\t786\t31\t0\t0\t18";
        let table = Baseline::parse(&format!("{header}\n{row}\n")).expect("well-formed");
        assert_eq!(table.rows[0].instructions, Some(104));
    }

    #[test]
    fn errors_name_the_line() {
        let header = COLUMNS.join("\t");
        assert!(Baseline::parse("file\tstage\n").is_err());
        let error = Baseline::parse(&format!("{header}\na\tVertex\n")).expect_err("too few");
        assert_eq!(error, "line 2: expected 9 columns, found 2");
    }
}
