import { HaloError, messageOf, type Span } from '../errors.ts'
import type { CancelScope } from './cancel.ts'
import { comparePaths } from './journal.ts'
import { toPlain } from './plain.ts'
import type { Run } from './run.ts'
import type { EntryKind, InterruptRequest, JournalEntry, Paused, Question } from './types.ts'

/** What is put to a person: the whole card, and where it stands. */
export interface Put {
  scope: CancelScope
  kind: Extract<EntryKind, 'approval' | 'yield' | 'listen' | 'input' | 'recovery'>
  path: string
  target: string
  /** What `signal` names it by: `approval`, `yield`, `recovery`, `input`, or the event's name. */
  waitingFor: string
  card: Pick<InterruptRequest, 'channel' | 'message' | 'named' | 'effect'>
  span?: Span
  /** Milliseconds to wait, of wall clock, a pause included. */
  timeoutMs?: number
}

interface Open {
  question: Question
  put: Put
  ref: number
  since: number
  /** Takes the answer, or the error that ends the wait; false when it has one already. */
  take(outcome: { value: unknown } | { error: HaloError }): Promise<boolean>
}

/** The open questions of a run. Each has one answer, the first; a mock, a handler or a signal gives it. */
export class Questions {
  readonly #run: Run
  readonly #open = new Map<string, Open>()
  /** Called when the run can't go on without an answer. */
  onPaused: (paused: Paused) => void = () => {}
  /** Called when a question that was waited for has an answer, or waits no more. */
  onContinue: () => void = () => {}

  constructor(run: Run) {
    this.#run = run
  }

  get paused(): Paused | undefined {
    if (this.#open.size === 0) return undefined
    const questions = [...this.#open.values()].map((open) => open.question).sort((a, b) => comparePaths(a.path, b.path))
    return { waitingFor: questions[0]?.waitingFor ?? '', questions }
  }

  /** No strand of the run can go on by itself. */
  settle(): void {
    const { paused } = this
    if (paused !== undefined && !this.#run.ended) this.onPaused(paused)
  }

  /** Puts a question and waits for its answer, in the order journal, mock, handler, person. */
  async put(put: Put): Promise<unknown> {
    const run = this.#run
    const request = put.card
    const found = await run.recorded({ ...put, request })
    const answered = found?.answer
    if (answered !== undefined) {
      this.#announce(put, this.#question(put, deadlineOf(found?.asked)), 'asked')
      return this.#outcome(put, answered)
    }

    const early = put.kind === 'listen' ? run.early.get(put.target)?.shift() : undefined
    if (early !== undefined) return this.#outcome(put, await run.answer({ ...put, request }, early.seq, { value: early.value }, 0))

    const mock = run.world.mocks.interrupt(put, { ...put.card, runId: run.id, path: put.path })
    if (mock !== undefined) {
      const value = toPlain(await put.scope.wait(Promise.resolve(mock.value)))
      return this.#outcome(put, await run.answer({ ...put, request }, undefined, { value }, 0))
    }

    const now = run.world.clock.now()
    const deadline = deadlineOf(found?.asked) ?? (put.timeoutMs === undefined ? undefined : now + put.timeoutMs)
    const ref = found?.asked?.seq ?? (await run.asked({ ...put, request, value: deadline === undefined ? undefined : { deadline } }))
    const question = this.#question(put, deadline)
    if (found?.asked !== undefined && deadline !== undefined && deadline <= now) {
      // It passed while nobody was there.
      this.#announce(put, question, 'asked')
      const { code, message } = tooLate(put)
      return this.#outcome(put, await run.answer({ ...put, request }, ref, { error: { code, message } }, now - found.asked.at))
    }
    return this.#outcome(put, await this.#wait(put, question, ref, found?.asked?.at ?? now))
  }

  /** Answers a question of that kind: the one the payload names by `id`, else the first in path order. */
  async answer(waitingFor: string, payload: unknown): Promise<void> {
    const open = this.#choose(waitingFor, payload)
    const value = withoutId(payload, open.question.id)
    if (!(await open.take({ value: toPlain(value) }))) throw new HaloError('VALIDATION', 'That question has been answered already.')
  }

  /** Is any question of that kind open? */
  has(waitingFor: string): boolean {
    return [...this.#open.values()].some((open) => open.question.waitingFor === waitingFor)
  }

  #choose(waitingFor: string, payload: unknown): Open {
    const id = idOf(payload)
    const all = [...this.#open.values()].filter((open) => open.question.waitingFor === waitingFor)
    const named = id === undefined ? undefined : all.find((open) => open.question.id === id)
    if (named !== undefined) return named
    const waiting = this.paused?.questions.map((question) => question.waitingFor) ?? []
    const instead = waiting.length === 0 ? 'It waits for nothing.' : `It waits for ${[...new Set(waiting)].join(', ')}.`
    if (id !== undefined && /^(approval|yield|listen|input|recovery)@/.test(id)) {
      throw new HaloError('VALIDATION', `Run ${this.#run.id} has no open question ${id}: it was answered already, or never put. ${instead}`)
    }
    const first = all.sort((a, b) => comparePaths(a.question.path, b.question.path))[0]
    if (first === undefined) throw new HaloError('VALIDATION', `Run ${this.#run.id} is not waiting for ${waitingFor}. ${instead}`)
    return first
  }

  #question(put: Put, deadline: number | undefined): Question {
    const run = this.#run
    const request: InterruptRequest = { ...put.card, runId: run.id, path: put.path, span: put.span, ...(deadline === undefined ? {} : { deadline }) }
    return { id: `${put.kind}@${put.path}`, path: put.path, waitingFor: put.waitingFor, request }
  }

  /** The answer of whoever comes first: the handler, a signal, or the deadline. */
  async #wait(put: Put, question: Question, ref: number, since: number): Promise<JournalEntry> {
    const run = this.#run
    const { onInterrupt } = run.world.config
    const { deadline } = question.request
    const { promise, resolve, reject } = promised<JournalEntry>()
    const timer = deadline === undefined ? undefined : new AbortController()
    let taken = false
    let waits = false
    const take: Open['take'] = async (outcome) => {
      if (taken) return false
      taken = true
      timer?.abort()
      this.#open.delete(question.id)
      if (waits) this.#goOn()
      try {
        const { clock } = run.world
        const error = 'error' in outcome ? outcome.error : undefined
        const fields = error === undefined ? { value: 'value' in outcome ? outcome.value : null } : { error: { code: error.code, message: error.message } }
        resolve(await run.answer({ ...put, request: put.card }, ref, fields, clock.now() - since))
      } catch (stored) {
        reject(stored)
      }
      return true
    }
    /** Nobody here answers: a signal will, or the deadline. */
    const leaveOpen = (): void => {
      waits = true
      this.#open.set(question.id, { question, put, ref, since, take })
    }
    if (onInterrupt === undefined) leaveOpen()
    this.#announce(put, question, 'asked')

    if (deadline !== undefined) {
      const error = tooLate(put)
      const left = Math.max(0, deadline - run.world.clock.now())
      run.world.clock.sleep(left, timer?.signal).then(() => take({ error }), () => undefined)
    }
    if (onInterrupt !== undefined) {
      const asked = new Promise<unknown>((done) => done(onInterrupt(question.request)))
      asked.then(
        (answer) => {
          // A handler that has nothing to say of a question leaves it to whoever signals. An approval is declined by whatever is no yes.
          if (answer !== undefined || put.kind === 'approval') return take({ value: toPlain(answer) })
          if (taken) return
          leaveOpen()
          run.strands.stop()
        },
        (fault: unknown) => {
          if (taken) return
          taken = true
          timer?.abort()
          reject(new HaloError('APPROVAL_NEEDED', `The interrupt handler failed: ${messageOf(fault)}`, { path: put.path, span: put.span, cause: fault }))
        },
      ).catch(reject)
    } else run.strands.stop()

    // At once, not when the rejection gets here: until then the run would seem to wait for an answer that nobody wants any more.
    const { signal } = put.scope
    const withdraw = (): void => {
      if (taken) return
      taken = true
      timer?.abort()
      this.#open.delete(question.id)
      if (waits) this.#goOn()
    }
    if (signal.aborted) withdraw()
    else signal.addEventListener('abort', withdraw, { once: true })
    try {
      return await put.scope.wait(promise)
    } finally {
      signal.removeEventListener('abort', withdraw)
    }
  }

  #goOn(): void {
    this.#run.strands.start()
    this.onContinue()
  }

  #outcome(put: Put, entry: JournalEntry): unknown {
    this.#announce(put, this.#question(put, undefined), 'answered', entry)
    if (entry.error !== undefined) throw new HaloError(entry.error.code, entry.error.message, { path: put.path, span: put.span, seq: entry.seq })
    return entry.value
  }

  #announce(put: Put, question: Question, state: 'asked' | 'answered', entry?: JournalEntry): void {
    const run = this.#run
    if (!run.listening) return
    const common = { path: put.path, span: put.span, question, state, ...(entry === undefined ? {} : { answer: entry.value }) }
    if (put.kind === 'approval') run.emit({ ...common, type: 'approval', ...(entry === undefined ? {} : { approved: readApproval(entry.value).approved }) })
    else if (put.kind === 'yield') run.emit({ ...common, type: 'yield' })
    else if (put.kind === 'listen') run.emit({ ...common, type: 'listen' })
    else run.emit({ ...common, type: 'human_input' })
  }
}

function tooLate({ waitingFor, path, span }: Put): HaloError {
  return new HaloError('TIMEOUT', `Nothing came for ${waitingFor} in time.`, { path, span })
}

const YES = new Set(['y', 'yes', 'approve', 'approved', 'allow', 'ok', 'okay'])
const NO = new Set(['n', 'no', 'reject', 'deny', 'decline', ''])

export interface Approval {
  approved: boolean
  /** Why not, in the person's words. */
  reason?: string
  /** The call as the person changed it. */
  args?: Record<string, unknown>
}

/** What an answer to an approval says. Whatever is not one of the ways to say yes declines. */
export function readApproval(answer: unknown): Approval {
  if (answer === true) return { approved: true }
  if (typeof answer === 'string') {
    const word = answer.trim().toLowerCase()
    if (YES.has(word)) return { approved: true }
    return NO.has(word) ? { approved: false } : { approved: false, reason: answer.trim() }
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return { approved: false }
  const fields = answer as Record<string, unknown>
  if (fields.approved === true || fields.action === 'approve' || fields.status === 'approved') {
    const { args } = fields
    return typeof args === 'object' && args !== null && !Array.isArray(args) ? { approved: true, args: args as Record<string, unknown> } : { approved: true }
  }
  for (const key of ['reason', 'comment', 'text']) {
    const reason = fields[key]
    if (typeof reason !== 'string' || reason.trim() === '') continue
    return NO.has(reason.trim().toLowerCase()) ? { approved: false } : { approved: false, reason: reason.trim() }
  }
  return { approved: false }
}

/** Does an answer to a yield say no? */
export function declinesYield(answer: unknown): boolean {
  if (answer === false) return true
  if (typeof answer === 'string') {
    const word = answer.trim().toLowerCase()
    return word !== '' && NO.has(word)
  }
  return typeof answer === 'object' && answer !== null && (answer as Record<string, unknown>).approved === false
}

/** What flows on after a yield that was not declined: the value that came, or the answer's own. */
export function yieldedValue(answer: unknown, flowing: unknown): unknown {
  if (answer === null || answer === true || answer === undefined) return flowing
  if (typeof answer === 'string') return YES.has(answer.trim().toLowerCase()) || answer.trim() === '' ? flowing : answer
  if (typeof answer !== 'object' || Array.isArray(answer)) return answer
  const fields = answer as Record<string, unknown>
  if (Object.hasOwn(fields, 'value') && readApproval(fields).approved) return fields.value
  return readApproval(fields).approved && Object.keys(fields).every((key) => ['approved', 'action', 'status', 'reason', 'comment', 'text'].includes(key)) ? flowing : answer
}

function idOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('id' in payload)) return undefined
  return typeof payload.id === 'string' ? payload.id : undefined
}

function withoutId(payload: unknown, id: string): unknown {
  if (idOf(payload) !== id) return payload
  const { id: _id, ...rest } = payload as Record<string, unknown>
  // `{ id, answer }` carries an answer that is no object, `true` or a text.
  return Object.keys(rest).length === 1 && 'answer' in rest ? rest.answer : rest
}

function deadlineOf(asked: JournalEntry | undefined): number | undefined {
  const value = asked?.value
  return typeof value === 'object' && value !== null && 'deadline' in value && typeof value.deadline === 'number' ? value.deadline : undefined
}

function promised<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
