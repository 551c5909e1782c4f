/** Checks the names that declarations take: once across kinds, none that means something else. */
import type { HaloFile, ImportDeclaration } from '../syntax/ast.ts'
import { fault, type Context } from './context.ts'
import type { NamedDeclaration } from './program.ts'
import { BUILT_IN_NAMES, BUILT_IN_TYPES, RESERVED_WORDS, RULES } from './signatures.ts'

const A: Record<NamedDeclaration['kind'], string> = {
  Policy: 'a policy', Tool: 'a tool', Store: 'a store', Schema: 'a schema', Agent: 'an agent', Pipeline: 'a pipeline',
}

export function isNamed(declaration: HaloFile['declarations'][number]): declaration is NamedDeclaration {
  return declaration.kind !== 'Import' && declaration.kind !== 'Test'
}

/** `importOf`: by which import of the linked file another file came. */
export function checkNames(context: Context, importOf: ReadonlyMap<HaloFile, ImportDeclaration>): void {
  const taken = new Map<string, { declaration: NamedDeclaration; file: HaloFile }>()
  const { file: main, files } = context.program
  for (const file of files) {
    context.file = file
    for (const declaration of file.declarations) {
      if (!isNamed(declaration)) continue
      const { name, nameSpan } = declaration
      if (RESERVED_WORDS.has(name) || BUILT_IN_NAMES.has(name)) {
        fault(context, nameSpan, 'reserved-name', `"${name}" can't be declared: it is part of the language.`)
      } else if (declaration.kind === 'Schema' && (BUILT_IN_TYPES as readonly string[]).includes(name)) {
        fault(context, nameSpan, 'reserved-name', `"${name}" is a built-in type; a schema can't have its name.`)
      } else if (declaration.kind === 'Policy' && RULES.has(name)) {
        fault(context, nameSpan, 'reserved-name', `"${name}" is a rule; a policy can't have its name.`)
      }
      const before = taken.get(name)
      if (!before) {
        taken.set(name, { declaration, file })
        continue
      }
      const kind = A[before.declaration.kind]
      if (before.file === file) {
        const line = lineOf(file.source, before.declaration.nameSpan.from)
        fault(context, nameSpan, 'duplicate-name', `"${name}" is ${kind} already, on line ${line}. Names are unique across kinds.`)
        continue
      }
      const declared = importOf.get(file)
      if (!declared) continue
      const where = before.file === main ? 'here' : `in ${before.file.path ?? 'another import'}`
      context.file = main
      fault(context, declared.pathSpan, 'import-clash', `${file.path ?? declared.path} declares "${name}", which is ${kind} ${where} already.`)
      context.file = file
    }
  }
}

/** By which import of the linked file each other file came in. */
export function importsOf(main: HaloFile): Map<HaloFile, ImportDeclaration> {
  const by = new Map<HaloFile, ImportDeclaration>()
  for (const declaration of main.imports) {
    if (!declaration.target || declaration.target === main) continue
    const queue = new Set([declaration.target])
    for (const file of queue) {
      if (file !== main && !by.has(file)) by.set(file, declaration)
      for (const { target } of file.imports) if (target && target !== main) queue.add(target)
    }
  }
  return by
}

/** Lines count from 1. */
export function lineOf(source: string, offset: number): number {
  let line = 1
  for (let at = source.indexOf('\n'); at >= 0 && at < offset; at = source.indexOf('\n', at + 1)) line++
  return line
}
