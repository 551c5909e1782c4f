/** What decorators ask of a call, as plain settings. Later ones win, so a call's own come after its declaration's. */
import { HaloError } from '../errors.ts'
import type { JsonSchema, } from '../models/types.ts'
import type { Decorator, Expression, ModelRef } from '../syntax/ast.ts'
import type { IdempotencyScope } from '../tools/middleware/idempotency.ts'
import type { RetryPolicy } from '../tools/middleware/retry.ts'
import { spanIn, valueOf, type Frame } from './frame.ts'
import { typeToSchema } from './schema.ts'

export interface CallSettings {
  retry?: RetryPolicy
  timeoutMs?: number
  idempotent?: { key?: unknown; scope: IdempotencyScope; ttlMs?: number }
  result?: JsonSchema
  /** Further answers of an agent whose answer didn't do. */
  correct?: number
  shadows?: ModelRef[]
}

export async function callSettings(frame: Frame, decorators: readonly Decorator[], path: string, retries?: number): Promise<CallSettings> {
  const settings: CallSettings = retries === undefined || retries === 0 ? {} : { retry: { attempts: retries } }
  for (const decorator of decorators) {
    const named = async (name: string): Promise<unknown> => {
      const arg = decorator.args.find((each) => each.name === name)
      return arg === undefined ? undefined : valueOf(frame, arg.value, path)
    }
    const first = decorator.args.find((arg) => arg.name === undefined)?.value
    const bad = (words: string) => new HaloError('VALIDATION', `@${decorator.name} ${words}`, { path, span: spanIn(frame, decorator) })
    const count = async (least: number): Promise<number> => {
      const value = first === undefined ? undefined : await valueOf(frame, first, path)
      if (typeof value !== 'number' || !Number.isInteger(value) || value < least) throw bad(`takes a whole number from ${least} up.`)
      return value
    }
    switch (decorator.name) {
      case 'retry': {
        const [backoff, on] = [await named('backoff'), await named('on')]
        settings.retry = {
          attempts: await count(0),
          ...(backoff === undefined ? {} : { backoff: backoff as RetryPolicy['backoff'] }),
          ...(on === undefined ? {} : { on: (Array.isArray(on) ? on : [on]) as string[] }),
        }
        break
      }
      case 'timeout':
        settings.timeoutMs = await count(1)
        break
      case 'correct':
        settings.correct = first === undefined ? 1 : await count(0)
        break
      case 'cache':
        settings.idempotent = { scope: 'run' }
        break
      case 'idempotent': {
        const [key, scope, ttl] = [await named('key'), await named('scope'), await named('ttl')]
        if (scope !== undefined && scope !== 'run' && scope !== 'session' && scope !== 'global') throw bad('takes scope: run, session or global.')
        settings.idempotent = { scope: scope ?? 'run', ...(key === undefined || key === null ? {} : { key }), ...(typeof ttl === 'number' ? { ttlMs: ttl } : {}) }
        break
      }
      case 'result':
        if (first !== undefined) settings.result = schemaNamed(frame, first)
        break
      case 'shadow':
        if (decorator.model !== undefined) settings.shadows = [...(settings.shadows ?? []), decorator.model]
        break
      case 'category':
        break
      default:
        throw bad('is no decorator.')
    }
  }
  return settings
}

/** The JSON Schema that a bare schema name or type name stands for. */
export function schemaNamed(frame: Frame, expression: Expression): JsonSchema {
  const name = expression.kind === 'Variable' ? expression.name : expression.kind === 'String' ? expression.value : undefined
  if (name === undefined) throw new HaloError('VALIDATION', 'A schema is given by its name.', { span: spanIn(frame, expression) })
  return typeToSchema({ kind: 'NamedType', name, from: expression.from, to: expression.to }, frame.run.world.program)
}
