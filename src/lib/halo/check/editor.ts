/** What an editor asks about names: which are in scope at a place, what a name there refers to, and where it is used. */
import type { HaloFile, Node, PipelineDeclaration } from '../syntax/ast.ts'
import { run } from './check.ts'
import type { Reference } from './context.ts'
import { link, type NamedDeclaration } from './program.ts'
import { allBindings, type Binding, type Scope } from './scope.ts'
import { describe } from './shapes.ts'

export interface NameInScope {
  name: string
  kind: Binding['kind'] | Lowercase<NamedDeclaration['kind']>
  /** What is known of its value, in words. */
  detail: string
  /** Where it is declared; absent for built-in names. */
  declared?: Node & { file?: string }
}

export interface Definition extends Node {
  /** The path of the file it stands in; absent where files have none. */
  file?: string
}

/** The names that can be used at an offset: of the pipeline there, innermost first, then every declaration. */
export function namesAt(file: HaloFile, offset: number): NameInScope[] {
  const program = link(file)
  const names: NameInScope[] = []
  const pipeline = file.pipelines.find((p) => p.from <= offset && offset <= endOf(file, p))
  const scope = pipeline && scopeAt(file, pipeline, offset)
  if (scope) {
    for (const [name, binding] of scope.names) {
      const declared = binding.node ? { declared: { from: binding.node.from, to: binding.node.to, ...pathOf(binding.file) } } : {}
      names.push({ name, kind: binding.kind, detail: describe(binding.shape), ...declared })
    }
    names.push({ name: 'input', kind: 'built-in', detail: scope.input })
    names.push({ name: 'context', kind: 'built-in', detail: 'data, args and meta of the run' })
  }
  const kinds = [program.agents, program.tools, program.stores, program.pipelines, program.schemas, program.policies]
  for (const map of kinds) {
    for (const declaration of map.values()) {
      const kind = declaration.kind.toLowerCase() as Lowercase<NamedDeclaration['kind']>
      names.push({ name: declaration.name, kind, detail: kind, declared: { ...declaration.nameSpan, ...(declaration.file === undefined ? {} : { file: declaration.file }) } })
    }
  }
  return names
}

/** A pipeline that is being written goes on to the next declaration. */
function endOf(file: HaloFile, pipeline: PipelineDeclaration): number {
  let end = file.source.length
  for (const { from } of file.declarations) if (from >= pipeline.to && from < end) end = from
  return end
}

function scopeAt(file: HaloFile, pipeline: PipelineDeclaration, offset: number): { names: Map<string, Binding>; input: string } | undefined {
  let last: { names: Map<string, Binding>; input: string } | undefined
  // Scopes are written on as the check goes: what they hold is copied when it is the latest before the offset.
  const probe = (at: Node, scope: Scope) => {
    if (at.from < pipeline.from || at.from > endOf(file, pipeline) || at.from > offset) return
    last = { names: allBindings(scope), input: scope.input ? describe(scope.input) : 'nothing' }
  }
  // Everything is known, but only this pipeline is walked.
  run({ ...file, declarations: [pipeline], tests: [] }, {}, undefined, probe)
  return last
}

const checked = new WeakMap<HaloFile, Reference[]>()

function referencesIn(file: HaloFile): Reference[] {
  const known = checked.get(file)
  if (known) return known
  const references = run(file, {}, undefined).context.references
  checked.set(file, references)
  return references
}

/** Where the name at an offset is declared; undefined where there is none, or it is part of the language. */
export function definitionOf(file: HaloFile, offset: number): Definition | undefined {
  const use = referencesIn(file).find((r) => r.file === file && r.from <= offset && offset <= r.to)
  if (use) return { from: use.target.from, to: use.target.to, ...pathOf(use.target.file) }
  // On the declaration itself, of a parameter or an `as` name too.
  const own = referencesIn(file).find(({ target }) => target.file === file && target.from <= offset && offset <= target.to)
  if (own) return { from: own.target.from, to: own.target.to, ...pathOf(file) }
  const declared = file.declarations.find((d) => 'nameSpan' in d && d.kind !== 'Test' && d.nameSpan.from <= offset && offset <= d.nameSpan.to)
  return declared && 'nameSpan' in declared ? { ...declared.nameSpan, ...pathOf(file) } : undefined
}

/** Every place in this file that uses what the name at an offset refers to, its declaration included where it stands here. */
export function referencesOf(file: HaloFile, offset: number): Node[] {
  const target = definitionOf(file, offset)
  if (!target) return []
  const uses = referencesIn(file).filter(
    (r) => r.file === file && r.target.from === target.from && r.target.to === target.to && r.target.file.path === target.file,
  )
  const here = target.file === file.path ? [{ from: target.from, to: target.to }] : []
  return [...here, ...uses.map(({ from, to }) => ({ from, to }))].sort((a, b) => a.from - b.from)
}

function pathOf(file: HaloFile | undefined): { file?: string } {
  return file?.path === undefined ? {} : { file: file.path }
}

