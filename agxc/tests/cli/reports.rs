//! Costs, live registers, graphs, JSON, comparisons, completions, manual pages.

use serde_json::Value;

use crate::harness::{Folder, agxc, fails, out, shader, stderr};

pub const LOOP: &[u8] = b"@group(0) @binding(0) var<storage, read_write> data: array<f32>;\n\
    @compute @workgroup_size(32)\n\
    fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
    var x = data[id.x];\n\
    var i = 0u;\n\
    loop {\n\
    if (x > 10.0) { break; }\n\
    if (x < -1.0) { x = sin(x) + data[i]; } else { x = x * 1.5 + data[i + 7u]; }\n\
    i = i + id.x;\n\
    }\n\
    data[id.x] = x;\n}\n";

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&out(arguments)).unwrap()
}

/// Checks a value against a schema: the keywords that the published schema uses.
fn check(schema: &Value, root: &Value, value: &Value, at: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let definition = root.pointer(reference.trim_start_matches('#')).expect("a definition");
        return check(definition, root, value, at);
    }
    let is_of_type = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("boolean") => value.is_boolean(),
        other => panic!("{at}: the schema has the type {other:?}"),
    };
    assert!(is_of_type, "{at}: {value} is not of type {}", schema["type"]);
    if let Some(allowed) = schema["enum"].as_array() {
        assert!(allowed.contains(value), "{at}: {value} is not one of {allowed:?}");
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_i64(), value.as_i64()) {
        assert!(number >= least, "{at}: {number}");
    }
    if schema["pattern"].is_string() {
        let digits = value.as_str().unwrap();
        assert!(
            digits.len().is_multiple_of(2) && digits.chars().all(|digit| digit.is_ascii_hexdigit()),
            "{at}"
        );
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{at}: {name} is missing");
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        if schema["items"].is_object() {
            check(&schema["items"], root, item, &format!("{at}/{index}"));
        }
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        let known = schema["properties"].get(name).or(schema.get("additionalProperties"));
        let Some(known) = known else {
            assert!(schema.get("properties").is_none(), "{at}: the schema lacks {name}");
            continue;
        };
        if known["type"] == "object" && known.get("properties").is_none() {
            continue;
        }
        check(known, root, field, &format!("{at}/{name}"));
    }
}

#[test]
fn the_json_keeps_to_its_schema() {
    let schema = include_str!("../../../docs/shader.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let folder = Folder::new("schema");
    let mut files = vec![shader("nbody.wgsl"), shader("raymarch.spv"), folder.file("loop.wgsl", LOOP)];
    let two = b"@group(0) @binding(1) var t: texture_2d<f32>; @group(0) @binding(2) var s: sampler;\n\
        @fragment fn fs(@location(0) p: vec2<f32>) -> @location(0) vec4<f32> { return textureSample(t, s, p); }\n";
    files.push(folder.file("fs.wgsl", two));
    let vertex = b"@vertex fn vs(@location(0) p: vec4<f32>) -> @builtin(position) vec4<f32> { return p; }\n";
    files.push(folder.file("vs.wgsl", vertex));
    for file in files {
        check(&schema, &schema, &json(&["compile", "--emit", "json", &file]), &file);
    }
}

#[test]
fn costs_by_line_add_up() {
    let folder = Folder::new("costs");
    let file = folder.file("loop.wgsl", LOOP);
    let shader = json(&["compile", "--emit", "json", &file]);
    let main = &shader["parts"][0];
    let sum = |rows: &Value, key: &str| -> u64 {
        rows.as_array().unwrap().iter().map(|row| row[key].as_u64().unwrap()).sum()
    };
    assert_eq!(sum(&main["costs"], "cycles"), sum(&main["instructions"], "cycles"));
    assert_eq!(sum(&main["costs"], "cycles"), shader["statistics"]["cycles"].as_u64().unwrap());
    assert_eq!(
        sum(&main["costs"], "stalled_cycles"),
        shader["statistics"]["stalled_cycles"].as_u64().unwrap()
    );
    let lines: Vec<u64> =
        main["costs"].as_array().unwrap().iter().map(|cost| cost["line"].as_u64().unwrap()).collect();
    assert!(lines.contains(&8) && lines.contains(&11), "{lines:?}");
    let text = out(&["compile", "--emit", "lines", &file]);
    assert!(text.contains("loop.wgsl:11  data[id.x] = x;"), "{text}");
}

#[test]
fn assembly_with_live_registers_assembles() {
    let folder = Folder::new("live");
    let file = folder.file("loop.wgsl", LOOP);
    let text = out(&["compile", "--emit", "live", &file]);
    assert!(
        text.lines().any(|line| line.contains(" halves live") || line.contains("half-registers live")),
        "{text}"
    );
    let listing = folder.file("loop.s", text.as_bytes());
    let assembled = agxc(&["asm", "--part", "main", &listing]);
    assert_eq!(assembled.status.code(), Some(0), "{}", stderr(&assembled));
    assert_eq!(assembled.stdout, agxc(&["compile", "--emit", "bin", &file]).stdout);
    // Live registers stay within those that the shader allocates.
    let shader = json(&["compile", "--emit", "json", &file]);
    let peak = shader["parts"][0]["peak_live_halves"].as_u64().unwrap();
    let allocated = shader["info"]["gpr_halves"].as_u64().unwrap();
    assert!(peak > 2 && peak <= allocated, "{peak} of {allocated}");
    let first = &shader["parts"][0]["instructions"][0]["live"];
    assert_eq!(first, "", "nothing is live at the start of a compute shader");
}

#[test]
fn the_graph_has_the_loop() {
    let folder = Folder::new("dot");
    let graph = out(&["compile", "--emit", "dot", &folder.file("loop.wgsl", LOOP)]);
    assert!(graph.starts_with("digraph ") && graph.ends_with("}\n"));
    assert_eq!(graph.matches('{').count(), graph.matches('}').count());
    assert_eq!(graph.matches("[style=dashed]").count(), 1, "one back edge: {graph}");
    let edges = graph.lines().filter(|line| line.contains(" -> ")).count();
    assert!(edges >= 6, "{graph}");
}

#[test]
fn the_report_is_one_linked_file() {
    let folder = Folder::new("html");
    let file = folder.file("loop.wgsl", LOOP);
    let baseline = folder.path("stats.json");
    out(&["stats", "-q", "--format", "json", "--max-registers", "12", "-o", &baseline, &file]);
    let html = out(&["compile", "--emit", "html", "--baseline", &baseline, &file]);
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    assert!(
        !html.contains("http://")
            || html.matches("http://").count() == html.matches("www.w3.org/2000/svg").count()
    );
    let pane = |id: &str| {
        let from = html.split_once(&format!("id=\"{id}\"")).unwrap().1;
        from.split_once("</div>").unwrap().0.to_owned()
    };
    let links = |pane: &str| -> std::collections::BTreeSet<String> {
        pane.split("data-l=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    let (source, assembly) = (pane("source"), pane("assembly"));
    assert!(source.contains("if (x &lt; -1.0)") && assembly.contains("sinr"));
    assert_eq!(links(&source), links(&assembly), "lines are linked both ways");
    assert!(
        html.contains("class=\"better\"") && html.contains("id=\"occupancy\""),
        "compared with the baseline"
    );
    assert_eq!(html.matches("class=\"edge back\"").count(), 1, "one back edge");
    let two = folder.file("two.wgsl", &[LOOP, b"@compute @workgroup_size(1) fn other() {}\n"].concat());
    out(&["stats", "-q", "--format", "json", "--max-registers", "12", "-o", &baseline, &two]);
    let html = out(&["compile", "--entry", "main", "--emit", "html", "--baseline", &baseline, &two]);
    assert!(html.contains("class=\"better\""), "compared with the row of the entry point");
    // What shapes point at exists.
    for target in html.split("data-go=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(html.contains(&format!("id=\"{target}\"")), "{target}");
    }
}

/// The shares of all bars of a page, in per cent.
fn bars(html: &str) -> Vec<u32> {
    html.split("--w:").skip(1).map(|rest| rest.split('%').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn the_report_names_everything_it_shows() {
    let folder = Folder::new("html-names");
    let file = folder.file("loop.wgsl", LOOP);
    let html = out(&["compile", "--emit", "html", "--target", "g14x", "--disable-pass", "opt_cse", &file]);
    // The cost of a line with code in preamble and main part is their sum.
    for html in [&html, &out(&["compile", "--emit", "html", &shader("nbody.wgsl")])] {
        assert_eq!(bars(html).into_iter().max(), Some(100), "the longest bar fills its column");
    }
    let has = |text: &str| assert!(html.contains(text), "{text}: {html}");
    has("compiled for g14x</p>");
    has("<td><code>u0_u1</code></td><td>address of buffer 0.0</td>");
    has("&quot;target&quot;: &quot;g14x&quot;");
    has("&quot;opt_cse&quot;");
    let head = |names: [&str; 4]| names.map(|name| format!("<th scope=\"col\">{name}</th>")).concat();
    has(&head(["line", "cycles", "live", "source"]));
    has(&head(["offset", "cycles", "live", "instruction"]));
    has(">live half-registers</text>");
    has(">threads per core</text>");
    has(": 1 instruction, ");
    assert!(!html.contains(": 1 instructions") && !html.contains(", 1 cycles"), "{html}");
    has("@media (max-width: 800px)");
    // The cycles of a row are a number beside its bar.
    assert!(bars(&html).len() > 20 && html.matches("<b>").count() == bars(&html).len(), "{html}");
}

/// A module without source positions is shown itself; the assembly has the whole page if there is nothing to show.
#[test]
fn a_report_without_source_shows_the_module() {
    let folder = Folder::new("html-alone");
    let html = out(&["compile", "-q", "--emit", "html", &shader("life.spv")]);
    assert!(html.contains("%look = OpFunction") && html.contains("class=\"panes\""), "{html}");
    let (source, assembly) = html.split_once("id=\"assembly\"").unwrap();
    let line =
        source.split("<tr data-l=\"").find(|row| row.contains("OpStore")).unwrap().split('"').next().unwrap();
    assert!(assembly.contains(&format!("data-l=\"{line}\"")), "{line}");
    let main = u32::from_le_bytes(*b"main");
    let words = [
        &[0x0723_0203, 0x1_0000, 0, 5, 0, 2 << 16 | 17, 1, 3 << 16 | 14, 0, 1][..],
        &[5 << 16 | 15, 5, 1, main, 0, 6 << 16 | 16, 1, 17, 1, 1, 1, 2 << 16 | 19, 2, 3 << 16 | 33, 3, 2],
        &[5 << 16 | 54, 2, 1, 0, 3, 2 << 16 | 248, 4, 1 << 16 | 253, 1 << 16 | 56],
    ]
    .concat();
    let module: Vec<u8> = words.iter().flat_map(|word: &u32| word.to_le_bytes()).collect();
    // No instruction of this module makes code.
    let html = out(&["compile", "--emit", "html", &folder.file("m.spv", &module)]);
    assert!(html.contains("OpEntryPoint GLCompute %1 &quot;main&quot;"), "{html}");
    let (text, bytes) = (folder.file("f.agal", b".agal 1 fragment\nmov oc, v0\n"), folder.path("f.bin"));
    out(&["asm", &text, "-o", &bytes]);
    let html = out(&["compile", "-x", "agal", "--emit", "html", &bytes]);
    assert!(
        html.contains("The input has no source positions") && html.contains("class=\"panes alone\""),
        "{html}"
    );
    assert!(!html.contains("id=\"source\"") && html.contains("id=\"assembly\""), "{html}");
}

/// In a real browser, where one is installed: the page loads without errors, and a click on a line of the source marks
/// the instructions that belong to it.
#[test]
fn the_report_works_in_a_browser() {
    let browser = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| std::process::Command::new(name).arg("--version").output().is_ok());
    let Some(browser) = browser else {
        eprintln!("skipped: no Chromium is installed");
        return;
    };
    let folder = Folder::new("browser");
    let html = out(&["compile", "--emit", "html", &folder.file("loop.wgsl", LOOP)]);
    let click = "<script>window.onerror = (e) => document.body.setAttribute('data-error', e);\
        document.querySelector('#source tr[data-l=\"0:8\"]').click();</script></body>";
    let page = folder.file("page.html", html.replace("</body>", click).as_bytes());
    let run = std::process::Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path("profile")))
        .arg(format!("file://{page}"))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&run.stdout);
    let state = dom.rsplit_once("<body").map_or("", |(_, rest)| rest.split('>').next().unwrap());
    assert!(state.contains("data-selected=\"0:8\"") && !state.contains("data-error"), "{state}");
    let (source, assembly) = dom.split_once("id=\"assembly\"").unwrap();
    assert_eq!(source.matches("class=\"on\"").count(), 1);
    let marked = assembly.matches("class=\"on\"").count();
    assert_eq!(marked, html.matches("data-l=\"0:8\"").count() - 1);
    assert!(marked > 5, "{marked}");
}

#[test]
fn a_folder_of_reports_has_an_index() {
    let folder = Folder::new("html-index");
    let (one, two) = (folder.file("one.wgsl", LOOP), folder.file("two.wgsl", LOOP));
    let target = folder.path("reports");
    out(&["compile", "-q", "--emit", "html", &one, &two, "-o", &target]);
    let index = std::fs::read_to_string(format!("{target}/index.html")).unwrap();
    for (file, name) in [("one.wgsl.html", &one), ("two.wgsl.html", &two)] {
        assert!(index.contains(&format!("<a href=\"{file}\">{name}</a>")), "{index}");
        assert!(std::path::Path::new(&target).join(file).is_file(), "{file}");
    }
    let shader = folder.file("index", LOOP);
    let arguments = ["compile", "-x", "wgsl", "--emit", "html", &shader, &one, "-o", &target];
    fails(&arguments, b"", 2, "would replace that of `the index of the reports`");
}

#[test]
fn tables_for_readers_are_markdown() {
    let folder = Folder::new("markdown");
    let one = folder.file("one.wgsl", LOOP);
    let table = out(&["stats", "-q", "--format", "markdown", &one]);
    assert_eq!(table.lines().count(), 3, "{table}");
    assert!(table.starts_with("| Shader | Instrs |") && table.contains(&format!("| `{one}` |")), "{table}");
    let (first, second) = (folder.path("a.json"), folder.path("b.json"));
    out(&["stats", "-q", "--format", "json", "-o", &first, &one]);
    let same = out(&["diff", "--format", "markdown", &first, &first]);
    assert_eq!(same, "No figure of a shader has changed.\n");
    out(&["stats", "-q", "--format", "json", "--max-registers", "12", "-o", &second, &one]);
    let table = out(&["diff", "--format", "markdown", &first, &second]);
    let count = |path: &str| -> u64 {
        let text = std::fs::read_to_string(path).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        value["shaders"][0]["statistics"]["instructions"].as_u64().unwrap()
    };
    let row = format!("| `{one}` | instructions | {} | {} | +", count(&first), count(&second));
    assert!(table.contains(&row) && table.contains("| all | instructions |"), "{row} {table}");
    fails(&["diff", "--format", "markdown", &one], b"", 2, "compares two files of");
    fails(&["diff", "--format", "html", &first, &second], b"", 2, "compares shaders, not builds");
}

#[test]
fn differences_are_listed_side_by_side() {
    let folder = Folder::new("diff");
    let one = folder.file("one.wgsl", LOOP);
    let text = String::from_utf8(LOOP.to_vec()).unwrap().replace("x * 1.5", "x * x * 1.5");
    let two = folder.file("two.wgsl", text.as_bytes());
    let same = out(&["diff", &one]);
    assert!(same.contains("Instrs") && !same.contains('%') && !same.contains(" | "), "{same}");
    let text = out(&["diff", &one, &two]);
    assert!(text.contains('%') && text.contains(".part main"), "{text}");
    assert!(text.lines().any(|line| line.contains(" > ") || line.contains(" | ")), "{text}");
    let figures = json(&["diff", "--format", "json", &one, &two]);
    let count = |side| figures["figures"]["instructions"][side].as_u64().unwrap();
    assert!(count("after") > count("before"), "{figures}");
    let html = out(&["diff", "--format", "html", &one, &two]);
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("class=\"differs\""), "{html}");
    let other = out(&["diff", &one, "--to-target", "g14x", "--brief"]);
    assert!(other.contains("Bottleneck"), "{other}");
    fails(&["diff", &one, &two, &one], b"", 2, "expected one or two files");
    let (first, second) = (folder.path("a.json"), folder.path("b.json"));
    out(&["stats", "--format", "json", "-o", &first, &one]);
    out(&["stats", "--format", "json", "-o", &second, &one, &two]);
    let builds = out(&["diff", &first, &second]);
    assert!(builds.contains("two.wgsl` is only in the second build") && builds.contains("total"), "{builds}");
}

#[test]
fn completions_and_manual_pages_are_printed() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(out(&["completions", shell]).contains("validate"), "{shell}");
    }
    fails(&["completions", "tcsh"], b"", 2, "unknown shell `tcsh`");
    let folder = Folder::new("man");
    let pages = folder.path("man");
    out(&["man", "--folder", &pages]);
    assert!(std::fs::read_to_string(format!("{pages}/agxc-compile.1")).unwrap().contains(".SH OPTIONS"));
    assert!(out(&["man"]).starts_with(".TH AGXC 1 "));
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.file(shell, out(&["completions", shell]).as_bytes());
        let checked = std::process::Command::new(shell).args(["-n", &script]).output();
        // Shells that are not installed are not asked.
        if let Ok(checked) = checked {
            assert!(checked.status.success(), "{shell}: {}", String::from_utf8_lossy(&checked.stderr));
        }
    }
}
