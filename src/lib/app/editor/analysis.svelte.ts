import { untrack } from 'svelte'
import type { Diagnostic } from '../../halo/errors.ts'
import type { HaloFile, Param, PipelineDeclaration, TestDeclaration, Expression } from '../../halo/syntax/ast.ts'
import type { Project } from '../project/project.svelte.ts'
import { whenIdle } from '../shell/idle.ts'

/** Waits this long after the last key before the file is checked again, in ms. */
const PAUSE = 120
/** Waits at most so long for the text to be shown, in ms. */
const HELD = 2000

/**
 * What is known of the active file, kept up to date as it is typed. At first it is only parsed: that gives its pipelines and
 * tests, and its faults of syntax. The checker is many times the parser's size and comes with the first thing a person does.
 */
export class Analysis {
  #file = $state.raw<HaloFile>()
  #diagnostics = $state.raw<Diagnostic[]>([])
  #checked = $state(false)
  #wanted = $state(false)
  #source = $state.raw('')
  #timer: ReturnType<typeof setTimeout> | undefined
  #held: Promise<void> | undefined
  #release: (() => void) | undefined
  readonly #variables: (project: Project) => Promise<object | undefined>

  /** `variables`: what Env holds for a project, by name; undefined where that can't be known. */
  constructor(variables: (project: Project) => Promise<object | undefined> = () => Promise.resolve(undefined)) {
    this.#variables = variables
  }

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
  /** Is anything known of the file? */
  get ready(): boolean {
    return this.#file !== undefined
  }
  /** Are the diagnostics all there are? */
  get checked(): boolean {
    return this.#checked
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

  /** A page that is about to show the text parses it only then, or when that takes too long. */
  hold(): void {
    this.#held = new Promise((resolve) => {
      this.#release = resolve
      setTimeout(resolve, HELD)
    })
  }
  release(): void {
    this.#release?.()
  }

  /** From now on the file is checked, not only parsed. */
  want = (): void => {
    this.#wanted = true
  }

  /** Looks at the project's active file soon; at once where nothing is known of it yet. */
  watch(project: Project): void {
    const { active, files } = project
    const source = files[active] ?? ''
    const full = this.#wanted || project.edited
    clearTimeout(this.#timer)
    // What is found out must not have it found out again.
    const wait = untrack(() => this.#file?.path === active && this.#checked) ? PAUSE : 0
    this.#timer = setTimeout(() => void (full ? this.#check(source, active, project) : this.#parse(source, active, project)), wait)
  }

  /** The check of exactly this text, now. */
  async now(project: Project): Promise<void> {
    clearTimeout(this.#timer)
    await this.#check(project.source, project.active, project)
  }

  async #parse(source: string, path: string, project: Project): Promise<void> {
    // The text and its colours come first.
    await this.#held
    if (!this.ready) await whenIdle()
    // Not through the index: that would bring the formatter along.
    const { parseSource } = await import('../../halo/syntax/parse.ts')
    this.#set(parseSource(source, { path }), source, project, false)
  }
  async #check(source: string, path: string, project: Project): Promise<void> {
    const { analyse } = await import('../../halo/check/index.ts')
    // Only programs that name variables are worth loading what keeps them.
    const env = /\bEnv\b/.test(source) ? await this.#variables(project) : undefined
    this.#set(analyse(source, { path, resolve: project.resolve, ...(env && { env }) }), source, project, true)
  }

  #set({ file, diagnostics }: { file: HaloFile; diagnostics: Diagnostic[] }, source: string, project: Project, checked: boolean): void {
    if (project.active !== file.path || project.source !== source) return
    this.#file = file
    this.#source = source
    this.#diagnostics = diagnostics
    this.#checked = checked
  }
}

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
