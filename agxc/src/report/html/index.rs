//! The index of a folder of reports: a table with a row for each.

use std::fmt::Write as _;

use agx_compiler::Statistics;

use super::{document, escaped};
use crate::{output, statistics};

/// A report in the folder.
pub struct Entry {
    /// Name of the input, with its entry point if there are several.
    pub name: String,
    /// Name of the file.
    pub file: String,
    /// Statistics of the shader.
    pub statistics: Statistics,
}

/// The index of `entries`.
pub fn index(entries: &[Entry]) -> String {
    let figures = || statistics::SUMMARY_KEYS.iter().filter_map(|key| statistics::figure(key));
    let titles: String = figures().map(|figure| format!("<th scope=\"col\">{}</th>", figure.title)).collect();
    let mut rows = String::new();
    for Entry { name, file, statistics: found } in entries {
        let cells: String =
            figures().map(|figure| format!("<td class=\"number\">{}</td>", (figure.value)(found))).collect();
        let (name, file) = (escaped(name), escaped(&output::reference(file)));
        let bottleneck = statistics::bottleneck(found.binds);
        let _ = writeln!(
            rows,
            "<tr><th scope=\"row\"><a href=\"{file}\">{name}</a></th>{cells}<td>{bottleneck}</td></tr>"
        );
    }
    let body = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"shaders\"><table class=\"index\">\n\
         <tr><th scope=\"col\">Shader</th>{titles}<th scope=\"col\">Bottleneck</th></tr>\n{rows}</table></div>\n"
    );
    let count = entries.len();
    document(&format!("Reports of {count} shader{}", if count == 1 { "" } else { "s" }), &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_lead_to_their_reports() {
        let statistics = Statistics { instructions: 12, ..Statistics::default() };
        let entry = Entry { name: "a<b".to_owned(), file: "a b#c.html".to_owned(), statistics };
        let html = index(&[entry]);
        assert!(html.contains("<a href=\"a%20b%23c.html\">a&lt;b</a>"), "{html}");
        assert!(
            html.contains("Reports of 1 shader<") && html.contains("<td class=\"number\">12</td>"),
            "{html}"
        );
    }
}
