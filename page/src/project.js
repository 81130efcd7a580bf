// What the page works on: files, the active one, settings, a run, a scene. It can be written into a link.

export const emptyProject = () => ({
  files: [], active: "", kinds: {}, entries: {}, key: {}, run: { resources: {}, groups: "1", shown: [], picture: null }, scene: "",
  time: { path: "", value: 0 }, step: { breaks: [], watches: [] }, constants: {},
});

const encoder = new TextEncoder();

/** The text of some bytes, or null if they are not text. */
export function asText(bytes) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** A file of a project: text, or bytes that an editor cannot show. */
export function makeFile(name, bytes) {
  const text = asText(bytes);
  return text === null ? { name, bytes } : { name, text };
}

export const bytesOf = (file) => file.bytes ?? encoder.encode(file.text);

export const find = (project, name) => project.files.find((file) => file.name === name);

/** The key of a file: that of the project, with the file's stage and entry point. */
export function keyOf(project, name) {
  const { stage, entry } = project.entries[name] ?? {};
  return { ...project.key, ...(stage && { stage }), ...(entry && { entry_point: entry }) };
}

/** The shader of a request. */
export function shaderOf(project, name = project.active) {
  const kind = project.kinds[name];
  const constants = project.constants[name];
  return { file: name, key: keyOf(project, name), ...(kind && { kind }), ...(constants && { constants }) };
}

const toBase64 = (bytes) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};

const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

const through = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

/** The project as the fragment of an address. */
export async function toFragment(project) {
  const files = project.files.map(({ name, text, bytes }) => (bytes ? { name, base64: toBase64(bytes) } : { name, text }));
  const json = encoder.encode(JSON.stringify({ ...project, files }));
  return "#z=" + toBase64(await through(json, new CompressionStream("deflate-raw")));
}

/** The project of a fragment, or null if it has none. */
export async function fromFragment(fragment) {
  const match = /^#z=([-\w]+)$/.exec(fragment);
  if (!match) return null;
  const json = await through(fromBase64(match[1]), new DecompressionStream("deflate-raw"));
  const found = JSON.parse(new TextDecoder().decode(json));
  const files = found.files.map(({ name, text, base64 }) =>
    base64 === undefined ? { name: String(name), text: String(text) } : { name: String(name), bytes: fromBase64(base64) });
  return { ...emptyProject(), ...found, files };
}
