import type { Database, StoredProject, StoredVersion } from '../../storage/database.ts'
import { merge, saveProject, type Base } from '../../storage/projects.ts'
import { projectIn } from '../../storage/read.ts'
import { keepVersion } from '../../storage/versions.ts'
import { clashed, tellProject } from './across-tabs.ts'
import { resolvePath } from './paths.ts'

/** Typing that pauses for so long, or goes on for so long, is another burst: how the files stood before it is kept, in ms. */
const PAUSE = 30_000
const LONG = 5 * 60_000

/** A project: .halo files with one active, and what was chosen and typed for running them. Saved on each change. */
export class Project {
  readonly id: string
  readonly example: string | undefined
  readonly #db: Database
  readonly #onProblem: (thrown: unknown) => void
  #name = $state('')
  #files = $state.raw<Record<string, string>>({})
  #active = $state('')
  #fields = $state.raw<Record<string, Record<string, string>>>({})
  #pipeline = $state<string>()
  #mode = $state<string>()
  #edited = $state(false)
  #elsewhere = $state.raw<StoredProject['elsewhere']>()
  #link: string | undefined
  #saving: ReturnType<typeof setTimeout> | undefined
  #stored: Promise<void> = Promise.resolve()
  /** What is known to be in storage. */
  #base: Base
  #typed = 0
  #kept = 0
  #gone = false

  constructor(stored: StoredProject, db: Database, onProblem: (thrown: unknown) => void) {
    this.id = stored.id
    this.example = stored.example
    this.#elsewhere = stored.elsewhere
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
    this.#base = { rev: stored.rev ?? 0, name: stored.name, files: stored.files, elsewhere: stored.elsewhere }
  }

  /** Where it came from, or what was added to it, if it wasn't made here. */
  get elsewhere(): StoredProject['elsewhere'] {
    return this.#elsewhere
  }

  get name(): string {
    return this.#name
  }
  set name(name: string) {
    this.#name = name
    this.#changed()
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
    const now = Date.now()
    if (now - this.#typed > PAUSE || now - this.#kept > LONG) {
      this.#kept = now
      void this.keep('typing')
    }
    this.#typed = now
    this.#files = { ...this.#files, [path]: text }
    this.#edited = true
    this.#changed()
  }
  /** Other files in place of all there are, which are kept as a version first. `elsewhere`: they must be agreed to before they run. */
  async replace(files: Record<string, string>, active: string, why: StoredVersion['why'], elsewhere = this.#elsewhere): Promise<void> {
    // Begun first, so it is stored first; what is typed while it is must not be lost.
    const kept = this.keep(why)
    this.#elsewhere = elsewhere
    this.#files = { ...files }
    this.#active = files[active] === undefined ? (Object.keys(files)[0] ?? '') : active
    this.#edited = true
    this.#typed = 0
    await kept
    await this.save()
  }
  /** Keeps the files as they are now as a version to go back to. */
  async keep(why: StoredVersion['why']): Promise<void> {
    const [files, active] = [this.#files, this.#active]
    await keepVersion(this.#db, { project: this.id, why, files, active }).catch(this.#onProblem)
  }
  remove(path: string): void {
    const files = { ...this.#files }
    delete files[path]
    const next = Object.keys(files)[0]
    if (next === undefined) return
    void this.keep('typing')
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

  #toStored(): StoredProject {
    const elsewhere = this.#elsewhere
    return {
      id: this.id,
      name: this.#name,
      ...(this.example === undefined ? {} : { example: this.example }),
      files: this.#files,
      active: this.#active,
      fields: this.#fields,
      ...(this.#pipeline === undefined ? {} : { pipeline: this.#pipeline }),
      ...(this.#mode === undefined ? {} : { mode: this.#mode }),
      edited: this.#edited,
      opened: Date.now(),
      rev: this.#base.rev,
      ...(elsewhere && { elsewhere: { ...elsewhere } }),
      ...(this.#link !== undefined && { link: this.#link }),
    }
  }

  /** Nothing of it is to be stored any more. */
  discard(): void {
    clearTimeout(this.#saving)
    this.#gone = true
  }

  /** Stores it, after what is being stored already. */
  save(): Promise<void> {
    clearTimeout(this.#saving)
    this.#saving = undefined
    return (this.#stored = this.#stored.then(() => this.#store()))
  }
  async #store(): Promise<void> {
    if (this.#gone) return
    const own = this.#toStored()
    try {
      const saved = await saveProject(this.#db, own, this.#base)
      this.#take(own, saved)
      if (saved.changed) tellProject({ id: this.id, rev: saved.rev, clash: saved.clash })
      if (saved.clash) this.#onProblem(clashed('mine'))
    } catch (thrown) {
      this.#onProblem(thrown)
    }
  }

  /** Another tab has stored it: what it changed is shown here, and what is typed here stays. */
  async follow(rev: number): Promise<void> {
    // What is not stored yet meets the other's text as it is stored.
    if (this.#saving !== undefined) return this.save()
    await this.#stored
    const there = await projectIn(this.#db, this.id)
    if (!there || rev <= this.#base.rev) return
    this.#take(this.#base, { rev: there.rev ?? 0, name: there.name, files: there.files, elsewhere: there.elsewhere })
  }

  /** Storage has `now` where `own` was known or sent; what was typed since stands. */
  #take(own: Pick<Base, 'name' | 'files' | 'elsewhere'>, now: Base): void {
    this.#base = now
    if (this.#name === own.name) this.#name = now.name
    if (this.#elsewhere?.digest === own.elsewhere?.digest) this.#elsewhere = now.elsewhere
    if (own.files !== now.files) {
      const { files, clash } = merge(own.files, this.#files, now.files)
      // Typed while it was stored or read: the text of the other tab is in storage just now, and will not be for long.
      if (clash) {
        const [theirs, active] = [now.files, this.#active]
        void keepVersion(this.#db, { project: this.id, why: 'tab', files: theirs, active }).catch(this.#onProblem)
        this.#onProblem(clashed('mine'))
      }
      const same = Object.keys(files).length === Object.keys(this.#files).length && Object.entries(files).every(([path, text]) => this.#files[path] === text)
      if (!same) this.#files = files
    }
    if (this.#files[this.#active] === undefined) this.#active = Object.keys(this.#files)[0] ?? ''
  }

  #changed(): void {
    this.#saving ??= setTimeout(() => void this.save(), 200)
  }
}
