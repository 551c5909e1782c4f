/** A file with everything it imports, by name: what the runtime, the plan and the checker look names up in. */
import type {
  AgentDeclaration,
  Declaration,
  HaloFile,
  PipelineDeclaration,
  PolicyDeclaration,
  SchemaDeclaration,
  StoreDeclaration,
  TestDeclaration,
  ToolDeclaration,
} from '../syntax/ast.ts'

export interface Program {
  /** The file that was linked. */
  file: HaloFile
  /** It and all it imports, directly or not, each once, the file itself first. */
  files: HaloFile[]
  policies: Map<string, PolicyDeclaration>
  tools: Map<string, ToolDeclaration>
  stores: Map<string, StoreDeclaration>
  schemas: Map<string, SchemaDeclaration>
  agents: Map<string, AgentDeclaration>
  pipelines: Map<string, PipelineDeclaration>
  /** Of the linked file alone: the tests of an imported file are its own. */
  tests: TestDeclaration[]
}

/** A declaration that has a name others can use. */
export type NamedDeclaration = Exclude<Declaration, { kind: 'Import' } | { kind: 'Test' }>

const linked = new WeakMap<HaloFile, { targets: (HaloFile | undefined)[]; program: Program }>()

/**
 * The program a file makes with its imports, as far as they were loaded (`loadImports`). Never throws: of two declarations
 * with one name the first wins, the file's own before imported ones; the checker reports the other. The same file gives the
 * same program until an import is loaded.
 */
export function link(file: HaloFile): Program {
  const files = filesOf(file)
  const known = linked.get(file)
  if (known && sameItems(known.targets, files)) return known.program
  const program: Program = {
    file,
    files,
    policies: new Map(),
    tools: new Map(),
    stores: new Map(),
    schemas: new Map(),
    agents: new Map(),
    pipelines: new Map(),
    tests: file.tests,
  }
  for (const each of files) {
    addAll(program.policies, each.policies)
    addAll(program.tools, each.tools)
    addAll(program.stores, each.stores)
    addAll(program.schemas, each.schemas)
    addAll(program.agents, each.agents)
    addAll(program.pipelines, each.pipelines)
  }
  linked.set(file, { targets: files, program })
  return program
}

/** The declaration of that name, whatever its kind. */
export function declarationOf(program: Program, name: string): NamedDeclaration | undefined {
  return (
    program.pipelines.get(name) ??
    program.agents.get(name) ??
    program.tools.get(name) ??
    program.stores.get(name) ??
    program.policies.get(name) ??
    program.schemas.get(name)
  )
}

/** The file and those it imports, breadth first, each once; a cycle of imports ends where it closes. */
export function filesOf(file: HaloFile): HaloFile[] {
  const files = new Set([file])
  for (const each of files) for (const { target } of each.imports) if (target) files.add(target)
  return [...files]
}

function addAll<T extends { name: string }>(map: Map<string, T>, declarations: readonly T[]): void {
  for (const declaration of declarations) if (!map.has(declaration.name)) map.set(declaration.name, declaration)
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i])
}
