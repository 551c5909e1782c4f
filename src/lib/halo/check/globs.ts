/** The globs of rules and test lines: `Tool.method`, `*` for any run of characters within one side. */
import type { Node } from '../syntax/ast.ts'
import { fault, warn, replacement, type Context } from './context.ts'
import { nearest } from './nearest.ts'
import { matchesSide, parseGlob } from '../policy/globs.ts'
import { toolFacts } from './tool-facts.ts'

/** What is wrong with a glob, in words; undefined for a well-formed one. `mend` is what was probably meant. */
export function globFault(glob: string): { message: string; mend?: string } | undefined {
  if (glob.trim() !== glob || glob === '') return { message: 'A glob has no blanks around it.', ...(glob.trim() ? { mend: glob.trim() } : {}) }
  if (glob.startsWith('!')) return { message: 'Globs have no negation. DenyTools is the rule that takes calls away.' }
  if (/[{}]/.test(glob)) return { message: 'Globs have no braces. Give each alternative as a glob of its own.' }
  const dot = glob.indexOf('.')
  const [tool, method] = sidesOf(glob)
  if (dot < 0) return { message: `A glob is Tool.method; "${glob}" has no method side.`, mend: glob === '*' ? '*.*' : `${glob}.*` }
  if (!tool || !method) return { message: `A glob is Tool.method; one side of "${glob}" is empty.`, mend: `${tool || '*'}.${method || '*'}` }
  const parsed = parseGlob(glob)
  return 'fault' in parsed ? { message: `${parsed.fault}.` } : undefined
}

/** `Tool` and `method`; a method's name may have points of its own. */
export function sidesOf(glob: string): [tool: string, method: string] {
  const dot = glob.indexOf('.')
  return dot < 0 ? [glob, ''] : [glob.slice(0, dot), glob.slice(dot + 1)]
}

/** The tools and stores whose names a glob's first side matches. */
export function toolsMatching(context: Context, side: string): string[] {
  const { tools, stores } = context.program
  if (!side.includes('*')) return tools.has(side) || stores.has(side) ? [side] : []
  return [...tools.keys(), ...stores.keys()].filter((name) => matchesSide(side, name))
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
  const [toolSide, methodSide] = sidesOf(glob)
  const tools = toolsMatching(context, toolSide)
  if (!tools.length) {
    if (context.doubtful.has(toolSide) || (toolSide.includes('*') && context.damaged)) return {}
    const near = nearest(toolSide, [...context.program.tools.keys(), ...context.program.stores.keys()])
    return { message: `No tool is named "${toolSide}", so "${glob}" matches nothing.${near ? ` Did you mean "${near}.${methodSide}"?` : ''}`, ...(near ? { mend: `${near}.${methodSide}` } : {}) }
  }
  const methods: string[] = []
  for (const tool of tools) {
    const facts = toolFacts(context, tool)
    // Methods that aren't known, as those of an MCP server, may match.
    if (!facts?.methods) return {}
    for (const method of [...facts.methods.keys(), ...facts.absent]) {
      if (matchesSide(methodSide, method)) return {}
      methods.push(method)
    }
  }
  const near = nearest(methodSide, methods)
  const name = tools.length === 1 ? `${tools[0]} has no method "${methodSide}"` : `No tool that it matches has a method "${methodSide}"`
  return { message: `${name}, so "${glob}" matches nothing.${near ? ` Did you mean "${toolSide}.${near}"?` : ''}`, ...(near ? { mend: `${toolSide}.${near}` } : {}) }
}
