//! `agxc debug`: the terminal's commands, and an editor that speaks the Debug Adapter Protocol.

use std::io::{BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

use crate::harness::{
    Folder, agxc, agxc_with, fails, framed, glslang_is_installed, message, out, out_with, start, stderr,
};

pub(crate) const SHADER: &[u8] = b"@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0u;
    for (var i = 0u; i < id.x % 7u; i++) {
        if (id.x & 1u) == 0u {
            sum += data[i];
        } else {
            sum += 3u;
        }
    }
    data[id.x] = sum;
}
";

/// An editor.
pub(crate) struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    seq: i64,
    events: Vec<Value>,
    /// The thread that stopped last.
    thread: Value,
}

impl Editor {
    pub(crate) fn new() -> Editor {
        let mut child = start(&["debug"]);
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut editor = Editor { child, to, from, seq: 0, events: Vec::new(), thread: Value::Null };
        let capabilities = editor.ask("initialize", json!({ "adapterID": "agxc" }));
        assert_eq!(capabilities["supportsStepBack"], true);
        editor
    }

    /// An editor that has launched the shader, set breakpoints at lines, and started it.
    fn started(folder: &Folder, lines: &[(u32, &str)]) -> Editor {
        let file = folder.file("sum.wgsl", SHADER);
        let mut editor = Editor::new();
        let args = ["--groups", "2", "--buffer", "0.0=u32:1,2,3,4,5,6,7", "--buffer", "0.0=zero:512"];
        editor.ask(
            "launch",
            json!({ "program": file, "args": [args[0], args[1], args[2], args[5]], "stopOnEntry": true }),
        );
        editor.event("initialized");
        let breakpoints: Vec<Value> =
            lines.iter().map(|(line, condition)| json!({ "line": line, "condition": condition })).collect();
        let set =
            editor.ask("setBreakpoints", json!({ "source": { "path": file }, "breakpoints": breakpoints }));
        for (one, (line, _)) in set["breakpoints"].as_array().unwrap().iter().zip(lines) {
            assert_eq!((&one["verified"], &one["line"]), (&json!(true), &json!(line)), "{set}");
        }
        editor.ask("configurationDone", json!({}));
        assert_eq!(editor.event("stopped")["reason"], "entry");
        editor
    }

    fn send(&mut self, command: &str, arguments: Value) {
        self.seq += 1;
        let request =
            json!({ "seq": self.seq, "type": "request", "command": command, "arguments": arguments });
        self.to.write_all(framed(&request).as_bytes()).unwrap();
    }

    fn read(&mut self) -> Value {
        message(&mut self.from).expect("the adapter has ended")
    }

    fn response(&mut self, command: &str, arguments: Value) -> Value {
        self.send(command, arguments);
        loop {
            let message = self.read();
            if message["type"] == "event" {
                self.events.push(message);
                continue;
            }
            assert_eq!((&message["command"], &message["request_seq"]), (&json!(command), &json!(self.seq)));
            return message;
        }
    }

    /// The body of the response to a request that succeeds.
    pub(crate) fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.response(command, arguments);
        assert_eq!(response["success"], true, "{response}");
        response["body"].clone()
    }

    fn refused(&mut self, command: &str, arguments: Value) -> String {
        let response = self.response(command, arguments);
        assert_eq!(response["success"], false, "{response}");
        response["message"].as_str().unwrap().to_owned()
    }

    /// The next event with this name.
    pub(crate) fn event(&mut self, name: &str) -> Value {
        loop {
            let found = self.events.iter().position(|event| event["event"] == name);
            if let Some(at) = found {
                return self.events.remove(at)["body"].clone();
            }
            let message = self.read();
            self.events.push(message);
        }
    }

    /// Continues or steps; the stopped event.
    pub(crate) fn go(&mut self, command: &str) -> Value {
        self.ask(command, json!({ "threadId": 0 }));
        let stopped = self.event("stopped");
        self.thread = stopped["threadId"].clone();
        stopped
    }

    /// The line of the top frame of the thread that stopped.
    pub(crate) fn line(&mut self) -> u64 {
        let threads = self.ask("threads", json!({}));
        assert!(threads["threads"].as_array().unwrap().iter().any(|thread| thread["id"] == self.thread));
        let frames = self.ask("stackTrace", json!({ "threadId": self.thread }));
        frames["stackFrames"][0]["line"].as_u64().unwrap()
    }

    pub(crate) fn value(&mut self, expression: &str) -> String {
        let arguments = json!({ "expression": expression, "context": "watch" });
        self.ask("evaluate", arguments)["result"].as_str().unwrap().to_owned()
    }

    fn scope(&mut self, name: &str) -> Vec<Value> {
        let scopes = self.ask("scopes", json!({ "frameId": 0 }));
        let scopes = scopes["scopes"].as_array().unwrap();
        let scope = scopes.iter().find(|scope| scope["name"].as_str().unwrap().starts_with(name)).unwrap();
        let reference = scope["variablesReference"].clone();
        let found = self.ask("variables", json!({ "variablesReference": reference }));
        found["variables"].as_array().unwrap().clone()
    }

    pub(crate) fn quit(mut self) {
        self.ask("disconnect", json!({}));
        self.event("terminated");
        assert!(self.child.wait().unwrap().success());
    }
}

#[test]
fn an_editor_breaks_and_steps_in_both_directions() {
    let folder = Folder::new("dap-steps");
    let mut editor = Editor::started(&folder, &[(10, "")]);
    let stop = editor.go("continue");
    assert_eq!(
        (&stop["reason"], &stop["description"]),
        (&json!("breakpoint"), &json!("breakpoint 1, lane 1"))
    );
    assert_eq!(
        (editor.line(), editor.value("$lane"), editor.value("$thread.x")),
        (10, "1".into(), "1".into())
    );
    // Of lanes 0 to 31, the odd ones that are no multiple of 7.
    let odd = (0..32).filter(|lane| lane % 2 == 1 && lane % 7 != 0).fold(0u32, |mask, lane| mask | 1 << lane);
    assert_eq!(editor.value("$exec"), format!("{odd:#010x}"));
    assert_eq!(editor.go("next")["reason"], "step");
    let after = editor.line();
    assert_eq!(after, 6, "the increment");
    editor.go("stepBack");
    assert_eq!(editor.line(), 10);
    editor.go("stepBack");
    assert_eq!(editor.line(), 8, "the other arm came before, for other lanes");
    let time = editor.value("$pc");
    editor.go("next");
    assert_eq!(editor.line(), 10);
    assert_ne!(editor.value("$pc"), time);
    let file = folder.path("sum.wgsl");
    editor.ask("setBreakpoints", json!({ "source": { "path": file }, "breakpoints": [] }));
    editor.go("stepOut");
    editor.go("next");
    assert_eq!(editor.line(), 13);
    editor.ask("setBreakpoints", json!({ "source": { "path": file }, "breakpoints": [{ "line": 10 }] }));
    editor.go("reverseContinue");
    assert_eq!((editor.line(), editor.value("$active")), (10, "true".into()));
    editor.quit();
}

#[test]
fn an_editor_sees_lanes_registers_and_code() {
    let folder = Folder::new("dap-state");
    let mut editor = Editor::started(&folder, &[(13, "$global.x == 69")]);
    let stop = editor.go("continue");
    assert_eq!(stop["description"], "breakpoint 1, lane 5");
    // Thread 69 has run six iterations that add 3: lane 5 of the first SIMD-group of the second workgroup.
    assert_eq!((editor.value("$workgroup.x * 64 + $thread.x@5"), editor.line()), ("69".into(), 13));
    let lanes = editor.scope("Lanes");
    assert_eq!((lanes.len(), &lanes[5]["value"]), (32, &json!("5,0,0  active")));
    let registers = editor.scope("Registers");
    let holds = |one: &Value, wanted: &str| one["value"].as_str().unwrap() == wanted;
    assert!(registers.iter().any(|one| holds(one, "0x00000012")), "the sum is 18: {registers:?}");
    let waits = editor.scope("Waits");
    assert_eq!(waits[0]["value"].as_str().unwrap().trim(), "0 outstanding");
    assert!(editor.scope("Uniform").iter().any(|one| one["name"] == "u0"));
    let pc = editor.value("$pc").parse::<u64>().unwrap();
    let reference = format!("{pc:#x}");
    let code = editor.ask(
        "disassemble",
        json!({ "memoryReference": reference, "instructionOffset": -1, "instructionCount": 3 }),
    );
    assert_eq!(
        (&code["instructions"][1]["address"], &code["instructions"][1]["line"]),
        (&json!(reference), &json!(13))
    );
    let address = 0x1_0000_0000u64;
    let memory = editor.ask("readMemory", json!({ "memoryReference": format!("{address:#x}"), "count": 4 }));
    assert_eq!(memory["data"], "AAAAAA==");
    // The console takes the terminal's commands.
    let lane = json!({ "expression": ":lane 4", "context": "repl" });
    assert_eq!(editor.ask("evaluate", lane)["result"], "lane 4\n");
    assert_eq!(editor.value("$global.x"), "68");
    let all = editor.ask("evaluate", json!({ "expression": "$global.x@*" }));
    let list = editor.ask("variables", json!({ "variablesReference": all["variablesReference"] }));
    assert_eq!(list["variables"][31]["value"], "95");
    let missing = editor.refused("evaluate", json!({ "expression": "nothing" }));
    assert_eq!(missing, "AGX0404: unknown name `nothing`");
    editor.quit();
}

#[test]
fn an_editor_breaks_at_instructions_and_reaches_the_end() {
    let folder = Folder::new("dap-instructions");
    let mut editor = Editor::started(&folder, &[]);
    let set =
        json!({ "breakpoints": [{ "instructionReference": "0x0" }, { "instructionReference": "0x1" }] });
    let set = editor.ask("setInstructionBreakpoints", set);
    assert_eq!(
        (&set["breakpoints"][0]["verified"], &set["breakpoints"][1]["verified"]),
        (&json!(true), &json!(false))
    );
    for _ in 0..4 {
        assert_eq!(editor.go("continue")["reason"], "breakpoint");
        assert_eq!(editor.value("$pc"), "0");
    }
    let latest = editor.value("$group");
    let end = editor.go("continue");
    assert!(end["description"].as_str().unwrap().starts_with("the end"), "{end}");
    let back = editor.go("reverseContinue");
    assert_eq!((&back["reason"], editor.value("$group")), (&json!("breakpoint"), latest));
    editor.ask("stepIn", json!({ "threadId": 0, "granularity": "instruction" }));
    editor.event("stopped");
    assert_ne!(editor.value("$pc"), "0");
    assert_eq!(editor.refused("stepOut", json!({ "threadId": 0 })), "AGX0404: the instruction is in no loop");
    editor.quit();
}

#[test]
fn values_are_those_of_the_trace() {
    let folder = Folder::new("dap-trace");
    let file = folder.file("sum.wgsl", SHADER);
    let words = ["run", &file, "--groups", "2", "--buffer", "0.0=zero:512", "--trace"];
    let trace = stderr(&agxc(&words));
    let mut editor = Editor::started(&folder, &[]);
    let lines: Vec<&str> = trace.lines().collect();
    let mut compared = 0;
    for line in lines.iter().take(150) {
        // Group, SIMD-group, offset, mask after the instruction; the registers are those of the first active lane.
        let columns: Vec<&str> = line.split_whitespace().collect();
        let group = editor.value("$group");
        // The steps are those of one SIMD-group.
        if group != columns[1] {
            continue;
        }
        compared += 1;
        assert_eq!(editor.value("$pc"), u32::from_str_radix(columns[2], 16).unwrap().to_string(), "{line}");
        editor.ask("stepIn", json!({ "threadId": 0, "granularity": "instruction" }));
        editor.event("stopped");
        let same = editor.value("$group") == group;
        let lane = u32::from_str_radix(columns[3], 16).unwrap().trailing_zeros();
        for written in columns.iter().filter_map(|word| word.split_once('=')).filter(|_| same && lane < 32) {
            let value = u32::from_str_radix(written.1, 16).unwrap().to_string();
            assert_eq!(editor.value(&format!("${}@{lane}", written.0)), value, "{line}");
        }
    }
    assert!(compared > 60, "{compared}");
    editor.quit();
}

#[test]
fn textures_and_images_are_listed() {
    let folder = Folder::new("debug-textures");
    let text = b"@group(0) @binding(0) var t: texture_2d<f32>;\n\
        @group(0) @binding(1) var o: texture_storage_2d<rgba8unorm, write>;\n\
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n\
        textureStore(o, id.xy, textureLoad(t, id.xy, 0) * 0.5);\n}\n";
    let file = folder.file("t.wgsl", text);
    let inputs = ["--texture", "0.0=r32f:4x2:f32:1,2,3,4,5,6,7,8", "--image", "0.1=rgba8:8x4:zero:128"];
    let words = [&["debug", &file][..], &inputs, &["--command", "info textures"]].concat();
    let shown = out(&words);
    let rows: Vec<&str> = shown.lines().filter(|line| line.starts_with("ts")).collect();
    assert!(rows[0].starts_with("ts0       2d 4\u{d7}2, 32 bits Float, levels 0 to 0, at 0x"), "{shown}");
    assert!(
        rows[1].starts_with("ts1       2d 8\u{d7}4, 8-8-8-8 bits Unorm, levels 0 to 0, at 0x"),
        "{shown}"
    );
    let mut editor = Editor::new();
    editor.ask("launch", json!({ "program": file, "args": inputs, "stopOnEntry": true }));
    editor.event("initialized");
    editor.ask("configurationDone", json!({}));
    editor.event("stopped");
    let scope = editor.scope("Textures");
    assert_eq!((scope.len(), &scope[1]["name"]), (2, &json!("ts1")), "{scope:?}");
    editor.quit();
}

#[test]
fn a_launch_that_fails_says_why() {
    let folder = Folder::new("dap-launch");
    let wrong = folder.file("wrong.wgsl", b"fn main( {}");
    let mut editor = Editor::new();
    assert!(editor.refused("threads", json!({})).starts_with("AGX0405"));
    let message = editor.refused("launch", json!({ "program": wrong }));
    assert!(message.contains("wrong.wgsl:1:10: "), "{message}");
    let message = editor.refused("launch", json!({ "program": wrong, "args": ["--frob"] }));
    assert!(message.starts_with("AGX0001: ") && message.contains("--frob"), "{message}");
    assert!(editor.refused("launch", json!({})).starts_with("AGX0001: "));
    let good = folder.file("good.wgsl", SHADER);
    editor.ask("launch", json!({ "program": good, "args": ["--buffer", "0.0=zero:256"] }));
    editor.event("initialized");
    let set = json!({ "source": { "path": good }, "breakpoints": [{ "line": 99 }, { "line": 6, "condition": "1 +" }] });
    let set = editor.ask("setBreakpoints", set);
    let messages = [0, 1].map(|at| set["breakpoints"][at]["message"].as_str().unwrap().to_owned());
    assert!(messages[0].starts_with("no code comes from line 99 of "), "{messages:?}");
    assert_eq!(messages[1], "`1 +`, character 4: expected an operand");
    editor.quit();
}

#[test]
fn what_is_no_protocol_is_refused() {
    fails(&["debug"], b"break 3\n\n", 1, "error[AGX0405]: expected a header `Content-Length`");
    fails(
        &["debug"],
        b"Content-Length: 2\r\n\r\n{}",
        1,
        "error[AGX0405]: a message is no request: missing field",
    );
    assert_eq!(out_with(&["debug"], b""), "");
}

#[test]
fn the_terminal_reads_commands() {
    let folder = Folder::new("debug-terminal");
    let file = folder.file("sum.wgsl", SHADER);
    let words = ["debug", "--terminal", &file, "--buffer", "0.0=zero:256"];
    let text = out_with(&words, b"break 8 lane 4\ncontinue\nprint $thread.x\nback\nquit\n");
    assert!(
        text.contains("breakpoint 1, lane 4\n") && text.contains("\n    8              sum += data[i];\n"),
        "{text}"
    );
    assert!(text.contains("\n4\n") && text.contains("\n    7          if (id.x & 1u) == 0u {\n"), "{text}");
    let fragment =
        folder.file("f.wgsl", b"@fragment fn main() -> @location(0) vec4<f32> { return vec4(1.0); }");
    fails(
        &["debug", "--terminal", &fragment],
        b"",
        1,
        "`debug` steps through fragment shaders in scenes, not alone",
    );
    let output = agxc_with(&words, b"frob\n");
    assert_eq!(
        (output.status.code(), stderr(&output).contains("error[AGX0404]: unknown command `frob`")),
        (Some(1), true)
    );
}

/// The numbers in the last line of `--emit locations`: scalars with a place, assigned, computed, and the least percentage of a line.
fn counts(shader: &str, entry: &[&str], disabled: &[&str]) -> [f64; 4] {
    let path = format!("{}/{shader}", env!("CARGO_MANIFEST_DIR"));
    let mut words = vec!["compile", &path, "--emit", "locations"];
    words.extend(entry);
    disabled.iter().for_each(|pass| words.extend(["--disable-pass", pass]));
    let text = out(&words);
    let last = text.lines().last().unwrap();
    let numbers: Vec<f64> = last.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    numbers.try_into().unwrap_or_else(|_| panic!("{last}"))
}

/// The passes that can be disabled.
pub(crate) fn optional_passes() -> Vec<String> {
    let list = out(&["pass", "list"]);
    let rows = list.lines().filter(|row| row.split_whitespace().nth(1) == Some("optional"));
    let names: Vec<String> = rows.filter_map(|row| Some(row.split_whitespace().next()?.to_owned())).collect();
    assert!(names.len() > 25, "{names:?}");
    names
}

#[test]
fn source_variables_are_visible() {
    let optional = optional_passes();
    let optional: Vec<&str> = optional.iter().map(String::as_str).collect();
    let translated = ["shaders/life.comp", "shaders/raymarch.comp"].into_iter();
    let own = ["shaders/mandelbrot.wgsl", "shaders/matmul.wgsl", "shaders/nbody.wgsl"].into_iter();
    for shader in own.chain(translated.filter(|_| glslang_is_installed())) {
        let [_, assigned, _, least] = counts(shader, &[], &optional);
        assert!(assigned > 100.0 && least >= 90.0, "{shader}: {least} % at a line");
        let [placed, assigned, _, least] = counts(shader, &[], &[]);
        assert!(least >= 60.0, "{shader}: {least} % at a line");
        assert!(placed >= 0.5 * assigned, "{shader}: {placed} of {assigned}");
    }
    // Those of scenes are small: the optimised ones count together.
    let mut sums = [0.0; 2];
    for (scene, entries) in [
        ("mirror", &["box", "ground", "painted", "glass"][..]),
        ("plasma", &["screen", "plasma"]),
        ("spheres", &["sphere", "plain", "lit"]),
        ("glass", &["pane", "glass"]),
    ] {
        for entry in entries {
            let (file, entry) = (format!("scenes/{scene}.wgsl"), ["--entry", entry]);
            let [.., least] = counts(&file, &entry, &optional);
            assert!(least >= 90.0, "{scene}, {entry:?}: {least} % at a line");
            let [_, assigned, computed, _] = counts(&file, &entry, &[]);
            sums = [sums[0] + assigned, sums[1] + computed];
        }
    }
    let [assigned, computed] = sums;
    assert!(assigned > 300.0 && computed >= 0.6 * assigned, "{computed} of {assigned}");
}

#[test]
fn an_editor_watches_variables() {
    let folder = Folder::new("dap-variables");
    let mut editor = Editor::started(&folder, &[(13, "")]);
    // The first SIMD-group that arrives, with what each lane has added: i from 0 below n, where n is the number modulo 7.
    editor.go("continue");
    let first = editor.value("$thread.x@0").parse::<u32>().unwrap();
    for lane in [0, 1, 5, 8, 20] {
        let number = (first + lane) % 7;
        let sum = if (first + lane) % 2 == 0 { 0 } else { 3 * number };
        assert_eq!(editor.value(&format!("sum@{lane}")), sum.to_string(), "lane {lane}");
        assert_eq!(editor.value(&format!("i@{lane}")), number.to_string(), "lane {lane}");
    }
    assert_eq!(editor.value("id.x@3"), (first + 3).to_string());
    let variables = editor.scope("Variables");
    let id = variables.iter().find(|one| one["name"] == "id").unwrap();
    assert!(id["value"].as_str().unwrap().starts_with("{.x = "), "{id}");
    let parts = editor.ask("variables", json!({ "variablesReference": id["variablesReference"] }));
    assert_eq!(parts["variables"].as_array().unwrap().len(), 3);
    // Before the loop's last iteration the sum was smaller.
    editor.ask("evaluate", json!({ "expression": ":lane 5", "context": "repl" }));
    let sum = editor.value("sum").parse::<i64>().unwrap();
    while editor.value("sum") == sum.to_string() {
        editor.go("stepBack");
    }
    assert_eq!(editor.value("sum").parse::<i64>().unwrap(), sum - 3);
    editor.quit();
}

#[test]
fn values_that_have_names_are_variables() {
    let folder = Folder::new("debug-let");
    let source = b"@group(0) @binding(0) var<storage, read_write> data: array<f32>;
fn twice(value: f32) -> f32 {
    let result = value * 2.0;
    return result;
}
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) at: u32) {
    let start = vec2(f32(at), 1.5);
    let doubled = twice(start.x);
    var total = doubled - start.y;
    data[at + 4u] = doubled;
    data[at] = total;
}
";
    let file = folder.file("let.wgsl", source);
    let mut words = vec!["debug", &file, "--buffer", "0.0=zero:32", "--command", "break 11"];
    for command in
        ["continue", "lane 3", "print start", "print result", "print value", "print total", "info variables"]
    {
        words.extend(["--command", command]);
    }
    let text = out(&words);
    for line in ["{.x = 3.0, .y = 1.5}", "6.0", "3.0", "4.5", "doubled = 6.0", "total = 4.5", "at = 3"] {
        assert!(text.lines().any(|shown| shown == line), "{line}: {text}");
    }
    let locations = out(&["compile", &file, "--emit", "locations"]);
    assert!(locations.contains("start.y: f32\n") && locations.contains("  1.5\n"), "{locations}");
}

/// A scene of one triangle over 16 × 16 pixels.
fn scene(folder: &Folder) -> String {
    folder.file(
        "triangle.wgsl",
        b"struct Out { @builtin(position) position: vec4<f32>, @location(0) grey: f32 }
@vertex fn corner(@builtin(vertex_index) index: u32) -> Out {
    let x = f32(index & 1u) * 4.0 - 1.0;
    let y = f32(index >> 1u) * 4.0 - 1.0;
    return Out(vec4(x, y, 0.5, 1.0), f32(index));
}
@fragment fn shade(in: Out) -> @location(0) vec4<f32> {
    let at = in.position.xy;
    var shade = vec3(at.x / 16.0, at.y / 16.0, 0.0);
    if at.x > 8.0 {
        shade.z = 1.0;
    }
    return vec4(shade * 0.5, 1.0);
}
",
    );
    let text = json!({
        "size": [16, 16],
        "draws": [{
            "vertex": { "file": "triangle.wgsl", "entry": "corner" },
            "fragment": { "file": "triangle.wgsl", "entry": "shade" },
            "indices": [0, 2, 1],
        }],
    });
    folder.file("triangle.json", text.to_string().as_bytes())
}

#[test]
fn fragments_and_vertices_of_scenes_are_debugged() {
    let folder = Folder::new("debug-scene");
    let file = scene(&folder);
    let commands = ["break 13", "continue", "print at", "print shade", "print $pixel.y", "info lanes"];
    let passes = optional_passes();
    let with = |words: &[&str]| {
        let mut all = vec!["debug", &file];
        all.extend(words);
        passes.iter().for_each(|pass| all.extend(["--disable-pass", pass]));
        commands.iter().for_each(|command| all.extend(["--command", command]));
        out(&all)
    };
    let text = with(&["--pixel", "5,9"]);
    for line in ["{.x = 5.5, .y = 9.5}", "{.x = 0.34375, .y = 0.59375, .z = 0.0}", "9"] {
        assert!(text.lines().any(|shown| shown == line), "{line}: {text}");
    }
    assert!(with(&["--pixel", "12,0"]).contains("{.x = 0.78125, .y = 0.03125, .z = 1.0}\n"));
    let vertex = out(&[
        "debug",
        &file,
        "--vertex",
        "2",
        "--command",
        "break 5",
        "--command",
        "continue",
        "--command",
        "print x",
        "--command",
        "print y",
    ]);
    assert!(vertex.contains("\n-1.0\n") && vertex.contains("\n3.0\n"), "{vertex}");
    fails(
        &["debug", &file, "--command", "step"],
        b"",
        2,
        "debug of a scene needs either --pixel X,Y or --vertex NUMBER",
    );
    fails(&["debug", &file, "--vertex", "7", "--command", "step"], b"", 1, "the vertex is not drawn");
    let alone = ["debug", "x.wgsl", "--pixel", "1,1", "--command", "step"];
    fails(&alone, b"", 2, "--pixel has no effect on compute shaders; name a scene");
}

#[test]
fn an_editor_debugs_a_fragment() {
    let folder = Folder::new("dap-fragment");
    let file = scene(&folder);
    let mut editor = Editor::new();
    let passes = optional_passes();
    let mut args = vec!["--pixel", "12,3"];
    passes.iter().for_each(|pass| args.extend(["--disable-pass", pass]));
    editor.ask("launch", json!({ "program": file, "args": args, "stopOnEntry": false }));
    editor.event("initialized");
    let source = json!({ "path": folder.path("triangle.wgsl") });
    let breakpoints = json!([{ "line": 13, "condition": "$pixel.x == 12 && $pixel.y == 3" }]);
    let set = editor.ask("setBreakpoints", json!({ "source": source, "breakpoints": breakpoints }));
    assert_eq!(set["breakpoints"][0]["verified"], true, "{set}");
    editor.ask("configurationDone", json!({}));
    assert_eq!(editor.event("stopped")["reason"], "breakpoint");
    assert_eq!(editor.value("at.x"), "12.5");
    assert_eq!((editor.value("shade.y"), editor.value("shade.z")), ("0.21875".into(), "1.0".into()));
    editor.quit();
}

#[test]
fn histories_of_pixels_are_printed() {
    let folder = Folder::new("render-pixel");
    let file = scene(&folder);
    let text = out(&["render", &file, "--pixel", "4,8"]);
    let expected = "pixel 4,8: cleared to rgba 0,0,0,255, depth 1, stencil 0\n\
                    draw 0, primitive 0: passed with depth 0.5; rgba 0,0,0,255 to 36,68,0,255\n";
    assert_eq!(text, expected);
    fails(&["render", &file, "--pixel", "16,0"], b"", 2, "--pixel 16,0: the image has 16 × 16 pixels");
    fails(&["render", &file, "--pixel", "16"], b"", 2, "--pixel: expected X,Y, found `16`");
    fails(&["render", &file], b"", 2, "render needs --output FILE, --pixel X,Y or --profile-lines");
}

#[test]
fn profiles_have_a_row_for_each_line() {
    let folder = Folder::new("profile-lines");
    let file = folder.file("sum.wgsl", SHADER);
    let folded = folder.path("folded.txt");
    let (flame, page) = (folder.path("flame.svg"), folder.path("executed.html"));
    let words =
        ["run", &file, "--groups", "2", "--buffer", "0.0=zero:512", "--profile-lines", "--folded", &folded];
    let text = out(&[&words[..], &["--flame", &flame, "--executed", &page]].concat());
    let row = |line: u32| {
        let name = format!("sum.wgsl:{line}  ");
        let row = text.lines().find(|row| row.contains(&name)).unwrap_or_else(|| panic!("{line}: {text}"));
        row.split_whitespace().take(5).map(str::to_owned).collect::<Vec<_>>()
    };
    // Line 10 adds in a loop: the four SIMD-groups run it in six iterations, and once more without lanes.
    let executions: u64 = row(10)[2].parse().unwrap();
    assert!(executions.is_multiple_of(28), "{text}");
    // The lanes are odd and still in the loop: fourteen of 32 in the first iteration.
    let lanes: f64 = row(10)[3].parse().unwrap();
    assert!(lanes > 4.0 && lanes < 16.0, "{text}");
    // Line 13 stores one word in each lane: one line of memory for each of the four SIMD-groups.
    assert_eq!(row(13)[4], "4");
    let total: u64 = text.split_once(": ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    let folded = std::fs::read_to_string(folded).unwrap();
    let sum: u64 = folded.lines().map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap()).sum();
    assert_eq!(sum, total);
    assert!(folded.lines().any(|line| line.contains(";iadd ") && line.contains("sum.wgsl:10;")), "{folded}");
    // The flame graph has the same cycles, in a file of its own and in the report.
    for (path, parts) in [(&flame, ["<svg ", "<style>"]), (&page, ["<svg ", "<tr data-l=\"0:10\">"])] {
        let text = std::fs::read_to_string(path).unwrap();
        let frames: Vec<&str> = text.split("<g data-l=\"0:10\"><title>").collect();
        let line = format!("sum.wgsl:10: {} cycles, ", row(10)[0]);
        assert!(frames.iter().any(|frame| frame.contains(&line)), "{line}: {text}");
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        assert!(text.contains(&format!(": {total} cycles, 100.0 %")), "{text}");
    }
    let scene = scene(&folder);
    out(&["render", &scene, "--flame", &flame, "--executed", &page]);
    let flame = std::fs::read_to_string(flame).unwrap();
    assert!(["<title>all: ", "<title>draw 0, vertex: "].iter().all(|frame| flame.contains(frame)), "{flame}");
    assert_eq!(std::fs::read_to_string(page).unwrap().matches("<section>").count(), 2);
    let text = out(&["render", &scene, "--profile-lines"]);
    assert!(text.contains("draw 0, vertex: ") && text.contains("draw 0, fragment: "), "{text}");
    // 256 pixels are eight SIMD-groups of 32 lanes.
    assert!(text.lines().any(|row| row.contains("triangle.wgsl:13  ") && row.contains(" 32.00 ")), "{text}");
}
