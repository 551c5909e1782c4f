/** What can be written at the cursor: names of the file, and the language's own words from the tables that the checker reads. */
import { type Completion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import type { SyntaxNode } from '@lezer/common'
import {
  analyse,
  AGENT_CALL,
  AGENT_OPTIONS,
  BUILT_IN_TYPES,
  DECORATORS,
  EXPECT_FUNCTIONS,
  EXPECT_NAMES,
  FUNCTIONS,
  link,
  META_FIELDS,
  namesAt,
  RULES,
  SYSTEM_CALLS,
  type NameInScope,
  type Program,
} from '../halo/check/index.ts'
import { BARE_WORDS, type HaloFile } from '../halo/syntax/ast.ts'
import { listProviders } from '../halo/tools/registry.ts'
import type { HaloEditorOptions } from './halo.ts'
import { methodsOfTool } from './methods.ts'
import { CLAUSES, DECLARATIONS, STAGES, TEST_LINES, words } from './snippets.ts'

export function complete(context: CompletionContext, options: HaloEditorOptions): CompletionResult | null {
  const node = syntaxTree(context.state).resolveInner(context.pos, -1)
  if (node.name.endsWith('Comment')) return null
  const word = context.matchBefore(/[@|~]?[\w>*?!]*/)
  const from = word?.from ?? context.pos
  if (
    word?.text === '' &&
    !context.explicit &&
    !/[.@]$/.test(context.state.sliceDoc(context.pos - 1, context.pos))
  )
    return null
  const source = context.state.doc.toString()
  const analysis = (): HaloFile =>
    analyse(source, {
      ...(options.path !== undefined && { path: options.path }),
      ...(options.resolve && { resolve: options.resolve }),
    }).file
  const found = optionsAt(context, node, from, word?.text ?? '', analysis)
  return found && found.length > 0 ? { from, options: found, validFor: /^[@|~]?[\w>*?!]*$/ } : null
}

function optionsAt(
  context: CompletionContext,
  node: SyntaxNode,
  from: number,
  text: string,
  analysis: () => HaloFile,
): Completion[] | null {
  const before = context.state.sliceDoc(Math.max(0, from - 200), from)
  if (text.startsWith('@'))
    return [...DECORATORS.values()].map((d) => ({
      label: `@${d.name}`,
      type: 'keyword',
      info: d.doc,
      detail: d.example,
    }))
  const member = /(?:^|[^\w."])([A-Za-z_]\w*)((?:\.\w+)*)\.$/.exec(before)
  const inString = closest(node, STRINGS)
  if (inString && !closest(node, ['Interpolation', 'OpenInterpolation']))
    return inString.name === 'String' ? targets(node, context, before, analysis) : null
  if (member) return members(member[1] ?? '', (member[2] ?? '').slice(1), analysis())
  if (/^[|~]/.test(text)) return STAGES
  const declaration = closest(node, DECLARATION_NODES)
  const lineStart = /(?:^|\n)[ \t]*$/.test(before)
  if (!declaration || (lineStart && context.state.doc.lineAt(from).from === from)) {
    const previous = syntaxTree(context.state).resolveInner(from, -1)
    const more =
      lineStart && context.state.doc.lineAt(from).from < from ? partsOf(nodeBefore(previous, from)) : []
    return [...DECLARATIONS, ...more]
  }
  return inDeclaration(declaration, node, context.pos, before, lineStart, analysis())
}

const STRINGS = ['String', 'RawString']
const DECLARATION_NODES = [
  'ImportDeclaration',
  'PolicyDeclaration',
  'ToolDeclaration',
  'StoreDeclaration',
  'SchemaDeclaration',
  'AgentDeclaration',
  'PipelineDeclaration',
  'TestDeclaration',
]
function closest(node: SyntaxNode, names: readonly string[]): SyntaxNode | null {
  for (let at: SyntaxNode | null = node; at; at = at.parent) if (names.includes(at.name)) return at
  return null
}
function nodeBefore(node: SyntaxNode, pos: number): string {
  const file = closest(node, ['File'])
  return file?.childBefore(pos)?.name ?? ''
}
function partsOf(declaration: string): Completion[] {
  if (declaration === 'AgentDeclaration') return CLAUSES
  if (declaration === 'TestDeclaration') return TEST_LINES
  return declaration === 'PipelineDeclaration' ? STAGES : []
}

function inDeclaration(
  declaration: SyntaxNode,
  node: SyntaxNode,
  pos: number,
  before: string,
  lineStart: boolean,
  file: HaloFile,
): Completion[] {
  const program = link(file)
  const names = namesAt(file, pos)
  const of = (...kinds: NameInScope['kind'][]): Completion[] =>
    names.filter((n) => kinds.includes(n.kind)).map(nameOption)
  if (/\brequires\s+(?:\w+\s*,\s*)*$/.test(before)) return of('policy')
  if (/\bequips\s+(?:\w+\s*,\s*)*$/.test(before)) return of('tool', 'store')
  const isType =
    /(?:->|\breturns)\s*\[?\s*$/.test(before) ||
    (closest(node, ['Field', 'Param', 'ObjectType', 'ReturnType', 'ListType', 'UnionType']) !== null &&
      /[:|[]\s*$/.test(before))
  if (isType) return [...words('type', BUILT_IN_TYPES), ...of('schema')]
  switch (declaration.name) {
    case 'PolicyDeclaration':
      if (!closest(node, ['ArgList'])) return [...signatures(RULES.values()), ...of('policy')]
      return words('constant', BARE_WORDS)
    case 'ToolDeclaration':
    case 'StoreDeclaration':
      if (/:\s*$/.test(before) && !closest(node, ['ArgList']))
        return providers(declaration.name === 'StoreDeclaration')
      return [...configOf(declaration, program), ...of('pipeline', 'parameter'), ...expressionWords(names)]
    case 'AgentDeclaration':
      if (closest(node, ['Brackets'])) {
        if (/:\s*\[?(?:\w+,\s*)*$/.test(before))
          return [...words('constant', ['auto', 'none', 'true', 'false']), ...of('tool')]
        return [...AGENT_OPTIONS.values()].map((o) => ({
          label: o.name,
          apply: `${o.name}: `,
          type: 'property',
          info: o.doc,
        }))
      }
      return CLAUSES
    case 'PipelineDeclaration':
      return inPipeline(node, before, lineStart, names, of)
    case 'TestDeclaration':
      if (/\bruns\s+$/.test(before)) return of('pipeline')
      if (lineStart) return TEST_LINES
      if (/\bexpect\b[^\n]*$/.test(before)) {
        return [...words('variable', EXPECT_NAMES), ...words('function', EXPECT_FUNCTIONS), ...functions()]
      }
      return [...of('agent', 'tool', 'store'), ...words('keyword', ['then', 'call', 'yield'])]
    default:
      return []
  }
}

function inPipeline(
  node: SyntaxNode,
  before: string,
  lineStart: boolean,
  names: NameInScope[],
  of: (...kinds: NameInScope['kind'][]) => Completion[],
): Completion[] {
  const callable = [
    ...of('agent', 'tool', 'store', 'pipeline'),
    { label: 'System', type: 'class', detail: 'Value, Log, Fail' },
  ]
  const inArguments = closest(node, ['ArgList', 'Interpolation', 'OpenInterpolation', 'Source', 'Arm'])
  if (/(?:\|>|\beach(?:\([^)]*\))?|=>|\|\*\s*\{)\s*$/.test(before)) return callable
  if (/\btools\s*:\s*\[?(?:\s*\w+\s*,)*\s*$/.test(before))
    return [...of('tool'), ...words('constant', ['auto', 'none'])]
  if (lineStart && !inArguments) return [...STAGES, ...expressionWords(names), ...callable]
  const named = closest(node, ['ArgList'])
    ? AGENT_CALL.named.map((p) => ({ label: p.name, apply: `${p.name}: `, type: 'property', info: p.doc }))
    : []
  return [...expressionWords(names), ...named, ...callable]
}

function expressionWords(names: NameInScope[]): Completion[] {
  const declared = new Set<NameInScope['kind']>(['agent', 'tool', 'store', 'pipeline', 'schema', 'policy'])
  return [
    ...names.filter((n) => !declared.has(n.kind)).map(nameOption),
    ...functions(),
    ...words('constant', ['true', 'false', 'null']),
  ]
}
function nameOption(name: NameInScope): Completion {
  const types: Partial<Record<NameInScope['kind'], string>> = {
    agent: 'class',
    tool: 'class',
    store: 'class',
    pipeline: 'function',
    schema: 'type',
    policy: 'type',
  }
  return {
    label: name.name,
    type: types[name.kind] ?? 'variable',
    detail: name.detail,
    boost: types[name.kind] ? 0 : 1,
  }
}
function functions(): Completion[] {
  return [...FUNCTIONS.values()].map((f) => ({
    label: f.name,
    apply: `${f.name}(`,
    type: 'function',
    detail: f.usage,
    info: f.doc,
  }))
}
function signatures(all: Iterable<{ name: string; doc: string; example: string }>): Completion[] {
  return [...all].map((s) => ({ label: s.name, type: 'function', detail: s.example, info: s.doc }))
}

function providers(stores: boolean): Completion[] {
  return [
    ...listProviders()
      .filter((p) => p.store === stores)
      .map((p) => ({
        label: p.name,
        apply: `${p.name}(`,
        type: 'class',
        ...(p.description !== undefined && { info: p.description }),
      })),
    ...(stores
      ? []
      : [{ label: 'Pipeline', apply: 'Pipeline(', type: 'class', info: 'A pipeline that agents can call.' }]),
  ]
}
function configOf(declaration: SyntaxNode, program: Program): Completion[] {
  const name = [...program.tools.values(), ...program.stores.values()].find(
    (d) => d.from === declaration.from,
  )?.provider.name
  const config = listProviders().find((p) => p.name === name)?.config as
    { properties?: Record<string, { description?: string }> } | undefined
  return Object.entries(config?.properties ?? {}).map(([key, schema]) => ({
    label: key,
    apply: `${key}: `,
    type: 'property',
    ...(schema.description !== undefined && { info: schema.description }),
  }))
}

/** After `Name.` */
function members(name: string, path: string, file: HaloFile): Completion[] {
  if (name === 'System') return signatures(SYSTEM_CALLS.values())
  if (name === 'context')
    return path === ''
      ? words('property', ['data', 'args', 'meta'])
      : path === 'meta'
        ? words('property', META_FIELDS)
        : []
  const program = link(file)
  const tool = program.tools.get(name) ?? program.stores.get(name)
  if (tool && path === '') {
    return methodsOfTool(tool, program).map((method) => ({
      label: method.name,
      type: 'method',
      ...(method.effect && { detail: method.effect }),
      ...(method.description && { info: method.description }),
    }))
  }
  if (program.agents.has(name) && path === '') return words('method', taskNames(file, name))
  return []
}
/** The tasks that this file gives an agent: task names are the writer's own. */
function taskNames(file: HaloFile, agent: string): Set<string> {
  return new Set(
    [...file.source.matchAll(new RegExp(`\\b${agent}\\.(\\w+)\\s*\\(`, 'g'))].map((match) => match[1] ?? ''),
  )
}

/** `"Tool.method"` in the rules of a policy, and as targets of a test. */
function targets(
  node: SyntaxNode,
  context: CompletionContext,
  before: string,
  analysis: () => HaloFile,
): Completion[] | null {
  if (!closest(node, ['Rule', 'Target', 'TestDeclaration'])) return null
  const written = /"([\w.*]*)$/.exec(before)?.[1]
  if (written === undefined) return null
  const program = link(analysis())
  const tools = [...program.tools.values(), ...program.stores.values()]
  if (!written.includes('.')) return tools.map((tool) => ({ label: `${tool.name}.`, type: 'class' }))
  const tool = tools.find((t) => written.startsWith(`${t.name}.`))
  return tool
    ? [
        { label: '*', type: 'constant' },
        ...methodsOfTool(tool, program).map((m) => ({ label: m.name, type: 'method' })),
      ]
    : null
}
