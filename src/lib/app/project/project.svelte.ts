import type { Database, StoredProject } from '../../storage/database.ts'
import { storageProblem } from '../../storage/problem.ts'
import { resolvePath } from './paths.ts'

/** A project: .halo files with one active, and what was chosen and typed for running them. Saved on each change. */
export class Project {
  readonly id: string
  readonly example: string | undefined
  /** Where it came from, if it wasn't made here. */
  readonly elsewhere: StoredProject['elsewhere']
  readonly #db: Database
  readonly #onProblem: (thrown: unknown) => void
  #name = $state('')
  #files = $state.raw<Record<string, string>>({})
  #active = $state('')
  #fields = $state.raw<Record<string, Record<string, string>>>({})
  #pipeline = $state<string>()
  #mode = $state<string>()
  #edited = $state(false)
  #link: string | undefined
  #saving: ReturnType<typeof setTimeout> | undefined

  constructor(stored: StoredProject, db: Database, onProblem: (thrown: unknown) => void) {
    this.id = stored.id
    this.example = stored.example
    this.elsewhere = stored.elsewhere
    this.#link = stored.link
    this.#db = db
    this.#onProblem = onProblem
    this.#name = stored.name
    this.#files = stored.files
    this.#active = stored.active
    this.#fields = stored.fields
    this.#pipeline = stored.pipeline
    this.#mode = stored.mode
    this.#edited = stored.edited ?? stored.example === undefined
  }

  get name(): string {
    return this.#name
  }
  get files(): Readonly<Record<string, string>> {
    return this.#files
  }
  get active(): string {
    return this.#active
  }
  get source(): string {
    return this.#files[this.#active] ?? ''
  }
  get pipeline(): string | undefined {
    return this.#pipeline
  }
  set pipeline(name: string | undefined) {
    this.#pipeline = name
    this.#changed()
  }
  get mode(): string | undefined {
    return this.#mode
  }
  set mode(mode: string | undefined) {
    this.#mode = mode
    this.#changed()
  }

  /** Has a person written in it? An example as it came has been checked before. */
  get edited(): boolean {
    return this.#edited
  }

  open(path: string): void {
    if (this.#files[path] === undefined) return
    this.#active = path
    this.#changed()
  }
  edit(path: string, text: string): void {
    if (this.#files[path] === text) return
    this.#files = { ...this.#files, [path]: text }
    this.#edited = true
    this.#changed()
  }
  remove(path: string): void {
    const files = { ...this.#files }
    delete files[path]
    const next = Object.keys(files)[0]
    if (next === undefined) return
    this.#files = files
    if (this.#active === path) this.#active = next
    this.#changed()
  }

  get fields(): Readonly<Record<string, Record<string, string>>> {
    return this.#fields
  }
  /** Digest of the content that the page's address last held. */
  get link(): string | undefined {
    return this.#link
  }
  set link(digest: string | undefined) {
    this.#link = digest
    this.#changed()
  }

  field(pipeline: string, name: string): string | undefined {
    return this.#fields[pipeline]?.[name]
  }
  setField(pipeline: string, name: string, text: string): void {
    this.#fields = { ...this.#fields, [pipeline]: { ...this.#fields[pipeline], [name]: text } }
    this.#changed()
  }

  /** Imports of one file of the project by another. */
  resolve = (path: string, from?: string): string | undefined => {
    const found = resolvePath(path, from)
    return found === undefined ? undefined : this.#files[found]
  }

  async save(): Promise<void> {
    clearTimeout(this.#saving)
    this.#saving = undefined
    const stored: StoredProject = {
      id: this.id,
      name: this.#name,
      example: this.example,
      files: this.#files,
      active: this.#active,
      fields: this.#fields,
      pipeline: this.#pipeline,
      mode: this.#mode,
      edited: this.#edited,
      opened: Date.now(),
      ...(this.elsewhere && { elsewhere: { ...this.elsewhere } }),
      ...(this.#link !== undefined && { link: this.#link }),
    }
    try {
      await this.#db.put('projects', stored)
    } catch (thrown) {
      this.#onProblem(storageProblem(thrown))
    }
  }

  #changed(): void {
    this.#saving ??= setTimeout(() => void this.save(), 200)
  }
}
