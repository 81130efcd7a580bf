// Tests of the page in a browser: `npm test`, with the folder of the page in PAGE and the browser in CHROMIUM.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync, mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

import { serve } from "./server.mjs";

const FOLDER = resolve(process.env.PAGE ?? "../target/page");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const ARGUMENTS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
const VIEWS = ["assembly", "ir", "statistics", "interface", "flow", "run", "draw", "step", "compare"];
const DOUBLE = `@group(0) @binding(0) var<storage, read_write> a: array<f32>;

@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = a[id.x];
    a[id.x] = x * 2.0;
}
`;

let server;
let browser;

before(async () => {
  server = await serve(FOLDER);
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGUMENTS });
});

after(async () => {
  await browser?.close();
  server?.close();
});

/** Opens the page. Errors of scripts and requests to other hosts fail the test at its end. */
async function open(t, { fragment = "", width = 1280, height = 900, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("console", (message) => { if (message.type() === "error") complaints.push(`console: ${message.text()}`); });
  context.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (!["data:", "blob:"].includes(protocol) && host !== new URL(server.url).host) complaints.push(`request: ${request.url()}`);
  });
  t.after(async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  });
  await page.goto(server.url + fragment);
  await page.waitForSelector("body[data-ready]");
  return page;
}

const status = (page, pattern) =>
  page.waitForFunction((source) => new RegExp(source).test(document.getElementById("status").textContent), pattern.source);

/** Waits until the output is that of the text and the settings. */
const idle = (page) => page.waitForSelector('#output[aria-busy="false"]', { state: "attached" });

const example = async (page, name) => {
  await page.evaluate(() => document.getElementById("output").setAttribute("aria-busy", "true"));
  await page.selectOption("#examples", name);
  await idle(page);
};

/** Replaces the text of the editor. */
async function write(page, text) {
  await page.locator("#editor .cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
  await idle(page);
}

const clipboard = { permissions: ["clipboard-read", "clipboard-write"] };
const view = (page, name) => page.click(`#views-tab-${name}`);

test("every example compiles, in a moment", async (t) => {
  const page = await open(t);
  const names = await page.$$eval("#examples option", (options) => options.map(({ value }) => value));
  assert.ok(names.length >= 14, names.join());
  for (const name of names) {
    await example(page, name);
    const text = await page.textContent("#status");
    assert.match(text, /\w+ shader \w+: \d+ instructions, compiled in \d+ ms/, name);
  }
  // The compiler is warm now. The limit leaves room for a busy host; the figures are printed.
  const times = [];
  for (const name of names) {
    await example(page, name);
    times.push([name, Number(/(\d+) ms/.exec(await page.textContent("#status"))[1])]);
  }
  t.diagnostic(times.map(([name, time]) => `${name} ${time} ms`).join(", "));
  assert.ok(times.every(([, time]) => time < 250), times.join());
});

test("an error is shown at its line while typing, and goes away", async (t) => {
  const page = await open(t, clipboard);
  await write(page, DOUBLE.replace("x * 2.0", "y * 2.0"));
  await status(page, /1 error/);
  assert.match(await page.textContent("#diagnostics"), /nbody\.wgsl:6:\d+ error\[AGX\d+\]/);
  await page.click("#diagnostics button");
  assert.equal(await page.textContent(".cm-activeLine"), "    a[id.x] = y * 2.0;");
  await write(page, DOUBLE);
  await status(page, /compute shader main: \d+ instructions/);
  assert.equal(await page.textContent("#diagnostics"), "");
});

test("lines of source and assembly lead to each other", async (t) => {
  const page = await open(t, clipboard);
  await write(page, DOUBLE);
  await status(page, /instructions/);
  const row = page.locator("#view-assembly tr[data-l]", { hasText: "store" }).first();
  await row.click();
  assert.equal(await page.textContent("#editor .cm-line.on"), "    a[id.x] = x * 2.0;");
  await page.locator(".cm-line", { hasText: "let x" }).click();
  const marked = await page.$$eval("#view-assembly tr.on", (rows) => rows.map(({ dataset }) => dataset.l));
  assert.ok(marked.length > 0 && marked.every((line) => line === "0:5"), marked.join());
  // With the keyboard alone.
  await page.focus("#assembly");
  await page.keyboard.press("ArrowDown");
  assert.match(await page.textContent("#editor .cm-line.on"), /x/);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#view-assembly tr.on").count(), 0);
});

test("the IR is shown before and after a pass, which can be skipped", async (t) => {
  const page = await open(t);
  await view(page, "ir");
  await page.selectOption("#pass", "opt_cse");
  await page.waitForFunction(() => document.getElementById("ir-before").textContent.includes("kernel @main"));
  assert.match(await page.textContent("#ir-after"), /kernel @main/);
  await page.selectOption("#pass", "lower_select");
  await page.waitForSelector("#ir-after ins");
  assert.ok(await page.isDisabled("#skip-pass"), "a required pass");
  await page.selectOption("#pass", "opt_cse");
  await page.check("#skip-pass");
  await page.click("#settings summary");
  assert.match(await page.inputValue("#key-json"), /"disabled_passes": \[ "opt_cse" \]/);
});

test("settings change the key", async (t) => {
  const page = await open(t);
  await page.click("#settings summary");
  await page.selectOption("#chip", "g14x");
  await page.waitForFunction(() => document.getElementById("view-assembly").textContent.includes("compiled for g14x"));
  const size = () => page.textContent("#view-assembly tr.part");
  const unchecked = await size();
  await page.selectOption("#robust-storage", "exact");
  await page.waitForFunction((old) => document.querySelector("#view-assembly tr.part").textContent !== old, unchecked);
  assert.match(await page.inputValue("#key-json"), /"target": "g14x", "robustness": \{ "storage": "exact" \}/);
  await page.fill("#key-json", "{ \"target\": ");
  await page.locator("#key-json").blur();
  assert.match(await page.textContent("#key-error"), /not JSON/);
  await page.fill("#key-json", "{ \"colour\": 1 }");
  await page.locator("#key-json").blur();
  await status(page, /1 error/);
  await example(page, "glass");
  await page.selectOption("#entry", { index: 1 });
  await status(page, /fragment shader/);
});

test("a run takes values and gives values", async (t) => {
  const page = await open(t, clipboard);
  await write(page, DOUBLE);
  await status(page, /instructions/);
  await view(page, "run");
  for (const remove of await page.$$("#resources button")) await remove.click();
  await page.click("#fill-resources");
  assert.equal(await page.locator(".resource").count(), 1);
  await page.fill(".resource input", "0.0=f32:1.5,2,-3,0.25");
  await page.fill("#groups", "1");
  await page.click("#run");
  await page.waitForSelector("#run-result pre");
  assert.equal(await page.textContent("#run-result pre"), "3, 4, -6, 0.5\n");
  // Four lanes of one SIMD-group have run the line of the product.
  const row = page.locator("#executed-lines tr", { hasText: "a[id.x] = x * 2.0;" });
  assert.match(await row.textContent(), /4\.06: a\[id\.x\]/);
  await row.click();
  assert.equal(await page.textContent("#editor .cm-line.on"), "    a[id.x] = x * 2.0;");
  // The flame graph has a frame for each line and instruction; the widths below a frame are those of its parts.
  const frames = await page.$$eval("#run-result .flame g", (list) => list.map((frame) => ({
    line: frame.dataset.l, title: frame.querySelector("title").textContent, y: Number(frame.querySelector("rect").getAttribute("y")),
    width: Number(frame.querySelector("rect").getAttribute("width")),
  })));
  const widths = (y) => frames.filter((frame) => frame.y === y).reduce((sum, { width }) => sum + width, 0);
  assert.ok([0, 20, 40].every((y) => Math.abs(widths(y) - 960) < 1), JSON.stringify(frames));
  assert.ok(frames.some(({ line, title }) => line === "0:6" && /^fmul.*: \d+ cycles, \d+\.\d %/.test(title)), JSON.stringify(frames));
  await page.locator('#run-result .flame g[data-l="0:5"]').first().click();
  assert.equal(await page.textContent("#editor .cm-line.on"), "    let x = a[id.x];");
  assert.equal(await page.locator('#executed-lines tr.on[data-l="0:5"]').count(), 1);
  // A buffer that the shader reads is absent.
  await page.fill(".resource input", "0.7=f32:1");
  await page.click("#run");
  await page.waitForSelector("#run-result .diagnostic");
  assert.match(await page.textContent("#run-result"), /AGX0400/);
});

test("a run can be stopped, and its picture is shown", async (t) => {
  const page = await open(t, clipboard);
  await view(page, "run");
  await write(page, DOUBLE.replace("a[id.x] = x * 2.0;", "loop { a[id.x] += x; if a[id.x] < 0.0 { break; } }"));
  await status(page, /instructions/);
  await page.click("#fill-resources");
  await page.click("#run");
  await page.click("#stop-run");
  await page.waitForFunction(() => document.getElementById("run-result").textContent.includes("stopped"));
  await example(page, "mandelbrot");
  await page.click("#run");
  await page.waitForSelector("#run-result canvas");
  const [inside, corner] = await page.$eval("#run-result canvas", (canvas) =>
    [[160, 100], [0, 0]].map(([x, y]) => [...canvas.getContext("2d").getImageData(x, y, 1, 1).data]));
  assert.deepEqual(inside, [0, 0, 0, 255]);
  assert.notDeepEqual(corner, inside);
});

const pixel = (page, x, y) =>
  page.$eval("#canvas", (canvas, at) => [...canvas.getContext("2d").getImageData(...at, 1, 1).data], [x, y]);

test("a scene is drawn, and drawn again with another value", async (t) => {
  const page = await open(t);
  await example(page, "pair");
  await view(page, "draw");
  await page.click("#draw");
  await page.waitForSelector('#canvas[data-drawings="1"]');
  assert.match(await page.textContent("#draw-note"), /256 × 256 pixels/);
  // The clear colour of the scene in the corner, the triangle in the middle.
  assert.deepEqual(await pixel(page, 2, 2), [26, 28, 36, 255]);
  const middle = await pixel(page, 128, 128);
  assert.ok(Math.max(...middle.slice(0, 3)) > 60, middle.join());
  const top = await pixel(page, 145, 40);
  await page.fill("#time-path", "draws.0.push_constants.f32.0");
  await page.locator("#time-path").blur();
  assert.equal(await page.inputValue("#time"), "0.2");
  await page.fill("#time", "3.3416");
  await page.click("#draw");
  await page.waitForSelector('#canvas[data-drawings="2"]');
  assert.notDeepEqual(await pixel(page, 145, 40), top, "half a turn");
});

const LOOP = `@group(0) @binding(0) var<storage, read_write> a: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0u;
    for (var i = 0u; i < id.x % 3u; i++) {
        sum += a[i];
    }
    a[id.x] = sum;
}
`;

/** The time that the view of stepping shows. */
const time = async (page) => Number(/Time (\d+)/.exec(await page.textContent("#step-place-now"))?.[1]);

/** Presses a button of the view of stepping and waits for another time or another end. */
async function step(page, id) {
  const before = await page.textContent("#step-place-now");
  await page.click(`#${id}`);
  await page.waitForFunction((old) => document.getElementById("step-place-now").textContent !== old, before);
}

/** A run with a buffer, at its start. */
async function stepping(page) {
  await write(page, LOOP);
  await view(page, "run");
  for (const remove of await page.$$("#resources button")) await remove.click();
  await page.click("#add-resource");
  await page.fill(".resource input", "0.0=u32:10,20,30,40,50,60,70,80");
  await page.fill("#groups", "1");
  await view(page, "step");
  await page.click("#step-start");
  await page.waitForSelector("#step-result:not([hidden])");
}

test("a run is stepped through, forward and backward", async (t) => {
  const page = await open(t);
  await stepping(page);
  assert.equal(await time(page), 0);
  // To the sum in the loop, which lanes execute whose number is no multiple of three.
  const line = () => page.textContent("#editor .cm-line.on");
  while (!(await page.textContent("#step-place-now")).includes("main") || (await line()) !== "        sum += a[i];") await step(page, "next-line");
  const first = await time(page);
  const active = await page.$$eval("#step-lanes .active", (lanes) => lanes.map(({ textContent }) => textContent));
  assert.ok(active.length > 0 && active.every((lane) => Number(lane) % 3), active.join());
  const mask = active.reduce((sum, lane) => sum + 2 ** Number(lane), 0).toString(16).padStart(8, "0");
  const place = new RegExp(`: ${active.length} of 8 lanes active, mask 0x${mask}, main 0x[0-9a-f]+, nbody\\.wgsl:7, workgroup 0,0,0`);
  assert.match(await page.textContent("#step-place-now"), place);
  assert.equal(await page.locator("#step-lanes .absent").count(), 24);
  // The others have diverged, and the list says where.
  const others = [0, 1, 2, 3, 4, 5, 6, 7].filter((lane) => !active.includes(String(lane))).join(", ");
  assert.match(await page.textContent("#step-diverged"), new RegExp(`Lanes ${others} inactive: left \\d levels? at 0x[0-9a-f]+ \\(`));
  assert.match(await page.textContent('#step-code tr[aria-current="step"]'), /^main .*7$/);
  await step(page, "next-instruction");
  assert.equal(await time(page), first + 1);
  await step(page, "back-instruction");
  assert.equal(await time(page), first);
  await step(page, "out-of-loop");
  assert.notEqual(await line(), "        sum += a[i];");
  const outside = await time(page);
  await step(page, "back-line");
  assert.ok((await time(page)) < outside);
  // The last line, where lane 5 has made two rounds.
  while ((await line()) !== "    a[id.x] = sum;") await step(page, "next-line");
  await page.click('#step-lanes [data-lane="5"]');
  await page.waitForFunction(() => document.getElementById("step-lane").textContent === "of lane 5");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.lane), "5", "the keyboard stays at the lane");
  const value = page.locator("#step-variables tr", { hasText: /^sum/ });
  assert.equal(await value.textContent(), "sum30");
  await page.click('#step-lanes [data-lane="1"]');
  await page.waitForFunction(() => document.querySelector("#step-variables").textContent.includes("sum10"));
  assert.ok(await page.locator("#step-registers tr", { hasText: "0x0000000a" }).count() > 0);
  await step(page, "to-end");
  assert.match(await page.textContent("#step-place-now"), /The end/);
  await step(page, "back-instruction");
  assert.doesNotMatch(await page.textContent("#step-place-now"), /The end/);
});

test("the time line leads to every time, and lists what ran", async (t) => {
  const page = await open(t);
  await stepping(page);
  const last = Number(await page.getAttribute("#step-time", "max"));
  assert.ok(last > 20, `${last}`);
  await page.focus("#step-time");
  await page.keyboard.press("End");
  await page.waitForFunction(() => /stop/.test(document.querySelector('#step-code tr[aria-current="step"]')?.textContent));
  const end = await time(page);
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction((old) => !document.getElementById("step-place-now").textContent.startsWith(`Time ${old}:`), end);
  assert.equal(await time(page), end - 1);
  assert.match(await page.getAttribute("#step-time", "aria-valuetext"), /^Time \d+: \d+ of 8 lanes active/);
  await page.click("#step-line", { position: { x: 2, y: 10 } });
  await page.waitForFunction(() => document.getElementById("step-place-now").textContent.startsWith("Time 0:"));
  // A column for each instruction: two colours for lines in turn.
  const colours = await page.$eval("#step-line", (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, canvas.height - 1, canvas.width, 1);
    return new Set(Array.from({ length: canvas.width }, (_, x) => data.slice(4 * x, 4 * x + 4).join())).size;
  });
  assert.ok(colours >= 3, `${colours} colours`);
  // A row for each lane: the eight lanes are at the bottom, and in the loop some of them are inactive.
  const filled = await page.$eval("#step-line", (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const row = (lane) => canvas.height - 1 - (lane * canvas.height) / 32;
    return [0, 1, 7, 20].map((lane) => Array.from({ length: canvas.width }, (_, x) => data[4 * (row(lane) * canvas.width + x) + 3]).filter(Boolean).length);
  });
  const [zero, one, seven, twenty] = filled;
  assert.ok(one > zero && seven > zero && zero > 0 && twenty < 10, filled.join());
  const rows = await page.$$eval("#step-profile tr", (list) => list.map(({ cells }) => [...cells].map(({ textContent }) => textContent)));
  assert.ok(rows.some(([line, , , lanes]) => line === "nbody.wgsl:7" && Number(lanes) < 6), rows.join("; "));
  assert.equal(rows.reduce((sum, [, count]) => sum + Number(count), 0), last + 1, "every instruction has a line or none");
});

const breakpoints = (page) => page.$$eval("#step-breaks li", (items) => items.map((item) => item.textContent));
const watched = (page) => page.$$eval("#step-watches tr", (list) => list.map(({ cells }) => [...cells].slice(0, 2).map(({ textContent }) => textContent)));

async function add(page, form, text) {
  await page.fill(`#${form} input`, text);
  await page.press(`#${form} input`, "Enter");
}

test("a run continues to breakpoints in both directions, with watches", async (t) => {
  const page = await open(t);
  await stepping(page);
  // Beside the line of the sum, with the mouse; the run knows where it is.
  await page.locator(".cm-lineNumbers .cm-gutterElement", { hasText: /^7$/ }).click();
  await page.waitForSelector(".cm-breaks span");
  await page.waitForFunction(() => /number 1 at nbody\.wgsl:7 .*main 0x/.test(document.getElementById("step-breaks").textContent));
  assert.ok(await page.locator("#step-code tr.break").count() > 0);
  await add(page, "watch-form", "sum");
  await add(page, "watch-form", "sum @ 2");
  await page.waitForFunction(() => document.querySelectorAll("#step-watches tr").length === 2);
  await step(page, "next-continue");
  assert.match(await page.textContent("#step-place-now"), /nbody\.wgsl:7.*Breakpoint 1\.$/);
  assert.equal(await page.locator("#step-breaks li.on").count(), 1);
  assert.deepEqual(await watched(page), [["sum", "0"], ["sum @ 2", "0"]]);
  const first = await time(page);
  while (!(await watched(page)).some(([, value]) => value === "10")) await step(page, "next-continue");
  const second = await time(page);
  assert.ok(second > first);
  await step(page, "back-continue");
  assert.ok((await time(page)) < second);
  // A condition in one lane, an instruction, and words that are wrong.
  await add(page, "break-form", "9 if $lane == 5 && sum == 30");
  await add(page, "break-form", "7 lane many");
  await page.waitForFunction(() => /expected a number after `lane`/.test(document.getElementById("step-breaks").textContent));
  await page.click('[aria-label="Remove the breakpoint 7 lane many"]');
  await page.click('[aria-label="Remove the breakpoint nbody.wgsl:7"]');
  assert.equal(await page.locator(".cm-breaks span").count(), 1, "that of line 9");
  await step(page, "next-continue");
  assert.match(await page.textContent("#step-place-now"), /nbody\.wgsl:9/);
  assert.equal(await page.textContent("#step-lane"), "of lane 5");
  assert.deepEqual((await watched(page))[0], ["sum", "30"]);
  const row = page.locator("#step-code tr", { hasText: "stop" }).last();
  await row.click();
  await page.waitForFunction(() => document.querySelectorAll("#step-breaks li").length === 2);
  assert.match((await breakpoints(page))[1], /\*0x[0-9a-f]+/);
  await page.locator("#step-code tr.break", { hasText: "stop" }).waitFor();
  await step(page, "next-continue");
  assert.match(await page.textContent('#step-code tr[aria-current="step"]'), /stop/);
  await step(page, "next-continue");
  assert.match(await page.textContent("#step-place-now"), /The end/);
  await page.click('[aria-label="Remove the watch sum"]');
  await page.waitForFunction(() => document.querySelectorAll("#step-watches tr").length === 1);
  // A link has them, too.
  await page.click("#share");
  await status(page, /The link is/);
  const other = await open(t, { fragment: await page.evaluate(() => location.hash) });
  await view(other, "step");
  assert.deepEqual(await breakpoints(other), await page.$$eval("#step-breaks .words", (list) => list.map(({ textContent }) => `×${textContent}`)));
  assert.equal(await other.locator(".cm-breaks span").count(), 1);
});

test("breakpoints, steps and watches need no mouse", async (t) => {
  const page = await open(t);
  await stepping(page);
  await page.locator(".cm-line", { hasText: "sum += a[i]" }).click();
  await page.keyboard.press("F9");
  await page.waitForFunction(() => document.getElementById("step-breaks").textContent.includes("nbody.wgsl:7"));
  // The breakpoint moves with its line, and goes with it.
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("step-breaks").textContent.includes("nbody.wgsl:8"));
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => document.getElementById("step-breaks").textContent.includes("nbody.wgsl:7"));
  await idle(page);
  await page.focus("#step-start");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /^Time 0:/.test(document.getElementById("step-place-now").textContent));
  const place = () => page.textContent("#step-place-now");
  const presses = async (key, pattern) => {
    await page.keyboard.press(key);
    await page.waitForFunction((source) => new RegExp(source).test(document.getElementById("step-place-now").textContent), pattern.source);
  };
  await page.focus("#step-code-pane");
  await presses("c", /wgsl:7.*Breakpoint 1\.$/);
  const at = await time(page);
  await presses("i", new RegExp(`^Time ${at + 1}:`));
  await presses("Shift+I", new RegExp(`^Time ${at}:`));
  const before = await place();
  await page.keyboard.press("o");
  await page.waitForFunction((text) => document.getElementById("step-place-now").textContent !== text, before);
  assert.match(await place(), /wgsl:(6|7|9|10)/);
  // The step out of the loop may have stopped at the breakpoint of the next iteration: the time tells it from the one before.
  await presses("Shift+C", new RegExp(`^Time ${at}:.*Breakpoint 1\\.$`));
  // Keys that are pressed while a step is made wait for their turn.
  const stopped = await time(page);
  for (let count = 0; count < 5; count += 1) await page.keyboard.press("i");
  await presses("i", new RegExp(`^Time ${stopped + 6}:`));
  await page.keyboard.press("o");
  await page.keyboard.press("Shift+C");
  await page.keyboard.press("i");
  await presses("e", /The end/);
  await presses("Shift+N", /^Time/);
  // Fields take letters as text.
  await page.focus("#watch-text");
  await page.keyboard.type("nice");
  assert.equal(await page.inputValue("#watch-text"), "nice");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("step-watches").textContent.includes("nice("), null, { timeout: 5000 });
  await page.click("#step-more summary");
  const more = await page.textContent("#step-more");
  assert.ok(["wait group 0", "SIMD-groups", "u0 "].every((part) => more.includes(part)), more);
});

test("specialization constants have names", async (t) => {
  const page = await open(t);
  await write(page, `override gain: f32 = 1.0;\n${DOUBLE.replace("x * 2.0", "x * gain")}`);
  await page.click("#settings summary");
  await page.fill("#constants", "gain=3");
  await page.locator("#constants").blur();
  await view(page, "run");
  for (const remove of await page.$$("#resources button")) await remove.click();
  await page.click("#fill-resources");
  await page.fill(".resource input", "0.0=f32:1.5,2,-3,0.25");
  await page.fill("#groups", "1");
  await page.click("#run");
  await page.waitForSelector("#run-result pre");
  assert.equal(await page.textContent("#run-result pre"), "4.5, 6, -9, 0.75\n");
  await page.fill("#constants", "gian=3");
  await page.locator("#constants").blur();
  await status(page, /1 error/);
  assert.match(await page.textContent("#diagnostics"), /unknown specialization constant `gian`; the module has gain/);
});

test("fragments and vertices of scenes are stepped through", async (t) => {
  const page = await open(t);
  await example(page, "plasma");
  await view(page, "step");
  assert.equal(await page.inputValue("#step-subject"), "pixel");
  await page.fill("#step-place", "40,30");
  await page.click("#step-start");
  await page.waitForSelector("#step-result:not([hidden])");
  assert.match(await page.getAttribute('#step-lanes [aria-pressed="true"]', "aria-label"), /at 40,30,0, active/);
  await step(page, "next-line");
  assert.match(await page.textContent("#editor .cm-line.on"), /let p = /);
  assert.match(await page.textContent("#step-profile"), /plasma\.wgsl:12/);
  await page.selectOption("#step-subject", "vertex");
  await page.fill("#step-number", "2");
  await page.click("#step-start");
  await page.waitForFunction(() => /Time 0:/.test(document.getElementById("step-place-now").textContent));
  await step(page, "to-end");
  assert.match(await page.textContent("#step-place-now"), /The end/);
  await page.selectOption("#step-subject", "pixel");
  await page.fill("#step-place", "4000,30");
  await page.click("#step-start");
  await page.waitForFunction(() => document.getElementById("step-problems").textContent.includes("AGX0404"));
  assert.ok(await page.isHidden("#step-result"));
  await page.fill("#step-place", "here");
  await page.click("#step-start");
  await page.waitForFunction(() => document.getElementById("step-problems").textContent.startsWith("A pixel is X,Y"));
});

test("the lines that a scene ran are listed", async (t) => {
  const page = await open(t);
  await example(page, "plasma");
  await view(page, "draw");
  await page.selectOption("#scale", "4");
  await page.click("#draw");
  await page.waitForSelector('#canvas[data-drawings="1"]');
  assert.equal(await page.textContent("#draw-profiles"), "");
  await page.check("#profile-draw");
  await page.click("#draw");
  await page.waitForSelector("#draw-profiles table");
  const headings = await page.$$eval("#draw-profiles h2", (list) => list.map(({ textContent }) => textContent));
  assert.deepEqual(headings, ["Executed lines of draw 0, vertex", "Executed lines of draw 0, fragment"]);
  const row = page.locator("#draw-profiles tr", { hasText: "let red" });
  assert.match(await row.textContent(), /15: let red/);
  assert.equal(await page.locator("#draw-profiles .flame").count(), 2);
  assert.ok(await page.locator('#draw-profiles .flame g[data-l="0:15"]').count() > 1);
  await row.click();
  assert.match(await page.textContent("#editor .cm-line.on"), /let red/);
});

test("a text that is too deep for the browser is an error, and the next one compiles", async (t) => {
  const page = await open(t);
  const [, instructions] = /(\d+) instructions/.exec(await page.textContent("#status"));
  await view(page, "compare");
  await page.click("#keep");
  await write(page, DOUBLE.replace("x * 2.0", Array(8000).fill("x").join(" + ")));
  assert.match(await page.textContent("#diagnostics"), /error\[AGX2211\]: the text is nested more deeply/);
  await write(page, DOUBLE);
  assert.match(await page.textContent("#status"), /compute shader main: \d+ instructions/);
  assert.equal(await page.textContent("#compare-result .comparison td"), instructions, "the kept version is still there");
});

test("two versions are compared", async (t) => {
  const page = await open(t, clipboard);
  await write(page, DOUBLE);
  await status(page, /instructions/);
  await view(page, "compare");
  await page.click("#keep");
  await page.waitForSelector("#compare-result table");
  assert.equal(await page.locator("#compare-result tr.differs").count(), 0);
  await write(page, DOUBLE.replace("x * 2.0", "sin(x) * 2.0"));
  await page.waitForSelector("#compare-result tr.differs");
  assert.match(await page.textContent("#compare-result .comparison"), /Instrs\d+\d+\+\d+\.\d %/);
});

test("a link contains the shader and its settings", async (t) => {
  const page = await open(t, clipboard);
  await write(page, DOUBLE);
  await status(page, /instructions/);
  await page.click("#settings summary");
  await page.selectOption("#chip", "g13x");
  await page.click("#share");
  await status(page, /link is copied/);
  const address = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(address.length < 8000, `${address.length} characters`);
  const other = await open(t, { fragment: new URL(address).hash });
  assert.match(await other.textContent("#editor .cm-content"), /x \* 2\.0/);
  assert.match(await other.textContent("#view-assembly"), /compiled for g13x/);
  const damaged = await open(t, { fragment: "#z=AAAA" });
  assert.match(await damaged.textContent("#status"), /instructions|damaged/);
});

test("files are added, renamed and removed", async (t) => {
  const page = await open(t);
  page.on("dialog", (dialog) => dialog.accept("other.frag"));
  await page.click("#add-file");
  assert.equal(await page.textContent("#files [aria-selected=true]"), "other.frag");
  const module = readFileSync(new URL("../../agxc/shaders/life.spv", import.meta.url));
  await page.setInputFiles("#file-input", { name: "life.spv", mimeType: "application/octet-stream", buffer: module });
  await status(page, /compute shader main: \d+ instructions/);
  await page.click("#remove-file");
  assert.equal(await page.locator("#files button", { hasText: "life.spv" }).count(), 0);
});

test("textures come from files, and a module is shown as text", async (t) => {
  const page = await open(t);
  const text = `@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
@compute @workgroup_size(1) fn main() { out[0] = textureLoad(picture, vec2<i32>(1, 0), 0); }
`;
  await write(page, text);
  // Two pixels, red and green.
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAADklEQVR4nGP4z8DwHwQBEPgD/U6VwW8AAAAASUVORK5CYII=", "base64");
  await page.setInputFiles("#file-input", { name: "two.png", mimeType: "image/png", buffer: png });
  await page.locator("#files button", { hasText: "nbody.wgsl" }).click();
  await view(page, "run");
  for (const remove of await page.$$("#resources button")) await remove.click();
  await page.click("#add-resource");
  await page.selectOption(".resource select", "texture");
  await page.fill(".resource input", "0.0=png:two.png");
  await page.click("#add-resource");
  await page.locator(".resource input").last().fill("0.1=zero:16");
  await page.locator(".resource select").last().selectOption("f32");
  await page.fill("#groups", "1");
  await page.click("#run");
  await page.waitForSelector("#run-result pre");
  assert.equal(await page.textContent("#run-result pre"), "0, 1, 0, 1\n");
  const module = readFileSync(new URL("../../agxc/shaders/life.spv", import.meta.url));
  await page.setInputFiles("#file-input", { name: "life.spv", mimeType: "application/octet-stream", buffer: module });
  await page.waitForFunction(() => document.querySelector("#editor .cm-content").textContent.includes("OpCapability Shader"));
  await view(page, "assembly");
  await page.locator("#view-assembly tr[data-l]").first().click();
  assert.match(await page.textContent("#editor .cm-line.on"), /Op\w+/);
});

test("the report is one file, which needs nothing else", async (t) => {
  const page = await open(t);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#report")]);
  assert.equal(download.suggestedFilename(), "nbody.wgsl.html");
  const html = readFileSync(await download.path(), "utf8");
  const file = join(mkdtempSync(join(tmpdir(), "agxc-page-")), "report.html");
  writeFileSync(file, html);
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  t.after(() => context.close());
  const report = await context.newPage();
  await report.goto(`file://${file}`);
  assert.equal(await report.evaluate(() => document.documentElement.scrollWidth), 390);
  await report.locator("#assembly tr[data-l]").first().click();
  assert.ok(await report.locator("#source tr.on").count() === 1);
  assert.deepEqual(await violations(report), []);
});

test("nothing is wider than a phone", async (t) => {
  const page = await open(t, { width: 390, height: 844 });
  await page.click("#settings summary");
  for (const name of VIEWS) {
    await view(page, name);
    if (name === "step") {
      await page.click("#step-start");
      await page.waitForSelector("#step-result:not([hidden])");
    }
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, name);
  }
});

/** The rules that a page breaks, with the elements. */
async function violations(page) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run({ runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] } }));
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds no violation, ${colorScheme}`, async (t) => {
    // The content security policy of the page would refuse the script.
    const page = await open(t, { colorScheme, bypassCSP: true, ...clipboard });
    await page.click("#settings summary");
    for (const name of VIEWS) {
      await view(page, name);
      if (name === "run") {
        await page.click("#run");
        await page.waitForSelector("#run-result h3");
      }
      if (name === "step") {
        await page.click("#step-start");
        await page.waitForSelector("#step-result:not([hidden])");
      }
      if (name === "draw") {
        await example(page, "plasma");
        await page.check("#profile-draw");
        await page.selectOption("#scale", "4");
        await page.click("#draw");
        await page.waitForSelector("#draw-profiles table");
      }
      if (name === "compare") {
        await page.click("#keep");
        await page.waitForSelector("#compare-result table");
      }
      assert.deepEqual(await violations(page), [], name);
    }
    await write(page, "fn f() { let x = y; }");
    await status(page, /1 error/);
    await view(page, "assembly");
    assert.deepEqual(await violations(page), [], "with an error");
  });
}

test("the keyboard reaches everything", async (t) => {
  const page = await open(t);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.focus("#views-tab-assembly");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.id), "views-tab-ir");
  assert.ok(await page.isVisible("#view-ir"));
  await page.keyboard.press("End");
  assert.ok(await page.isVisible("#view-compare"));
  await page.locator("#editor .cm-content").focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.closest("#editor")), null, "Escape and Tab leave the editor");
});

test("the page opens without a network", async (t) => {
  const context = await browser.newContext();
  t.after(() => context.close());
  const page = await context.newPage();
  await page.goto(server.url);
  await page.waitForSelector("body[data-ready]");
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(async () => (await caches.keys()).length === 1);
  await context.setOffline(true);
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  assert.match(await page.textContent("#status"), /instructions, compiled/);
});
