import type { Span } from '../errors.ts'
import type { Frame } from '../run/frame.ts'

/**
 * What policies make of a text. Where that took a worker with a time limit, it may come out otherwise another time: then the
 * answer is the journal's.
 */
export async function journaled<T>(at: { frame: Frame; agent: string; span: Span }, path: string, result: T | Promise<T>): Promise<T> {
  if (!(result instanceof Promise)) return result
  // Where the journal has the answer, nobody waits for this one.
  result.catch(() => undefined)
  const { frame, agent, span } = at
  const entry = await frame.run.ask({
    scope: frame.scope,
    path,
    kind: 'verdict',
    target: agent,
    span,
    perform: async () => ({ value: (await result) ?? null }),
  })
  return (entry.value ?? undefined) as T
}
