/** Halo as a CodeMirror language: the library's own parser, so that the editor's tree is kept up to date edit by edit. */
import { LRLanguage } from '@codemirror/language'
import { haloParser } from '../halo/syntax/parser.ts'
import { haloHighlighting } from './highlight.ts'
import { haloFolding, haloIndentation } from './indent.ts'

export const haloLanguage = LRLanguage.define({
  name: 'halo',
  parser: haloParser.configure({ props: [haloHighlighting, haloIndentation, haloFolding] }),
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '[', '{', '"', "'", '"""'], stringPrefixes: [] },
    indentOnInput: /^\s*(?:[)\]}]|\|[>*?!]|\|<>|~>|&|import|policy|tool|store|schema|agent|pipeline|test)$/,
    wordChars: '_',
  },
})
