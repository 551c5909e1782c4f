/** Shared projects as the hash of an address, or as a file where that would be too long. */
import { pack, unpack } from './packing.ts'
import { shareProblem } from './problem.ts'
import { fromJson, toJson, type SharedProject } from './shared-project.ts'

/** Characters of a hash from which on some programs cut links off. */
export const LONG_LINK = 8 * 1024
/** Characters of a hash from which on only a file is offered. */
export const LONGEST_LINK = 32 * 1024
/** Bytes of the JSON inside a link. What would be more is given as a file, so that a reader can refuse to inflate more. */
export const MOST_IN_LINK = 4 * 1024 * 1024
/** Bytes of a file. */
const MOST_IN_FILE = 32 * 1024 * 1024

const FORM = 'halo-project'
const FORM_VERSION = 1

/** Without the `#`. `fits`: not too long for a link. */
export interface Link {
  hash: string
  size: 'fine' | 'long' | 'too long'
}

export async function toLink(project: SharedProject): Promise<Link> {
  const text = toJson(project)
  const hash = await pack(text)
  const size = hash.length > LONGEST_LINK || new TextEncoder().encode(text).length > MOST_IN_LINK ? 'too long' : hash.length > LONG_LINK ? 'long' : 'fine'
  return { hash, size }
}

/**
 * Reads a hash, with or without its `#`.
 * @throws ShareProblem in words for a person
 */
export async function fromHash(hash: string): Promise<SharedProject> {
  return fromJson(await unpack(hash.replace(/^#/, ''), MOST_IN_LINK))
}

/** The text of a `.halo.json` file. */
export function toFileText(project: SharedProject): string {
  return `{"form":"${FORM}","version":${FORM_VERSION},"project":${toJson(project)}}\n`
}

/** @throws ShareProblem in words for a person */
export async function fromFile(file: Blob): Promise<SharedProject> {
  if (file.size > MOST_IN_FILE) throw shareProblem('bigFile')
  const text = await file.text()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw shareProblem('notAFile', thrown)
  }
  const { form, version, project } = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  if (form !== FORM) throw shareProblem('notAFile')
  if (version !== FORM_VERSION) throw shareProblem('newer')
  return fromJson(JSON.stringify(project ?? null))
}
