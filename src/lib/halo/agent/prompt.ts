/** What an agent is asked: the written parts, what flows in, what its stores know, what a loop has to say. */
import { HaloError } from '../errors.ts'
import { providerDefinition } from '../tools/registry.ts'
import { describeTool } from '../run/binding.ts'
import { ownCall } from '../run/stages/call.ts'
import { policiesOf, spanIn, valueOf, type Frame } from '../run/frame.ts'
import type { Place } from '../run/interpreter.ts'
import { storeContext } from '../run/store-context.ts'
import { namesIn, toText } from '../run/template.ts'
import type { AgentDeclaration, CallStage } from '../syntax/ast.ts'
import type { StoreMatch } from '../tools/types.ts'
import { isSetting, writtenSetting } from './settings.ts'

/** Parts are set apart by one blank line. */
const GAP = '\n\n'

export async function buildPrompt(frame: Frame, agent: AgentDeclaration, call: CallStage, place: Place): Promise<string> {
  const { path } = place
  const parts: string[] = []
  let said = false
  for (const arg of call.args ?? []) {
    if (isSetting(arg)) continue
    const text = toText(await valueOf(frame, arg.value, path))
    parts.push(arg.name === undefined ? text : `${arg.name}: ${text}`)
    const names = namesIn(arg.value)
    said ||= names.has('input') || frame.inputNames.some((name) => names.has(name))
  }
  if (!said && frame.input !== null && frame.input !== '') parts.push(toText(frame.input))

  const first = writtenSetting(call, 'tool')
  if (first !== undefined) parts.push(await firstCall(frame, agent, call, place))

  for (const { name } of agent.equips) {
    if (!frame.run.world.program.stores.has(name)) continue
    const about = describeTool(frame.run, name)
    const definition = about.definition ?? providerDefinition(about.declaration.provider.name)
    if (definition?.matches === undefined) throw new HaloError('TOOL_CONFIG', `The store ${name} can't give context: ${about.declaration.provider.name} is no store.`, { path, span: spanIn(frame, about.declaration) })
    const matches = await storeContext(frame, name, parts.join(GAP), path)
    if (matches.length === 0) continue
    if (frame.run.listening) await tellContext(frame, agent, call, { path, store: name, matches })
    const list = matches.map(({ text, source }) => (source === undefined ? text : `[${source}]\n${text}`)).join(GAP)
    parts.push(`Context from ${name}:\n\n${list}`)
  }

  const { feedback } = place
  if (feedback !== undefined) {
    parts.push(`This has been tried before, and it isn't done yet. The check that says so: ${feedback.check}${GAP}The answer of the last try:${GAP}${toText(feedback.answer)}`)
  }
  return parts.join(GAP)
}

/** What of a store's matches whoever watches may see: the policies hold for the prompt they go into. */
async function tellContext(frame: Frame, agent: AgentDeclaration, call: CallStage, { path, store, matches }: { path: string; store: string; matches: StoreMatch[] }): Promise<void> {
  const policies = policiesOf(frame.run, [...frame.requires, ...agent.requires])
  const shown = []
  for (const match of matches) shown.push({ ...match, text: toText(await policies.redactValue(match.text)) })
  frame.run.emit({ type: 'context', path, span: spanIn(frame, call), agent: agent.name, store, matches: shown })
}

/** `tool: T.method(…)`: called before the agent is asked, under the agent's policies. */
async function firstCall(frame: Frame, agent: AgentDeclaration, call: CallStage, { path }: Place): Promise<string> {
  const written = writtenSetting(call, 'tool')
  const parsed = written === undefined ? undefined : callIn(written)
  if (written === undefined || parsed === undefined) throw new HaloError('VALIDATION', 'tool: takes a call such as Files.read(path: "a.md"), or the name of a tool with one method.', { path, span: spanIn(frame, written ?? call) })
  const { value } = await ownCall(frame, { call: { ...parsed, from: written.from, to: written.to }, path: `${path}/tool`, requires: [...frame.requires, ...agent.requires] })
  const name = parsed.member === undefined ? parsed.callee.name : `${parsed.callee.name}.${parsed.member.name}`
  return `The result of ${name}:${GAP}${toText(value)}`
}

/** A call written where an expression stands: `T`, `T.method`, or `T.method(arg: v)`. */
function callIn(written: NonNullable<ReturnType<typeof writtenSetting>>): Pick<CallStage, 'callee' | 'member' | 'args'> | undefined {
  if (written.kind === 'Variable') return { callee: written }
  if (written.kind === 'Access' && written.base.kind === 'Variable' && written.steps.length === 1) {
    const step = written.steps[0]
    return step?.kind === 'Member' ? { callee: written.base, member: step } : undefined
  }
  if (written.kind !== 'FunctionCall') return undefined
  // The parser reads `T.method(…)` here as the call of a function with a dot in its name.
  const [tool, method] = written.name.split('.')
  const name = (text: string) => ({ ...written.nameSpan, name: text })
  return tool === undefined ? undefined : { callee: name(tool), ...(method === undefined ? {} : { member: name(method) }), args: written.args }
}
