import type { Database, StoredProject } from '../../storage/index.ts'
import { framedElsewhere } from '../security/framed.ts'
import { agreementsIn, CHANGED, type Agreement } from './agreements.ts'

/** Where a project came from, when it wasn't made here. `digest` is that of its content as it came. */
export interface Elsewhere {
  digest: string
  from: 'link' | 'file' | 'added'
}

/** Anything that may have come from elsewhere. */
type Origin = Pick<StoredProject, 'elsewhere'> & Partial<Pick<StoredProject, 'name'>>

/**
 * What a person has agreed may run. A project from elsewhere needs it once for each content, by digest: the same link again
 * needs no second answer, a changed one does. What the person types into it afterwards is the person's own.
 */
export class Trust {
  #db: Database | undefined
  #agreed = $state.raw<readonly Agreement[]>([])
  #asking = $state.raw<{ answer: (yes: boolean) => void }>()

  async load(db: Database): Promise<void> {
    // Others may lay things over a frame of theirs: what is agreed in one holds for that frame alone.
    if (framedElsewhere()) return
    this.#db = db
    this.#agreed = await agreementsIn(db)
    // What was agreed to or taken back elsewhere on this page, or in another tab, holds here.
    if (typeof BroadcastChannel !== 'undefined') new BroadcastChannel(CHANGED).onmessage = () => void agreementsIn(db).then((agreed) => (this.#agreed = agreed))
  }

  /** What may run without being asked about again, the newest first. */
  get agreed(): readonly Agreement[] {
    return this.#agreed
  }
  /** Must a person be asked before anything of it runs? */
  needed(project: Origin | undefined): boolean {
    return project?.elsewhere !== undefined && !this.#agreed.some(({ digest }) => digest === project.elsewhere?.digest)
  }
  /** May what runs get at keys and `Env`? Never in a frame of another origin. */
  mayUseKeys(project: Origin | undefined): boolean {
    return project !== undefined && !framedElsewhere() && !this.needed(project)
  }

  get asking(): boolean {
    return this.#asking !== undefined
  }
  /** True at once where nothing has to be asked; else once the person has agreed. */
  ask(project: Origin): Promise<boolean> {
    const { elsewhere } = project
    if (!elsewhere || !this.needed(project)) return Promise.resolve(true)
    this.#asking?.answer(false)
    return new Promise((resolve) => {
      const answer = (yes: boolean): void => {
        if (this.#asking?.answer !== answer) return
        this.#asking = undefined
        if (yes) void this.#agree({ digest: elsewhere.digest, name: project.name, at: Date.now() })
        resolve(yes)
      }
      this.#asking = { answer }
    })
  }
  answer(yes: boolean): void {
    this.#asking?.answer(yes)
  }

  async #agree(agreement: Agreement): Promise<void> {
    // The answer counts even where it can't be kept.
    this.#agreed = [agreement, ...this.#agreed.filter(({ digest }) => digest !== agreement.digest)]
    if (this.#db) await (await import('./agree.ts')).agree(this.#db, agreement).catch(() => undefined)
  }
}
