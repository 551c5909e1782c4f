/** Chains and stages: Lezer nodes to AST. */
import type { Diagnostic } from '../errors.ts'
import type { Arm, CallStage, Chain, Decorator, EachStage, Name, Source, Stage } from './ast.ts'
import { fault, placeOf, present, textOf, type Build } from './context.ts'
import { child, childrenOf, type Cst } from './cst.ts'
import {
  argumentsOf,
  BUILT_IN_FUNCTIONS,
  expressionIn,
  expressionOf,
  isExpression,
  modelOf,
  nameOf,
} from './expressions.ts'

const SUFFIXES = new Set(['As', 'Decorator'])

/** The chain that a node's children from `start` on make. */
export function chainOf(build: Build, node: Cst, start = 0): Chain {
  reportStray(build, node)
  const parts = node.children
    .slice(start)
    .filter((c) => c.name === 'Source' || isCallLike(c) || STAGES.has(c.name) || SUFFIXES.has(c.name))
  const [first, last] = [parts[0], parts[parts.length - 1]]
  const place = first && last ? { from: first.from, to: last.to } : { from: node.to, to: node.to }
  const chain: Chain = { kind: 'Chain', stages: [], ...place }
  if (!first) return chain
  if (first.name === 'Source') {
    chain.source = sourceOf(build, first)
    chain.stages = stagesOf(build, parts.slice(1))
    return chain
  }
  if (!isCallLike(first)) {
    chain.stages = stagesOf(build, parts)
    return chain
  }
  // The body of a branch or an arm: what leads it stands there bare, with its suffixes after it.
  const end = parts.findIndex((part, i) => i > 0 && !SUFFIXES.has(part.name))
  const suffixes = parts.slice(1, end < 0 ? undefined : end)
  const stages = end < 0 ? [] : stagesOf(build, parts.slice(end))
  if (first.name === 'Call') {
    const to = suffixes[suffixes.length - 1]?.to ?? first.to
    return { ...chain, source: callStage(build, first, suffixes, { from: first.from, to }), stages }
  }
  const body = chainOf(build, first)
  if (suffixes.length === 0 && stages.length === 0) return body
  const to = suffixes[suffixes.length - 1]?.to ?? first.to
  return {
    ...chain,
    stages: [{ kind: 'Block', body, ...suffixesOf(build, suffixes), from: first.from, to }, ...stages],
  }
}

const STAGES = new Set([
  'CallStage',
  'ParallelStage',
  'EachStage',
  'BranchStage',
  'LoopStage',
  'YieldStage',
  'ListenStage',
])
/** A value where only a stage can stand: in an arm, a branch, after `each`. */
function reportStray(build: Build, node: Cst): void {
  const stray = child(node, 'StrayValue')
  if (stray)
    fault(
      build,
      stray,
      'Expected a stage, such as Agent.task(…): for a plain value write System.Value(…)',
      wrapped(build, stray),
    )
}
function wrapped(build: Build, stray: Cst): Diagnostic['fix'] {
  return {
    title: 'Write System.Value(…)',
    ...placeOf(stray),
    insert: `System.Value(${textOf(build, stray)})`,
  }
}

function isCallLike(node: Cst): boolean {
  return node.name === 'Call' || node.name === 'Block'
}

function stagesOf(build: Build, nodes: Cst[]): Stage[] {
  return present(nodes.map((node) => stageOf(build, node)))
}

/** `Name.member(…)` and `Name(…)` as a source are calls, but for the built-in functions. */
function sourceOf(build: Build, node: Cst): Source {
  const suffixes = suffixesOf(build, node.children)
  const place = placeOf(node)
  const found = node.children.find(isExpression)
  const call = found && sourceCall(build, found)
  if (call) return { kind: 'Call', ...call, ...suffixes, ...place }
  const value = found ? expressionOf(build, found) : ({ kind: 'Null', from: node.to, to: node.to } as const)
  return { kind: 'Expression', value, ...suffixes, ...place }
}

function sourceCall(build: Build, node: Cst): Pick<CallStage, 'callee' | 'member' | 'args'> | undefined {
  if (node.name !== 'AccessExpression') return undefined
  const parts = node.children.filter((c) => !c.error && !c.name.endsWith('Comment'))
  const [head, second, third] = parts
  if (head?.name !== 'Variable') return undefined
  if (second?.name === 'ArgList' && parts.length === 2) {
    if (BUILT_IN_FUNCTIONS.has(textOf(build, head))) return undefined
    return { callee: nameOf(build, head), args: argumentsOf(build, second) }
  }
  const property = second?.name === 'Member' && child(second, '.') ? child(second, 'Property') : undefined
  if (!property || third?.name !== 'ArgList' || parts.length !== 3) return undefined
  return { callee: nameOf(build, head), member: nameOf(build, property), args: argumentsOf(build, third) }
}

function stageOf(build: Build, node: Cst): Stage | undefined {
  const place = placeOf(node)
  const suffixes = (): { as?: Name; decorators: Decorator[] } => suffixesOf(build, node.children)
  const argList = child(node, 'ArgList')
  const args = argList ? argumentsOf(build, argList) : []
  switch (node.name) {
    case 'CallStage': {
      const call = child(node, 'Call')
      return call && callStage(build, call, node.children, place)
    }
    case 'ParallelStage':
      return {
        kind: 'Parallel',
        branches: childrenOf(node, 'Branch').map((branch) => chainOf(build, branch)),
        ...suffixes(),
        ...place,
      }
    case 'EachStage':
      return eachStage(build, node)
    case 'BranchStage':
      return {
        kind: 'Branch',
        arms: present(node.children.map((arm) => armOf(build, arm))),
        ...suffixes(),
        ...place,
      }
    case 'LoopStage':
      return { kind: 'Loop', args, ...suffixes(), ...place }
    case 'YieldStage':
      return { kind: 'Yield', args, ...suffixes(), ...place }
    case 'ListenStage':
      return { kind: 'Listen', args, ...suffixes(), ...place }
    default:
      return undefined
  }
}

function callStage(
  build: Build,
  call: Cst,
  around: Cst[],
  place: { from: number; to: number },
): CallStage | undefined {
  const callee = child(call, 'Reference')
  if (!callee) return undefined
  const member = child(call, 'Property')
  const args = child(call, 'ArgList')
  return {
    kind: 'Call',
    callee: nameOf(build, callee),
    ...(member && { member: nameOf(build, member) }),
    ...(args && { args: argumentsOf(build, args) }),
    ...suffixesOf(build, around),
    ...place,
  }
}

/** `as` after `each` names the list; decorators belong to the call. */
function eachStage(build: Build, node: Cst): EachStage | undefined {
  const argList = child(node, 'ArgList')
  const call = child(node, 'Call')
  const block = child(node, 'Block')
  const { as, decorators } = suffixesOf(build, node.children)
  const stage = {
    kind: 'Each' as const,
    args: argList ? argumentsOf(build, argList) : [],
    ...(as && { as }),
    ...placeOf(node),
  }
  if (block) return { ...stage, body: chainOf(build, block), decorators }
  reportStray(build, node)
  const source = call && callStage(build, call, [], placeOf(call))
  if (!source) return undefined
  return {
    ...stage,
    body: { kind: 'Chain', source: { ...source, decorators }, stages: [], ...placeOf(call) },
    decorators: [],
  }
}

function armOf(build: Build, node: Cst): Arm | undefined {
  if (node.name !== 'Arm' && node.name !== 'ElseArm') return undefined
  const arrow = node.children.findIndex((c) => c.name === '=>')
  const body = chainOf(build, node, arrow + 1)
  if (node.name === 'ElseArm') return { body, ...placeOf(node) }
  const condition = expressionIn(build, node)
  return condition && { condition, body, ...placeOf(node) }
}

function suffixesOf(build: Build, nodes: Cst[]): { as?: Name; decorators: Decorator[] } {
  const names = present(nodes.filter((c) => c.name === 'As').map((c) => child(c, 'Definition')))
  const [first, ...more] = names
  for (const again of more) fault(build, again, 'A stage has one name: there is an `as` before this one')
  const decorators = nodes.filter((c) => c.name === 'Decorator').map((c) => decoratorOf(build, c))
  return first ? { as: nameOf(build, first), decorators } : { decorators }
}

export function decoratorOf(build: Build, node: Cst): Decorator {
  const nameNode = child(node, 'DecoratorName')
  const nameSpan = nameNode ? placeOf(nameNode) : { from: node.from, to: node.from }
  const args = child(node, 'ArgList')
  const model = child(node, 'Model')
  return {
    name: textOf(build, nameSpan).slice(1),
    nameSpan,
    args: args ? argumentsOf(build, args) : [],
    ...(model && { model: modelOf(build, model) }),
    ...placeOf(node),
  }
}
