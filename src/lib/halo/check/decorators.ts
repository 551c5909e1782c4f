/** Checks decorators: that they exist, may stand there, stand once, and get what they take. */
import type { Decorator, Expression } from '../syntax/ast.ts'
import { checkArguments, literalValue } from './arguments.ts'
import { fault, unknown, warn, type Context } from './context.ts'
import type { Place } from './expressions.ts'
import { checkModel } from './models.ts'
import { DECORATORS, type DecoratorPlace } from './signatures.ts'
import { isRetryCondition } from '../tools/middleware/retry.ts'

const AFTER: Record<DecoratorPlace, string> = {
  agent: 'an agent\'s call', tool: 'a tool\'s call', call: 'this call', declaration: 'a tool declaration',
}

const HARMLESS: ReadonlySet<string> = new Set(['retry', 'timeout', 'idempotent', 'cache'])

/** `at`: what they follow; undefined for a stage that calls nothing. */
export function checkDecorators(context: Context, decorators: readonly Decorator[], at: DecoratorPlace | undefined, place: Place): void {
  const seen = new Set<string>()
  for (const decorator of decorators) {
    const { name, nameSpan } = decorator
    const signature = DECORATORS.get(name)
    if (!signature) {
      // The span of the name begins at its @.
      const span = context.file.source[nameSpan.from] === '@' ? { from: nameSpan.from + 1, to: nameSpan.to } : nameSpan
      const here = [...DECORATORS.values()].filter((d) => !at || d.places.includes(at)).map((d) => d.name)
      unknown(context, span, 'decorator', name, DECORATORS.keys(), 'unknown-decorator', { hint: `Here there are @${here.join(', @')}.` })
      continue
    }
    if (seen.has(name) && name !== 'category' && name !== 'shadow') fault(context, nameSpan, 'duplicate-decorator', `@${name} stands twice.`)
    seen.add(name)
    if (!at) fault(context, nameSpan, 'decorator-place', `@${name} belongs to a call; this stage makes none itself.`)
    else if (!signature.places.includes(at)) {
      const where = signature.places.map((p) => AFTER[p])
      // What would do no harm is only said; a correction or a category that can't happen is a mistake.
      const severity = at !== 'declaration' && HARMLESS.has(name) ? ('warning' as const) : ('error' as const)
      const says = severity === 'warning' ? 'does nothing here' : "can't stand here"
      fault(context, nameSpan, 'decorator-place', `@${name} ${says}; it follows ${where.join(' or ')}.`, { severity })
    }
    if (name === 'shadow') {
      if (decorator.model) checkModel(context, decorator.model)
      else fault(context, decorator, 'missing-argument', `@shadow needs a model. For example: ${signature.example}`)
      continue
    }
    // A category that is not written out would be no category, and no policy would hold the call.
    const bound = checkArguments(context, decorator, decorator.args, signature, place, { title: `@${name}`, literal: name === 'category' })
    if (name === 'retry') checkRetryConditions(context, bound.byName.get('on')?.value)
    // A declaration is anybody's: reach.ts says it of those that a pipeline reaches.
    if (at !== 'declaration') checkSessionScope(context, decorator)
  }
}

function checkRetryConditions(context: Context, on: Expression | undefined): void {
  if (!on) return
  for (const condition of on.kind === 'List' ? on.items : [on]) {
    const value = literalValue(condition)
    if (value === undefined || isRetryCondition(value)) continue
    fault(context, condition, 'unknown-word', '@retry\'s on takes HTTP statuses ("429"), classes ("5xx"), "network", "timeout", "transient" and "any".')
  }
}

/** Warns of an `@idempotent(scope: session)` that a pipeline comes to. */
export function checkSessionScope(context: Context, { name, args }: Decorator): void {
  if (name !== 'idempotent') return
  const scope = args.find((argument) => argument.name === 'scope')?.value
  if (scope?.kind === 'Variable' && scope.name === 'session') {
    warn(context, scope, 'session-scope', 'A pipeline has no chat session: scope session is the run here. Use run or global.')
  }
}
