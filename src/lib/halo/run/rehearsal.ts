/**
 * How far another program comes with the entries of a run: it is run with no world at all until it asks for something that
 * they don't have. Nothing is asked of models, tools or people.
 */
import type { Program } from '../check/program.ts'
import { HaloError } from '../errors.ts'
import type { RegexRunner } from '../policy/types.ts'
import { systemClock } from './clock.ts'
import { Execution } from './execution.ts'
import { comparePaths, EARLY, memoryJournal, type Recorded } from './journal.ts'
import { Mocks } from './mocks.ts'
import { samePlain } from './plain.ts'
import { placeOf, push, saysPolicy, type AnswerSource, type Versions, type Wanted } from './replay-source.ts'
import type { JournalEntry, JournalRecord, RunResult } from './types.ts'

export interface Rehearsed {
  /** The entries that the program asks for, by seq, with their place in it. */
  used: Map<number, string>
  /** What it asked for and they don't have, in the order of the program. */
  missing: Wanted[]
  /** How it ended; `cancelled` where it came to what is missing. */
  result: RunResult
}

/** `versions`: how the program relates to the one that the entries are of. */
export async function rehearse(program: Program, record: JournalRecord, versions: Versions, options: { signal?: AbortSignal; regexRunner?: RegexRunner } = {}): Promise<Rehearsed> {
  const { signal, regexRunner } = options
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  signal?.addEventListener('abort', stop, { once: true })
  const source = new RehearsalSource(record.entries, versions, stop)
  const world = {
    program,
    config: regexRunner === undefined ? {} : { regexRunner },
    mocks: new Mocks({}),
    journal: memoryJournal(),
    clock: systemClock,
    sandbox: () => Promise.reject(new HaloError('TOOL_CONFIG', 'A rehearsal has no files.')),
  }
  // The limit of time counts for what is run, not for this.
  const { timeoutMs: _, ...start } = record.start
  try {
    signal?.throwIfAborted()
    const result = await new Execution(world, start, { replay: source, onOver: () => undefined }).begin({ signal: stopping.signal })
    signal?.throwIfAborted()
    return { used: source.used, missing: [...source.missing].sort((a, b) => comparePaths(a.path, b.path)), result }
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

/** What the journal says of one place. */
interface Kept {
  entries: JournalEntry[]
  target: string
  request: unknown
  /** undefined: it was begun or put, and no more. */
  answer?: JournalEntry
}

class RehearsalSource implements AnswerSource {
  readonly liveTools = false
  readonly unlimited = true
  readonly used = new Map<number, string>()
  readonly missing = new Set<Wanted>()
  readonly #versions: Versions
  readonly #stop: () => void
  readonly #entries: readonly JournalEntry[]
  readonly #byPlace = new Map<string, Kept[]>()
  #halted = false

  constructor(entries: readonly JournalEntry[], versions: Versions, stop: () => void) {
    this.#entries = entries
    this.#versions = versions
    this.#stop = stop
    const openings = new Map<number, JournalEntry>()
    const answered = new Set(entries.map(({ ref }) => ref))
    for (const entry of entries) {
      if (entry.path === EARLY || entry.state === 'late') continue
      // Other policies say anew what they say.
      if (entry.kind === 'verdict' && !versions.samePolicies && saysPolicy(entry.path)) continue
      if (entry.state === undefined) {
        const opening = entry.ref === undefined ? undefined : openings.get(entry.ref)
        push(this.#byPlace, placeOf(entry), { entries: opening === undefined ? [entry] : [opening, entry], target: entry.target, request: entry.request ?? opening?.request, answer: entry })
      } else {
        openings.set(entry.seq, entry)
        if (!answered.has(entry.seq)) push(this.#byPlace, placeOf(entry), { entries: [entry], target: entry.target, request: entry.request })
      }
    }
  }

  async take(wanted: Wanted, parked: () => Promise<void>): Promise<Recorded | undefined> {
    const found = this.#find(wanted)
    if (found?.answer !== undefined) return { answer: found.answer }
    // Rules speak for themselves, and the clock goes on.
    if (found === undefined && (wanted.kind === 'verdict' || wanted.kind === 'clock')) return undefined
    if (found === undefined) this.missing.add(wanted)
    try {
      await parked()
    } catch (stopped) {
      // Parallel work beside it has failed: it is not asked for after all.
      if (!this.#halted) this.missing.delete(wanted)
      throw stopped
    }
    this.#halted = true
    this.#stop()
    throw new HaloError('CANCELLED', 'The rehearsal ends here.')
  }
  #find(wanted: Wanted): Kept | undefined {
    const was = this.#versions.translate(wanted.path)
    if (was === undefined) return undefined
    const list = this.#byPlace.get(placeOf({ kind: wanted.kind, path: was })) ?? []
    const at = list.findIndex(({ target, request }) => target === wanted.target && (request === undefined || wanted.request === undefined || samePlain(request, wanted.request)))
    const [found] = at === -1 ? [] : list.splice(at, 1)
    if (found === undefined) return undefined
    for (const { seq } of found.entries) this.used.set(seq, wanted.path)
    // A call that asked a person and has no outcome is entered again: its answers go with it.
    const opening = found.answer === undefined ? found.entries[0] : undefined
    if (opening !== undefined) {
      const below = `${opening.path}/`
      for (const { seq, path } of this.#entries) if (path.startsWith(below)) this.used.set(seq, wanted.path + path.slice(below.length - 1))
    }
    return found
  }
}
