/** All of the editor's support for Halo in one extension. */
import { autocompletion, type CompletionSource } from '@codemirror/autocomplete'
import { LanguageSupport, syntaxHighlighting } from '@codemirror/language'
import { hoverTooltip, keymap } from '@codemirror/view'
import { haloHighlightStyle } from './highlight.ts'
import { haloLanguage } from './language.ts'
import { nameKeys, type FileLink } from './names.ts'

export interface HaloEditorOptions {
  /** The path of the text that is edited: imports are found from there. */
  path?: string
  /** Finds the text of an imported file, for completion and for going to definitions in it. */
  resolve?: (path: string, from?: string) => string | undefined
  /** Shows a place in another file; without it going to a definition stays in this one. */
  openFile?: (link: FileLink) => void
}

/**
 * Highlighting, indentation, folding, completion, hover texts, F12 to go to a definition and F2 to rename. Diagnostics come
 * from `haloLinter`, or from whoever has them already. What completion and hover texts know is loaded on first use.
 */
export function halo(options: HaloEditorOptions = {}): LanguageSupport {
  const complete: CompletionSource = async (context) =>
    (await import('./completion.ts')).complete(context, options)
  return new LanguageSupport(haloLanguage, [
    haloLanguage.data.of({ autocomplete: complete }),
    autocompletion({ icons: false }),
    syntaxHighlighting(haloHighlightStyle),
    hoverTooltip(async (view, pos) => (await import('./hover.ts')).hover(view, pos, options)),
    keymap.of(nameKeys(options)),
  ])
}
