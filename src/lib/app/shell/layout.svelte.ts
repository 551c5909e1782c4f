import { MediaQuery } from 'svelte/reactivity'
import { readPreference, writePreference } from '../settings/preferences.ts'

export type SideTab = 'run' | 'plan' | 'graph' | 'recordings'
export type MainTab = 'editor' | 'files' | SideTab
export type BottomTab = 'problems' | 'terminal'

/** Pixels. */
interface Sizes {
  files: number
  side: number
  bottom: number
}

/** Which panels are shown. On a narrow page they are one column of tabs; `main` is the chosen one there. */
export class Layout {
  /** Opens a dialog of the page. */
  ondialog: ((which: 'projects' | 'versions') => void) | undefined
  /** Opens Settings, at a provider if one is named. */
  onsettings: ((provider: string | undefined) => void) | undefined
  readonly #narrow = new MediaQuery('max-width: 900px')
  #side = $state<SideTab>('run')
  #main = $state<MainTab>('run')
  #bottom = $state<BottomTab>()

  #sizes = $state.raw<Sizes>(keptSizes())

  /** What a person made the panes; the page keeps them within its own size. */
  get sizes(): Sizes {
    return this.#sizes
  }
  resize(pane: keyof Sizes, size: number): void {
    this.#sizes = { ...this.#sizes, [pane]: size }
    writePreference('halo-panes', JSON.stringify(this.#sizes))
  }
  get narrow(): boolean {
    return this.#narrow.current
  }
  get side(): SideTab {
    return this.#side
  }
  get main(): MainTab {
    return this.#main
  }
  get bottom(): BottomTab | undefined {
    return this.#bottom
  }
  show(tab: MainTab): void {
    this.#main = tab
    if (tab !== 'editor' && tab !== 'files') this.#side = tab
  }
  showBottom(tab: BottomTab | undefined): void {
    this.#bottom = tab
  }
  toggleBottom(tab: BottomTab): void {
    this.#bottom = this.#bottom === tab ? undefined : tab
  }
}

function keptSizes(): Sizes {
  const sizes: Sizes = { files: 216, side: 500, bottom: 240 }
  try {
    const kept: unknown = JSON.parse(readPreference('halo-panes') ?? '{}')
    for (const pane of Object.keys(sizes) as (keyof Sizes)[]) {
      const size = (kept as Partial<Record<string, unknown>>)[pane]
      if (typeof size === 'number' && size > 0) sizes[pane] = size
    }
  } catch {
    // Not what this page wrote: the panes stand as at first.
  }
  return sizes
}
