/** Questions of a chat's run, put to a person: calls at the gate, everything else as a question of its own. */
import type { MethodInfo } from '../tools/types.ts'
import { GATE } from '../run/permit.ts'
import { toPlain } from '../run/plain.ts'
import { faultsText, validate } from '../run/schema.ts'
import type { InterruptRequest } from '../run/types.ts'
import { DENIED, type ApprovalGate } from './gate.ts'
import type { Answered, SessionQuestion } from './types.ts'

interface Open {
  question: SessionQuestion
  take(value: unknown): void
}

export interface AskingParts {
  gate: ApprovalGate
  /** What the gate and the person know a call by. */
  about(target: string): { name: string; info?: MethodInfo }
  /** Of the turn that asks. */
  signal(): AbortSignal | undefined
  onChange(): void
}

export class Asking {
  readonly #parts: AskingParts
  readonly #open = new Map<string, Open>()
  #asked = 0
  #list?: readonly SessionQuestion[]

  constructor(parts: AskingParts) {
    this.#parts = parts
  }

  list(): readonly SessionQuestion[] {
    return (this.#list ??= Object.freeze([...this.#open.values()].map(({ question }) => question)))
  }

  /** The run's interrupt handler. */
  put(request: InterruptRequest): Promise<unknown> {
    return request.channel === 'approval' ? this.#approval(request) : this.#question(request)
  }

  answer(id: string, value: unknown): Answered {
    const open = this.#open.get(id)
    if (open === undefined) return { taken: false, why: `No question ${id} waits for an answer.` }
    let plain: unknown
    try {
      plain = toPlain(value)
    } catch {
      return { taken: false, why: 'The answer is nothing that can be kept as JSON.' }
    }
    const { schema } = open.question.named
    const faults = schema === undefined ? [] : validate(schema, plain)
    if (faults.length > 0) return { taken: false, why: faultsText(faults, 'the answer'), faults }
    open.take(plain)
    return { taken: true }
  }

  async #approval({ named, path, effect }: InterruptRequest): Promise<unknown> {
    const { gate, about, signal } = this.#parts
    const { name, info } = about(named.target ?? '')
    const verdict = await gate.beforeToolCall(
      {
        id: path.replace(/\/approval:\d+$/, ''),
        name,
        args: named.args ?? {},
        ...(info === undefined ? {} : { tool: { description: info.description, parameters: info.parameters } }),
        ...(effect === undefined ? {} : { effect }),
        ...(named.policy === undefined || named.policy === GATE ? {} : { required: named.policy }),
      },
      signal(),
    )
    if (verdict === undefined) return { approved: true }
    if (verdict.block !== true) return { approved: true, args: verdict.args }
    // Where the person gave no reason the model is given none.
    return verdict.reason === DENIED ? { approved: false } : { approved: false, reason: verdict.reason }
  }

  #question({ channel, message, named, path }: InterruptRequest): Promise<unknown> {
    const { onChange } = this.#parts
    const signal = this.#parts.signal()
    return new Promise((resolve) => {
      const id = `question:${++this.#asked}`
      const over = (): void => {
        signal?.removeEventListener('abort', over)
        if (!this.#open.delete(id)) return
        this.#list = undefined
        onChange()
      }
      const take = (value: unknown): void => {
        resolve(value)
        over()
      }
      this.#open.set(id, { question: { id, callId: path.replace(/\/input:\d+$/, ''), channel, message, named }, take })
      this.#list = undefined
      signal?.addEventListener('abort', over, { once: true })
      onChange()
    })
  }
}
