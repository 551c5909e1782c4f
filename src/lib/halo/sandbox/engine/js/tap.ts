/** Results of node:test as Node 20 prints them: TAP, or its `spec` reporter. */
export interface TestNode {
  name: string
  type: 'test' | 'suite'
  ok: boolean
  ms: number
  skip?: boolean | string
  todo?: boolean | string
  cancelled?: boolean
  location?: { file: string; line: number; column: number } | null
  children: TestNode[]
  diagnostics: string[]
  error?: TestFailure
}
export interface TestFailure {
  failureType: string
  message: string
  code: string
  name?: string
  stack: string[]
  inspected?: string
  assertion?: boolean
  operator?: string
  expected?: PlainValue
  actual?: PlainValue
  exitCode?: number
}
/** A value as YAML shows it: nothing there, words, a primitive, or an object's entries. */
type PlainValue = { u: 1 } | { s: string } | { v: unknown } | { o: [string, PlainValue][] }

export interface Totals {
  tests: number
  suites: number
  pass: number
  fail: number
  cancelled: number
  skipped: number
  todo: number
}

export function totalsOf(nodes: readonly TestNode[]): Totals {
  const totals: Totals = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 }
  const visit = (node: TestNode) => {
    node.children.forEach(visit)
    if (node.type === 'suite') {
      totals.suites++
      return
    }
    totals.tests++
    if (node.skip) totals.skipped++
    else if (node.todo) totals.todo++
    else if (node.cancelled) totals.cancelled++
    else if (node.ok) totals.pass++
    else totals.fail++
  }
  nodes.forEach(visit)
  return totals
}

/** Whether Node's exit code would be 1. */
export function anyFailed(nodes: readonly TestNode[]): boolean {
  return nodes.some((node) => !node.ok && !node.todo)
}

export type Item = { test: TestNode } | { comment: string }

export function tap(items: readonly Item[], ms: number): string {
  const lines = ['TAP version 13']
  let number = 0
  for (const item of items) {
    if ('comment' in item) lines.push(item.comment.replace(/^/gm, '# '))
    else tapNode(item.test, ++number, '', lines)
  }
  const totals = totalsOf(items.flatMap((item) => ('test' in item ? [item.test] : [])))
  lines.push(`1..${number}`, ...summary(totals, ms).map((line) => `# ${line}`))
  return lines.join('\n') + '\n'
}

function summary(totals: Totals, ms: number): string[] {
  return [...Object.entries(totals).map(([name, count]) => `${name} ${count}`), `duration_ms ${round(ms)}`]
}

function tapNode(node: TestNode, number: number, indent: string, lines: string[]): void {
  lines.push(`${indent}# Subtest: ${node.name}`)
  node.children.forEach((child, i) => tapNode(child, i + 1, `${indent}    `, lines))
  if (node.children.length > 0) lines.push(`${indent}    1..${node.children.length}`)
  const directive = node.skip ? ` # SKIP${reason(node.skip)}` : node.todo ? ` # TODO${reason(node.todo)}` : ''
  lines.push(`${indent}${node.ok ? 'ok' : 'not ok'} ${number} - ${node.name.replace(/[\\#]/g, '\\$&')}${directive}`)
  const yaml = ['---', `duration_ms: ${round(node.ms)}`]
  if (node.type === 'suite') yaml.push(`type: 'suite'`)
  if (node.error) {
    if (node.location) yaml.push(`location: '${node.location.file}:${node.location.line}:${node.location.column}'`)
    yaml.push(`failureType: '${node.error.failureType}'`)
    if (node.error.exitCode !== undefined) yaml.push(`exitCode: ${node.error.exitCode}`, 'signal: ~')
    yaml.push(...scalar('error', node.error.message), `code: '${node.error.code}'`)
    if (node.error.name && node.error.name !== 'Error') yaml.push(`name: '${node.error.name}'`)
    if (node.error.assertion) {
      yaml.push(...plain('expected', node.error.expected), ...plain('actual', node.error.actual))
      if (node.error.operator) yaml.push(`operator: '${node.error.operator}'`)
    }
    if (node.error.stack.length > 0) yaml.push('stack: |-', ...node.error.stack.map((line) => `  ${line}`))
  }
  yaml.push('...')
  lines.push(...yaml.map((line) => `${indent}  ${line}`), ...node.diagnostics.map((text) => `${indent}# ${text}`))
}

function scalar(key: string, text: string): string[] {
  return text.includes('\n') ? [`${key}: |-`, ...text.split('\n').map((line) => `  ${line}`)] : [`${key}: '${text.replace(/'/g, "''")}'`]
}

function plain(key: string, value: PlainValue | undefined): string[] {
  if (value === undefined || 'u' in value) return [`${key}: ~`]
  if ('s' in value) return scalar(key, value.s)
  if ('o' in value) return value.o.length === 0 ? [`${key}:`] : [`${key}:`, ...value.o.flatMap(([k, v]) => plain(k, v)).map((line) => `  ${line}`)]
  return typeof value.v === 'string' ? scalar(key, value.v) : [`${key}: ${value.v === null ? '~' : String(value.v)}`]
}

const reason = (directive: boolean | string) => (typeof directive === 'string' ? ` ${directive}` : '')
const round = (ms: number) => Math.round(ms * 1e6) / 1e6

export function spec(items: readonly Item[], ms: number): string {
  const lines: string[] = []
  const failed: TestNode[] = []
  const visit = (node: TestNode, indent: string) => {
    if (!node.ok && !node.todo && node.error?.failureType !== 'subtestsFailed') failed.push(node)
    const mark = node.skip ? '﹣' : node.ok || node.todo ? '✔' : '✖'
    const directive = node.skip ? ` # ${typeof node.skip === 'string' ? node.skip : 'SKIP'}` : node.todo ? ` # ${typeof node.todo === 'string' ? node.todo : 'TODO'}` : ''
    const own = `${node.name} (${round(node.ms)}ms)${directive}`
    if (node.children.length > 0) {
      lines.push(`${indent}▶ ${node.name}`)
      node.children.forEach((child) => visit(child, `${indent}  `))
      lines.push(`${indent}▶ ${own}`, '')
    } else {
      lines.push(`${indent}${mark} ${own}`)
      if (!node.ok && node.error) lines.push(...shownError(node.error, `${indent}  `), '')
    }
    lines.push(...node.diagnostics.map((text) => `${indent}ℹ ${text}`))
  }
  for (const item of items) {
    if ('comment' in item) lines.push(item.comment)
    else visit(item.test, '')
  }
  const totals = totalsOf(items.flatMap((item) => ('test' in item ? [item.test] : [])))
  lines.push(...summary(totals, ms).map((line) => `ℹ ${line}`))
  if (failed.length > 0) {
    lines.push('', '✖ failing tests:')
    for (const node of failed) {
      lines.push('', ...(node.location ? [`test at ${node.location.file}:${node.location.line}:${node.location.column}`] : []), `✖ ${node.name} (${round(node.ms)}ms)`)
      if (node.error) lines.push(...shownError(node.error, '  '))
    }
  }
  return lines.join('\n') + '\n'
}

function shownError(error: TestFailure, indent: string): string[] {
  return (error.inspected ?? `'${error.message}'`).split('\n').map((line) => indent + line)
}
