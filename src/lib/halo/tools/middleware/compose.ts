/** Middleware and the one order it is applied in. */
import type { Tool } from '../define.ts'

/** Outermost first. Policy and approval are the runtime's; they stand here so that one's own can be placed among them. */
export const ORDER = ['logging', 'policy', 'approval', 'idempotency', 'retry', 'timeout', 'result'] as const
export type Layer = (typeof ORDER)[number]

/** Wraps a tool. `layer` is its place in the fixed order; without one it acts as a policy does. */
export type Middleware = ((tool: Tool) => Tool) & { readonly layer?: Layer }

/** A middleware with its place in the order. */
export function inOrder(layer: Layer, wrap: (tool: Tool) => Tool): Middleware {
  return Object.assign((tool: Tool) => wrap(tool), { layer })
}

/**
 * All of them as one, outermost to innermost: logging, policy, approval, idempotency, retry, timeout, result schema,
 * however they are given. Those of the same layer keep the given order, the first outermost.
 */
export function compose(...middlewares: readonly Middleware[]): Middleware {
  const place = (middleware: Middleware): number => ORDER.indexOf(middleware.layer ?? 'policy')
  const outermostFirst = [...middlewares].sort((a, b) => place(a) - place(b))
  return (tool) => outermostFirst.reduceRight((wrapped, middleware) => middleware(wrapped), tool)
}
