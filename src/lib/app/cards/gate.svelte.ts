import type { InterruptRequest, Question } from '../../halo/run/types.ts'
import { cardWords as words } from './words.ts'

export type CardState = 'open' | 'answered' | 'stopped'

/** What a person decided, in the forms the runtime takes; kept to say so to a second who answers. */
export interface Verdict {
  /** For people: `allowed`, `denied: reason`, … */
  said: string
  payload: unknown
}

/** A card as another tab shows it. */
export interface CardTold {
  request: InterruptRequest
  id?: string
  state: CardState
  verdict?: Verdict
}

/** Where answers go when another tab works on the run; `at` counts the gate's cards. */
export interface Remote {
  answer(at: number, digest: string, verdict: Verdict): void
  remember(at: number, rule: Rule['kind']): void
}

/** One question on screen. */
export class Card {
  readonly key: string
  readonly request: InterruptRequest
  /** The answer is bound to this: target, arguments, policy, agent and message as they were shown. */
  readonly digest: string
  /** performance.now() at which it appeared or last changed; Allow is inert for 500 ms after. */
  shownAt = $state(performance.now())
  state = $state<CardState>('open')
  verdict = $state<Verdict>()
  /** The journal's id of the question, where it is known. */
  id = $state<string>()
  notice = $state('')
  /** Set while the run waits in this page; absent on a card restored from the journal. */
  resolve: ((payload: unknown) => void) | undefined

  constructor(request: InterruptRequest, id?: string) {
    this.request = request
    this.key = keyOf(request)
    this.digest = digestOf(request)
    this.id = id
  }
}

const keyOf = (request: InterruptRequest) => `${request.path} ${request.channel}`
function digestOf({ channel, message, named }: InterruptRequest): string {
  return JSON.stringify([channel, message, named.target, named.args, named.policy, named.agent, named.value, named.schema])
}

type Rule = { kind: 'exact'; digest: string } | { kind: 'tool'; target: string; agent?: string; policy?: string }

/** All open questions of one run: the only place where they are asked and answered. */
export class Gate {
  #cards = $state<Card[]>([])
  #rules: Rule[] = []
  /** Called for an answer to a card that no running code waits for (the run must be taken up first). */
  onRestoredAnswer: (() => void) | undefined
  /** Called when a card came, or was answered or stopped. */
  onChange: (() => void) | undefined
  /** Set while another tab works on the run: answers count only once that tab has told so. */
  remote: Remote | undefined

  get cards(): readonly Card[] {
    return this.#cards
  }
  get open(): Card[] {
    return this.#cards.filter((card) => card.state === 'open')
  }

  /** The runtime's question. Resolves with the person's answer; never rejects. */
  ask(request: InterruptRequest): Promise<unknown> {
    const rule = this.#rules.find((r) => covers(r, request))
    const card = this.#place(request)
    return new Promise((resolve) => {
      if (card.state === 'answered') return resolve(card.verdict?.payload)
      card.resolve = resolve
      if (rule) this.#settle(card, { said: words.byRule, payload: { approved: true } })
    })
  }

  /** A question that the journal holds open. */
  restore(question: Question): Card {
    const card = this.#place(question.request)
    card.id = question.id
    return card
  }

  /** The first answer to exactly what was shown wins; false, and a word on the card, for any other. */
  answer(card: Card, digest: string, verdict: Verdict): boolean {
    if (card.state !== 'open') {
      card.notice = words.already(card.verdict?.said ?? words.stopped)
      return false
    }
    if (digest !== card.digest) {
      card.notice = words.changed
      return false
    }
    if (this.remote) {
      card.notice = words.sent
      this.remote.answer(this.#cards.indexOf(card), digest, verdict)
      return true
    }
    this.#settle(card, verdict)
    return true
  }

  /** From now to the end of the run: this very call, or every call of this tool by this agent under this policy. */
  remember(card: Card, kind: Rule['kind']): void {
    if (this.remote) return this.remote.remember(this.#cards.indexOf(card), kind)
    const { target = '', agent, policy } = card.request.named
    const rule: Rule = kind === 'exact' ? { kind, digest: card.digest } : { kind, target, agent, policy }
    this.#rules.push(rule)
    for (const other of this.open) {
      if (other !== card && covers(rule, other.request)) this.#settle(other, { said: words.byRule, payload: { approved: true } })
    }
  }

  /** Stop: every open card is answered with it. The run itself is ended by its abort signal. */
  stop(): void {
    for (const card of this.open) {
      card.state = 'stopped'
      card.verdict = { said: words.stopped, payload: undefined }
    }
    this.onChange?.()
  }

  /** All cards, for another tab. */
  told(): CardTold[] {
    return this.#cards.map(({ request, id, state, verdict }) => ({ request, id, state, verdict: $state.snapshot(verdict) as Verdict | undefined }))
  }
  /** Takes over the cards of the tab that works on the run. */
  mirror(told: readonly CardTold[]): void {
    told.forEach(({ request, id, state, verdict }, at) => {
      const shown = this.#cards[at]
      const same = shown?.key === keyOf(request) && shown.digest === digestOf(request)
      if (!same) this.#cards[at] = new Card(request, id)
      const card = this.#cards[at]
      if (!card) return
      if (state !== 'open') card.notice = card.notice === words.sent ? '' : card.notice
      card.state = state
      card.verdict = verdict
    })
  }
  /** The owner had another answer first. */
  unused(at: number, said: string): void {
    const card = this.#cards[at]
    if (card) card.notice = words.already(said || words.stopped)
  }

  /** Forget answers that the run has used, so that the same place can ask again (another round of a loop). */
  #place(request: InterruptRequest): Card {
    const key = keyOf(request)
    const digest = digestOf(request)
    const at = this.#cards.findIndex((card) => card.key === key)
    const known = this.#cards[at]
    // A restored card, or an answer given before the run got here again.
    if (known && known.digest === digest && !known.resolve && known.state !== 'stopped') return known
    const card = new Card(request)
    if (known && known.state === 'open') known.state = 'stopped'
    this.#cards.push(card)
    this.onChange?.()
    return this.#cards[this.#cards.length - 1] ?? card
  }

  #settle(card: Card, verdict: Verdict): void {
    card.state = 'answered'
    card.verdict = verdict
    this.onChange?.()
    if (card.resolve) card.resolve(verdict.payload)
    else this.onRestoredAnswer?.()
  }
}

function covers(rule: Rule, request: InterruptRequest): boolean {
  if (request.channel !== 'approval') return false
  if (rule.kind === 'exact') return rule.digest === digestOf(request)
  const { target, agent, policy } = request.named
  return rule.target === target && rule.agent === agent && rule.policy === policy
}
