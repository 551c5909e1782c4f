import { transform, type Transform } from 'sucrase'
import type { FileSystem } from '../../filesystem.ts'
import { dirname } from '../../paths.ts'
import { markFloating } from './floating.ts'
import { packageScope, type Flavour } from './resolve.ts'

export type Format = 'module' | 'commonjs' | 'json'

/** How a file is to be taken: by its extension, its package's type, and where both are silent, by its own syntax. */
export function formatOf(files: FileSystem, path: string): Format {
  if (/\.[cm]?[jt]sx?$/.test(path)) {
    if (/\.m[jt]s$/.test(path)) return 'module'
    if (/\.c[jt]s$/.test(path)) return 'commonjs'
  } else if (path.endsWith('.json')) return 'json'
  const type = packageScope(files, dirname(path))?.json.type
  if (type === 'module') return 'module'
  if (type === 'commonjs' && !/\.tsx?$/.test(path)) return 'commonjs'
  return hasModuleSyntax(text(files, path)) ? 'module' : 'commonjs'
}

export function hasModuleSyntax(code: string): boolean {
  return /^[ \t]*(?:import\s*(?:[\w$*{]|['"])|import\s*\{|export\s*(?:[{*]|default\b|const\b|let\b|var\b|function\b|class\b|async\b|type\b|interface\b|enum\b|abstract\b))/m.test(code) || /\bimport\.meta\b/.test(code) || /^(?:const\s+[\w${},\s]+=\s*)?await\s/m.test(code)
}

export function text(files: FileSystem, path: string): string {
  return new TextDecoder().decode(files.read(path))
}

/** JavaScript that the engine can take, line for line. @throws SyntaxError in words where TypeScript can't be had by leaving types out. */
export function javascript(path: string, source: string, target: Format): string {
  // A first line for the shell is none of the program's.
  const code = source.startsWith('#!') ? `//${source.slice(2)}` : source
  const typescript = /\.[cm]?tsx?$/.test(path)
  const jsx = /\.[jt]sx$/.test(path)
  const transforms: Transform[] = []
  if (typescript) {
    refuseNamespaces(path, code)
    transforms.push('typescript')
  }
  if (jsx) transforms.push('jsx')
  if (target === 'commonjs' && hasModuleSyntax(code)) transforms.push('imports')
  const type = target === 'module' ? 'module' : 'script'
  if (transforms.length === 0) return markFloating(code, type)
  try {
    const plain = transform(code, { transforms, filePath: path, disableESTransforms: true, production: true, preserveDynamicImport: true }).code
    return markFloating(plain, type)
  } catch (error) {
    throw new SyntaxError((error instanceof Error ? error.message : String(error)).replace(/^Error transforming [^:]*: /, `${path}: `), { cause: error })
  }
}

/** sucrase leaves namespaces out without a word, and the program would fail far from here. */
function refuseNamespaces(path: string, code: string): void {
  const found = /^[ \t]*(?:export[ \t]+)?(?:namespace|module)[ \t]+[A-Za-z_$][\w$.]*[ \t]*\{/m.exec(code)
  if (!found) return
  const line = code.slice(0, found.index).split('\n').length
  throw new SyntaxError(`${path}:${line}: TypeScript namespaces can't be run here by leaving types out: use a module, or an object.`)
}

export type { Flavour }
