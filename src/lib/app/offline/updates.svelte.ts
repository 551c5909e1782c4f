import { base } from '$app/paths'

export type OfflineState = 'unsupported' | 'preparing' | 'ready' | 'failed'

/** An hour: a workbench stays open for days. */
const LOOK_EVERY_MS = 3_600_000

/**
 * The page's service worker: whether the page works without a network, and whether a newer version waits. That one is used
 * only when `update` is called, or once no tab shows the page any more.
 */
export class Updates {
  #state = $state<OfflineState>('preparing')
  #waiting = $state.raw<ServiceWorker>()
  /** Another tab took the newer version; this one still shows the older. */
  #outdated = $state(false)
  #reloading = false

  get state(): OfflineState {
    return this.#state
  }
  get available(): boolean {
    return this.#waiting !== undefined
  }
  get outdated(): boolean {
    return this.#outdated
  }

  /** Registers the worker once the page has loaded. Gives the way to stop looking for updates. */
  start(): () => void {
    const container = (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker
    if (!container) {
      this.#state = 'unsupported'
      return () => undefined
    }
    const controlled = container.controller !== null
    container.addEventListener('controllerchange', () => {
      if (this.#reloading) location.reload()
      // The first worker of a page takes it over as it is.
      else if (controlled) this.#outdated = true
    })
    let look: (() => void) | undefined
    const register = async () => {
      try {
        const registration = await container.register(`${base}/service-worker.js`, { updateViaCache: 'none' })
        this.#watch(registration)
        look = () => void registration.update().catch(() => undefined)
      } catch {
        // Refused by the browser (site data blocked), or the file is not there.
        this.#state = container.controller ? 'ready' : 'failed'
      }
    }
    if (document.readyState === 'complete') void register()
    else addEventListener('load', () => void register(), { once: true })
    const timer = setInterval(() => look?.(), LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }

  /** Changes to the version that waits, and reloads the page. */
  update(): void {
    this.#reloading = true
    if (this.#waiting) this.#waiting.postMessage('skip-waiting')
    else location.reload()
  }

  #watch(registration: ServiceWorkerRegistration): void {
    if (registration.active) this.#state = 'ready'
    if (registration.waiting && registration.active) this.#waiting = registration.waiting
    if (registration.installing) this.#follow(registration, registration.installing)
    registration.addEventListener('updatefound', () => {
      if (registration.installing) this.#follow(registration, registration.installing)
    })
  }

  #follow(registration: ServiceWorkerRegistration, worker: ServiceWorker): void {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'installed' && registration.active) this.#waiting = worker
      else if (worker.state === 'activated') this.#state = 'ready'
      else if (worker.state === 'redundant' && !registration.active) this.#state = 'failed'
    })
  }
}
