/** Where pipelines lead: cycles among them, and what the tools they reach need of a pipeline. */
import { fault, fileOf, type Context } from './context.ts'
import { checkSessionScope } from './decorators.ts'
import { nearest } from './nearest.ts'

export function checkReach(context: Context): void {
  checkCycles(context)
  checkTemplates(context)
  checkSessionScopes(context)
}

/** Depth first, without recursion: a chain of thousands of pipelines is no harder than one of three. */
function checkCycles(context: Context): void {
  const done = new Set<string>()
  for (const start of context.reach.keys()) {
    if (done.has(start)) continue
    const path: { name: string; calls: Iterator<[string, { from: number; to: number }]> }[] = []
    const open = new Map<string, number>()
    const enter = (name: string) => {
      open.set(name, path.length)
      path.push({ name, calls: (context.reach.get(name)?.pipelines ?? new Map<string, { from: number; to: number }>()).entries() })
    }
    enter(start)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.calls.next()
      if (next.done) {
        done.add(top.name)
        open.delete(top.name)
        path.pop()
        continue
      }
      const [called, at] = next.value
      const position = open.get(called)
      if (position !== undefined) reportCycle(context, path.slice(position).map((p) => p.name), at)
      else if (!done.has(called)) enter(called)
    }
  }
}

function reportCycle(context: Context, names: string[], at: { from: number; to: number }): void {
  const [first = ''] = names
  const last = names.at(-1) ?? first
  const pipeline = context.program.pipelines.get(last)
  if (!pipeline) return
  const shown = names.length > 8 ? [...names.slice(0, 4), '…', ...names.slice(-3)] : names
  const message = names.length === 1 ? `${first} calls itself. A run would never end.` : `These pipelines call each other: ${[...shown, first].join(' → ')}. A run would never end.`
  context.file = fileOf(context, pipeline)
  fault(context, at, 'pipeline-cycle', message)
}

/** `{{ name }}` in a tool or store declaration is the parameter of the pipeline that reaches it, for each that does. */
function checkTemplates(context: Context): void {
  const lacking = new Map<string, Map<string, { from: number; to: number; pipelines: string[] }>>()
  for (const [name, { tools }] of context.reach) {
    const pipeline = context.program.pipelines.get(name)
    if (!pipeline || pipeline.faulty) continue
    let params: Set<string> | undefined
    for (const tool of tools) {
      for (const used of context.templateNames.get(tool) ?? []) {
        params ??= new Set(pipeline.params.map((p) => p.name))
        if (params.has(used.name)) continue
        const names = lacking.get(tool) ?? new Map<string, { from: number; to: number; pipelines: string[] }>()
        lacking.set(tool, names)
        const entry = names.get(used.name) ?? { from: used.from, to: used.to, pipelines: [] }
        names.set(used.name, entry)
        if (entry.pipelines.at(-1) !== name) entry.pipelines.push(name)
      }
    }
  }
  for (const [tool, names] of lacking) {
    const declaration = context.program.tools.get(tool) ?? context.program.stores.get(tool)
    if (!declaration) continue
    context.file = fileOf(context, declaration)
    for (const [name, { from, to, pipelines }] of names) {
      if (context.doubtful.has(name)) continue
      const shown = pipelines.length > 3 ? [...pipelines.slice(0, 3), `${pipelines.length - 3} more`] : pipelines
      const [only] = pipelines
      const params = pipelines.length === 1 && only !== undefined ? (context.program.pipelines.get(only)?.params ?? []).map((p) => p.name) : []
      const near = nearest(name, params)
      const who = shown.length === 1 ? `${shown[0]}, which reaches ${tool}, has` : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}, which reach ${tool}, have`
      fault(context, { from, to }, 'template-name', `${who} no parameter "${name}".${near ? ` Did you mean "${near}"?` : ''}`, {
        ...(near ? { fix: { title: `Change to ${near}`, from, to, insert: near } } : {}),
      })
    }
  }
}

function checkSessionScopes(context: Context): void {
  const reached = new Set([...context.reach.values()].flatMap(({ tools }) => [...tools]))
  for (const name of reached) {
    const declaration = context.program.tools.get(name)
    if (!declaration) continue
    context.file = fileOf(context, declaration)
    for (const decorator of declaration.decorators) checkSessionScope(context, decorator)
  }
}
