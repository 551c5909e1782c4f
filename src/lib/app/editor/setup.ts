import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from '@codemirror/commands'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic as Lint } from '@codemirror/lint'
import { EditorState, StateEffect, StateField, type Extension } from '@codemirror/state'
import {
  Decoration,
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  type DecorationSet,
} from '@codemirror/view'
import type { Diagnostic } from '../../halo/errors.ts'
import { halo, type HaloEditorOptions } from '../../editor/index.ts'
import { editorTheme } from './theme.ts'

export interface EditorOptions {
  /** A state kept from before; it is used when its text is still the document's. */
  state?: EditorState
  text: string
  label: string
  /** Absent: plain text. */
  halo?: HaloEditorOptions
  readonly: boolean
  onedit(text: string): void
  onrun(): void
}

export interface Editor {
  view: EditorView
  /** Takes over a text that changed elsewhere; the same text changes nothing. */
  setText(text: string): void
  setDiagnostics(diagnostics: Diagnostic[]): void
  mark(range: { from: number; to: number } | undefined): void
  /** Selects a place, scrolls to it and gives the editor the focus. */
  reveal(from: number, to?: number): void
}

const setMark = StateEffect.define<{ from: number; to: number } | undefined>()
const markField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, tr) {
    let next = marks.map(tr.changes)
    for (const effect of tr.effects) {
      if (!effect.is(setMark)) continue
      const { doc } = tr.state
      const range = effect.value
      if (!range || range.from > doc.length) next = Decoration.none
      else {
        const lines = []
        for (let line = doc.lineAt(range.from); ; line = doc.line(line.number + 1)) {
          lines.push(Decoration.line({ class: 'cm-running' }).range(line.from))
          if (line.to >= Math.min(range.to, doc.length) || line.number === doc.lines) break
        }
        next = Decoration.set(lines)
      }
    }
    return next
  },
  provide: (field) => EditorView.decorations.from(field),
})

export function createEditor(parent: HTMLElement, options: EditorOptions): Editor {
  // The callbacks of a kept state belong to a component that is gone: extensions are made anew, the history goes with the state.
  const extensions = extensionsOf(options)
  const kept = options.state?.doc.toString() === options.text ? options.state : undefined
  const state = kept
    ? EditorState.create({ doc: kept.doc, selection: kept.selection, extensions })
    : EditorState.create({ doc: options.text, extensions })
  const view = new EditorView({ parent, state })
  return {
    view,
    setText(text) {
      const now = view.state.doc.toString()
      if (now === text) return
      view.dispatch({ changes: change(now, text) })
    },
    setDiagnostics(diagnostics) {
      const { length } = view.state.doc
      const lints = diagnostics.filter((d) => d.from <= length).map((d) => lintOf(d, length))
      view.dispatch(setDiagnostics(view.state, lints))
    },
    mark: (range) => view.dispatch({ effects: setMark.of(range) }),
    reveal(from, to = from) {
      const { length } = view.state.doc
      const anchor = Math.min(from, length)
      view.dispatch({ selection: { anchor, head: Math.min(to, length) }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
      view.focus()
    },
  }
}

function extensionsOf({ halo: language, readonly, label, onedit, onrun }: EditorOptions): Extension[] {
  return [
    lineNumbers(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    bracketMatching(),
    EditorState.readOnly.of(readonly),
    EditorView.editable.of(true),
    EditorView.contentAttributes.of({ 'aria-label': label }),
    EditorView.lineWrapping,
    EditorState.tabSize.of(2),
    editorTheme,
    markField,
    ...(language ? [halo(language), indentOnInput(), closeBrackets(), lintGutter()] : []),
    ...(readonly ? [] : [highlightActiveLine(), highlightActiveLineGutter()]),
    keymap.of([
      { key: 'Mod-Enter', preventDefault: true, run: () => (onrun(), true) },
      // Tab leaves the editor, as a keyboard user expects of a page; these two indent.
      { key: 'Mod-]', run: indentMore },
      { key: 'Mod-[', run: indentLess },
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...completionKeymap,
      ...lintKeymap,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onedit(update.state.doc.toString())
    }),
  ]
}

function lintOf(diagnostic: Diagnostic, length: number): Lint {
  const { from, to, severity, message, fix } = diagnostic
  return {
    from,
    to: Math.min(Math.max(to, from), length),
    severity,
    message,
    source: diagnostic.code,
    actions: fix && [
      { name: fix.title, apply: (view) => view.dispatch({ changes: { from: fix.from, to: fix.to, insert: fix.insert } }) },
    ],
  }
}

/** The one replaced range between two texts, so that the cursor stays where it can. */
function change(before: string, after: string): { from: number; to: number; insert: string } {
  let start = 0
  const most = Math.min(before.length, after.length)
  while (start < most && before[start] === after[start]) start++
  let end = 0
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) }
}
