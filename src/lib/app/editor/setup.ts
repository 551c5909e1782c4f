import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { Annotation, Compartment, EditorState, StateEffect, StateField, type EditorSelection, type Extension } from '@codemirror/state'
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
// Not through the index: that would bring completion along.
import { haloHighlightStyle } from '../../editor/highlight.ts'
import { haloLanguage } from '../../editor/language.ts'
import type { HaloEditorOptions } from '../../editor/index.ts'
import type { Keys } from '../settings/keys.svelte.ts'
import { whenIdle } from '../shell/idle.ts'
import { inside, lineEndOf, outside, placeInside, placeOutside } from './line-ends.ts'
import { scrollTo } from './scroll-to.ts'
import { editorTheme } from './theme.ts'

export interface EditorOptions {
  /** The same document as it was left; used when its text is still the same. */
  kept?: Kept
  text: string
  label: string
  /** Absent: plain text. */
  halo?: HaloEditorOptions
  /** Models that a person named or a provider listed, for completion. */
  keys?: () => Promise<Keys>
  readonly: boolean
  onedit(text: string): void
  onrun(): void
  /** The place of the cursor, once the editor has the focus. */
  oncursor?(at: number): void
}

/** A document as its editor left it. */
export interface Kept {
  text: string
  selection: EditorSelection
  past: unknown
}

export interface Editor {
  view: EditorView
  /** Takes over a text that changed elsewhere; the same text changes nothing. */
  setText(text: string): void
  setDiagnostics(diagnostics: Diagnostic[]): void
  mark(range: { from: number; to: number } | undefined): void
  /** Selects a place, scrolls to it and gives the editor the focus. */
  reveal(from: number, to?: number): void
  /** Takes it down, and gives what another editor of the same document goes on from. */
  close(): Kept
}

/** A change that was not made in this editor. */
const fromOutside = Annotation.define<boolean>()
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

type Assist = typeof import('./assist.ts')
type Typing = typeof import('./typing.ts')

/**
 * The editor as a first load can afford it: text and colours. Keys and undo come when the page is idle or a hand comes near, completion, hover texts
 * and the marks of diagnostics when the editor gets the focus, or when there is something to mark.
 */
export function createEditor(parent: HTMLElement, options: EditorOptions): Editor {
  const helped = new Compartment()
  const typed = new Compartment()
  const found = new Compartment()
  /** The text as it is outside, which may have other line ends than the editor's. */
  let outer = options.text
  let lineEnd = lineEndOf(outer)
  const hooks: Hooks = {
    onedit: (text) => options.onedit((outer = outside(text, lineEnd))),
    oncursor: (at) => options.oncursor?.(placeOutside(outer, at)),
    onfocus: () => void write().then(assist),
    onfind: () => void find(),
  }
  const extensions = [helped.of([]), ...extensionsOf(options, hooks), typed.of([]), found.of([])]
  const kept = options.kept?.text === inside(outer) ? options.kept : undefined
  const view = new EditorView({ parent, state: EditorState.create({ doc: inside(outer), selection: kept?.selection, extensions }) })
  let diagnostics: Diagnostic[] = []
  let loading: Promise<Assist> | undefined
  let writing: Promise<void> | undefined
  let searching: Promise<typeof import('./find.ts')> | undefined
  let typist: Typing | undefined
  const { halo: language, keys } = options

  const write = (): Promise<void> => (writing ??= loadTyping())
  async function loadTyping(): Promise<void> {
    typist = await import('./typing.ts')
    view.dispatch({ effects: typed.reconfigure(typist.typing(kept?.past)) })
  }
  async function find(): Promise<void> {
    const first = !searching
    const { finding, openFind } = await (searching ??= import('./find.ts'))
    if (first) view.dispatch({ effects: found.reconfigure(finding) })
    openFind(view)
  }
  for (const near of ['pointerenter', 'pointerdown', 'focusin']) parent.addEventListener(near, () => void write(), { once: true })
  void whenIdle().then(write)
  async function assist(): Promise<void> {
    if (!language || loading) return
    const { assistance, show } = await (loading = import('./assist.ts'))
    view.dispatch({ effects: helped.reconfigure(assistance(language, keys)) })
    show(view, diagnostics)
  }
  return {
    view,
    setText(text) {
      if (text === outer) return
      outer = text
      lineEnd = lineEndOf(text)
      const [now, next] = [view.state.doc.toString(), inside(text)]
      if (now === next) return
      view.dispatch({ changes: change(now, next), annotations: fromOutside.of(true) })
    },
    setDiagnostics(found) {
      diagnostics = outer.includes('\r') ? found.map((one) => moved(one, outer)) : found
      if (loading) void loading.then(({ show }) => show(view, diagnostics))
      else if (found.length > 0) void assist()
    },
    mark: (range) => view.dispatch({ effects: setMark.of(range && { from: placeInside(outer, range.from), to: placeInside(outer, range.to) }) }),
    reveal(from, to = from) {
      const { length } = view.state.doc
      const anchor = Math.min(placeInside(outer, from), length)
      view.dispatch({ selection: { anchor, head: Math.min(placeInside(outer, to), length) }, effects: scrollTo(view, anchor) })
      view.focus()
    },
    close() {
      const { doc, selection } = view.state
      view.destroy()
      return { text: doc.toString(), selection, past: typist?.pastOf(view.state) ?? kept?.past }
    },
  }
}

interface Hooks {
  onedit(text: string): void
  oncursor(at: number): void
  onfocus(): void
  onfind(): void
}

function extensionsOf({ halo: language, readonly, label, onrun }: EditorOptions, { onedit, oncursor, onfocus, onfind }: Hooks): Extension[] {
  return [
    // Named by the page's policy (scripts/headers.js): without it the editor may not write its style element.
    EditorView.cspNonce.of('halo-editor'),
    lineNumbers(),
    highlightSpecialChars(),
    drawSelection(),
    bracketMatching(),
    EditorState.readOnly.of(readonly),
    EditorView.editable.of(true),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    EditorView.lineWrapping,
    EditorState.tabSize.of(2),
    editorTheme,
    markField,
    ...(language ? [haloLanguage, syntaxHighlighting(haloHighlightStyle), indentOnInput()] : []),
    ...(readonly ? [] : [highlightActiveLine(), highlightActiveLineGutter()]),
    keymap.of([
      { key: 'Mod-Enter', preventDefault: true, run: () => (onrun(), true) },
      { key: 'Mod-f', preventDefault: true, run: () => (onfind(), true) },
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !update.transactions.some((one) => one.annotation(fromOutside))) onedit(update.state.doc.toString())
      if ((update.selectionSet || update.focusChanged) && update.view.hasFocus) oncursor(update.state.selection.main.head)
      if (update.focusChanged && update.view.hasFocus) onfocus()
    }),
  ]
}

/** A diagnostic of the text outside, at its place in the editor. */
function moved(one: Diagnostic, text: string): Diagnostic {
  const at = <T extends { from: number; to: number }>(place: T): T => ({ ...place, from: placeInside(text, place.from), to: placeInside(text, place.to) })
  return { ...at(one), ...(one.fix && { fix: at(one.fix) }) }
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
