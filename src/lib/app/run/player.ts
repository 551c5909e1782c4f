/**
 * The runs that live in this tab: started, taken up again, told of. Loaded with the engine when something is run or opened for
 * the first time; the page's first load must not carry it.
 */
import { HaloError } from '../../halo/errors.ts'
import type { HaloFile } from '../../halo/syntax/ast.ts'
import { createEventLog, type EventLog } from '../../storage/events.ts'
import { createJournalStore, pruneRuns } from '../../storage/journals.ts'
import { claimRun, type Claim } from '../../storage/owner.ts'
import { isOnDisk } from '../../storage/contents.ts'
import { projectIn } from '../../storage/read.ts'
import { isOpenRun } from '../../storage/runs.ts'
import type { Database, StoredProject, StoredRun } from '../../storage/database.ts'
import type { ProjectGate } from '../egress/egress.svelte.ts'
import type { Workspace } from '../files/workspace.svelte.ts'
import type { Project } from '../project/project.svelte.ts'
import { recordsRuns } from '../recordings/switch.ts'
import type { Keys } from '../settings/keys.svelte.ts'
import type { LiveReplay } from '../travel/live-replay.ts'
import { followOwner, tellOthers } from './across-tabs.ts'
import * as engine from './engine.ts'
import { questionsOf } from './questions.ts'
import { Session } from './session.svelte.ts'
import { TestResults } from './tests.svelte.ts'
import { runWords } from './words.ts'

/** Bytes of a disk's folder that are kept as a run found them, for its recording. */
const KEPT_OF_DISK = 8 << 20

/** What runs need of the page around them. */
export interface Surroundings {
  db: Database
  workspaceOf(id: string): Workspace
  /** Where live runs of a project work. */
  liveWorkspaceOf(project: string): Promise<Workspace>
  /** undefined for what must not get at them. */
  keysFor(project: Pick<StoredProject, 'elsewhere'>): Promise<Keys> | undefined
  gateFor(project: { id: string; name: string }): ProjectGate
  report(thrown: unknown): void
  /** A run began, waits, or has ended. */
  onchange(): void
}

/** What is chosen to be run. */
export interface Choice {
  project: Project
  file: HaloFile
  pipeline: string | undefined
  /** `live`, `mock` or `scenario:` and a test's name. */
  mode: string
  test: string | undefined
}

export class Player {
  readonly #page: Surroundings
  readonly #events: EventLog
  readonly #sessions = new Map<string, Session>()
  readonly #files = new Map<string, HaloFile>()

  constructor(page: Surroundings) {
    this.#page = page
    this.#events = createEventLog(page.db, page.report)
  }

  /** The newest run of a project that still lives in this tab. */
  sessionOf(projectId: string): Session | undefined {
    return [...this.#sessions.values()].findLast((session) => session.info.projectId === projectId)
  }
  /** Does this tab work on the run? */
  owns(runId: string): boolean {
    return this.#sessions.get(runId)?.elsewhere === false
  }
  live(runId: string): Session | undefined {
    return this.#sessions.get(runId)
  }
  /** The program a session plays, for the previews of its cards. */
  programOf(session: Session): HaloFile | undefined {
    return this.#files.get(session.info.runId)
  }

  /** @throws HaloError VALIDATION when the fields don't fit, or there is nothing to run */
  async start({ project, file, pipeline, mode, test }: Choice): Promise<Session> {
    if (pipeline === undefined) throw new HaloError('VALIDATION', runWords.noPipeline)
    const { db } = this.#page
    // A scenario writes files of its own: never to the disk.
    const workspace = test === undefined ? await this.#page.liveWorkspaceOf(project.id) : await this.#own(project.id)
    const prepared = test === undefined ? engine.prepare(file, pipeline) : engine.prepareScenario(file, test)
    if (test === undefined) {
      const texts = Object.fromEntries(prepared.pipeline.params.map(({ name }) => [name, project.field(pipeline, name)]))
      prepared.args = engine.argumentsFrom(prepared.pipeline, texts, file)
    }
    await workspace.disk?.ready()
    await project.keep('run')
    const seeded = await workspace.seed(prepared.files)
    await workspace.keepContents(KEPT_OF_DISK)
    workspace.mark()
    const runId = crypto.randomUUID()
    const claim = await claimRun(runId)
    const recorded = recordsRuns()
    const where = workspace.disk ? { workspace: workspace.id } : {}
    const folder = workspace.disk ? { folder: workspace.disk.name } : {}
    const mark = { project: project.id, mode, baseline: { ...workspace.files }, ...where, ...folder, ...(recorded ? {} : { unkept: true }) }
    const kind = test !== undefined ? ('scenario' as const) : mode === 'mock' ? ('mock' as const) : ('live' as const)
    const driver = engine.createDriver({
      runId, pipeline: prepared.pipeline.name, args: prepared.args, file, mocks: prepared.mocks, mode: kind, scenario: test, workspace,
      journal: createJournalStore(db, () => mark), keys: await this.#page.keysFor(project), gate: this.#page.gateFor(project),
    })
    const info = { runId, projectId: project.id, pipeline: prepared.pipeline.name, mode: kind, limit: prepared.limit, seeded, ...where, ...(workspace.disk && kind === 'live' ? { folder: workspace.disk.name } : {}), recorded: recorded && kind !== 'mock' }
    const session = new Session(info, driver, kind === 'mock' ? undefined : (event) => this.#events.add(event))
    if (claim) session.own(claim, kind === 'mock' ? undefined : this.#tell(session))
    this.#adopt(session, file)
    this.#page.onchange()
    void session.start()
    return session
  }

  /** A run of the list: as it was left, with its open cards. */
  async restore(run: StoredRun, shownProject: string | undefined): Promise<Session> {
    const { db } = this.#page
    const journal = createJournalStore(db)
    const record = await journal.load(run.runId)
    if (!record) throw new HaloError('VALIDATION', runWords.dismissed)
    const open = isOpenRun(run)
    const claim = open ? await claimRun(run.runId) : undefined
    const mode = run.mode ?? 'live'
    const file = engine.fileOf(record)
    const test = mode.startsWith('scenario:') ? mode.slice(9) : undefined
    const prepared = test === undefined ? engine.prepare(file, run.pipeline) : engine.prepareScenario(file, test, record)
    const projectId = run.project ?? shownProject ?? 'default'
    const workspace = await this.#own(run.workspace ?? projectId)
    // The project may have another folder by now, which this run has never seen.
    if (open && isOnDisk(workspace.id) && (!workspace.disk || (run.folder ?? workspace.disk.name) !== workspace.disk.name)) throw new HaloError('VALIDATION', runWords.folderLeft)
    const stored = await projectIn(db, projectId)
    // Where a project is gone, nobody can say any more whether it might have them.
    const keys = stored && (await this.#page.keysFor(stored))
    if (run.baseline) workspace.mark(run.baseline)
    const driver = engine.createDriver({
      runId: run.runId, pipeline: run.pipeline, args: record.start.args, file, mocks: prepared.mocks,
      mode: test === undefined ? 'live' : 'scenario', workspace, journal, keys,
      gate: this.#page.gateFor({ id: projectId, name: stored?.name ?? run.pipeline }),
    })
    const info = { runId: run.runId, projectId: workspace.disk ? projectId : workspace.id, ...(workspace.disk ? { workspace: workspace.id, folder: workspace.disk.name } : {}), pipeline: run.pipeline, mode: test === undefined ? mode : 'scenario', limit: prepared.limit, recorded: run.unkept !== true }
    const session = new Session(info, driver, (event) => this.#events.add(event))
    if (claim) session.own(claim, this.#tell(session))
    session.restore(await this.#events.load(run.runId), open ? questionsOf(record) : [], open && !claim)
    if (run.end) session.transcript.endAs(run.end, run.end.at - run.at)
    this.#adopt(session, file)
    if (session.elsewhere) followOwner(session, () => this.#events.load(run.runId), (taken) => void this.#take(session, taken).catch(this.#page.report))
    return session
  }

  /** A recorded run again, with models or tools that answer anew. Nothing of it is kept. */
  async replay(project: Pick<StoredProject, 'id' | 'name' | 'elsewhere'>, wanted: LiveReplay) {
    const { liveReplay } = await import('../travel/live-replay.ts')
    const made = await liveReplay(this.#page, project, wanted)
    this.#adopt(made.session, wanted.file)
    void made.session.start()
    return made
  }

  async runTests(file: HaloFile, project: string): Promise<TestResults> {
    const workspace = await this.#own(project)
    const results = new TestResults(file.tests.length)
    void results.play((signal) => engine.runAllTests(file, workspace, signal))
    return results
  }

  /** Ends a run that only waits: nothing of this tab works on it. */
  async end(runId: string): Promise<void> {
    await createJournalStore(this.#page.db).end(runId, { status: 'cancelled', output: null, at: Date.now() })
  }

  async remove(runId: string): Promise<void> {
    await createJournalStore(this.#page.db).remove(runId)
  }

  flush(): void {
    void this.#events.flush()
  }
  /** The tab closes: what runs here may go on elsewhere. */
  leave(): void {
    for (const session of this.#sessions.values()) session.leave()
  }

  async #own(id: string): Promise<Workspace> {
    const workspace = this.#page.workspaceOf(id)
    if (!workspace.known) await workspace.load()
    return workspace
  }
  #tell(session: Session) {
    return tellOthers(session, () => this.#events.flush())
  }
  /** The tab that worked on a run shown here is gone: it is this tab's now, if it is not over. */
  async #take(session: Session, claim: Claim): Promise<void> {
    const { runId } = session.info
    const run = await this.#page.db.get('runs', runId)
    if (session.stoppable && run?.end && run.end.status !== 'paused') session.endedElsewhere(run.end, run.end.at - run.at)
    if (!run || !session.stoppable) return claim.release()
    session.own(claim, this.#tell(session))
    this.#page.onchange()
  }

  #adopt(session: Session, file: HaloFile): void {
    const { runId } = session.info
    this.#sessions.set(runId, session)
    this.#files.set(runId, file)
    session.onSettled = () => {
      if (!session.stoppable) this.#sessions.delete(runId)
      void this.#page.workspaceOf(session.info.workspace ?? session.info.projectId).settled()
      void this.#settled().finally(() => this.#page.onchange())
    }
  }

  /** What is not to be kept goes only once its last events are written, else they would outlive it. */
  async #settled(): Promise<void> {
    try {
      await this.#events.flush()
      await pruneRuns(this.#page.db)
    } catch (thrown) {
      this.#page.report(thrown)
    }
  }
}
