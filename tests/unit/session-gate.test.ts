import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createApprovalGate, type ApprovalGate, type ApprovalPolicy, type GateCall } from '../../src/lib/halo/session/gate.ts'
import { FORM, gateContract, waits, type CallOutcome, type Rig, type ToolForm } from './gate-contract.ts'

/** What any loop does with the gate. */
async function through(gate: ApprovalGate, call: GateCall, signal?: AbortSignal): Promise<CallOutcome> {
  const verdict = await gate.beforeToolCall(call, signal)
  if (verdict?.block === true) return { denied: verdict.reason }
  return { ran: verdict?.args ?? call.args }
}

gateContract(
  'the bare gate',
  (policy, approvalFor): Rig => {
    const gate = createApprovalGate(policy, approvalFor)
    const forms = new Map<string, ToolForm>()
    const stopping = new AbortController()
    return {
      gate,
      // Ids of models begin anew with each answer.
      call: (name, args = {}) => through(gate, { id: 'c1', name, args, tool: forms.get(name) ?? FORM }, stopping.signal),
      change: (name, form) => forms.set(name, { ...FORM, ...form }),
      stop: () => stopping.abort(),
      reset: () => gate.clear(),
    }
  },
  'once',
)

describe('the bare gate, beside the contract', () => {
  const call = (name: string, args: Record<string, unknown> = {}, id = 'c1'): GateCall => ({ id, name, args, tool: FORM })

  test('plugs into a loop that hands it a tool call and the arguments', async () => {
    const gate = createApprovalGate('always')
    const verdict = gate.beforeToolCall({ toolCall: { id: 'c1', name: 'put' }, args: { at: 'a' } })
    const [id = ''] = await waits(gate)
    expect(gate.pending()).toMatchObject([{ id: 'c1', callId: 'c1', name: 'put', args: { at: 'a' } }])
    gate.respond(id, false, 'no')
    expect(await verdict).toEqual({ block: true, reason: 'no' })
  })

  test('a call that may run as it is gives nothing', async () => {
    const gate = createApprovalGate('never')
    expect(await gate.beforeToolCall(call('put'))).toBeUndefined()
  })

  test('calls at the same time wait each for its own answer', async () => {
    const gate = createApprovalGate('once')
    const both = [through(gate, call('put', { at: 'a' })), through(gate, call('put', { at: 'b' }))]
    const [a = '', b = ''] = await waits(gate, 2)
    gate.respond(b, true)
    // The other one is shown: it is the person's to answer, whatever is remembered by now.
    expect(gate.pending().map(({ id }) => id)).toEqual([a])
    gate.respond(a, false)
    expect(await Promise.all(both)).toEqual([{ denied: expect.any(String) as string }, { ran: { at: 'b' } }])
    expect(await through(gate, call('put'))).toHaveProperty('ran')
  })

  test('a loop that changes the arguments while they are looked at does not get them through', async () => {
    const gate = createApprovalGate('always')
    const args: Record<string, unknown> = { at: 'the garden' }
    const calling = through(gate, { id: 'c1', name: 'put', args })
    const [id = ''] = await waits(gate)
    args.at = 'the safe'
    expect(gate.pending()[0]?.args).toEqual({ at: 'the garden' })
    expect(gate.respond(id, true)).toMatchObject({ taken: false, why: expect.stringContaining('changed') as string })
    expect(await calling).toEqual({ denied: expect.stringContaining('changed') as string })
  })

  test('a signal that has aborted, or aborts, denies the call and forgets its listener', async () => {
    const gate = createApprovalGate('never')
    expect(await through(gate, call('put'), AbortSignal.abort())).toHaveProperty('denied')
    gate.setPolicy('always')
    const stopping = new AbortController()
    const first = through(gate, call('put'), stopping.signal)
    const second = through(gate, call('look'))
    await waits(gate, 2)
    stopping.abort()
    expect(await first).toHaveProperty('denied')
    expect(gate.pending().map(({ name }) => name)).toEqual(['look'])
    gate.deny('enough')
    expect(await second).toEqual({ denied: 'enough' })
  })

  test('what a rule requires waits though the gate is off, and nothing lets it through but an answer', async () => {
    const gate = createApprovalGate('never')
    const calling = through(gate, { ...call('put'), required: 'Careful' })
    const [id = ''] = await waits(gate)
    gate.setPolicy('once')
    gate.setPolicy('never')
    expect(gate.pending()).toMatchObject([{ required: 'Careful' }])
    gate.respond(id, true)
    expect(await calling).toHaveProperty('ran')
    gate.setPolicy('once')
    // That a rule was satisfied is no approval of the tool.
    expect(gate.asks(call('put'))).toBe(true)
  })

  test('a fault of approvalFor makes no call, and is not called a denial', async () => {
    const broken = createApprovalGate('once', () => {
      throw new Error('no such tool')
    })
    await expect(broken.beforeToolCall(call('put'))).rejects.toThrow('no such tool')
    expect(broken.pending()).toEqual([])
    const wrong = createApprovalGate('once', () => 'maybe' as ApprovalPolicy)
    await expect(wrong.beforeToolCall(call('put'))).rejects.toThrow(/approvalFor\("put"\) is always, once or never, not "maybe"/)
  })

  test('arguments that are not JSON are refused before anyone is asked', async () => {
    const gate = createApprovalGate('always')
    const round: Record<string, unknown> = {}
    round.self = round
    await expect(gate.beforeToolCall(call('put', round))).rejects.toThrow(/can't be shown/)
    expect(gate.pending()).toEqual([])
  })

  test('lists are the same until something changes', async () => {
    const gate = createApprovalGate('always')
    const before = gate.pending()
    expect(gate.pending()).toBe(before)
    void through(gate, call('put'))
    const [id = ''] = await waits(gate)
    expect(gate.pending()).not.toBe(before)
    expect(gate.pending()).toBe(gate.pending())
    const answers = gate.answers()
    gate.respond(id, true)
    expect(gate.answers()).not.toBe(answers)
    expect(gate.answers()).toBe(gate.answers())
  })
})

describe('whatever happens in which order', () => {
  type Step =
    | { do: 'call'; tool: number; arg: number; required: boolean }
    | { do: 'answer'; which: number; yes: boolean; edit: boolean }
    | { do: 'policy'; policy: ApprovalPolicy }
    | { do: 'abort'; which: number }
    | { do: 'clear' }
    | { do: 'change'; tool: number }

  const policy = fc.constantFrom<ApprovalPolicy>('always', 'once', 'never')
  const small = fc.nat(3)
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('call' as const), tool: fc.nat(1), arg: small, required: fc.boolean() }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('answer' as const), which: fc.nat(8), yes: fc.boolean(), edit: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('policy' as const), policy }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('abort' as const), which: fc.nat(8) }) },
    { weight: 1, arbitrary: fc.constant({ do: 'clear' as const }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('change' as const), tool: fc.nat(1) }) },
  )

  test('nothing runs unapproved, nothing waits for ever, and the first answer is the one', async () => {
    await fc.assert(
      fc.asyncProperty(policy, fc.array(step, { maxLength: 40 }), fc.boolean(), async (first, steps, ownAlways) => {
        const gate = createApprovalGate(first, (name) => (ownAlways && name === 't1' ? 'always' : undefined))
        const versions = [0, 0]
        /** A model of the gate: what is remembered, as tool and version. */
        let remembered = new Set<string>()
        let current = first
        const controllers: AbortController[] = []
        const made: { id?: string; name: string; version: number; required: boolean; asked: boolean; rule: ApprovalPolicy; expected?: 'ran' | 'denied'; args: unknown; outcome: Promise<CallOutcome> }[] = []
        const open = () => made.filter((one) => one.asked && one.expected === undefined)

        for (const now of steps) {
          switch (now.do) {
            case 'call': {
              const name = `t${now.tool}`
              const version = versions[now.tool] ?? 0
              const controller = new AbortController()
              controllers.push(controller)
              const args = { n: now.arg }
              const rule: ApprovalPolicy = current !== 'never' && ownAlways && name === 't1' ? 'always' : current
              const asked = now.required || rule === 'always' || (rule === 'once' && !remembered.has(`${name}@${version}`))
              const before = gate.pending().length
              const tool = { description: `v${version}`, parameters: { type: 'object', properties: { n: { type: 'number' } } } }
              const outcome = through(gate, { id: 'c1', name, args, tool, ...(now.required ? { required: 'Rule' } : {}) }, controller.signal)
              expect(gate.pending().length - before).toBe(asked ? 1 : 0)
              made.push({ id: asked ? gate.pending().at(-1)?.id : undefined, name, version, required: now.required, asked, rule: now.required ? 'always' : rule, args, outcome, ...(asked ? {} : { expected: 'ran' as const }) })
              break
            }
            case 'answer': {
              // Of all that were ever asked about: old answers must come to nothing.
              const all = made.filter((one) => one.asked)
              const one = all[now.which % Math.max(1, all.length)]
              if (one === undefined) break
              const late = one.expected !== undefined
              const given = gate.respond(one.id ?? '', now.yes ? (now.edit ? { approved: true, args: { n: 99 } } : true) : false)
              expect(given.taken).toBe(!late)
              if (late) break
              one.expected = now.yes ? 'ran' : 'denied'
              if (now.yes && now.edit) one.args = { n: 99 }
              if (now.yes && !now.edit && one.rule === 'once') remembered.add(`${one.name}@${one.version}`)
              break
            }
            case 'policy':
              gate.setPolicy(now.policy)
              if (now.policy === current) break
              current = now.policy
              remembered = new Set()
              for (const one of open()) {
                if (current !== 'never') one.rule = 'always'
                else if (!one.required) one.expected = 'ran'
              }
              break
            case 'abort': {
              const at = now.which % Math.max(1, controllers.length)
              controllers[at]?.abort()
              const one = made[at]
              if (one !== undefined && one.asked && one.expected === undefined) one.expected = 'denied'
              break
            }
            case 'clear':
              gate.clear()
              remembered = new Set()
              for (const one of open()) one.expected = 'denied'
              break
            case 'change':
              versions[now.tool] = (versions[now.tool] ?? 0) + 1
          }
          expect(gate.pending().map(({ id }) => id)).toEqual(open().map(({ id }) => id))
        }

        gate.deny('the end')
        for (const one of open()) one.expected = 'denied'
        expect(gate.pending()).toEqual([])
        // None of these waits any more.
        for (const one of made) {
          const outcome = await one.outcome
          expect(outcome).toEqual(one.expected === 'ran' ? { ran: one.args } : { denied: expect.any(String) as string })
        }
        expect(new Set(made.flatMap(({ id }) => id ?? [])).size).toBe(made.filter(({ asked }) => asked).length)
      }),
      { numRuns: 300 },
    )
  })
})
