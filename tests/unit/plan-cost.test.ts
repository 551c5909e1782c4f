import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { plan, type PipelinePlan } from '../../src/lib/halo/plan/index.ts'
import { cents } from '../../src/lib/halo/plan/text.ts'
import { parse } from '../../src/lib/halo/syntax/index.ts'

const prices = { 'openai/gpt-4o': { input: 5, output: 15 }, 'openai/mini': { input: 1, output: 2 } }

function planOf(source: string): PipelinePlan {
  const { pipelines } = plan(parse(source), { prices })
  const last = pipelines.at(-1)
  if (last === undefined) throw new Error('no pipeline')
  return last
}
const costOf = (source: string): number | undefined => planOf(source).summary.cost

/** A program whose one agent call is written with these parts. */
function program({ options = '', system = '', args = '', after = '', body }: { options?: string; system?: string; args?: string; after?: string; body?: string }): string {
  return `
tool Files : Workspace(".", write: true)
agent A [openai/gpt-4o${options}]${system === '' ? '' : `\n  system ${JSON.stringify(system)}`}
  equips Files
pipeline P(x: String): ${body ?? `x |> A.go(${args})${after}`}`
}

/** The formula, request by request: each has what is written, 2,000 tokens and every reply before it. */
function byHand({ chars = 0, requests = 1, maxTokens = 4096, input = 5, output = 15 }): number {
  let dollars = 0
  for (let request = 0; request < requests; request++) {
    const tokens = Math.ceil(chars / 4) + 2000 + request * maxTokens
    dollars += (tokens * input + maxTokens * output) / 1_000_000
  }
  return dollars
}

describe('the worst-case cost of an agent call', () => {
  test('is $1.3802 for no text, 8 steps and tools at $5 and $15', () => {
    const cost = costOf(program({ options: ', max_steps: 8', args: 'tools: [Files]' }))
    expect(cost).toBeCloseTo(1.38024, 10)
    expect(cents(cost ?? 0)).toBe('$1.3802')
  })

  test('is one request without tools: (2,000 × 5 + 4,096 × 15) / 1,000,000', () => {
    expect(costOf(program({}))).toBeCloseTo(0.07144, 10)
  })

  test('follows the formula for any size', () => {
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 8192 }), fc.nat(5000), fc.nat(5000), fc.boolean(), fc.nat(3), fc.nat(3), (steps, maxTokens, prompt, system, tools, correct, retry) => {
        const source = program({
          options: `, max_steps: ${steps}, max_tokens: ${maxTokens}`,
          system: 's'.repeat(system),
          args: `${JSON.stringify('p'.repeat(prompt))}, x, tools: ${tools ? '[Files]' : 'none'}`,
          after: `${correct > 0 ? ` @correct(${correct})` : ''}${retry > 0 ? ` @retry(${retry})` : ''}`,
        })
        const requests = (correct + 1) * (tools ? steps + 1 : 1)
        expect(costOf(source)).toBeCloseTo(byHand({ chars: prompt + system, requests, maxTokens }) * (retry + 1), 8)
      }),
      { numRuns: 200 },
    )
  })

  test('takes the numbers of the call before those of the agent', () => {
    expect(costOf(program({ options: ', max_steps: 8, max_tokens: 100', args: 'tools: auto, max_steps: 2, max_tokens: 50' }))).toBeCloseTo(byHand({ requests: 3, maxTokens: 50 }), 10)
  })

  test('offers what the agent says where the call says nothing, and nothing when the call says none', () => {
    expect(costOf(program({ options: ', tools: auto' }))).toBeCloseTo(byHand({ requests: 11 }), 10)
    expect(costOf(program({ options: ', tools: auto', args: 'tools: none' }))).toBeCloseTo(byHand({}), 10)
  })

  test('counts one request when policy hides every method', () => {
    const source = `policy None : DenyTools("Files.*")\n${program({ args: 'tools: [Files]' }).replace('equips Files', 'equips Files\n  requires None')}`
    expect(costOf(source)).toBeCloseTo(byHand({}), 10)
  })

  test('adds the same requests at the price of a shadow', () => {
    expect(costOf(program({ args: 'tools: [Files]', after: ' @shadow(openai/mini) @retry(1)' }))).toBeCloseTo(2 * (byHand({ requests: 11 }) + byHand({ requests: 11, input: 1, output: 2 })), 10)
  })

  test('counts written text wherever it stands in a prompt, and its braces as written', () => {
    expect(costOf(program({ args: `"${'a'.repeat(4000)} {{x}}", extra: ["${'b'.repeat(4000)}"]` }))).toBeCloseTo(byHand({ chars: 8006 }), 10)
  })
})

describe('how often a stage runs', () => {
  const once = byHand({})
  const times = (body: string): { cost?: number; stages: [string, number | undefined][] } => {
    const { stages, summary } = planOf(program({ body }))
    return { cost: summary.cost, stages: stages.filter(({ kind }) => kind === 'agent').map(({ number, times: { max } }) => [number, max]) }
  }

  test('in a loop is its max, 3 when none is given', () => {
    expect(times('x |> A.a() |> A.b() |<> loop(A, "input == 1", max: 4)')).toEqual({ cost: expect.closeTo(5 * once, 10) as number, stages: [['1', 1], ['2', 4]] })
    expect(times('x |> A.a() |<> loop(A, while: input == 1)').stages).toEqual([['1', 3]])
  })

  test('in loops in loops is their product', () => {
    const source = `
agent A [openai/gpt-4o]
agent B [openai/gpt-4o]
pipeline P(x: String): x |> A.a() |> B.b() |<> loop(B, "input == 1", max: 2) |> B.c() |<> loop(A, "input == 2", max: 5)`
    expect(planOf(source).stages.filter(({ agent }) => agent).map(({ target, times: { max } }) => [target, max])).toEqual([['A.a', 5], ['B.b', 10], ['B.c', 5]])
  })

  test('in loops that overlap counts the loop inside anew', () => {
    const source = `
agent A [openai/gpt-4o]
agent B [openai/gpt-4o]
pipeline P(x: String): x |> A.a() |> B.b() |<> loop(A, "input == 1", max: 2) |> B.c() |<> loop(B, "input == 2", max: 3) |<> loop(A, "input == 3", max: 5)`
    // The last two go back to B.c and A.a.
    expect(planOf(source).stages.filter(({ agent }) => agent).map(({ target, times: { max } }) => [target, max])).toEqual([['A.a', 10], ['B.b', 10], ['B.c', 15]])
  })

  test('with prompt caching, pays in full only for what is new in a request', () => {
    const source = 'tool Files : Workspace()\nagent A [openai/gpt-4o, max_steps: 2, max_tokens: 100]\n  equips Files\npipeline P: |> A.a("four", tools: [Files])'
    const prices = { 'openai/gpt-4o': { input: 5, output: 15, cacheRead: 0.5, cacheWrite: 6 } }
    const { cost = 0, cached = 0 } = plan(parse(source), { prices }).pipelines[0]?.summary ?? {}
    // Three requests of 2,001 tokens and the replies before: 2,001 + 100 + 100 are new, 2,001 + 100 and 2,001 are read again.
    expect(cached).toBeCloseTo((2201 * 6 + 4102 * 0.5 + 300 * 15) / 1e6, 12)
    expect(cost).toBeCloseTo((6303 * 5 + 300 * 15) / 1e6, 12)
    // Without prices of a cache nothing is cheaper.
    const plain = plan(parse(source), { prices: { 'openai/gpt-4o': { input: 5, output: 15 } } }).pipelines[0]?.summary
    expect(plain?.cached).toBeCloseTo(plain?.cost ?? 0, 12)
  })

  test('in each is not bounded, but by max: or by a list that is written out', () => {
    expect(times('[x] |> System.Value(x) |* each A.a()')).toEqual({ stages: [['2', undefined]] })
    expect(times('x |* each(max: 7) { A.a() |> A.b() }')).toEqual({ cost: expect.closeTo(14 * once, 10) as number, stages: [['1.1', 7], ['1.2', 7]] })
    expect(times('["a", "b", "c"] |* each A.a()').stages).toEqual([['1', 3]])
    expect(times('x |> System.Value([1, 2]) |* each A.a() |* each(max: 9) A.b()').stages).toEqual([['2', 2], ['3', 2]])
    expect(times('["a", "b"] |> A.a() |* each A.b()').stages).toEqual([['1', 1], ['2', undefined]])
  })

  test('counts every branch and every arm', () => {
    expect(times('x |* { A.a(), A.b() |> A.c() } |? { "input == 1" => A.d(), else => A.e() |> A.f() }')).toEqual({
      cost: expect.closeTo(6 * once, 10) as number,
      stages: [['1a', 1], ['1b.1', 1], ['1b.2', 1], ['2?1', 1], ['2?2.1', 1], ['2?2.2', 1]],
    })
  })

  test('goes on into called pipelines', () => {
    const source = `
agent A [openai/gpt-4o]
pipeline Inner(y: String): y |> A.b() |* each(max: 2) A.c()
pipeline P(x: String): x |> A.a() |> Inner() |<> loop(A, "input == 1", max: 3)`
    const { stages, summary } = planOf(source)
    expect(stages.map(({ number, path, target, times: { max } }) => [number, path, target, max])).toEqual([
      ['1', '1', 'A.a', 3],
      ['2', '2', 'Inner', 3],
      ['2.1', '2>Inner.1', 'A.b', 3],
      ['2.2', '2>Inner.2[*]', 'A.c', 6],
      ['3', '3', 'loop', 1],
    ])
    expect(summary.cost).toBeCloseTo(12 * once, 10)
  })

  test('is not known for a pipeline that an agent may call, unless MaxCalls says', () => {
    const source = (policy: string): string => `
policy Few : MaxCalls("Sub.run", 4)
agent A [openai/gpt-4o, max_steps: 2]
  equips Sub
  ${policy}
agent B [openai/gpt-4o]
tool Sub : Pipeline(Inner, description: "Looks things up.")
pipeline Inner(y: String): y |> B.b()
pipeline P(x: String): x |> A.a(tools: [Sub])`
    const open = planOf(source(''))
    expect(open.stages.map(({ number, path, times: { max } }) => [number, path, max])).toEqual([['1', '1', 1], ['1.1', '1/step:*/call:*>Inner.1', undefined]])
    expect(open.summary).toMatchObject({ unbounded: ['1.1'] })
    expect(open.summary.cost).toBeUndefined()
    // 8 calls in each of 2 steps, and of the last request none.
    expect(open.summary.bound).toBeGreaterThan(byHand({ requests: 3 }) + 16 * once)
    expect(planOf(source('requires Few')).summary.cost).toBeCloseTo(byHand({ requests: 3 }) + 4 * once, 10)
  })
})

describe('the second figure', () => {
  test('adds tool results, and is never below the first', () => {
    fc.assert(
      fc.property(fc.nat(30), fc.integer({ min: 1, max: 8192 }), fc.integer({ min: 1, max: 50_000 }), fc.nat(3), fc.string({ maxLength: 200 }), (steps, maxTokens, chars, correct, text) => {
        const source = program({ options: `, max_steps: ${steps}, max_tokens: ${maxTokens}, tool_result_chars: ${chars}`, args: `${JSON.stringify(text.replaceAll('{', ''))}, tools: [Files]`, after: ` @correct(${correct})` })
        const { cost = 0, bound = 0 } = planOf(source).summary
        // Of r requests each has the results of all steps before it: 8 a step.
        const r = (correct + 1) * (steps + 1)
        const results = (8 * chars * (r * (r - 1)) / 2) * 5e-6
        expect(bound).toBeGreaterThanOrEqual(cost + results)
      }),
      { numRuns: 100 },
    )
  })
  test('takes the dearest tier and the price of cache writes', () => {
    const file = parse(program({}))
    const bound = (price: object): number => plan(file, { prices: { 'openai/gpt-4o': { input: 5, output: 15, ...price } } }).pipelines[0]?.summary.bound ?? 0
    const plain = bound({})
    expect(bound({ cacheWrite: 10 })).toBeGreaterThan(plain + 2000 * 4.9e-6)
    expect(bound({ tiers: [{ above: 1000, input: 5, output: 150 }] })).toBeGreaterThan(plain + 4096 * 134e-6)
  })
  test('counts what stores add', () => {
    const source = (equips: string): string => `
store Notes : File("notes.md", max_chars: 10000)
agent A [openai/gpt-4o]
  ${equips}
pipeline P(x: String): x |> A.a()`
    expect((planOf(source('equips Notes')).summary.bound ?? 0) - (planOf(source('')).summary.bound ?? 0)).toBeGreaterThanOrEqual(10_000 * 5e-6)
    expect(planOf(source('equips Notes')).summary.cost).toBe(planOf(source('')).summary.cost)
  })
})

describe('prices', () => {
  test('that are not known are said, and the model is left out', () => {
    const source = `
agent A [openai/gpt-4o]
agent B [openai-compatible/none-such]
pipeline P(x: String): x |> A.a() |> B.b()`
    expect(planOf(source).summary).toMatchObject({ cost: expect.closeTo(byHand({}), 10) as number, unpriced: ['openai-compatible/none-such'] })
  })
  test('are nothing for models on one\'s own machine', () => {
    for (const model of ['mock/x', 'ollama/llama3', 'browser/x']) {
      expect(planOf(`agent A [${model}]\npipeline P(x: String): x |* each A.a()`).summary).toMatchObject({ cost: 0, bound: 0, unpriced: [], unbounded: [] })
    }
  })
  test('are rounded to the nearest of four decimals', () => {
    expect([0.00005, 0.00004999, 1.38024, 1.00005, 12].map(cents)).toEqual(['$0.0001', '$0.0000', '$1.3802', '$1.0001', '$12.0000'])
  })
})
