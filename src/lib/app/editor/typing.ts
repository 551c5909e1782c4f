import { defaultKeymap, history, historyField, historyKeymap, indentLess, indentMore } from '@codemirror/commands'
import type { EditorState, Extension } from '@codemirror/state'
import { keymap } from '@codemirror/view'

/** Keys and undo: needed once someone writes, and not to show a text. `past` is what `pastOf` gave of the same text. */
export function typing(past?: unknown): Extension {
  return [
    history(),
    past === undefined ? [] : historyField.init(() => past),
    keymap.of([
      // Tab leaves the editor, as a keyboard user expects of a page; these two indent.
      { key: 'Mod-]', run: indentMore },
      { key: 'Mod-[', run: indentLess },
      ...defaultKeymap,
      ...historyKeymap,
    ]),
  ]
}

/** What can be undone and done again. */
export const pastOf = (state: EditorState): unknown => state.field(historyField, false)
