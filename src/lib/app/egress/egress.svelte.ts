import type { Database } from '../../storage/database.ts'
import { transact } from '../../storage/transact.ts'
import { keyOf, readOrigins } from './kept.ts'
import type { Permit } from './gate.ts'

export interface Asking {
  project: string
  origin: string
  url: string
  answer(yes: boolean): void
}

interface Asked extends Asking {
  id: string
}

/** Origins that are kept for one project. */
const MOST = 200

/** Where the requests of each project may go, and the question to the person about a new address. One is asked at a time. */
export class Egress {
  readonly #db: Database
  #waiting = $state.raw<readonly Asked[]>([])
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- it finds questions under way; what is shown of them is in state
  readonly #pending = new Map<string, Promise<boolean>>()

  constructor(db: Database) {
    this.#db = db
  }

  get asking(): Asking | undefined {
    return this.#waiting[0]
  }

  /** The gate of one project; `known` says which origins need no question. A no holds for one request. */
  permitFor(project: { id: string; name: string }, known: (origin: string) => boolean): Permit {
    return async (origin, url, signal) => {
      if (known(origin)) return true
      signal?.throwIfAborted()
      if ((await this.#kept(project.id)).includes(origin)) return true
      const id = `${project.id} ${origin}`
      // Several requests to one address are one question.
      const pending = this.#pending.get(id) ?? this.#ask(id, project, origin, url)
      this.#pending.set(id, pending)
      return untilAborted(pending, signal, () => this.#waiting.find((one) => one.id === id)?.answer(false))
    }
  }

  async #ask(id: string, project: { id: string; name: string }, origin: string, url: string): Promise<boolean> {
    const yes = await new Promise<boolean>((answer) => {
      this.#waiting = [...this.#waiting, { id, project: project.name, origin, url, answer }]
    })
    this.#waiting = this.#waiting.filter((one) => one.id !== id)
    this.#pending.delete(id)
    if (yes) {
      // The answer counts even where it can't be kept. In one transaction: another tab may agree to more just now, or take something back.
      await transact(this.#db, ['settings'], async (tx) => {
        const settings = tx.objectStore('settings')
        const kept = readOrigins(await settings.get(keyOf(project.id))).filter((one) => one !== origin)
        await settings.put([origin, ...kept].slice(0, MOST), keyOf(project.id))
      }).catch(() => undefined)
    }
    return yes
  }

  async #kept(projectId: string): Promise<string[]> {
    return readOrigins(await this.#db.get('settings', keyOf(projectId)).catch(() => undefined))
  }
}

/** A run that is stopped takes its question along. */
function untilAborted(answer: Promise<boolean>, signal: AbortSignal | null | undefined, withdraw: () => void): Promise<boolean> {
  if (!signal) return answer
  return new Promise((resolve, reject) => {
    const stop = () => {
      withdraw()
      reject(signal.reason)
    }
    signal.addEventListener('abort', stop, { once: true })
    void answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** The gate of a project, before it is known which origins its program names. */
export type ProjectGate = (known: (origin: string) => boolean) => Permit
