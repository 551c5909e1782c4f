/** What one check shares: the program, what it found, and which name refers to what. */
import type { Diagnostic } from '../errors.ts'
import type { ModelAdapter } from '../models/types.ts'
import type { HaloFile, Node } from '../syntax/ast.ts'
import type { Code } from './codes.ts'
import { nearest } from './nearest.ts'
import type { NamedDeclaration, Program } from './program.ts'

/** A use of a name, and where what it names is declared. */
export interface Reference extends Node {
  file: HaloFile
  target: Node & { file: HaloFile }
}

export interface CheckOptions {
  /**
   * Whether regular expressions run in a worker that can be stopped. Without one (the default) those that can't be proved
   * linear are errors.
   */
  regexRunner?: unknown
  /** The variables a run would have, by name: each `Env.NAME` that isn't among them is a warning. Without it none is. */
  env?: object
  /** Adapters beside the registered ones, by prefix. */
  models?: Record<string, ModelAdapter>
}

export interface Context {
  readonly program: Program
  readonly options: CheckOptions
  /** The file whose declaration is being checked. */
  file: HaloFile
  readonly found: { file: HaloFile; diagnostic: Diagnostic }[]
  readonly references: Reference[]
  /** Where each pipeline's calls lead: see reach.ts. */
  readonly reach: Map<string, Reach>
  /** The tasks that pipelines call, by agent, and every event one listens for. */
  readonly tasks: Map<string, Set<string>>
  readonly events: Set<string>
  /** Names used in the templates of tool and store declarations, by declaration. */
  readonly templateNames: Map<string, { name: string; from: number; to: number }[]>
  /** Names that a damaged part of the text may declare; not reported as unknown. */
  readonly doubtful: ReadonlySet<string>
  /** Kinds of declarations of which one has lost its name. */
  readonly nameless: ReadonlySet<string>
  /** The declaration being checked has a syntax fault: names that it binds may be lost. */
  faulty?: boolean
  /** Some part of the program could not be read: what isn't found may be there. */
  readonly damaged: boolean
  /** Turns offsets inside a condition's text into those of the file. */
  place?: (offset: number) => number
  /** Set by `namesAt`: told the names in scope before and after each stage. */
  probe?: (scopeAt: Node, scope: import('./scope.ts').Scope) => void
}

/** What a pipeline calls itself; what its callees call is theirs. */
export interface Reach {
  tools: Set<string>
  /** By name, the first place that leads there. */
  pipelines: Map<string, Node>
}

export interface Extra {
  severity?: Diagnostic['severity']
  fix?: Diagnostic['fix']
}

export function fault(context: Context, node: Node, code: Code, message: string, extra: Extra = {}): void {
  const place = context.place ?? ((offset: number) => offset)
  const { path } = context.file
  const { fix } = extra
  context.found.push({
    file: context.file,
    diagnostic: {
      code,
      severity: extra.severity ?? 'error',
      message,
      from: place(node.from),
      to: place(node.to),
      ...(path === undefined ? {} : { file: path }),
      ...(fix ? { fix: { ...fix, from: place(fix.from), to: place(fix.to) } } : {}),
    },
  })
}

export function warn(context: Context, node: Node, code: Code, message: string, extra: Omit<Extra, 'severity'> = {}): void {
  fault(context, node, code, message, { ...extra, severity: 'warning' })
}

/** Replaces the node's text: the fix for a mistyped name. */
export function replacement(node: Node, insert: string): NonNullable<Diagnostic['fix']> {
  return { title: `Change to ${insert}`, from: node.from, to: node.to, insert }
}

/**
 * "There is no agent "X". Did you mean "Y"?", or, with an owner, "Z has no method "X".", with the change as a fix. Says nothing of names that a damaged part of the
 * file may declare.
 */
export function unknown(
  context: Context,
  node: Node,
  what: string,
  name: string,
  candidates: Iterable<string>,
  code: Code = 'unknown-name',
  extra: { prefix?: string; hint?: string; severity?: 'warning'; owner?: string } = {},
): void {
  if (name === '' || context.doubtful.has(name)) return
  const near = nearest(name, candidates)
  if (near === undefined && mayBeNameless(context, what)) return
  const tail = near === undefined ? (extra.hint ? ` ${extra.hint}` : '') : ` Did you mean "${near}"?`
  const sentence = extra.owner === undefined ? `There is no ${what} "${name}".` : `${extra.owner} has no ${what} "${name}".`
  fault(context, node, code, `${extra.prefix ?? ''}${sentence}${tail}`, {
    ...(extra.severity ? { severity: extra.severity } : {}),
    ...(near === undefined ? {} : { fix: replacement(node, near) }),
  })
}

/** `what` names the kinds in words: "agent or tool". */
function mayBeNameless({ nameless }: Context, what: string): boolean {
  for (const kind of nameless) {
    if (what.includes(kind) || (kind === 'schema' && what === 'type') || (kind === 'store' && what.includes('tool'))) return true
  }
  return false
}

/** Notes what a name refers to, for going to its definition. */
export function refer(context: Context, use: Node, target: Node, file: HaloFile): void {
  const place = context.place ?? ((offset: number) => offset)
  context.references.push({ from: place(use.from), to: place(use.to), file: context.file, target: { from: target.from, to: target.to, file } })
}

export function referTo(context: Context, use: Node, declaration: NamedDeclaration): void {
  refer(context, use, declaration.nameSpan, fileOf(context, declaration))
}

/** The file a declaration stands in. */
export function fileOf(context: Context, declaration: NamedDeclaration): HaloFile {
  if (context.program.files.length === 1) return context.program.file
  return context.program.files.find((file) => (file.path ?? '') === (declaration.file ?? '')) ?? context.program.file
}

export function reachOf(context: Context, pipeline: string): Reach {
  let reach = context.reach.get(pipeline)
  if (!reach) context.reach.set(pipeline, (reach = { tools: new Set(), pipelines: new Map() }))
  return reach
}

/** "1 argument", "2 arguments". */
export function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

/** `"a", "b" or "c"`. */
export function oneOf(words: readonly string[], quote = ''): string {
  const quoted = words.map((w) => quote + w + quote)
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`
}
