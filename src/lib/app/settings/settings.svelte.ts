import { readPreference, writePreference } from './preferences.ts'

export type Theme = 'system' | 'light' | 'dark'
/** What runs commands. */
export type Engine = 'embedded' | 'webcontainer'

/** What a person set for this browser. Read before the first paint, hence in localStorage. */
export class Settings {
  #theme = $state<Theme>('system')
  #engine = $state<Engine>(readPreference('halo-engine') === 'webcontainer' ? 'webcontainer' : 'embedded')

  constructor() {
    const kept = readPreference('halo-theme')
    if (kept === 'light' || kept === 'dark') this.#theme = kept
    this.#show()
  }

  get theme(): Theme {
    return this.#theme
  }
  set theme(theme: Theme) {
    this.#theme = theme
    writePreference('halo-theme', theme)
    this.#show()
  }

  get engine(): Engine {
    return this.#engine
  }
  set engine(engine: Engine) {
    this.#engine = engine
    writePreference('halo-engine', engine)
  }

  #show(): void {
    if (this.#theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = this.#theme
  }
}
