// The editor: CodeMirror with the page's colours, marked lines, and diagnostics at their places.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration, EditorView, GutterMarker, drawSelection, gutter, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

import { mode } from "./modes.js";

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword], color: "var(--keyword)" },
  { tag: [tags.typeName, tags.standard(tags.typeName)], color: "var(--type)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--number)" },
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.meta, tags.processingInstruction], color: "var(--meta)" },
  { tag: tags.string, color: "var(--string)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "13px" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--faint)", border: "0", borderRight: "1px solid var(--rule)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--soft)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection": { backgroundColor: "var(--selection) !important" },
  ".cm-line.on": { backgroundColor: "var(--line)" },
  ".cm-breaks .cm-gutterElement": { width: "14px", color: "var(--stall)", cursor: "pointer" },
  ".cm-lineNumbers .cm-gutterElement": { cursor: "pointer" },
  ".cm-panels": { backgroundColor: "var(--soft)", color: "var(--ink)" },
  ".cm-tooltip": { backgroundColor: "var(--soft)", color: "var(--ink)", border: "1px solid var(--rule)" },
});

const markLine = StateEffect.define();
const marked = StateField.define({
  create: () => Decoration.none,
  update(lines, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(markLine)) continue;
      const at = effect.value;
      const exists = at >= 1 && at <= transaction.state.doc.lines;
      return exists ? Decoration.set([Decoration.line({ class: "on" }).range(transaction.state.doc.line(at).from)]) : Decoration.none;
    }
    return transaction.docChanged ? Decoration.none : lines;
  },
  provide: (field) => EditorView.decorations.from(field),
});

class BreakMarker extends GutterMarker {
  constructor(words) {
    super();
    this.words = words;
  }

  eq(other) {
    return other.words === this.words;
  }

  toDOM() {
    return Object.assign(document.createElement("span"), { textContent: "●", title: `Breakpoint ${this.words}` });
  }
}

/** Pairs of words and line. */
const setBreaks = StateEffect.define();
const breaks = StateField.define({
  create: () => RangeSet.empty,
  update(markers, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setBreaks)) continue;
      const { doc } = transaction.state;
      const known = effect.value.filter(([, line]) => line >= 1 && line <= doc.lines);
      return RangeSet.of(known.map(([words, line]) => new BreakMarker(words).range(doc.line(line).from)), true);
    }
    return markers.map(transaction.changes);
  },
});

export class Editor {
  /**
   * `changed` is told the text, `moved` the line of the cursor. `breakAt` is told the line where the reader wants a breakpoint or
   * none, `breaksMoved` the words and lines of breakpoints after an edit.
   */
  constructor(parent, { changed, moved, breakAt, breaksMoved }) {
    this.breakAt = breakAt;
    this.language = new Compartment();
    this.name = new Compartment();
    this.readOnly = new Compartment();
    this.listener = EditorView.updateListener.of((update) => {
      if (this.isLoading) return;
      const line = (state) => state.doc.lineAt(state.selection.main.head).number;
      if (update.docChanged) {
        changed(update.state.doc.toString());
        const found = [];
        update.state.field(breaks).between(0, update.state.doc.length, (at, _, { words }) => {
          found.push([words, update.state.doc.lineAt(at).number]);
        });
        // An update cannot begin another one.
        setTimeout(() => breaksMoved(found));
      }
      else if (update.selectionSet && line(update.state) !== line(update.startState)) moved(line(update.state));
    });
    this.view = new EditorView({ parent });
    this.states = new Map();
  }

  extensions(language, name, isReadOnly) {
    const mousedown = (view, { from }) => {
      this.breakAt(view.state.doc.lineAt(from).number);
      return true;
    };
    const atCursor = ({ state }) => {
      this.breakAt(state.doc.lineAt(state.selection.main.head).number);
      return true;
    };
    return [
      breaks, gutter({ class: "cm-breaks", markers: ({ state }) => state.field(breaks), domEventHandlers: { mousedown } }),
      keymap.of([{ key: "F9", run: atCursor }]), lineNumbers({ domEventHandlers: { mousedown } }), history(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(),
      highlightActiveLineGutter(), highlightSelectionMatches(), lintGutter(), marked, theme, syntaxHighlighting(colours),
      // Escape and then Tab leaves the editor.
      keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
      this.language.of(mode(language)),
      this.name.of(EditorView.contentAttributes.of({ "aria-label": `Source of ${name}`, tabindex: "0" })),
      this.readOnly.of(EditorState.readOnly.of(isReadOnly)),
      this.listener,
    ];
  }

  /** Shows a file; its history is kept while its text is the same. */
  open(name, text, language, isReadOnly = false) {
    if (this.shown) this.states.set(this.shown, this.view.state);
    const known = this.states.get(name);
    const extensions = this.extensions(language, name, isReadOnly);
    const state = known?.doc.toString() === text ? known : EditorState.create({ doc: text, extensions });
    this.isLoading = true;
    this.view.setState(state);
    this.view.dispatch({ effects: this.language.reconfigure(mode(language)) });
    this.isLoading = false;
    this.shown = name;
  }

  forget() {
    this.states.clear();
    this.shown = null;
  }

  /** Marks a line, 0 for none, and shows it. */
  mark(line) {
    const effects = [markLine.of(line)];
    if (line >= 1 && line <= this.view.state.doc.lines) {
      effects.push(EditorView.scrollIntoView(this.view.state.doc.line(line).from, { y: "nearest", yMargin: 60 }));
    }
    this.view.dispatch({ effects });
  }

  /** Marks the lines with breakpoints: pairs of words and line. */
  showBreaks(lines) {
    this.view.dispatch({ effects: setBreaks.of(lines) });
  }

  /** Moves the cursor to a place and takes the keyboard. */
  go(line, column) {
    const at = this.offset(line, column);
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    this.view.focus();
  }

  /** The offset of a column in bytes, from 1. */
  offset(line, column) {
    const found = this.view.state.doc.line(Math.min(Math.max(line, 1), this.view.state.doc.lines));
    const bytes = new TextEncoder().encode(found.text).subarray(0, Math.max(column - 1, 0));
    return Math.min(found.from + new TextDecoder().decode(bytes).length, found.to);
  }

  /** Shows diagnostics at their places, up to the end of the word. */
  diagnose(diagnostics) {
    const { doc } = this.view.state;
    const shown = diagnostics.filter(({ line }) => line).map(({ line, column, severity, code, message }) => {
      const from = this.offset(line, column ?? 1);
      const rest = doc.sliceString(from, doc.lineAt(from).to);
      return { from, to: from + (/^(\w+|.)?/.exec(rest)[0].length || 0), severity, message: `${code}: ${message}` };
    });
    this.view.dispatch(setDiagnostics(this.view.state, shown));
  }
}
