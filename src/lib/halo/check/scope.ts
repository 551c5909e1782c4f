/** The names that expressions can use at a place. Scopes nest: a branch reads the state at the fork and writes its own. */
import type { HaloFile, Node } from '../syntax/ast.ts'
import { ANY, NULL, NUMBER, STRING, objectShape, unionOf, type Shape } from './shapes.ts'

export interface Binding {
  kind: 'parameter' | 'result' | 'built-in'
  shape: Shape
  /** Where it is named. */
  node?: Node
  file?: HaloFile
}

export interface Scope {
  readonly parent?: Scope
  readonly names: Map<string, Binding>
  /** What flows in; undefined outside pipelines. */
  input?: Shape
}

export function newScope(parent?: Scope, input = parent?.input): Scope {
  return { names: new Map(), ...(parent ? { parent } : {}), ...(input ? { input } : {}) }
}

export function bindingOf(scope: Scope | undefined, name: string): Binding | undefined {
  for (let at = scope; at; at = at.parent) {
    const binding = at.names.get(name)
    if (binding) return binding
  }
  return undefined
}

/** Every name in scope, inner ones first. */
export function allBindings(scope: Scope): Map<string, Binding> {
  const all = new Map<string, Binding>()
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    for (const [name, binding] of at.names) if (!all.has(name)) all.set(name, binding)
  }
  return all
}

/** Brings the names that an inner scope bound into the outer one: a join, the end of an arm or a block. */
export function mergeInto(outer: Scope, inner: Scope): void {
  for (const [name, binding] of inner.names) outer.names.set(name, binding)
}

const CALL = objectShape([['target', STRING], ['args', ANY], ['agent', unionOf([STRING, NULL])], ['path', STRING]], false)
const VIOLATION = objectShape(
  [['phase', STRING], ['policy', STRING], ['message', STRING], ['target', unionOf([STRING, NULL])], ['agent', unionOf([STRING, NULL])], ['path', STRING]],
  false,
)
/** The shape of `context.meta`. */
export const META: Shape = objectShape(
  [
    ['runId', STRING],
    ['cost', NUMBER],
    ['tokens', objectShape([['input', NUMBER], ['output', NUMBER]], false, 'context.meta.tokens')],
    ['calls', { kind: 'list', item: CALL }],
    ['violations', { kind: 'list', item: VIOLATION }],
    ['steps', NUMBER],
    ['paused', ANY],
  ],
  true,
  'context.meta',
)
