import { openSearchPanel, search, searchKeymap } from '@codemirror/search'
import type { Extension } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { scrollTo } from './scroll-to.ts'

/** Finding and replacing. The browser's own search sees only the lines that are drawn. */
export const finding: Extension = [
  search({ top: true, scrollToMatch: ({ from }, view) => scrollTo(view, from) }),
  keymap.of(searchKeymap),
  EditorView.theme({
    '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)', fontFamily: 'var(--font)' },
    '.cm-panels-top': { borderBottom: '1px solid var(--line)' },
    '.cm-search.cm-panel': { padding: '6px 28px 6px 8px', fontSize: 'var(--t2)' },
    '.cm-search.cm-panel label': { fontSize: 'var(--t2)', whiteSpace: 'nowrap' },
    '.cm-panel.cm-search [name=close]': { color: 'var(--text)', minWidth: '24px', minHeight: '24px' },
    '.cm-textfield': { backgroundColor: 'var(--bg)', color: 'var(--text)', border: '1px solid var(--line2)', borderRadius: 'var(--r1)', padding: '3px 6px', fontSize: 'var(--t2)' },
    '.cm-button': { backgroundColor: 'var(--panel)', backgroundImage: 'none', color: 'var(--text)', border: '1px solid var(--line2)', borderRadius: 'var(--r1)', padding: '3px 8px', fontSize: 'var(--t2)', cursor: 'pointer' },
    '.cm-button:hover': { backgroundColor: 'var(--bg)' },
    // A stronger tint would take the colours of the syntax below 4.5:1.
    '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--halo) 20%, transparent)' },
    '.cm-searchMatch-selected': { backgroundColor: 'color-mix(in srgb, var(--halo) 20%, transparent)', outline: '2px solid var(--halo)' },
  }),
]

export const openFind = (view: EditorView): boolean => openSearchPanel(view)
