import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { compose, inOrder, ORDER, type Middleware } from '../../src/lib/halo/tools/middleware/compose.ts'
import { withIdempotency } from '../../src/lib/halo/tools/middleware/idempotency.ts'
import { withLogging, type CallLog } from '../../src/lib/halo/tools/middleware/logging.ts'
import { checkedResult, withResultSchema } from '../../src/lib/halo/tools/middleware/result-schema.ts'
import { withRetry } from '../../src/lib/halo/tools/middleware/retry.ts'
import { withTimeout } from '../../src/lib/halo/tools/middleware/time.ts'
import { TransientError } from '../../src/lib/halo/tools/types.ts'
import { testTool, toolContext } from './middleware-kit.ts'

const schema = Type.Object({ id: Type.String(), total: Type.Number(), kind: Type.Union([Type.Literal('a'), Type.Literal('b')]) })

describe('a result schema', () => {
  test('passes what fits, and reads a text as JSON for it', () => {
    const value = { id: 'x', total: 1, kind: 'a' }
    expect(checkedResult(value, schema, 'Shop.order')).toBe(value)
    expect(checkedResult(JSON.stringify(value), schema, 'Shop.order')).toEqual(value)
    expect(checkedResult('text', Type.String(), 'Shop.order')).toBe('text')
    expect(checkedResult('"12"', Type.String(), 'Shop.order')).toBe('"12"')
  })
  test('names each fault', () => {
    const call = (): unknown => checkedResult({ total: '1', kind: 'c' }, schema, 'Shop.order')
    expect(call).toThrow(/Shop\.order/)
    for (const field of ['id', 'total', 'kind']) expect(call).toThrow(new RegExp(field))
    expect(call).toThrow(expect.objectContaining({ code: 'TOOL_ERROR' }))
  })
  test('is checked on the last of several partial results only', async () => {
    const tool = withResultSchema(Type.Number())(
      testTool({
        async *execute() {
          yield 'working'
          yield 3
        },
      }),
    )
    expect(await tool.execute({}, toolContext())).toBe(3)
  })
})

describe('composed middleware', () => {
  test('runs in the fixed order, however it is given', async () => {
    const seen: string[] = []
    const layers = ORDER.map((layer): Middleware => inOrder(layer, (tool) => ({ ...tool, execute: (args, context) => (seen.push(layer), tool.execute(args, context)) })))
    for (const order of [layers, [...layers].reverse(), [layers[3], layers[0], layers[6], layers[1], layers[5], layers[2], layers[4]]]) {
      seen.length = 0
      await compose(...order.filter((layer) => layer !== undefined))(testTool({})).execute({}, toolContext())
      expect(seen).toEqual(['logging', 'policy', 'approval', 'idempotency', 'retry', 'timeout', 'result'])
    }
  })

  test("puts one's own between logging and approval, and keeps the order of equals", async () => {
    const seen: string[] = []
    const own = (name: string, layer?: 'logging' | 'approval'): Middleware => {
      const wrap: Middleware = (tool) => ({ ...tool, execute: (args, context) => (seen.push(name), tool.execute(args, context)) })
      return layer === undefined ? wrap : inOrder(layer, wrap)
    }
    await compose(own('approval', 'approval'), own('mine'), own('also mine'), own('logging', 'logging'))(testTool({})).execute({}, toolContext())
    expect(seen).toEqual(['logging', 'mine', 'also mine', 'approval'])
  })

  test('keeps a name, a description and a schema for the model', () => {
    const tool = testTool({ categories: ['payment'] })
    const wrapped = compose(withLogging(), withRetry({ attempts: 1 }), withTimeout(10), withIdempotency(), withResultSchema({}))(tool)
    expect({ ...wrapped, execute: undefined }).toEqual({ ...tool, execute: undefined })
  })

  test('retries inside one shared execution, checks the result inside a retry, and logs one call', async () => {
    const log: CallLog[] = []
    let calls = 0
    const tool = compose(
      withResultSchema(Type.Number()),
      withRetry({ attempts: 3, baseMs: 0 }),
      withIdempotency(),
      withLogging((entry) => log.push(entry)),
    )(
      testTool({
        execute: async () => {
          if (++calls === 1) throw new TransientError('busy')
          return calls
        },
      }),
    )
    const context = toolContext()
    expect(await Promise.all([tool.execute({}, context), tool.execute({}, context)])).toEqual([2, 2])
    expect(calls).toBe(2)
    expect(log.map(({ phase }) => phase)).toEqual(['start', 'start', 'end', 'end'])
  })
})

describe('logging', () => {
  test('tells of the start, the end with result and time, and the error', async () => {
    let time = 0
    const log: CallLog[] = []
    const logged = withLogging((entry) => log.push(entry), () => (time += 5))
    await logged(testTool({ execute: () => 'x' })).execute({ a: 1 }, toolContext())
    await expect(logged(testTool({ execute: () => Promise.reject(new Error('broken')) })).execute({}, toolContext())).rejects.toThrow('broken')
    expect(log).toMatchObject([
      { tool: 'probe', phase: 'start', args: { a: 1 }, callId: 'call-1' },
      { phase: 'end', result: 'x', ms: 5 },
      { phase: 'start' },
      { phase: 'error', error: 'broken', ms: 5 },
    ])
  })
  test('without a log of its own writes no arguments and no results', async () => {
    const lines: string[] = []
    await withLogging()(testTool({ execute: () => 'secret result' })).execute({ token: 'secret' }, toolContext({ log: (line) => lines.push(line) }))
    expect(lines).toHaveLength(2)
    expect(lines.join()).not.toContain('secret')
  })
  test('that throws changes nothing', async () => {
    const tool = withLogging(() => {
      throw new Error('log is full')
    })(testTool({ execute: () => 1 }))
    expect(await tool.execute({}, toolContext())).toBe(1)
  })
})
