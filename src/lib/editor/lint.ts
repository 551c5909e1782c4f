/** Diagnostics of the library in the editor. */
import { linter, type Action, type Diagnostic as LintDiagnostic } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import type { Diagnostic } from '../halo/errors.ts'

/** Checks the text when typing rests for 150 ms; `analyse` is the library's, with whatever path and resolver the app has. */
export function haloLinter(
  analyse: (source: string) => { diagnostics: Diagnostic[] } | Promise<{ diagnostics: Diagnostic[] }>,
): Extension {
  return linter(
    async (view) => {
      const { diagnostics } = await analyse(view.state.doc.toString())
      return diagnostics.map((diagnostic) => lintOf(diagnostic, view.state.doc.length))
    },
    { delay: 150 },
  )
}

/** A fault at the end of the text, or of no width, still gets a mark. */
function lintOf({ from, to, severity, message, code, fix }: Diagnostic, length: number): LintDiagnostic {
  const end = Math.min(Math.max(to, from + 1), length)
  const actions: Action[] = fix
    ? [
        {
          name: fix.title,
          apply: (view) => view.dispatch({ changes: { from: fix.from, to: fix.to, insert: fix.insert } }),
        },
      ]
    : []
  return { from: Math.min(from, end), to: end, severity, message, source: code, actions }
}
