import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HaloError } from '../../src/lib/halo/errors.ts'
import { readTranscript } from '../../src/lib/halo/session/transcript.ts'
import { asks, chat, text, wellFormed, type Turn } from './session-kit.ts'

type Move =
  | { do: 'send' | 'run' | 'stop' | 'retry' | 'reset' | 'wait' | 'keep' }
  | { do: 'answer'; yes: boolean; edit: boolean }
  | { do: 'dequeue'; which: number }

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: 'send' as const }) },
  { weight: 8, arbitrary: fc.constant({ do: 'wait' as const }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('answer' as const), yes: fc.boolean(), edit: fc.boolean() }) },
  { weight: 4, arbitrary: fc.constantFrom<Move>({ do: 'run' }, { do: 'stop' }, { do: 'retry' }, { do: 'reset' }, { do: 'keep' }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('dequeue' as const), which: fc.nat(3) }) },
)
const answer = fc.constantFrom('text', 'call', 'calls', 'unknown', 'error', 'endless')

test('whatever happens in which order: no call runs unapproved or twice, everyone is let go, and the conversation stays one that providers take', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 40 }), fc.array(answer, { maxLength: 25 }), async (moves, answers) => {
      let calls = 0
      const call = (id: string) => asks('put', { times: ++calls }, id)
      const turns = answers.map((kind): Turn => {
        switch (kind) {
          case 'text': return 'so it is'
          // Each request that is made again has calls of its own.
          case 'call': return () => [call('a')]
          case 'calls': return () => [text('Two.'), call('a'), call('b')]
          case 'unknown': return [asks('fly')]
          case 'error': return () => {
            throw new HaloError('NETWORK', 'lost')
          }
          default: return async function* () {
            yield text('Once')
            await new Promise(() => undefined)
          }
        }
      })
      const { session, ran } = chat(turns, { approvals: 'always' })
      const approved = new Set<unknown>()
      const sent: Promise<unknown>[] = []
      session.subscribe(() => session.snapshot())

      for (const now of moves) {
        switch (now.do) {
          case 'send': sent.push(session.send('go')); break
          case 'run': sent.push(session.runTool('put', { at: 'person' })); break
          case 'stop': sent.push(session.stop()); break
          case 'retry':
            if (session.snapshot().canRetry) sent.push(session.retry())
            else await expect(session.retry()).rejects.toMatchObject({ code: 'VALIDATION' })
            break
          case 'reset': sent.push(session.reset()); break
          case 'wait': await new Promise((done) => setTimeout(done)); break
          case 'dequeue': session.dequeue(session.snapshot().queue[now.which]?.id ?? ''); break
          case 'answer': {
            const [first] = session.snapshot().pending
            if (first === undefined) break
            const edited = { times: 1000 + Number(first.args.times) }
            expect(session.respond(first.id, now.yes ? (now.edit ? { approved: true, args: edited } : true) : 'no')).toEqual({ taken: true })
            if (now.yes) approved.add(now.edit ? edited.times : first.args.times)
            expect(session.respond(first.id, true).taken).toBe(false)
            break
          }
          case 'keep': {
            // In the middle of whatever it is doing: what is kept can be gone on with.
            const kept = readTranscript(session.transcript())
            expect(wellFormed(kept.messages)).toBe(true)
            expect(kept.items.every((item) => !('status' in item) || !['streaming', 'waiting', 'running', 'queued'].includes(item.status))).toBe(true)
          }
        }
        const { status, pending, items } = session.snapshot()
        if (status === 'idle') expect(pending).toEqual([])
        expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
      }

      await session.dispose()
      await Promise.all(sent)
      const { status, pending, questions, queue } = session.snapshot()
      expect({ status, pending, questions, queue }).toEqual({ status: 'idle', pending: [], questions: [], queue: [] })
      expect(wellFormed(session.transcript().messages)).toBe(true)
      const made = ran.filter(({ args }) => args.at !== 'person').map(({ args }) => args.times)
      expect(made.filter((times) => !approved.has(times))).toEqual([])
      expect(new Set(made).size).toBe(made.length)
    }),
    { numRuns: 200 },
  )
}, 120_000)
