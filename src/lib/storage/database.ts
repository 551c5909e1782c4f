import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import type { HaloEvent, JournalEnd, JournalEntry, JournalStart } from '../halo/run/types.ts'
import { lost, problemOf, storageProblem, type StorageProblem } from './problem.ts'

export interface StoredProject {
  id: string
  name: string
  /** The example it was made from, by file name without its ending. */
  example?: string
  /** Text by path, `main.halo`. */
  files: Record<string, string>
  active: string
  /** Field texts by pipeline and parameter, as typed. */
  fields: Record<string, Record<string, string>>
  pipeline?: string
  mode?: string
  /** Has a person written in it? */
  edited?: boolean
  /** Milliseconds since the epoch. */
  opened: number
  /** Goes up with each change of name or files, by whichever tab. Absent: 0. */
  rev?: number
  /** It came from a link or a file, or files were added to it; `digest` is that of its content as it came. */
  elsewhere?: { digest: string; from: 'link' | 'file' | 'added' }
  /** Digest of the content that the page's address last held of it. */
  link?: string
}

export interface StoredWorkspace {
  id: string
  /** Content hash by absolute path. */
  files: Record<string, string>
  /** How they stood before the last run, or before files were added: what Undo goes back to. */
  baseline?: Record<string, string>
  /** The folder of the disk that it is a picture of. */
  folder?: FileSystemDirectoryHandle
}

/** The files of a project as they once were. */
export interface StoredVersion {
  project: string
  /** Milliseconds since the epoch. */
  at: number
  why: 'typing' | 'run' | 'back' | 'reset' | 'added' | 'tab'
  files: Record<string, string>
  active: string
}

/** What the run list shows; the journal itself lies in `starts`, `entries` and here in `end`. */
export interface StoredRun {
  runId: string
  pipeline: string
  project?: string
  mode?: string
  at: number
  entries: number
  /** seq of each question that has no answer. */
  asked: number[]
  end?: JournalEnd
  /** Content hashes by path at the start, for undo and change marks. */
  baseline?: Record<string, string>
  /** What a person called it. */
  name?: string
  /** Kept beside the newest ones. */
  pinned?: boolean
  /** The run that it is a fork of, and the entry it was forked at. */
  forkOf?: { runId: string; seq: number }
  /** It came from a file: nothing goes on with it, but forks do once a person has agreed. */
  imported?: boolean
  /** Of this keeping of a whole run, and no other under its id. */
  kept?: string
  /** Recording was switched off: it goes when the run ends. */
  unkept?: boolean
  /** The workspace it works on, where that isn't its project's. */
  workspace?: string
  /** Name of the folder of the disk that it works on. */
  folder?: string
}

export interface HaloDatabase extends DBSchema {
  projects: { key: string; value: StoredProject }
  workspaces: { key: string; value: StoredWorkspace }
  contents: { key: string; value: Uint8Array }
  runs: { key: string; value: StoredRun; indexes: { at: number } }
  starts: { key: string; value: JournalStart }
  entries: { key: [string, number]; value: JournalEntry }
  events: { key: [string, number]; value: HaloEvent }
  settings: { key: string; value: unknown }
  /** Since version 2. By project and time. */
  versions: { key: [string, number]; value: StoredVersion }
}
export type Database = IDBPDatabase<HaloDatabase>

const NAME = 'halo'
const VERSION = 2

/** Called once when the database becomes unusable under a running page. */
export type OnLost = (problem: StorageProblem) => void

/** Opens (and at first creates) the page's database. Rejects with a StorageProblem, also when another tab blocks it for 3 s. */
export async function openDatabase(onLost: OnLost = () => undefined, name = NAME): Promise<Database> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const blocked = () => new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(problemOf('blocked')), 3000)
  })
  const open = () => openDB<HaloDatabase>(name, VERSION, {
    upgrade(db, from) {
      if (from < 1) {
        db.createObjectStore('projects', { keyPath: 'id' })
        db.createObjectStore('workspaces', { keyPath: 'id' })
        db.createObjectStore('contents')
        db.createObjectStore('runs', { keyPath: 'runId' }).createIndex('at', 'at')
        db.createObjectStore('starts', { keyPath: 'runId' })
        db.createObjectStore('entries')
        db.createObjectStore('events')
        db.createObjectStore('settings')
      }
      if (from < 2) db.createObjectStore('versions', { keyPath: ['project', 'at'] })
    },
    // A newer version wants in: let it, and say so here.
    blocking: (_current, _next, event) => {
      ;(event.target as IDBDatabase).close()
      onLost(lost('newer'))
    },
    terminated: () => onLost(lost('closed')),
  })
  try {
    // Where nothing may be stored, opening throws at once.
    return await Promise.race([open(), blocked()])
  } catch (thrown) {
    throw storageProblem(thrown)
  } finally {
    clearTimeout(timer)
  }
}

/** Every key of one run in `entries` and `events`. */
export function rangeOf(runId: string): IDBKeyRange {
  return IDBKeyRange.bound([runId, 0], [runId, Number.MAX_SAFE_INTEGER])
}
