/* eslint-disable svelte/prefer-svelte-reactivity -- the maps here find open things; what is shown of them is in state */
import { HaloError, messageOf, type Span } from '../../halo/errors.ts'
import type { HaloFile } from '../../halo/syntax/ast.ts'
import type { JournalRecord, Question, InterruptRequest } from '../../halo/run/types.ts'
import {
  claimRun,
  createEventLog,
  createJournalStore,
  heldRuns,
  listRuns,
  openStorage,
  type Database,
  type EventLog,
  type StoredProject,
  type StoredRun,
} from '../../storage/index.ts'
import { Egress, type ProjectGate } from '../egress/egress.svelte.ts'
import { Analysis } from '../editor/analysis.svelte.ts'
import { literalFiles } from '../project/literal-files.ts'
import { Documents } from '../editor/documents.svelte.ts'
import type { Editor } from '../editor/setup.ts'
import { Workspace } from '../files/workspace.svelte.ts'
import { exampleFiles, examples, firstExample, type Example } from '../project/examples.ts'
import { Project } from '../project/project.svelte.ts'
import type { Session } from '../run/session.svelte.ts'
import { TestResults } from '../run/tests.svelte.ts'
import { runWords } from '../run/words.ts'
import { Settings } from '../settings/settings.svelte.ts'
import { isGuest } from '../share/guest.ts'
import { Trust } from '../share/trust.svelte.ts'
import { Layout } from './layout.svelte.ts'

type Engine = typeof import('../run/engine.ts')
type Keys = import('../settings/keys.svelte.ts').Keys

/** `live`, `mock`, `tests`, or `scenario:` and a test's name. */
export type Mode = string
export const scenarioMode = (test: string): Mode => `scenario:${test}`

/** Everything that is open on the page. */
export class Workbench {
  readonly settings = new Settings()
  readonly layout = new Layout()
  readonly analysis = new Analysis()
  readonly documents = new Documents()
  /** What of elsewhere may run, and what may get at keys. */
  readonly trust = new Trust()
  #editor: Editor | undefined
  #reveal: { from: number; to: number } | undefined
  #db: Database | undefined
  #keys: Promise<Keys> | undefined
  #events: EventLog | undefined
  #project = $state.raw<Project>()
  #workspace = $state.raw<Workspace>()
  #session = $state.raw<Session>()
  #tests = $state.raw<TestResults>()
  #runs = $state.raw<StoredRun[]>([])
  #held = $state.raw<ReadonlySet<string>>(new Set())
  #problem = $state('')
  #kept = $state<boolean>()
  #egress = $state.raw<Egress>()
  #starting = $state(false)
  #engine = $state<'off' | 'starting' | 'ready' | 'failed'>('off')
  /** Runs and workspaces that live in this tab, also those of projects not shown now. */
  #sessions = new Map<string, Session>()
  #workspaces = new Map<string, Workspace>()
  #resumable = new Map<string, HaloFile>()

  get project(): Project | undefined {
    return this.#project
  }
  get workspace(): Workspace | undefined {
    return this.#workspace
  }
  get session(): Session | undefined {
    return this.#session
  }
  get tests(): TestResults | undefined {
    return this.#tests
  }
  get runs(): StoredRun[] {
    return this.#runs
  }
  /** Something to tell about the page as a whole: storage, mostly. */
  get problem(): string {
    return this.#problem
  }
  get engine(): 'off' | 'starting' | 'ready' | 'failed' {
    return this.#engine
  }
  get starting(): boolean {
    return this.#starting
  }
  get busy(): boolean {
    return this.#starting || this.#session?.status === 'running' || this.#tests?.running === true
  }
  get stoppable(): boolean {
    return this.#session?.stoppable === true || this.#tests?.running === true
  }
  /** Runs that wait for an answer and that no tab works on. */
  get waiting(): StoredRun[] {
    return this.#runs.filter((run) => isOpen(run) && run.asked.length > 0 && run.runId !== this.#session?.info.runId && !this.#held.has(run.runId))
  }

  /** Opens Settings, at a provider if one is named. */
  onsettings: ((provider: string | undefined) => void) | undefined

  editorReady(editor: Editor): void {
    this.#editor = editor
    if (this.#reveal) editor.reveal(this.#reveal.from, this.#reveal.to)
    this.#reveal = undefined
  }
  /** Shows a place of a source, in its file. */
  reveal({ from, to, file }: Span): void {
    const project = this.#project
    if (!project) return
    const other = (file !== undefined && file !== project.active) || this.documents.shown !== undefined || (this.layout.narrow && this.layout.main !== 'editor')
    if (file !== undefined) project.open(file)
    this.documents.open({ kind: 'project', path: project.active })
    this.layout.show('editor')
    if (other) this.#reveal = { from, to }
    else this.#editor?.reveal(from, to)
  }

  get db(): Database | undefined {
    return this.#db
  }
  /** Does what is stored outlast the tab? undefined until that is known. */
  get kept(): boolean | undefined {
    return this.#kept
  }
  /** Where the requests of runs may go. */
  get egress(): Egress | undefined {
    return this.#egress
  }
  dismissProblem(): void {
    this.#problem = ''
  }
  report = (thrown: unknown): void => {
    this.#problem = messageOf(thrown)
  }

  /** `embedded`: only what the address holds, nothing of the person's own. */
  async open(embedded = false): Promise<void> {
    try {
      const { db, kept } = await openStorage((problem) => this.report(problem))
      this.#db = db
      this.#kept = kept
      this.#egress = new Egress(db)
      this.#events = createEventLog(db, this.report)
      await this.trust.load(db)
      const shared = location.hash.length > 1 && (await this.openLink(location.hash))
      if (embedded) return
      if (!shared) await this.openOwn()
      await this.refreshRuns()
    } catch (thrown) {
      this.report(thrown)
    }
  }

  /** The person's own project that was open last; an example where there is none. */
  async openOwn(): Promise<void> {
    const own = (await this.#db?.getAll('projects'))?.filter((project) => !isGuest(project))
    const stored = own?.sort((a, b) => b.opened - a.opened)[0]
    if (stored) return this.show(stored)
    const first = firstExample()
    return first ? this.openExample(first) : this.show(emptyProject())
  }

  /** Opens what a link holds, inert. False, and why is said, when it holds nothing that can be opened. */
  async openLink(hash: string): Promise<boolean> {
    const { openHash } = await import('../share/actions.ts')
    return openHash(this, hash)
  }

  async refreshRuns(): Promise<void> {
    if (!this.#db) return
    this.#held = await heldRuns()
    this.#runs = await listRuns(this.#db)
  }

  async openExample(example: Example): Promise<void> {
    const id = `example:${example.id}`
    const stored = await this.#db?.get('projects', id)
    await this.show(stored ?? (await fromExample(id, example)))
  }
  async resetExample(): Promise<void> {
    const example = examples.find((one) => one.id === this.#project?.example)
    if (example) await this.show(await fromExample(`example:${example.id}`, example))
  }

  mode(): Mode {
    const chosen = this.#project?.mode
    const tests = this.analysis.tests
    if (chosen === 'live' || chosen === 'mock' || chosen === 'tests') return chosen
    const known = tests.find((test) => scenarioMode(test.name) === chosen) ?? tests.find((test) => test.pipeline.name === this.#project?.pipeline) ?? tests[0]
    return known ? scenarioMode(known.name) : 'mock'
  }
  /** The test whose scenario is chosen. */
  scenario() {
    const mode = this.mode()
    return this.analysis.tests.find((test) => scenarioMode(test.name) === mode)
  }
  pipeline() {
    const { pipelines, tests } = this.analysis
    const name = this.scenario()?.pipeline.name ?? this.#project?.pipeline
    return pipelines.find((one) => one.name === name) ?? pipelines.find((one) => one.name === 'Main') ?? pipelines.find((one) => one.name === tests[0]?.pipeline.name) ?? pipelines[0]
  }
  choosePipeline(name: string): void {
    const project = this.#project
    if (!project) return
    project.pipeline = name
    if (this.scenario() && this.scenario()?.pipeline.name !== name) {
      const other = this.analysis.tests.find((test) => test.pipeline.name === name)
      project.mode = other ? scenarioMode(other.name) : 'mock'
    }
  }

  async run(): Promise<void> {
    const { project, workspace } = this
    if (!project || !workspace || this.busy) return
    this.#starting = true
    this.layout.show('run')
    try {
      await this.analysis.now(project)
      const { file } = this.analysis
      if (!file || this.analysis.errors > 0) {
        this.layout.showBottom('problems')
        throw new HaloError('VALIDATION', runWords.invalid)
      }
      if (!(await this.trust.ask(project))) return
      const engine = await this.#load()
      if (this.mode() === 'tests') this.#runTests(engine, file, workspace)
      else await this.#startRun(engine, file, project, workspace)
    } catch (thrown) {
      this.report(thrown)
    } finally {
      this.#starting = false
    }
  }

  stop(): void {
    this.#tests?.stop()
    const session = this.#session
    const restored = session && !session.active
    session?.stop()
    if (restored && this.#db) {
      const end = { status: 'cancelled' as const, output: null, at: Date.now() }
      void Promise.resolve(createJournalStore(this.#db).end(session.info.runId, end)).then(() => this.refreshRuns(), this.report)
    }
  }

  /** Shows a run of the list: its transcript as it was, and its open cards. */
  async openRun(run: StoredRun): Promise<void> {
    const db = this.#db
    if (!db || !this.#events) return
    try {
      const live = this.#sessions.get(run.runId)
      const projectId = run.project ?? live?.info.projectId
      const stored = projectId === undefined ? undefined : await db.get('projects', projectId)
      if (stored && stored.id !== this.#project?.id) await this.show(stored)
      this.#session = live ?? (await this.#restore(db, this.#events, run))
      this.#tests = undefined
      this.layout.show('run')
    } catch (thrown) {
      this.report(thrown)
    }
  }

  async removeRun(runId: string): Promise<void> {
    if (!this.#db) return
    if (this.#session?.info.runId === runId) this.#session = undefined
    await createJournalStore(this.#db).remove(runId)
    await this.refreshRuns()
  }

  /** An example that was never run shows the files of its first test, so that there is something to look at. */
  async furnish(): Promise<void> {
    const workspace = this.#workspace
    const test = this.scenario() ?? this.analysis.tests[0]
    if (!workspace || !test || this.#project?.example === undefined || workspace.known) return
    await workspace.seed(literalFiles(test))
  }

  async format(): Promise<void> {
    const project = this.#project
    if (!project) return
    try {
      const { format } = await import('../../halo/syntax/index.ts')
      project.edit(project.active, format(project.source))
    } catch (thrown) {
      this.report(thrown)
    }
  }
  /** Before the page may go away: what is typed and changed goes to storage at once. */
  save(): void {
    void this.#project?.save()
    void this.#events?.flush()
    for (const workspace of this.#workspaces.values()) void workspace.flush()
  }
  leave(): void {
    this.save()
    for (const session of this.#sessions.values()) session.leave()
  }

  /** Keys, variables and prices; opened when something asks for them. */
  keys(): Promise<Keys> {
    this.#keys ??= import('../settings/keys.svelte.ts')
      .then(({ Keys }) => Keys.open(this.#db))
      .catch((thrown: unknown) => {
        this.#keys = undefined
        throw thrown
      })
    return this.#keys
  }

  /** undefined for what must not get at them. */
  #keysFor(project: Pick<StoredProject, 'elsewhere'>): Promise<Keys> | undefined {
    return this.trust.mayUseKeys(project) ? this.keys() : undefined
  }

  preload(): void {
    void this.#load().catch(() => undefined)
  }

  async #restore(db: Database, events: EventLog, run: StoredRun): Promise<Session> {
    const journal = createJournalStore(db)
    const record = await journal.load(run.runId)
    if (!record) throw new HaloError('VALIDATION', runWords.dismissed)
    const open = isOpen(run)
    const claim = open ? await claimRun(run.runId) : undefined
    const engine = await this.#load()
    const mode = run.mode ?? 'live'
    const file = engine.fileOf(record)
    const test = mode.startsWith('scenario:') ? mode.slice(9) : undefined
    const prepared = test === undefined ? engine.prepare(file, run.pipeline) : engine.prepareScenario(file, test, record)
    const workspace = this.#workspaceOf(run.project ?? this.#project?.id ?? 'default', db)
    const stored = await db.get('projects', workspace.id)
    if (run.baseline) workspace.mark(run.baseline)
    const driver = engine.createDriver({
      runId: run.runId, pipeline: run.pipeline, args: record.start.args, file, mocks: prepared.mocks,
      mode: test === undefined ? 'live' : 'scenario', workspace, journal, keys: await this.#keysFor(stored ?? {}),
      gate: this.#gateFor({ id: workspace.id, name: stored?.name ?? run.pipeline }),
    })
    const info = { runId: run.runId, projectId: workspace.id, pipeline: run.pipeline, mode: test === undefined ? mode : 'scenario', limit: prepared.limit }
    const session = new engine.Session(info, driver, (event) => events.add(event))
    if (claim) session.own(claim)
    session.restore(await events.load(run.runId), open ? questionsOf(record) : [], open && !claim)
    if (run.end) session.transcript.endAs(run.end, run.end.at - run.at)
    this.#adopt(session, file)
    return session
  }

  async #startRun(engine: Engine, file: HaloFile, project: Project, workspace: Workspace): Promise<void> {
    const pipeline = this.pipeline()
    if (!pipeline || !this.#db || !this.#events) throw new HaloError('VALIDATION', runWords.noPipeline)
    const mode = this.mode()
    const test = this.scenario()
    const prepared = test ? engine.prepareScenario(file, test.name) : engine.prepare(file, pipeline.name)
    if (!test) {
      const texts = Object.fromEntries(pipeline.params.map(({ name }) => [name, project.field(pipeline.name, name)]))
      prepared.args = engine.argumentsFrom(pipeline, texts, file)
    }
    await workspace.seed(prepared.files)
    workspace.mark()
    const runId = crypto.randomUUID()
    const claim = await claimRun(runId)
    const mark = { project: project.id, mode, baseline: { ...workspace.files } }
    const kind = test ? ('scenario' as const) : mode === 'mock' ? ('mock' as const) : ('live' as const)
    const driver = engine.createDriver({
      runId, pipeline: prepared.pipeline.name, args: prepared.args, file, mocks: prepared.mocks, mode: kind, scenario: test?.name, workspace,
      journal: createJournalStore(this.#db, () => mark), keys: await this.#keysFor(project), gate: this.#gateFor(project),
    })
    const events = this.#events
    const info = { runId, projectId: project.id, pipeline: prepared.pipeline.name, mode: kind, limit: prepared.limit }
    const session = new engine.Session(info, driver, kind === 'mock' ? undefined : (event) => events.add(event))
    if (claim) session.own(claim)
    this.#adopt(session, file)
    this.#session = session
    this.#tests = undefined
    void session.start()
  }

  #runTests(engine: Engine, file: HaloFile, workspace: Workspace): void {
    const results = new TestResults(file.tests.length)
    this.#tests = results
    void results.play((signal) => engine.runAllTests(file, workspace, signal))
  }

  #adopt(session: Session, file: HaloFile): void {
    const { runId } = session.info
    this.#sessions.set(runId, session)
    this.#resumable.set(runId, file)
    session.onSettled = () => {
      if (!session.stoppable) this.#sessions.delete(runId)
      void this.#events?.flush()
      void this.#workspaces.get(session.info.projectId)?.settled()
      void this.refreshRuns()
    }
  }

  /** The program a session plays, for the previews of its cards. */
  programOf(session: Session): HaloFile | undefined {
    return this.#resumable.get(session.info.runId)
  }

  /** Makes a stored project the one that is worked on. `named`: the address holds it. */
  async show(stored: StoredProject, named = false): Promise<void> {
    const db = this.#db
    if (!db) return
    // The address must not go on naming what is no longer shown.
    if (this.#project && !named && location.hash.length > 1) (await import('../share/address.ts')).clearAddress()
    await this.#project?.save()
    const project = new Project(stored, db, this.report)
    const workspace = this.#workspaceOf(stored.id, db)
    await workspace.load()
    this.#project = project
    this.#workspace = workspace
    this.#tests = undefined
    this.documents.clear()
    this.#session = [...this.#sessions.values()].findLast((session) => session.info.projectId === stored.id)
    await project.save()
  }

  #workspaceOf(id: string, db: Database): Workspace {
    let workspace = this.#workspaces.get(id)
    if (!workspace) {
      workspace = new Workspace(id, db, () => this.#makeSandbox(), this.report)
      this.#workspaces.set(id, workspace)
    }
    return workspace
  }

  #gateFor(project: { id: string; name: string }): ProjectGate {
    return (known) => this.#egress?.permitFor(project, known) ?? (() => Promise.resolve(false))
  }

  async #makeSandbox() {
    this.#engine = 'starting'
    try {
      const { createEmbedded } = await import('./sandbox.ts')
      const sandbox = createEmbedded()
      this.#engine = 'ready'
      return sandbox
    } catch (thrown) {
      this.#engine = 'failed'
      throw thrown
    }
  }

  #load(): Promise<Engine> {
    return import('../run/engine.ts')
  }
}

const isOpen = (run: StoredRun): boolean => run.end === undefined || run.end.status === 'paused'

/** The questions a journal holds open, as the runtime names them. */
function questionsOf({ start, entries }: JournalRecord): Question[] {
  const answered = new Set(entries.map((entry) => entry.ref))
  return entries.flatMap((entry): Question[] => {
    if (entry.state !== 'asked' || answered.has(entry.seq)) return []
    const request = { ...(entry.request as InterruptRequest), runId: start.runId, path: entry.path }
    const { deadline } = (entry.value ?? {}) as { deadline?: number }
    if (deadline !== undefined) request.deadline = deadline
    const waitingFor = entry.kind === 'listen' ? entry.target : entry.kind
    return [{ id: `${entry.kind}@${entry.path}`, path: entry.path, waitingFor, request }]
  })
}

function emptyProject(): StoredProject {
  return { id: 'own', name: 'Project', files: { 'main.halo': '' }, active: 'main.halo', fields: {}, opened: Date.now() }
}
async function fromExample(id: string, example: Example): Promise<StoredProject> {
  const files = await exampleFiles(example)
  return { id, name: example.title, example: example.id, files, active: `${example.id}.halo`, fields: {}, opened: Date.now() }
}
