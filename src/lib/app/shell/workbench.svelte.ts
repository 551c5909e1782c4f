import { HaloError, messageOf, type Span } from '../../halo/errors.ts'
import type { ReplayOutcome } from '../../halo/run/replay.ts'
import type { HaloFile } from '../../halo/syntax/ast.ts'
import type { Database, StoredProject, StoredRun } from '../../storage/database.ts'
import { openStorage } from '../../storage/open.ts'
import { projectIn, projectsIn } from '../../storage/read.ts'
import { Egress } from '../egress/egress.svelte.ts'
import { Analysis } from '../editor/analysis.svelte.ts'
import { Documents } from '../editor/documents.svelte.ts'
import { Place } from '../editor/place.svelte.ts'
import type { Editor } from '../editor/setup.ts'
import type { Workspace } from '../files/workspace.svelte.ts'
import { Workspaces } from '../files/workspaces.svelte.ts'
import { firstExample, type Example } from '../project/examples.ts'
import { Project } from '../project/project.svelte.ts'
import { emptyProject, exampleProject } from '../project/stored.ts'
import type { Player } from '../run/player.ts'
import { RunList } from '../run/run-list.svelte.ts'
import type { Session } from '../run/session.svelte.ts'
import type { TestResults } from '../run/tests.svelte.ts'
import { runWords } from '../run/words.ts'
import { Settings } from '../settings/settings.svelte.ts'
import { isGuest } from '../share/guest.ts'
import { Trust } from '../share/trust.svelte.ts'
import type { LiveReplay } from '../travel/live-replay.ts'
import type { Travel } from '../travel/travel.svelte.ts'
import { choosePipeline, modeOf, pipelineOf, scenarioOf } from './choice.ts'
import { Layout } from './layout.svelte.ts'
import { lazily } from './lazily.ts'

type Keys = import('../settings/keys.svelte.ts').Keys

/** Everything that is open on the page. */
export class Workbench {
  readonly settings = new Settings()
  readonly layout = new Layout()
  readonly analysis = new Analysis(async (project) => (await this.#keysFor(project))?.secrets()?.env)
  readonly documents = new Documents()
  /** What of elsewhere may run, and what may get at keys. */
  readonly trust = new Trust()
  readonly #place = new Place()
  #db: Database | undefined
  #project = $state.raw<Project>()
  #workspace = $state.raw<Workspace>()
  #session = $state.raw<Session>()
  #tests = $state.raw<TestResults>()
  #runs = $state.raw<RunList>()
  #problem = $state.raw<unknown>()
  #kept = $state<boolean>()
  #egress = $state.raw<Egress>()
  #starting = $state(false)
  #player: Player | undefined
  /** Projects are opened one after the other: what was chosen last is shown in the end. */
  #opened = Promise.resolve()
  #opening = $state(0)
  #workspaces = $state.raw<Workspaces>()
  #travel = $state.raw<Travel>()
  /** The files of a fork, while its run is shown. */
  #aside = $state.raw<Workspace>()

  get project(): Project | undefined {
    return this.#project
  }
  get workspace(): Workspace | undefined {
    return this.#aside ?? this.#workspace
  }
  set workspace(workspace: Workspace | undefined) {
    this.#workspace = workspace
    this.#aside = undefined
  }
  /** The folder of the disk that the project works on, while a run on files of the page is shown. */
  get folderBehind(): Workspace | undefined {
    return this.#aside && this.#workspace?.disk ? this.#workspace : undefined
  }
  get session(): Session | undefined {
    return this.#session
  }
  get tests(): TestResults | undefined {
    return this.#tests
  }
  get runs(): StoredRun[] {
    return this.#runs?.all ?? []
  }
  /** Something to tell about the page as a whole: storage, mostly. */
  get problem(): string {
    return this.#problem === undefined ? '' : messageOf(this.#problem)
  }
  /** Has storage no room for the last change? */
  get storageFull(): boolean {
    return this.#problem instanceof HaloError && this.#problem.code === 'STORAGE_FULL'
  }
  get workspaces(): Workspaces | undefined {
    return this.#workspaces
  }
  /** Is another project on its way? What is chosen meanwhile would be chosen for the one before. */
  get opening(): boolean {
    return this.#opening > 0
  }
  get busy(): boolean {
    return this.#starting || (this.#session?.status === 'running' && !this.#session.elsewhere) || this.#tests?.running === true
  }
  get stoppable(): boolean {
    return this.#session?.stoppable === true || this.#tests?.running === true
  }
  /** Open runs that are not shown, and wait for an answer or were cut off. */
  get waiting(): StoredRun[] {
    return this.#runs?.waiting(this.#session?.info.runId, (runId) => this.#player?.owns(runId) === true) ?? []
  }
  /** Open runs that another tab works on. */
  get elsewhere(): StoredRun[] {
    return this.#runs?.held.filter((run) => run.runId !== this.#session?.info.runId && !this.#player?.owns(run.runId)) ?? []
  }

  editorReady(editor: Editor): void {
    this.analysis.release()
    this.#place.ready(editor)
  }
  /** Shows a place of a source, in its file. */
  reveal({ from, to, file }: Span): void {
    const project = this.#project
    if (!project) return
    const other = this.#travel !== undefined || (file !== undefined && file !== project.active) || this.documents.shown !== undefined || (this.layout.narrow && this.layout.main !== 'editor')
    this.#travel = undefined
    if (file !== undefined) project.open(file)
    this.documents.open({ kind: 'project', path: project.active })
    this.layout.show('editor')
    this.#place.go(from, to, other)
  }

  /** Where the cursor was last, in which file. */
  get cursor(): Place['cursor'] {
    return this.#place.cursor
  }
  atCursor(at: number): void {
    if (this.#project) this.#place.at(this.#project.active, at)
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
    this.#problem = undefined
  }
  report = (thrown: unknown): void => {
    this.#problem = thrown
  }

  /** `embedded`: only what the address holds, nothing of the person's own. */
  open(embedded = false): Promise<void> {
    return this.#inTurn(() => this.#open(embedded))
  }
  #inTurn(act: () => Promise<void>): Promise<void> {
    this.#opening++
    return (this.#opened = this.#opened.then(act).catch(this.report).finally(() => this.#opening--))
  }
  async #open(embedded: boolean): Promise<void> {
    const { db, kept } = await openStorage((problem) => this.report(problem))
    this.#db = db
    this.#kept = kept
    this.#egress = new Egress(db)
    this.#runs = new RunList(db)
    this.#workspaces = new Workspaces(db, this.report, this.settings.engine)
    await this.trust.load(db)
    const shared = location.hash.length > 1 && (await this.openLink(location.hash))
    if (embedded) return
    if (!shared) await this.openOwn()
    await this.refreshRuns()
  }

  /** The person's own project that was open last; an example where there is none. */
  async openOwn(): Promise<void> {
    const own = this.#db && (await projectsIn(this.#db)).filter((project) => !isGuest(project))
    const stored = own?.sort((a, b) => b.opened - a.opened)[0]
    if (stored) return this.show(stored)
    const first = firstExample()
    return this.show(first ? await exampleProject(this.#db, first) : emptyProject())
  }

  /** Opens what a link holds, inert. False, and why is said, when it holds nothing that can be opened. */
  async openLink(hash: string): Promise<boolean> {
    const { openHash } = await import('../share/actions.ts')
    return openHash(this, hash)
  }

  async refreshRuns(): Promise<void> {
    await this.#runs?.refresh()
  }

  openExample(example: Example): Promise<void> {
    return this.#inTurn(async () => this.show(await exampleProject(this.#db, example)))
  }
  resetExample(): Promise<void> {
    return this.#inTurn(async () => (await import('../project/manage.ts')).resetExample(this))
  }

  mode() {
    return modeOf(this.#project, this.analysis)
  }
  /** The test whose scenario is chosen. */
  scenario() {
    return scenarioOf(this.#project, this.analysis)
  }
  pipeline() {
    return pipelineOf(this.#project, this.analysis)
  }
  choosePipeline(name: string): void {
    if (this.#project) choosePipeline(this.#project, this.analysis, name)
  }

  async run(): Promise<void> {
    if (this.busy) return
    this.#starting = true
    try {
      // An example that was just chosen is what is meant.
      await this.#opened
      this.#travel = this.#aside = undefined
      const { project, workspace } = this
      if (!project || !workspace) return
      this.layout.show('run')
      await this.analysis.now(project)
      const { file } = this.analysis
      if (!file || this.analysis.errors > 0) {
        this.layout.showBottom('problems')
        throw new HaloError('VALIDATION', runWords.invalid)
      }
      if (!(await this.trust.ask(project))) return
      const player = await this.#load()
      const mode = this.mode()
      if (mode === 'tests') {
        this.#tests = await player.runTests(file, project.id)
        return
      }
      const session = await player.start({ project, file, pipeline: this.pipeline()?.name, mode, test: this.scenario()?.name })
      // Another project may be on screen by now; the run is found with its own.
      if (this.#project !== project) return
      this.#session = session
      this.#asideOf(session)
      this.#tests = undefined
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
    if (restored) void this.#load().then((player) => player.end(session.info.runId)).then(() => this.refreshRuns(), this.report)
  }

  /** Shows a run of the list: its transcript as it was, and its open cards. */
  async openRun(run: StoredRun): Promise<void> {
    const db = this.#db
    if (!db) return
    try {
      const player = await this.#load()
      const live = player.live(run.runId)
      const projectId = run.project ?? live?.info.projectId
      const stored = projectId === undefined ? undefined : await projectIn(db, projectId)
      if (stored && stored.id !== this.#project?.id) await this.show(stored)
      this.#session = live ?? (await player.restore(run, this.#project?.id))
      this.#asideOf(this.#session)
      this.#travel = undefined
      this.#tests = undefined
      this.layout.show('run')
    } catch (thrown) {
      this.report(thrown)
    }
  }

  /** A run that works on other files than those shown brings them along. */
  #asideOf({ info }: Session): void {
    const workspace = this.#workspaces?.of(info.workspace ?? info.projectId)
    this.#aside = workspace === this.#workspace ? undefined : workspace
  }

  /** Shows an open run, and goes on with it where nothing but that is asked for. */
  async resumeRun(run: StoredRun): Promise<void> {
    await this.openRun(run)
    const session = this.#session
    if (session?.info.runId === run.runId && (run.asked.length === 0 || run.forkOf)) void session.goOn()
  }

  /** A recording that is gone through: while it is open, the page is as it was at its entries. */
  get travel(): Travel | undefined {
    return this.#travel
  }
  async travelTo(run: StoredRun): Promise<void> {
    const db = this.#db
    if (!db) return
    try {
      const { Travel } = await import('../travel/travel.svelte.ts')
      this.#travel = await Travel.open(db, run)
      this.layout.show('recordings')
    } catch (thrown) {
      this.report(thrown)
    }
  }
  leaveTravel(): void {
    this.#travel = undefined
  }

  /** Plays a recorded run again with models or tools that answer anew, and tells what came of it. */
  async replayLive(wanted: LiveReplay): Promise<ReplayOutcome> {
    const project = this.#project
    if (!project || this.busy) throw new HaloError('VALIDATION', runWords.busy)
    if (!wanted.keyless && !(await this.trust.ask(project))) throw new HaloError('CANCELLED', runWords.stopped)
    const { session, outcome } = await (await this.#load()).replay(project, wanted)
    this.#session = session
    this.#tests = undefined
    this.layout.show('run')
    return outcome
  }

  async removeRun(runId: string): Promise<void> {
    if (!this.#db) return
    if (this.#session?.info.runId === runId) this.#session = this.#aside = undefined
    if (this.#travel?.run.runId === runId) this.#travel = undefined
    await (await this.#load()).remove(runId)
    await this.refreshRuns()
  }

  /** Before the page may go away: what is typed and changed goes to storage at once. */
  save(): void {
    void this.#project?.save()
    this.#player?.flush()
    this.#workspaces?.flush()
  }
  leave(): void {
    this.save()
    this.#player?.leave()
  }

  /** Keys, variables and prices; opened when something asks for them. */
  readonly keys: () => Promise<Keys> = lazily(async () => (await import('../settings/keys.svelte.ts')).Keys.open(this.#db))

  /** undefined for what must not get at them. */
  #keysFor(project: Pick<StoredProject, 'elsewhere'>): Promise<Keys> | undefined {
    return this.trust.mayUseKeys(project) ? this.keys() : undefined
  }

  preload(): void {
    void this.#load().catch(() => undefined)
  }

  /** The program a session plays, for the previews of its cards. */
  programOf(session: Session): HaloFile | undefined {
    return this.#player?.programOf(session)
  }

  /** Makes a stored project the one that is worked on. `named`: the address holds it. */
  async show(stored: StoredProject, named = false): Promise<void> {
    const db = this.#db
    const workspaces = this.#workspaces
    if (!db || !workspaces) return
    // What is being agreed to is what was shown.
    this.trust.answer(false)
    // The address must not go on naming what is no longer shown.
    if (this.#project && !named && location.hash.length > 1) (await import('../share/address.ts')).clearAddress()
    await this.#project?.save()
    const project = new Project(stored, db, this.report)
    const workspace = await workspaces.liveOf(stored.id)
    this.#project = project
    this.#workspace = workspace
    this.#travel = this.#aside = undefined
    this.#tests = undefined
    this.documents.clear()
    this.#session = this.#player?.sessionOf(stored.id)
    if (this.#session) this.#asideOf(this.#session)
    await project.save()
  }

  readonly #load = lazily(() => this.#makePlayer())
  async #makePlayer(): Promise<Player> {
    const db = this.#db
    const workspaces = this.#workspaces
    if (!db || !workspaces) throw new HaloError('VALIDATION', runWords.noStorage)
    const { Player } = await import('../run/player.ts')
    return (this.#player = new Player({
      db,
      workspaceOf: (id) => workspaces.of(id),
      liveWorkspaceOf: (project) => workspaces.liveOf(project),
      keysFor: (project) => this.#keysFor(project),
      gateFor: (project) => (known) => this.#egress?.permitFor(project, known) ?? (() => Promise.resolve(false)),
      report: this.report,
      onchange: () => void this.#runs?.changed().catch(this.report),
    }))
  }
}
