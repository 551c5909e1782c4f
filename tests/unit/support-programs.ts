/** Programs made at random, with a world for them: what property tests of the journal and the plan run. */
import fc from 'fast-check'
import type { MethodInfo, ProviderInfo, ToolContext } from '../../src/lib/halo/tools/types.ts'
import type { InterruptRequest, MockRequest } from '../../src/lib/halo/run/types.ts'
import { useTool } from '../../src/lib/halo/run/mocks.ts'

const parameters = { type: 'object', properties: { value: {}, input: {} }, additionalProperties: false } as unknown as MethodInfo['parameters']

/** Three methods, one of each effect, and one that throws for a third of what it is given. */
export const WORLD_INFO: ProviderInfo = {
  look: { description: 'Looks.', parameters, effect: 'read' },
  put: { description: 'Writes.', parameters, effect: 'write' },
  send: { description: 'Sends.', parameters, effect: 'external' },
  fail: { description: 'Fails at times.', parameters, effect: 'write' },
}

/** A number from 0 to 2³²-1 that depends on nothing but the text (FNV-1a). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** What the world does for a call: depends on the call alone. */
export function worldAnswer(method: string, args: Record<string, unknown>): unknown {
  const hash = hashOf(JSON.stringify([method, args]))
  if (method === 'fail' && hash % 3 === 0) throw new Error(`no luck with ${hash % 100}`)
  return hash % 4 === 0 ? { n: hash % 10, list: [hash % 3, hash % 5] } : hash % 4 === 1 ? [hash % 7, 'x'] : `r${hash % 1000}`
}

/** What a model says: now and then it asks for up to three calls, unknown ones and forbidden ones among them. */
export function modelAnswer(request: MockRequest): unknown {
  const said = JSON.stringify(request.messages)
  const hash = hashOf(said)
  if (request.tools.length === 0 || hash % 3 === 0) return hash % 5 === 0 ? { verdict: hash % 2 === 0, n: hash % 9 } : `a${hash % 1000}`
  const methods = ['look', 'put', 'send', 'fail', 'nothing']
  return Array.from({ length: 1 + (hash % 3) }, (_, i) => useTool(`World.${methods[(hash + i) % methods.length] ?? 'look'}`, { value: (hash + i) % 50 }))
}

/** What a person says, to whatever is asked. */
export function personAnswer(request: InterruptRequest): unknown {
  const hash = hashOf(JSON.stringify([request.channel, request.message, request.path]))
  if (request.channel === 'approval') return hash % 4 === 0 ? 'no, not that' : hash % 4 === 1 ? { approved: true, args: { value: `edited ${hash % 10}` } } : true
  if (request.channel === 'yield') return hash % 9 === 0 ? false : hash % 3 === 0 ? { approved: true, value: hash % 20 } : true
  return { event: hash % 10 }
}

/** `World`, as a provider whose calls are told to `onCall` before they happen. */
export function worldProvider(onCall: (context: ToolContext, method: string) => void | Promise<void>) {
  return () =>
    Object.fromEntries(
      Object.keys(WORLD_INFO).map((method) => [
        method,
        async (args: Record<string, unknown>, context: ToolContext) => {
          await onCall(context, method)
          return worldAnswer(method, args)
        },
      ]),
    )
}

const HEAD = `
policy Asks : ApproveEffects(write)
policy Strict : DenyTools("World.send") & ApproveTools("World.fail") & MaxCalls("World.look", 4)
tool World : TestWorld()
agent Worker [mock/worker, max_steps: 3]
  equips World
  requires Asks
agent Plain [mock/plain]
agent Bound [mock/bound, max_steps: 2, tools: auto]
  equips World
  requires Strict
`

const inner = fc.letrec<{ stage: string; stages: string; body: string }>((tie) => ({
  stage: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom(
      '|> Worker.work("Do it", tools: [World])',
      '|> Plain.think("Think")',
      '|> Bound.act()',
      '|> World.look(value: len(json(input)))',
      '|> World.put(value: "v")',
      '|> World.send(value: input)',
      '|> World.fail(value: json(input))',
      '|> System.Log("on {{input}}")',
      '|> System.Value([input, 1])',
      '|> System.Value(now())',
      '|! yield("Go on?")',
      '~> listen("bell")',
    ),
    tie('stages').map((stages) => `|* each(limit: 2) { System.Value(item) ${stages} }`).map((each) => `|> System.Value([1, "two", 3])\n    ${each}`),
    fc.tuple(tie('body'), tie('body')).map(([a, b]) => `|* { ${a} as left, ${b} as right }`),
    fc.tuple(tie('body'), tie('body')).map(([a, b]) => `|? { "len(json(input)) % 2 == 0" => ${a}, else => ${b} }`),
    tie('stages').map((stages) => `|> Plain.draft("Draft") ${stages} |<> loop(Plain, "len(json(input)) % 3 != 0", max: 3)`),
    fc.constant('|> Other(topic: input)'),
  ),
  stages: fc.array(tie('stage'), { minLength: 0, maxLength: 3, depthIdentifier: 'stages' }).map((stages) => stages.join('\n    ')),
  body: fc.tuple(fc.constantFrom('World.look()', 'World.put(value: 1)', 'Plain.side("Side")', 'Worker.side("Side", tools: [World])'), tie('stages')).map(([call, stages]) => `${call} ${stages}`),
}))

/** A program with a pipeline `Main(start: Any)`. */
export const programs: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(inner.stage, { minLength: 1, maxLength: 5 }),
    fc.array(inner.stage, { minLength: 1, maxLength: 2 }).map((stages) => stages.filter((stage) => !stage.includes('Other('))),
    fc.constantFrom('', ' requires Strict'),
  )
  .map(([stages, other, requires]) => {
    const chain = (all: string[]) => all.map((stage) => `\n    ${stage}`).join('')
    return `${HEAD}
pipeline Main(start: Any) -> Result${requires}:
  start${chain(stages)}
pipeline Other(topic: Any) -> Result:
  topic${chain(other)}
`
  })
