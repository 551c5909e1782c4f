import { EditorView } from '@codemirror/view'

/** CodeMirror in the product's tokens; the colours of syntax come from src/lib/editor through the same variables. */
export const editorTheme = EditorView.theme({
  '&': { height: '100%', fontSize: 'var(--t3)', backgroundColor: 'var(--panel)', color: 'var(--text)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--text)' },
  '&.cm-focused .cm-content:focus-visible': { outline: 'none' },
  '&.cm-focused': { outline: 'none', boxShadow: 'inset 0 0 0 1px var(--accent)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--muted)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '32px', padding: '0 8px 0 4px' },
  // A tint under the text would take the comments' contrast below 4.5:1; the line's number shows where one is.
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
  '.cm-running': { backgroundColor: 'var(--accent-soft)' },
  '@media (forced-colors: active)': { '.cm-running': { outline: '1px solid Highlight' } },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: '1px solid var(--accent)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--bad) 1px', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--warn) 1px', textUnderlineOffset: '3px' },
  '.cm-lintRange-info': { backgroundImage: 'none', textDecoration: 'underline dotted var(--muted) 1px', textUnderlineOffset: '3px' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--text)', border: '1px solid var(--line2)', borderRadius: 'var(--r1)' },
  '.cm-tooltip-lint': { padding: '0' },
  '.cm-diagnostic': { padding: '4px 8px', fontFamily: 'var(--font)', fontSize: 'var(--t2)' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warn)' },
  '.cm-diagnosticAction': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)', borderRadius: 'var(--r1)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--accent)' },
  '.cm-gutter-lint': { width: '14px' },
  // The marks' gutter comes later; the text must not move for it.
  '.cm-gutters:not(:has(.cm-gutter-lint))': { paddingLeft: '14px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
})
