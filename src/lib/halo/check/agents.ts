/** Checks the declaration of an agent: model, options, clauses. */
import type { AgentDeclaration } from '../syntax/ast.ts'
import { checkToolList } from './agent-calls.ts'
import { checkValue } from './arguments.ts'
import { fault, referTo, unknown, warn, type Context } from './context.ts'
import { checkModel, modelTakesTools } from './models.ts'
import { checkPolicies } from './pipelines.ts'
import { newScope } from './scope.ts'
import { AGENT_OPTIONS } from './signatures.ts'
import { checkType } from './types.ts'

export function checkAgent(context: Context, agent: AgentDeclaration): void {
  checkModel(context, agent.model)
  const seen = new Set<string>()
  for (const option of agent.options) {
    const parameter = AGENT_OPTIONS.get(option.name)
    if (!parameter) {
      unknown(context, option.nameSpan, 'option', option.name, AGENT_OPTIONS.keys(), 'unknown-option', { hint: `Options are ${[...AGENT_OPTIONS.keys()].join(', ')}.` })
      continue
    }
    if (seen.has(option.name)) fault(context, option.nameSpan, 'duplicate-option', `"${option.name}" is set twice.`)
    seen.add(option.name)
    if (option.name === 'tools') {
      const offered = checkToolList(context, agent, option.value)
      if (offered.length && !modelTakesTools(context, agent.model.provider)) {
        fault(context, option.value, 'tool-config', `TOOL_CONFIG: ${agent.name} is offered tools, but ${agent.model.provider} models can't call any.`)
      }
    } else checkValue(context, option.value, parameter, agent.name, { scope: newScope(), missing: () => true }, parameter.kind !== 'url')
  }
  const clauses = new Set<string>()
  for (const clause of agent.clauses) {
    if (clauses.has(clause.clause)) {
      const span = { from: clause.from, to: Math.min(clause.to, clause.from + clause.clause.length) }
      fault(context, span, 'duplicate-clause', `${agent.name} has "${clause.clause}" twice; each clause stands once.`)
    }
    clauses.add(clause.clause)
  }
  const equipped = new Set<string>()
  for (const name of agent.equips) {
    const declaration = context.program.tools.get(name.name) ?? context.program.stores.get(name.name)
    if (declaration) referTo(context, name, declaration)
    else unknown(context, name, 'tool or store', name.name, [...context.program.tools.keys(), ...context.program.stores.keys()])
    if (equipped.has(name.name)) warn(context, name, 'duplicate-reference', `"${name.name}" is equipped twice.`)
    equipped.add(name.name)
  }
  checkPolicies(context, agent.requires)
  checkType(context, agent.returns)
}
