/** Which files the program's tools may read but not change. Loaded where a tool names some. */
import picomatch from 'picomatch'
import type { Expression, HaloFile, ToolDeclaration } from '../../halo/syntax/ast.ts'
import { absolutePath } from './paths.ts'

/** `argument`: the text of a pipeline's argument, where it is known; globs that need another are passed over. */
export function protectedFiles({ tools }: Pick<HaloFile, 'tools'>, paths: readonly string[], argument: (name: string) => string | undefined): Set<string> {
  const found = new Set<string>()
  for (const tool of tools) {
    for (const root of rootsOf(tool, argument)) {
      for (const glob of textsOf(valueOf(tool, 'protect'), argument)) {
        // As the sandbox does: without regard to case, dot files too.
        const match = picomatch(glob.replace(/^\.\//, ''), { dot: true, nocase: true, nonegate: true })
        const folder = absolutePath(root).replace(/\/$/, '')
        for (const path of paths) {
          if (glob.startsWith('/') ? match(path) : path.startsWith(`${folder}/`) && match(path.slice(folder.length + 1))) found.add(path)
        }
      }
    }
  }
  return found
}

function rootsOf(tool: ToolDeclaration, argument: (name: string) => string | undefined): string[] {
  const written = valueOf(tool, 'root') ?? tool.provider.args.find((arg) => arg.name === undefined)?.value
  return written === undefined ? ['.'] : textsOf(written, argument)
}
const valueOf = (tool: ToolDeclaration, name: string): Expression | undefined => tool.provider.args.find((arg) => arg.name === name)?.value

function textsOf(value: Expression | undefined, argument: (name: string) => string | undefined): string[] {
  if (value?.kind === 'List') return value.items.flatMap((item) => textsOf(item, argument))
  if (value?.kind === 'String') return [value.value]
  if (value?.kind !== 'Template') return []
  const parts = value.parts.map((part) => (typeof part === 'string' ? part : part.kind === 'Variable' ? argument(part.name) : undefined))
  return parts.every((part) => part !== undefined) ? [parts.join('')] : []
}
