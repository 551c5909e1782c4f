import { HaloError, type Span } from '../errors.ts'
import { comparePaths } from './journal.ts'
import { samePlain } from './plain.ts'
import type { EntryKind, InterruptRequest, JournalEntry, JournalRecord } from './types.ts'

export interface ReplayOptions {
  /** Ask the models again: new prompts against the same tool results. */
  liveModels?: boolean
  /** Run the tools again: writes, posts and shell commands happen. */
  liveTools?: boolean
}

/** Where a replay and its recording part ways. */
export interface Difference {
  path: string
  kind: EntryKind
  target: string
  span?: Span
  /** What the recorded run asked for there; absent: it asked for nothing (more) of the kind. */
  recorded?: { path: string; target: string; request: unknown }
  actual: { target: string; request: unknown }
}

export interface Wanted {
  kind: EntryKind
  path: string
  target: string
  request?: unknown
  span?: Span
}

/** Kinds that are the world of `liveTools`. */
const TOOLS: ReadonlySet<EntryKind> = new Set(['tool', 'store', 'methods', 'recovery', 'input'])

/**
 * The answers of a recorded run, for a replay of what may be another program by now: first by place and target, then the next
 * of the target that nobody used.
 */
export class ReplaySource {
  readonly liveTools: boolean
  readonly liveModels: boolean
  readonly differences: Difference[] = []
  readonly #answers: JournalEntry[]
  readonly #byPlace = new Map<string, JournalEntry>()
  readonly #byTarget = new Map<string, JournalEntry[]>()
  readonly #requests = new Map<JournalEntry, unknown>()
  readonly #open = new Map<string, JournalEntry>()
  readonly #used = new Set<JournalEntry>()
  /** A recording of before yields were recorded: every one was let through. */
  readonly #noYields: boolean

  constructor(record: JournalRecord, options: ReplayOptions = {}) {
    this.liveModels = options.liveModels === true
    this.liveTools = options.liveTools === true
    const bySeq = new Map(record.entries.map((entry) => [entry.seq, entry]))
    const answered = new Set(record.entries.map((entry) => entry.ref))
    this.#answers = record.entries.filter((entry) => entry.state === undefined)
    for (const entry of this.#answers) {
      this.#byPlace.set(placeOf(entry), entry)
      const queue = targetOf(entry)
      const list = this.#byTarget.get(queue)
      if (list === undefined) this.#byTarget.set(queue, [entry])
      else list.push(entry)
      this.#requests.set(entry, entry.request ?? (entry.ref === undefined ? undefined : bySeq.get(entry.ref)?.request))
    }
    if (record.end === undefined) {
      for (const entry of record.entries) if (entry.state === 'asked' && !answered.has(entry.seq)) this.#open.set(placeOf(entry), entry)
    }
    this.#noYields = record.start.version === '' && !this.#answers.some((entry) => entry.kind === 'yield')
  }

  /** Does this kind of answer come from the world, or follow from the program alone? */
  isLive({ kind, path }: Wanted): boolean {
    if (kind === 'agent') return this.liveModels
    // What policies say is said anew, by the policies as they are now; only links of the file system were the world.
    if (kind === 'verdict') return !isPathVerdict(path)
    return TOOLS.has(kind) && this.liveTools
  }

  /** The recorded answer at this very place. */
  exact(wanted: Wanted): JournalEntry | undefined {
    const entry = this.#byPlace.get(placeOf(wanted))
    if (entry === undefined || this.#used.has(entry) || !this.#fits(entry, wanted)) return undefined
    return this.#use(entry, wanted)
  }

  /** The question that the recorded run ends with, at this very place. */
  openQuestion(wanted: Wanted): JournalEntry | undefined {
    const entry = this.#open.get(placeOf(wanted))
    return entry !== undefined && this.#sameCall(entry, entry.request, wanted) ? entry : undefined
  }

  /** The next recorded answer of the target that nobody used. */
  next(wanted: Wanted): JournalEntry | undefined {
    const queue = this.#byTarget.get(targetOf(wanted))
    const entry = queue?.find((each) => !this.#used.has(each) && this.#fits(each, wanted))
    return entry === undefined ? undefined : this.#use(entry, wanted)
  }

  /** What is answered without a recording, because there could be none. */
  fallback(wanted: Wanted): { value: unknown } | undefined {
    return wanted.kind === 'yield' && this.#noYields ? { value: { approved: true } } : undefined
  }

  /** The error for what the recording has no answer for; it becomes a difference too. */
  mismatch(wanted: Wanted): HaloError {
    const { kind, path, target, request, span } = wanted
    this.differences.push({ path, kind, target, span, actual: { target, request } })
    const first = this.differences[0]
    return new HaloError('REPLAY_MISMATCH', `The recording has no ${this.#recorded(wanted) > 0 ? 'further ' : ''}answer for ${target} (${words[kind]} at ${path}): the pipeline or its input changed. ${this.#explain(first)}`.trim(), {
      path,
      span,
      data: { differences: this.differences.slice(0, 5) },
    })
  }

  #recorded(wanted: Wanted): number {
    return this.#byTarget.get(targetOf(wanted))?.length ?? 0
  }

  #explain(first: Difference | undefined): string {
    if (first === undefined) return ''
    const unused = this.#answers
      .filter((entry) => !this.#used.has(entry) && entry.kind === first.kind)
      .sort((a, b) => comparePaths(a.path, b.path))[0]
    const recorded = first.recorded ?? (unused === undefined ? undefined : { path: unused.path, target: unused.target, request: this.#requests.get(unused) })
    const asked = `${first.target} with ${brief(first.actual.request)}`
    if (recorded === undefined) return `The first difference: the replay asks for ${asked} at ${first.path}, and the recorded run asked for nothing more.`
    return `The first difference is at ${first.path}: the replay asks for ${asked}, the recorded run asked for ${recorded.target} with ${brief(recorded.request)}${recorded.path === first.path ? '' : ` at ${recorded.path}`}.`
  }

  #use(entry: JournalEntry, wanted: Wanted): JournalEntry {
    this.#used.add(entry)
    const request = this.#requests.get(entry)
    if (request !== undefined && wanted.request !== undefined && !samePlain(request, wanted.request)) {
      const { kind, path, target, span } = wanted
      this.differences.push({ path, kind, target, span, recorded: { path: entry.path, target: entry.target, request }, actual: { target, request: wanted.request } })
    }
    return entry
  }

  #fits(entry: JournalEntry, wanted: Wanted): boolean {
    return entry.target === wanted.target && this.#sameCall(entry, this.#requests.get(entry), wanted)
  }

  /** An approval answers the call it was given for, and no other. */
  #sameCall(entry: JournalEntry, request: unknown, wanted: Wanted): boolean {
    if (entry.kind !== 'approval' && entry.kind !== 'recovery') return true
    if (request === undefined) return true
    return samePlain(namedArgs(request), namedArgs(wanted.request))
  }
}

const words: Record<EntryKind, string> = {
  agent: 'a model request', tool: 'a tool call', approval: 'an approval', yield: 'a yield', listen: 'an event', input: 'a question of a tool',
  clock: 'the clock', methods: 'a list of methods', store: 'a search of a store', verdict: 'a decision', recovery: 'a question about a call that was cut off',
}

function placeOf({ kind, path }: { kind: string; path: string }): string {
  return `${kind} ${path}`
}

function targetOf({ kind, target }: { kind: string; target: string }): string {
  return `${kind} ${target}`
}

function isPathVerdict(path: string): boolean {
  return /\/paths(:\d+)?$/.test(path)
}

function namedArgs(request: unknown): unknown {
  return (request as Partial<InterruptRequest> | undefined)?.named?.args ?? null
}

function brief(request: unknown): string {
  const text = JSON.stringify(request) ?? 'nothing'
  return text.length <= 300 ? text : `${text.slice(0, 300)}…`
}
