/** The globs of rules and test lines: `Tool.method`, `*` for any run of characters within one side. */
import type { Node } from '../syntax/ast.ts'
import { fault, warn, replacement, type Context } from './context.ts'
import { nearest } from './nearest.ts'
import { toolFacts } from './tool-facts.ts'

/** What is wrong with a glob, in words; undefined for a well-formed one. `mend` is what was probably meant. */
export function globFault(glob: string): { message: string; mend?: string } | undefined {
  if (glob.trim() !== glob || glob === '') return { message: 'A glob has no blanks around it.', ...(glob.trim() ? { mend: glob.trim() } : {}) }
  if (glob.startsWith('!')) return { message: 'Globs have no negation. DenyTools is the rule that takes calls away.' }
  if (/[{}]/.test(glob)) return { message: 'Globs have no braces. Give each alternative as a glob of its own.' }
  const parts = glob.split('.')
  const [tool, method] = parts
  if (parts.length === 1) return { message: `A glob is Tool.method; "${glob}" has no method side.`, mend: glob === '*' ? '*.*' : `${glob}.*` }
  if (parts.length > 2) return { message: `A glob is Tool.method, with one point; "${glob}" has ${parts.length - 1}.` }
  if (!tool || !method) return { message: `A glob is Tool.method; one side of "${glob}" is empty.`, mend: `${tool || '*'}.${method || '*'}` }
  if (!/^[A-Za-z0-9_*]+$/.test(tool)) return { message: `"${tool}" can't name a tool: names are letters, digits and _, with * for any run of them.` }
  if (!/^[A-Za-z0-9_*/:@-]+$/.test(method)) return { message: `"${method}" can't name a method; * is the only wildcard.` }
  return undefined
}

/** Turns one side of a glob into a test. */
export function sideMatcher(side: string): (name: string) => boolean {
  if (side === '*') return () => true
  if (!side.includes('*')) return (name) => name === side
  const parts = side.split('*')
  return (name) => {
    const first = parts[0] ?? ''
    const last = parts.at(-1) ?? ''
    if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false
    let at = first.length
    const end = name.length - last.length
    for (const part of parts.slice(1, -1)) {
      const found = name.indexOf(part, at)
      if (found < 0 || found + part.length > end) return false
      at = found + part.length
    }
    return true
  }
}

/** The tools and stores whose names a glob's first side matches. */
export function toolsMatching(context: Context, side: string): string[] {
  const { tools, stores } = context.program
  if (!side.includes('*')) return tools.has(side) || stores.has(side) ? [side] : []
  const matches = sideMatcher(side)
  return [...tools.keys(), ...stores.keys()].filter(matches)
}

const judged = new WeakMap<Context, Map<string, ReturnType<typeof judge>>>()

/** Reports a malformed glob (error) and one that matches nothing that is declared (warning). */
export function checkGlob(context: Context, node: Node, glob: string): void {
  let known = judged.get(context)
  if (!known) judged.set(context, (known = new Map()))
  let verdict = known.get(glob)
  if (!verdict) known.set(glob, (verdict = judge(context, glob)))
  if (!verdict.message) return
  const quoted = /^["']/.test(context.file.source.slice(node.from, node.from + 1))
  const fix = verdict.mend === undefined ? {} : { fix: replacement(node, quoted ? JSON.stringify(verdict.mend) : verdict.mend) }
  if (verdict.malformed) fault(context, node, 'bad-glob', verdict.message, fix)
  else warn(context, node, 'glob-matches-nothing', verdict.message, fix)
}

function judge(context: Context, glob: string): { message?: string; mend?: string; malformed?: boolean } {
  const wrong = globFault(glob)
  if (wrong) return { ...wrong, malformed: true }
  const [toolSide = '', methodSide = ''] = glob.split('.')
  const tools = toolsMatching(context, toolSide)
  if (!tools.length) {
    if (context.doubtful.has(toolSide) || (toolSide.includes('*') && context.doubtful.size)) return {}
    const near = nearest(toolSide, [...context.program.tools.keys(), ...context.program.stores.keys()])
    return { message: `No tool is named "${toolSide}", so "${glob}" matches nothing.${near ? ` Did you mean "${near}.${methodSide}"?` : ''}`, ...(near ? { mend: `${near}.${methodSide}` } : {}) }
  }
  const matches = sideMatcher(methodSide)
  const methods: string[] = []
  for (const tool of tools) {
    const facts = toolFacts(context, tool)
    // Methods that aren't known, as those of an MCP server, may match.
    if (!facts?.methods) return {}
    for (const method of [...facts.methods.keys(), ...facts.absent]) {
      if (matches(method)) return {}
      methods.push(method)
    }
  }
  const near = nearest(methodSide, methods)
  const name = tools.length === 1 ? `${tools[0]} has no method "${methodSide}"` : `No tool that it matches has a method "${methodSide}"`
  return { message: `${name}, so "${glob}" matches nothing.${near ? ` Did you mean "${toolSide}.${near}"?` : ''}`, ...(near ? { mend: `${toolSide}.${near}` } : {}) }
}
