import { loadImports, type Resolve } from './check/imports.ts'
import { HaloError } from './errors.ts'
import { parse as parseFile } from './syntax/index.ts'
import type { HaloFile } from './syntax/ast.ts'

export interface ParseOptions {
  path?: string
  /** Gives the text of an imported file. Without it imports stay unloaded, and what they declare is unknown. */
  resolve?: Resolve
}

/**
 * The file as a tree, with the files it imports.
 * @throws HaloError PARSE_ERROR with every syntax fault found, in it or in an imported file.
 */
export function parse(source: string, options: ParseOptions = {}): HaloFile {
  const file = parseFile(source, options)
  if (options.resolve === undefined) return file
  const { diagnostics, faults } = loadImports(file, options.resolve)
  const all = [...diagnostics, ...[...faults.values()].flat()].filter((each) => each.severity === 'error')
  const [first] = all
  if (first !== undefined) throw new HaloError('PARSE_ERROR', first.message, { span: first, diagnostics: all })
  return file
}
