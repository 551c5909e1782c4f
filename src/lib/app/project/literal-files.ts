import type { TestDeclaration } from '../../halo/syntax/ast.ts'
import { absolutePath } from '../files/paths.ts'

/** The files of a test's `files` lines whose contents are plain texts, by workspace path. */
export function literalFiles(test: TestDeclaration): Record<string, string> {
  const files: Record<string, string> = {}
  for (const line of test.lines) {
    if (line.kind !== 'Files' || line.value.kind !== 'Object') continue
    for (const { key, value } of line.value.entries) {
      if (value.kind === 'String') files[absolutePath(`${line.folder}/${key}`)] = value.value
    }
  }
  return files
}
