/** The call itself: a mock or the provider's method, with the decorators of the declaration and of the call. */
import { HaloError, messageOf } from '../errors.ts'
import type { JsonSchema } from '../models/types.ts'
import type { FileChange } from '../sandbox/types.ts'
import type { Decorator } from '../syntax/ast.ts'
import { idempotencyKey, memoryIdempotencyStore, once, type IdempotencyScope, type IdempotencyStore } from '../tools/middleware/idempotency.ts'
import { retrying } from '../tools/middleware/retry.ts'
import { settle } from '../tools/middleware/settle.ts'
import { withinTime } from '../tools/middleware/time.ts'
import type { Effect, MethodInfo } from '../tools/types.ts'
import { bindTool, protectedBy, type DescribedTool } from './binding.ts'
import type { ToolCallRequest } from './calls.ts'
import { Cancelled } from './cancel.ts'
import { callSettings, type CallSettings } from './decorators.ts'
import { toPlain } from './plain.ts'
import type { Outcome, Run } from './run.ts'
import { validate } from './schema.ts'
import { maskSecrets } from './secrets.ts'
import { CallContext } from './tool-context.ts'
import type { JournalEntry } from './types.ts'

export interface MadeCall extends ToolCallRequest {
  about: DescribedTool
  info?: MethodInfo
  /** What this very call does; undefined where nothing describes it. */
  effect?: Effect
  target: string
}

/** Results of `@idempotent(scope: global)`; of scope run, by run. */
const shared = memoryIdempotencyStore()
const perRun = new WeakMap<Run, IdempotencyStore>()

/** Calls the tool; a fault of the tool is an outcome, only Stop is thrown. */
export async function performTool(call: MadeCall): Promise<Outcome> {
  const files: FileChange[] = []
  const outcome = await attempted(call, files)
  // What the entry refers to by hash is kept before the entry is.
  if (files.length > 0) await keepContents(call.frame.run, files)
  return outcome
}

async function attempted(call: MadeCall, files: FileChange[]): Promise<Outcome> {
  const { frame, about, target } = call
  const { run } = frame
  let attempts = 0
  const decorators: Decorator[] = [...about.declaration.decorators, ...(call.decorators ?? [])]
  try {
    if (decorators.length === 0 && call.retries === undefined) return finished(await invoke(call, frame.scope.signal, files), files, 1)
    const settings = await callSettings(frame, decorators, call.path, call.retries)
    const attempt = async (): Promise<unknown> => {
      attempts++
      const value = await within(call, settings, (signal) => invoke(call, signal, files))
      if (settings.result === undefined) return value
      const schema = settings.result
      const parsed = typeof value === 'string' && schema.type !== 'string' ? parsedJson(value) : value
      const faults = validate(schema, parsed)
      if (faults.length > 0) {
        throw new HaloError('SCHEMA_MISMATCH', `The result of ${target} is not what its @result says: ${faults.map((fault) => `${fault.path || 'the result'}: ${fault.message}`).join('; ')}`)
      }
      return parsed
    }
    const tried = () =>
      settings.retry === undefined
        ? attempt()
        : retrying(attempt, settings.retry, {
            signal: frame.scope.signal,
            effect: call.effect,
            sleep: (ms, signal) => run.world.clock.sleep(ms, signal),
            now: () => run.world.clock.now(),
          })
    if (settings.idempotent === undefined) return finished(await tried(), files, attempts)
    const { value, cached } = await onceOnly(call, settings.idempotent, tried)
    return { ...finished(value, files, attempts), ...(cached ? { cached } : {}) }
  } catch (error) {
    if (error instanceof Cancelled || frame.scope.aborted) throw error instanceof Cancelled ? error : new Cancelled(error)
    const code = error instanceof HaloError ? error.code : 'TOOL_ERROR'
    const message = maskSecrets(messageOf(error), run.world.config.env) as string
    return { error: { code, message }, ...changed(files), ...(attempts > 1 ? { attempts } : {}) }
  }
}

/**
 * A call was begun and its outcome is lost. What can be repeated is; about all else a person is asked, since nobody knows
 * whether the world was changed. A tool that had asked a person is entered again, as it was told it would be.
 */
export async function recoverTool(call: MadeCall, begun: JournalEntry): Promise<Outcome | undefined> {
  const { frame, info, effect, target, path } = call
  const { run } = frame
  if (effect === 'read' || info?.repeatable === true || run.index?.asksBelow(path) === true) return undefined
  const answer = await run.questions.put({
    scope: frame.scope,
    kind: 'recovery',
    path,
    target,
    waitingFor: 'recovery',
    span: call.span,
    card: {
      channel: 'recovery',
      message: `${target} was under way when the run was cut off, and how it ended is not known. Call it again (retry), give its result ({ done: … }), or let it fail (fail)?`,
      named: { target, args: call.args, ...(call.agent === undefined ? {} : { agent: call.agent }), value: { begunAt: begun.at } },
      effect,
    },
  })
  if (answer === 'retry' || (typeof answer === 'object' && answer !== null && (answer as { action?: unknown }).action === 'retry')) return undefined
  if (typeof answer === 'object' && answer !== null && 'done' in answer) return { value: toPlain(answer.done) }
  return { error: { code: 'TOOL_ERROR', message: `${target} was cut off and its outcome is not known.` } }
}

async function invoke(call: MadeCall, signal: AbortSignal, files: FileChange[]): Promise<unknown> {
  const { frame, target, tool, method, info, args } = call
  const { run } = frame
  // What a method does to its arguments must not reach the journal.
  const own = toPlain(args) as Record<string, unknown>
  const mock = run.world.mocks.tool(target, tool)?.(own, { effect: info?.network === true ? 'external' : call.effect, resultSchema: info?.result as JsonSchema | undefined })
  const { env } = run.world.config
  if (mock !== undefined) return maskSecrets(toPlain(await mock.value), env)
  const bound = await bindTool(frame, tool)
  const perform = Object.hasOwn(bound.methods, method) ? bound.methods[method] : undefined
  if (perform === undefined) throw new HaloError('TOOL_ERROR', `${tool} has no method ${method}. It has ${Object.keys(bound.methods).join(', ')}.`)
  run.box ??= await run.world.sandbox()
  const context = new CallContext(call, run.box, await protectedBy(frame), signal, files)
  try {
    return maskSecrets(toPlain(await settle(perform(own, context), context)), env)
  } finally {
    context.ended()
  }
}

function within<T>(call: MadeCall, settings: CallSettings, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal } = call.frame.scope
  if (settings.timeoutMs === undefined) return work(signal)
  const { clock } = call.frame.run.world
  return withinTime(work, settings.timeoutMs, { signal, sleep: (ms, stop) => clock.sleep(ms, stop), what: call.target })
}

async function onceOnly(call: MadeCall, wanted: NonNullable<CallSettings['idempotent']>, work: () => Promise<unknown>): Promise<{ value: unknown; cached: boolean }> {
  const { run } = call.frame
  const { declaration } = call.about
  const config = call.about.definition === undefined || run.world.mocks.hasTool(call.target, call.tool) ? {} : (await bindTool(call.frame, call.tool)).config
  const identity = { provider: declaration.provider.name, config, method: call.method, args: call.args, key: wanted.key }
  const key = await idempotencyKey(identity, wanted.scope, { runId: run.id, sessionId: run.world.chat?.sessionId })
  return once(key, work, { store: storeFor(run, wanted.scope), ttlMs: wanted.ttlMs, signal: call.frame.scope.signal, now: () => run.world.clock.now() })
}

function storeFor(run: Run, scope: IdempotencyScope): IdempotencyStore {
  if (scope !== 'run') return run.world.config.idempotency ?? shared
  const own = perRun.get(run) ?? memoryIdempotencyStore()
  perRun.set(run, own)
  return own
}

/** What a recorded call leaves for `@idempotent` calls after it: results of scope run are rebuilt from the journal. */
export async function keepRecorded(call: MadeCall, value: unknown): Promise<void> {
  const decorators = [...call.about.declaration.decorators, ...(call.decorators ?? [])]
  if (!decorators.some((decorator) => decorator.name === 'idempotent' || decorator.name === 'cache')) return
  const settings = await callSettings(call.frame, decorators, call.path, call.retries)
  if (settings.idempotent?.scope === 'run') await onceOnly(call, settings.idempotent, async () => value)
}

function finished(value: unknown, files: FileChange[], attempts: number): Outcome {
  return { value, ...changed(files), ...(attempts > 1 ? { attempts } : {}) }
}

async function keepContents(run: Run, files: readonly FileChange[]): Promise<void> {
  const { files: store } = run.world.config
  if (store === undefined || run.box === undefined) return
  const hashes = new Set(files.flatMap(({ before, after }) => [before, after]))
  try {
    for (const hash of hashes) {
      const content = hash === undefined ? undefined : await run.box.content(hash)
      if (hash !== undefined && content !== undefined) await store.put(hash, content)
    }
  } catch (error) {
    throw new HaloError('STORAGE_FULL', `What the call changed could not be kept: ${messageOf(error)}`, { cause: error })
  }
}

function changed(files: FileChange[]): Pick<Outcome, 'files'> {
  return files.length === 0 ? {} : { files }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
