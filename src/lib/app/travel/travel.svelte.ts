import { HaloError, messageOf } from '../../halo/errors.ts'
import type { Program } from '../../halo/check/program.ts'
import { filesAt, type Files } from '../../halo/recordings/fork.ts'
import { programOf } from '../../halo/run/runtime.ts'
import type { JournalEntry, JournalRecord } from '../../halo/run/types.ts'
import { createContentStore, createJournalStore, type Database, type StoredRun } from '../../storage/index.ts'
import { stageFinder, type StageNode } from '../graph/shape.ts'
import type { ReplayRun } from './replay-run.svelte.ts'
import { stageOf } from '../run/items.ts'
import { exchangesOf, type Exchange } from './conversation.ts'

/** What stands in the editor while a recording is open. */
export type Shown = { kind: 'source'; path: string; span?: { from: number; to: number } } | { kind: 'file'; path: string }

/** A recording that is gone through entry by entry: everything on the page is as it was at the one that is shown. */
export class Travel {
  readonly run: StoredRun
  readonly record: JournalRecord
  /** undefined: it came without a program, or with one that no longer reads; `problem` says so. */
  readonly program: Program | undefined
  readonly problem: string
  readonly exchanges: readonly Exchange[]
  readonly #find: (path: string) => StageNode | undefined
  readonly #contents: ReturnType<typeof createContentStore>
  /** What is done with it just now, in place of stepping through it. */
  tool = $state<'replay' | 'fork' | 'policies' | 'compare'>()
  /** Its replays, once there is one. */
  replay: ReplayRun | undefined
  #at = $state(0)
  /** A place the person asked for; it goes with the next step. */
  #chosen = $state.raw<Shown>()

  constructor(db: Database, run: StoredRun, record: JournalRecord) {
    this.run = run
    this.record = record
    this.exchanges = exchangesOf(record.entries)
    this.#contents = createContentStore(db)
    const read = readProgram(record)
    this.program = read.program
    this.problem = read.problem
    this.#find = read.program ? stageFinder(read.program, record.start.pipeline) : () => undefined
    this.#at = Math.max(0, record.entries.length - 1)
  }

  /** @throws HaloError VALIDATION when it is kept no longer */
  static async open(db: Database, run: StoredRun): Promise<Travel> {
    const record = await createJournalStore(db).load(run.runId)
    if (!record) throw new HaloError('VALIDATION', 'This recording is kept no longer.')
    return new Travel(db, run, record)
  }

  /** Index of the entry that is shown. */
  get at(): number {
    return this.#at
  }
  get last(): number {
    return Math.max(0, this.record.entries.length - 1)
  }
  get entry(): JournalEntry | undefined {
    return this.record.entries[this.#at]
  }
  go(to: number): void {
    this.#at = Math.max(0, Math.min(this.last, Math.round(to)))
    this.#chosen = undefined
  }
  /** The last entry by then that belongs to a stage; the first one after it where there is none. */
  goToStage(path: string): void {
    const of = (entry: JournalEntry): boolean => stageOf(entry.path) === path
    const { entries } = this.record
    const earlier = entries.findLastIndex((entry, i) => i <= this.#at && of(entry))
    const found = earlier >= 0 ? earlier : entries.findIndex(of)
    if (found >= 0) this.go(found)
  }

  /** The stage that the entry belongs to. */
  readonly stage: StageNode | undefined = $derived.by(() => this.entry && this.#find(this.entry.path))

  /** What was asked by then, the answer of the last one maybe still open. */
  readonly until: readonly Exchange[] = $derived.by(() => this.exchanges.slice(0, countUntil(this.exchanges, this.#at)))

  readonly files: Files = $derived.by(() => filesAt(this.record, this.run.baseline ?? {}, this.entry?.seq ?? -1))

  /** The source with the stage that was at work, or what the person asked for. */
  readonly shown: Shown = $derived.by(() => this.#chosen ?? sourceOf(this.record, this.stage?.span))

  showFile(path: string): void {
    this.#chosen = { kind: 'file', path }
  }
  showSource(path: string): void {
    this.#chosen = { kind: 'source', path }
  }
  showStage({ span }: StageNode): void {
    this.#chosen = sourceOf(this.record, span)
  }

  content(hash: string): Promise<Uint8Array | undefined> {
    return Promise.resolve(this.#contents.get(hash))
  }
}

function sourceOf({ start }: JournalRecord, span: { from: number; to: number; file?: string } | undefined): Shown {
  return { kind: 'source', path: span?.file ?? start.main, ...(span ? { span: { from: span.from, to: span.to } } : {}) }
}

function readProgram(record: JournalRecord): { program: Program | undefined; problem: string } {
  try {
    return { program: programOf(record.start), problem: '' }
  } catch (thrown) {
    return { program: undefined, problem: messageOf(thrown) }
  }
}

/** How many exchanges had begun by the entry at `at`; they stand in the order of their beginnings. */
function countUntil(exchanges: readonly Exchange[], at: number): number {
  let [low, high] = [0, exchanges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((exchanges[middle]?.index ?? Infinity) <= at) low = middle + 1
    else high = middle
  }
  return low
}
