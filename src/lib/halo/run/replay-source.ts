import { HaloError, type Span } from '../errors.ts'
import type { Translate } from './aligned.ts'
import { brief, differenceText } from './difference.ts'
import { comparePaths, EARLY, type Recorded } from './journal.ts'
import { samePlain } from './plain.ts'
import type { EntryKind, InterruptRequest, JournalEntry, JournalRecord } from './types.ts'

export interface ReplayOptions {
  /** Ask the models again: new prompts against the same tool results. */
  liveModels?: boolean
  /** Run the tools again: writes, posts and shell commands happen. */
  liveTools?: boolean
  /** Asked before each answer; what it gives is waited for. A page draws and hears its person meanwhile. */
  breathe?(): Promise<void> | undefined
}

/** How the program that is replayed relates to the recorded one. */
export interface Versions {
  /** Where a place was in the recorded program. */
  translate: Translate
  /** The same policies hold at the same places: then what they said is what they say. */
  samePolicies: boolean
}

export const SAME: Versions = { translate: (path) => path, samePolicies: true }

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

/** What answers in place of the world. */
export interface AnswerSource {
  readonly liveTools: boolean
  /** Parallel work all begins at once, whatever its limit: what halts in it must not hide what comes after. */
  readonly unlimited?: boolean
  /**
   * What is recorded of an ask; undefined where the world is asked after all. `parked`: resolves once everything else in the
   * run has come to a halt too, and rejects when the ask is stopped.
   */
  take(wanted: Wanted, parked: () => Promise<void>): Promise<Recorded | undefined>
}

/** Kinds that are the world of `liveTools`. */
const TOOLS: ReadonlySet<EntryKind> = new Set(['tool', 'store', 'methods', 'recovery', 'input'])

/**
 * The answers of a recorded run, for a replay of what may be another program by now: first by place and target, then the next
 * of the target that nobody used, one with the same request before others.
 */
export class ReplaySource implements AnswerSource {
  readonly liveTools: boolean
  readonly liveModels: boolean
  readonly differences: Difference[] = []
  readonly #breathe: () => Promise<void> | undefined
  readonly #answers: JournalEntry[]
  readonly #byPlace = new Map<string, JournalEntry[]>()
  readonly #byTarget = new Map<string, JournalEntry[]>()
  readonly #requests = new Map<JournalEntry, unknown>()
  readonly #open = new Map<string, JournalEntry>()
  readonly #used = new Set<JournalEntry>()
  /** The first divergence in words; it stays the first. */
  #explained: string | undefined
  readonly #versions: Versions
  /** The recording has no yields: as those of before yields were recorded, when every one was let through. */
  readonly #noYields: boolean
  /** The recorded run was cut off: it has no end, and waits for nothing. */
  readonly #cut: boolean

  constructor(record: JournalRecord, options: ReplayOptions = {}, versions: Versions = SAME) {
    this.liveModels = options.liveModels === true
    this.liveTools = options.liveTools === true
    this.#versions = versions
    this.#breathe = () => options.breathe?.()
    const bySeq = new Map(record.entries.map((entry) => [entry.seq, entry]))
    const answered = new Set(record.entries.map((entry) => entry.ref))
    // An event that came early is answered again where it was taken.
    this.#answers = record.entries.filter((entry) => entry.state === undefined && entry.path !== EARLY)
    for (const entry of this.#answers) {
      push(this.#byPlace, placeOf(entry), entry)
      push(this.#byTarget, targetOf(entry), entry)
      this.#requests.set(entry, entry.request ?? (entry.ref === undefined ? undefined : bySeq.get(entry.ref)?.request))
    }
    if (record.end === undefined) {
      for (const entry of record.entries) if (entry.state === 'asked' && !answered.has(entry.seq)) this.#open.set(placeOf(entry), entry)
    }
    this.#noYields = !record.entries.some((entry) => entry.kind === 'yield')
    this.#cut = record.end === undefined && this.#open.size === 0
  }

  /** Recorded answers that the replay has not asked for. */
  get unused(): readonly JournalEntry[] {
    return this.#answers.filter((entry) => !this.#used.has(entry) && entry.kind !== 'clock' && entry.kind !== 'verdict')
  }

  async take(wanted: Wanted, parked: () => Promise<void>): Promise<Recorded | undefined> {
    const pause = this.#breathe()
    if (pause !== undefined) await pause
    if (this.isLive(wanted)) return undefined
    const exact = this.exact(wanted)
    if (exact !== undefined) return { answer: exact }
    const asked = this.openQuestion(wanted)
    if (asked !== undefined) return { asked }
    const { kind, path, target, request } = wanted
    // What the rules say now and the recorded run didn't ask them, they say themselves.
    if (kind === 'verdict') return undefined
    await parked()
    const answer = this.next(wanted)
    if (answer !== undefined) return { answer }
    // The clock goes on: it is no part of the world that could have changed the run.
    if (kind === 'clock') return undefined
    if (this.liveTools && kind === 'approval') return undefined
    const fallback = this.fallback(wanted)
    if (fallback === undefined) throw this.mismatch(wanted)
    return { answer: { seq: -1, at: 0, path, kind, target, request, ...fallback } }
  }

  /** Does this kind of answer come from the world, or follow from the program alone? */
  isLive({ kind, path }: Wanted): boolean {
    if (kind === 'agent') return this.liveModels
    if (kind === 'verdict') return isPathVerdict(path) ? this.liveTools : !this.#versions.samePolicies && saysPolicy(path)
    return TOOLS.has(kind) && this.liveTools
  }

  /** The recorded answer at this very place. */
  exact(wanted: Wanted): JournalEntry | undefined {
    const place = this.#place(wanted)
    const entry = place === undefined ? undefined : this.#byPlace.get(place)?.find((each) => !this.#used.has(each) && this.#fits(each, wanted))
    return entry === undefined ? undefined : this.#use(entry, wanted)
  }

  /** The question that the recorded run ends with, at this very place. */
  openQuestion(wanted: Wanted): JournalEntry | undefined {
    const place = this.#place(wanted)
    const entry = place === undefined ? undefined : this.#open.get(place)
    return entry !== undefined && this.#sameCall(entry, entry.request, wanted) ? entry : undefined
  }

  /** The next recorded answer of the target that nobody used. */
  next(wanted: Wanted): JournalEntry | undefined {
    // What a run had spent, and what a rule said, is known of that place alone.
    if (wanted.kind === 'verdict' || (wanted.kind === 'clock' && wanted.target === 'meta')) return undefined
    const left = (this.#byTarget.get(targetOf(wanted)) ?? []).filter((each) => !this.#used.has(each) && this.#fits(each, wanted))
    const same = wanted.request === undefined ? undefined : left.find((each) => samePlain(this.#requests.get(each), wanted.request))
    const entry = same ?? left[0]
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
    const had = this.#byTarget.get(targetOf(wanted))?.length ?? 0
    const why = this.#cut
      ? 'the recorded run was cut off before it ended, or the pipeline or its input changed.'
      : 'the pipeline or its input changed.'
    return new HaloError('REPLAY_MISMATCH', `The recording has no ${had > 0 ? 'further ' : ''}answer for ${target} (${askedWords[kind]} at stage ${path}): ${why}${first === undefined ? '' : ` ${(this.#explained ??= this.#explain(first))}`}`, {
      path,
      span: first?.span ?? span,
      data: { differences: this.differences.slice(0, 5) },
    })
  }

  /** The first divergence, at its stage. */
  #explain(first: Difference): string {
    const asked = `${first.target} with ${brief(first.actual.request)}`
    const where = `The first difference is at stage ${first.path}: `
    const { recorded } = first
    if (recorded !== undefined) {
      const moved = recorded.path === first.path ? '' : ` (there it was at stage ${recorded.path})`
      return `${where}${first.target}${moved}: ${differenceText(recorded.request, first.actual.request) ?? 'the same request'}.`
    }
    const left = [...this.unused].sort((a, b) => comparePaths(a.path, b.path))
    const instead = left.find(({ kind }) => kind === first.kind) ?? left[0]
    if (instead === undefined) return `${where}${asked} is asked for; the recorded run asked for ${this.#cut ? 'nothing more before it was cut off' : 'nothing more'}.`
    return `${where}${asked} is asked for; the recorded run asked for ${instead.target} with ${brief(this.#requests.get(instead))} at stage ${instead.path}.`
  }

  #place({ kind, path }: Wanted): string | undefined {
    const was = this.#versions.translate(path)
    return was === undefined ? undefined : placeOf({ kind, path: was })
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

  /** An approval answers the call it was given for, and no other; a rule's word holds for what it was said of. */
  #sameCall(entry: JournalEntry, request: unknown, wanted: Wanted): boolean {
    if (request === undefined) return true
    if (entry.kind === 'verdict') return wanted.request === undefined || samePlain(request, wanted.request)
    if (entry.kind !== 'approval' && entry.kind !== 'recovery') return true
    return samePlain(namedArgs(request), namedArgs(wanted.request))
  }
}

/** What was asked for, in words. */
export const askedWords: Record<EntryKind, string> = {
  agent: 'a model request', tool: 'a tool call', approval: 'an approval', yield: 'a yield', listen: 'an event', input: 'a question of a tool',
  clock: 'the clock', methods: 'a list of methods', store: 'a search of a store', verdict: 'a decision', recovery: 'a question about a call that was cut off',
}

export function push<T>(lists: Map<string, T[]>, key: string, entry: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [entry])
  else list.push(entry)
}

/** Offsets in the text say which of a stage's expressions it was; a word put in before it moves them. */
export function placeOf({ kind, path }: { kind: string; path: string }): string {
  return `${kind} ${kind === 'clock' || kind === 'verdict' ? path.replace(/@\d+$/, '') : path}`
}

function targetOf({ kind, target }: { kind: string; target: string }): string {
  return `${kind} ${target}`
}

function isPathVerdict(path: string): boolean {
  return /\/paths(:\d+)?$/.test(path)
}

/** Is a verdict a policy's word? `matches()` of an expression is no policy's, and where a path leads is a fact. */
export function saysPolicy(path: string): boolean {
  return !isPathVerdict(path) && !/\/need:\d+@\d+$/.test(path)
}

function namedArgs(request: unknown): unknown {
  return (request as Partial<InterruptRequest> | undefined)?.named?.args ?? null
}
