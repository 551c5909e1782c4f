import { count, oneLine } from '../text/format.ts'

/** The one argument a reader wants to see of a call, on one line. */
export function mainArgument(args: Record<string, unknown>): string {
  for (const name of ['path', 'command', 'url', 'pattern', 'query', 'file', 'expression', 'text']) {
    if (typeof args[name] === 'string') return oneLine(args[name])
  }
  const values = Object.values(args)
  const first = values.find((value) => typeof value === 'string') ?? values[0]
  if (first === undefined) return ''
  return oneLine(typeof first === 'string' ? first : JSON.stringify(first))
}

export interface TestCount {
  passed: number
  failed: number
}

/** The counts that a test runner printed (node:test's TAP and spec forms, bun, Jest and Vitest); undefined where there are none. */
export function testCount(output: string): TestCount | undefined {
  const text = output.replace(/\u001B\[[0-9;]*m/g, '')
  const number = (pattern: RegExp): number | undefined => {
    const found = [...text.matchAll(pattern)].at(-1)?.[1]
    return found === undefined ? undefined : Number(found)
  }
  const node = number(/^(?:#|ℹ) pass (\d+)$/gm)
  const nodeFailed = number(/^(?:#|ℹ) fail (\d+)$/gm)
  if (node !== undefined || nodeFailed !== undefined) return { passed: node ?? 0, failed: nodeFailed ?? 0 }
  const bun = number(/^\s*(\d+) pass$/gm)
  const bunFailed = number(/^\s*(\d+) fail$/gm)
  if (bun !== undefined || bunFailed !== undefined) return { passed: bun ?? 0, failed: bunFailed ?? 0 }
  const line = [...text.matchAll(/^\s*Tests:?\s+(.*(?:passed|failed).*)$/gm)].at(-1)?.[1]
  if (line === undefined) return undefined
  return { passed: Number(/(\d+) passed/.exec(line)?.[1] ?? 0), failed: Number(/(\d+) failed/.exec(line)?.[1] ?? 0) }
}
export function testWords({ passed, failed }: TestCount): string {
  return [failed > 0 ? `${failed} failed` : '', passed > 0 || failed === 0 ? `${passed} passed` : ''].filter(Boolean).join(', ')
}

export interface CallChip {
  text: string
  tone: '' | 'ok' | 'bad' | 'warn'
}

/** What came of a call, in two or three words. */
export function resultChip(result: unknown): CallChip | undefined {
  if (typeof result === 'string') return { text: count(result.length, 'character'), tone: '' }
  if (typeof result !== 'object' || result === null) return undefined
  if (Array.isArray(result)) return { text: count(result.length, 'item'), tone: '' }
  const fields = result as Record<string, unknown>
  if (typeof fields.exitCode === 'number') {
    const tests = testCount(`${String(fields.stdout ?? '')}\n${String(fields.stderr ?? '')}`)
    if (tests) return { text: testWords(tests), tone: tests.failed > 0 ? 'bad' : 'ok' }
    return { text: `exit ${fields.exitCode}`, tone: fields.exitCode === 0 ? '' : 'bad' }
  }
  if (typeof fields.lines === 'number') return { text: count(fields.lines, 'line'), tone: '' }
  for (const name of ['entries', 'matches', 'files', 'paths', 'rows', 'results']) {
    if (Array.isArray(fields[name])) return { text: count(fields[name].length, name === 'entries' ? 'entry' : name.slice(0, -1), name), tone: '' }
  }
  return undefined
}
