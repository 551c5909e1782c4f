/** A run belongs to one tab: the one that holds its Web Lock, until it lets go or closes. */
export interface Claim {
  release(): void
}

const name = (runId: string) => `halo-run:${runId}`

/** The claim on a run, or undefined while another tab has it. */
export function claimRun(runId: string): Promise<Claim | undefined> {
  if (!navigator.locks) return Promise.resolve({ release: () => undefined })
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name(runId), { ifAvailable: true }, (lock) => {
        if (!lock) {
          resolve(undefined)
          return undefined
        }
        return new Promise<void>((release) => resolve({ release }))
      })
      .catch((thrown: unknown) => {
        // A page that is given no storage is given no locks: then no other tab can have its runs.
        if (isDenied(thrown)) resolve({ release: () => undefined })
        else reject(thrown)
      })
  })
}

/** The claim once the tab that has it lets go or is gone; undefined when `signal` ends the wait first, or where there are no locks. */
export async function claimWhenFree(runId: string, signal: AbortSignal): Promise<Claim | undefined> {
  if (!navigator.locks) return undefined
  return new Promise((resolve) => {
    navigator.locks
      .request(name(runId), { signal }, () => new Promise<void>((release) => resolve({ release })))
      .catch(() => resolve(undefined))
  })
}

/** Resolves when no tab works on the run any more. */
export async function released(runId: string): Promise<void> {
  // Shared, and let go at once: nobody who wants the run has to wait for those who only look.
  await navigator.locks?.request(name(runId), { mode: 'shared' }, () => undefined)
}

/** The ids of runs that some tab holds. */
export async function heldRuns(): Promise<Set<string>> {
  const asked = await navigator.locks?.query().catch((thrown: unknown) => {
    if (isDenied(thrown)) return undefined
    throw thrown
  })
  const held = asked?.held ?? []
  return new Set(held.flatMap((lock) => (lock.name?.startsWith('halo-run:') ? [lock.name.slice(9)] : [])))
}

export const isDenied = (thrown: unknown): boolean => thrown instanceof DOMException && thrown.name === 'SecurityError'
