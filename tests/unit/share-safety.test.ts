import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { gather, everything, staysAtHome, type ProjectSource, type WorkspaceSource } from '../../src/lib/app/share/gather.ts'
import { redactRecording } from '../../src/lib/app/share/redact.ts'
import { secretsIn, secretsOf } from '../../src/lib/app/share/secrets.ts'
import { toJson } from '../../src/lib/app/share/shared-project.ts'
import { toLines } from '../../src/lib/halo/recordings/lines.ts'
import { mayDo } from '../../src/lib/app/share/may-do.ts'
import { takeBack } from '../../src/lib/app/share/agree.ts'
import { openDatabase, type Database } from '../../src/lib/storage/database.ts'
import { parse } from '../../src/lib/halo/syntax/index.ts'
import type { JournalRecord } from '../../src/lib/halo/run/types.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const source: ProjectSource = {
  name: 'Notes',
  example: undefined,
  files: { 'main.halo': '// nothing\n' },
  active: 'main.halo',
  fields: { Main: { task: 'hello' } },
  pipeline: 'Main',
  mode: 'live',
}
const workspace = (files: Record<string, string>): WorkspaceSource => ({ files, read: (path) => Promise.resolve(files[path] === undefined ? undefined : bytes(files[path])) })

describe('what is gathered for a link', () => {
  it('leaves out files that by custom hold secrets, and says so', async () => {
    const files = { '/app/.env': 'A=b', '/app/.env.local': 'A=b', '/id_rsa': 'x', '/.git/config': 'x', '/a/node_modules/b/c.js': 'x', '/server.pem': 'x', '/app/main.js': 'x', '/env.md': 'x' }
    const { project, leftOut } = await gather(source, workspace(files), everything)
    expect(Object.keys(project.workspace)).toEqual(['/app/main.js', '/env.md'])
    expect(leftOut.sort()).toEqual(Object.keys(files).filter(staysAtHome).sort())
  })

  it('holds only what was chosen', async () => {
    const { project } = await gather(source, workspace({ '/a': 'x' }), { arguments: false, scenario: false, workspace: false })
    expect(project).toEqual({ name: 'Notes', files: source.files, active: 'main.halo', workspace: {}, fields: {} })
  })

  it('takes nothing along of what else a project knows', async () => {
    const more = { ...source, elsewhere: { digest: 'd', from: 'link' }, link: 'l', id: 'own', agreed: true, keys: 'planted' }
    const { project } = await gather(more, undefined, everything)
    expect(toJson(project)).not.toMatch(/planted|digest|agreed|own/)
  })
})

describe('the last look', () => {
  const secrets = secretsOf({ providers: { openai: { apiKey: 'sk-planted-key-1', headers: { 'x-team': 'planted-header' } } }, env: { TOKEN: 'planted"quoted"token', TINY: 'abc' } })
  it('finds a secret wherever it is', async () => {
    const places: [string, Partial<Parameters<typeof gather>[0]>, Record<string, string>][] = [
      ['main.halo', { files: { 'main.halo': '// sk-planted-key-1' } }, {}],
      ['/a.txt', {}, { '/a.txt': 'x planted-header y' }],
      ['the argument task of Main', { fields: { Main: { task: 'planted"quoted"token' } } }, {}],
      ['the name', { name: 'sk-planted-key-1' }, {}],
      ['what is chosen', { mode: 'scenario:sk-planted-key-1' }, {}],
    ]
    for (const [place, change, files] of places) {
      const { project } = await gather({ ...source, ...change }, workspace(files), everything)
      expect(secretsIn(project, secrets).flatMap((one) => one.places)).toEqual([place])
    }
    const { project } = await gather(source, undefined, everything, { mode: 'live', lines: JSON.stringify({ value: 'planted"quoted"token' }) })
    expect(secretsIn(project, secrets)).toEqual([{ name: 'TOKEN', places: ['the recording'] }])
  })
  it('takes short values for what they are: common text', async () => {
    const { project } = await gather({ ...source, name: 'abc' }, undefined, everything)
    expect(secretsIn(project, secrets)).toEqual([])
  })
})

describe('a recording that is shared', () => {
  const program = `policy Discreet : Redact("email") & Redact("project-\\\\w+") & Block("classified")
agent A [mock/a] requires Discreet
pipeline Main(task: String) -> String : task |> A.work
`
  const record: JournalRecord = {
    start: { runId: 'r1', pipeline: 'Main', args: { task: 'write to ann@example.com' }, main: 'main.halo', sources: { 'main.halo': program }, at: 1, version: '1' },
    entries: [
      { seq: 0, at: 2, path: '1/step:1', kind: 'agent', target: 'A.work', request: { messages: [{ role: 'user', content: 'ann@example.com project-zebra' }] }, value: 'to ann@example.com', opaque: { provider: 'p', data: 'sealed' }, reasoning: 'project-zebra', toolCalls: [{ id: '1', name: 'n', args: { to: 'bob@example.com' } }] },
      { seq: 1, at: 3, path: '2', kind: 'tool', target: 'T.m', error: { code: 'TOOL_ERROR', message: 'token planted-token-99 of ann@example.com' } },
    ],
    end: { status: 'completed', output: { text: 'this is classified', mail: 'ann@example.com' }, at: 4 },
  }
  it('holds nothing that a policy takes out, no secret and no opaque part', async () => {
    const { record: clean, ruled } = await redactRecording(record, { TOKEN: 'planted-token-99' })
    expect(ruled).toBe(true)
    const { sources: _sources, ...start } = clean.start
    const text = toLines({ ...clean, start: { ...start, sources: {} } })
    expect(text).not.toMatch(/ann@|bob@|project-zebra|this is classified|planted-token|sealed/)
    expect(clean.entries.map(({ seq, path, target }) => [seq, path, target])).toEqual(record.entries.map(({ seq, path, target }) => [seq, path, target]))
    expect(record.start.args.task).toContain('ann@example.com')
  })
  it('of a run that waits is one of a run that was cut off', async () => {
    for (const end of [undefined, { status: 'paused' as const, output: null, at: 9 }]) {
      const { record: clean } = await redactRecording({ start: record.start, entries: record.entries, ...(end ? { end } : {}) }, {})
      expect(clean.end?.status).toBe('cancelled')
    }
  })
  it('is refused when a policy can’t be read', async () => {
    const broken = { ...record, start: { ...record.start, sources: { 'main.halo': program.replace('"project-\\\\w+"', '"(a"') } } }
    await expect(redactRecording(broken, {})).rejects.toThrow(/can’t be shared/)
  })
})

describe('who may run and who may have keys', () => {
  const digest = 'd1'
  const guest = { elsewhere: { digest, from: 'link' as const } }
  let databases = 0
  let db: Database
  const load = async (top: unknown) => {
    const self = { location: { origin: 'https://halo.example' } }
    vi.stubGlobal('$state', Object.assign((value: unknown) => value, { raw: (value: unknown) => value }))
    vi.stubGlobal('window', { self, location: self.location, top: top ?? self })
    const { Trust } = await import('../../src/lib/app/share/trust.svelte.ts')
    const trust = new Trust()
    await trust.load(db)
    return trust
  }
  beforeEach(async () => (db = await openDatabase(undefined, `trust-${databases++}`)))

  it('is asked once for each content, and keys wait for the answer', async () => {
    const trust = await load(undefined)
    expect(trust.mayUseKeys({})).toBe(true)
    expect(trust.mayUseKeys(undefined)).toBe(false)
    expect(trust.mayUseKeys(guest)).toBe(false)
    const no = trust.ask(guest)
    expect(trust.asking).toBe(true)
    trust.answer(false)
    expect(await no).toBe(false)
    expect(trust.mayUseKeys(guest)).toBe(false)
    const yes = trust.ask(guest)
    trust.answer(true)
    expect(await yes).toBe(true)
    expect(trust.mayUseKeys(guest)).toBe(true)
    expect(await trust.ask(guest)).toBe(true)
    expect(trust.mayUseKeys({ elsewhere: { digest: 'd2', from: 'link' } })).toBe(false)
    await vi.waitFor(async () => expect((await load(undefined)).mayUseKeys(guest)).toBe(true))
    await takeBack(db, digest)
    await vi.waitFor(() => expect(trust.mayUseKeys(guest)).toBe(false))
    expect((await load(undefined)).needed(guest)).toBe(true)
  })

  it('keeps what was agreed to before names were kept with it, and reads nothing else as an agreement', async () => {
    await db.put('settings', [digest, { digest: 'd2', name: 'N', at: 5 }, 7, null, { name: 'no digest' }, { digest: 3 }], 'agreed')
    const trust = await load(undefined)
    expect(trust.agreed).toEqual([{ digest }, { digest: 'd2', name: 'N', at: 5 }])
    expect(trust.needed(guest)).toBe(false)
  })

  it('has no keys in a frame of another origin, and is not remembered there', async () => {
    const other = { get location(): never { throw new DOMException('', 'SecurityError') } }
    await db.put('settings', [digest], 'agreed')
    const trust = await load(other)
    expect(trust.mayUseKeys({})).toBe(false)
    expect(trust.needed(guest)).toBe(true)
    const yes = trust.ask(guest)
    trust.answer(true)
    await yes
    expect(trust.needed(guest)).toBe(false)
    expect(trust.mayUseKeys(guest)).toBe(false)
    expect(await db.get('settings', 'agreed')).toEqual([digest])
  })
})

describe('what a program may do', () => {
  it('names calls, models, variables and addresses, whoever hides them where', async () => {
    const file = parse(`tool Net : Http(base_url: "https://api.example/v1", headers: { authorization: Env.TOKEN })
tool Notes : Workspace("./n", write: true)
agent Clerk [openai/gpt-4o, base_url: "https://proxy.evil.example/v1"] equips Net, Notes
pipeline Main(task: String) -> String : task |> Clerk.work(tools: [Net, Notes])
`)
    const { sentences } = await mayDo(file, ['Main'])
    const text = sentences.map((one) => one.text).join('\n')
    expect(text).toMatch(/act on the world without asking: .*Net\.post/)
    expect(text).toMatch(/change files: .*Notes\.write/)
    expect(text).toMatch(/openai\/gpt-4o/)
    expect(text).toMatch(/variables TOKEN/)
    expect(text).toMatch(/https:\/\/api\.example, https:\/\/proxy\.evil\.example/)
  })
})
