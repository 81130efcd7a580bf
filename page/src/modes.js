// Highlighting of the languages: modes of CodeMirror, with the words of each language.

import { StreamLanguage } from "@codemirror/language";
import { clike, shader } from "@codemirror/legacy-modes/mode/clike";
import { json } from "@codemirror/legacy-modes/mode/javascript";

const words = (text) => Object.fromEntries(text.split(" ").map((word) => [word, true]));

const wgsl = clike({
  name: "wgsl",
  keywords: words("alias break case const const_assert continue continuing default diagnostic discard else enable fn for if let loop override requires return struct switch var while"),
  types: words("bool f16 f32 i32 u32 vec2 vec3 vec4 vec2f vec3f vec4f vec2i vec3i vec4i vec2u vec3u vec4u vec2h vec3h vec4h mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 mat3x3f mat4x4f array atomic ptr sampler sampler_comparison texture_1d texture_2d texture_2d_array texture_3d texture_cube texture_cube_array texture_multisampled_2d texture_depth_2d texture_storage_2d"),
  blockKeywords: words("else for if loop switch while fn struct"),
  atoms: words("true false"),
  number: /^(?:0x[\da-f.]+(?:p[+-]?\d+)?|\d*\.?\d+(?:e[+-]?\d+)?)[iufh]?/i,
  hooks: { "@": (stream) => { stream.eatWhile(/\w/); return "meta"; } },
  multiLineStrings: false,
});

/** A language of one statement to a line: comments, registers, numbers, directives. */
const assembler = ({ name, comment, registers, directives }) => ({
  name,
  startState: () => ({ first: true }),
  token(stream, state) {
    if (stream.sol()) state.first = true;
    if (stream.eatSpace()) return null;
    if (stream.match(comment)) {
      stream.skipToEnd();
      return "comment";
    }
    if (directives && stream.match(directives)) {
      state.first = false;
      return "keyword";
    }
    if (stream.match(/^[-+]?(?:0x[\da-f]+|\d+\.?\d*(?:e[-+]?\d+)?)\b/i)) return "number";
    if (stream.match(registers)) return "variableName";
    if (stream.match(/^[a-z_][\w.]*/i)) {
      const wasFirst = state.first;
      state.first = false;
      return wasFirst ? "keyword" : "typeName";
    }
    stream.next();
    return null;
  },
});

const modes = {
  wgsl,
  glsl: shader,
  ir: assembler({ name: "ir", comment: /^;/, registers: /^%\w+/, directives: /^(?:kernel|preamble|stage|b\d+:)/ }),
  agal: assembler({ name: "agal", comment: /^(?:\/\/|#|;)/, registers: /^(?:va|vc|vt|fc|ft|fs|fo|op|oc|od|v)\d*\b[.\w]*/i }),
  tgsi: assembler({
    name: "tgsi", comment: /^(?:#|;|\/\/)/, registers: /^(?:IN|OUT|TEMP|CONST|SAMP|SVIEW|SV|IMM|ADDR|BUFFER|IMAGE|MEMORY)\[[^\]]*\]/i,
    directives: /^(?:VERT|FRAG|COMP|DCL|PROPERTY|IMM|END)\b/i,
  }),
  pica200: assembler({ name: "pica200", comment: /^[;#]/, registers: /^(?:v|o|r|c|i|b|a|s)\d+\b[.\w]*/i, directives: /^\.\w+/ }),
  spirv: assembler({ name: "spirv", comment: /^;/, registers: /^%\w+/, directives: /^Op\w+/ }),
  json,
};

/** The mode of a language, or nothing for one without. */
export const mode = (language) => (modes[language] ? [StreamLanguage.define(modes[language])] : []);
