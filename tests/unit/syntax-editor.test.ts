import { CompletionContext } from '@codemirror/autocomplete'
import { ensureSyntaxTree, foldable, getIndentation, syntaxTree } from '@codemirror/language'
import { EditorState, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { highlightTree } from '@lezer/highlight'
import { describe, expect, it } from 'vitest'
import { complete } from '../../src/lib/editor/completion.ts'
import { hoverText } from '../../src/lib/editor/hover.ts'
import { goToDefinition, halo, haloHighlightStyle, renameName } from '../../src/lib/editor/index.ts'
import { format, parseSource } from '../../src/lib/halo/syntax/index.ts'

/** A state takes over the tree of a longer parse with its next transaction. */
function parsed(state: EditorState): EditorState {
  ensureSyntaxTree(state, state.doc.length, 20_000)
  return state.update({}).state
}
function stateOf(doc: string): EditorState {
  const state = EditorState.create({ doc, extensions: [halo()] })
  return parsed(state)
}
/** The labels offered at the `‸` in a text. */
function labels(text: string): string[] {
  const pos = text.indexOf('‸')
  const state = stateOf(text.replace('‸', ''))
  return complete(new CompletionContext(state, pos, true), {})?.options.map((o) => o.label) ?? []
}

const sample = `policy Careful : AllowTools("Files.*")
  & MaxSpend(0.50)

tool Files : Workspace("./notes", write: true)

schema Note {
  title: String,
  body: String
}

agent Clerk [openai/gpt-4o, temp: 0]
  system "You keep notes."
  equips Files
  requires Careful

pipeline Tidy(task: String) -> Result:
  task
    |> Clerk.work("Go:", tools: [Files]) as report
    |? {
      report == "" => System.Fail("nothing"),
      else => System.Log("done")
    }
    |> System.Value("{{ report }} ok")

pipeline Plain:
  |> Clerk.work()

test "tidies" runs Tidy(task: "x") :
  mock Clerk.work : "ok"
  expect output == "ok"
`

describe('the editor', () => {
  it('indents each line of a formatted file to where it stands', () => {
    expect(parseSource(sample).diagnostics).toEqual([])
    expect(format(sample)).toBe(sample)
    const state = stateOf(sample)
    for (let n = 1; n < state.doc.lines; n++) {
      const line = state.doc.line(n)
      if (line.text === '') continue
      expect([n, getIndentation(state, line.from)]).toEqual([n, /^ */.exec(line.text)?.[0].length])
    }
  })

  it('indents a line that is begun below an open declaration', () => {
    const below = (text: string): number | null => getIndentation(stateOf(`${text}\n`), text.length + 1)
    expect(below('agent A [a/b]')).toBe(2)
    expect(below('agent A [a/b]\n  system "x"')).toBe(2)
    expect(below('pipeline P(x: String):')).toBe(2)
    expect(below('pipeline P(x: String):\n  x')).toBe(4)
    expect(below('pipeline P(x: String):\n  x\n    |> A.b(')).toBe(6)
    expect(below('pipeline P(x: String):\n  x\n')).toBe(0)
    expect(below('tool T : Bash()')).toBe(0)
    expect(below('test "t" runs P :')).toBe(2)
    expect(below('schema S {')).toBe(2)
  })

  it('folds declarations and braces', () => {
    const state = stateOf(sample)
    const at = (text: string) => {
      const line = state.doc.lineAt(sample.indexOf(text))
      const range = foldable(state, line.from, line.to)
      return range && sample.slice(range.from, range.to)
    }
    expect(at('pipeline Tidy')).toMatch(/^\n {2}task[^]*ok"\)$/)
    expect(at('|? {')).toMatch(/^\n {6}report == [^]*\n {4}$/)
    expect(at('schema Note')).toContain('title: String')
    expect(at('tool Files')).toBeNull()
  })

  it('colours keywords, declared names, numbers, operators, comments, strings and what is interpolated in them', () => {
    const text = 'agent A [a/b, temp: 0] // c\npipeline P(x: String): x |> A.b("hi {{ x + 1 }}\\n")'
    const spans: [string, string][] = []
    highlightTree(syntaxTree(stateOf(text)), haloHighlightStyle, (from, to, classes) =>
      spans.push([text.slice(from, to), classes]),
    )
    const classOf = (part: string): string | undefined => spans.find(([span]) => span === part)?.[1]
    for (const part of ['agent', 'A', '0', '// c', '|>', '1', '{{ '])
      expect(classOf(part), part).toBeDefined()
    expect(classOf('agent')).toBe(classOf('pipeline'))
    expect(classOf('A')).toBe(classOf('P'))
    expect(new Set(['agent', 'A', '0', '// c', '|>'].map(classOf)).size).toBe(5)
    expect(spans.some(([span, c]) => span.includes('hi') && c !== classOf('1'))).toBe(true)
  })

  it('keeps its tree up to date edit by edit, equal to that of a new parse', () => {
    let state = stateOf(sample)
    for (const [find, insert] of [
      ['0.50', '1'],
      ['Tidy(', 'Tidy2('],
      ['equips Files', 'equips Files, '],
      ['{\n      report', '\n      report'],
    ] as const) {
      const from = state.doc.toString().indexOf(find)
      state = parsed(state.update({ changes: { from, to: from + find.length, insert } }).state)
      expect(syntaxTree(state).toString()).toBe(syntaxTree(stateOf(state.doc.toString())).toString())
    }
  })

  it('completes what can stand at each place', () => {
    expect(labels('‸')).toEqual(expect.arrayContaining(['agent', 'pipeline', 'policy', 'test']))
    expect(labels('policy P : Al‸')).toEqual(expect.arrayContaining(['AllowTools', 'MaxSpend']))
    expect(labels('tool T : ‸')).toEqual(expect.arrayContaining(['Workspace', 'Bash', 'Pipeline']))
    expect(labels(sample.replace('temp: 0', 'te‸'))).toEqual(expect.arrayContaining(['temp', 'max_steps']))
    expect(labels(sample.replace('equips Files', 'equips ‸'))).toEqual(['Files'])
    expect(labels(sample.replace('requires Careful', 'requires ‸'))).toEqual(['Careful'])
    expect(labels(sample.replace('-> Result', '-> ‸'))).toEqual(expect.arrayContaining(['String', 'Note']))
    expect(labels(sample.replace('|> Clerk.work("Go:"', '|> ‸'))).toEqual(
      expect.arrayContaining(['Clerk', 'Files', 'Plain', 'System']),
    )
    expect(labels(sample.replace('{{ report }}', '{{ ‸ }}'))).toEqual(
      expect.arrayContaining(['task', 'report', 'len', 'context']),
    )
    expect(labels(sample.replace('System.Log', 'System.‸'))).toEqual(
      expect.arrayContaining(['Value', 'Log', 'Fail']),
    )
    expect(labels(sample.replace('System.Log("done")', 'Files.‸'))).toEqual(
      expect.arrayContaining(['read', 'write']),
    )
    expect(labels(sample.replace('"Files.*"', '"Files.‸"'))).toEqual(expect.arrayContaining(['*', 'read']))
    expect(labels(sample.replace('as report', '@‸'))).toEqual(expect.arrayContaining(['@correct', '@retry']))
    expect(labels(sample.replace('|? {', '|‸'))).toEqual(expect.arrayContaining(['|>', '|? { }']))
    expect(labels(sample.replace('You keep', 'You ‸'))).toEqual([])
    expect(labels('// ‸')).toEqual([])
  })

  it('goes to where a name is declared, and renames it everywhere at once', async () => {
    const at = sample.indexOf('Clerk.work("Go')
    const view = {
      state: stateOf(sample).update({ selection: { anchor: at + 2 } }).state,
      dispatch(spec: TransactionSpec) {
        this.state = this.state.update(spec).state
      },
    }
    expect(await renameName(view as unknown as EditorView, 'Scribe')).toBe(true)
    expect(view.state.doc.toString()).toBe(sample.replaceAll('Clerk', 'Scribe'))
    expect(await renameName(view as unknown as EditorView, 'not a name')).toBe(false)
    expect(await goToDefinition(view as unknown as EditorView)).toBe(true)
    const { from, to } = view.state.selection.main
    expect(view.state.doc.lineAt(from).text).toMatch(/^agent Scribe/)
    expect(view.state.sliceDoc(from, to)).toBe('Scribe')
  })

  it('says what a word means', () => {
    const at = (text: string, offset = 0) =>
      hoverText(syntaxTree(stateOf(sample)).resolveInner(sample.indexOf(text) + offset + 1, 0), sample)
    expect(at('AllowTools')?.text).toMatch(/glob/)
    expect(at('Workspace')?.title).toBe('Workspace')
    expect(at('temp')?.text).toBe('Temperature.')
    expect(at('Clerk.work("Go')?.title).toBe('agent Clerk')
    expect(at('System.Log', 7)?.title).toContain('System.Log')
  })
})
