/** Projects in storage, where more than one tab may write to them. */
import type { Database, StoredProject, StoredVersion, StoredWorkspace } from './database.ts'
import { onDisk } from './contents.ts'
import { transact } from './transact.ts'
import { putVersion, sameFiles, versionsOf } from './versions.ts'

type Files = Readonly<Record<string, string>>

/** What a tab last knew to be stored. */
export interface Base {
  rev: number
  name: string
  files: Files
  elsewhere?: StoredProject['elsewhere'] | undefined
}
export interface Saved extends Base {
  files: Record<string, string>
  /** Said in any case: a project without it is one that may run. */
  elsewhere: StoredProject['elsewhere'] | undefined
  /** Did another tab change the same file meanwhile? Then its text is kept as a version. */
  clash: boolean
  /** Have name or files changed in storage by this? */
  changed: boolean
}

/**
 * Stores a project. What another tab stored since `base` is kept: its changes of other files are taken in, and where both
 * changed one file, this tab's text stands and the other is kept as a version, in the same transaction.
 */
export function saveProject(db: Database, own: StoredProject, base: Base): Promise<Saved> {
  return transact(db, ['projects', 'versions'], async (tx) => {
    const projects = tx.objectStore('projects')
    const there = await projects.get(own.id)
    const rev = there?.rev ?? 0
    let { name, files, elsewhere } = own
    let clash = false
    if (there && rev !== base.rev) {
      if (name === base.name) name = there.name
      // Files that another tab added have to be agreed to here too.
      if (elsewhere?.digest === base.elsewhere?.digest) elsewhere = there.elsewhere
      ;({ files, clash } = merge(base.files, files, there.files))
      if (clash) await putVersion(tx.objectStore('versions'), { project: own.id, why: 'tab', files: there.files, active: there.active })
    }
    const changed = !there || there.name !== name || there.elsewhere?.digest !== elsewhere?.digest || !sameFiles(there.files, files)
    const { elsewhere: _elsewhere, ...rest } = own
    const stored: StoredProject = { ...rest, ...(elsewhere && { elsewhere }), name, files, active: Object.hasOwn(files, own.active) ? own.active : (Object.keys(files)[0] ?? own.active), rev: changed ? rev + 1 : rev }
    await projects.put(stored)
    return { rev: stored.rev ?? 0, name, files, elsewhere, clash, changed }
  })
}

/** Two changes of the same files; where both changed one, `mine` stands. */
export function merge(base: Files, mine: Files, theirs: Files): { files: Record<string, string>; clash: boolean } {
  const files: Record<string, string> = {}
  let clash = false
  for (const path of new Set([...Object.keys(mine), ...Object.keys(theirs)])) {
    const [was, here, there] = [base, mine, theirs].map((one) => (Object.hasOwn(one, path) ? one[path] : undefined))
    const text = here === was ? there : here
    if (here !== was && there !== was && here !== there) clash = true
    if (text !== undefined) files[path] = text
  }
  // Each side took away what the other left: a project without files can't be shown.
  return Object.keys(files).length > 0 ? { files, clash } : { files: { ...mine }, clash: true }
}

/** Puts a project in the place of what is stored of it, which is kept as a version. */
export function replaceProject(db: Database, project: StoredProject, why: StoredVersion['why']): Promise<StoredProject> {
  return transact(db, ['projects', 'versions'], async (tx) => {
    const projects = tx.objectStore('projects')
    const there = await projects.get(project.id)
    if (there) await putVersion(tx.objectStore('versions'), { project: project.id, why, files: there.files, active: there.active })
    const stored = { ...project, rev: (there?.rev ?? 0) + 1 }
    await projects.put(stored)
    return stored
  })
}

/** All that is stored of a project, but for its recordings. */
export interface WholeProject {
  project: StoredProject
  workspaces: StoredWorkspace[]
  versions: StoredVersion[]
}

/** Takes a project out of storage; what it gives can be put back. undefined: there is none. */
export function removeProject(db: Database, id: string): Promise<WholeProject | undefined> {
  return transact(db, ['projects', 'versions', 'workspaces'], async (tx) => {
    const kept = tx.objectStore('workspaces')
    const project = await tx.objectStore('projects').get(id)
    const workspaces = (await Promise.all([id, onDisk(id)].map(async (one) => kept.get(one)))).filter((one) => one !== undefined)
    const versions = await tx.objectStore('versions').getAll(versionsOf(id))
    await tx.objectStore('projects').delete(id)
    await tx.objectStore('versions').delete(versionsOf(id))
    for (const one of workspaces) await kept.delete(one.id)
    return project && { project, workspaces, versions }
  })
}

export async function putBack(db: Database, { project, workspaces, versions }: WholeProject): Promise<void> {
  await transact(db, ['projects', 'versions', 'workspaces'], async (tx) => {
    await tx.objectStore('projects').put(project)
    for (const one of workspaces) await tx.objectStore('workspaces').put(one)
    for (const one of versions) await tx.objectStore('versions').put(one)
  })
}

/** Gives a project that isn't open another name. */
export async function renameProject(db: Database, id: string, name: string): Promise<void> {
  await transact(db, ['projects'], async (tx) => {
    const there = await tx.objectStore('projects').get(id)
    if (there) await tx.objectStore('projects').put({ ...there, name, rev: (there.rev ?? 0) + 1 })
  })
}
