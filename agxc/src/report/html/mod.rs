//! The report as one self-contained HTML file: statistics, source beside assembly, live registers over the program,
//! occupancy, control flow. It is readable without scripts; the script links source lines with their instructions. The
//! page of the project shows the same sections with the same style sheet and script.

mod charts;
mod comparison;
mod executed;
mod flame;
mod index;

pub use comparison::comparison;
pub use executed::{executed, executed_page};
pub use flame::flame_file;
pub use index::{Entry, index};

use std::collections::BTreeMap;
use std::fmt::Write as _;

use agx_abi::Target;
use agx_compiler::CompiledShader;

use super::{PartReport, Row, lines, parts};
use crate::baseline::{Figures, percentage};
use crate::{assembly, listing, statistics};

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// The contents of a report besides the shader.
pub struct Sources<'s> {
    /// Name of the input.
    pub name: &'s str,
    /// Text of the input, if it is text.
    pub text: Option<&'s str>,
    /// The chip compiled for.
    pub chip: Target,
    /// The compile key as JSON.
    pub key: &'s str,
    /// Statistics to compare with, by key.
    pub baseline: Option<Figures>,
}

/// The sections of a report, which the page shows one at a time.
pub struct Sections {
    /// Bottleneck and chip.
    pub summary: String,
    /// Statistics.
    pub figures: String,
    /// Live registers and occupancy.
    pub charts: String,
    /// Uniforms, textures and samplers; the key.
    pub interface: String,
    /// The assembly with costs.
    pub assembly: String,
    /// Control flow.
    pub flow: String,
}

impl Sections {
    /// The sections about `shader`.
    pub fn new(shader: &CompiledShader, parts: &[PartReport], sources: &Sources<'_>) -> Sections {
        let bottleneck = escaped(statistics::bottleneck(shader.stats.binds));
        let chip = sources.chip.name();
        Sections {
            summary: format!("<p class=\"note\">{bottleneck}; compiled for {chip}</p>\n"),
            figures: figures(shader, sources.baseline.as_ref()),
            charts: charts(shader, parts),
            interface: interface(shader, sources),
            assembly: assembly_pane(shader, parts),
            flow: flow(parts),
        }
    }
}

/// The whole page.
pub fn page(shader: &CompiledShader, sources: &Sources<'_>) -> String {
    let parts = parts(shader);
    let Sections { summary, figures, charts, interface, assembly, flow } =
        Sections::new(shader, &parts, sources);
    let title = format!("{} – {} shader {}", sources.name, shader.info.stage.name(), shader.info.entry_point);
    let panes = panes(&source_rows(shader, &parts, sources), &assembly);
    let body = [summary, figures, charts, interface, panes, flow].concat();
    document(&title, &(body + &script("connect(document.body);")))
}

/// The script of reports, which then calls `start`.
fn script(start: &str) -> String {
    format!("<script>\n{SCRIPT}{start}\n</script>\n")
}

/// A document with the style of reports.
pub fn document(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{title}</h1>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// The control flow of each part.
fn flow(parts: &[PartReport]) -> String {
    let mut html = String::from("<h2>Control flow</h2>\n");
    for part in parts {
        let role = assembly::role_name(part.role);
        let _ = writeln!(
            html,
            "<h3>{role}</h3>\n<div class=\"graph\" tabindex=\"0\" role=\"region\" aria-label=\"control flow of {role}\">{}</div>",
            charts::control_flow(part)
        );
    }
    html
}

/// Uniforms, textures and samplers, and the key.
fn interface(shader: &CompiledShader, sources: &Sources<'_>) -> String {
    let mut html = format!("<h2>Interface</h2>\n<p>{}</p>\n", escaped(&listing::title(&shader.info)));
    let bindings = listing::bindings(&shader.info);
    if !bindings.is_empty() {
        html.push_str("<table class=\"bindings\" id=\"interface\">\n<tr><th scope=\"col\">register</th><th scope=\"col\">contents</th></tr>\n");
        for (registers, contents) in bindings {
            let _ =
                writeln!(html, "<tr><td><code>{registers}</code></td><td>{}</td></tr>", escaped(&contents));
        }
        html.push_str("</table>\n");
    }
    let key = escaped(sources.key);
    let _ = writeln!(
        html,
        "<details id=\"key\"><summary>Compile key</summary>\n<pre tabindex=\"0\">{key}</pre>\n</details>"
    );
    html
}

/// Source beside assembly; assembly alone if nothing is known about the source.
fn panes(rows: &str, assembly: &str) -> String {
    if rows.is_empty() {
        return format!(
            "<h2>Assembly</h2>\n<p class=\"note\">Bars are cycles, with the stalled share in red. The input has no source \
             positions.</p>\n<div class=\"panes alone\">\n{assembly}</div>\n"
        );
    }
    format!(
        "<h2>Source and assembly</h2>\n<p class=\"note\">Bars are cycles, with the stalled share in red. Click a line to mark \
         what belongs to it.</p>\n<div class=\"panes\">\n{}{}{rows}\
         </table></div>\n{assembly}</div>\n",
        pane("source"),
        headings(["line", "cycles", "live", "source"])
    )
}

/// The beginning of a pane, which takes the keyboard to scroll and to select lines.
fn pane(name: &str) -> String {
    format!(
        "<div class=\"pane\" id=\"{name}\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\"><table class=\"code\">\n"
    )
}

/// The names of the columns of a pane.
fn headings(names: [&str; 4]) -> String {
    let cells: String = names.iter().map(|name| format!("<th scope=\"col\">{name}</th>")).collect();
    format!("<tr class=\"heads\">{cells}</tr>\n")
}

/// `text`, escaped for HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The table of statistics, with the changes since a baseline.
fn figures(shader: &CompiledShader, baseline: Option<&Figures>) -> String {
    let mut html = String::from("<h2>Statistics</h2>\n<table class=\"figures\" id=\"figures\">\n");
    for figure in statistics::FIGURES {
        let now = u64::from((figure.value)(&shader.stats));
        let before = baseline.and_then(|figures| figures.get(figure.key));
        let change = match before {
            Some(before) if before != now => {
                let class = if (now > before) == figure.higher_is_better { "better" } else { "worse" };
                format!("<td class=\"{class}\">was {before} ({})</td>", percentage(before, now))
            }
            _ => "<td></td>".to_owned(),
        };
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\" title=\"{}\">{}</th><td class=\"number\">{now}</td>{change}</tr>",
            escaped(figure.description),
            figure.title
        );
    }
    html.push_str("</table>\n");
    html
}

fn charts(shader: &CompiledShader, parts: &[PartReport]) -> String {
    let mut html = String::from("<h2>Registers</h2>\n<div class=\"charts\">\n");
    for part in parts {
        let role = assembly::role_name(part.role);
        let _ = writeln!(
            html,
            "<figure id=\"live-{role}\">{}<figcaption>Live half-registers over {role}, at most {}</figcaption></figure>",
            charts::live(part),
            part.peak_halves()
        );
    }
    let _ = writeln!(
        html,
        "<figure id=\"occupancy\">{}<figcaption>Threads per core by half-registers; this shader: {} at {}</figcaption></figure>",
        charts::occupancy(shader.info.gpr_halves),
        shader.stats.threads,
        shader.info.gpr_halves
    );
    html.push_str("</div>\n");
    html
}

/// The common name of the rows of a source line.
fn link(file: u32, line: u32) -> String {
    format!("{file}:{line}")
}

fn bar(cycles: u32, stalled: u32, most: u32) -> String {
    if cycles == 0 {
        return "<td class=\"bar\"></td>".to_owned();
    }
    debug_assert!(cycles <= most, "the longest bar has the width of its column");
    let (width, share) = (100 * cycles / most.max(1), 100 * stalled / cycles);
    format!(
        "<td class=\"bar\" title=\"{cycles} cycles, {stalled} stalled\"><b>{cycles}</b><span><i style=\"--w:{width}%;--s:{share}%\"></i></span></td>"
    )
}

/// The cost of a line in all parts together.
#[derive(Clone, Copy, Default)]
struct Cost {
    cycles: u32,
    stalled: u32,
    live_halves: u32,
}

/// The lines of the source with the costs of all parts; without the text, the lines with known costs.
fn source_rows(shader: &CompiledShader, parts: &[PartReport], sources: &Sources<'_>) -> String {
    let mut costs: BTreeMap<(u32, u32), Cost> = BTreeMap::new();
    for cost in parts.iter().flat_map(|part| lines::costs(shader, part)) {
        let sum = costs.entry((cost.file, cost.line)).or_default();
        sum.cycles += cost.cycles;
        sum.stalled += cost.stalled;
        sum.live_halves = sum.live_halves.max(cost.live_halves);
    }
    let most = costs.values().map(|cost| cost.cycles).max().unwrap_or(0);
    let mut html = String::new();
    let mut row = |file: u32, line: u32, text: &str| {
        let (linked, cost, live) = match costs.get(&(file, line)) {
            Some(cost) => (format!(" data-l=\"{}\"", link(file, line)), *cost, cost.live_halves.to_string()),
            None => (String::new(), Cost::default(), String::new()),
        };
        let _ = writeln!(
            html,
            "<tr{linked}><td class=\"n\">{line}</td>{}<td class=\"n\" title=\"live half-registers\">{live}</td><td>{}</td></tr>",
            bar(cost.cycles, cost.stalled, most),
            escaped(text)
        );
    };
    let files = &shader.sources.files;
    let input = files.iter().position(|name| name == sources.name);
    if let (Some(text), Some(file)) = (sources.text, input.or_else(|| files.is_empty().then_some(0))) {
        for (number, line) in text.lines().enumerate() {
            row(file as u32, number as u32 + 1, line);
        }
    }
    let shown = if sources.text.is_some() { input } else { None };
    let others = costs.keys().filter(|(file, line)| *line != 0 && Some(*file as usize) != shown);
    for (file, line) in others {
        row(*file, *line, files.get(*file as usize).map_or("", String::as_str));
    }
    html
}

fn assembly_pane(shader: &CompiledShader, parts: &[PartReport]) -> String {
    let most = parts.iter().flat_map(|part| &part.rows).map(|row| row.cycles).max().unwrap_or(0);
    let mut html = pane("assembly");
    html.push_str(&headings(["offset", "cycles", "live", "instruction"]));
    for part in parts {
        let role = assembly::role_name(part.role);
        let _ = writeln!(
            html,
            "<tr class=\"part\"><th colspan=\"4\" scope=\"rowgroup\">{role}, {} bytes</th></tr>",
            part.size_bytes
        );
        for row in part.rows.iter().filter(|row| !row.is_padding) {
            html.push_str(&instruction(shader, role, row, most));
        }
    }
    html.push_str("</table></div>\n");
    html
}

fn instruction(shader: &CompiledShader, role: &str, row: &Row, most: u32) -> String {
    let place = row.position.and_then(|position| shader.sources.get(position));
    let linked =
        place.map_or_else(String::new, |place| format!(" data-l=\"{}\"", link(place.file, place.line)));
    let label = row.label.as_ref().map_or_else(String::new, |label| format!("{label}: "));
    format!(
        "<tr id=\"{role}-{:x}\"{linked}><td class=\"n\">{:x}</td>{}<td class=\"n\" title=\"{}\">{}</td><td title=\"{}\">{label}{}</td></tr>\n",
        row.offset,
        row.offset,
        bar(row.cycles, row.stalled, most),
        row.live,
        row.live.len(),
        row.bytes,
        escaped(&row.text)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use agx_abi::PartRole;
    use agx_compiler::ShaderPart;
    use agx_isa::asm::assemble;

    #[test]
    fn a_page_is_whole_and_escapes_what_it_shows() {
        let code = assemble("L0: fadd r0, r1, r2\n jmp_any L0\n stop").expect("assembles");
        let mut shader = CompiledShader::default();
        shader.parts.push(ShaderPart::new(PartRole::Main, code));
        let sources = Sources {
            name: "a<b>.wgsl",
            text: Some("let x = a && b < c;"),
            chip: Target::G13G,
            key: "{\"<\": 1}",
            baseline: None,
        };
        let html = page(&shader, &sources);
        assert!(html.contains("a &amp;&amp; b &lt; c;") && html.contains("a&lt;b&gt;.wgsl"), "{html}");
        assert!(html.contains("compiled for g13g") && html.contains("{&quot;&lt;&quot;: 1}"), "{html}");
        for tag in [
            "pre", "details", "th", "table", "tr", "td", "svg", "figure", "div", "style", "script", "html",
            "body",
        ] {
            let open = html.matches(&format!("<{tag}")).filter(|_| true).count();
            let shut = html.matches(&format!("</{tag}>")).count();
            // `<tr` is also the beginning of nothing else here; `<td`, `<svg` and so on likewise.
            assert_eq!(open, shut, "{tag}");
        }
        assert!(!html.contains("src=") && !html.contains("href="), "nothing is loaded");
    }
}
