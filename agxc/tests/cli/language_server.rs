//! `agxc lsp`: an editor that speaks the Language Server Protocol.

use std::fmt::Write as _;
use std::io::{BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

use crate::harness::{Folder, agxc, framed, glslang_is_installed, message, out, start};

const SHADER: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0u;
    for (var i = 0u; i < id.x % 7u; i++) {
        sum += data[i];
    }
    data[id.x] = sum;
}
";

const PAIR: &str = "/* fn vs() */
@vertex fn vs(@location(0) a: vec4f) -> @builtin(position) vec4f { return a * a; }
@fragment fn fs() -> @location(0) vec4f { return vec4f(1.0); }
";

/// An editor.
struct Editor {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    last: i64,
    /// Messages that no one has asked for.
    others: Vec<Value>,
}

impl Editor {
    /// Before the first message.
    fn new(arguments: &[&str]) -> Editor {
        let mut child = start(&[&["lsp"], arguments].concat());
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Editor { child, to, from, last: 0, others: Vec::new() }
    }

    fn started(arguments: &[&str]) -> Editor {
        let mut editor = Editor::new(arguments);
        let answer =
            editor.ask("initialize", json!({ "processId": null, "rootUri": null, "capabilities": {} }));
        assert_eq!(answer["capabilities"]["positionEncoding"], "utf-16");
        assert_eq!(answer["capabilities"]["textDocumentSync"]["change"], 2);
        editor.notify("initialized", json!({}));
        editor
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        self.to.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn send(&mut self, message: Value) {
        self.send_bytes(framed(&message).as_bytes());
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request; its number.
    fn request(&mut self, method: &str, params: Value) -> i64 {
        self.last += 1;
        self.send(json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        self.last
    }

    /// The next message that `is_it` selects.
    fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.others.iter().position(&is_it) {
            return self.others.remove(at);
        }
        loop {
            let message = message(&mut self.from).expect("the server has ended");
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            if is_it(&message) {
                return message;
            }
            self.others.push(message);
        }
    }

    fn response(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let response = self.response(id);
        assert!(response.get("error").is_none(), "{response}");
        response["result"].clone()
    }

    /// The code of the error that answers a request.
    fn refused(&mut self, method: &str, params: Value) -> i64 {
        let id = self.request(method, params);
        self.response(id)["error"]["code"].as_i64().expect("an error")
    }

    fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a range, `[line, unit, line, unit]`, or everything.
    fn change(&mut self, uri: &str, version: i32, range: Option<[u32; 4]>, text: &str) {
        let range = range.map(|[line, unit, last_line, last_unit]| {
            json!({ "start": { "line": line, "character": unit }, "end": { "line": last_line, "character": last_unit } })
        });
        let change = match range {
            Some(range) => json!({ "range": range, "text": text }),
            None => json!({ "text": text }),
        };
        let document = json!({ "uri": uri, "version": version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [change] }),
        );
    }

    /// The next diagnostics of a document in a version: `(code, line, first unit, last unit, message)`.
    fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<(String, u64, u64, u64, String)> {
        let published = self.wait(|message| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
        });
        let row = |diagnostic: &Value| {
            assert_eq!(diagnostic["source"], "agxc");
            let (start, end) = (&diagnostic["range"]["start"], &diagnostic["range"]["end"]);
            assert_eq!(start["line"], end["line"]);
            let [line, first, last] = [&start["line"], &start["character"], &end["character"]]
                .map(|number| number.as_u64().unwrap());
            let text = |name: &str| diagnostic[name].as_str().unwrap().to_owned();
            (text("code"), line, first, last, text("message"))
        };
        published["params"]["diagnostics"].as_array().unwrap().iter().map(row).collect()
    }

    /// The text of a hover.
    fn hover(&mut self, uri: &str, line: u32, unit: u32) -> Option<String> {
        let answer = self.ask("textDocument/hover", at(uri, line, unit));
        answer["contents"]["value"].as_str().map(str::to_owned)
    }

    /// Lines and titles of the lenses.
    fn lenses(&mut self, uri: &str) -> Vec<(u64, String)> {
        let lenses = self.ask("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
        let row = |lens: &Value| {
            let line = lens["range"]["start"]["line"].as_u64().unwrap();
            (line, lens["command"]["title"].as_str().unwrap().to_owned())
        };
        lenses.as_array().unwrap().iter().map(row).collect()
    }

    /// Ends the input; exit code and standard error.
    fn end(mut self) -> (Option<i32>, String) {
        drop(self.to.take());
        while message(&mut self.from).is_some() {}
        let output = self.child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    /// Ends the session as an editor does.
    fn quit(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.notify("exit", Value::Null);
        assert_eq!(self.end(), (Some(0), String::new()));
    }
}

fn at(uri: &str, line: u32, unit: u32) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": unit } })
}

/// A shader whose analysis takes longer than reading a message.
fn long_shader() -> String {
    let mut text = "@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = data[id.x];
"
    .to_owned();
    for number in 0..600 {
        let _ = writeln!(text, "    x = sin(x) * {number}.5 + data[id.y + {number}u];");
    }
    text + "    data[id.x] = x;\n}\n"
}

/// The diagnostics that `compile` prints: code, line and column from 1, message.
fn printed(file: &str) -> Vec<(String, u64, u64, String)> {
    let output = agxc(&["compile", "--error-format", "json", file]);
    let row = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let [code, message] = ["code", "message"].map(|name| value[name].as_str().unwrap().to_owned());
        (code, value["line"].as_u64().unwrap(), value["column"].as_u64().unwrap(), message)
    };
    String::from_utf8(output.stderr).unwrap().lines().map(row).collect()
}

#[test]
fn an_error_appears_with_the_edit_and_goes_with_its_correction() {
    let folder = Folder::new("lsp-edit");
    let mut editor = Editor::started(&[]);
    let uri = format!("file://{}", folder.path("sum.wgsl"));
    editor.open(&uri, "wgsl", SHADER);
    assert_eq!(editor.diagnostics(&uri, 1), []);
    editor.change(&uri, 2, Some([6, 15, 6, 22]), "datum[i]");
    let found = editor.diagnostics(&uri, 2);
    let file = folder.file("sum.wgsl", SHADER.replace("sum += data[i]", "sum += datum[i]").as_bytes());
    let [(code, line, column, text)] = &printed(&file)[..] else { panic!("one error") };
    assert_eq!((code.as_str(), *line, *column), ("AGX2205", 7, 16), "{text}");
    assert_eq!(found, [(code.clone(), line - 1, column - 1, column + 4, text.clone())]);
    let explanation = editor.hover(&uri, 6, 17).expect("an explanation");
    assert!(explanation.starts_with("**AGX2205** ") && explanation.lines().count() > 2, "{explanation}");
    assert_eq!(editor.hover(&uri, 4, 5), None, "nothing is known about other lines");
    assert_eq!(editor.lenses(&uri), []);
    editor.change(&uri, 3, Some([6, 15, 6, 20]), "data");
    assert_eq!(editor.diagnostics(&uri, 3), []);
    assert_eq!(editor.lenses(&uri).len(), 1);
    editor.quit();
}

#[test]
fn a_hover_shows_the_code_of_the_line_and_its_cost() {
    let folder = Folder::new("lsp-hover");
    let mut editor = Editor::started(&[]);
    let uri = "file:///sum.wgsl";
    editor.open(uri, "wgsl", SHADER);
    let text = editor.hover(uri, 6, 9).unwrap();
    // The row of the line in the main part: cycles, share, stalled, instructions, live.
    let file = folder.file("sum.wgsl", SHADER.as_bytes());
    let rows = out(&["compile", "--emit", "lines", &file]);
    let row = rows.lines().find(|line| line.contains("sum.wgsl:7 ")).unwrap();
    let row = row.split_whitespace().collect::<Vec<_>>();
    let [cycles, share, stalled, instructions, live] = row[..5] else { panic!("{row:?}") };
    let share = share.trim_end_matches('%');
    let heading = format!(
        "`main` (compute), main: {instructions} instructions, {cycles} cycles ({share} %), {stalled} of them waiting, {live} half \
         registers live; in a loop"
    );
    let main = text.split("\n\n---\n\n").find(|section| section.contains(", main:")).unwrap();
    assert_eq!(main.lines().next(), Some(heading.as_str()), "{rows}");
    let code: Vec<&str> = main.lines().skip_while(|line| *line != "```asm").skip(1).collect();
    assert_eq!(code.last(), Some(&"```"));
    assert_eq!((code.len() - 1).to_string(), instructions);
    let listing = out(&["compile", &file]);
    for line in &code[..code.len() - 1] {
        assert!(listing.contains(&format!("    {line} ")), "{line}\n{listing}");
    }
    assert!(text.contains("`main` (compute), preamble: "), "{text}");
    assert!(editor.hover(uri, 8, 0).unwrap().contains("; outside of loops\n"));
    assert_eq!(editor.hover(uri, 1, 0), None);
    assert_eq!(editor.hover(uri, 99, 99), None);
    editor.quit();
}

#[test]
fn lenses_have_the_statistics_of_every_entry_point() {
    let folder = Folder::new("lsp-lens");
    let mut editor = Editor::started(&[]);
    let file = folder.file("pair.wgsl", PAIR.as_bytes());
    let uri = format!("file://{file}");
    editor.open(&uri, "wgsl", PAIR);
    let printed: Value = serde_json::from_str(&out(&["stats", "--format", "json", &file])).unwrap();
    let rows = printed["shaders"].as_array().unwrap();
    let expected = [("vs", 1, "vertex"), ("fs", 2, "fragment")].map(|(name, line, stage)| {
        let row = rows.iter().find(|row| row["name"] == format!("{file}:{name}")).unwrap();
        let row = &row["statistics"];
        let title = format!(
            "{stage}: {} instructions, {} ALU cycle{}, {} half registers, {} threads per core, {} spills, bound by",
            row["instructions"],
            row["alu"],
            if row["alu"] == 1 { "" } else { "s" },
            row["gpr_halves"],
            row["threads"],
            row["spills"]
        );
        (line, title)
    });
    let lenses = editor.lenses(&uri);
    assert_eq!(lenses.len(), 2, "{lenses:?}");
    for ((line, title), (expected_line, expected)) in lenses.iter().zip(&expected) {
        assert!(line == expected_line && title.starts_with(expected), "{title}\n{expected}");
    }
    let text = editor.hover(&uri, 2, 15).unwrap();
    assert!(text.starts_with("`fs` (fragment)\n\nInstrs: "), "{text}");
    editor.quit();
}

/// The text of a page of the book.
fn page(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../docs/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn the_page_on_editors_shows_what_the_server_answers() {
    let (shown, stepping) = (page("editors.md"), page("stepping.md"));
    let quoted: Vec<&str> =
        shown.lines().filter_map(|line| line.strip_prefix('>')).map(str::trim_start).collect();
    let source = stepping.split("```wgsl\n").nth(1).unwrap().split("```\n").next().unwrap();
    let mut editor = Editor::started(&[]);
    let uri = "file:///sum.wgsl";
    editor.open(uri, "wgsl", source);
    let hover = editor.hover(uri, 7, 0).unwrap();
    let section = hover.split("\n\n---\n\n").next().unwrap();
    let lenses = editor.lenses(uri);
    let expected: Vec<&str> = section.lines().chain([lenses[0].1.as_str()]).collect();
    assert_eq!(quoted, expected);
    editor.quit();
}

#[test]
fn positions_count_utf16_units() {
    let mut editor = Editor::started(&[]);
    let uri = "file:///units.wgsl";
    // One byte, unit and letter; two bytes and one unit; four bytes and two units.
    let text = "/* aé🦀 */ @compute @workgroup_size(1) fn main() { let x = y; }";
    editor.open(uri, "wgsl", text);
    let [(code, line, first, last, _)] = &editor.diagnostics(uri, 1)[..] else { panic!("one error") };
    let unit = |part: &str| text[..text.find(part).unwrap()].encode_utf16().count() as u64;
    assert_eq!((code.as_str(), *line, *first, *last), ("AGX2205", 0, unit("y;"), unit("; }")));
    // The end of a change is a position of the text before it.
    let end = *last as u32;
    editor.change(uri, 2, Some([0, *first as u32, 0, end]), "1u; /* 🦀🦀 */ let z = w");
    let [(_, _, second, _, _)] = &editor.diagnostics(uri, 2)[..] else { panic!("one error") };
    assert_eq!(*second, first + "1u; /* 🦀🦀 */ let z = ".encode_utf16().count() as u64);
    editor.change(uri, 3, Some([0, *second as u32, 0, *second as u32 + 1]), "x");
    assert_eq!(editor.diagnostics(uri, 3), []);
    editor.quit();
}

#[test]
fn unknown_requests_are_refused_and_unknown_notifications_ignored() {
    let mut editor = Editor::started(&[]);
    assert_eq!(editor.refused("textDocument/definition", at("file:///a.wgsl", 0, 0)), -32601);
    assert_eq!(editor.refused("$/unknown", Value::Null), -32601);
    editor.notify("$/unknown", Value::Null);
    editor.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    assert_eq!(editor.refused("textDocument/hover", json!({ "textDocument": 7 })), -32602);
    assert_eq!(editor.refused("textDocument/hover", at("file:///closed.wgsl", 0, 0)), -32602);
    assert_eq!(editor.refused("textDocument/hover", at("no uri%%", 0, 0)), -32602);
    editor.notify("textDocument/didOpen", json!([1]));
    let log = editor.wait(|message| message["method"] == "window/logMessage");
    let text = log["params"]["message"].as_str().unwrap();
    assert!(log["params"]["type"] == 1 && text.starts_with("`textDocument/didOpen`: "), "{log}");
    editor.change("file:///closed.wgsl", 2, None, "");
    let log = editor.wait(|message| message["method"] == "window/logMessage");
    assert_eq!(log["params"]["message"], "`file:///closed.wgsl` is not open");
    editor.quit();
}

#[test]
fn what_is_no_message_is_refused_and_the_next_one_is_read() {
    let mut editor = Editor::started(&[]);
    let mut refused = |bytes: &[u8], id: Value, code: i32| {
        editor.send_bytes(bytes);
        let error = editor.wait(|message| message["error"].is_object());
        assert_eq!((&error["id"], &error["error"]["code"]), (&id, &json!(code)), "{error}");
    };
    refused(b"Content-Length: 5\r\n\r\n{\"id\"", Value::Null, -32700);
    refused(b"Content-Length: 2\r\n\r\n\xff\xfe", Value::Null, -32700);
    refused(b"Content-Length: many\r\n\r\n", Value::Null, -32700);
    refused(b"\r\n", Value::Null, -32700);
    refused(framed(&json!([1, 2])).as_bytes(), Value::Null, -32600);
    refused(framed(&json!({ "id": "seven", "method": 7 })).as_bytes(), json!("seven"), -32600);
    refused(framed(&json!({ "id": 1e300, "method": "shutdown" })).as_bytes(), json!(1e300), -32600);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    refused(format!("Content-Length: {}\r\n\r\n{deep}", deep.len()).as_bytes(), Value::Null, -32700);
    editor.open("file:///sum.wgsl", "wgsl", SHADER);
    assert_eq!(editor.diagnostics("file:///sum.wgsl", 1), []);
    editor.quit();
}

#[test]
fn damaged_messages_do_not_end_the_server() {
    let mut editor = Editor::started(&[]);
    let uri = "file:///sum.wgsl";
    let document = json!({ "uri": uri, "languageId": "wgsl", "version": 1, "text": "fn f() {}" });
    let range = json!({ "start": { "line": 0, "character": 1 }, "end": { "line": 1, "character": 2 } });
    let messages = [
        json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }),
        json!({
            "method": "textDocument/didChange",
            "params": { "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "range": range, "text": "é" }] }
        }),
        json!({ "id": 1000, "method": "textDocument/hover", "params": at(uri, 0, 3) }),
        json!({ "id": 1001, "method": "textDocument/codeLens", "params": { "textDocument": { "uri": uri } } }),
        json!({ "method": "$/cancelRequest", "params": { "id": 1000 } }),
    ];
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..400 {
        let mut text = messages[random(messages.len())].to_string().into_bytes();
        let at = random(text.len());
        match random(3) {
            0 => text[at] = random(256) as u8,
            1 => text.truncate(at),
            _ => drop(text.splice(at..at, [[b'"', b'9', b'-', b'}'][random(4)]])),
        }
        editor.send_bytes(&[format!("Content-Length: {}\r\n\r\n", text.len()).as_bytes(), &text].concat());
    }
    editor.open(uri, "wgsl", SHADER);
    assert_eq!(editor.lenses(uri).len(), 1);
    editor.quit();
}

#[test]
fn a_session_ends_with_shutdown_and_exit() {
    let mut editor = Editor::started(&[]);
    editor.notify("exit", Value::Null);
    let (code, text) = editor.end();
    assert_eq!((code, text.as_str()), (Some(1), "agxc: error[AGX0406]: `exit` before `shutdown`\n"));
    let (code, text) = Editor::started(&[]).end();
    assert!(code == Some(1) && text.contains("AGX0406"), "{text}");
    let mut editor = Editor::started(&[]);
    editor.ask("shutdown", Value::Null);
    assert_eq!(editor.refused("textDocument/hover", at("file:///a.wgsl", 0, 0)), -32600);
    assert_eq!(editor.refused("shutdown", Value::Null), -32600);
    assert_eq!(editor.end(), (Some(0), String::new()), "the input ends after `shutdown`");
}

#[test]
fn requests_before_initialize_are_refused() {
    let mut editor = Editor::new(&["--stdio"]);
    assert_eq!(editor.refused("textDocument/hover", at("file:///a.wgsl", 0, 0)), -32002);
    editor.open("file:///a.wgsl", "wgsl", SHADER);
    editor.ask("initialize", json!({ "capabilities": {} }));
    assert_eq!(editor.refused("initialize", json!({ "capabilities": {} })), -32600);
    assert_eq!(editor.refused("textDocument/hover", at("file:///a.wgsl", 0, 0)), -32602, "it was not opened");
    editor.quit();
}

#[test]
fn documents_are_independent() {
    let mut editor = Editor::started(&[]);
    let [one, two] = ["file:///one.wgsl", "untitled:Untitled-1"];
    editor.open(one, "wgsl", SHADER);
    editor.open(two, "wgsl", "fn main() { x(); }");
    assert_eq!(editor.diagnostics(two, 1)[0].0, "AGX2205");
    assert_eq!(editor.diagnostics(one, 1), []);
    editor.change(one, 2, None, "fn");
    assert_eq!(editor.diagnostics(one, 2).len(), 1);
    editor.change(two, 5, None, PAIR);
    assert_eq!(editor.diagnostics(two, 5), []);
    assert_eq!(editor.lenses(two).len(), 2, "the text changed as a whole");
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": one } }));
    let cleared = editor.wait(|message| message["params"]["uri"] == one);
    assert_eq!(cleared["params"]["diagnostics"], json!([]));
    assert_eq!(editor.refused("textDocument/codeLens", json!({ "textDocument": { "uri": one } })), -32602);
    assert_eq!(editor.lenses(two).len(), 2);
    editor.quit();
}

#[test]
fn a_request_is_cancelled_or_overtaken_by_a_change() {
    let mut editor = Editor::started(&[]);
    let uri = "file:///long.wgsl";
    editor.open(uri, "wgsl", &long_shader());
    let id = editor.request("textDocument/hover", at(uri, 5, 5));
    let other = editor.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    editor.notify("$/cancelRequest", json!({ "id": id }));
    assert_eq!(editor.response(id)["error"]["code"], -32800);
    editor.change(uri, 2, None, SHADER);
    assert_eq!(editor.response(other)["error"]["code"], -32801);
    assert_eq!(editor.diagnostics(uri, 2), []);
    assert!(
        !editor.others.iter().any(|message| message["params"]["version"] == 1),
        "diagnostics of a text that is not the latest"
    );
    editor.notify("$/cancelRequest", json!({ "id": 12_345 }));
    editor.quit();
}

#[test]
fn the_extension_of_a_file_is_the_stage_of_glsl() {
    let mut editor = Editor::started(&[]);
    let vertex =
        "#version 450\nlayout(location = 0) in vec4 place;\nvoid main() { gl_Position = place * 2.0; }\n";
    let fragment = "#version 450\nlayout(location = 0) out vec4 colour;\nvoid main() { colour = vec4(gl_FragCoord.x * 3.0); }\n";
    let compute = "#version 450\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) buffer B { uint data[]; };\nvoid main() { data[gl_GlobalInvocationID.x] = 1u; }\n";
    for (name, text, stage, line) in [
        ("a.vert", vertex, "vertex", 2),
        ("b.frag", fragment, "fragment", 2),
        ("c.frag.glsl", fragment, "fragment", 2),
        ("d.comp", compute, "compute", 3),
    ] {
        let uri = format!("file:///{name}");
        editor.open(&uri, "glsl", text);
        assert_eq!(editor.diagnostics(&uri, 1), [], "{name}");
        let lenses = editor.lenses(&uri);
        assert!(
            lenses.len() == 1 && lenses[0].0 == line && lenses[0].1.starts_with(stage),
            "{name}: {lenses:?}"
        );
        let hover = editor.hover(&uri, line as u32, 16).unwrap();
        assert!(hover.contains("```asm\n"), "{hover}");
    }
    editor.open("file:///e.glsl", "glsl", fragment);
    let [(code, line, first, last, _)] = &editor.diagnostics("file:///e.glsl", 1)[..] else {
        panic!("one error")
    };
    assert_eq!((code.as_str(), *line, *first, *last), ("AGX0105", 0, 0, 12));
    editor.open("file:///f.txt", "plaintext", "any text");
    assert_eq!(editor.diagnostics("file:///f.txt", 1), [], "other languages have no diagnostics");
    assert_eq!(editor.hover("file:///f.txt", 0, 0), None);
    editor.quit();
}

#[test]
fn included_files_are_read_and_their_errors_are_at_the_inclusion() {
    if !glslang_is_installed() {
        eprintln!("skipped: glslangValidator is not installed");
        return;
    }
    let folder = Folder::new("lsp include");
    let mut editor = Editor::started(&[]);
    let uri = format!("file://{}", folder.path("a.frag").replace(' ', "%20"));
    let part = folder.file("part.glsl", b"float part() { return one; }\n");
    let text = "#version 450\n#extension GL_GOOGLE_include_directive : require\n #include \"part.glsl\"\n\
                layout(location = 0) out vec4 colour;\nvoid main() { vec4 a; colour = a + part(); }\n";
    editor.open(&uri, "glsl", text);
    let found = editor.diagnostics(&uri, 1);
    let (code, line, first, last, message) = &found[0];
    assert_eq!((code.as_str(), *line, *first, *last), ("AGX0200", 2, 1, 21));
    assert!(message.starts_with(&format!("{part}:1:1: ")), "{message}");
    folder.file("part.glsl", b"float part() { return 1.0; }\n");
    editor.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    let [(code, line, ..)] = &editor.diagnostics(&uri, 1)[..] else { panic!("one warning") };
    assert_eq!((code.as_str(), *line), ("AGX0500", 4));
    editor.quit();
}

#[test]
fn options_come_from_the_command_line_or_the_editor() {
    let text = "override n: u32;\n@group(0) @binding(0) var<storage, read_write> d: array<u32>;\n\
                @compute @workgroup_size(1) fn main() { d[0] = n; }\n";
    let uri = "file:///n.wgsl";
    let mut editor = Editor::started(&[]);
    editor.open(uri, "wgsl", text);
    assert_eq!(editor.diagnostics(uri, 1).len(), 1, "`n` has no value");
    editor.quit();
    let mut editor = Editor::started(&["--spec", "n=3", "--target", "g14g"]);
    editor.open(uri, "wgsl", text);
    assert_eq!(editor.diagnostics(uri, 1), []);
    editor.quit();
    let mut editor = Editor::new(&[]);
    let initialize = |args: Value| json!({ "capabilities": {}, "initializationOptions": args });
    for wrong in [
        json!({ "args": ["--target", "g99"] }),
        json!({ "args": 7 }),
        json!({ "arg": [] }),
        json!({ "args": ["x"] }),
    ] {
        assert_eq!(editor.refused("initialize", initialize(wrong)), -32602);
    }
    editor.ask("initialize", initialize(json!({ "args": ["--spec", "n=3"] })));
    editor.open(uri, "wgsl", text);
    assert_eq!(editor.diagnostics(uri, 1), []);
    editor.quit();
}
