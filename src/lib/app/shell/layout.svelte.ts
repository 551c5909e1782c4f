import { MediaQuery } from 'svelte/reactivity'

export type SideTab = 'run' | 'plan' | 'recordings'
export type MainTab = 'editor' | 'files' | SideTab
export type BottomTab = 'problems' | 'terminal'

/** Which panels are shown. On a narrow page they are one column of tabs; `main` is the chosen one there. */
export class Layout {
  readonly #narrow = new MediaQuery('max-width: 900px')
  #side = $state<SideTab>('run')
  #main = $state<MainTab>('run')
  #bottom = $state<BottomTab>()

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
