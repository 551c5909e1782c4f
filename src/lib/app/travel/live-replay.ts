/** A recorded run again with models or tools that answer anew: a session like any other, of which nothing is kept. */
import { HaloError } from '../../halo/errors.ts'
import { loadPrices } from '../../halo/models/prices.ts'
import { contentsOf } from '../../halo/recordings/fork.ts'
import { replay, type ReplayOutcome } from '../../halo/run/replay.ts'
import type { JournalRecord, WorkspaceStore } from '../../halo/run/types.ts'
import type { Sandbox } from '../../halo/sandbox/types.ts'
import type { HaloFile } from '../../halo/syntax/ast.ts'
import { createContentStore, type StoredRun } from '../../storage/index.ts'
import { gatedFetch, gatedSandbox } from '../egress/gate.ts'
import { knownTo } from '../run/engine.ts'
import type { Surroundings } from '../run/player.ts'
import { regexRunner } from '../run/regex-worker.ts'
import { Session, type Driver } from '../run/session.svelte.ts'
import { createEmbedded } from '../shell/sandbox.ts'
import type { StoredProject } from '../../storage/index.ts'

export interface LiveReplay {
  run: StoredRun
  record: JournalRecord
  /** The program that is replayed. */
  file: HaloFile
  liveModels: boolean
  liveTools: boolean
  /** The recording and its program came from elsewhere: no keys, no variables. */
  keyless: boolean
  signal: AbortSignal
}

/** `project`: whose keys and addresses count. The outcome rejects when nothing could be replayed. */
export async function liveReplay(page: Surroundings, project: Pick<StoredProject, 'id' | 'name' | 'elsewhere'>, wanted: LiveReplay): Promise<{ session: Session; outcome: Promise<ReplayOutcome> }> {
  const { run, record, file, liveModels, liveTools, keyless, signal } = wanted
  const keys = keyless ? undefined : await page.keysFor(project)
  // Nobody has agreed to the addresses that a program from elsewhere names.
  const permit = page.gateFor(project)(keyless ? () => false : knownTo({ file, ...(keys ? { keys } : {}) }))
  const store = createContentStore(page.db)
  let settle: (outcome: ReplayOutcome) => void = () => undefined
  let fail: (thrown: unknown) => void = () => undefined
  const outcome = new Promise<ReplayOutcome>((resolve, reject) => ([settle, fail] = [resolve, reject]))
  const driver: Driver = {
    start: async (hooks) => {
      let sandbox: Promise<Sandbox> | undefined
      try {
        await loadPrices()
        const made = await replay(file, record, {
          liveModels,
          liveTools,
          signal: hooks.signal,
          config: {
            onEvent: hooks.onEvent,
            onInterrupt: hooks.onInterrupt,
            regexRunner: regexRunner(),
            prices: keys?.prices,
            sandbox: async () => gatedSandbox(await (sandbox ??= copyOf(run, store)), permit),
            fetch: gatedFetch(permit),
            keys: keys ? keys.credentials : () => undefined,
            env: keys ? keys.env() : {},
          },
        })
        settle(made)
        return made.result
      } catch (thrown) {
        fail(thrown)
        throw thrown
      } finally {
        await (await sandbox?.catch(() => undefined))?.dispose()
      }
    },
    goOn: () => Promise.reject(new HaloError('VALIDATION', 'A replay can’t be taken up again: start it anew.')),
  }
  const session = new Session({ runId: crypto.randomUUID(), projectId: project.id, pipeline: record.start.pipeline, mode: 'replay', recorded: false }, driver)
  signal.addEventListener('abort', () => session.stop(), { once: true })
  return { session, outcome }
}

/** The files that the recorded run began with, apart from those of the project. */
async function copyOf(run: StoredRun, store: WorkspaceStore): Promise<Sandbox> {
  const contents = await contentsOf(run.baseline ?? {}, store)
  const sandbox = createEmbedded()
  for (const [path, content] of Object.entries(contents)) await sandbox.write(path, content)
  return sandbox
}
