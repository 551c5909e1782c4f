import type { Diagnostic } from '../../halo/errors.ts'
import type { HaloFile, Param, PipelineDeclaration, TestDeclaration, Expression } from '../../halo/syntax/ast.ts'
import type { Project } from '../project/project.svelte.ts'

type Check = typeof import('../../halo/check/index.ts')

/** Waits this long after the last key before the file is checked again, in ms. */
const PAUSE = 120

/** What the checker says of the active file, kept up to date as it is typed. */
export class Analysis {
  #file = $state.raw<HaloFile>()
  #diagnostics = $state.raw<Diagnostic[]>([])
  #ready = $state(false)
  #source = $state.raw('')
  #timer: ReturnType<typeof setTimeout> | undefined

  get file(): HaloFile | undefined {
    return this.#file
  }
  get diagnostics(): Diagnostic[] {
    return this.#diagnostics
  }
  /** The text that `file` and `diagnostics` are about. */
  get source(): string {
    return this.#source
  }
  get ready(): boolean {
    return this.#ready
  }
  get errors(): number {
    return this.#diagnostics.filter((d) => d.severity === 'error').length
  }
  get pipelines(): PipelineDeclaration[] {
    return this.#file?.pipelines ?? []
  }
  get tests(): TestDeclaration[] {
    return this.#file?.tests ?? []
  }

  /** Checks the project's active file soon; at once where nothing is known of it yet. */
  watch(project: Project): void {
    const { active, files } = project
    const source = files[active] ?? ''
    clearTimeout(this.#timer)
    const wait = this.#file?.path === active ? PAUSE : 0
    this.#timer = setTimeout(() => void this.#check(source, active, project), wait)
  }

  /** The check of exactly this text, now. */
  async now(project: Project): Promise<void> {
    clearTimeout(this.#timer)
    await this.#check(project.source, project.active, project)
  }

  async #check(source: string, path: string, project: Project): Promise<void> {
    const { analyse } = await load()
    const { file, diagnostics } = analyse(source, { path, resolve: project.resolve })
    if (project.active !== path) return
    this.#file = file
    this.#source = source
    this.#diagnostics = diagnostics
    this.#ready = true
  }
}

const load = (): Promise<Check> => import('../../halo/check/index.ts')

/** How a parameter's field looks. */
export function fieldKind(param: Param): 'text' | 'number' | 'boolean' | 'json' {
  let { type } = param
  while (type.kind === 'OptionalType') type = type.type
  if (type.kind !== 'NamedType') return type.kind === 'UnionType' || type.kind === 'LiteralType' ? 'text' : 'json'
  switch (type.name) {
    case 'String':
    case 'Any':
    case 'Result':
      return 'text'
    case 'Number':
      return 'number'
    case 'Boolean':
      return 'boolean'
    default:
      return 'json'
  }
}

/** A literal as a person would type it into the field; other expressions as they are written. */
export function literalText(value: Expression, source: string): string {
  if (value.kind === 'String') return value.value
  return source.slice(value.from, value.to)
}
