import { describe, expect, test } from 'vitest'
import { Transcript } from '../../src/lib/app/run/transcript.svelte.ts'
import { mainArgument, resultChip, testCount, testWords } from '../../src/lib/app/run/call-summary.ts'
import { treeRows } from '../../src/lib/app/files/tree.ts'
import { resolvePath } from '../../src/lib/app/project/paths.ts'
import { dollars, duration } from '../../src/lib/app/text/format.ts'
import type { HaloEvent } from '../../src/lib/halo/run/types.ts'

type Told = HaloEvent extends infer E ? (E extends HaloEvent ? Omit<E, 'runId' | 'time'> : never) : never
const told = (...events: Told[]): HaloEvent[] => events.map((event, at) => ({ ...event, runId: 'r', time: at }) as HaloEvent)

/** A fixer that reads, is refused, edits, and ends. */
const story = told(
  { type: 'run_start', path: '', pipeline: 'Fix', args: { folder: './app' }, resumed: false },
  { type: 'stage_start', path: '1', stage: 'Call', target: 'Fixer.fix' },
  { type: 'llm_start', path: '1/step:1', agent: 'Fixer', task: 'fix', model: 'anthropic/claude-sonnet-4-5', step: 1, tools: [] },
  { type: 'llm_delta', path: '1/step:1', agent: 'Fixer', text: 'I look ' },
  { type: 'llm_delta', path: '1/step:1', agent: 'Fixer', text: 'first.' },
  { type: 'llm', path: '1/step:1', agent: 'Fixer', task: 'fix', model: 'anthropic/claude-sonnet-4-5', step: 1, text: 'I look first.', toolCalls: [], cost: 0.002, ms: 10, stop: 'tool_calls' },
  { type: 'tool', path: '1/step:1/call:0', target: 'Code.read', args: { path: 'a.js' }, result: { lines: 3 }, effect: 'read', agent: 'Fixer', ms: 2 },
  { type: 'agent_tool', path: '1/step:1/call:0', agent: 'Fixer', target: 'Code.read', callId: 'c', args: { path: 'a.js' }, decision: 'allowed' },
  { type: 'agent_tool', path: '1/step:1/call:1', agent: 'Fixer', target: 'Code.write', callId: 'd', args: { path: 'a.test.js' }, decision: 'refused', detail: 'DenyArgs' },
  { type: 'stage_end', path: '1', stage: 'Call', target: 'Fixer.fix', ms: 40 },
  { type: 'run_end', path: '', status: 'completed', output: 'done', ms: 41, cost: 0.002 },
)

describe('the transcript', () => {
  test('a run reads as stages with what was said and called in them', () => {
    const transcript = new Transcript()
    for (const event of story) transcript.apply(event)
    const [stage] = transcript.stages
    expect(stage).toMatchObject({ number: '1', target: 'Fixer.fix', requests: 1, ms: 40, done: true })
    expect(stage?.rows.map((row) => (row.kind === 'call' ? `${row.target} ${row.state}` : row.kind === 'say' ? row.text : row.kind))).toEqual([
      'I look first.', 'Code.read ok', 'Code.write refused',
    ])
    expect(transcript).toMatchObject({ modelCalls: 1, toolCalls: 1, cost: 0.002 })
    expect(transcript.ending).toMatchObject({ status: 'completed', output: 'done' })
  })
  test('events told again after a run was taken up add nothing', () => {
    const transcript = new Transcript()
    for (const event of [...story, ...story]) transcript.apply(event)
    expect(transcript.stages).toHaveLength(1)
    expect(transcript.stages[0]?.rows).toHaveLength(3)
    expect(transcript).toMatchObject({ modelCalls: 1, toolCalls: 1, cost: 0.002 })
  })
  test('what a called pipeline does stands under its own stages', () => {
    const transcript = new Transcript()
    const inner = '1/step:2/call:0>Other.1'
    for (const event of told(
      { type: 'stage_start', path: '1', stage: 'Call', target: 'A.x' },
      { type: 'stage_start', path: inner, stage: 'Call', target: 'B.y' },
      { type: 'llm_delta', path: `${inner}/step:1`, agent: 'B', text: 'inside' },
      { type: 'llm_delta', path: '1/step:3', agent: 'A', text: 'outside' },
    )) transcript.apply(event)
    expect(transcript.stages.map((stage) => [stage.number, stage.rows.length])).toEqual([['1', 1], ['1.1', 1]])
  })
  test('parallel branches keep their rows apart', () => {
    const transcript = new Transcript()
    for (const path of ['2a', '2b', '2a', '2b']) {
      for (const event of told({ type: 'llm_delta', path: `${path}/step:1`, agent: path, text: 'x' })) transcript.apply(event)
    }
    expect(transcript.stages.map((stage) => stage.rows.map((row) => row.kind === 'say' && row.text))).toEqual([['xx'], ['xx']])
  })
})

describe('what came of a call', () => {
  test('the counts of node, bun and Vitest are read from their own output', () => {
    expect(testCount('# tests 3\n# suites 0\n# pass 1\n# fail 2\n')).toEqual({ passed: 1, failed: 2 })
    expect(testCount('ℹ pass 4\nℹ fail 0\n')).toEqual({ passed: 4, failed: 0 })
    expect(testCount(' 1 pass\n 2 fail\nRan 3 tests across 1 file.')).toEqual({ passed: 1, failed: 2 })
    expect(testCount('      Tests  2 failed | 5 passed (7)')).toEqual({ passed: 5, failed: 2 })
    expect(testCount('no tests here')).toBeUndefined()
    expect(testWords({ passed: 1, failed: 2 })).toBe('2 failed, 1 passed')
    expect(testWords({ passed: 0, failed: 0 })).toBe('0 passed')
  })
  test('a shell result without tests shows its exit code', () => {
    expect(resultChip({ exitCode: 3, stdout: '', stderr: '' })).toEqual({ text: 'exit 3', tone: 'bad' })
    expect(mainArgument({ old_string: 'x', path: 'a.ts' })).toBe('a.ts')
  })
})

test('the tree puts folders first, keeps closed ones shut and carries the marks', () => {
  const rows = treeRows(['/app/src/a.ts', '/app/b.md', '/c.md'], new Set(['/app/src']), new Map([['/c.md', 'A']]))
  expect(rows.map((row) => `${'.'.repeat(row.depth)}${row.name}${row.mark ?? ''}`)).toEqual(['app', '.src', '.b.md', 'c.mdA'])
})
test('imports are found from the file they stand in and stay in the project', () => {
  expect(resolvePath('./b.halo', 'a/main.halo')).toBe('a/b.halo')
  expect(resolvePath('../c.halo', 'a/main.halo')).toBe('c.halo')
  expect(resolvePath('../../c.halo', 'a/main.halo')).toBeUndefined()
})
test('times and costs are short and exact', () => {
  expect([duration(834), duration(4100), duration(61_000), dollars(0.0093), dollars(0), dollars(1.5)]).toEqual(['834 ms', '4.1 s', '1 min 1 s', '$0.0093', '$0.00', '$1.50'])
})
