/** The functions an agent is offered: names a model may call, and what each stands for. */
import { HaloError, type Span } from '../errors.ts'
import type { FunctionTool, JsonSchema } from '../models/types.ts'
import type { PolicySet } from '../policy/index.ts'
import type { AgentDeclaration, Expression } from '../syntax/ast.ts'
import { describeTool } from '../run/binding.ts'
import { spanIn, type Frame } from '../run/frame.ts'

/** A function's name is cut here: OpenAI and Anthropic take 64 characters of letters, digits, `_` and `-`. */
const NAME_LIMIT = 64

export interface OfferedMethod {
  tool: string
  method: string
  /** Policy hides it: not offered, and refused when it is called all the same. */
  hidden: boolean
}

export interface Offer {
  functions: readonly FunctionTool[]
  /** The offered `Tool.method` names. */
  targets: readonly string[]
  /** What a function's name stands for, hidden methods included; also by `Tool.method`, as mocks name them. */
  resolve(name: string): OfferedMethod | undefined
  /** The function's name of a `Tool.method`. */
  nameOf(target: string): string | undefined
  /** The size of the functions as they are sent, in UTF-8 bytes. */
  readonly bytes: number
}

const NOTHING: Offer = { functions: [], targets: [], resolve: () => undefined, nameOf: () => undefined, bytes: 0 }

/** The tools that a call's `tools:`, else its agent's, names. */
export function offeredTools(frame: Frame, agent: AgentDeclaration, written: Expression | undefined): string[] {
  const wanted = written ?? agent.options.find((option) => option.name === 'tools')?.value
  if (wanted === undefined) return []
  const { program } = frame.run.world
  const span = spanIn(frame, wanted)
  if (wanted.kind === 'Variable' && wanted.name === 'none') return []
  if (wanted.kind === 'Variable' && wanted.name === 'auto') {
    return agent.equips.map((name) => name.name).filter((name) => program.tools.has(name))
  }
  const items = wanted.kind === 'List' ? wanted.items : [wanted]
  return items.map((item) => {
    const name = item.kind === 'Variable' ? item.name : item.kind === 'String' ? item.value : undefined
    if (name === undefined) throw config(`tools: of ${agent.name} takes the names of tools, auto or none.`, spanIn(frame, item))
    if (program.stores.has(name)) throw config(`${name} is a store: it adds to the prompt of ${agent.name} and can't be offered as a tool.`, span)
    if (!program.tools.has(name)) throw config(`${agent.name} is offered ${name}, which is not a declared tool.`, span)
    if (!agent.equips.some((equipped) => equipped.name === name)) throw config(`${agent.name} is offered ${name}, which it doesn't equip. Add it: equips ${[...agent.equips.map((e) => e.name), name].join(', ')}`, span)
    return name
  })
}

/** @throws HaloError TOOL_CONFIG when a provider doesn't describe its methods. */
export function offer(frame: Frame, tools: readonly string[], policies: PolicySet, span: Span): Offer {
  if (tools.length === 0) return NOTHING
  const functions: FunctionTool[] = []
  const targets: string[] = []
  const byName = new Map<string, OfferedMethod>()
  const names = new Map<string, string>()
  for (const tool of new Set(tools)) {
    const about = describeTool(frame.run, tool)
    if (about.info === undefined) {
      const provider = about.declaration.provider.name
      throw config(
        about.definition === undefined
          ? `${tool} can't be offered: there is no tool provider ${provider}.`
          : `${tool} can't be offered to an agent: its provider ${provider} was registered without info (descriptions and parameters of its methods).`,
        span,
      )
    }
    for (const [method, info] of Object.entries(about.info)) {
      const target = `${tool}.${method}`
      const name = unusedName(about.bare === true ? method : `${tool}__${method}`, byName)
      const hidden = policies.hides(target)
      byName.set(name, { tool, method, hidden })
      names.set(target, name)
      if (hidden) continue
      const description = about.description === undefined || about.pipeline !== undefined ? info.description : `${info.description} (${about.description})`
      functions.push({ name, description, parameters: info.parameters as JsonSchema })
      targets.push(target)
    }
  }
  let bytes: number | undefined
  return {
    functions,
    targets,
    resolve: (name) => byName.get(name) ?? byName.get(names.get(name) ?? ''),
    nameOf: (target) => names.get(target),
    get bytes() {
      return (bytes ??= new TextEncoder().encode(JSON.stringify(functions)).length)
    },
  }
}

/** The names of the functions that methods are offered as, by `Tool.method`; in the order given. */
export function functionNames(targets: Iterable<string>): Map<string, string> {
  const taken = new Map<string, string>()
  const names = new Map<string, string>()
  for (const target of targets) {
    if (names.has(target)) continue
    const name = unusedName(target.replace('.', '__'), taken)
    taken.set(name, target)
    names.set(target, name)
  }
  return names
}

/** The name as models take one; with a number where it is taken. */
export function unusedName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  const base = wanted.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, NAME_LIMIT)
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `_${n}`
    const name = base.slice(0, NAME_LIMIT - suffix.length) + suffix
    if (!taken.has(name)) return name
  }
}

function config(message: string, span: Span): HaloError {
  return new HaloError('TOOL_CONFIG', message, { span })
}
