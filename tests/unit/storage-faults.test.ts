import 'fake-indexeddb/auto'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { Workspace } from '../../src/lib/app/files/workspace.svelte.ts'
import { Project } from '../../src/lib/app/project/project.svelte.ts'
import { Player, type Surroundings } from '../../src/lib/app/run/player.ts'
import type { Session } from '../../src/lib/app/run/session.svelte.ts'
import { messageOf } from '../../src/lib/halo/errors.ts'
import { parse } from '../../src/lib/halo/parse.ts'
import { memorySandbox } from '../../src/lib/halo/sandbox/memory.ts'
import { registerToolProvider } from '../../src/lib/halo/tools/registry.ts'
import { createJournalStore, isOpenRun, keepWhole, listRuns, openDatabase, type StoredProject } from '../../src/lib/storage/index.ts'
import { failFrom, type Fault } from './support-faults.ts'

/**
 * The first minute of a person, with storage that fails at the nth write: for every n there is. Whatever fails, no call that
 * acted is made twice, no answer is used that isn't written down, the person is told, what was stored before can be read, and
 * once there is room the work goes on to the end that it would have had.
 */
const source = `policy Careful : ApproveEffects(write)
tool Notes : Workspace("./notes", write: true)
tool World : CountedWorld()
agent Clerk [mock/clerk] equips Notes, World requires Careful
pipeline Tidy(task: String) -> String :
  task |> World.act(n: 1) |> Clerk.work(tools: [Notes, World]) as said |> World.act(n: 3) |> System.Value(said)
test "it tidies" runs Tidy(task: "tidy") :
  files "./notes" : { "a.md": "old" }
  mock Clerk.work : call("Notes.read", { path: "a.md" }) then [call("World.act", { n: 2 }), call("Notes.write", { path: "a.md", content: "new" })] then "done"
`
const file = parse(source, { path: 'main.halo' })
const stored: StoredProject = { id: 'p', name: 'P', files: { 'main.halo': source }, active: 'main.halo', fields: {}, opened: 1 }

/** What was done to the world, by the place of the call. */
let acted: string[] = []
beforeAll(() => {
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('requestAnimationFrame', (act: () => void) => setTimeout(act, 0))
  vi.stubGlobal('cancelAnimationFrame', (id: number) => clearTimeout(id))
  const parameters = { type: 'object', properties: { n: { type: 'integer' }, input: {} } }
  registerToolProvider('CountedWorld', () => ({ act: async ({ n }, { callId }) => (acted.push(callId), `acted ${String(n)}`) }), {
    act: { description: 'Acts.', effect: 'external', parameters },
  })
})

let databases = 0
/** The page: what a reload makes anew over the same database. */
async function load(name: string) {
  const db = await openDatabase(undefined, name)
  const told: string[] = []
  const report = (thrown: unknown) => void told.push(messageOf(thrown))
  const workspace = new Workspace('p', db, async () => memorySandbox(), report)
  await workspace.load()
  const surroundings: Surroundings = {
    db,
    workspaceOf: () => workspace,
    liveWorkspaceOf: async () => workspace,
    keysFor: () => undefined,
    gateFor: () => () => async () => false,
    report,
    onchange: () => undefined,
  }
  return { db, told, workspace, player: new Player(surroundings), project: new Project((await db.get('projects', 'p')) ?? stored, db, report) }
}
type Page = Awaited<ReturnType<typeof load>>

/** Answers cards as a person does, who knows what became of a call that was cut off, until the run has ended. */
async function attend(session: Session): Promise<Session['status']> {
  for (let round = 0; round < 2000; round++) {
    for (const card of session.gate.open) {
      const { channel, path, named } = card.request
      const happened = acted.some((id) => id.endsWith(`:${path}`))
      const payload = channel !== 'recovery' ? { approved: true } : happened ? { done: `acted ${String(named.args?.n)}` } : 'retry'
      session.gate.answer(card, card.digest, { said: '', payload })
    }
    if (!session.active && !session.stoppable) return session.status
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  throw new Error(`the run has not ended: ${session.status}`)
}
const start = ({ player, project }: Page) => player.start({ project, file, pipeline: 'Tidy', mode: 'scenario:it tidies', test: 'it tidies' })

/** What a person was told of a run: why it ended, and what is noted in between. */
const toldIn = ({ transcript: { ending, stages } }: Session): string[] => [ending?.error?.message ?? '', ...stages.flatMap(({ rows }) => rows.flatMap((row) => (row.kind === 'note' ? [row.text] : [])))]

/** Saves the project and plays it; gives the session where there is one. */
async function journey(page: Page): Promise<Session | undefined> {
  try {
    page.project.edit('main.halo', `${source}// typed\n`)
    await page.project.save()
    const session = await start(page)
    await attend(session)
    await page.workspace.settled()
    return session
  } catch (thrown) {
    page.told.push(messageOf(thrown))
    return undefined
  }
}

async function text(workspace: Workspace, path: string): Promise<string> {
  return new TextDecoder().decode(await workspace.read(path))
}

let faults: ReturnType<typeof failFrom> | undefined
afterEach(() => faults?.restore())

const before = { start: { runId: 'before', pipeline: 'Tidy', args: {}, main: 'main.halo', sources: { 'main.halo': source }, at: 1, version: '0.1.0' }, entries: [], end: { status: 'completed' as const, output: 'kept', at: 2 } }

async function tryAt(n: number, fault: Fault, lasting: boolean, again: 'same page' | 'reload'): Promise<boolean> {
  acted = []
  const name = `faults-${databases++}`
  const page = await load(name)
  await keepWhole(page.db, before, { project: 'p' })
  faults = failFrom(n, fault, lasting)
  const session = await journey(page)
  // Events are written a moment later.
  await new Promise((resolve) => setTimeout(resolve, 20))
  const hit = faults.failed > 0
  const at = `write ${n} of ${faults.writes} (${faults.stores[0] ?? 'none'}), ${fault}, ${lasting ? 'until there is room' : 'once'}, ${again}`
  if (hit) expect([...page.told, ...(session ? toldIn(session) : [])].join('\n'), `${at}: told`).toMatch(/storage|journal|kept|written/i)
  // What was there before is there.
  expect((await createJournalStore(page.db).load('before'))?.end?.output, at).toBe('kept')
  faults.room()

  // There is room again: what is left of the work is done, in this page or in the next.
  page.player.flush()
  await page.project.save()
  await page.workspace.flush()
  let now = page
  if (again === 'reload') {
    page.player.leave()
    page.db.close()
    now = await load(name)
  }
  const run = (await listRuns(now.db)).find(({ runId }) => runId !== 'before')
  let status = session?.status
  if (!run) status = await attend(await start(now))
  else if (isOpenRun(run)) {
    const resumed = await now.player.restore(run, 'p')
    void resumed.goOn()
    status = await attend(resumed)
    expect(resumed.transcript.ending?.output, at).toBe('done')
  } else expect(run.end?.output, at).toBe('done')
  expect(status, at).toBe('completed')
  await now.workspace.settled()
  now.player.leave()

  expect(new Set(acted).size, `${at}: twice`).toBe(acted.length)
  expect(acted, at).toHaveLength(3)
  expect(await text(now.workspace, '/notes/a.md'), at).toBe('new')
  const ended = (await listRuns(now.db)).find(({ runId }) => runId !== 'before')
  expect(ended?.end?.status, at).toBe('completed')
  // Another start of the page sees the same.
  await now.project.save()
  now.db.close()
  const last = await load(name)
  expect(await text(last.workspace, '/notes/a.md'), at).toBe('new')
  expect(last.project.source, at).toContain('// typed')
  const kept = await createJournalStore(last.db).load(ended?.runId ?? '')
  // A call that was begun again after the fault has its answer there.
  const begun = new Map((kept?.entries ?? []).filter(({ state }) => state === 'begun').map((entry) => [`${entry.kind} ${entry.path}`, entry]))
  for (const { seq, target } of begun.values()) expect(kept?.entries.some(({ ref, state }) => ref === seq && state !== 'late'), `${at}: ${target} has its answer`).toBe(true)
  last.db.close()
  faults.restore()
  return hit
}

describe('storage that fails at any write', () => {
  for (const lasting of [false, true]) {
    for (const fault of ['thrown', 'QuotaExceededError', 'AbortError'] as const) {
      for (const again of ['same page', 'reload'] as const) {
        test(`${fault}, ${lasting ? 'until there is room' : 'once'}, then on in ${again === 'reload' ? 'the reloaded page' : 'the same page'}: nothing twice, nothing lost`, { timeout: 120_000 }, async () => {
          let n = 1
          while (await tryAt(n, fault, lasting, again)) n++
          console.log(`${n - 1} writes failed in turn: ${fault}, ${lasting ? 'lasting' : 'once'}, ${again}`)
          expect(n).toBeGreaterThan(20)
        })
      }
    }
  }
})
