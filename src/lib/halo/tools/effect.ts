/** What one call does to the world. */
import type { Effect, MethodInfo } from './types.ts'

/** The effect of a call with these arguments; an absent one has its schema's default. */
export function effectOf(info: Pick<MethodInfo, 'effect' | 'effectBy' | 'parameters'>, args: Record<string, unknown>): Effect {
  const { effect, effectBy } = info
  if (effectBy === undefined) return effect
  const { argument, effects } = effectBy
  const value = Object.hasOwn(args, argument) && args[argument] !== undefined ? args[argument] : defaultOf(info.parameters, argument)
  return typeof value === 'string' && Object.hasOwn(effects, value) ? (effects[value] ?? effect) : effect
}

function defaultOf(schema: object, name: string): unknown {
  const { properties } = schema as { properties?: Record<string, { default?: unknown } | undefined> }
  return properties?.[name]?.default
}
