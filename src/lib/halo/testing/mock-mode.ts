/** What answers in place of the world where nothing was mocked: in test blocks, and for `--mock`. */
import { HaloError } from '../errors.ts'
import type { Program } from '../check/program.ts'
import type { MockDefaults, MockRequest } from '../run/types.ts'
import { smallestInstance } from '../run/schema.ts'
import type { PipelineDeclaration, TypeNode } from '../syntax/ast.ts'

/** An agent that nobody mocked answers with text at once: the smallest value its schema allows, or its own name. */
function agent({ agent, task }: MockRequest, schema?: { [key: string]: unknown }): unknown {
  return schema === undefined ? `[mock ${agent}.${task}]` : smallestInstance(schema)
}

/** Mock mode: nothing outside is touched, nobody is asked, and every call that would act on the world gives the least it may. */
export const mockMode: MockDefaults = {
  agent,
  tool: ({ effect, resultSchema }) => {
    if (effect === 'read' || effect === 'write') return undefined
    return resultSchema === undefined ? null : smallestInstance(resultSchema)
  },
  interrupt: ({ channel, named }) => {
    switch (channel) {
      case 'approval':
      case 'yield':
        return { approved: true }
      case 'input':
        return isSchema(named.schema) ? smallestInstance(named.schema) : ''
      case 'listen':
        return null
      case 'recovery':
        return 'retry'
    }
  },
}

/** In a test block the same, but a call that would act on the world has to be mocked. */
export const testMode: MockDefaults = {
  agent,
  tool: ({ target, effect }) => {
    if (effect === 'read' || effect === 'write') return undefined
    const why = effect === undefined ? `What ${target} does is not known here, so a test doesn't call it` : `${target} acts on the world, which a test doesn't`
    throw new HaloError('TOOL_ERROR', `${why}: mock it, with "mock ${target} : …".`)
  },
  interrupt: mockMode.interrupt,
}

/** There is no network in a test. */
export const noNetwork: typeof fetch = async (input) => {
  const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url
  throw new HaloError('TOOL_ERROR', `There is no network here, and ${url} was asked for. In a test, mock it.`)
}

/** Lists inside types that hold themselves end at this depth. */
const SAMPLE_DEPTH = 4

/** Arguments that fit a pipeline, to try it with: what may be left out is. */
export function sampleArguments(pipeline: PipelineDeclaration, program: Program): Record<string, unknown> {
  const args: Record<string, unknown> = {}
  for (const { name, type, optional, default: given } of pipeline.params) {
    if (!optional && given === undefined) args[name] = sampleOf(type, name, program, 0)
  }
  return args
}

function sampleOf(type: TypeNode, name: string, program: Program, depth: number): unknown {
  switch (type.kind) {
    case 'NamedType': {
      if (type.name === 'Number') return 1
      if (type.name === 'Boolean') return true
      const schema = program.schemas.get(type.name)
      return schema === undefined ? name : sampleOf(schema.type, name, program, depth + 1)
    }
    case 'LiteralType':
      return type.value
    case 'ListType':
      return depth > SAMPLE_DEPTH ? [] : [sampleOf(type.item, name, program, depth + 1)]
    case 'ObjectType': {
      const object: Record<string, unknown> = {}
      for (const field of type.fields) {
        if (!field.optional && field.type.kind !== 'OptionalType') object[field.name] = sampleOf(field.type, field.name, program, depth + 1)
      }
      return object
    }
    case 'UnionType': {
      const [first] = type.members
      return first === undefined ? null : sampleOf(first, name, program, depth)
    }
    case 'OptionalType':
      return null
  }
}

function isSchema(value: unknown): value is { [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
