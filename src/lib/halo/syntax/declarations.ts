/** Declarations: Lezer nodes to AST. */
import type {
  AgentDeclaration,
  Declaration,
  Name,
  Param,
  PipelineDeclaration,
  ProviderUse,
  Rule,
  Target,
  TestDeclaration,
  TestLine,
} from './ast.ts'
import { fault, placeOf, present, textOf, type Build } from './context.ts'
import { child, childrenOf, hasFault, type Cst } from './cst.ts'
import {
  argumentsOf,
  expressionIn,
  expressionOf,
  isExpression,
  modelOf,
  nameOf,
  RESERVED,
} from './expressions.ts'
import { isString, plainString, stringOf } from './literals.ts'
import { chainOf, decoratorOf } from './stages.ts'
import { objectTypeOf, optionalTypeIn, typeIn } from './types.ts'

/** A declaration, or undefined where not even its name could be made out. */
export function declarationOf(build: Build, node: Cst): Declaration | undefined {
  const before = build.faults.length
  spelling(build, node)
  const declaration = builtFrom(build, node)
  if (declaration && (build.faults.length > before || hasFault(node))) declaration.faulty = true
  return declaration
}

/** The tokenizer takes a keyword with a slip in it for what it must be. */
function spelling(build: Build, node: Cst): void {
  const [head] = node.children
  if (!head || head.from === head.to || head.error || textOf(build, head) === head.name) return
  fault(build, head, `Expected a declaration, found "${textOf(build, head)}": did you mean ${head.name}?`, {
    title: `Write ${head.name}`,
    ...placeOf(head),
    insert: head.name,
  })
}

function builtFrom(build: Build, node: Cst): Declaration | undefined {
  const place = placeOf(node)
  const file = build.path === undefined ? {} : { file: build.path }
  if (node.name === 'ImportDeclaration') {
    const path = node.children.find(isString)
    return (
      path && { kind: 'Import', path: plainString(build, path, 'A path'), pathSpan: placeOf(path), ...place }
    )
  }
  if (node.name === 'TestDeclaration') return testOf(build, node, file)
  const definition = child(node, 'Definition')
  if (!definition || definition.from === definition.to) return undefined
  const { name, ...nameSpan } = nameOf(build, definition)
  const declared = { name, nameSpan, ...file, ...place }
  switch (node.name) {
    case 'PolicyDeclaration':
      return {
        kind: 'Policy',
        ...declared,
        rules: present(childrenOf(node, 'Rule').map((rule) => ruleOf(build, rule))),
      }
    case 'ToolDeclaration':
    case 'StoreDeclaration': {
      const provider = providerOf(build, node)
      const decorators = childrenOf(node, 'Decorator').map((c) => decoratorOf(build, c))
      return node.name === 'ToolDeclaration'
        ? { kind: 'Tool', ...declared, provider, decorators }
        : { kind: 'Store', ...declared, provider, decorators }
    }
    case 'SchemaDeclaration': {
      const type = child(node, 'ObjectType')
      return {
        kind: 'Schema',
        ...declared,
        type: type
          ? objectTypeOf(build, type)
          : { kind: 'ObjectType', fields: [], from: node.to, to: node.to },
      }
    }
    case 'AgentDeclaration':
      return agentOf(build, node, declared)
    case 'PipelineDeclaration':
      return pipelineOf(build, node, declared)
    default:
      return undefined
  }
}

type Declared = Pick<AgentDeclaration, 'name' | 'nameSpan' | 'file' | 'from' | 'to'>

function ruleOf(build: Build, node: Cst): Rule | undefined {
  const nameNode = child(node, 'RuleName')
  if (!nameNode) return undefined
  const { name, ...nameSpan } = nameOf(build, nameNode)
  const args = child(node, 'ArgList')
  return { kind: 'Rule', name, nameSpan, ...(args && { args: argumentsOf(build, args) }), ...placeOf(node) }
}

function providerOf(build: Build, node: Cst): ProviderUse {
  const provider = child(node, 'Provider')
  const nameNode = provider && child(provider, 'ProviderName')
  if (!provider || !nameNode)
    return { name: '', nameSpan: { from: node.to, to: node.to }, args: [], from: node.to, to: node.to }
  const { name, ...nameSpan } = nameOf(build, nameNode)
  const args = child(provider, 'ArgList')
  return { name, nameSpan, args: args ? argumentsOf(build, args) : [], ...placeOf(provider) }
}

const CLAUSES = {
  SystemClause: 'system',
  EquipsClause: 'equips',
  RequiresClause: 'requires',
  ReturnsClause: 'returns',
} as const
function clauseName(node: Cst): (typeof CLAUSES)[keyof typeof CLAUSES] | undefined {
  return Object.hasOwn(CLAUSES, node.name) ? CLAUSES[node.name as keyof typeof CLAUSES] : undefined
}

function agentOf(build: Build, node: Cst, declared: Declared): AgentDeclaration {
  const brackets = child(node, 'Brackets')
  const model = brackets && child(brackets, 'Model')
  const agent: AgentDeclaration = {
    kind: 'Agent',
    ...declared,
    model: model
      ? modelOf(build, model)
      : { provider: '', id: '', from: declared.nameSpan.to, to: declared.nameSpan.to },
    options: [],
    equips: [],
    requires: [],
    clauses: [],
  }
  if (brackets && !model && !build.broken)
    fault(build, brackets, 'Expected a model (provider/id), found nothing in the brackets')
  for (const option of brackets ? childrenOf(brackets, 'Option') : []) {
    const nameNode = child(option, 'OptionName')
    const value = expressionIn(build, option)
    if (!nameNode || !value) continue
    const { name, ...nameSpan } = nameOf(build, nameNode)
    agent.options.push({ name, nameSpan, value, ...placeOf(option) })
  }
  for (const c of node.children) {
    const clause = clauseName(c)
    if (!clause) continue
    agent.clauses.push({ clause, ...placeOf(c) })
    if (clause === 'equips') agent.equips.push(...references(build, c))
    if (clause === 'requires') agent.requires.push(...references(build, c))
    if (clause === 'returns') agent.returns ??= optionalTypeIn(build, c)
    const text = clause === 'system' ? c.children.find(isString) : undefined
    if (text) agent.system ??= stringOf(build, text, (inner) => expressionOf(build, inner))
  }
  return agent
}

/** `A, B`: outside brackets a trailing comma is a mistake. */
function references(build: Build, node: Cst): Name[] {
  const last = node.children.filter((c) => !c.name.endsWith('Comment')).at(-1)
  if (last?.name === ',') {
    fault(build, last, 'Expected a name after this comma', {
      title: 'Remove the comma',
      ...placeOf(last),
      insert: '',
    })
  }
  return childrenOf(node, 'Reference').map((reference) => nameOf(build, reference))
}

function pipelineOf(build: Build, node: Cst, declared: Declared): PipelineDeclaration {
  const params = child(node, 'ParamList')
  const returnType = child(node, 'ReturnType')
  const returns = returnType && typeIn(build, returnType)
  const requires = child(node, 'RequiresClause')
  return {
    kind: 'Pipeline',
    ...declared,
    params: params ? present(childrenOf(params, 'Param').map((param) => paramOf(build, param))) : [],
    ...(returns && { returns }),
    requires: requires ? references(build, requires) : [],
    body: chainOf(build, node),
  }
}

function paramOf(build: Build, node: Cst): Param | undefined {
  const nameNode = child(node, 'ParamName')
  if (!nameNode) return undefined
  const { name, ...nameSpan } = nameOf(build, nameNode)
  if (RESERVED.has(name))
    fault(build, nameSpan, `\`${name}\` is a word of the language and can't name a parameter`)
  const value = expressionIn(build, node)
  return {
    name,
    nameSpan,
    type: typeIn(build, node),
    optional: child(node, '?') !== undefined,
    ...(value && { default: value }),
    ...placeOf(node),
  }
}

function testOf(build: Build, node: Cst, file: { file?: string }): TestDeclaration | undefined {
  const nameNode = node.children.find(isString)
  if (!nameNode) return undefined
  const reference = child(node, 'Reference')
  const args = child(node, 'ArgList')
  return {
    kind: 'Test',
    name: plainString(build, nameNode, "A test's name"),
    nameSpan: placeOf(nameNode),
    ...file,
    pipeline: reference ? nameOf(build, reference) : { name: '', from: nameNode.to, to: nameNode.to },
    args: args ? argumentsOf(build, args) : [],
    lines: present(node.children.map((line) => testLineOf(build, line))),
    ...placeOf(node),
  }
}

function testLineOf(build: Build, node: Cst): TestLine | undefined {
  const place = placeOf(node)
  const targets = childrenOf(node, 'Target').map((target) => targetOf(build, target))
  const [target] = targets
  const values = node.children.filter(isExpression)
  const [value] = values
  switch (node.name) {
    case 'FilesLine': {
      const [folder, files] = values
      if (!folder || !files || !isString(folder)) return undefined
      return {
        kind: 'Files',
        folder: plainString(build, folder, 'A folder'),
        folderSpan: placeOf(folder),
        value: expressionOf(build, files),
        ...place,
      }
    }
    case 'MockLine':
      return (
        target && {
          kind: 'Mock',
          target,
          answers: values.map((answer) => expressionOf(build, answer)),
          ...place,
        }
      )
    case 'ApproveLine':
      return { kind: 'Approve', targets, ...place }
    case 'DeclineLine':
      return (
        target && { kind: 'Decline', target, ...(value && { reason: expressionOf(build, value) }), ...place }
      )
    case 'AnswerLine':
      return target && value && { kind: 'Answer', target, value: expressionOf(build, value), ...place }
    case 'ExpectLine':
      return value && { kind: 'Expect', condition: expressionOf(build, value), ...place }
    default:
      return undefined
  }
}

function targetOf(build: Build, node: Cst): Target {
  const string = node.children.find(isString)
  const text = string
    ? plainString(build, string, 'A target')
    : node.children
        .filter((c) => !c.name.endsWith('Comment') && !c.error)
        .map((c) => textOf(build, c))
        .join('')
  return { text, quoted: string !== undefined, ...placeOf(node) }
}
