export type Theme = 'system' | 'light' | 'dark'

/** What a person set for this browser. Read before the first paint, hence in localStorage. */
export class Settings {
  #theme = $state<Theme>('system')

  constructor() {
    const kept = read('halo-theme')
    if (kept === 'light' || kept === 'dark') this.#theme = kept
    this.#show()
  }

  get theme(): Theme {
    return this.#theme
  }
  set theme(theme: Theme) {
    this.#theme = theme
    write('halo-theme', theme)
    this.#show()
  }

  #show(): void {
    if (this.#theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = this.#theme
  }
}

/** localStorage may be refused to a page; small preferences then last as long as the tab. */
function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}
function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Nothing depends on it.
  }
}
