import 'fake-indexeddb/auto'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { addFiles } from '../../src/lib/app/files/add.ts'
import { folderOf, isName } from '../../src/lib/app/files/incoming.ts'
import { leaveFolder } from '../../src/lib/app/files/leave-folder.ts'
import { Workspaces } from '../../src/lib/app/files/workspaces.svelte.ts'
import { deleteProject, undelete } from '../../src/lib/app/project/manage.ts'
import { projectOf } from '../../src/lib/app/project/project-zip.ts'
import { Project } from '../../src/lib/app/project/project.svelte.ts'
import { Player } from '../../src/lib/app/run/player.ts'
import { fromJson } from '../../src/lib/app/share/shared-project.ts'
import { forget, takeIn } from '../../src/lib/app/share/store.ts'
import type { Workbench } from '../../src/lib/app/shell/workbench.svelte.ts'
import { fileNow } from '../../src/lib/app/travel/replaying.ts'
import { keyed, uniqueNames } from '../../src/lib/halo/tools/providers/columns.ts'
import { memorySandbox } from '../../src/lib/halo/sandbox/memory.ts'
import { Workspace } from '../../src/lib/app/files/workspace.svelte.ts'
import { hashOf, keepVersion, keepWhole, listRuns, listVersions, openDatabase, saveWorkspace, type Database, type StoredProject } from '../../src/lib/storage/index.ts'
import { onDisk } from '../../src/lib/storage/contents.ts'

beforeAll(() => void vi.stubGlobal('navigator', {}))

let n = 0
const fresh = (): Promise<Database> => openDatabase(undefined, `manage-${n++}`)
const stored = (files: Record<string, string>, more: Partial<StoredProject> = {}): StoredProject => ({ id: 'p', name: 'P', files, active: Object.keys(files)[0] ?? '', fields: {}, opened: 1, ...more })
const fail = (thrown: unknown): never => {
  throw thrown
}

/** As much of the page as whole projects need. `again`: what is opened where nothing is left. */
async function page(first: StoredProject, again: StoredProject) {
  const db = await fresh()
  const workspaces = new Workspaces(db, fail, 'embedded')
  const bench = {
    db,
    workspaces,
    busy: false,
    stoppable: false,
    settings: { engine: 'embedded' as 'embedded' | 'webcontainer' },
    project: undefined as Project | undefined,
    workspace: undefined as Workspace | undefined,
    async show(one: StoredProject) {
      await bench.project?.save()
      bench.project = new Project(one, db, fail)
      bench.workspace = await workspaces.liveOf(one.id)
      await bench.project.save()
    },
    openOwn: () => bench.show(again),
  }
  await bench.show(first)
  return { db, bench, asBench: bench as unknown as Workbench }
}

describe('a project that is deleted and put back', () => {
  test('is shown and stored as it was, though another of its id was opened in its place', async () => {
    const { db, bench, asBench } = await page(stored({ 'main.halo': 'mine' }), stored({ 'main.halo': 'as it came' }))
    await bench.workspace?.write('/a.txt', 'my file')
    const whole = await deleteProject(asBench, 'p')
    expect(whole).toBeDefined()
    await bench.workspace?.write('/a.txt', 'as it came')
    if (whole) await undelete(asBench, whole)
    await bench.project?.save()
    await bench.workspace?.settled()
    expect(bench.project?.files).toEqual({ 'main.halo': 'mine' })
    expect((await db.get('projects', 'p'))?.files).toEqual({ 'main.halo': 'mine' })
    const mine = await hashOf(new TextEncoder().encode('my file'))
    expect(bench.workspace?.files).toEqual({ '/a.txt': mine })
    expect((await db.get('workspaces', 'p'))?.files).toEqual({ '/a.txt': mine })
  })
})

test('a folder of the disk that is left does not come back by a run that still worked on it', async () => {
  const db = await fresh()
  const workspaces = new Workspaces(db, fail, 'embedded')
  const worked = workspaces.of(onDisk('p'))
  worked.mark()
  await worked.settled()
  expect(await db.getKey('workspaces', onDisk('p'))).toBe(onDisk('p'))
  await workspaces.leaveFolder('p')
  worked.mark()
  await worked.settled()
  expect(await db.getKey('workspaces', onDisk('p'))).toBeUndefined()
})

test('a folder of the disk is not left while something runs on it', async () => {
  const { bench, asBench } = await page(stored({ 'main.halo': '' }), stored({ 'main.halo': '' }))
  const inPage = bench.workspace
  const folder = new Workspace(onDisk('p'), bench.db, async () => memorySandbox(), fail)
  bench.workspace = folder
  bench.busy = true
  await expect(leaveFolder(asBench)).rejects.toThrow(/Stop it or let it end/)
  expect(bench.workspace).toBe(folder)
  bench.busy = false
  await leaveFolder(asBench)
  expect(bench.workspace).toBe(inPage)
})

test('a run that waits does not go on in another folder than the one it began in', async () => {
  const db = await fresh()
  const source = 'pipeline Main -> String : System.Value("x")'
  const begun = (folder: string | undefined) => ({ project: 'p', workspace: onDisk('p'), ...(folder === undefined ? {} : { folder }) })
  const start = (runId: string) => ({ start: { runId, at: 1, pipeline: 'Main', args: {}, main: 'main.halo', sources: { 'main.halo': source }, version: '' }, entries: [] })
  const workspace = { id: onDisk('p'), known: true, disk: { name: 'other' } } as unknown as Workspace
  const player = new Player({ db, workspaceOf: () => workspace, liveWorkspaceOf: async () => workspace, keysFor: () => undefined, gateFor: () => () => async () => false, report: fail, onchange: () => undefined })
  for (const [runId, folder, refused] of [['a', 'shop', true], ['b', 'other', false], ['c', undefined, false]] as const) {
    await keepWhole(db, start(runId), begun(folder))
    const run = (await listRuns(db)).find((one) => one.runId === runId)
    const restored = run && player.restore(run, 'p')
    if (refused) await expect(restored).rejects.toThrow(/folder of your disk/)
    else expect((await restored)?.info.folder).toBe('other')
  }
})

test('a waiting run asks for keys only for a project that is there to say whether it may have them', async () => {
  const db = await fresh()
  const asked: unknown[] = []
  const workspace = (id: string) => new Workspace(id, db, async () => memorySandbox(), fail)
  const keysFor = (project: { elsewhere?: unknown }) => {
    asked.push(project.elsewhere)
    return undefined
  }
  const player = new Player({ db, workspaceOf: workspace, liveWorkspaceOf: async (id) => workspace(id), keysFor, gateFor: () => () => async () => false, report: fail, onchange: () => undefined })
  await db.put('projects', { ...stored({ 'main.halo': '' }), id: 'here', elsewhere: { digest: 'd', from: 'link' } })
  for (const project of ['here', 'gone']) {
    await keepWhole(db, { start: { runId: project, at: 1, pipeline: 'Main', args: {}, main: 'main.halo', sources: { 'main.halo': 'pipeline Main -> String : System.Value("x")' }, version: '' }, entries: [] }, { project })
    const run = (await listRuns(db)).find((one) => one.runId === project)
    if (run) await player.restore(run, project)
  }
  expect(asked).toEqual([{ digest: 'd', from: 'link' }])
})

test('a workspace that is asked for twice at once is read once', async () => {
  const db = await fresh()
  await saveWorkspace(db, { id: 'p', files: { '/a.txt': 'h' } })
  const workspace = new Workspace('p', db, async () => memorySandbox(), fail)
  const [first, second] = [workspace.load(), workspace.load()]
  await first
  void workspace.remove('/a.txt')
  await second
  expect(workspace.files).toEqual({})
})

test('a guest that is forgotten leaves no versions behind', async () => {
  const db = await fresh()
  const { stored: guest } = await takeIn(db, { name: 'G', files: { 'main.halo': 'x' }, active: 'main.halo', workspace: {}, fields: {} }, 'link')
  await keepVersion(db, { project: guest.id, why: 'typing', files: guest.files, active: guest.active })
  await forget(db, guest.id)
  for (const store of ['projects', 'workspaces', 'versions'] as const) expect(await db.count(store)).toBe(0)
})

describe('what is typed', () => {
  test('while other files are put in place stays', async () => {
    const project = new Project(stored({ 'main.halo': 'first' }), await fresh(), fail)
    const replaced = project.replace({ 'main.halo': 'an old version' }, 'main.halo', 'back')
    project.edit('main.halo', 'typed')
    await replaced
    expect(project.files).toEqual({ 'main.halo': 'typed' })
  })

  test('while the text of another tab is read stands, and that text is a version', async () => {
    const db = await fresh()
    const told: unknown[] = []
    const typing: { act?: () => void } = {}
    const slow = new Proxy(db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]): unknown => {
          const given: unknown = value.apply(target, args)
          return name === 'get' && typing.act ? (given as Promise<unknown>).finally(typing.act) : given
        }
      },
    })
    const here = new Project(stored({ 'main.halo': 'first' }), slow, (thrown) => told.push(thrown))
    await here.save()
    const there = new Project((await db.get('projects', 'p')) ?? stored({}), db, fail)
    there.edit('main.halo', 'theirs')
    await there.save()
    typing.act = () => here.edit('main.halo', 'mine')
    await here.follow(2)
    await here.save()
    expect((await db.get('projects', 'p'))?.files).toEqual({ 'main.halo': 'mine' })
    expect((await listVersions(db, 'p')).map(({ files }) => files['main.halo'])).toContain('theirs')
    expect(told).toHaveLength(1)
  })
})

describe('files that are added', () => {
  test('while a run is under way leave its changes to be undone from where it began', async () => {
    const { bench, asBench } = await page(stored({ 'main.halo': '' }), stored({ 'main.halo': '' }))
    bench.workspace?.mark()
    await bench.workspace?.write('/run.txt', 'of the run')
    bench.stoppable = true
    await addFiles(asBench, [{ path: '/own.txt', file: new Blob(['own']), to: 'workspace' }])
    expect(bench.workspace?.changes.map(({ path }) => path)).toEqual(['/own.txt', '/run.txt'])
  })

  const others = (...paths: string[]) => paths.map((path) => ({ path, file: new Blob([path]), to: 'workspace' as const }))
  test.each([
    ['a file where a folder is', ['/x.txt', '/notes']],
    ['a folder where a file is', ['/x.txt', '/notes/a.md/b.md']],
  ])('%s are refused before any is written, so that runs can still begin', async (_, paths) => {
    const { bench, asBench } = await page(stored({ 'main.halo': '' }), stored({ 'main.halo': '' }))
    await bench.workspace?.write('/notes/a.md', 'a')
    await expect(addFiles(asBench, others(...paths))).rejects.toThrow(/can’t be put there/)
    expect(Object.keys(bench.workspace?.files ?? {})).toEqual(['/notes/a.md'])
    await addFiles(asBench, others('/notes/b.md', '/notes/a.md'))
    expect(Object.keys(bench.workspace?.files ?? {})).toEqual(['/notes/a.md', '/notes/b.md'])
  })

  describe('where commands run in a container', () => {
    const program = [{ path: 'other.halo', file: new Blob(['// other']), to: 'project' as const }]

    test('programs take it from the project, since it has an open network', async () => {
      const { bench, asBench, db } = await page(stored({ 'main.halo': '' }), stored({ 'main.halo': '' }))
      const disposed = vi.fn()
      const engines = ['webcontainer', 'embedded'] as const
      let made = 0
      const workspace = new Workspace('p', db, async () => ({ ...memorySandbox(), engine: engines[made++] ?? 'embedded', dispose: disposed }), fail)
      bench.workspace = workspace
      bench.workspaces.leaveContainer = () => workspace.leaveContainer()
      await workspace.write('/a.txt', 'kept')
      expect((await workspace.sandbox()).engine).toBe('webcontainer')
      await addFiles(asBench, program)
      expect(disposed).toHaveBeenCalledOnce()
      const next = await workspace.sandbox()
      expect(next.engine).toBe('embedded')
      expect(new TextDecoder().decode(await next.read('/a.txt'))).toBe('kept')
    })

    test('none is added to a run that works there', async () => {
      const { bench, asBench } = await page(stored({ 'main.halo': '' }), stored({ 'main.halo': '' }))
      bench.stoppable = true
      bench.settings.engine = 'webcontainer'
      await expect(addFiles(asBench, program)).rejects.toThrow(/Stop the run/)
      expect(Object.keys(bench.project?.files ?? {})).toEqual(['main.halo'])
    })
  })

  test.each([
    ['./shop/', 'shop'],
    ['/shop/data', 'shop/data'],
    ['.github', '.github'],
    [' ', ''],
    ['/', ''],
  ])('%j is the folder %j', (typed, folder) => expect(folderOf(typed)).toBe(folder))
  test.each(['..', '../shop', 'a/../b', '.'])('%j is no folder', (typed) => expect(isName(folderOf(typed))).toBe(false))
})

describe('a project of which no file system could hold the files is refused', () => {
  const text = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
  const manifest = text({ form: 'halo-zip', version: 1, name: 'N', fields: {}, programs: ['main.halo'], workspace: 'in' })
  test.each([
    ['twice', { 'in/a': text('1'), a: text('2') }],
    ['file and folder', { 'in/a': text('1'), 'a/b': text('2') }],
  ])('as a zip: %s', (_, files) => expect(() => projectOf({ 'halo.json': manifest, 'main.halo': text(''), ...files }, 'n')).toThrow(/halo\.json/))
  test('as a link', () => {
    const shared = (workspace: Record<string, string>) => fromJson(JSON.stringify({ name: 'N', files: { 'main.halo': '' }, active: 'main.halo', fields: {}, workspace }))
    expect(() => shared({ '/a': '', '/a/b': '' })).toThrow()
    expect(Object.keys(shared({ '/a': '', '/ab/b': '' }).workspace)).toEqual(['/a', '/ab/b'])
  })
})

describe('the names of a table’s columns', () => {
  test('what a row has beyond them is not lost to one of them', () => {
    expect(keyed(['a', 'column_3'], ['x', 'y', 'z'])).toEqual({ a: 'x', column_3: 'y', column_3_2: 'z' })
  })
  test('one name very often is told apart at once', { timeout: 5000 }, () => {
    const names = uniqueNames(Array.from({ length: 300_000 }, () => 'a'))
    expect(new Set(names).size).toBe(300_000)
    expect(uniqueNames(['a', 'a_2', 'a', 'a'])).toEqual(['a', 'a_2', 'a_3', 'a_4'])
  })
})

test('a recording whose pipeline has a pattern for a name stops nothing', () => {
  const project = { files: { 'main.halo': `pipeline ${'a'.repeat(40)}!` }, active: 'main.halo' }
  const record = (pipeline: string) => ({ start: { runId: 'r', at: 1, pipeline, args: {}, main: 'main.halo', sources: {}, version: '' }, entries: [] })
  expect(fileNow({ project } as unknown as Workbench, record('(a+)+$'))).toBeUndefined()
  expect(fileNow({ project } as unknown as Workbench, record('('))).toBeUndefined()
  expect(fileNow({ project } as unknown as Workbench, record('a'.repeat(40)))).toBe('main.halo')
})
