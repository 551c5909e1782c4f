import type { Database, StoredProject } from '../../storage/index.ts'
import { framedElsewhere } from '../security/framed.ts'

/** Where a project came from, when it wasn't made here. `digest` is that of its content as it came. */
export interface Elsewhere {
  digest: string
  from: 'link' | 'file' | 'added'
}

/** Agreements that are kept, the newest first. */
const MOST = 500
const AGREED = 'agreed'

/** Anything that may have come from elsewhere. */
type Origin = Pick<StoredProject, 'elsewhere'>

/**
 * What a person has agreed may run. A project from elsewhere needs it once for each content, by digest: the same link again
 * needs no second answer, a changed one does. What the person types into it afterwards is the person's own.
 */
export class Trust {
  #db: Database | undefined
  #agreed = $state.raw<readonly string[]>([])
  #asking = $state.raw<{ answer: (yes: boolean) => void }>()

  async load(db: Database): Promise<void> {
    // Others may lay things over a frame of theirs: what is agreed in one holds for that frame alone.
    if (framedElsewhere()) return
    this.#db = db
    this.#agreed = await agreedIn(db)
  }

  /** Must a person be asked before anything of it runs? */
  needed(project: Origin | undefined): boolean {
    return project?.elsewhere !== undefined && !this.#agreed.includes(project.elsewhere.digest)
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
        if (yes) void this.#agree(elsewhere.digest)
        resolve(yes)
      }
      this.#asking = { answer }
    })
  }
  answer(yes: boolean): void {
    this.#asking?.answer(yes)
  }

  async #agree(digest: string): Promise<void> {
    this.#agreed = [digest, ...this.#agreed]
    if (!this.#db) return
    // Another tab may have written since.
    const kept = [digest, ...(await agreedIn(this.#db)).filter((one) => one !== digest)].slice(0, MOST)
    await this.#db.put('settings', kept, AGREED).catch(() => undefined)
  }
}

async function agreedIn(db: Database): Promise<string[]> {
  const kept = await db.get('settings', AGREED).catch(() => undefined)
  return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : []
}
