import { Type } from 'typebox'
import type { FileRules, SandboxHandle } from '../../sandbox/types.ts'
import { normalise, relative } from '../../sandbox/paths.ts'
import type { Method, ProviderDefinition, ToolContext } from '../types.ts'
import type { Edit } from './workspace-edit.ts'

const path = (description: string) => Type.String({ format: 'path', minLength: 1, description })
const LIMITS = { list: 500, glob: 200, search: 50 }

const editFields = {
  old_string: Type.String({ description: 'The text to replace, exactly as in the file; it must occur exactly once, or set replace_all.' }),
  new_string: Type.String({ description: 'What to put in its place.' }),
  replace_all: Type.Optional(Type.Boolean({ description: 'Replace every occurrence. Default false.' })),
}
const offset = (what: string) => Type.Optional(Type.Integer({ minimum: 0, description: `Where to start: \`next\` of the answer before. Counts ${what} from 0.` }))

const kinds = ['file', 'directory', 'symlink'].map((kind) => Type.Literal(kind))
const entry = Type.Object({ path: Type.String(), type: Type.Union(kinds), size: Type.Optional(Type.Integer({ description: 'Bytes, of a file.' })) })
const lines = Type.Optional(Type.Array(Type.String()))
const match = Type.Object({ path: Type.String(), line: Type.Integer({ description: 'From 1.' }), text: Type.String(), before: lines, after: lines })
const skipped = Type.Optional(Type.Array(Type.String(), { description: 'Paths that were not looked into.' }))
const truncated = Type.Optional(Type.Object({ shown: Type.Integer(), of: Type.Integer() }))
const page = {
  total: Type.Integer({ description: 'How many there are.' }),
  next: Type.Optional(Type.Integer({ description: 'The offset of what follows.' })),
  truncated,
}
const changed = (fields: Parameters<typeof Type.Object>[0]) => Type.Object({ path: Type.String(), ...fields })

const methodsOf = (write: boolean) => Object.keys(info).filter((name) => write || info[name]?.effect === 'read')

const info: NonNullable<ProviderDefinition['info']> = {
  read: {
    description: 'Read a file. Gives its path, content and number of lines; offset (0-based line) and limit (lines) give a part. Images come back as images.',
    effect: 'read',
    parameters: Type.Object(
      {
        path: path('The file, relative to the workspace folder.'),
        offset: offset('lines'),
        limit: Type.Optional(Type.Integer({ minimum: 1, description: 'How many lines. Default: to the end.' })),
      },
      { additionalProperties: false },
    ),
    result: Type.Object({ path: Type.String(), content: Type.String(), lines: Type.Integer({ description: 'Of the whole file; a line end at its end adds none.' }), next: page.next, truncated }),
  },
  write: {
    description: 'Write a whole file; creates it and its folders, or replaces what is there.',
    effect: 'write',
    repeatable: true,
    parameters: Type.Object({ path: path('The file, relative to the workspace folder.'), content: Type.String({ description: 'The whole new content.' }) }, { additionalProperties: false }),
    result: changed({ created: Type.Boolean(), bytes: Type.Integer() }),
  },
  edit: {
    description: 'Replace text in a file. old_string must match exactly once (or set replace_all). A list of edits is applied in order, all or none. Gives the diff.',
    effect: 'write',
    parameters: Type.Object(
      {
        path: path('The file, relative to the workspace folder.'),
        old_string: Type.Optional(editFields.old_string),
        new_string: Type.Optional(editFields.new_string),
        replace_all: editFields.replace_all,
        edits: Type.Optional(Type.Array(Type.Object(editFields, { additionalProperties: false }), { minItems: 1, description: 'Several replacements instead of one.' })),
      },
      { additionalProperties: false },
    ),
    result: changed({ replacements: Type.Integer(), diff: Type.String() }),
  },
  list: {
    description: `List a folder's files and folders, or all below it with recursive. Leaves out node_modules, .git, __pycache__, target, vendor and hidden ones. At most ${LIMITS.list} entries.`,
    effect: 'read',
    parameters: Type.Object(
      {
        path: Type.Optional(path('The folder. Default: the workspace folder.')),
        recursive: Type.Optional(Type.Boolean({ description: 'Everything below it too. Default false.' })),
        offset: offset('entries'),
      },
      { additionalProperties: false },
    ),
    result: Type.Object({ path: Type.String(), entries: Type.Array(entry), ...page, skipped }),
  },
  glob: {
    description: `Find files by a glob such as "**/*.ts". At most ${LIMITS.glob} paths.`,
    effect: 'read',
    parameters: Type.Object(
      {
        pattern: Type.String({ minLength: 1, description: 'A glob relative to the folder; ** crosses folders. A pattern without "/" matches names at any depth.' }),
        path: Type.Optional(path('Look under this folder. Default: the workspace folder.')),
        offset: offset('paths'),
      },
      { additionalProperties: false },
    ),
    result: Type.Object({ pattern: Type.String(), files: Type.Array(Type.String()), ...page }),
  },
  search: {
    description: 'Search the text of files by a regular expression (RE2 syntax), or literally. Skips binary files.',
    effect: 'read',
    parameters: Type.Object(
      {
        pattern: Type.String({ minLength: 1, description: 'A regular expression, tried on each line.' }),
        path: Type.Optional(path('A file, or a folder to look under. Default: the workspace folder.')),
        include: Type.Optional(Type.String({ minLength: 1, description: 'Only files that match this glob, such as "*.ts".' })),
        literal: Type.Optional(Type.Boolean({ description: 'Take the pattern as plain text. Default false.' })),
        ignore_case: Type.Optional(Type.Boolean({ description: 'Default false.' })),
        context: Type.Optional(Type.Integer({ minimum: 0, maximum: 20, description: 'Lines to show before and after each match. Default 0.' })),
        max_results: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: `Default ${LIMITS.search}.` })),
        offset: offset('matches'),
      },
      { additionalProperties: false },
    ),
    result: Type.Object({ pattern: Type.String(), matches: Type.Array(match), ...page, skipped }),
  },
  mkdir: {
    description: 'Create a folder and those above it.',
    effect: 'write',
    repeatable: true,
    parameters: Type.Object({ path: path('The folder, relative to the workspace folder.') }, { additionalProperties: false }),
    result: changed({ created: Type.Boolean() }),
  },
  delete: {
    description: 'Delete a file or an empty folder.',
    effect: 'write',
    parameters: Type.Object({ path: path('The file or empty folder, relative to the workspace folder.') }, { additionalProperties: false }),
    result: changed({ deleted: Type.Boolean() }),
  },
}

/** Files of the sandbox under one folder or several. */
export const workspace: ProviderDefinition = {
  name: 'Workspace',
  description: 'Files of the workspace: read, list, glob and search; with write: true also write, edit, mkdir and delete.',
  config: Type.Object(
    {
      root: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })], { format: 'path', description: 'The folder, or the list of folders, outside of which nothing is seen. Default: the whole workspace.' })),
      write: Type.Optional(Type.Boolean({ description: 'Offer the methods that change files. Default false.' })),
      protect: Type.Optional(Type.Array(Type.String(), { description: 'Globs of files, relative to each root, that can be read but not changed by any route.' })),
    },
    { additionalProperties: false },
  ),
  info,
  methods: (config) => methodsOf(config.write === true),
  paths: (config, sandbox) => async (path) => {
    const home = await sandbox.realpath(folderOf(config.root))
    return relative(home, await sandbox.realpath(normalise(path, home)))
  },
  protects: protectedGlobs,
  provider: (config) => {
    const write = config.write === true
    const all = methodTable(config.root as string | string[] | undefined, write, config.protect as string[] | undefined)
    return Object.fromEntries(methodsOf(write).map((name) => [name, all[name] as Method]))
  },
}

// Loaded with the first call: the registry is part of a page's first load, and these bring the diff, globs and RE2.
const editing = () => import('./workspace-edit.ts')
const finding = () => import('./workspace-find.ts')

/** What relative paths are taken from: the root where there is one, the sandbox's base where there are several or none. */
export function folderOf(root: unknown): string {
  if (typeof root === 'string') return root
  return Array.isArray(root) && root.length === 1 ? String(root[0]) : '.'
}

/** The rules of a declaration, for whoever opens a sandbox on its behalf. */
export function workspaceRules(config: Record<string, unknown>): FileRules {
  const root = config.root as string | string[] | undefined
  return { roots: root === undefined ? undefined : [root].flat(), write: config.write === true, protect: config.protect as string[] | undefined }
}

/**
 * The declaration's `protect` as globs relative to the sandbox's base: opened with these, every other tool of the program
 * (a shell, say) is kept from the files as well.
 */
export function protectedGlobs(config: Record<string, unknown>): string[] {
  const { roots = ['.'], protect = [] } = workspaceRules(config)
  return roots.flatMap((root) => protect.map((glob) => (root.startsWith('/') ? normalise(`${root}/${glob}`) : normalise(`/${root}/${glob}`).slice(1))))
}

function methodTable(root: string | string[] | undefined, write: boolean, protect: string[] | undefined): Record<string, Method> {
  const folder = folderOf(root)
  const rules = workspaceRules({ root, write, protect })

  interface Place {
    files: SandboxHandle
    /** Absolute, of a path argument. */
    at(path: string | undefined): string
    /** As results show it. */
    shown(absolute: string): string
  }
  async function open(context: ToolContext): Promise<Place> {
    const files = context.sandbox.open(rules)
    const home = await files.realpath(folder)
    return {
      files,
      at: (given) => normalise(given ?? '.', home),
      shown: (absolute) => relative(home, absolute),
    }
  }

  return {
    read: async (args, context) => {
      const { files, at, shown } = await open(context)
      const { path, offset, limit } = args as { path: string; offset?: number; limit?: number }
      return withShownPaths(shown, async () => (await import('./workspace-read.ts')).readFile(files, at(path), shown(at(path)), { offset, limit }))
    },
    write: async (args, context) => {
      const { files, at, shown } = await open(context)
      const { path, content } = args as { path: string; content: string }
      const target = at(path)
      return withShownPaths(shown, async () => {
        const created = (await files.stat(target)) === undefined
        await files.write(target, content)
        return { path: shown(target), created, bytes: new TextEncoder().encode(content).length }
      })
    },
    edit: async (args, context) => {
      const { files, at, shown } = await open(context)
      const target = at(args.path as string)
      return withShownPaths(shown, async () => (await editing()).applyEdits(files, target, shown(target), editsOf(args)))
    },
    list: async (args, context) => {
      const { files, at, shown } = await open(context)
      const { path, recursive, offset } = args as { path?: string; recursive?: boolean; offset?: number }
      return withShownPaths(shown, async () => (await finding()).listFolder(files, at(path), shown, { recursive: recursive ?? false, offset: offset ?? 0, limit: LIMITS.list, signal: context.signal }))
    },
    glob: async (args, context) => {
      const { files, at, shown } = await open(context)
      const { pattern, path, offset } = args as { pattern: string; path?: string; offset?: number }
      return withShownPaths(shown, async () => (await finding()).findFiles(files, at(path), shown, { pattern, offset: offset ?? 0, limit: LIMITS.glob, signal: context.signal }))
    },
    search: async (args, context) => {
      const { files, at, shown } = await open(context)
      const { pattern, path, include, literal, ignore_case, context: around, max_results, offset } = args as {
        pattern: string; path?: string; include?: string; literal?: boolean; ignore_case?: boolean; context?: number; max_results?: number; offset?: number
      }
      return withShownPaths(shown, async () =>
        (await finding()).searchFiles(files, at(path), shown, {
          pattern, include, literal: literal ?? false, ignoreCase: ignore_case ?? false, context: around ?? 0,
          offset: offset ?? 0, limit: max_results ?? LIMITS.search, signal: context.signal,
        }),
      )
    },
    mkdir: async (args, context) => {
      const { files, at, shown } = await open(context)
      const target = at(args.path as string)
      return withShownPaths(shown, async () => {
        const created = (await files.stat(target)) === undefined
        await files.mkdir(target)
        return { path: shown(target), created }
      })
    },
    delete: async (args, context) => {
      const { files, at, shown } = await open(context)
      const target = at(args.path as string)
      return withShownPaths(shown, async () => {
        await files.remove(target)
        return { path: shown(target), deleted: true }
      })
    },
  }
}

function editsOf(args: Record<string, unknown>): Edit[] {
  const { edits, old_string, new_string, replace_all } = args as { edits?: Edit[] } & Partial<Edit>
  if (edits) {
    if (old_string !== undefined || new_string !== undefined) throw new Error('Give either old_string and new_string, or edits, not both.')
    return edits
  }
  if (old_string === undefined || new_string === undefined) throw new Error('An edit needs old_string and new_string, or a list of edits.')
  return [{ old_string, new_string, replace_all }]
}

/** Errors name paths as the model knows them, not where they lie on the machine. */
export async function withShownPaths<T>(shown: (path: string) => string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    // The message of an aborted call can't be set, and names no path.
    if (error instanceof Error && !(error instanceof DOMException)) error.message = error.message.replace(/"(\/[^"]*)"/g, (_, path: string) => `"${shown(path)}"`)
    throw error
  }
}
