/** What the word under the pointer means: the same texts as in the reference. */
import { syntaxTree } from '@codemirror/language'
import type { EditorView, Tooltip } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import {
  analyse,
  AGENT_OPTIONS,
  DECORATORS,
  FUNCTIONS,
  link,
  namesAt,
  RULES,
  SYSTEM_CALLS,
} from '../halo/check/index.ts'
import { providerDefinition } from '../halo/tools/registry.ts'
import type { HaloEditorOptions } from './halo.ts'
import { methodsOfTool } from './methods.ts'
import { tooltipAbove } from './tooltip.ts'

export interface HoverText {
  title: string
  text: string
}

export function hover(view: EditorView, pos: number, options: HaloEditorOptions): Tooltip | null {
  const node = syntaxTree(view.state).resolveInner(pos, 0)
  const found = hoverText(node, view.state.doc.toString(), options)
  if (!found) return null
  return tooltipAbove(node, found.title, [found.text])
}

/** The text for a node of the tree; undefined where there is nothing to say. */
export function hoverText(
  node: SyntaxNode,
  source: string,
  options: HaloEditorOptions = {},
): HoverText | undefined {
  const text = source.slice(node.from, node.to)
  const named = (
    table: ReadonlyMap<string, { doc: string; example: string }>,
    key: string,
  ): HoverText | undefined => {
    const entry = table.get(key)
    return entry && { title: entry.example, text: entry.doc }
  }
  switch (node.name) {
    case 'DecoratorName':
      return named(DECORATORS, text.slice(1))
    case 'RuleName':
      return named(RULES, text) ?? nameText(node, text, source, options)
    case 'ProviderName': {
      const provider = providerDefinition(text)
      return provider && { title: text, text: provider.description ?? '' }
    }
    case 'OptionName': {
      const option = AGENT_OPTIONS.get(text)
      return option && { title: text, text: option.doc }
    }
    case 'Property':
      return memberText(node, text, source, options)
    case 'Variable':
    case 'Reference':
    case 'Definition':
    case 'ParamName':
    case 'TypeName': {
      const called = node.nextSibling?.name === 'ArgList' ? FUNCTIONS.get(text) : undefined
      return called ? { title: called.usage, text: called.doc } : nameText(node, text, source, options)
    }
    default:
      return undefined
  }
}

function fileOf(source: string, options: HaloEditorOptions) {
  return analyse(source, {
    ...(options.path !== undefined && { path: options.path }),
    ...(options.resolve && { resolve: options.resolve }),
  }).file
}

function nameText(
  node: SyntaxNode,
  name: string,
  source: string,
  options: HaloEditorOptions,
): HoverText | undefined {
  const found = namesAt(fileOf(source, options), node.to).find((n) => n.name === name)
  return found && { title: `${found.kind} ${name}`, text: found.detail === found.kind ? '' : found.detail }
}

function memberText(
  node: SyntaxNode,
  member: string,
  source: string,
  options: HaloEditorOptions,
): HoverText | undefined {
  const head =
    node.parent?.name === 'Member' ? node.parent.parent?.firstChild : node.parent?.getChild('Reference')
  if (!head) return undefined
  const name = source.slice(head.from, head.to)
  if (name === 'System') {
    const entry = SYSTEM_CALLS.get(member)
    return entry && { title: entry.example, text: entry.doc }
  }
  const program = link(fileOf(source, options))
  const tool = program.tools.get(name) ?? program.stores.get(name)
  const method = tool && methodsOfTool(tool, program).find((m) => m.name === member)
  return (
    method && {
      title: `${name}.${member}${method.effect ? ` · ${method.effect}` : ''}`,
      text: method.description ?? '',
    }
  )
}
