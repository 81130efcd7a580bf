// Makes the pictures of docs/page.md: `node pictures.mjs PAGE_FOLDER PICTURES_FOLDER`.

import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

import { serve } from "./server.mjs";

const [folder, pictures] = process.argv.slice(2).map((path) => resolve(path));
const server = await serve(folder);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

/** A picture of the page at a width, after some actions. */
async function picture(width, height, colorScheme, act) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  await page.goto(server.url);
  await page.waitForSelector("body[data-ready]");
  await act(page);
  await page.screenshot({ path: join(pictures, `page-${width}.png`) });
  await context.close();
}

const example = async (page, name) => {
  await page.evaluate(() => document.getElementById("output").setAttribute("aria-busy", "true"));
  await page.selectOption("#examples", name);
  await page.waitForSelector('#output[aria-busy="false"]', { state: "attached" });
};

await picture(1600, 900, "light", async (page) => {
  await page.locator(".cm-line", { hasText: "let inverse" }).click({ position: { x: 60, y: 5 } });
});
await picture(1280, 760, "light", async (page) => {
  await example(page, "spheres");
  await page.click("#views-tab-draw");
  await page.click("#draw");
  await page.waitForSelector("#canvas[data-drawings]");
});
await picture(1440, 1000, "light", async (page) => {
  await example(page, "plasma");
  await page.click("#views-tab-step");
  await page.fill("#step-place", "40,30");
  await page.click("#step-start");
  await page.waitForSelector("#step-result:not([hidden])");
  const add = async (form, text) => {
    await page.fill(`#${form} input`, text);
    await page.press(`#${form} input`, "Enter");
  };
  await add("watch-form", "p");
  await add("watch-form", "$pixel.x @ *");
  await add("break-form", "plasma.wgsl:15 if $pixel.x == 41");
  await page.click("#next-continue");
  await page.waitForFunction(() => document.getElementById("step-place-now").textContent.includes("Breakpoint"));
});
await picture(1100, 700, "light", async (page) => {
  await example(page, "nbody");
  await page.click("#views-tab-run");
  await page.click("#run");
  await page.waitForSelector("#run-result .flame");
  await page.locator("#run-result .flame g[data-l]").first().click();
  await page.locator("#run-result .flame").scrollIntoViewIfNeeded();
});
await picture(820, 1000, "dark", async (page) => {
  await example(page, "raymarch");
  await page.click("#views-tab-ir");
  await page.waitForSelector("#ir-after ins");
});
await picture(390, 844, "light", async (page) => {
  await example(page, "mandelbrot");
  await page.click("#views-tab-run");
  await page.click("#run");
  await page.waitForSelector("#run-result canvas");
  await page.locator("#run-result canvas").scrollIntoViewIfNeeded();
});
await browser.close();
server.close();
