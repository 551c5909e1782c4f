/** Tabs that show the same project tell each other what they stored. */
import { HaloError } from '../../halo/errors.ts'
import type { Project } from './project.svelte.ts'
import { projectWords as words } from './words.ts'

export interface ProjectTold {
  id: string
  rev: number
  /** Two tabs had changed the same file; the text of the one that is told now stands under Versions. */
  clash: boolean
}
/** One for the page, which then doesn't hear itself; made when it is first needed. */
let made: BroadcastChannel | undefined
const channel = (): BroadcastChannel | undefined => (typeof BroadcastChannel === 'undefined' ? undefined : (made ??= new BroadcastChannel('halo-projects')))

export const tellProject = (told: ProjectTold): void => channel()?.postMessage(told)

/** Keeps the project that is shown as other tabs store it. Returns the way to stop. */
export function followOthers(shown: () => Project | undefined, report: (thrown: unknown) => void): () => void {
  const heard = ({ data }: MessageEvent<ProjectTold>) => {
    const project = shown()
    if (project?.id !== data.id) return
    void project.follow(data.rev).then(() => data.clash && report(clashed('theirs')), report)
  }
  channel()?.addEventListener('message', heard)
  return () => channel()?.removeEventListener('message', heard)
}

/** `mine`: the text of this tab stands. */
export const clashed = (whose: 'mine' | 'theirs'): HaloError => new HaloError('VALIDATION', whose === 'mine' ? words.clashMine : words.clashTheirs)
