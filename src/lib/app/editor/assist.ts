import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic as Lint } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import { keymap, type EditorView } from '@codemirror/view'
import type { Diagnostic } from '../../halo/errors.ts'
import { openDocs, placeOfCode } from '../docs/open.ts'
import { docsWords } from '../docs/words.ts'
import { halo, type HaloEditorOptions } from '../../editor/index.ts'
import { modelAssistance } from '../settings/editor-models.ts'
import type { Keys } from '../settings/keys.svelte.ts'

/** What helps with writing: completion, hover texts, definitions, closing brackets, marks of diagnostics. */
export function assistance(options: HaloEditorOptions, keys?: () => Promise<Keys>): Extension {
  return [halo(options), ...(keys ? [modelAssistance(keys)] : []), closeBrackets(), lintGutter(), keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap])]
}

export function show(view: EditorView, diagnostics: Diagnostic[]): void {
  const { length } = view.state.doc
  view.dispatch(setDiagnostics(view.state, diagnostics.filter(({ from }) => from <= length).map((diagnostic) => lintOf(diagnostic, length))))
}

function lintOf(diagnostic: Diagnostic, length: number): Lint {
  const { from, to, severity, message, fix } = diagnostic
  return {
    from,
    to: Math.min(Math.max(to, from), length),
    severity,
    message,
    source: diagnostic.code,
    actions: [
      ...(fix ? [{ name: fix.title, apply: (view: EditorView) => view.dispatch({ changes: { from: fix.from, to: fix.to, insert: fix.insert } }) }] : []),
      { name: docsWords.meaning, apply: () => void openDocs(placeOfCode(diagnostic.code)) },
    ],
  }
}
