// Examples in languages that the bundled shaders do not show.

import agalText from "../examples/gradient.agal";
import pairFragment from "../examples/pair.frag";
import pairScene from "../examples/pair.json";
import pairVertex from "../examples/pair.vert";
import picaText from "../../formats/pica200/programs/transform.pica";
import tgsiText from "../examples/blend.tgsi";

const encoder = new TextEncoder();
const file = (name, text) => ({ name, bytes: encoder.encode(text) });

export const PAIRS = [
  {
    name: "pair",
    title: "A vertex and a fragment shader (GLSL)",
    files: [file("pair.vert", pairVertex), file("pair.frag", pairFragment), file("pair.json", pairScene)],
    settings: { file: "pair.vert", scene: "pair.json" },
  },
  { name: "agal", title: "A fragment program of Flash (AGAL)", files: [file("gradient.agal", agalText)], settings: { file: "gradient.agal" } },
  { name: "pica200", title: "A vertex program of the Nintendo 3DS (PICA200)", files: [file("transform.pica", picaText)], settings: { file: "transform.pica" } },
  { name: "tgsi", title: "A fragment program of Gallium (TGSI)", files: [file("blend.tgsi", tgsiText)], settings: { file: "blend.tgsi" } },
];
