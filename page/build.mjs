// Bundles the page into a folder: `node build.mjs WASM_FOLDER OUT`. WASM_FOLDER has what agx-page-bindgen wrote.

import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const [wasm, out] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const report = join(here, "../agxc/src/report/html/report.js");

/** Most bytes of the page, compressed. */
const MOST_BYTES = 3_000_000;

// The script of reports is also a classic script, so it exports nothing itself.
const shared = {
  name: "shared",
  setup(bundle) {
    bundle.onResolve({ filter: /^\.\/report\.js$/ }, () => ({ path: report }));
    bundle.onLoad({ filter: /report\.js$/ }, () => ({ contents: readFileSync(report, "utf8") + "\nexport { connect };\n", resolveDir: here }));
    bundle.onResolve({ filter: /^\.\/agx_page\.js$/ }, () => ({ path: join(wasm, "agx_page.js") }));
  },
};

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { page: "src/main.js", worker: "src/worker.js" },
  bundle: true, minify: true, format: "esm", target: "es2022", outdir: out, plugins: [shared], legalComments: "linked",
  loader: { ".agal": "text", ".frag": "text", ".vert": "text", ".pica": "text", ".tgsi": "text", ".json": "text" },
});
await build({ absWorkingDir: here, entryPoints: ["page.css"], bundle: true, minify: true, outdir: out });
copyFileSync(join(wasm, "agx_page_bg.wasm"), join(out, "agx_page_bg.wasm"));
copyFileSync(join(here, "index.html"), join(out, "index.html"));

const names = readdirSync(out).filter((name) => !name.endsWith(".txt")).sort();
const hash = createHash("sha256");
for (const name of names) hash.update(readFileSync(join(out, name)));
const version = hash.digest("hex").slice(0, 12);
const offline = readFileSync(join(here, "offline.js"), "utf8");
writeFileSync(join(out, "offline.js"), offline
  .replace("__FILES__", JSON.stringify(["./", ...names]))
  .replace("__VERSION__", JSON.stringify(version)));

let total = 0;
for (const name of readdirSync(out)) {
  const size = gzipSync(readFileSync(join(out, name)), { level: 9 }).length;
  total += size;
  console.log(`${name.padEnd(28)}${String(size).padStart(9)} bytes compressed`);
}
console.log(`page: ${total} bytes compressed in ${out}; the limit is ${MOST_BYTES}`);
if (total > MOST_BYTES) process.exit(1);
