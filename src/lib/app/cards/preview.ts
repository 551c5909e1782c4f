import type { InterruptRequest } from '../../halo/run/types.ts'
import type { ToolDeclaration } from '../../halo/syntax/ast.ts'
import { absolutePath } from '../files/paths.ts'
import { lineDiff, textOf, type Diff } from '../text/diff.ts'

/** What the workspace shows of itself to a card. */
export interface FileView {
  readonly files: Readonly<Record<string, string>>
  read(path: string): Promise<Uint8Array | undefined>
}

export type Preview =
  | { kind: 'diff'; path: string; shown: string; diff: Diff; fresh: boolean; missing: boolean }
  | { kind: 'command'; command: string; cwd?: string }
  | { kind: 'unread'; shown: string }
  | { kind: 'args' }

interface Edit {
  old_string: string
  new_string: string
  replace_all?: boolean
}

/** How a call is best read: as a diff, as a command, or as its arguments. */
export async function previewOf(request: InterruptRequest, tools: ReadonlyMap<string, ToolDeclaration>, runArgs: Record<string, unknown>, view: FileView): Promise<Preview> {
  const { target = '', args = {} } = request.named
  const [name = '', method = ''] = target.split('.')
  const provider = tools.get(name)?.provider
  if (provider?.name === 'Bash' && typeof args.command === 'string') {
    return { kind: 'command', command: args.command, cwd: literal(provider, 'cwd', 0, runArgs) }
  }
  if (provider?.name !== 'Workspace' || typeof args.path !== 'string') return { kind: 'args' }
  if (method !== 'write' && method !== 'edit' && method !== 'delete') return { kind: 'args' }
  const path = findPath(args.path, literal(provider, 'root', 0, runArgs), view.files)
  const exists = view.files[path] !== undefined
  const bytes = exists ? await view.read(path) : undefined
  const before = bytes && textOf(bytes)
  if (exists && before === undefined) return { kind: 'unread', shown: args.path }
  const after = method === 'delete' ? '' : method === 'write' ? String(args.content ?? '') : edited(before ?? '', args)
  const missing = after === undefined
  return { kind: 'diff', path, shown: args.path, diff: lineDiff(before ?? '', after ?? before ?? ''), fresh: !exists && method === 'write', missing }
}

/** The text after an edit call; undefined when what is to be replaced isn't there. */
function edited(text: string, args: Record<string, unknown>): string | undefined {
  let result = text
  for (const { old_string: from, new_string: to, replace_all: all } of editsOf(args)) {
    if (from === '' || !result.includes(from)) return undefined
    if (all) result = result.replaceAll(from, () => to)
    else if (result.split(from).length !== 2) return undefined
    else result = result.replace(from, () => to)
  }
  return result
}
function editsOf(args: Record<string, unknown>): Edit[] {
  const list = Array.isArray(args.edits) ? (args.edits as unknown[]) : [args]
  return list.flatMap((edit) => {
    const { old_string, new_string, replace_all } = edit as Record<string, unknown>
    return typeof old_string === 'string' && typeof new_string === 'string' ? [{ old_string, new_string, replace_all: replace_all === true }] : []
  })
}

/** A workspace path: as it stands, under the tool's root, or the only file that ends in it. */
function findPath(path: string, root: string | undefined, files: Readonly<Record<string, string>>): string {
  const under = absolutePath(`${root ?? ''}/${path}`)
  for (const candidate of [under, absolutePath(path)]) if (files[candidate] !== undefined) return candidate
  const ending = absolutePath(path)
  const matches = root === undefined ? Object.keys(files).filter((file) => file.endsWith(ending)) : []
  return matches.length === 1 && matches[0] ? matches[0] : path.startsWith('/') ? ending : under
}
/** A text of a tool's declaration, its `{{parameter}}` filled in from the run's arguments; undefined where it is more than that. */
function literal(provider: ToolDeclaration['provider'], name: string, position: number, runArgs: Record<string, unknown>): string | undefined {
  const value = (provider.args.find((arg) => arg.name === name) ?? provider.args.filter((arg) => arg.name === undefined)[position])?.value
  if (value?.kind === 'String') return value.value
  if (value?.kind !== 'Template') return undefined
  let text = ''
  for (const part of value.parts) {
    if (typeof part === 'string') text += part
    else if (part.kind === 'Variable' && typeof runArgs[part.name] === 'string') text += String(runArgs[part.name])
    else return undefined
  }
  return text
}
