import { HaloError } from '../halo/errors.ts'

/** Why storage failed, in words for a person: what happened and the next step. */
export class StorageProblem extends HaloError {
  readonly kind: 'full' | 'blocked' | 'aborted' | 'closed' | 'newer' | 'unavailable'
  constructor(kind: StorageProblem['kind'], message: string, cause?: unknown) {
    super(kind === 'full' ? 'STORAGE_FULL' : 'TOOL_ERROR', message, { cause })
    this.name = 'StorageProblem'
    this.kind = kind
  }
}

const WORDS: Record<StorageProblem['kind'], string> = {
  full: "The browser's storage for this page is full; the last change was not kept. Delete recordings or free space, then try again.",
  blocked: 'Another tab holds an older version of this page open. Close it, then reload this one.',
  aborted: 'The browser broke off a write to its storage; the last change was not kept. Try again.',
  closed: "The browser closed this page's storage. Reload the page to go on.",
  newer: 'A newer version of this page has written here. Reload to get that version.',
  unavailable: 'The browser gives this page no storage (private window or blocked site data?). Nothing will be kept after the tab closes.',
}

/** Any failure of IndexedDB as a StorageProblem; one that already is comes back unchanged. */
export function storageProblem(thrown: unknown): StorageProblem {
  if (thrown instanceof StorageProblem) return thrown
  const kind = kindOf(thrown)
  return new StorageProblem(kind, WORDS[kind], thrown)
}

/** The page's storage is closed from here on; whatever is tried with it fails because of this. */
export function lost(kind: 'newer' | 'closed'): StorageProblem {
  closedBecause = kind
  return problemOf(kind)
}
let closedBecause: 'newer' | 'closed' = 'closed'

export function problemOf(kind: StorageProblem['kind']): StorageProblem {
  return new StorageProblem(kind, WORDS[kind])
}

function kindOf(thrown: unknown): StorageProblem['kind'] {
  const name = thrown instanceof Error || thrown instanceof DOMException ? thrown.name : ''
  switch (name) {
    case 'QuotaExceededError':
      return 'full'
    case 'VersionError':
      return 'newer'
    case 'InvalidStateError':
      return closedBecause
    case 'SecurityError':
    case 'UnknownError':
      return 'unavailable'
    default:
      return 'aborted'
  }
}
