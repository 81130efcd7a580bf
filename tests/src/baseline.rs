//! The baseline: what another compiler makes of the corpus.

use agx_abi::Stage;
use rustc_hash::FxHashMap;

/// Columns of the table, in order.
const COLUMNS: [&str; 16] = [
    "file",
    "stage",
    "entry",
    "inst",
    "alu",
    "fscib",
    "ic",
    "bytes",
    "regs",
    "uniforms",
    "scratch",
    "threads",
    "loops",
    "spills",
    "fills",
    "compile_instructions",
];

/// A row: an entry point of a module of the corpus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Path below the corpus folder.
    pub file: String,
    /// Stage of the entry point.
    pub stage: Stage,
    /// Name of the entry point.
    pub entry: String,
    /// Instructions.
    pub instructions: u64,
    /// ALU cycles.
    pub alu: u64,
    /// Code size.
    pub bytes: u64,
    /// Half registers: the table's thread counts follow [`agx_abi::occupancy`] only in that unit.
    pub registers: u64,
    /// Values spilled.
    pub spills: u64,
    /// Values filled.
    pub fills: u64,
    /// Host instructions executed to compile.
    pub compile_instructions: u64,
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
    /// The line number and what is wrong with it.
    pub fn parse(text: &str) -> Result<Baseline, String> {
        let mut lines = text.lines().enumerate();
        let header = lines.next().map(|(_, line)| line.split('\t').collect::<Vec<_>>());
        if header.as_deref() != Some(&COLUMNS) {
            return Err(format!("line 1: the columns should be {}", COLUMNS.join(" ")));
        }
        let rows: Vec<Row> = lines
            .map(|(index, line)| parse_row(line).map_err(|message| format!("line {}: {message}", index + 1)))
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

fn parse_row(line: &str) -> Result<Row, String> {
    let fields: Vec<&str> = line.split('\t').collect();
    if fields.len() != COLUMNS.len() {
        return Err(format!("{} columns instead of {}", fields.len(), COLUMNS.len()));
    }
    let column = |name: &str| COLUMNS.iter().position(|column| *column == name).unwrap_or(0);
    let number = |name: &str| {
        let text = fields[column(name)];
        text.parse::<u64>().map_err(|_| format!("{name} is {text}, which is no number"))
    };
    let stage = match fields[column("stage")] {
        "Vertex" => Stage::Vertex,
        "Fragment" => Stage::Fragment,
        "GLCompute" => Stage::Compute,
        other => return Err(format!("stage {other} is unknown")),
    };
    Ok(Row {
        file: fields[column("file")].to_owned(),
        stage,
        entry: fields[column("entry")].to_owned(),
        instructions: number("inst")?,
        alu: number("alu")?,
        bytes: number("bytes")?,
        registers: number("regs")?,
        spills: number("spills")?,
        fills: number("fills")?,
        compile_instructions: number("compile_instructions")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_file_and_entry() {
        let row = "a.spv\tGLCompute\tmain\t8\t5\t5\t0\t52\t14\t133\t0\t1024\t0\t1\t2\t1926625";
        let table = Baseline::parse(&format!("{}\n{row}\n", COLUMNS.join("\t"))).expect("well-formed");
        let row = table.find("a.spv", "main").expect("there");
        assert_eq!((row.instructions, row.bytes, row.registers), (8, 52, 14));
        assert_eq!((row.stage, row.fills, row.compile_instructions), (Stage::Compute, 2, 1_926_625));
        assert_eq!(table.find("a.spv", "other"), None);
    }

    #[test]
    fn errors_name_the_line() {
        let header = COLUMNS.join("\t");
        assert!(Baseline::parse("file\tstage\n").is_err());
        let error = Baseline::parse(&format!("{header}\na\tVertex\n")).expect_err("too few");
        assert_eq!(error, "line 2: 2 columns instead of 16");
    }
}
