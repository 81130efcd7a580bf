//! Two shaders side by side: the figures of both, and their instructions aligned.

use std::fmt::Write as _;

use agx_compiler::CompiledShader;

use super::super::PartReport;
use super::escaped;
use crate::align::align;
use crate::baseline::percentage;
use crate::{assembly, report, statistics};

/// The section that compares two shaders.
pub fn comparison(old: &CompiledShader, new: &CompiledShader) -> String {
    let mut html = String::from(
        "<h2>Figures</h2>\n<table class=\"comparison\">\n<tr><th scope=\"col\">figure</th><th scope=\"col\">before</th>\
         <th scope=\"col\">after</th><th scope=\"col\">change</th></tr>\n",
    );
    for figure in statistics::FIGURES {
        let [before, after] = [old, new].map(|shader| u64::from((figure.value)(&shader.stats)));
        let (class, change) = match before == after {
            true => ("", "–".to_owned()),
            false if (after > before) == figure.higher_is_better => ("better", percentage(before, after)),
            false => ("worse", percentage(before, after)),
        };
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{}</th><td class=\"number\">{before}</td><td class=\"number\">{after}</td>\
             <td class=\"number {class}\">{change}</td></tr>",
            figure.title
        );
    }
    html.push_str("</table>\n<h2>Assembly</h2>\n");
    html.push_str(
        "<div class=\"pane\" id=\"compared\" tabindex=\"0\" role=\"region\" aria-label=\"aligned assembly\"><table class=\"code\">\n\
         <tr class=\"heads\"><th scope=\"col\">before</th><th scope=\"col\">after</th></tr>\n",
    );
    html.push_str(&aligned(&report::parts(old), &report::parts(new)));
    html + "</table></div>\n"
}

/// Rows of aligned instructions; those that differ have a class.
fn aligned(old: &[PartReport], new: &[PartReport]) -> String {
    let mut html = String::new();
    for (_, role) in assembly::ROLES {
        let (left, right) = (report::instructions(old, role), report::instructions(new, role));
        if left.is_empty() && right.is_empty() {
            continue;
        }
        let name = assembly::role_name(role);
        let _ = writeln!(html, "<tr class=\"part\"><th colspan=\"2\" scope=\"rowgroup\">{name}</th></tr>");
        for (x, y) in align(&left, &right) {
            let (one, other) = (x.and_then(|x| left.get(x)), y.and_then(|y| right.get(y)));
            let class = if one == other { "" } else { " class=\"differs\"" };
            let [one, other] = [one, other].map(|side| side.map_or(String::new(), |text| escaped(text)));
            let _ = writeln!(html, "<tr{class}><td>{one}</td><td>{other}</td></tr>");
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use agx_abi::PartRole;
    use agx_compiler::ShaderPart;
    use agx_isa::asm::assemble;

    use super::*;

    #[test]
    fn instructions_that_differ_are_marked() {
        let shader = |text: &str, instructions| {
            let mut shader = CompiledShader::default();
            shader.parts.push(ShaderPart::new(PartRole::Main, assemble(text).unwrap()));
            shader.stats.instructions = instructions;
            shader
        };
        let html = comparison(&shader("mov r0, 1\n stop", 2), &shader("mov r0, 2\n mov r1, 3\n stop", 3));
        assert_eq!(html.matches("class=\"differs\"").count(), 2, "{html}");
        assert!(html.contains("<tr><td>stop</td><td>stop</td></tr>"), "{html}");
        assert!(html.contains("<td class=\"number worse\">+50.0 %</td>"), "{html}");
    }
}
