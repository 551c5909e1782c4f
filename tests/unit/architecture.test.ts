import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The inner ring knows nothing of the outer ones; the command line is a third-ring shell of its own. */
const RINGS: [folder: string, ring: number][] = [
  ['src/lib/halo/', 1],
  ['src/lib/editor/', 2],
  ['src/lib/storage/', 2],
  ['src/lib/app/', 3],
  ['src/routes/', 3],
  ['src/cli/', 3],
  ['src/service-worker', 3],
]
const ringOf = (path: string): number | undefined => RINGS.find(([folder]) => path.startsWith(folder))?.[1]

/** What only a page has, and what only Node has. Both have fetch, TextEncoder, crypto.subtle, AbortSignal; a newer Node has navigator too. */
const FOREIGN_GLOBALS = new Set(
  `window document location history localStorage sessionStorage indexedDB alert confirm prompt XMLHttpRequest
   requestAnimationFrame cancelAnimationFrame requestIdleCallback matchMedia getComputedStyle getSelection customElements
   HTMLElement Element DOMParser MutationObserver ResizeObserver IntersectionObserver Image Audio FileReader
   process Buffer require module exports __dirname __filename global setImmediate clearImmediate`.split(/\s+/),
)
const LINES = 400

interface SourceFile {
  path: string
  text: string
  tree: ts.SourceFile
}

function sources(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|js|svelte)$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => {
      const absolute = join(entry.parentPath, entry.name)
      const text = readFileSync(absolute, 'utf8')
      const script = absolute.endsWith('.svelte') ? scriptsOf(text) : text
      return { path: relative(root, absolute), text, tree: ts.createSourceFile(absolute, script, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS) }
    })
}

/** The script parts of a component, at their own lines. */
function scriptsOf(text: string): string {
  let script = ''
  let at = 0
  for (const match of text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)) {
    const from = match.index + match[0].indexOf('>') + 1
    const body = match[1] ?? ''
    script += text.slice(at, from).replace(/[^\n]/g, ' ') + body
    at = from + body.length
  }
  return script
}

function importsOf({ path, tree }: SourceFile): { target: string; line: number }[] {
  const found: { target: string; line: number }[] = []
  const visit = (node: ts.Node): void => {
    const specifier =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
            ? node.argument.literal
            : undefined
    if (specifier && ts.isStringLiteralLike(specifier)) {
      found.push({ target: resolve(path, specifier.text), line: lineOf(tree, node) })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

function resolve(from: string, specifier: string): string {
  const bare = specifier.replace(/\?.*$/, '')
  if (bare.startsWith('.')) return normalize(join(dirname(from), bare))
  if (bare.startsWith('$lib/')) return bare.replace('$lib/', 'src/lib/')
  if (bare === 'halo' || bare.startsWith('halo/')) return bare.replace('halo', 'src/lib/halo')
  return bare
}

const lineOf = (tree: ts.SourceFile, node: ts.Node): number => tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1

/** Names used but not declared in the file. Property names, keys and types are not uses. */
function freeNames({ tree }: SourceFile): { name: string; line: number }[] {
  const declared = new Set<string>()
  const used: { name: string; line: number }[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const parent = node.parent
      const isName = 'name' in parent && parent.name === node
      if (isName && !ts.isPropertyAccessExpression(parent)) declared.add(node.text)
      else if (ts.isTypeNode(parent) || ts.isQualifiedName(parent)) return
      else if (ts.isPropertyAccessExpression(parent) && isName) {
        const base = parent.expression
        if (ts.isIdentifier(base) && base.text === 'globalThis') used.push({ name: node.text, line: lineOf(tree, node) })
      } else used.push({ name: node.text, line: lineOf(tree, node) })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return used.filter(({ name }) => !declared.has(name))
}

const all = sources('src')
const inner = all.filter((file) => ringOf(file.path) === 1)

describe('the rings', () => {
  test('no import points outward', () => {
    const outward = all.flatMap((file) => {
      const from = ringOf(file.path)
      return importsOf(file)
        .filter(({ target }) => from !== undefined && (ringOf(target) ?? 0) > from)
        .map(({ target, line }) => `${file.path}:${line} imports ${target}`)
    })
    expect(outward).toEqual([])
  })

  test('the command line and the app know nothing of each other', () => {
    const crossed = all.flatMap((file) => {
      const other = file.path.startsWith('src/cli/') ? /^src\/(routes|lib\/(app|storage|editor))\// : /^src\/cli\//
      return importsOf(file).filter(({ target }) => other.test(target)).map(({ target, line }) => `${file.path}:${line} imports ${target}`)
    })
    expect(crossed.filter((line) => !line.startsWith('src/cli/') || line.includes('src/lib') || line.includes('src/routes'))).toEqual([])
  })

  test('the library imports neither Svelte nor Node', () => {
    const foreign = inner.flatMap((file) =>
      importsOf(file)
        .filter(({ target }) => /^(node:|svelte|\$app|\$env|\$service-worker|@sveltejs|fs$|path$|os$)/.test(target))
        .map(({ target, line }) => `${file.path}:${line} imports ${target}`),
    )
    expect(foreign).toEqual([])
  })

  test('the library uses no global that only a page or only Node has', () => {
    const foreign = inner.flatMap((file) =>
      freeNames(file)
        .filter(({ name }) => FOREIGN_GLOBALS.has(name))
        .map(({ name, line }) => `${file.path}:${line} uses ${name}`),
    )
    expect(foreign).toEqual([])
  })
})

describe('every source file', () => {
  test('is short, or says in its head why it is long', () => {
    const long = all
      .filter(({ text }) => text.split('\n').length > LINES + 1)
      .filter(({ text }) => !/long because/i.test(text.split('\n').slice(0, 30).join(' ')))
      .map(({ path, text }) => `${path}: ${text.split('\n').length} lines; say "Long because …" in its head, or split it`)
    expect(long).toEqual([])
  })

  test('has no `any`', () => {
    const found = all.flatMap((file) => {
      const lines: string[] = []
      const visit = (node: ts.Node): void => {
        if (node.kind === ts.SyntaxKind.AnyKeyword) lines.push(`${file.path}:${lineOf(file.tree, node)}`)
        ts.forEachChild(node, visit)
      }
      visit(file.tree)
      return lines
    })
    expect(found).toEqual([])
  })
})
