/** Going to where a name is declared, and renaming it everywhere in the file. */
import { EditorSelection, type TransactionSpec } from '@codemirror/state'
import { showPanel, type EditorView, type KeyBinding, type Panel } from '@codemirror/view'
import { StateEffect, StateField } from '@codemirror/state'
import type { HaloFile } from '../halo/syntax/ast.ts'
import type { HaloEditorOptions } from './halo.ts'

/** A place in another file. */
export interface FileLink {
  path: string
  from: number
  to: number
}

type Check = typeof import('../halo/check/index.ts')

async function analysed(
  view: EditorView,
  options: HaloEditorOptions,
): Promise<{ check: Check; file: HaloFile }> {
  const check = await import('../halo/check/index.ts')
  const { file } = check.analyse(view.state.doc.toString(), {
    ...(options.path !== undefined && { path: options.path }),
    ...(options.resolve && { resolve: options.resolve }),
  })
  return { check, file }
}

/** Selects where the name under the cursor is declared. */
export async function goToDefinition(view: EditorView, options: HaloEditorOptions = {}): Promise<boolean> {
  const { check, file } = await analysed(view, options)
  const found = check.definitionOf(file, view.state.selection.main.head)
  if (!found) return false
  if (found.file !== file.path && found.file !== undefined) {
    options.openFile?.({ path: found.file, from: found.from, to: found.to })
    return options.openFile !== undefined
  }
  view.dispatch({ selection: EditorSelection.single(found.from, found.to), scrollIntoView: true })
  return true
}

/** Renames what the name under the cursor stands for, in one step that undo takes back. False when the name can't be. */
export async function renameName(
  view: EditorView,
  name: string,
  options: HaloEditorOptions = {},
): Promise<boolean> {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return false
  const { check, file } = await analysed(view, options)
  const places = check.referencesOf(file, view.state.selection.main.head)
  // A name that another file declares would be renamed on one side only.
  if (places.length === 0 || check.definitionOf(file, view.state.selection.main.head)?.file !== file.path)
    return false
  const changes: TransactionSpec['changes'] = places.map(({ from, to }) => ({ from, to, insert: name }))
  view.dispatch({ changes, userEvent: 'rename' })
  return true
}

export function nameKeys(options: HaloEditorOptions): KeyBinding[] {
  return [
    { key: 'F12', run: (view) => (void goToDefinition(view, options), true) },
    { key: 'F2', run: (view) => askForName(view, options) },
  ]
}

const setAsking = StateEffect.define<Panel | null>()
const asking = StateField.define<Panel | null>({
  create: () => null,
  update: (value, transaction) =>
    transaction.effects.reduce((now, effect) => (effect.is(setAsking) ? effect.value : now), value),
  provide: (field) => showPanel.from(field, (panel) => panel && (() => panel)),
})

function askForName(view: EditorView, options: HaloEditorOptions): boolean {
  const word = view.state.wordAt(view.state.selection.main.head)
  if (!word || view.state.readOnly) return false
  const dom = document.createElement('form')
  dom.className = 'cm-rename'
  const input = document.createElement('input')
  input.value = view.state.sliceDoc(word.from, word.to)
  input.setAttribute('aria-label', 'New name')
  const status = document.createElement('span')
  status.setAttribute('role', 'status')
  dom.append('Rename to ', input, ' ', status)
  const close = (): void => {
    view.dispatch({ effects: setAsking.of(null) })
    view.focus()
  }
  dom.onkeydown = (event) => {
    if (event.key === 'Escape') close()
  }
  dom.onsubmit = (event) => {
    event.preventDefault()
    void renameName(view, input.value, options).then((done) => {
      if (done) close()
      else
        status.textContent =
          "This can't be renamed so: names are letters, digits and _, and must be declared in this file."
    })
  }
  const panel: Panel = { dom, top: false, mount: () => input.select() }
  const effects: StateEffect<unknown>[] = [setAsking.of(panel)]
  if (view.state.field(asking, false) === undefined) effects.unshift(StateEffect.appendConfig.of(asking))
  view.dispatch({ effects })
  return true
}
