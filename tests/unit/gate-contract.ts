/** What every approval gate does, whatever makes its calls. The bare gate and the gate of a session are held to it. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { ApprovalGate, ApprovalPolicy } from '../../src/lib/halo/session/gate.ts'

export interface ToolForm {
  description: string
  parameters: object
}

export type CallOutcome = { ran: Record<string, unknown> } | { denied: string }

export interface Rig {
  gate: ApprovalGate
  /** Makes a call of `look` or `put` and tells what came of it; ran: with which arguments. */
  call(name: string, args?: Record<string, unknown>): Promise<CallOutcome>
  /** From now on the tool of that name is another. */
  change(name: string, form: Partial<ToolForm>): void
  /** Stops what waits, as a person would. */
  stop(): void
  /** Another conversation. */
  reset(): void
}

export type MakeRig = (policy: ApprovalPolicy | undefined, approvalFor?: (name: string) => ApprovalPolicy | undefined) => Rig

export const FORM: ToolForm = {
  description: 'A tool.',
  parameters: { type: 'object', properties: { at: { type: 'string' }, times: { type: 'number' } }, additionalProperties: false },
}

/** Waits until something waits at the gate, `count` calls by default one; fails when nothing ever does. */
export async function waits(gate: ApprovalGate, count = 1): Promise<string[]> {
  for (let turn = 0; turn < 500 && gate.pending().length < count; turn++) await new Promise((done) => setTimeout(done, 1))
  const ids = gate.pending().map(({ id }) => id)
  expect(ids).toHaveLength(count)
  return ids
}

async function answered(rig: Rig, calling: Promise<CallOutcome>, ...answer: [unknown, string?]): Promise<CallOutcome> {
  const [id = ''] = await waits(rig.gate)
  expect(rig.gate.respond(id, ...answer)).toEqual({ taken: true })
  return calling
}

export function gateContract(what: string, make: MakeRig, standard: ApprovalPolicy): void {
  describe(what, () => {
    let rig: Rig

    test('opens on its standard policy', () => {
      expect(make(undefined).gate.policy()).toBe(standard)
    })

    describe('under always', () => {
      beforeEach(() => {
        rig = make('always')
      })

      test('each call waits, with a copy of what is asked', async () => {
        const first = rig.call('look', { at: 'a' })
        await waits(rig.gate)
        expect(rig.gate.pending()[0]).toMatchObject({ name: 'look', args: { at: 'a' }, tool: FORM })
        expect(await answered(rig, first, true)).toEqual({ ran: { at: 'a' } })
        expect(rig.gate.pending()).toEqual([])
        expect(await answered(rig, rig.call('look', { at: 'a' }), 'approve')).toEqual({ ran: { at: 'a' } })
      })

      test.each([[true], ['yes'], ['Allow'], [{ approved: true }], [{ action: 'approve' }]])('%j lets it run', async (answer) => {
        expect(await answered(rig, rig.call('put'), answer)).toHaveProperty('ran')
      })

      test.each([[false], [undefined], [null], ['no'], [0], [{}], [{ approved: 'yes' }], [[]]])('%j denies it', async (answer) => {
        expect(await answered(rig, rig.call('put'), answer)).toHaveProperty('denied')
      })

      test('a denial tells the model why, in the words of whoever denied it', async () => {
        expect(await answered(rig, rig.call('put'), false, 'not on Fridays')).toEqual({ denied: expect.stringContaining('not on Fridays') as string })
        expect(await answered(rig, rig.call('put'), 'use the other shelf')).toEqual({ denied: expect.stringContaining('use the other shelf') as string })
        expect(await answered(rig, rig.call('put'), { approved: false, reason: 'full' })).toEqual({ denied: expect.stringContaining('full') as string })
      })

      test('the first answer counts, and a second is told so', async () => {
        const calling = rig.call('put')
        const [id = ''] = await waits(rig.gate)
        expect(rig.gate.respond(id, false)).toEqual({ taken: true })
        const second = rig.gate.respond(id, true)
        expect(second).toMatchObject({ taken: false, why: expect.stringContaining('denied already') as string })
        expect(await calling).toHaveProperty('denied')
        expect(rig.gate.respond(id, true)).toMatchObject({ taken: false })
        expect(rig.gate.answers()[id]).toMatchObject({ name: 'put', approved: false, by: 'person' })
      })

      test('an answer to nothing is told so', () => {
        expect(rig.gate.respond('nothing', true)).toMatchObject({ taken: false, why: expect.stringContaining('nothing') as string })
        expect(rig.gate.respond('__proto__', true)).toMatchObject({ taken: false })
      })

      test('an answer to an old card never hits a later call', async () => {
        const first = rig.call('put', { at: 'a' })
        const [old = ''] = await waits(rig.gate)
        rig.gate.respond(old, false)
        await first
        rig.reset()
        const second = rig.call('put', { at: 'b' })
        const [fresh = ''] = await waits(rig.gate)
        expect(fresh).not.toBe(old)
        expect(rig.gate.respond(old, true)).toMatchObject({ taken: false })
        expect(rig.gate.pending()).toHaveLength(1)
        rig.gate.respond(fresh, false)
        expect(await second).toHaveProperty('denied')
      })

      test('a call runs with the arguments as the person changed them', async () => {
        const calling = rig.call('put', { at: 'a' })
        const [id = ''] = await waits(rig.gate)
        expect(rig.gate.respond(id, { approved: true, args: { at: 'b', times: 2 } })).toEqual({ taken: true })
        expect(await calling).toEqual({ ran: { at: 'b', times: 2 } })
        expect(rig.gate.answers()[id]).toMatchObject({ approved: true, args: { at: 'b', times: 2 } })
      })

      test('changed arguments that do not fit leave it waiting, and say what is wrong', async () => {
        const calling = rig.call('put', { at: 'a' })
        const [id = ''] = await waits(rig.gate)
        expect(rig.gate.respond(id, { approved: true, args: { at: 1 } })).toMatchObject({ taken: false, why: expect.stringContaining('at') as string })
        expect(rig.gate.respond(id, { approved: true, args: { elsewhere: 1 } })).toMatchObject({ taken: false })
        expect(rig.gate.pending()).toHaveLength(1)
        rig.gate.respond(id, { approved: true, args: { at: 'c' } })
        expect(await calling).toEqual({ ran: { at: 'c' } })
      })

      test('what is shown can not be changed by whoever looks at it', async () => {
        const calling = rig.call('put', { at: 'a' })
        const [id = ''] = await waits(rig.gate)
        const shown = rig.gate.pending()[0]
        expect(() => Object.assign(shown?.args ?? {}, { at: 'z' })).toThrow(TypeError)
        expect(() => (rig.gate.pending() as unknown[]).push(1)).toThrow(TypeError)
        rig.gate.respond(id, true)
        expect(await calling).toEqual({ ran: { at: 'a' } })
      })

      test('stopping denies what waits, with the reason', async () => {
        const calling = rig.call('put')
        const [id = ''] = await waits(rig.gate)
        rig.stop()
        expect(await calling).toHaveProperty('denied')
        expect(rig.gate.pending()).toEqual([])
        expect(rig.gate.answers()[id]).toMatchObject({ approved: false, by: 'stop', reason: expect.stringMatching(/stopped/) as string })
        expect(rig.gate.respond(id, true)).toMatchObject({ taken: false })
      })

      test('another conversation denies what waits and knows no answers any more', async () => {
        const calling = rig.call('put')
        const [id = ''] = await waits(rig.gate)
        rig.reset()
        expect(await calling).toHaveProperty('denied')
        expect(rig.gate.pending()).toEqual([])
        expect(rig.gate.answers()).toEqual({})
        expect(rig.gate.respond(id, true)).toMatchObject({ taken: false })
      })

      test('turning the gate off lets what waits through', async () => {
        const calling = rig.call('put', { at: 'a' })
        const [id = ''] = await waits(rig.gate)
        rig.gate.setPolicy('never')
        expect(await calling).toEqual({ ran: { at: 'a' } })
        expect(rig.gate.answers()[id]).toMatchObject({ approved: true, by: 'gate' })
        expect(rig.gate.respond(id, false)).toMatchObject({ taken: false, why: expect.stringContaining('allowed already') as string })
      })
    })

    describe('under once', () => {
      beforeEach(() => {
        rig = make('once')
      })

      test('the first call of each tool waits, and no later one', async () => {
        expect(await answered(rig, rig.call('look', { at: 'a' }), true)).toHaveProperty('ran')
        expect(await rig.call('look', { at: 'b' })).toEqual({ ran: { at: 'b' } })
        expect(await answered(rig, rig.call('put'), true)).toHaveProperty('ran')
        expect(await rig.call('put')).toHaveProperty('ran')
      })

      test('a denial is not remembered', async () => {
        expect(await answered(rig, rig.call('look'), false)).toHaveProperty('denied')
        expect(await answered(rig, rig.call('look'), true)).toHaveProperty('ran')
      })

      test('who changes a call has approved the call, not the tool', async () => {
        expect(await answered(rig, rig.call('look', { at: 'a' }), { approved: true, args: { at: 'b' } })).toEqual({ ran: { at: 'b' } })
        expect(await answered(rig, rig.call('look', { at: 'a' }), false)).toHaveProperty('denied')
      })

      test.each<[string, Partial<ToolForm>]>([
        ['description', { description: 'Another tool.' }],
        ['schema', { parameters: { type: 'object', properties: { at: { type: 'string' }, force: { type: 'boolean' } } } }],
      ])('a tool whose %s has changed is asked about again', async (_what, form) => {
        expect(await answered(rig, rig.call('look'), true)).toHaveProperty('ran')
        rig.change('look', form)
        expect(await answered(rig, rig.call('look'), false)).toHaveProperty('denied')
        rig.change('look', FORM)
        expect(await rig.call('look')).toHaveProperty('ran')
      })

      test('turning it off and on again forgets, setting the same does not', async () => {
        expect(await answered(rig, rig.call('look'), true)).toHaveProperty('ran')
        rig.gate.setPolicy('once')
        expect(await rig.call('look')).toHaveProperty('ran')
        rig.gate.setPolicy('never')
        expect(await rig.call('put')).toHaveProperty('ran')
        rig.gate.setPolicy('once')
        expect(await answered(rig, rig.call('look'), false)).toHaveProperty('denied')
        expect(await answered(rig, rig.call('put'), false)).toHaveProperty('denied')
      })

      test('another conversation forgets', async () => {
        expect(await answered(rig, rig.call('look'), true)).toHaveProperty('ran')
        rig.reset()
        expect(await answered(rig, rig.call('look'), false)).toHaveProperty('denied')
      })

      test('an answer that comes after the policy changed is remembered by none', async () => {
        const calling = rig.call('look')
        await waits(rig.gate)
        rig.gate.setPolicy('always')
        rig.gate.setPolicy('once')
        expect(await answered(rig, calling, true)).toHaveProperty('ran')
        expect(await answered(rig, rig.call('look'), false)).toHaveProperty('denied')
      })
    })

    test('under never nothing waits', async () => {
      rig = make('never')
      expect(await rig.call('put', { at: 'a' })).toEqual({ ran: { at: 'a' } })
      expect(rig.gate.answers()).toEqual({})
    })

    test('approvalFor gives a tool a policy of its own', async () => {
      rig = make('once', (name) => (name === 'look' ? 'never' : 'always'))
      expect(await rig.call('look')).toHaveProperty('ran')
      expect(await answered(rig, rig.call('put'), true)).toHaveProperty('ran')
      expect(await answered(rig, rig.call('put'), true)).toHaveProperty('ran')
    })

    test('undefined keeps the policy of the gate', async () => {
      rig = make('once', () => undefined)
      expect(await answered(rig, rig.call('look'), true)).toHaveProperty('ran')
      expect(await rig.call('look')).toHaveProperty('ran')
    })

    test('a gate that is off asks for no tool, whatever approvalFor says', async () => {
      const asked: string[] = []
      rig = make('never', (name) => {
        asked.push(name)
        return 'always'
      })
      expect(await rig.call('put')).toHaveProperty('ran')
      expect(asked).toEqual([])
      rig.gate.setPolicy('once')
      expect(await answered(rig, rig.call('put'), true)).toHaveProperty('ran')
      expect(await answered(rig, rig.call('put'), true)).toHaveProperty('ran')
    })

    test('an answer may come from a subscriber, while it is told', async () => {
      rig = make('always')
      rig.gate.subscribe(() => {
        for (const { id } of rig.gate.pending()) rig.gate.respond(id, true)
      })
      expect(await rig.call('put', { at: 'a' })).toEqual({ ran: { at: 'a' } })
      expect(rig.gate.pending()).toEqual([])
    })

    test('a subscriber that throws hurts neither the call nor the others', async () => {
      rig = make('always')
      let told = 0
      rig.gate.subscribe(() => {
        throw new Error('the page is gone')
      })
      rig.gate.subscribe(async () => Promise.reject(new Error('so is the worker')))
      const leave = rig.gate.subscribe(() => told++)
      expect(await answered(rig, rig.call('put'), true)).toHaveProperty('ran')
      expect(told).toBe(2)
      leave()
      expect(await answered(rig, rig.call('put'), false)).toHaveProperty('denied')
      expect(told).toBe(2)
    })

    test('a policy that is none is refused', () => {
      expect(() => make('sometimes' as ApprovalPolicy)).toThrow(/always, once or never/)
      rig = make('once')
      expect(() => rig.gate.setPolicy('off' as ApprovalPolicy)).toThrow(/always, once or never/)
      expect(rig.gate.policy()).toBe('once')
    })
  })
}
