import { HaloError, messageOf } from '../errors.ts'
import type { StoreMatch, ToolContext } from '../tools/types.ts'
import { bindTool, fetchOf } from './binding.ts'
import type { Frame } from './frame.ts'
import { toPlain } from './plain.ts'
import { maskSecrets } from './secrets.ts'

/** What a store knows about a text: asked through the journal, at `path/store:Name`. */
export async function storeContext(frame: Frame, name: string, query: string, path: string): Promise<StoreMatch[]> {
  const { run } = frame
  const here = `${path}/store:${name}`
  const mock = run.world.mocks.tool(`${name}.search`, name)
  const masked = <T>(value: T): T => maskSecrets(value, run.world.config.env) as T
  const entry = await run.ask({
    scope: frame.scope,
    path: here,
    kind: 'store',
    target: name,
    request: { query },
    perform: async () => {
      // Looking something up is a read, whatever the store.
      const mocked = mock?.({ query }, { effect: 'read' })
      if (mocked !== undefined) return { value: masked(matchesOf(toPlain(await mocked.value))) }
      const bound = await bindTool(frame, name)
      const box = await run.world.sandbox()
      const context: ToolContext = {
        signal: frame.scope.signal,
        runId: run.id,
        callId: `${run.id}:${here}`,
        path: here,
        fetch: fetchOf(run),
        env: run.world.config.env ?? {},
        sandbox: box,
        now: () => run.world.clock.now(),
        log: (message) => run.emit({ type: 'log', level: 'info', path: here, message: masked(message) }),
        progress: (done, total, note) => run.emit({ type: 'tool_progress', path: here, target: name, done, total, note: masked(note) }),
        requestHumanInput: () => Promise.reject(new HaloError('TOOL_ERROR', 'A store can\'t ask a person.')),
        interrupt: () => Promise.reject(new HaloError('TOOL_ERROR', 'A store can\'t pause a run.')),
      }
      try {
        return { value: masked(toPlain(await bound.definition?.matches?.(bound.config, query, context)) ?? []) }
      } catch (error) {
        return { error: { code: 'TOOL_ERROR', message: masked(`The store ${name} could not be searched: ${messageOf(error)}`) } }
      }
    },
  })
  if (entry.error !== undefined) throw new HaloError(entry.error.code, entry.error.message, { path: here, seq: entry.seq })
  return entry.value as StoreMatch[]
}

/** A mock of a store's search may give matches, a list of texts, or one text. */
function matchesOf(value: unknown): StoreMatch[] {
  const list: unknown[] = Array.isArray(value) ? value : typeof value === 'object' && value !== null && 'matches' in value && Array.isArray(value.matches) ? value.matches : [value]
  return list.flatMap((item): StoreMatch[] => {
    if (typeof item === 'string') return item === '' ? [] : [{ text: item, score: 1 }]
    return typeof item === 'object' && item !== null && 'text' in item && typeof item.text === 'string' ? [{ score: 1, ...item, text: item.text }] : []
  })
}
