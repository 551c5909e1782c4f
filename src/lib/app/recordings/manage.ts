/** What a person does with recordings. What goes wrong is said in words, and leaves what is stored as it was. */
import { messageOf } from '../../halo/errors.ts'
import { readLines, toLines } from '../../halo/recordings/lines.ts'
import { createJournalStore, keepWhole, pruneRuns, type Database, type StoredRun } from '../../storage/index.ts'
import { saveAs } from '../files/save.ts'
import type { Workbench } from '../shell/workbench.svelte.ts'
import { nameOf } from './names.ts'
import { recordingWords as words } from './words.ts'

/** Files larger than this are no recordings that this page could show. */
const MOST_BYTES = 512 * 1024 * 1024

export async function exportRun(bench: Workbench, run: StoredRun): Promise<void> {
  try {
    const record = bench.db && (await createJournalStore(bench.db).load(run.runId))
    if (!record) return
    saveAs(new Blob([toLines(record)], { type: 'application/jsonl' }), nameOf(run), `-${run.runId.slice(0, 8)}.jsonl`, 'run')
  } catch (thrown) {
    bench.report(thrown)
  }
}

export interface Imported {
  /** For the person, one sentence for each file. */
  said: string
  fault: boolean
}

export async function importFile(db: Database, file: File): Promise<Imported> {
  try {
    if (file.size > MOST_BYTES) return { said: words.refused(file.name, 'It is larger than 512 MB.'), fault: true }
    const { record, cut } = readLines(await file.text())
    if (!(await keepWhole(db, record, { imported: true }))) return { said: words.known(file.name), fault: false }
    await pruneRuns(db)
    const { pipeline } = record.start
    return { said: cut ? words.importedCut(pipeline, record.entries.length) : words.imported(pipeline, record.entries.length), fault: false }
  } catch (thrown) {
    return { said: words.refused(file.name, messageOf(thrown)), fault: true }
  }
}

export interface ListedRun {
  run: StoredRun
  /** How many runs it is a fork of a fork of. */
  depth: number
}

/** Forks stand under the run they were made from, where that is there; each level the newest first. */
export function asTree(runs: readonly StoredRun[]): ListedRun[] {
  const there = new Set(runs.map(({ runId }) => runId))
  const forks = new Map<string, StoredRun[]>()
  const roots: StoredRun[] = []
  for (const run of runs) {
    const parent = run.forkOf?.runId
    if (parent === undefined || !there.has(parent) || parent === run.runId) roots.push(run)
    else forks.set(parent, [...(forks.get(parent) ?? []), run])
  }
  const listed: ListedRun[] = []
  const seen = new Set<string>()
  const add = (run: StoredRun, depth: number): void => {
    // A file may say of two runs that each is a fork of the other.
    if (seen.has(run.runId)) return
    seen.add(run.runId)
    listed.push({ run, depth })
    for (const fork of forks.get(run.runId) ?? []) add(fork, depth + 1)
  }
  for (const run of roots) add(run, 0)
  for (const run of runs) add(run, 0)
  return listed
}
