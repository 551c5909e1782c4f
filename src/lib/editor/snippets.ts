/** Declarations, stages and lines as they are begun. */
import { snippetCompletion, type Completion } from '@codemirror/autocomplete'

export const DECLARATIONS: Completion[] = [
  snippetCompletion('policy ${Name} : AllowTools("${Tool.*}")', {
    label: 'policy',
    type: 'keyword',
    detail: 'rules for calls',
  }),
  snippetCompletion('tool ${Name} : ${Workspace}("${./folder}")', {
    label: 'tool',
    type: 'keyword',
    detail: 'what an agent can do',
  }),
  snippetCompletion('store ${Name} : VectorStore(path: "${./store}")', {
    label: 'store',
    type: 'keyword',
    detail: 'context for prompts',
  }),
  snippetCompletion('schema ${Name} { ${field}: ${String} }', {
    label: 'schema',
    type: 'keyword',
    detail: 'the form of an answer',
  }),
  snippetCompletion('agent ${Name} [${provider/model}]\n  system "${You …}"', {
    label: 'agent',
    type: 'keyword',
    detail: 'a model with a task',
  }),
  snippetCompletion(
    'pipeline ${Main}(${input}: ${String}) -> Result:\n  ${input}\n    |> ${Agent}.${task}("${…}")',
    { label: 'pipeline', type: 'keyword', detail: 'stages from a source' },
  ),
  snippetCompletion(
    'test "${name}" runs ${Main}(${input}: "${…}") :\n  mock ${Agent}.${task} : "${answer}"\n  expect output == "${answer}"',
    { label: 'test', type: 'keyword', detail: 'a run with mocks' },
  ),
  snippetCompletion('import "./${other}.halo"', {
    label: 'import',
    type: 'keyword',
    detail: "another file's declarations",
  }),
]
export const STAGES: Completion[] = [
  snippetCompletion('|> ${Agent}.${task}(${})', { label: '|>', type: 'keyword', detail: 'a call' }),
  snippetCompletion('|* { ${A.x()}, ${B.y()} }', { label: '|* { }', type: 'keyword', detail: 'in parallel' }),
  snippetCompletion('|* each ${Agent}.${task}(${item})', {
    label: '|* each',
    type: 'keyword',
    detail: 'for each item',
  }),
  snippetCompletion('|? {\n  ${condition} => ${A.x()},\n  else => ${B.y()}\n}', {
    label: '|? { }',
    type: 'keyword',
    detail: 'the first arm that holds',
  }),
  snippetCompletion('|<> loop(${Agent}, ${condition}, max: ${3})', {
    label: '|<> loop',
    type: 'keyword',
    detail: 'go back while it holds',
  }),
  snippetCompletion('|! yield("${message}")', {
    label: '|! yield',
    type: 'keyword',
    detail: 'wait for a person',
  }),
  snippetCompletion('~> listen("${event}", timeout: ${1h})', {
    label: '~> listen',
    type: 'keyword',
    detail: 'wait for an event',
  }),
]
export const CLAUSES = words('keyword', ['system', 'equips', 'requires', 'returns'])
export const TEST_LINES = words('keyword', ['files', 'mock', 'approve', 'decline', 'answer', 'expect'])

export function words(type: string, labels: Iterable<string>): Completion[] {
  return [...labels].map((label) => ({ label, type }))
}
