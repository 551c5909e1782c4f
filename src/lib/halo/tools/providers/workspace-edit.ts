import { createTwoFilesPatch } from 'diff'
import { FileError, type SandboxHandle } from '../../sandbox/types.ts'
import { decodeText } from './workspace-read.ts'

export interface Edit {
  old_string: string
  new_string: string
  replace_all?: boolean
}

/** Applies the edits in order, each to what the one before left; all or none. */
export async function applyEdits(files: SandboxHandle, path: string, shown: string, edits: readonly Edit[]): Promise<{ path: string; replacements: number; diff: string }> {
  const before = decodeText(await files.read(path), shown)
  let text = before
  let replacements = 0
  edits.forEach((edit, i) => {
    const result = applyEdit(text, edit, edits.length > 1 ? `Edit ${i + 1} of ${edits.length}` : 'The edit', shown)
    text = result.text
    replacements += result.count
  })
  await files.write(path, text)
  return { path: shown, replacements, diff: unifiedDiff(shown, before, text) }
}

/** One replacement; throws with words for the model where it can't be made. */
export function applyEdit(text: string, edit: Edit, name: string, path: string): { text: string; count: number } {
  const { old_string: old, new_string: replacement } = edit
  if (old === '') throw new FileError('invalid', `${name} was not made: old_string is empty. To put in a whole file, use write.`)
  if (old === replacement) throw new FileError('invalid', `${name} was not made: old_string and new_string are the same.`)
  const places = occurrences(text, old)
  if (places.length === 0) {
    const hint = text.includes('\r\n') && !old.includes('\r') && text.replaceAll('\r\n', '\n').includes(old)
      ? ' The file has \\r\\n line ends: write them so.'
      : occursTrimmed(text, old) ? ' There is a place that differs only in white space: read the file again and copy it exactly.' : ''
    throw new FileError('invalid', `${name} was not made: old_string does not occur in "${path}".${hint}`)
  }
  if (places.length > 1 && !edit.replace_all) {
    const lines = places.slice(0, 10).map((at) => lineAt(text, at))
    throw new FileError('invalid', `${name} was not made: old_string occurs ${places.length} times in "${path}" (lines ${lines.join(', ')}${places.length > 10 ? ' …' : ''}). Add lines around it so that it occurs once, or set replace_all.`)
  }
  // Not String.replace: `$&` in the new text is text.
  return { text: text.split(old).join(replacement), count: places.length }
}

function occurrences(text: string, part: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at)
  return places
}

function occursTrimmed(text: string, part: string): boolean {
  const squeeze = (s: string) => s.replace(/\s+/g, ' ').trim()
  return squeeze(part) !== '' && squeeze(text).includes(squeeze(part))
}

function lineAt(text: string, at: number): number {
  let line = 1
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++
  return line
}

/** A unified diff with three lines of context; says so where the texts are too far apart to compare in time. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, { context: 3, timeout: 1000 })
  if (patch === undefined) return `[the change to ${path} is too large to show as a diff]`
  return patch.replace(/^=+\n/, '')
}
