import { HaloError, spanWithin, type Span } from '../errors.ts'
import type { Program } from '../check/program.ts'
import { compilePolicies, type PolicySet } from '../policy/index.ts'
import type { RegexRunner } from '../policy/types.ts'
import type { Expression, Name, Node, PipelineDeclaration } from '../syntax/ast.ts'
import type { CancelScope } from './cancel.ts'
import { evaluate, type Scope, type WorldRequest } from './expression.ts'
import { toPlain } from './plain.ts'
import type { Run } from './run.ts'
import type { State } from './state.ts'
import { partsOf } from './template.ts'

/** Where the interpreter stands: one call of a pipeline, seen from one strand of it. */
export interface Frame {
  run: Run
  scope: CancelScope
  pipeline: PipelineDeclaration
  /** The pipelines that are being run around this one, outermost first. */
  callers: readonly string[]
  args: Record<string, unknown>
  state: State
  /** Names of the policies that hold here: those of all enclosing pipelines, and of agents that called one of them. */
  requires: readonly Name[]
  /** In `each`. */
  each?: { item: unknown; index: number }
  /** The value flowing in. */
  input: unknown
  /** Names that stand for the flowing value: it was just bound to them. */
  inputNames: readonly string[]
  /** Tools and stores bound in this pipeline call, by declared name. */
  bound: Map<string, unknown>
}

export function spanIn(frame: Frame, node: Node): Span {
  return spanWithin(node, frame.pipeline.file)
}

const compiled = new WeakMap<Program, Map<string, { runner?: RegexRunner; set: PolicySet }>>()

/** The policies of `requires` and of whatever else is named, compiled once per program. */
export function policiesOf(run: Run, requires: readonly Name[]): PolicySet {
  const { program, config } = run.world
  const sets = compiled.get(program) ?? new Map<string, { runner?: RegexRunner; set: PolicySet }>()
  compiled.set(program, sets)
  const key = requires.map((name) => name.name).join(' ')
  const known = sets.get(key)
  if (known !== undefined && known.runner === config.regexRunner) return known.set
  const unique = requires.filter((name, i) => requires.findIndex((other) => other.name === name.name) === i)
  const { regexRunner } = config
  const set = compilePolicies(unique, program, { regexRunner })
  sets.set(key, { runner: regexRunner, set })
  return set
}

/** The names an expression can see at this place. */
export function scopeOf(frame: Frame, mode: Scope['mode'] = 'value', env?: Readonly<Record<string, string>>, meta?: Partial<Run['meta']>): Scope {
  const { state, args, each, run } = frame
  return {
    mode,
    file: frame.pipeline.file,
    has: (name) =>
      name === 'input' || name === 'context' || state.has(name) || Object.hasOwn(args, name) || (each !== undefined && (name === 'item' || name === 'index')) || (env !== undefined && name === 'Env'),
    lookup: (name) => {
      if (name === 'input') return frame.input
      if (name === 'context') return { data: state.all(), args, meta: meta ?? metaOf(run) }
      if (name === 'item' && each !== undefined) return each.item
      if (name === 'index' && each !== undefined) return each.index
      if (name === 'Env' && env !== undefined) return env
      return state.has(name) ? state.get(name) : args[name]
    },
  }
}

/** Fields of `context.meta` that an expression reads; undefined: none, or all of it where it isn't said which. */
function metaFieldsIn(expression: Expression): 'none' | 'all' | Set<string> {
  const fields = new Set<string>()
  const waiting: Expression[] = [expression]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.kind === 'Variable' && node.name === 'context') return 'all'
    if (node.kind === 'Access' && node.base.kind === 'Variable' && node.base.name === 'context') {
      const [first, second] = node.steps
      if (first?.kind !== 'Member' || (first.name === 'meta' && second?.kind !== 'Member')) return 'all'
      if (first.name === 'meta' && second?.kind === 'Member') fields.add(second.name)
      waiting.push(...node.steps.flatMap((step) => (step.kind === 'Index' ? [step.index] : [])))
    } else for (const part of partsOf(node)) waiting.push(part)
  }
  return fields.size === 0 ? 'none' : fields
}

/**
 * What an expression beside parallel work sees of `context.meta` depends on how far the others are: it is asked for through
 * the journal, so that it is the same when the run is taken up again.
 */
async function metaSeen(frame: Frame, expression: Expression, path: string): Promise<Partial<Run['meta']> | undefined> {
  const { run, scope } = frame
  if (scope === run.scope) return undefined
  const fields = metaFieldsIn(expression)
  if (fields === 'none') return undefined
  const entry = await run.ask({
    scope,
    path: `${path}/meta@${expression.from}`,
    kind: 'clock',
    target: 'meta',
    perform: () => {
      const meta = metaOf(run)
      return { value: toPlain(fields === 'all' ? meta : Object.fromEntries(Object.entries(meta).filter(([name]) => fields.has(name)))) }
    },
  })
  return entry.value as Partial<Run['meta']>
}

/** `context.meta` as expressions and results see it. */
export function metaOf(run: Run): Run['meta'] {
  const { paused } = run.questions
  return { ...run.meta, ...(paused === undefined ? {} : { paused }) }
}

/**
 * The value of an expression at `path`. What it needs from outside (the clock, a new id, a regular expression that isn't
 * known to be quick) is asked through the journal, the k-th such need at `path/need:k`.
 */
export async function valueOf(frame: Frame, expression: Expression, path: string, mode: Scope['mode'] = 'value', env?: Readonly<Record<string, string>>): Promise<unknown> {
  const { run } = frame
  const span = spanIn(frame, expression)
  const need = async (index: number, what: WorldRequest): Promise<unknown> => {
    const matching = what.fn === 'matches'
    const entry = await run.ask({
      scope: frame.scope,
      path: `${path}/need:${index}@${expression.from}`,
      kind: matching ? 'verdict' : 'clock',
      target: what.fn,
      request: matching ? { pattern: what.pattern, text: what.text } : undefined,
      span,
      perform: async () => {
        if (what.fn === 'now') return { value: new Date(run.world.clock.now()).toISOString() }
        if (what.fn === 'uuid') return { value: run.world.clock.uuid() }
        const { regexRunner } = run.world.config
        if (regexRunner === undefined) throw new HaloError('VALIDATION', `The pattern ${what.pattern} of matches() may take very long on some texts, and no regexRunner is configured that could stop it. Write it without repeats that overlap, or configure one.`, { span })
        return { value: await regexRunner.test(what.pattern, what.text) }
      },
    })
    return entry.value
  }
  try {
    return await evaluate(expression, scopeOf(frame, mode, env, await metaSeen(frame, expression, path)), { need })
  } catch (error) {
    throw located(error, path, span)
  }
}

/** The same error with its place filled in, where it has none. */
export function located(error: unknown, path: string, span?: Span): unknown {
  return error instanceof HaloError && (error.path === undefined || error.span === undefined) ? error.with({ path, span }) : error
}
