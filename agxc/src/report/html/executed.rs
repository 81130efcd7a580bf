//! What a run executed, as a table by source line.

use std::fmt::Write as _;

use agx_debug::Symbols;
use agx_emulator::Profile;

use super::super::executed::{name, rows};
use super::flame::flame;
use super::{document, escaped, headings, link, pane, script};

/// The section about the lines that ran, with a title; `source` returns the text of a line if it is known.
pub fn executed<'s>(
    title: &str,
    profile: &Profile,
    symbols: &Symbols,
    source: impl Fn(&str, u32) -> Option<&'s str>,
) -> String {
    let rows = rows(profile, symbols);
    let most = rows.iter().map(|row| row.cycles).max().unwrap_or(0).max(1);
    // An identifier of the pane.
    let id: String =
        title.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
    let heading = escaped(title);
    let mut html = format!(
        "<h2>{heading}</h2>\n<div class=\"graph\" tabindex=\"0\" role=\"region\" aria-label=\"flame graph, {heading}\">{}</div>\n\
         <p class=\"note\">Widths and bars are busy cycles of the ALU; lanes are those active on average, of 32.</p>\n{}{}",
        flame(title, profile, symbols),
        pane(&id.to_lowercase()),
        headings(["executions", "cycles", "lanes", "line"])
    );
    for row in &rows {
        let text = row.place.and_then(|(file, line)| source(symbols.files.get(file as usize)?, line));
        let code = match (row.place, text) {
            (Some((_, line)), Some(text)) => format!("{line}: {}", text.trim()),
            (place, _) => name(place, symbols),
        };
        let linked =
            row.place.map_or_else(String::new, |(file, line)| format!(" data-l=\"{}\"", link(file, line)));
        let _ = writeln!(
            html,
            "<tr{linked}><td class=\"n\">{}</td><td class=\"bar\"><b>{}</b><span><i style=\"--w:{}%\"></i></span></td>\
             <td class=\"n\">{:.1}</td><td>{}</td></tr>",
            row.executions,
            row.cycles,
            100 * row.cycles / most,
            row.active(),
            escaped(&code)
        );
    }
    html + "</table></div>\n"
}

/// A page with sections about lines that ran.
pub fn executed_page(title: &str, sections: &[String]) -> String {
    let body: String = sections.iter().map(|html| format!("<section>\n{html}</section>\n")).collect();
    document(
        title,
        &(body + &script("for (const section of document.querySelectorAll(\"section\")) connect(section);")),
    )
}
