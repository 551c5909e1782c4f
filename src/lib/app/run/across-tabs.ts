/**
 * A run belongs to the tab that holds its lock. Other tabs that show it are told its events and cards as they come, and their
 * answers go to the owner: the first one counts there. A tab that waits gets the lock, and the run, when the owner is gone.
 */
import type { HaloEvent } from '../../halo/run/types.ts'
import { claimWhenFree, type Claim } from '../../storage/owner.ts'
import type { CardTold, Verdict } from '../cards/gate.svelte.ts'
import type { Ending } from './items.ts'
import type { Session } from './session.svelte.ts'

type Message =
  | { kind: 'hello' }
  | { kind: 'here'; streaming: HaloEvent[] }
  | { kind: 'event'; event: HaloEvent }
  | { kind: 'cards'; cards: CardTold[] }
  | { kind: 'ended'; ending: Ending; ms: number }
  | { kind: 'answer'; from: string; at: number; digest: string; verdict: Verdict }
  | { kind: 'unused'; to: string; at: number; said: string }
  | { kind: 'remember'; at: number; rule: 'exact' | 'tool' }
  | { kind: 'stop' }

/** What the owner tells. Costs nothing while nobody listens. */
export interface Teller {
  event(event: HaloEvent): void
  cards(): void
  ended(ending: Ending, ms: number): void
  close(): void
}

const nameOf = (runId: string) => `halo-run:${runId}`

/** `flush`: all events told so far are in storage when it resolves. */
export function tellOthers(session: Session, flush: () => Promise<void>): Teller | undefined {
  if (typeof BroadcastChannel === 'undefined') return undefined
  const channel = new BroadcastChannel(nameOf(session.info.runId))
  const { gate } = session
  let watched = false
  const post = (message: Message) => {
    if (watched) channel.postMessage(plain(message))
  }
  const cards = () => post({ kind: 'cards', cards: gate.told() })
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'hello') {
      watched = true
      void flush().then(() => {
        post({ kind: 'here', streaming: session.transcript.streaming() })
        cards()
      })
    } else if (data.kind === 'answer') {
      const card = gate.cards[data.at]
      if (card?.state === 'open' && card.digest === data.digest) gate.answer(card, data.digest, data.verdict)
      else post({ kind: 'unused', to: data.from, at: data.at, said: card?.verdict?.said ?? '' })
    } else if (data.kind === 'remember') {
      const card = gate.cards[data.at]
      if (card) gate.remember(card, data.rule)
    } else if (data.kind === 'stop') session.stop()
  })
  return {
    event: (event) => post({ kind: 'event', event }),
    cards,
    ended: (ending, ms) => post({ kind: 'ended', ending, ms }),
    close: () => channel.close(),
  }
}

/** Shows in this tab what the owner of the run tells. `load`: the run's events that are in storage. */
export function followOwner(session: Session, load: () => Promise<HaloEvent[]>, taken: (claim: Claim) => void): void {
  const { runId } = session.info
  const { gate, transcript } = session
  const abort = new AbortController()
  void claimWhenFree(runId, abort.signal).then((claim) => claim && taken(claim))
  if (typeof BroadcastChannel === 'undefined') return
  const channel = new BroadcastChannel(nameOf(runId))
  const me = crypto.randomUUID()
  let early: HaloEvent[] | undefined = []
  const post = (message: Message) => channel.postMessage(plain(message))

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (!session.elsewhere) return
    switch (data.kind) {
      case 'here':
        void load().then((events) => {
          // Told again, an event changes the row that is there. Parts of an answer would be added to it.
          for (const event of [...events, ...data.streaming, ...(early ?? []).filter(({ type }) => type !== 'llm_delta')]) transcript.apply(event)
          early = undefined
          session.showCards()
        })
        return
      case 'event':
        if (early) early.push(data.event)
        else transcript.apply(data.event)
        return
      case 'cards':
        gate.mirror(data.cards)
        if (!early) session.showCards()
        return
      case 'unused':
        if (data.to === me) gate.unused(data.at, data.said)
        return
      case 'ended':
        abort.abort()
        channel.close()
        session.endedElsewhere(data.ending, data.ms)
        return
      default:
    }
  })
  gate.remote = {
    answer: (at, digest, verdict) => post({ kind: 'answer', from: me, at, digest, verdict }),
    remember: (at, rule) => post({ kind: 'remember', at, rule }),
  }
  session.askStop = () => post({ kind: 'stop' })
  post({ kind: 'hello' })
}

/** Tools and models may give what can't be cloned; it is only shown here. */
function plain(message: Message): Message {
  try {
    return structuredClone(message)
  } catch {
    return JSON.parse(JSON.stringify(message)) as Message
  }
}
