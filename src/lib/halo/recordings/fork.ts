/** A run that goes on differently from a point of another one. */
import { HaloError } from '../errors.ts'
import { EARLY } from '../run/journal.ts'
import type { JournalEntry, JournalRecord, JournalStart, JournalStore, WorkspaceStore } from '../run/types.ts'

export interface ForkOptions {
  /** seq of the entry to fork at: an answer, or the question or beginning that it answers. */
  at: number
  /** Of the new run. */
  runId: string
  /** What the answer becomes. Absent: it stays, and what comes after it is run again. */
  answer?: Pick<JournalEntry, 'value' | 'toolCalls' | 'error'>
  /** The answer goes: the model, the tool or the person is asked again. */
  again?: boolean
  /** Files the new run begins with in place of those it finds: content hash by path, null for one that is removed. */
  files?: Record<string, string | null>
  /** When it was made, milliseconds since the epoch; now, if absent. */
  madeAt?: number
}

/**
 * The journal of a new run that has everything up to an entry, with that entry's answer changed. Resuming it runs what comes
 * after: of parallel work only the entry's own branch, and what follows the join; its siblings keep all they had got, and of a
 * nested pipeline or a loop only what follows inside it.
 * @throws HaloError VALIDATION when there is no such entry
 */
export function forkRecord(record: JournalRecord, options: ForkOptions): JournalRecord {
  const { at, runId, answer, again = false, files, madeAt = Date.now() } = options
  const { opening, outcome } = pairAt(record, at)
  const place = outcome ?? opening
  if (place === undefined) throw new HaloError('VALIDATION', `Run ${record.start.runId} has no entry ${at} to fork at.`)
  const changed = changedOutcome(record, { opening, outcome }, answer)
  const gone = new Set(again || answer !== undefined ? [outcome?.seq] : [])
  if (again) gone.add(opening?.seq)
  // A question that had no answer yet is forked at where it was put.
  const upTo = again ? Math.min(opening?.seq ?? Infinity, outcome?.seq ?? Infinity) : (outcome?.seq ?? place.seq)

  const besides = siblingsOf(place.path)
  const kept = record.entries.filter((entry) => !gone.has(entry.seq) && entry.path !== EARLY && (entry.seq <= upTo || besides(entry.path)))
  const heard = new Set(kept.map((entry) => entry.ref))
  const early = record.entries.filter((entry) => entry.path === EARLY && (entry.seq <= upTo || heard.has(entry.seq)))
  const entries = [...kept.map(settled), ...early, ...(answer === undefined ? [] : [changed])].sort((a, b) => a.seq - b.seq)

  const forkOf: NonNullable<JournalStart['forkOf']> = {
    runId: record.start.runId,
    seq: place.seq,
    kept: entries.reduce((last, entry) => Math.max(last, entry.seq), -1),
    ...(files === undefined ? {} : { files }),
  }
  const { timeoutMs: _, ...start } = record.start
  return { start: { ...start, runId, at: madeAt, forkOf }, entries }
}

interface Pair {
  /** `begun` or `asked`. */
  opening?: JournalEntry
  outcome?: JournalEntry
}

function pairAt({ entries }: JournalRecord, seq: number): Pair {
  const entry = entries.find((each) => each.seq === seq)
  if (entry === undefined) return {}
  if (entry.state === 'begun' || entry.state === 'asked') {
    const outcome = entries.findLast((each) => each.ref === seq)
    return { opening: entry, ...(outcome === undefined ? {} : { outcome }) }
  }
  const opening = entry.ref === undefined ? undefined : entries.find((each) => each.seq === entry.ref && each.path === entry.path)
  return { outcome: entry, ...(opening === undefined ? {} : { opening }) }
}

/** The entry with its new answer. What the old one had cost or changed is not the new one's. */
function changedOutcome({ entries }: JournalRecord, { opening, outcome }: Pair, answer: ForkOptions['answer']): JournalEntry {
  const place = outcome ?? opening
  if (place === undefined) throw new HaloError('VALIDATION', 'There is nothing to answer there.')
  const { at, path, kind, target } = place
  const seq = outcome?.seq ?? Math.max(...entries.map((entry) => entry.seq)) + 1
  const request = outcome?.request
  const ref = outcome?.ref ?? opening?.seq
  return {
    seq, at, path, kind, target,
    ...(request === undefined ? {} : { request }),
    ...(ref === undefined ? {} : { ref }),
    ms: 0,
    ...(kind === 'agent' ? { stop: (answer?.toolCalls ?? []).length > 0 ? ('tool_calls' as const) : ('stop' as const) } : {}),
    ...answer,
  }
}

/** A result that came too late for its own run is none too late for this one. */
function settled(entry: JournalEntry): JournalEntry {
  if (entry.state !== 'late') return entry
  const { state: _, ...answer } = entry
  return answer
}

/** Is a path in a branch or an item beside the one that `path` is in? */
export function siblingsOf(path: string): (other: string) => boolean {
  const groups = groupsIn(path)
  return (other) =>
    groups.some(({ before, member }) => {
      if (!other.startsWith(before)) return false
      const found = /^(?:[a-z]+(?![a-z])|\[\d+\])/.exec(other.slice(before.length))?.[0]
      return found !== undefined && found !== member && found.startsWith('[') === member.startsWith('[')
    })
}

/** The parallel stages that a path leads through: each one's own path, and the branch (`a`) or item (`[3]`) in it. */
function groupsIn(path: string): { before: string; member: string }[] {
  const groups: { before: string; member: string }[] = []
  // Stages stand at the front and after the name of a pipeline; steps, calls and the like are no part of it.
  for (const part of path.matchAll(/(?:^|>[A-Za-z_]\w*)([^/>]*)/g)) {
    const from = part.index + part[0].length - (part[1] ?? '').length
    for (const found of (part[1] ?? '').matchAll(/(?<=\d)[a-z]+|\[\d+\]/g)) groups.push({ before: path.slice(0, from + found.index), member: found[0] })
  }
  return groups
}

/** Content hashes by path. */
export type Files = Record<string, string>

/** The files as they were once the entry `seq` was there. `baseline`: what the run began with. */
export function filesAt({ start, entries }: JournalRecord, baseline: Files, seq = Infinity): Files {
  // A fork begins with what the entries it was given had made.
  const own = entries.filter((entry) => entry.seq > (start.forkOf?.kept ?? -1) && entry.seq <= seq)
  return applied(baseline, own)
}

/** The files that a fork begins with. `baseline`: what the run began with that it was made from. */
export function forkFiles(fork: JournalRecord, baseline: Files): Files {
  const { kept = -1, files = {} } = fork.start.forkOf ?? {}
  const found = applied(baseline, fork.entries.filter((entry) => entry.seq <= kept))
  for (const [path, hash] of Object.entries(files)) {
    if (hash === null) delete found[path]
    else found[path] = hash
  }
  return found
}

function applied(baseline: Files, entries: readonly JournalEntry[]): Files {
  const files: Files = { ...baseline }
  for (const { path, after } of entries.flatMap((entry) => entry.files ?? [])) {
    if (after === undefined) delete files[path]
    else files[path] = after
  }
  return files
}

/**
 * Their contents.
 * @throws HaloError VALIDATION that names what the store has lost
 */
export async function contentsOf(files: Files, store: WorkspaceStore): Promise<Record<string, Uint8Array>> {
  const contents: Record<string, Uint8Array> = {}
  const lost: string[] = []
  for (const [path, hash] of Object.entries(files)) {
    const content = await store.get(hash)
    if (content === undefined) lost.push(path)
    else contents[path] = content
  }
  if (lost.length > 0) throw new HaloError('VALIDATION', `What was in ${lost.join(', ')} at that point is no longer kept.`)
  return contents
}

/** Writes a whole journal into a store: a fork, or one from elsewhere. @throws HaloError VALIDATION when the run is there already */
export async function keepRecord(store: JournalStore, { start, entries, end }: JournalRecord): Promise<void> {
  const { runId } = start
  if ((await store.load(runId)) !== undefined) throw new HaloError('VALIDATION', `There is a run ${runId} already: it stays as it is.`)
  try {
    await store.create(start)
    for (const entry of entries) await store.append(runId, entry)
    if (end !== undefined) await store.end(runId, end)
  } catch (error) {
    // All of it or nothing.
    await Promise.resolve(store.remove(runId)).catch(() => undefined)
    throw error
  }
}
